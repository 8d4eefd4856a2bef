"""Elementwise primitives that are written with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..program import Step
    from ..writer import Writer
    from .types import Check, Expansion, Specs

_FLOATS = frozenset({"float32", "float64"})


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
    chosen = cases[-1]
    for number, case in enumerate(cases[:-1]):
        wanted = writer.compare("eq", which, writer.scalar(number, writer.spec(which).dtype))
        chosen = writer.step("jj_select", [wanted, chosen, case], results[0])
    return [chosen]


def _integer_pow(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    """Multiply repeatedly, squaring for each binary digit of the exponent, as XLA does."""
    power = step.param("y")
    base = operands[0]
    product: int | None = None
    digits = abs(power)
    while digits:
        if digits & 1:
            product = base if product is None else writer.same("mul", product, base)
        digits >>= 1
        if digits:
            base = writer.same("mul", base, base)
    if product is None:
        one = writer.scalar(1, results[0].dtype)
        return [writer.broadcast(one, results[0].shape, ())]
    return [writer.same("reciprocal", product) if power < 0 else product]


def _check_integer_pow(step: Step, operands: Specs, results: Specs) -> str:
    if step.param("y") < 0 and operands[0].dtype not in _FLOATS:
        return "a negative power of an integer"
    return ""


EXPANSIONS: dict[str, Expansion] = {
    "clamp": _clamp,
    "select_n": _select_n,
    "integer_pow": _integer_pow,
}
CHECKS: dict[str, Check] = {"integer_pow": _check_integer_pow}
