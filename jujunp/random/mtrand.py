"""`numpy.random.mtrand`: other libraries look here for the generator of the module's functions."""

from __future__ import annotations

from typing import Any

from ._random_state import RandomState

_rand = RandomState()
"""What the functions of `random` draw from."""


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'jujunp.random.mtrand' has no attribute {name!r}")
    return getattr(_rand, name)


__all__ = ["RandomState"]
