"""Sine, cosine and tangent."""

from elementwise.numbers.coefficients import (
    COS_F32,
    COS_F64,
    SIN_F32,
    SIN_F64,
    TAN_F32,
    TAN_F64,
)
from elementwise.numbers.dtypes import signed_of
from elementwise.numbers.floats import fast_two_sum, product
from elementwise.numbers.polynomial import horner
from elementwise.reduction import Reduced, reduced


@always_inline
def _sine_parts[
    dtype: DType, width: SIMDLength, //
](r: Reduced[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """The sine of the reduced angle as high + low, not yet summed."""
    var z = r.high * r.high
    var cubic = product(z, r.high) * horner[SIN_F64, SIN_F32](z)
    return (r.high, cubic + r.low * (-0.5 * z + 1))


@always_inline
def _cosine_parts[
    dtype: DType, width: SIMDLength, //
](r: Reduced[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """The cosine of the reduced angle as high + low, not yet summed."""
    var z = product(r.high, r.high)
    var first = fast_two_sum(SIMD[dtype, width](1), -0.5 * z)
    var quartic = product(z, z) * horner[COS_F64, COS_F32](z)
    return (first[0], quartic + (first[1] - r.high * r.low))


@always_inline
def _sine_of_quadrant[
    dtype: DType, width: SIMDLength, //
](r: Reduced[dtype, width], quadrant: SIMD[signed_of[dtype](), width]) -> SIMD[
    dtype, width
]:
    """sin(high + low + quadrant * pi / 2)."""
    var s = _sine_parts(r)
    var c = _cosine_parts(r)
    var even = (quadrant & 1).eq(0)
    var value = even.select(s[0] + s[1], c[0] + c[1])
    return (quadrant & 2).eq(0).select(value, -value)


@always_inline
def sin[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The sine."""
    var r = reduced(x)
    return x.eq(0).select(x, _sine_of_quadrant(r, r.quadrant))


@always_inline
def cos[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The cosine."""
    var r = reduced(x)
    return _sine_of_quadrant(r, r.quadrant + 1)


@always_inline
def tan[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The tangent: of the reduced angle, or -1 by that."""
    var r = reduced(x)
    var z = r.high * r.high
    var cubic = product(z, r.high) * horner[TAN_F64, TAN_F32](z)
    var about = r.high + cubic
    var slope = about.fma(about, SIMD[dtype, width](1))
    var t = fast_two_sum(r.high, cubic + r.low * slope)
    var inverse = 1 / t[0]
    var rest = (-inverse).fma(t[0], SIMD[dtype, width](1)) - inverse * t[1]
    var cotangent = inverse.fma(rest, inverse)
    var value = (r.quadrant & 1).eq(0).select(t[0], -cotangent)
    return x.eq(0).select(x, value)
