"""The error function and its complement."""

from elementwise.arithmetic import absolute, power_of_two
from elementwise.numbers.coefficients import (
    ERFC_F32,
    ERFC_F64,
    ERF_F32,
    ERF_F64,
)
from elementwise.exponential import clamped, scaled_exp
from elementwise.numbers.floats import copy_sign, product, sign_bit
from elementwise.numbers.polynomial import horner


@always_inline
def _erf_excess[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """erf(x) / x - 1 for |x| <= 1/2."""
    return horner[ERF_F64, ERF_F32](x * x)


@always_inline
def _erfc_tail[
    dtype: DType, width: SIMDLength, //
](size: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """erfc(size) for size >= 1/2.

    exp(-x**2) / (1 + 2 x) is times a smooth function, a polynomial in
    (x - 3) / (x + 3). The shift postpones underflow to the last step.
    """
    comptime shift = 64
    var x = clamped(size, Scalar[dtype](0), Scalar[dtype](27.3))
    var square = product(x, x)
    var lost = x.fma(x, -square)
    var smooth = horner[ERFC_F64, ERFC_F32]((x - 3) / (x + 3)) / (1 + 2 * x)
    var value = smooth * scaled_exp[shift](-square)
    value = value.fma(-lost, value)
    return value * power_of_two[dtype, -shift]()


@always_inline
def erf[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The error function."""
    var size = absolute(x)
    var near = size.lt(0.5)
    var tail = copy_sign(1 - _erfc_tail(size), x)
    return near.select(x.fma(_erf_excess(x), x), tail)


@always_inline
def erfc[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`1 - erf(x)`, accurate where that is small."""
    var tail = _erfc_tail(absolute(x))
    var near = (-x).fma(_erf_excess(x), 1 - x)
    var far = sign_bit(x).select(2 - tail, tail)
    return absolute(x).lt(0.5).select(near, far)
