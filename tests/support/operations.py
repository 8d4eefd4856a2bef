"""One oracle for each elementwise operation, from which all tests of operations take theirs.

`EXACT` and `ULP` hold the rows. References of inexact operations are computed in 80-bit long
double, or by mpmath where NumPy has no function.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import pytest

from jujunp.kernels.operations import operations
from tests.support import special_functions as special
from tests.support.differential import floor_divide
from tests.support.elementwise import DTYPES as ALL_DTYPES
from tests.support.elementwise import Array

Function = Callable[..., Any]

DTYPES = ALL_DTYPES[:13]
BOOL = DTYPES[:1]
SIGNED = DTYPES[1:5]
UNSIGNED = DTYPES[5:9]
HALVES = DTYPES[9:11]
SINGLE, DOUBLE = DTYPES[11:]
FULL_FLOATS = [SINGLE, DOUBLE]
FLOATS = HALVES + FULL_FLOATS
INTS = SIGNED + UNSIGNED
NUMBERS = INTS + FLOATS
ALL = BOOL + NUMBERS
LONG = numpy.longdouble


class Exact(NamedTuple):
    """An operation whose every result is NumPy's."""

    oracle: Function
    dtypes: list[numpy.dtype]
    arity: int
    zero_signs: bool = True


class Ulp(NamedTuple):
    """An inexact operation: the oracle takes long doubles."""

    oracle: Function
    bound: float
    arity: int = 1
    points: tuple[float, ...] = ()
    scale: Function | None = None


# Integer oracles in Python's integers are the definition, and slow; NumPy where it agrees.


