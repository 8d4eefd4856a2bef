"""Rules of elementwise primitives that are not simply an operation of the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jax import lax

from ..values.dtypes import BOOL, CODES, DTYPES, INT64, is_complex, is_float
from ..values.value import Value
from .operand import Operand, Rule, converted, elementwise, in_memory, node, number, seen_through
from .shape_code import ShapeCode, Unrecordable

if TYPE_CHECKING:
    from ..values.types import Shape


def _integer_pow(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """Multiply repeatedly, squaring for each binary digit of the exponent, as XLA does."""
    base = operands[0]
    product: Operand | None = None
    digits = abs(params["y"])
    while digits:
        if digits & 1:
            product = base if product is None else elementwise("mul", product, base)
        digits >>= 1
        if digits:
            base = elementwise("mul", base, base)
    if product is None:
        return [node("copy", [number(1, base.code)], *results[0])]
    if params["y"] > 0:
        return [product]
    return [elementwise("div", number(1, base.code), product)]


def _pow(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """The exponent may be an integer of another dtype."""
    base, exponent = operands
    return [node("pow", [base, converted(exponent, base.code)], *results[0])]


def _rsqrt(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (x,) = operands
    if not is_complex(x.code):
        return [node("rsqrt", [x], *results[0])]
    return [elementwise("div", number(1.0, x.code), elementwise("sqrt", x))]


def _atan2(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """Of complex numbers, `-i log((x + i y) / sqrt(x x + y y))`."""
    y, x = operands
    if not is_complex(x.code):
        return [node("atan2", operands, *results[0])]
    length = elementwise("sqrt", elementwise("add", *(elementwise("square", z) for z in (x, y))))
    point = elementwise("add", x, elementwise("mul", y, number(1j, x.code)))
    angle = elementwise("log", elementwise("div", point, length))
    return [elementwise("mul", angle, number(-1j, x.code))]


def _one_minus_square(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    """As (1 - x)(1 + x), which keeps what the square would lose near 1."""
    (x,) = operands
    one = number(1.0, x.code)
    return [elementwise("mul", elementwise("sub", one, x), elementwise("add", one, x))]


def _polynomial(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """By Horner's rule; the coefficients begin with the one of the lowest degree."""
    spec = results[0]
    x, *rest, last = (_stretched(operand, spec.shape) for operand in operands)
    found = node("copy", [last], *spec)
    for coefficient in reversed(rest):
        found = node("add", [node("mul", [found, x], *spec), coefficient], *spec)
    return [found]


def _stretched(x: Operand, shape: Shape) -> Operand:
    """Return an operand along whose axes of extent 1 the element is repeated."""
    if x.shape in ((), shape):
        return x
    return seen_through(in_memory(x), np.broadcast_to(x.header(), shape))


def _empty(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """Zeros, as `jax.numpy.empty` promises."""
    return [node("copy", [number(0, results[0].code)], *results[0])]


def _population_count(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    """Of the bits in memory; the kernel counts those of the absolute value, as NumPy does."""
    (x,) = operands
    dtype = DTYPES[x.code]
    if dtype.kind != "i":
        return [node("population_count", operands, *results[0])]
    x = in_memory(x)
    code = CODES[np.dtype(f"u{dtype.itemsize}")]
    bits = Operand(x.value, x.header().view(DTYPES[code]), x.shape, code)
    return [converted(node("population_count", [bits], x.shape, code), results[0].code)]


def _round(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (x,) = operands
    if params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN:
        return [node("round", [x], *results[0])]
    # x.5 away from zero: the fraction is exact, so that no rounding comes before
    whole = elementwise("trunc", x)
    fraction = elementwise("abs", elementwise("sub", x, whole))
    up = elementwise("ge", fraction, number(0.5, x.code), code=BOOL)
    further = elementwise("add", whole, elementwise("copysign", number(1.0, x.code), x))
    return [node("select_n", [up, whole, further], *results[0])]


def _select_n(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    which, *cases = operands
    if not isinstance(which.value, Value):
        return [cases[int(which.value.real)]]
    if which.code == BOOL:
        return [node("select_n", operands, *results[0])]
    found = cases[0]
    for index, case in enumerate(cases[1:], 1):
        here = elementwise("eq", which, number(index, which.code), code=BOOL)
        found = node("select_n", [here, found, case], *results[0])
    return [found]


def _convert(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [converted(operands[0], results[0].code)]


def _bitcast(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """The same memory with another dtype; sizes that differ make or take a last axis."""
    (x,) = operands
    shape, code = results[0]
    x = in_memory(x)
    seen = x.header()
    if not seen.flags.c_contiguous:
        x = node("copy", [x], x.shape, x.code)
        seen = x.header()
    if not seen.ndim:
        seen = seen.reshape(1)
    changed = seen.view(DTYPES[code]).reshape(shape)
    return [Operand(x.value, changed, shape, code)]


def _in_total_order(name: str) -> Rule:
    """Comparisons in which nan is equal to nan and larger than all else, and -0 equal to 0."""

    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        x, y = (_stretched(operand, results[0].shape) for operand in operands)
        if not is_float(x.code):
            return [node(name, [x, y], *results[0])]
        plain = elementwise(name, x, y, code=BOOL)
        x_nan = elementwise("isnan", x, code=BOOL)
        y_nan = elementwise("isnan", y, code=BOOL)
        if name == "lt":  # nan is not less; all else is less than nan
            beyond = elementwise("and", y_nan, elementwise("not", x_nan))
        elif name == "le":
            beyond = y_nan
        else:
            beyond = elementwise("and", x_nan, y_nan)
        return [elementwise("or", plain, beyond)]

    return rule


def _iota_2x32(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """The flat positions of a shape as two uint32: high and low halves."""
    (shape, code), _ = results
    size = 1
    for extent in shape:
        size *= extent
    if size >= 1 << 32:
        raise Unrecordable("iota_2x32_shape of 2**32 elements or more")
    flat = node("iota", [], (size,), INT64, [0])
    low = converted(flat, code)
    high = node("copy", [number(0, code)], shape, code)
    return [high, seen_through(low, low.header().reshape(shape))]


def _add_any(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [node("add", operands, *results[0])]


RULES: dict[str, Rule] = {
    "integer_pow": _integer_pow,
    "pow": _pow,
    "rsqrt": _rsqrt,
    "atan2": _atan2,
    "one_minus_square": _one_minus_square,
    "polynomial": _polynomial,
    "empty": _empty,
    "empty2": _empty,
    "population_count": _population_count,
    "round": _round,
    "select_n": _select_n,
    "convert_element_type": _convert,
    "bitcast_convert_type": _bitcast,
    "lt_to": _in_total_order("lt"),
    "le_to": _in_total_order("le"),
    "eq_to": _in_total_order("eq"),
    "iota_2x32_shape": _iota_2x32,
    "add_any": _add_any,
}
