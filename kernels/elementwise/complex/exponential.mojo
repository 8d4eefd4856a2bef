"""Exponentials, and trigonometric and hyperbolic functions of complex numbers.

In float64 only. Whatever overflows in one factor of a part is kept as a
mantissa and a power of two.
"""

from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute, exp2_integer
from elementwise.numbers.coefficients import LN2_F32, LN2_F64
from elementwise.compare import is_finite, is_inf
from elementwise.complex.arithmetic import divide
from elementwise.complex.number import Complex, choose
from elementwise.numbers.dtypes import signed_of
from elementwise.exponential import (
    clamped,
    exp2_reduced,
    exp_reduced,
    expm1,
)
from elementwise.numbers.floats import copy_sign, product, sign_bit, two_product
from elementwise.hyperbolic import cosh, sinh
from elementwise.numbers.polynomial import constant
from elementwise.trigonometric import cos, sin

comptime F64 = DType.float64
comptime _FAR = 22.0
"""Beyond it, sinh and cosh are exp / 2."""


@fieldwise_init
struct Power[width: SIMDLength](ImplicitlyCopyable, Movable):
    """mantissa * 2**exponent, which may lie out of the range of floats."""

    var mantissa: SIMD[F64, Self.width]
    var exponent: SIMD[signed_of[F64](), Self.width]

    @always_inline
    def times(self, x: SIMD[F64, Self.width]) -> SIMD[F64, Self.width]:
        """The product with a number of at most 1."""
        var third = (self.exponent * 21846) >> 16
        var step = exp2_integer[F64, Self.width](third)
        var last = exp2_integer[F64, Self.width](self.exponent - 2 * third)
        return self.mantissa * x * step * step * last


