"""Powers, cube roots, and sums of squares and of exponentials."""

from std.math import floor
from std.utils.numerics import inf

from elementwise.arithmetic import (
    absolute,
    exp2_integer,
    power_of_two,
)
from elementwise.numbers.coefficients import (
    INVERSE_CBRT2_F32,
    INVERSE_CBRT2_F64,
    INVERSE_CBRT4_F32,
    INVERSE_CBRT4_F64,
    INVERSE_CBRT_F32,
    INVERSE_CBRT_F64,
    LN2_F32,
    LN2_F64,
    LOG2E_F32,
    LOG2E_F64,
    LOG_TAIL_F32,
    LOG_TAIL_F64,
    SHORT_EXP2_F64,
    SHORT_LOG2_F64,
    THIRD_F32,
    THIRD_F64,
)
from elementwise.compare import is_finite, is_inf, maximum
from elementwise.numbers.dtypes import signed_of
from elementwise.exponential import (
    clamped,
    exp,
    exp2,
    exp2_reduced,
    exp2_sum,
    nearest_integer,
)
from elementwise.numbers.floats import (
    copy_sign,
    exponent_bias,
    fast_two_sum,
    from_bits,
    is_nan,
    mantissa_bits,
    product,
    sign_bit,
    square_root,
    to_bits,
    two_product,
    two_sum,
)
from elementwise.logarithm import (
    is_regular,
    log1p,
    split_at_sqrt2,
    split_regular,
)
from elementwise.numbers.polynomial import constant, horner


