"""The forms of the functions that the tables of this package hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...ir.graph_ir import Step, TensorSpec
from ...ir.writer import Writer

if TYPE_CHECKING:
    from .calls import Caller
    from .values import Placed

Specs: TypeAlias = Sequence[TensorSpec]

Check: TypeAlias = Callable[[Step, Specs, Specs], str]
"""Step, specs of operands, specs of results -> why it cannot be lowered, or ""."""

Expansion: TypeAlias = Callable[[Writer, Step, Sequence[int], Specs], Sequence[int]]
"""Writer, step, operands, specs of results -> results."""

KernelRule: TypeAlias = "Callable[[Caller, Step, Sequence[Placed], Specs], Sequence[Placed]]"
"""Caller, step, operands, specs of results -> results in new memory."""
