"""Logarithms and inverse functions of complex numbers, in float64 only."""

from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute, power_of_two
from elementwise.numbers.coefficients import (
    HALF_PI_F32,
    HALF_PI_F64,
    LN2_F32,
    LN2_F64,
    LOG10E_F32,
    LOG10E_F64,
    LOG2E_F32,
    LOG2E_F64,
)
from elementwise.compare import is_finite, is_inf, maximum
from elementwise.complex.number import Complex, choose
from elementwise.numbers.floats import (
    copy_sign,
    fast_two_sum,
    is_nan,
    product,
    sign_bit,
    square_root,
    two_product,
    two_sum,
)
from elementwise.inverse_trigonometric import acos, asin, atan2
from elementwise.logarithm import log, log1p, log_sum
from elementwise.numbers.polynomial import constant
from elementwise.power import hypot

comptime F64 = DType.float64
comptime _LARGE = power_of_two[F64, 500]()
comptime _SMALL = power_of_two[F64, -500]()
comptime _REACH = 600
comptime _HUGE = power_of_two[F64, 30]()
"""Beyond it, 1 / z**2 is lost against 1."""


@fieldwise_init
struct Size[width: SIMDLength](ImplicitlyCopyable, Movable):
    """|z|**2 = square * (1 + relative) * 4**exponent."""

    var square: SIMD[F64, Self.width]
    var relative: SIMD[F64, Self.width]
    var exponent: SIMD[F64, Self.width]


@always_inline
def size_of_number[
    width: SIMDLength, //
](x: SIMD[F64, width], low: SIMD[F64, width], y: SIMD[F64, width]) -> Size[
    width
]:
    """The size of (x + low) + i y, where `low` is far below x."""
    comptime V = SIMD[F64, width]
    var top = maximum(absolute(x), absolute(y))
    var is_large = top.gt(_LARGE)
    var is_small = top.lt(_SMALL)
    var scale = is_large.select(
        V(power_of_two[F64, -_REACH]()),
        is_small.select(V(power_of_two[F64, _REACH]()), V(1)),
    )
    var exponent = is_large.select(V(_REACH), is_small.select(V(-_REACH), V(0)))
    var a = x * scale
    var a_low = low * scale
    var b = y * scale
    var aa = two_product(a, a)
    var bb = two_product(b, b)
    var cross = two_product(a + a, a_low)
    var sum = two_sum(aa[0], bb[0])
    var lost = two_sum(sum[1], cross[0])
    var rest = (aa[1] + bb[1]) + a_low.fma(a_low, cross[1])
    var total = fast_two_sum(sum[0], lost[0] + (lost[1] + rest))
    return Size[width](total[0], total[1] / total[0], exponent)


@always_inline
def log_of_size[
    width: SIMDLength, //
](x: SIMD[F64, width], low: SIMD[F64, width], y: SIMD[F64, width]) -> SIMD[
    F64, width
]:
    """log |(x + low) + i y|, accurate where the size is near 1."""
    comptime V = SIMD[F64, width]
    comptime ln2 = constant[F64, LN2_F64, LN2_F32]()
    var size = size_of_number(x, low, y)
    var value = 0.5 * log_sum(size.square, size.relative)
    value = size.exponent.fma(V(ln2), value)
    var top = maximum(absolute(x), absolute(y))
    if (is_finite(x) & is_finite(y) & top.gt(0)).reduce_and():
        return value
    value = top.eq(0).select(V(-inf[F64]()), value)
    value = (is_nan(x) | is_nan(y)).select(V(nan[F64]()), value)
    return (is_inf(x) | is_inf(y)).select(V(inf[F64]()), value)


@always_inline
def log_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The natural logarithm."""
    var zero = SIMD[F64, width](0)
    return Complex[F64, width](log_of_size(z.re, zero, z.im), atan2(z.im, z.re))


@always_inline
def log1p_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """log(1 + z), accurate for small z."""
    comptime V = SIMD[F64, width]
    var sum = two_sum(V(1), z.re)
    var low = is_finite(z.re).select(sum[1], V(0))
    return Complex[F64, width](
        log_of_size(sum[0], low, z.im), atan2(z.im, sum[0])
    )


@always_inline
def _times_constant[
    width: SIMDLength, //
](z: Complex[F64, width], high: Float64, low: Float64) -> Complex[F64, width]:
    """z * (high + low); infinite parts stay."""
    comptime V = SIMD[F64, width]
    var re = z.re.fma(V(high), product(z.re, V(low)))
    return Complex[F64, width](
        is_inf(z.re).select(z.re, re),
        z.im.fma(V(high), product(z.im, V(low))),
    )


@always_inline
def log2_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The logarithm to base 2."""
    comptime high = constant[F64, LOG2E_F64, LOG2E_F32]()
    comptime low = constant[F64, LOG2E_F64, LOG2E_F32, 1]()
    return _times_constant(log_complex(z), high, low)


