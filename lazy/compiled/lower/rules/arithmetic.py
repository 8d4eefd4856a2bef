"""Elementwise primitives that are written with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import Step
    from ...ir.writer import Writer
    from ..support.types import Check, Expansion, Specs


def _full(writer: Writer, value: int, shape: tuple[int, ...]) -> int:
    """Return a value of the shape, repeated along axes of length 1 as lax does."""
    own = writer.spec(value).shape
    return writer.broadcast(value, shape, range(len(shape)) if own else ())


def _clamp(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    low, x, high = (_full(writer, operand, results[0].shape) for operand in operands)
    return [writer.same("min", writer.same("max", x, low), high)]


def _select_n(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    which, *cases = operands
    if len(cases) == 1:
        return cases
    if len(cases) == 2 and writer.spec(which).dtype == "bool":
        return [writer.step("jj_select", operands, results[0])]
    chosen = cases[0]
    for number, case in enumerate(cases[1:], 1):
        wanted = writer.compare("eq", which, writer.scalar(number, writer.spec(which).dtype))
        chosen = writer.step("jj_select", [wanted, chosen, case], results[0])
    return [chosen]


EXPANSIONS: dict[str, Expansion] = {
    "clamp": _clamp,
    "select_n": _select_n,
}
CHECKS: dict[str, Check] = {}
