"""Hyperbolic functions and their inverses."""

from elementwise.arithmetic import (
    absolute,
    exp2_integer,
    power_of_two,
)
from elementwise.numbers.coefficients import (
    LN2_F32,
    LN2_F64,
    LOG2E_F32,
    LOG2E_F64,
)
from elementwise.exponential import (
    expm1_reduced,
    nearest_integer,
    quarter_expm1,
    scaled_exp,
)
from elementwise.numbers.floats import copy_sign, mantissa_bits, square_root
from elementwise.logarithm import log1p
from elementwise.numbers.polynomial import constant


@always_inline
def _linear_below[dtype: DType]() -> Scalar[dtype]:
    """Below this, odd functions with slope 1 are the identity."""
    return power_of_two[dtype, -(mantissa_bits[dtype]() // 2) - 2]()


@always_inline
def sinh[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`(e + e / (e + 1)) / 2` with e = expm1(|x|)."""
    var size = absolute(x)
    var e = quarter_expm1(size)
    var sum = e[0] + (e[1] + e[0] / (4 * e[0] + 1))
    # For infinite e the quotient is NaN.
    var value = (4 * e[0]).gt(power_of_two[dtype, 100]()).select(e[0], sum) * 2
    return size.lt(_linear_below[dtype]()).select(x, copy_sign(value, x))


@always_inline
def cosh[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`e / 2 + 1 / (2 e)` with e = exp(|x|)."""
    var half = scaled_exp[-1](absolute(x))
    return half + 0.25 / half


@always_inline
def tanh[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`e / (e + 2)` with e = expm1(2 |x|)."""
    comptime if dtype == DType.float32:
        return _tanh_float32(x)
    comptime far = Scalar[dtype](20.0)  # already 1 from here on
    var size = absolute(x)
    var bounded = size.gt(far).select(SIMD[dtype, width](far), size)
    var e = quarter_expm1(2 * bounded)
    var quarter = e[0] + e[1]
    var value = copy_sign(quarter / (quarter + 0.5), x)
    return size.lt(_linear_below[dtype]()).select(x, value)


@always_inline
def _tanh_float32[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`(2**k e**r - 1) / (2**k e**r + 1)` with 2 |x| = k ln(2) + r.

    Each is one rounding of a sum with 2**k (e**r - 1), so that small quotients
    are as exact as large ones; ln(2) may be as inexact as it is in one number.
    """
    comptime far = Scalar[dtype](20.0)  # already 1 from here on
    comptime ln2 = constant[dtype, LN2_F64, LN2_F32]()
    var size = 2 * absolute(x)
    var bounded = size.gt(far).select(SIMD[dtype, width](far), size)
    var k = nearest_integer(bounded, constant[dtype, LOG2E_F64, LOG2E_F32]())
    var r = (-k[0]).fma(SIMD[dtype, width](ln2), bounded)
    var e = r + expm1_reduced(r)
    var power = exp2_integer[dtype, width](k[1])
    var quotient = power.fma(e, power - 1) / power.fma(e, power + 1)
    return copy_sign(quotient, x)


@always_inline
def _log1p_or_log_of_double[
    dtype: DType, width: SIMDLength, //
](size: SIMD[dtype, width], near: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log1p(near), or where `near` would overflow log(2 * size)."""
    comptime far = power_of_two[dtype, mantissa_bits[dtype]() + 6]()
    comptime ln2 = constant[dtype, LN2_F64, LN2_F32]()
    var is_far = size.gt(far)
    var added = is_far.select(SIMD[dtype, width](ln2), SIMD[dtype, width](0))
    return log1p(is_far.select(size, near)) + added


@always_inline
def asinh[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log(|x| + sqrt(x**2 + 1)) with the sign of `x`."""
    var size = absolute(x)
    var square = size * size
    var near = size + square / (1 + square_root(1 + square))
    return copy_sign(_log1p_or_log_of_double(size, near), x)


@always_inline
def acosh[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log(x + sqrt(x**2 - 1)); NaN below 1."""
    var t = x - 1
    var value = _log1p_or_log_of_double(x, t + square_root(t * (t + 2)))
    if x.lt(1).reduce_or():  # a root of what is negative raises the flag
        return x.lt(1).select(square_root(t), value)
    return value


@always_inline
def atanh[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log((1 + x) / (1 - x)) / 2; infinite for +-1, NaN outside."""
    var size = absolute(x)
    return copy_sign(0.5 * log1p(2 * size / (1 - size)), x)