@always_inline
def log10_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The logarithm to base 10."""
    comptime high = constant[F64, LOG10E_F64, LOG10E_F32]()
    comptime low = constant[F64, LOG10E_F64, LOG10E_F32, 1]()
    return _times_constant(log_complex(z), high, low)


@fieldwise_init
struct Arc[width: SIMDLength](ImplicitlyCopyable, Movable):
    """asin and acos of |x| + i |y|: asin = (sine, height), acos = (cosine, -height)."""

    var sine: SIMD[F64, Self.width]
    var cosine: SIMD[F64, Self.width]
    var height: SIMD[F64, Self.width]


@always_inline
def _arc[width: SIMDLength, //](z: Complex[F64, width]) -> Arc[width]:
    """After Hull, Fairgrieve and Tang: no part loses digits by cancellation.

    With the distances r and s of z from -1 and 1, a = (r + s) / 2, the height
    is acosh(a) and the sine's real part is asin(x / a).
    """
    comptime V = SIMD[F64, width]
    comptime ln2 = constant[F64, LN2_F64, LN2_F32]()
    var is_huge = absolute(z.re).gt(_HUGE) | absolute(z.im).gt(_HUGE)
    var x = is_huge.select(V(0), absolute(z.re))
    var y = is_huge.select(V(1), absolute(z.im))
    var r = hypot(x + 1, y)
    var s = hypot(x - 1, y)
    var a = 0.5 * (r + s)
    var inside = x.lt(1)
    # a - 1 = y * slope inside, where y may be tiny.
    var right = y / (r + (x + 1))
    var left = inside.select(y / (s + (1 - x)), V(0))
    var slope = 0.5 * (right + left)
    var beyond = 0.5 * y.fma(right, s + (x - 1))
    var excess = inside.select(y * slope, beyond)
    var root = inside.select(
        square_root(y) * square_root(slope * (a + 1)),
        square_root(excess * (a + 1)),
    )
    var far = log(a + square_root(a.fma(a, V(-1))))
    var height = a.le(1.5).select(log1p(excess + root), far)
    # sqrt(a**2 - x**2), the other side of the angle.
    var apx = a + x
    var x_le_1 = x.le(1)
    var side = square_root(0.5 * apx * (right * y + (s + (1 - x))))
    var apart = s + (x - 1)
    var outer = y * square_root(0.5 * (apx / (r + (x + 1)) + apx / apart))
    side = x_le_1.select(side, outer)
    var quotient = x / a
    var plain = quotient.le(0.6417)
    var sine = plain.select(asin(quotient), atan2(x, side))
    var cosine = plain.select(acos(quotient), atan2(side, x))
    if ~is_huge.reduce_or() and z.finite().reduce_and():
        return Arc[width](sine, cosine, height)
    var ends = log_of_size(z.re, V(0), z.im) + V(ln2)
    var re = absolute(z.re)
    var im = absolute(z.im)
    return Arc[width](
        is_huge.select(atan2(re, im), sine),
        is_huge.select(atan2(im, re), cosine),
        is_huge.select(ends, height),
    )


@always_inline
def asin_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The arc sine."""
    var arc = _arc(z)
    var value = Complex[F64, width](
        copy_sign(arc.sine, z.re), copy_sign(arc.height, z.im)
    )
    if z.finite().reduce_and():
        return value
    value.re = z.re.eq(0).select(z.re, value.re)
    return value


@always_inline
def acos_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The arc cosine."""
    comptime V = SIMD[F64, width]
    comptime half_pi = V(constant[F64, HALF_PI_F64, HALF_PI_F32]())
    comptime half_pi_low = V(constant[F64, HALF_PI_F64, HALF_PI_F32, 1]())
    var arc = _arc(z)
    var turned = 2 * half_pi - (arc.cosine - 2 * half_pi_low)
    var value = Complex[F64, width](
        sign_bit(z.re).select(turned, arc.cosine),
        copy_sign(arc.height, -z.im),
    )
    if z.finite().reduce_and():
        return value
    value.re = (z.re.eq(0) & is_nan(z.im)).select(half_pi, value.re)
    return value


@always_inline
def asinh_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The inverse of sinh, by asinh(x + i y) = (im, re) of asin(y + i x)."""
    return asin_complex(z.swapped()).swapped()


@always_inline
def acosh_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The inverse of cosh whose real part is not negative."""
    var value = acos_complex(z)
    return Complex[F64, width](absolute(value.im), copy_sign(value.re, z.im))


@always_inline
def atanh_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """log((1 + z) / (1 - z)) / 2."""
    comptime V = SIMD[F64, width]
    comptime half_pi = V(constant[F64, HALF_PI_F64, HALF_PI_F32]())
    var far = absolute(z.re).gt(_HUGE) | absolute(z.im).gt(_HUGE)
    var x = far.select(V(0), absolute(z.re))
    var y = far.select(V(1), absolute(z.im))
    var t = 1 - x
    var under = t.fma(t, y * y)
    var near = 0.25 * log1p(4 * x / under)
    # Where the square underflows, at +-1, the sizes do not.
    var apart = 0.5 * (log(hypot(1 + x, y)) - log(hypot(t, y)))
    var re = under.gt(_SMALL).select(near, apart)
    var im = 0.5 * atan2(2 * y, t.fma(1 + x, -(y * y)))
    var value = Complex[F64, width](re, im)
    if ~far.reduce_or() and z.finite().reduce_and():
        return Complex[F64, width](
            copy_sign(value.re, z.re), copy_sign(value.im, z.im)
        )
    var size = hypot(0.5 * z.re, 0.5 * z.im)
    # 1 / z and a right angle.
    var fading = Complex[F64, width](
        (0.25 * absolute(z.re) / size) / size,
        (0.25 * absolute(z.im) / size) / size,
    )
    fading = choose(z.has_inf(), Complex[F64, width](V(0), V(0)), fading)
    fading.im = half_pi - fading.im
    value = choose(far, fading, value)
    var lost = is_nan(z.re) & ~is_inf(z.im)
    value.im = (is_nan(z.im) | lost).select(V(nan[F64]()), value.im)
    var invalid = is_nan(z.im) & ~is_inf(z.re) & ~z.re.eq(0)
    value.re = (invalid | lost).select(V(nan[F64]()), value.re)
    value.re = z.re.eq(0).select(z.re, value.re)
    return Complex[F64, width](
        copy_sign(value.re, z.re), copy_sign(value.im, z.im)
    )


@always_inline
def atan_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """The arc tangent, by atan(x + i y) = (im, re) of atanh(y + i x)."""
    return atanh_complex(z.swapped()).swapped()
