"""The modified Bessel functions of orders 0 and 1, in float64."""

from std.utils.numerics import inf

from elementwise.arithmetic import absolute
from elementwise.exponential import exp
from elementwise.numbers.floats import copy_sign, square_root
from elementwise.numbers.polynomial import horner
from elementwise.special.coefficients import (
    I0_F64,
    I0_TAIL_F64,
    I1_F64,
    I1_TAIL_F64,
)

comptime NEAR = 8.0
"""Up to here, a polynomial in x**2; beyond, one in 1 / x."""


@always_inline
def _order0_near[
    dtype: DType, width: SIMDLength, //
](size: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """i0 up to NEAR."""
    var z = 0.25 * size * size
    return z.fma(horner[I0_F64, I0_F64](z), SIMD[dtype, width](1))


@always_inline
def _order0_far[
    dtype: DType, width: SIMDLength, //
](size: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """exp(-size) i0(size) from NEAR on."""
    var p = horner[I0_TAIL_F64, I0_TAIL_F64](2 * NEAR / size - 1)
    return p / square_root(size)


@always_inline
def bessel_i0e[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """exp(-|x|) i0(x)."""
    var size = absolute(x)
    var near = exp(-size) * _order0_near(size)
    return size.le(NEAR).select(near, _order0_far(size))


@always_inline
def i0[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The modified Bessel function of order 0."""
    var size = absolute(x)
    # In two steps exp overflows no earlier than i0.
    comptime e8 = 2980.9579870417282747
    var far = (_order0_far(size) * e8) * exp(size - 8)
    var infinite = size.gt(1000).select(SIMD[dtype, width](inf[dtype]()), far)
    return size.le(NEAR).select(_order0_near(size), infinite)


@always_inline
def bessel_i1e[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """exp(-|x|) i1(x)."""
    var size = absolute(x)
    var z = 0.25 * size * size
    var factor = z.fma(horner[I1_F64, I1_F64](z), SIMD[dtype, width](1))
    var near = exp(-size) * factor * size * 0.5
    var p = horner[I1_TAIL_F64, I1_TAIL_F64](2 * NEAR / size - 1)
    var value = size.le(NEAR).select(near, p / square_root(size))
    return copy_sign(value, x)
