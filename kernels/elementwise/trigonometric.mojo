"""Sine, cosine and tangent."""

from .coefficients import COS_F32, COS_F64, SIN_F32, SIN_F64
from .dtypes import signed_of
from .floats import fast_two_sum, product
from .polynomial import horner
from .reduction import Reduced, reduced


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
    """The tangent: sine by cosine, both as sums of two floats."""
    var r = reduced(x)
    var sp = _sine_parts(r)
    var cp = _cosine_parts(r)
    var s = fast_two_sum(sp[0], sp[1])
    var c = fast_two_sum(cp[0], cp[1])
    var even = (r.quadrant & 1).eq(0)
    var high = even.select(s[0], -c[0])
    var low = even.select(s[1], -c[1])
    var by = even.select(c[0], s[0])
    var by_low = even.select(c[1], s[1])
    var inverse = 1 / by
    var quotient = product(high, inverse)
    var rest = (-quotient).fma(by, high) + (low - quotient * by_low)
    return x.eq(0).select(x, rest.fma(inverse, quotient))
