"""From a program to a MAX graph: a table of rules, one for each primitive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import lower
from .lower import Lowering, check, cpu_kernels, is_small, planned
from .symbolic import SymbolicLowering

if TYPE_CHECKING:
    from ..program import Program


def reason(program: Program) -> str:
    """Return why a program cannot be lowered, or "" if it can."""
    return lower.excess(program) if program.symbolic else lower.reason(program)


def lowering_of(program: Program) -> Lowering | SymbolicLowering:
    """Return how a program, for which `reason` found none, becomes a graph."""
    return SymbolicLowering(program) if program.symbolic else Lowering(program)


__all__ = [
    "Lowering",
    "SymbolicLowering",
    "check",
    "cpu_kernels",
    "is_small",
    "lowering_of",
    "planned",
    "reason",
]