@always_inline
def log2_sum[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """log2(x) as a sum of two floats, for finite x > 0."""
    var split = split_at_sqrt2(x)
    var log = _log2_of_split(split[0], split[1])
    return fast_two_sum(log[0], log[1])


@always_inline
def _log2_of_split[
    dtype: DType, width: SIMDLength, //
](k: SIMD[dtype, width], m: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[dtype, width]
]:
    """k + log2(m) for sqrt(1/2) <= m < sqrt(2): a sum, and a few of its last units.

    With s = (m - 1) / (m + 1), log(m) = 2 atanh(s), of whose series the first
    two terms and their factors are sums of two floats.
    """
    comptime V = SIMD[dtype, width]
    comptime third = constant[dtype, THIRD_F64, THIRD_F32, 0]()
    comptime third_low = constant[dtype, THIRD_F64, THIRD_F32, 1]()
    comptime scale = 2 * constant[dtype, LOG2E_F64, LOG2E_F32, 0]()
    comptime scale_low = 2 * constant[dtype, LOG2E_F64, LOG2E_F32, 1]()
    var f = m - 1
    var under = two_sum(m, V(1))
    var inverse = 1 / under[0]
    var s = product(f, inverse)
    var s_low = ((-s).fma(under[0], f) - s * under[1]) * inverse
    var z = two_product(s, s)
    var z_low = (s + s).fma(s_low, z[1])
    var tail = z[0] * horner[LOG_TAIL_F64, LOG_TAIL_F32](z[0])
    var v = fast_two_sum(V(third), tail)
    var u = two_product(z[0], v[0])
    var u_low = z[0].fma(v[1] + third_low, z_low.fma(v[0], u[1]))
    var w = two_product(s, u[0])
    var w_low = s.fma(u_low, s_low.fma(u[0], w[1]))
    var arc = fast_two_sum(s, w[0])
    var arc_low = arc[1] + (s_low + w_low)
    var p = two_product(arc[0], V(scale))
    var p_low = arc[0].fma(V(scale_low), arc_low.fma(V(scale), p[1]))
    var sum = fast_two_sum(k, p[0])
    return (sum[0], sum[1] + p_low)


@always_inline
def _short_log2[
    width: SIMDLength, //
](x: SIMD[DType.float64, width]) -> SIMD[DType.float64, width]:
    """log2(x) to 44 bits, for finite normal x > 0."""
    var split = split_regular(x)
    var s = (split[1] - 1) / (split[1] + 1)
    return s.fma(horner[SHORT_LOG2_F64, SHORT_LOG2_F64](s * s), split[0])


@always_inline
def _short_exp2[
    width: SIMDLength, //
](x: SIMD[DType.float64, width]) -> SIMD[DType.float64, width]:
    """2**x to 34 bits; it may end at 2**-1000 and 2**1000."""
    var bounded = clamped(x, Float64(-1000), Float64(1000))
    var k = nearest_integer(bounded, Float64(1))
    var y = horner[SHORT_EXP2_F64, SHORT_EXP2_F64](bounded - k[0])
    return y * exp2_integer[DType.float64, width](k[1])


@always_inline
def _power_of_magnitude[
    dtype: DType, width: SIMDLength, //
](size: SIMD[dtype, width], y: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`size ** y` for a finite size > 0 and finite y."""
    comptime if dtype == DType.float32:
        comptime wide = DType.float64
        var log = _short_log2(size.cast[wide]())
        return _short_exp2(y.cast[wide]() * log).cast[dtype]()
    else:
        var log = log2_sum(size)
        var p = two_product(y, log[0])
        var low = y.fma(log[1], p[1])
        # What is beyond becomes 0 or inf; its second part may be NaN.
        var fits = absolute(p[0]).lt(2000)
        return exp2_sum(p[0], fits.select(low, SIMD[dtype, width](0)))


@always_inline
def power[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], y: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`x ** y` with the special cases of C99."""
    comptime V = SIMD[dtype, width]
    comptime infinity = V(inf[dtype]())
    comptime if dtype == DType.float64:
        if is_regular(x).reduce_and():
            var split = split_regular(x)
            var log = _log2_of_split(split[0], split[1])
            var p = two_product(y, log[0])
            if absolute(p[0]).lt(1020).reduce_and():
                var parts = exp2_reduced(p[0], y.fma(log[1], p[1]))
                return parts[0] * exp2_integer[dtype, width](parts[1])
    var size = absolute(x)
    var result = _power_of_magnitude(size, y)
    if (is_regular(x) & is_finite(y)).reduce_and():
        return result
    var ends = size.eq(0) | size.eq(infinity) | is_inf(y)
    var grows = size.gt(1) ^ y.lt(0)
    result = ends.select(grows.select(infinity, V(0)), result)
    var whole = floor(y).eq(y)
    var odd = whole & ~floor(y * 0.5).eq(y * 0.5)
    result = (odd & sign_bit(x)).select(-result, result)
    var undefined = x.lt(0) & ~whole & is_finite(x)
    undefined = (undefined & is_finite(y)) | is_nan(x) | is_nan(y)
    # Both raise the processor's flags: 0 / 0 where nothing is defined, 1 / 0 at the pole.
    var nothing = x - x
    result = undefined.select(nothing / undefined.select(nothing, V(1)), result)
    var pole = size.eq(0) & y.lt(0) & ~odd
    result = pole.select(1 / pole.select(size, V(1)), result)
    var one = x.eq(1) | y.eq(0) | (size.eq(1) & is_inf(y))
    return one.select(V(1), result)


@always_inline
def cbrt[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The cube root; subnormal numbers are scaled by a cube."""
    comptime V = SIMD[dtype, width]
    comptime reach = mantissa_bits[dtype]() // 3 + 1
    comptime up = V(power_of_two[dtype, 3 * reach]())
    comptime down = V(power_of_two[dtype, -reach]())
    comptime least = power_of_two[dtype, 1 - exponent_bias[dtype]()]()
    var size = absolute(x)
    var tiny = size.lt(least)
    var root = _cbrt_of_regular(tiny.select(size * up, size))
    root = tiny.select(root * down, root)
    var unchanged = x.eq(0) | ~is_finite(x)
    return unchanged.select(x, copy_sign(root, x))


@always_inline
def _cbrt_of_regular[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The cube root of finite normal x > 0, from x**(-1/3) by a Newton step
    with an exact residual."""
    comptime V = SIMD[dtype, width]
    comptime bits = signed_of[dtype]()
    comptime fraction = Scalar[bits](mantissa_bits[dtype]())
    comptime bias = Scalar[bits](exponent_bias[dtype]())
    comptime by2 = V(constant[dtype, INVERSE_CBRT2_F64, INVERSE_CBRT2_F32]())
    comptime by4 = V(constant[dtype, INVERSE_CBRT4_F64, INVERSE_CBRT4_F32]())
    comptime third = V(constant[dtype, THIRD_F64, THIRD_F32]())
    # The exponent is 3 (q - offset) + j; the multiplication divides exactly.
    comptime offset = Scalar[bits](1536)
    var e = (to_bits(x) >> fraction) + (3 * offset - bias)
    var q = (e * 21846) >> 16
    var j = e - 3 * q
    var mantissa = to_bits(x) & ((Scalar[bits](1) << fraction) - 1)
    var m = from_bits[dtype, width](mantissa | (bias << fraction))
    var a = from_bits[dtype, width](mantissa | ((j + bias) << fraction))
    var y = horner[INVERSE_CBRT_F64, INVERSE_CBRT_F32](m)
    comptime if dtype == DType.float64:  # a step of third order
        var h = (-m * y * y).fma(y, V(1))
        y = (y * h).fma(h * Scalar[dtype](2.0 / 9.0) + third, y)
    y *= j.eq(1).select(by2, j.eq(2).select(by4, V(1)))
    var t = a * y * y
    var square = two_product(t, t)
    var residual = (-square[0]).fma(t, a) - square[1] * t
    t = residual.fma(y * y * third, t)
    return from_bits[dtype, width](to_bits(t) + ((q - offset) << fraction))


@always_inline
def hypot[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], y: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """sqrt(x**2 + y**2) without overflow; inf if one operand is infinite."""
    comptime V = SIMD[dtype, width]
    comptime reach = 600 if dtype == DType.float64 else 90
    comptime up = V(power_of_two[dtype, reach]())
    comptime down = V(power_of_two[dtype, -reach]())
    comptime large = power_of_two[dtype, exponent_bias[dtype]() // 2 - 4]()
    comptime small = power_of_two[dtype, 4 - exponent_bias[dtype]() // 2]()
    var a = absolute(x)
    var b = absolute(y)
    var top = maximum(a, b)
    var is_large = top.gt(large)
    var is_small = top.lt(small)
    var scale = is_large.select(down, is_small.select(up, V(1)))
    var back = is_large.select(up, is_small.select(down, V(1)))
    a *= scale
    b *= scale
    var sum = two_product(a, a)
    var other = two_product(b, b)
    var total = two_sum(sum[0], other[0])
    var root = square_root(total[0])
    # What rounding lost before and in the root, to first order.
    var lost = (-root).fma(root, total[0]) + (total[1] + (sum[1] + other[1]))
    var refined = root + lost / (root + root)
    var value = root.eq(0).select(root, refined) * back
    var infinite = is_inf(x) | is_inf(y)
    return infinite.select(V(inf[dtype]()), value)


@always_inline
def logaddexp[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log(e**a + e**b)."""
    comptime ln2 = constant[dtype, LN2_F64, LN2_F32]()
    var more = log1p(exp(-absolute(a - b)))
    return a.eq(b).select(a + ln2, maximum(a, b) + more)


@always_inline
def logaddexp2[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log2(2**a + 2**b)."""
    comptime log2e = constant[dtype, LOG2E_F64, LOG2E_F32]()
    var more = log1p(exp2(-absolute(a - b))) * log2e
    return a.eq(b).select(a + 1, maximum(a, b) + more)
