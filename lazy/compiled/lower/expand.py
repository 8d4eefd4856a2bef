"""Rewrites an IR so that only primitives with a direct lowering are left.

An expansion writes one step as simpler ones: fusable operations, views, and steps of this package
that run structured kernels, which have names of their own ("jj_kernel", "jj_scatter" ...).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph_ir import GraphIR
from ..ir.writer import Writer
from .rules import arithmetic, indexing, linear, movement, reduction, updates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.graph_ir import Step, TensorSpec
    from .support.types import Check, Expansion

_MODULES = (arithmetic, indexing, linear, movement, reduction, updates)

EXPANSIONS: dict[str, Expansion] = {
    name: expansion for module in _MODULES for name, expansion in module.EXPANSIONS.items()
}
CHECKS: dict[str, Check] = {
    name: check for module in _MODULES for name, check in module.CHECKS.items()
}


def check(step: Step, operands: Sequence[TensorSpec], results: Sequence[TensorSpec]) -> str:
    """Return why a step that has an expansion cannot be expanded, or ""."""
    return CHECKS[step.name](step, operands, results) if step.name in CHECKS else ""


def expand(ir: GraphIR) -> GraphIR:
    """Return an equal IR of primitives that can be lowered directly."""
    writer = Writer(ir.specs[: ir.inputs])
    values = list(range(ir.inputs)) + [writer.constant(c) for c in ir.constants]
    for step in ir.steps:
        operands = [values[value] for value in step.operands]
        results = [ir.specs[value] for value in step.results]
        if step.name in EXPANSIONS:
            values += EXPANSIONS[step.name](writer, step, operands, results)
        else:
            params = step.with_irs(expand).params
            values += writer.steps(step.name, operands, results, dict(params))
    return writer.ir([values[value] for value in ir.outputs])
