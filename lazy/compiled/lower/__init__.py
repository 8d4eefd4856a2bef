"""From a program to a MAX graph: a table of rules, one for each primitive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import expand, lower
from .constant_folding import fold_constants
from .lower import Lowering, check, cpu_kernels, planned
from .routine import KERNELS, AtOnce
from .symbolic import SymbolicLowering

if TYPE_CHECKING:
    from ..ir.graph_ir import Program


def reason(program: Program) -> str:
    """Return why a program cannot be lowered, or "" if it can."""
    return lower.excess(program) if program.symbolic else lower.reason(program)


def lowering_of(program: Program) -> Lowering | SymbolicLowering:
    """Return how a program, for which `reason` found none, becomes a graph."""
    if program.symbolic:
        return SymbolicLowering(fold_constants(program))
    return Lowering(fold_constants(expand.expand(program)))


def at_once(program: Program) -> AtOnce | None:
    """Return a program as a function of the immediate tier if it is small, else None."""
    if not lower.is_small(program):
        return None
    results = [program.specs[value] for value in program.outputs]
    return AtOnce(planned(program, KERNELS)[0], results)


__all__ = [
    "Lowering",
    "SymbolicLowering",
    "at_once",
    "check",
    "cpu_kernels",
    "lowering_of",
    "reason",
]
