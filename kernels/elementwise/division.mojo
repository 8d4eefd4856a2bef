"""Float remainders and floored quotients, exact for quotients of any size."""

from std.math import floor, trunc

from elementwise.arithmetic import absolute, power_of_two
from elementwise.compare import is_finite, is_inf
from elementwise.numbers.floats import (
    copy_sign,
    exponent_bias,
    is_nan,
    mantissa_bits,
)


@always_inline
def fmod[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a - b * trunc(a / b)` exactly, with the sign of `a` (C `fmod`).

    Each step subtracts a multiple of |b| that is the rounded quotient, which
    an FMA does exactly: the difference is a multiple of the last place of b
    times that of the quotient, and below their product with 2**(p - 1).
    """
    comptime big = power_of_two[
        dtype, exponent_bias[dtype]() - mantissa_bits[dtype]() - 5
    ]()
    var divisor = absolute(b)
    var regular = is_finite(a) & is_finite(b) & divisor.gt(0)
    var rest = regular.select(absolute(a), SIMD[dtype, width](0))
    var safe = regular.select(divisor, SIMD[dtype, width](1))
    while absolute(rest).ge(safe).reduce_or():
        # Where the quotient overflows, that of a larger multiple of b does not.
        var step = is_inf(rest / safe).select(safe * big, safe)
        step = is_inf(rest / step).select(step * big, step)
        var quotient = trunc(rest / step)
        rest = (-quotient).fma(step, rest)
    rest = rest.lt(0).select(rest + safe, rest)
    if regular.reduce_and():
        return copy_sign(rest, a)
    var whole = is_finite(a) & is_inf(b)
    # inf % b, a % 0 and NaN operands: NaN.
    var invalid = (a - a) / (b - b)
    var result = regular.select(rest, whole.select(absolute(a), invalid))
    return is_nan(result).select(result, copy_sign(result, a))


@always_inline
def _signs_differ[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True where one of two numbers is negative and the other is not."""
    return a.lt(0) ^ b.lt(0)


@always_inline
def remainder[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The remainder that has the sign of `b`; a zero too takes it."""
    var rest = fmod(a, b)
    var moved = _signs_differ(rest, b).select(rest + b, rest)
    return (rest.eq(0) & ~b.eq(0)).select(
        copy_sign(SIMD[dtype, width](0), b), moved
    )


@always_inline
def floor_quotient_float[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`floor(a / b)` of the exact quotient, nearest float.

    Where an operand is infinite or b is 0 it is the floor of the float quotient, as the Array API
    has it; NumPy gives NaN for infinite a, and -1 for -1 // inf.
    """
    var rest = fmod(a, b)
    var quotient = (a - rest) / b
    var adjust = ~rest.eq(0) & _signs_differ(rest, b)
    quotient -= adjust.cast[dtype]()
    var whole = floor(quotient)
    whole += (quotient - whole).gt(0.5).cast[dtype]()
    var zero = copy_sign(SIMD[dtype, width](0), a / b)
    var result = quotient.eq(0).select(zero, whole)
    var direct = b.eq(0) | is_inf(a) | is_inf(b)
    return direct.select(floor(a / b), result)
