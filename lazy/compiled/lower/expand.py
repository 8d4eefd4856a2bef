"""Rewrites a program so that only primitives with a direct lowering are left.

An expansion writes one step as simpler ones: fusable operations, views, and steps of this package
that run structured kernels, which have names of their own ("jj_kernel", "jj_scatter" ...).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph_ir import Program
from ..ir.writer import Writer
from .rules import arithmetic, indexing, linear, movement, reduction, updates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.graph_ir import Spec, Step
    from .support.types import Check, Expansion

_MODULES = (arithmetic, indexing, linear, movement, reduction, updates)

EXPANSIONS: dict[str, Expansion] = {
    name: expansion for module in _MODULES for name, expansion in module.EXPANSIONS.items()
}
CHECKS: dict[str, Check] = {
    name: check for module in _MODULES for name, check in module.CHECKS.items()
}


def check(step: Step, operands: Sequence[Spec], results: Sequence[Spec]) -> str:
    """Return why a step that has an expansion cannot be expanded, or ""."""
    return CHECKS[step.name](step, operands, results) if step.name in CHECKS else ""


def expand(program: Program) -> Program:
    """Return an equal program of primitives that can be lowered directly."""
    writer = Writer(program.specs[: program.inputs])
    values = list(range(program.inputs)) + [writer.constant(c) for c in program.constants]
    for step in program.steps:
        operands = [values[value] for value in step.operands]
        results = [program.specs[value] for value in step.results]
        if step.name in EXPANSIONS:
            values += EXPANSIONS[step.name](writer, step, operands, results)
        else:
            params = step.with_programs(expand).params
            values += writer.steps(step.name, operands, results, dict(params))
    return writer.program([values[value] for value in program.outputs])