@always_inline
def exp_power[width: SIMDLength, //](x: SIMD[F64, width]) -> Power[width]:
    """e**x; beyond the range of 2**+-2160 an end of it."""
    var parts = exp_reduced(clamped(x, Float64(-1497), Float64(1497)))
    return Power[width](parts[0], parts[1])


@always_inline
def _with_phase[
    width: SIMDLength, //
](
    size: Power[width],
    x: SIMD[F64, width],
    y: SIMD[F64, width],
    cosine: SIMD[F64, width],
    sine: SIMD[F64, width],
) -> Complex[F64, width]:
    """size * (cosine + i sine), where `size` grows with x, and y is the angle."""
    comptime V = SIMD[F64, width]
    var value = Complex[F64, width](size.times(cosine), size.times(sine))
    value.im = y.eq(0).select(y, value.im)
    if (is_finite(x) & is_finite(y)).reduce_and():
        return value
    var endless = is_inf(x) & ~is_finite(y)
    var grows = Complex[F64, width](V(inf[F64]()), V(nan[F64]()))
    var fades = Complex[F64, width](V(0), copy_sign(V(0), y))
    var ends = choose(x.gt(0), grows, fades)
    return choose(endless, ends, value)


@always_inline
def exp[width: SIMDLength, //](z: Complex[F64, width]) -> Complex[F64, width]:
    """e**z."""
    return _with_phase(exp_power(z.re), z.re, z.im, cos(z.im), sin(z.im))


@always_inline
def exp2[width: SIMDLength, //](z: Complex[F64, width]) -> Complex[F64, width]:
    """2**z."""
    comptime V = SIMD[F64, width]
    comptime ln2 = constant[F64, LN2_F64, LN2_F32]()
    comptime ln2_low = constant[F64, LN2_F64, LN2_F32, 1]()
    var angle = two_product(z.im, V(ln2))
    var low = z.im.fma(V(ln2_low), angle[1])
    low = is_finite(angle[0]).select(low, V(0))
    var c = cos(angle[0])
    var s = sin(angle[0])
    var parts = exp2_reduced(clamped(z.re, Float64(-2160), Float64(2160)))
    var size = Power[width](parts[0], parts[1])
    return _with_phase(size, z.re, z.im, (-low).fma(s, c), low.fma(c, s))


@always_inline
def expm1_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """e**z - 1, accurate where that is small."""
    comptime V = SIMD[F64, width]
    var value = exp(z)
    var half = sin(0.5 * z.im)
    # (e**x - 1) cos(y) - 2 sin(y / 2)**2, its products in two parts each.
    var first = two_product(expm1(z.re), cos(z.im))
    var second = two_product(2 * half, half)
    var near = (first[0] - second[0]) + (first[1] - second[1])
    var is_near = absolute(z.re).lt(40) & is_finite(z.im)
    value.re = is_near.select(near + 0.0, value.re - 1)
    return value


@always_inline
def logistic_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """1 / (1 + e**-z)."""
    comptime V = SIMD[F64, width]
    var left = sign_bit(z.re)
    var e = exp(choose(left, z, z.negative()))
    var one = Complex[F64, width](V(1), V(0))
    var under = Complex[F64, width](1 + e.re, e.im)
    return divide(choose(left, e, one), under)


@always_inline
def _half_power[width: SIMDLength, //](x: SIMD[F64, width]) -> Power[width]:
    """e**x / 2."""
    var power = exp_power(x)
    return Power[width](power.mantissa, power.exponent - 1)


@always_inline
def sinh_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """sinh(x) cos(y) + i cosh(x) sin(y)."""
    comptime V = SIMD[F64, width]
    var c = cos(z.im)
    var s = sin(z.im)
    var size = absolute(z.re)
    var near = size.lt(_FAR)
    var bounded = near.select(z.re, V(0))
    var value = Complex[F64, width](sinh(bounded) * c, cosh(bounded) * s)
    if near.reduce_and() and is_finite(z.im).reduce_and():
        return value
    var power = _half_power(size)
    var far = Complex[F64, width](
        power.times(copy_sign(V(1), z.re) * c), power.times(s)
    )
    far.im = z.im.eq(0).select(z.im, far.im)
    value = choose(near, value, far)
    var endless = (z.re.eq(0) | is_inf(z.re)) & ~is_finite(z.im)
    value.re = endless.select(z.re, value.re)
    return value


@always_inline
def cosh_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """cosh(x) cos(y) + i sinh(x) sin(y)."""
    comptime V = SIMD[F64, width]
    var c = cos(z.im)
    var s = sin(z.im)
    var size = absolute(z.re)
    var near = size.lt(_FAR)
    var bounded = near.select(z.re, V(0))
    var value = Complex[F64, width](cosh(bounded) * c, sinh(bounded) * s)
    if near.reduce_and() and is_finite(z.im).reduce_and():
        return value
    var power = _half_power(size)
    var far = Complex[F64, width](
        power.times(c), power.times(copy_sign(V(1), z.re) * s)
    )
    # What is 0 in one part stays 0 whatever the other part is.
    var zero = (z.re.eq(0) & ~is_finite(z.im)) | (z.im.eq(0) & ~is_finite(z.re))
    var signs = sign_bit(z.re) ^ sign_bit(z.im)
    value = choose(near, value, far)
    value.im = zero.select(signs.select(V(-0.0), V(0)), value.im)
    var endless = is_inf(z.re) & ~is_finite(z.im)
    value.re = endless.select(size, value.re)
    return value


@always_inline
def tanh_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """(sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)**2 + cos(y)**2).

    For infinite x the imaginary part is a zero with the sign of y, as the Array API has it; in C it
    has that of sin(2 y).
    """
    comptime V = SIMD[F64, width]
    var c = cos(z.im)
    var s = sin(z.im)
    var size = absolute(z.re)
    var near = size.lt(_FAR)
    var bounded = near.select(z.re, V(0))
    var e = sinh(bounded)
    var under = e.fma(e, c * c)
    var value = Complex[F64, width](e * cosh(bounded) / under, s * c / under)
    if near.reduce_and() and is_finite(z.im).reduce_and():
        return value
    var fading = exp_power(-2 * size)
    var turn = is_finite(z.re - z.im).select(s * c, copy_sign(V(0), z.im))
    var far = Complex[F64, width](copy_sign(V(1), z.re), 4 * fading.times(turn))
    var invalid = ~is_inf(z.re) & ~is_finite(z.re - z.im)
    var nothing = Complex[F64, width](V(nan[F64]()), V(nan[F64]()))
    value = choose(invalid, nothing, choose(near, value, far))
    value.re = z.re.eq(0).select(z.re, value.re)
    value.im = z.im.eq(0).select(z.im, value.im)
    return value


@always_inline
def sin_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """sin(x) cosh(y) + i cos(x) sinh(y)."""
    return sinh_complex(z.swapped()).swapped()


@always_inline
def cos_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """cos(x) cosh(y) - i sin(x) sinh(y)."""
    return cosh_complex(Complex[F64, width](-z.im, z.re))


@always_inline
def tan_complex[
    width: SIMDLength, //
](z: Complex[F64, width]) -> Complex[F64, width]:
    """tan(x + i y), from tanh(y + i x)."""
    return tanh_complex(z.swapped()).swapped()