def truncating_division(a: Array, b: Array) -> Array:
    quotient = numpy.where(b == 0, 0, a // numpy.where(b == 0, 1, b))
    rounded_down = (b != 0) & ((a < 0) != (b < 0)) & (quotient * b != a)
    # MIN / -1 wraps to MIN, where the quotient has the sign of its operands.
    truncated: Array = numpy.add(quotient, rounded_down, dtype=a.dtype)
    return truncated


def truncating_remainder(a: Array, b: Array) -> Array:
    remainder = a - truncating_division(a, b) * b
    return numpy.where(b == 0, numpy.zeros_like(a), remainder)


def python_power(base: int, exponent: int, bits: int) -> int:
    if exponent >= 0:
        return pow(base, exponent, 1 << bits)
    return base ** (-exponent % 2) if base in (1, -1) else 0


def integer_power(a: Array, b: Array) -> Array:
    bits = a.dtype.itemsize * 8
    powers = [python_power(int(x), int(y), bits) % (1 << bits) for x, y in zip(a, b, strict=True)]
    wrapped: Array = numpy.array(powers, f"u{a.dtype.itemsize}").view(a.dtype)
    return wrapped


def leading_zeros(x: Array) -> Array:
    bits = x.dtype.itemsize * 8
    counts = [bits - int(v).bit_length() if v >= 0 else 0 for v in x]
    return numpy.array(counts).astype(x.dtype)


def logical_right_shift(a: Array, b: Array) -> Array:
    unsigned = f"u{a.dtype.itemsize}"
    shifted: Array = numpy.right_shift(a.view(unsigned), b.view(unsigned))
    return shifted.view(a.dtype)


def on_kind(of_float: Function, of_integer: Function) -> Function:
    return lambda *x: (of_integer if x[0].dtype.kind in "iu" else of_float)(*x)


def spacing(x: Array) -> Array:
    if x.dtype == numpy.float16:
        return numpy.spacing(x)
    return numpy.copysign(numpy.spacing(numpy.abs(x)), numpy.where(x == 0, 1, x)).astype(x.dtype)


def select(predicate: Array, on_false: Array, on_true: Array) -> Array:
    return numpy.where(predicate, on_true, on_false)


BITWISE = BOOL + INTS
EXACT = {
    "neg": Exact(numpy.negative, NUMBERS, 1),
    "abs": Exact(numpy.abs, NUMBERS, 1),
    "sign": Exact(numpy.sign, NUMBERS, 1),
    "floor": Exact(numpy.floor, FLOATS, 1),
    "ceil": Exact(numpy.ceil, FLOATS, 1),
    "round": Exact(numpy.rint, FLOATS, 1),
    "trunc": Exact(numpy.trunc, FLOATS, 1),
    "not": Exact(numpy.invert, BITWISE, 1),
    "sqrt": Exact(numpy.sqrt, FLOATS, 1),
    "square": Exact(numpy.square, NUMBERS, 1),
    "reciprocal": Exact(numpy.reciprocal, NUMBERS, 1),
    "is_finite": Exact(numpy.isfinite, FLOATS, 1),
    "isnan": Exact(numpy.isnan, FLOATS, 1),
    "isinf": Exact(numpy.isinf, FLOATS, 1),
    "signbit": Exact(numpy.signbit, FLOATS, 1),
    "population_count": Exact(lambda x: numpy.bitwise_count(x).astype(x.dtype), INTS, 1),
    "clz": Exact(leading_zeros, INTS, 1),
    "spacing": Exact(spacing, FLOATS, 1),
    "frexp_mantissa": Exact(lambda x: numpy.frexp(x)[0], FLOATS, 1),
    "frexp_exponent": Exact(lambda x: numpy.frexp(x)[1].astype(x.dtype), FLOATS, 1),
    "copy": Exact(numpy.positive, NUMBERS, 1),
    "add": Exact(numpy.add, ALL, 2),
    "sub": Exact(numpy.subtract, NUMBERS, 2),
    "mul": Exact(numpy.multiply, ALL, 2),
    "div": Exact(on_kind(numpy.divide, truncating_division), NUMBERS, 2),
    "floor_divide": Exact(floor_divide, NUMBERS, 2),
    "remainder": Exact(numpy.remainder, NUMBERS, 2),
    "rem": Exact(on_kind(numpy.fmod, truncating_remainder), NUMBERS, 2),
    # Which of -0.0 and 0.0 is the larger is not the same all over NumPy.
    "max": Exact(numpy.maximum, ALL, 2, zero_signs=False),
    "min": Exact(numpy.minimum, ALL, 2, zero_signs=False),
    "fmax": Exact(numpy.fmax, ALL, 2, zero_signs=False),
    "fmin": Exact(numpy.fmin, ALL, 2, zero_signs=False),
    "copysign": Exact(numpy.copysign, FLOATS, 2),
    # C and NumPy's float16 disagree on which of two equal zeros it is.
    "nextafter": Exact(numpy.nextafter, FLOATS, 2, zero_signs=False),
    "heaviside": Exact(numpy.heaviside, FLOATS, 2),
    "and": Exact(numpy.bitwise_and, BITWISE, 2),
    "or": Exact(numpy.bitwise_or, BITWISE, 2),
    "xor": Exact(numpy.bitwise_xor, BITWISE, 2),
    "shift_left": Exact(numpy.left_shift, INTS, 2),
    "shift_right_arithmetic": Exact(numpy.right_shift, INTS, 2),
    "shift_right_logical": Exact(logical_right_shift, INTS, 2),
    "gcd": Exact(numpy.gcd, INTS, 2),
    "lcm": Exact(numpy.lcm, INTS, 2),
    "eq": Exact(numpy.equal, ALL, 2),
    "ne": Exact(numpy.not_equal, ALL, 2),
    "lt": Exact(numpy.less, ALL, 2),
    "le": Exact(numpy.less_equal, ALL, 2),
    "gt": Exact(numpy.greater, ALL, 2),
    "ge": Exact(numpy.greater_equal, ALL, 2),
    "logical_and": Exact(numpy.logical_and, NUMBERS, 2),
    "logical_or": Exact(numpy.logical_or, NUMBERS, 2),
    "logical_xor": Exact(numpy.logical_xor, NUMBERS, 2),
    "clamp": Exact(
        lambda low, x, high: numpy.minimum(numpy.maximum(x, low), high), NUMBERS, 3, False
    ),
}
FORMAT_DEPENDENT = {"spacing", "nextafter"}
PREDICATES = {name for name, operation in operations().items() if operation.predicate}


def mpmath_function(
    function: str | Function, *, end: float = float("inf"), odd: bool = False
) -> Function:
    """A function of mpmath, or of mpmath's numbers, which is constant beyond `end`."""

    def oracle(x: Array) -> Array:
        mp = pytest.importorskip("mpmath")
        at = getattr(mp, function) if isinstance(function, str) else function
        near = numpy.clip(x, -end, end)
        with mp.workprec(110):
            values = [mp.nan if v != v else at(mp.mpf(float(v))) for v in near]
            result = numpy.array([LONG(mp.nstr(v, 22)) for v in values])
        # mpmath's numbers have no zero with a sign.
        return numpy.where(odd & (result == 0), numpy.copysign(result, x), result)

    return oracle


def largest(*operands: Array) -> Array:
    return functools.reduce(numpy.maximum, map(numpy.abs, operands))


def reflected(exact: Array, x: Array) -> Array:
    """Below 0, lgamma is a difference of a term at -x and one of a sine."""
    size = numpy.maximum(numpy.abs(x), 3.2)
    terms = numpy.where(x < 0, size * (numpy.log(size) - 1), 0)
    return numpy.maximum(numpy.abs(exact), terms)


def reflected_slope(exact: Array, x: Array) -> Array:
    """And so is digamma."""
    return numpy.abs(exact) + numpy.where(x < 0, numpy.log1p(numpy.abs(x)), 0)


PI = LONG("3.14159265358979323846264338327950288")
QUARTERS = tuple(float(i * PI / 4) for i in range(1, 40))
NEAR_ONE = tuple(1 - 2.0**-k for k in range(1, 53))
ZEROS = (
    2.5e305,
    1.4616321449683622,
    -2.4570247382208006,
    -2.7476826467274127,
    -0.504083,
    *QUARTERS,
)
ULP = {
    "rsqrt": Ulp(lambda x: 1 / numpy.sqrt(x), 1.5),
    "deg2rad": Ulp(lambda x: x * (PI / 180), 1.5),
    "rad2deg": Ulp(lambda x: x * (180 / PI), 1.5),
    "exp": Ulp(numpy.exp, 1.0),
    "exp2": Ulp(numpy.exp2, 1.0),
    "expm1": Ulp(numpy.expm1, 1.3),
    "log": Ulp(numpy.log, 1.2),
    "log2": Ulp(numpy.log2, 1.0),
    "log10": Ulp(numpy.log10, 1.0),
    "log1p": Ulp(numpy.log1p, 1.2),
    "cbrt": Ulp(numpy.cbrt, 1.0),
    "sin": Ulp(numpy.sin, 1.0, points=QUARTERS),
    "cos": Ulp(numpy.cos, 1.0, points=QUARTERS),
    "tan": Ulp(numpy.tan, 1.2, points=QUARTERS),
    "asin": Ulp(numpy.arcsin, 1.2),
    "acos": Ulp(numpy.arccos, 1.2),
    "atan": Ulp(numpy.arctan, 1.0),
    "sinh": Ulp(numpy.sinh, 2.0),
    "cosh": Ulp(numpy.cosh, 2.0),
    "tanh": Ulp(numpy.tanh, 3.0),
    "asinh": Ulp(numpy.arcsinh, 3.0),
    "acosh": Ulp(numpy.arccosh, 3.0),
    "atanh": Ulp(numpy.arctanh, 3.0),
    "logistic": Ulp(lambda x: 1 / (1 + numpy.exp(-x)), 2.5),
    "erf": Ulp(mpmath_function("erf", end=100, odd=True), 2.0),
    "erfc": Ulp(mpmath_function("erfc", end=100), 4.0),
    "atan2": Ulp(numpy.arctan2, 1.2, 2),
    "hypot": Ulp(numpy.hypot, 1.0, 2),
    "pow": Ulp(numpy.power, 1.0, 2),
    # The sum of a logarithm and an operand near its negative has no small relative error.
    "logaddexp": Ulp(numpy.logaddexp, 2.5, 2, scale=largest),
    "logaddexp2": Ulp(numpy.logaddexp2, 2.5, 2, scale=largest),
    "erf_inv": Ulp(mpmath_function(special.erf_inv, odd=True), 2.5, points=NEAR_ONE),
    "lgamma": Ulp(mpmath_function(special.lgamma), 4.0, points=ZEROS, scale=reflected),
    "digamma": Ulp(mpmath_function(special.digamma), 4.0, points=ZEROS, scale=reflected_slope),
    "bessel_i0e": Ulp(mpmath_function(special.scaled_bessel(0)), 4.0, points=QUARTERS),
    "bessel_i1e": Ulp(mpmath_function(special.scaled_bessel(1), odd=True), 4.0, points=QUARTERS),
    "i0": Ulp(mpmath_function(special.i0), 4.0, points=QUARTERS),
}
# Tested on their own, because their operands are not of one kind.
# Tested with all that takes complex numbers, in test_complex_kernels.
OF_COMPLEX = {"conj": [], "real": [], "imag": [], "complex": FULL_FLOATS}
OTHERS = {"select_n": ALL, "ldexp": FLOATS} | dict.fromkeys(special.SPECIAL, FLOATS)
