"""From an IR to a MAX graph: a table of rules, one for each primitive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import expand, lower
from .constant_folding import fold_constants
from .lower import Lowering, check, cpu_kernels, routine_of
from .routine import KERNELS, AtOnce
from .symbolic import SymbolicLowering

if TYPE_CHECKING:
    from ..ir.graph_ir import GraphIR


def reason(ir: GraphIR) -> str:
    """Return why an IR cannot be lowered, or "" if it can."""
    return lower.excess(ir) if ir.symbolic else lower.reason(ir)


def lowering_of(ir: GraphIR) -> Lowering | SymbolicLowering:
    """Return how an IR, for which `reason` found none, becomes a graph."""
    if ir.symbolic:
        return SymbolicLowering(fold_constants(ir))
    return Lowering(fold_constants(expand.expand(ir)))


def at_once(ir: GraphIR) -> AtOnce | None:
    """Return an IR as a function of the immediate tier if it is small, else None."""
    if not lower.is_small(ir):
        return None
    results = [ir.specs[value] for value in ir.outputs]
    return AtOnce(routine_of(ir, KERNELS)[0], results)


__all__ = [
    "Lowering",
    "SymbolicLowering",
    "at_once",
    "check",
    "cpu_kernels",
    "lowering_of",
    "reason",
]
