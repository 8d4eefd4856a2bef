"""Arc functions."""

from elementwise.arithmetic import (
    absolute,
    exp2_integer,
    power_of_two,
    split_exponent,
)
from elementwise.numbers.coefficients import (
    ASIN_F32,
    ASIN_F64,
    ATAN_F32,
    ATAN_F64,
    HALF_PI_F32,
    HALF_PI_F64,
)
from elementwise.compare import is_inf
from elementwise.numbers.floats import (
    copy_sign,
    exponent_bias,
    fast_two_sum,
    is_nan,
    product,
    sign_bit,
    square_root,
    two_product,
)
from elementwise.numbers.polynomial import constant, horner


@always_inline
def _half_pi[dtype: DType, width: SIMDLength, i: Int]() -> SIMD[dtype, width]:
    return SIMD[dtype, width](constant[dtype, HALF_PI_F64, HALF_PI_F32, i]())


@fieldwise_init
struct _Arc[dtype: DType, width: SIMDLength](ImplicitlyCopyable, Movable):
    """asin of min(|x|, sqrt((1 - |x|) / 2)), in two parts, and which it was."""

    var high: SIMD[Self.dtype, Self.width]
    var low: SIMD[Self.dtype, Self.width]
    var small: SIMD[DType.bool, Self.width]


@always_inline
def _arc[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> _Arc[dtype, width]:
    """For |x| > 1/2, asin(|x|) = pi / 2 - 2 asin(sqrt((1 - |x|) / 2))."""
    var size = absolute(x)
    var small = size.le(0.5)
    var z = small.select(product(size, size), 0.5 - 0.5 * size)
    var root = square_root(z)
    var high = small.select(size, root)
    # What the root lost, to first order; root is 0 for |x| = 1.
    var lost = (-root).fma(root, z) / (root + root)
    var exact = small | root.eq(0)
    var low = exact.select(SIMD[dtype, width](0), lost)
    var cubic = product(high, z) * horner[ASIN_F64, ASIN_F32](z)
    return _Arc[dtype, width](high, low + cubic, small)


@always_inline
def asin[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The arc sine; NaN outside [-1, 1]."""
    var arc = _arc(x)
    var sum = fast_two_sum(_half_pi[dtype, width, 0](), -2 * arc.high)
    var low = sum[1] + (_half_pi[dtype, width, 1]() - 2 * arc.low)
    var value = arc.small.select(arc.high + arc.low, sum[0] + low)
    return copy_sign(value, x)


@always_inline
def acos[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The arc cosine; NaN outside [-1, 1].

    Of a = asin: pi / 2 -+ a for small |x|, else 2 a or pi - 2 a.
    """
    comptime V = SIMD[dtype, width]
    var arc = _arc(x)
    var negative = sign_bit(x)
    var turns = arc.small.select(V(1), negative.select(V(2), V(0)))
    var sign = (negative ^ arc.small).select(V(-1), V(1))
    var factor = arc.small.select(sign, 2 * sign)
    var sum = fast_two_sum(
        turns * _half_pi[dtype, width, 0](), factor * arc.high
    )
    var low = sum[1] + turns * _half_pi[dtype, width, 1]()
    return sum[0] + factor.fma(arc.low, low)


@fieldwise_init
struct _Ratio[dtype: DType, width: SIMDLength](ImplicitlyCopyable, Movable):
    """atan(a / b) = eighths * pi / 4 + high + low."""

    var eighths: SIMD[Self.dtype, Self.width]
    var high: SIMD[Self.dtype, Self.width]
    var low: SIMD[Self.dtype, Self.width]


@always_inline
def _arc_of_ratio[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> _Ratio[dtype, width]:
    """For 0 <= a <= b, where 1 / b is a normal number.

    Past tan(pi / 8), atan(a / b) = pi / 4 + atan((a - b) / (a + b)).
    """
    comptime V = SIMD[dtype, width]
    var zero = V(0)
    var upper = a.gt(b * 0.41421356)
    var less = fast_two_sum(-b, a)
    var more = fast_two_sum(b, a)
    var over = upper.select(less[0], a)
    var over_low = upper.select(less[1], zero)
    var under = upper.select(more[0], b)
    var under_low = upper.select(more[1], zero)
    var inverse = 1 / under
    var q = product(over, inverse)
    var rest = (-q).fma(under, over) + (over_low - q * under_low)
    var z = q * q
    var cubic = product(q, z) * horner[ATAN_F64, ATAN_F32](z)
    return _Ratio[dtype, width](
        upper.select(V(1), zero), q, rest.fma(inverse, cubic)
    )


@always_inline
def _turned[
    dtype: DType, width: SIMDLength, //
](
    ratio: _Ratio[dtype, width],
    swapped: SIMD[DType.bool, width],
    negative: SIMD[DType.bool, width],
) -> SIMD[dtype, width]:
    """The angle, from pi / 2 if swapped, and then from pi if negative."""
    comptime V = SIMD[dtype, width]
    var eighths = swapped.select(2 - ratio.eighths, ratio.eighths)
    eighths = negative.select(4 - eighths, eighths)
    var sign = (swapped ^ negative).select(V(-1), V(1))
    var base = two_product(eighths, 0.5 * _half_pi[dtype, width, 0]())
    var low = eighths.fma(0.5 * _half_pi[dtype, width, 1](), base[1])
    var sum = fast_two_sum(base[0], sign * ratio.high)
    return sum[0] + (sum[1] + sign.fma(ratio.low, low))


@always_inline
def atan[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The arc tangent."""
    comptime V = SIMD[dtype, width]
    comptime far = power_of_two[dtype, exponent_bias[dtype]() - 2]()
    var size = absolute(x)
    var swapped = size.gt(1)
    var a = swapped.select(V(1), size)
    var b = swapped.select(size.gt(far).select(V(far), size), V(1))
    var ratio = _arc_of_ratio(a, b)
    var none = SIMD[DType.bool, width](fill=False)
    return copy_sign(_turned(ratio, swapped, none), x)


@always_inline
def atan2[
    dtype: DType, width: SIMDLength, //
](y: SIMD[dtype, width], x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The angle of the point (x, y), from -pi to pi, as in C99."""
    comptime V = SIMD[dtype, width]
    var swapped = absolute(y).gt(absolute(x))
    var a = swapped.select(absolute(x), absolute(y))
    var b = swapped.select(absolute(y), absolute(x))
    var parts = split_exponent(b)
    var e = -parts[1]
    var half = e >> 1
    var scaled = a * exp2_integer[dtype, width](half)
    scaled *= exp2_integer[dtype, width](e - half)
    # a / b is 0 for b = inf (1 for two infinities) and for two zeros.
    var plain = ~(is_inf(b) | b.eq(0))
    var limit = is_inf(a).select(V(1), V(0))
    var ratio = _arc_of_ratio(
        plain.select(scaled, limit), plain.select(parts[0], V(1))
    )
    var angle = copy_sign(_turned(ratio, swapped, sign_bit(x)), y)
    return (is_nan(x) | is_nan(y)).select(x + y, angle)
