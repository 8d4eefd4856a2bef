"""Square roots and powers of complex numbers."""

from std.math import floor
from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute
from elementwise.numbers.coefficients import (
    LN2_F32,
    LN2_F64,
    LOG2E_F32,
    LOG2E_F64,
)
from elementwise.compare import is_inf
from elementwise.complex.arithmetic import (
    refined_product,
    multiply,
    reciprocal,
    scaled,
    times_power,
)
from elementwise.complex.exponential import F64, Power, exp
from elementwise.complex.logarithm import log_complex, size_of_number
from elementwise.complex.number import Complex, choose
from elementwise.exponential import clamped, exp2_reduced
from elementwise.numbers.floats import (
    copy_sign,
    is_nan,
    sign_bit,
    square_root,
    two_product,
    two_sum,
)
from elementwise.inverse_trigonometric import atan2
from elementwise.numbers.polynomial import constant
from elementwise.power import hypot, log2_sum
from elementwise.trigonometric import cos, sin


@always_inline
def sqrt[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """The square root whose real part is not negative."""
    comptime V = SIMD[dtype, width]
    var parts = scaled(z)
    var odd = (parts.exponent & 1).eq(1)
    var factor = odd.select(V(2), V(1))
    var x = absolute(parts.value.re) * factor
    var y = parts.value.im * factor
    var root = square_root(0.5 * (x + hypot(x, y)))
    var whole = times_power(
        Complex[dtype, width](root, root), parts.exponent >> 1
    ).re
    var other = z.im / (whole + whole)
    var value = choose(
        sign_bit(z.re),
        Complex[dtype, width](absolute(other), copy_sign(whole, z.im)),
        Complex[dtype, width](whole, other),
    )
    if (z.finite() & ~z.is_zero()).reduce_and():
        return value
    return _special_root(z, value)


@no_inline
def _special_root[
    dtype: DType, width: SIMDLength, //
](z: Complex[dtype, width], finite: Complex[dtype, width]) -> Complex[
    dtype, width
]:
    """The square root, given that of finite numbers but 0."""
    comptime V = SIMD[dtype, width]
    var infinity = V(inf[dtype]())
    var invalid = V(nan[dtype]())
    var zero = V(0)
    var right = Complex[dtype, width](
        z.re, is_nan(z.im).select(z.im, copy_sign(zero, z.im))
    )
    var left = Complex[dtype, width](
        is_nan(z.im).select(z.im, zero), copy_sign(infinity, z.im)
    )
    var result = choose(z.is_zero(), Complex[dtype, width](zero, z.im), finite)
    result = choose(z.has_nan(), Complex(invalid, invalid), result)
    var ends = choose(sign_bit(z.re), left, right)
    result = choose(is_inf(z.re), ends, result)
    return choose(is_inf(z.im), Complex(infinity, z.im), result)


@always_inline
def power_complex[
    width: SIMDLength, //
](z: Complex[F64, width], w: Complex[F64, width]) -> Complex[F64, width]:
    """`z ** w`; whole exponents up to 100 by multiplication, others by
    logarithms.

    1 for an exponent 0; other powers of 0 are 0 for exponents whose real part
    is above 0, and NaN for all others.
    """
    comptime V = SIMD[F64, width]
    var whole = w.im.eq(0) & absolute(w.re).le(100) & floor(w.re).eq(w.re)
    whole = whole & ~(z.is_zero() & w.re.lt(0))
    var value = Complex[F64, width](V(1), V(0))
    if whole.reduce_or():
        var n = whole.select(w.re, V(0))
        value = _whole_power[plain=False](z, n)
        if not z.finite().reduce_and():
            var other = _whole_power[plain=True](z, n)
            value = choose(z.finite(), value, other)
    if whole.reduce_and():
        return value
    value = choose(whole, value, _power_by_logarithm(z, w))
    var invalid = V(nan[F64]())
    var of_zero = choose(
        w.re.gt(0),
        Complex[F64, width](V(0), V(0)),
        Complex[F64, width](invalid, invalid),
    )
    return choose(~whole & z.is_zero(), of_zero, value)


@always_inline
def _product[
    width: SIMDLength, //, plain: Bool
](z: Complex[F64, width], w: Complex[F64, width]) -> Complex[F64, width]:
    comptime if plain:
        return multiply(z, w)
    else:
        return refined_product(z, w)


@no_inline
def _whole_power[
    width: SIMDLength, //, plain: Bool
](z: Complex[F64, width], n: SIMD[F64, width]) -> Complex[F64, width]:
    """`z ** n` for whole n from -100 to 100, by squaring.

    By plain products, infinities become NaN where NumPy's do: it begins with
    a 1, but for the first three powers.
    """
    comptime V = SIMD[F64, width]
    comptime steps = 7
    var left = absolute(n).cast[DType.int64]()
    var square = z
    var value = Complex[F64, width](V(1), V(0))
    var started = SIMD[DType.bool, width](fill=False)
    comptime if plain:
        started = n.lt(0) | n.gt(3)
    for _ in range(steps):
        var odd = (left & 1).eq(1)
        var more = choose(started, _product[plain](value, square), square)
        value = choose(odd, more, value)
        started = started | odd
        left = left >> 1
        if left.eq(0).reduce_and():
            break
        square = _product[plain](square, square)
    return choose(n.lt(0), reciprocal(value), value)


@no_inline
def _power_by_logarithm[
    width: SIMDLength, //
](z: Complex[F64, width], w: Complex[F64, width]) -> Complex[F64, width]:
    """e**(w log(z)), the products with the logarithm in two parts."""
    comptime V = SIMD[F64, width]
    comptime ln2 = constant[F64, LN2_F64, LN2_F32]()
    comptime ln2_low = constant[F64, LN2_F64, LN2_F32, 1]()
    comptime log2e = constant[F64, LOG2E_F64, LOG2E_F32]()
    comptime log2e_low = constant[F64, LOG2E_F64, LOG2E_F32, 1]()
    var size = size_of_number(z.re, V(0), z.im)
    var half = log2_sum(size.square)
    var log_high = two_sum(size.exponent, 0.5 * half[0])
    var low = log_high[1] + 0.5 * size.relative.fma(V(log2e), half[1])
    var angle = atan2(z.im, z.re)
    # The exponent of 2: w.re * log - w.im * angle * log2(e).
    var first = two_product(w.re, log_high[0])
    var turn = two_product(angle, V(log2e))
    var turn_low = angle.fma(V(log2e_low), turn[1])
    var second = two_product(w.im, turn[0])
    var exponent = two_sum(first[0], -second[0])
    var exponent_low = exponent[1] + (
        w.re.fma(low, first[1]) - w.im.fma(turn_low, second[1])
    )
    # The angle: w.re * angle + w.im * log * ln(2).
    var natural = two_product(log_high[0], V(ln2))
    var natural_low = log_high[0].fma(V(ln2_low), low.fma(V(ln2), natural[1]))
    var third = two_product(w.im, natural[0])
    var fourth = two_product(w.re, angle)
    var phase = two_sum(third[0], fourth[0])
    var phase_low = phase[1] + (w.im.fma(natural_low, third[1]) + fourth[1])
    var c = cos(phase[0])
    var s = sin(phase[0])
    var parts = exp2_reduced(
        clamped(exponent[0], Float64(-2160), Float64(2160))
    )
    var bounded = absolute(exponent[0]).lt(2160)
    var more = bounded.select(exponent_low * ln2, V(0))
    var power = Power[width](parts[0].fma(more, parts[0]), parts[1])
    var value = Complex[F64, width](
        power.times((-phase_low).fma(s, c)), power.times(phase_low.fma(c, s))
    )
    if (z.finite() & w.finite()).reduce_and():
        return value
    var plain = exp(refined_product(w, log_complex(z)))
    return choose(z.finite() & w.finite(), value, plain)
