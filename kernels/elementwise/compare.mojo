"""Comparisons, float predicates and choices between values."""

from elementwise.numbers.dtypes import signed_of
from elementwise.numbers.floats import infinity_bits, is_nan, magnitude_bits


@always_inline
def equal[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """`a == b`; false for NaN, and 0.0 equals -0.0."""
    return a.eq(b)


@always_inline
def not_equal[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """`a != b`; true for NaN (SIMD `ne` is ordered and would say false)."""
    return ~a.eq(b)


@always_inline
def is_finite[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True where `x` is neither infinite nor NaN."""
    return magnitude_bits(x).lt(
        Scalar[signed_of[dtype]()](infinity_bits[dtype]())
    )


@always_inline
def is_inf[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True where `x` is +inf or -inf."""
    return magnitude_bits(x).eq(
        Scalar[signed_of[dtype]()](infinity_bits[dtype]())
    )


@always_inline
def maximum[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The larger operand; NaN if one is NaN; of equal ones the second."""
    return (a.gt(b) | is_nan(a)).select(a, b)


@always_inline
def minimum[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The smaller operand; NaN if one is NaN; of equal ones the second."""
    return (a.lt(b) | is_nan(a)).select(a, b)


@always_inline
def fmax[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The larger operand; a NaN loses against a number."""
    return (a.gt(b) | is_nan(b)).select(a, b)


@always_inline
def fmin[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The smaller operand; a NaN loses against a number."""
    return (a.lt(b) | is_nan(b)).select(a, b)


@always_inline
def clamp[
    dtype: DType, width: SIMDLength, //
](
    low: SIMD[dtype, width], x: SIMD[dtype, width], high: SIMD[dtype, width]
) -> SIMD[dtype, width]:
    """`minimum(maximum(x, low), high)`: NaN in any operand gives NaN."""
    return minimum(maximum(x, low), high)


@always_inline
def select[
    dtype: DType, width: SIMDLength, //
](
    predicate: SIMD[DType.bool, width],
    on_false: SIMD[dtype, width],
    on_true: SIMD[dtype, width],
) -> SIMD[dtype, width]:
    """`on_true` where the predicate holds, else `on_false`."""
    return predicate.select(on_true, on_false)
