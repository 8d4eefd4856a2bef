"""Building blocks of floating point code: formats, exact sums and products.

"Exact" results are unevaluated sums high + low of two floats, where `high` is
the rounded result. The compiler may contract `a * b + c` to one rounding;
where a rounded product is needed, `product` gives one it cannot contract.
"""

from std.math import sqrt
from std.memory import bitcast
from std.sys import is_gpu, size_of

from elementwise.numbers.dtypes import signed_of


def mantissa_bits[dtype: DType]() -> Int:
    """Stored significand bits of a float dtype."""
    comptime if dtype == DType.float64:
        return 52
    elif dtype == DType.float32:
        return 23
    elif dtype == DType.bfloat16:
        return 7
    else:
        return 10


def exponent_bias[dtype: DType]() -> Int:
    """The exponent field of 1.0."""
    comptime if dtype == DType.float64:
        return 1023
    elif dtype == DType.float16:
        return 15
    else:
        return 127


def infinity_bits[dtype: DType]() -> Int:
    """The bit pattern of +inf; larger magnitudes are NaN."""
    return (2 * exponent_bias[dtype]() + 1) << mantissa_bits[dtype]()


@always_inline
def to_bits[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[signed_of[dtype](), width]:
    """The bit patterns of `x` as signed integers."""
    return bitcast[signed_of[dtype](), width](x)


@always_inline
def from_bits[
    dtype: DType, width: SIMDLength
](bits: SIMD[signed_of[dtype](), width]) -> SIMD[dtype, width]:
    """The floats that have these bit patterns."""
    return bitcast[dtype, width](bits)


@always_inline
def magnitude_bits[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[signed_of[dtype](), width]:
    """The bit patterns without the sign: they order as the magnitudes do."""
    comptime sign_shift = size_of[dtype]() * 8 - 1
    comptime mask = Scalar[signed_of[dtype]()]((1 << sign_shift) - 1)
    return to_bits(x) & mask


@always_inline
def is_nan[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True where `x` is NaN; false everywhere for dtypes without NaN."""
    comptime if dtype.is_floating_point():
        return magnitude_bits(x).gt(
            Scalar[signed_of[dtype]()](infinity_bits[dtype]())
        )
    else:
        return SIMD[DType.bool, width](fill=False)


@always_inline
def sign_bit[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True where the sign bit of `x` is set (-0.0 and negative NaN too)."""
    return to_bits(x).lt(0)


@always_inline
def copy_sign[
    dtype: DType, width: SIMDLength, //
](magnitude: SIMD[dtype, width], sign: SIMD[dtype, width]) -> SIMD[
    dtype, width
]:
    """The magnitude of one operand with the sign bit of the other."""
    var kept = to_bits(sign) ^ magnitude_bits(sign)
    return from_bits[dtype, width](magnitude_bits(magnitude) | kept)


@always_inline
def product[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a * b`, rounded once and never contracted with what follows."""
    return a.fma(b, SIMD[dtype, width](-0.0))


@always_inline
def two_sum[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[dtype, width]
]:
    """`a + b` exactly."""
    var high = a + b
    var part = high - a
    return (high, (a - (high - part)) + (b - part))


@always_inline
def fast_two_sum[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[dtype, width]
]:
    """`a + b` exactly, where |a| >= |b| or a is 0."""
    var high = a + b
    return (high, b - (high - a))


@always_inline
def two_product[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[dtype, width]
]:
    """`a * b` exactly, where nothing under- or overflows."""
    var high = product(a, b)
    return (high, a.fma(b, -high))


@always_inline
def square_root[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The square root, correctly rounded.

    `sqrt` of float32 is approximate on GPUs, and loses subnormals there; that
    of float64 is not, and rounding it again changes no float32 result.
    """
    comptime if is_gpu() and dtype == DType.float32:
        return sqrt(x.cast[DType.float64]()).cast[dtype]()
    else:
        return sqrt(x)
