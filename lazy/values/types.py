"""Type aliases of the engine."""

from __future__ import annotations

from typing import TypeAlias

Shape: TypeAlias = tuple[int, ...]
Scalar: TypeAlias = bool | int | float | complex
