"""Arithmetic of one rounding, signs, rounding to integers, float structure."""

from std.sys import size_of
from std.utils.numerics import inf

from elementwise.compare import is_finite, is_inf
from elementwise.numbers.convert import converted
from elementwise.numbers.dtypes import signed_of
from elementwise.numbers.floats import (
    copy_sign,
    exponent_bias,
    from_bits,
    infinity_bits,
    is_nan,
    magnitude_bits,
    mantissa_bits,
    sign_bit,
    square_root,
    to_bits,
)
from elementwise.integer import truncated_quotient


@always_inline
def absolute[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """|x|; the sign bit is cleared, and |MIN| of an integer is MIN."""
    comptime if dtype.is_floating_point():
        return from_bits[dtype, width](magnitude_bits(x))
    elif dtype.is_signed():
        return x.lt(0).select(-x, x)
    else:
        return x


@always_inline
def sign[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """-1, 0 or 1; NaN for NaN, and +0.0 for -0.0."""
    var result = x.gt(0).cast[dtype]()
    comptime if dtype.is_signed():
        result -= x.lt(0).cast[dtype]()
    return is_nan(x).select(x, result)


@always_inline
def reciprocal[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`1 / x`; the truncated quotient for integers.

    1 / 0 is then an infinity converted to the dtype, as in NumPy: MIN for
    signed integers from 32 bits on and 0 for all others.
    """
    comptime if dtype.is_floating_point():
        return 1 / x
    else:
        comptime to_min = dtype.is_signed() and size_of[dtype]() >= 4
        comptime at_zero = Scalar[dtype].MIN if to_min else Scalar[dtype](0)
        var quotient = truncated_quotient(SIMD[dtype, width](1), x)
        return x.eq(0).select(SIMD[dtype, width](at_zero), quotient)


@always_inline
def reciprocal_sqrt[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`1 / sqrt(x)`."""
    return 1 / square_root(x)


@always_inline
def scaled[
    dtype: DType, width: SIMDLength, //, factor: Float64
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`x * factor`, the factor rounded to the dtype of `x`."""
    return x * Scalar[dtype](factor)


@always_inline
def heaviside[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], at_zero: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """0 below zero, 1 above, `at_zero` at zero, NaN for NaN."""
    var step = x.gt(0).select(SIMD[dtype, width](1), SIMD[dtype, width](0))
    return is_nan(x).select(x, x.eq(0).select(at_zero, step))


@always_inline
def nextafter[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], to: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The float next to `x` on the way to `to`.

    It is `to` where they are equal, of half precision `x`. What overflows raises the flag.
    """
    comptime bits = signed_of[dtype]()
    comptime is_half = dtype == DType.float16
    var away = x.lt(to) ^ sign_bit(x)
    var one = SIMD[bits, width](1)
    var moved = from_bits[dtype, width](to_bits(x) + away.select(one, -one))
    var least = copy_sign(from_bits[dtype, width](one), to)
    comptime wide = DType.float32 if size_of[dtype]() == 2 else dtype
    var overflows = is_inf(moved) & is_finite(x)
    var factor = overflows.select(SIMD[wide, width](1e36), SIMD[wide, width](1))
    moved = overflows.select(converted[dtype](x.cast[wide]() * factor), moved)
    var result = x.eq(0).select(least, moved)
    result = x.eq(to).select(x if is_half else to, result)
    return is_nan(x).select(x, is_nan(to).select(to, result))


@always_inline
def spacing[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The distance to the float next in magnitude, with the sign of `x`; of half precision to the next above.

    It is positive for both zeros, and NaN for infinities.
    """
    comptime bits = signed_of[dtype]()
    # Half precision subtracts in float32, where no hardware flushes subnormals.
    comptime wide = DType.float32 if size_of[dtype]() == 2 else dtype
    var here = x.cast[wide]()
    comptime if dtype == DType.float16:
        var infinity = SIMD[dtype, width](inf[dtype]())
        var above = nextafter(x, infinity).cast[wide]()
        # NaN becomes infinite, too: less itself, that raises the flag
        var far = from_bits[dtype, width](to_bits(x) & to_bits(infinity))
        var lost = far.cast[wide]() - far.cast[wide]()
        return converted[dtype](is_finite(x).select(above - here, lost))
    var one = SIMD[bits, width](1)
    var next = from_bits[dtype, width](to_bits(x) + one)
    var gap = converted[dtype](next.cast[wide]() - here)
    return x.eq(0).select(from_bits[dtype, width](one), gap)


@always_inline
def split_exponent[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[signed_of[dtype](), width]
]:
    """`(m, e)` with |x| = m * 2**e and 1 <= m < 2, for finite x but 0."""
    comptime bits = signed_of[dtype]()
    comptime fraction = mantissa_bits[dtype]()
    comptime bias = exponent_bias[dtype]()
    comptime lift = fraction + 2
    comptime least = Scalar[bits](1 << fraction)
    comptime one = Scalar[bits](bias << fraction)
    var tiny = magnitude_bits(x).lt(least)
    var normal = tiny.select(x * power_of_two[dtype, lift](), x)
    var pattern = magnitude_bits(normal)
    var m = from_bits[dtype, width]((pattern & (least - 1)) | one)
    var lifted = tiny.select(
        SIMD[bits, width](bias + lift), SIMD[bits, width](bias)
    )
    return (m, (pattern >> Scalar[bits](fraction)) - lifted)


@always_inline
def power_of_two[dtype: DType, exponent: Int]() -> Scalar[dtype]:
    """2**exponent, for exponents of normal floats."""
    comptime bits = (exponent + exponent_bias[dtype]()) << mantissa_bits[
        dtype
    ]()
    return from_bits[dtype, 1](Scalar[signed_of[dtype]()](bits))


@always_inline
def exp2_integer[
    dtype: DType, width: SIMDLength
](exponent: SIMD[signed_of[dtype](), width]) -> SIMD[dtype, width]:
    """2**exponent, for exponents of normal floats."""
    comptime bits = signed_of[dtype]()
    comptime bias = Scalar[bits](exponent_bias[dtype]())
    comptime shift = Scalar[bits](mantissa_bits[dtype]())
    return from_bits[dtype, width]((exponent + bias) << shift)


@always_inline
def scale_by_power[
    dtype: DType, width: SIMDLength, //
](m: SIMD[dtype, width], exponent: SIMD[signed_of[dtype](), width]) -> SIMD[
    dtype, width
]:
    """`m * 2**exponent`, rounded once, for 1/2 <= |m| < 2 and exponents within
    twice the range of normal floats."""
    var half = exponent >> 1
    return (
        m
        * exp2_integer[dtype, width](half)
        * exp2_integer[dtype, width](exponent - half)
    )


@always_inline
def ldexp[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], exponent: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`x * 2**exponent`, rounded once; `exponent` holds integers."""
    comptime bits = signed_of[dtype]()
    # Past these bounds every result is 0 or inf.
    comptime bound = 2 * exponent_bias[dtype]() + 2 * mantissa_bits[dtype]()
    var clamped = max(
        min(exponent, Scalar[dtype](bound)), Scalar[dtype](-bound)
    )
    var parts = split_exponent(x)
    var total = parts[1] + clamped.cast[bits]()
    comptime reach = Scalar[bits](
        exponent_bias[dtype]() + mantissa_bits[dtype]() + 3
    )
    total = max(min(total, reach), -reach)
    var result = copy_sign(scale_by_power(parts[0], total), x)
    return _has_no_exponent(x).select(x, result)


@always_inline
def _has_no_exponent[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """Whether elements are 0, infinite or NaN."""
    comptime top = Scalar[signed_of[dtype]()](infinity_bits[dtype]())
    return x.eq(0) | magnitude_bits(x).ge(top)


@always_inline
def frexp_mantissa[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The `m` of x = m * 2**e, 1/2 <= |m| < 1; 0, infinity and NaN are their own."""
    var half = copy_sign(split_exponent(x)[0] * 0.5, x)
    return _has_no_exponent(x).select(x, half)


@always_inline
def frexp_exponent[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The `e` of `frexp_mantissa`; 0 for 0, infinity and NaN."""
    var exponent = (split_exponent(x)[1] + 1).cast[dtype]()
    return _has_no_exponent(x).select(SIMD[dtype, width](0), exponent)
