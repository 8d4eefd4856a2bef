"""Exponentials: exp, exp2, expm1 and the logistic function."""

from elementwise.arithmetic import (
    absolute,
    exp2_integer,
    power_of_two,
    scale_by_power,
)
from elementwise.numbers.coefficients import (
    EXP2_F32,
    EXP2_F64,
    EXP_F32,
    EXP_F64,
    LN2_F32,
    LN2_F64,
    LOG2E_F32,
    LOG2E_F64,
)
from elementwise.numbers.dtypes import signed_of
from elementwise.numbers.floats import (
    fast_two_sum,
    mantissa_bits,
    product,
    to_bits,
    two_sum,
)
from elementwise.numbers.polynomial import constant, horner


@always_inline
def clamped[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], low: Scalar[dtype], high: Scalar[dtype]) -> SIMD[
    dtype, width
]:
    """`x` moved into [low, high]; NaN stays."""
    var below = x.gt(high).select(SIMD[dtype, width](high), x)
    return below.lt(low).select(SIMD[dtype, width](low), below)


@always_inline
def nearest_integer[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], factor: Scalar[dtype]) -> Tuple[
    SIMD[dtype, width], SIMD[signed_of[dtype](), width]
]:
    """The integer nearest to `x * factor` as float and as integer.

    For results below 2**(p - 2): adding 1.5 * 2**(p - 1) puts them into the
    low bits of the sum.
    """
    comptime shift = Scalar[dtype](3 << (mantissa_bits[dtype]() - 1))
    var sum = x.fma(SIMD[dtype, width](factor), SIMD[dtype, width](shift))
    return (sum - shift, to_bits(sum) - to_bits(shift))


@always_inline
def _reduced[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[dtype, width], SIMD[signed_of[dtype](), width]
]:
    """`(r, e, k)` with x = k ln(2) + r + e, |r| <= ln(2) / 2, e far below r."""
    comptime log2e = constant[dtype, LOG2E_F64, LOG2E_F32]()
    comptime ln2 = constant[dtype, LN2_F64, LN2_F32]()
    comptime ln2_low = constant[dtype, LN2_F64, LN2_F32, 1]()
    var k = nearest_integer(x, log2e)
    var high = (-k[0]).fma(SIMD[dtype, width](ln2), x)  # exact
    var low = product(k[0], SIMD[dtype, width](-ln2_low))
    var r = fast_two_sum(high, low)
    return (r[0], r[1], k[1])


@always_inline
def expm1_reduced[
    dtype: DType, width: SIMDLength, //
](r: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """exp(r) - 1 - r for |r| <= ln(2) / 2."""
    return product(r, r) * horner[EXP_F64, EXP_F32](r)


def exp_low[dtype: DType]() -> Scalar[dtype]:
    """Below this, exp is 0."""
    return Scalar[dtype](-746.0 if dtype == DType.float64 else -104.5)


def exp_high[dtype: DType]() -> Scalar[dtype]:
    """Above this, exp is inf."""
    return Scalar[dtype](710.0 if dtype == DType.float64 else 89.0)


@always_inline
def exp_reduced[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[signed_of[dtype](), width]
]:
    """`(m, k)` with e**x = m * 2**k and m near 1, for k of less than p / 2 bits."""
    var r = _reduced(x)
    return (1 + (r[0] + (r[1] + expm1_reduced(r[0]))), r[2])


@always_inline
def scaled_exp[
    dtype: DType, width: SIMDLength, //, shift: Int
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """exp(x) * 2**shift, rounded once, for a small shift."""
    var room = Scalar[dtype](1 if shift < 0 else 0)
    var y = exp_reduced(clamped(x, exp_low[dtype](), exp_high[dtype]() + room))
    return scale_by_power(y[0], y[1] + Scalar[signed_of[dtype]()](shift))


@always_inline
def exp[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """e**x."""
    return scaled_exp[0](x)


@always_inline
def exp_sum[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], low: SIMD[dtype, width]) -> Tuple[
    SIMD[dtype, width], SIMD[dtype, width]
]:
    """e**(x + low) as a sum of two floats, for a `low` far below 1.

    Where `x` is beyond the bounds of exp, `low` may be anything.
    """
    comptime V = SIMD[dtype, width]
    var bounded = clamped(x, exp_low[dtype](), exp_high[dtype]())
    var r = _reduced(bounded)
    var rest = expm1_reduced(r[0])
    var whole = fast_two_sum(V(1), r[0])
    var change = x.eq(bounded).select(r[1] + low, V(0))
    var parts = fast_two_sum(
        whole[0], whole[1] + change.fma(whole[0] + rest, rest)
    )
    return (scale_by_power(parts[0], r[2]), scale_by_power(parts[1], r[2]))


@always_inline
def exp2_sum[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], low: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """2**(x + low), for a `low` far below 1."""
    comptime wide = dtype == DType.float64
    comptime least = Scalar[dtype](-1080.0 if wide else -152.0)
    comptime most = Scalar[dtype](1025.0 if wide else 129.0)
    var y = exp2_reduced(clamped(x, least, most), low)
    return scale_by_power(y[0], y[1])


@always_inline
def exp2_reduced[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], low: SIMD[dtype, width] = 0) -> Tuple[
    SIMD[dtype, width], SIMD[signed_of[dtype](), width]
]:
    """`(m, k)` with 2**(x + low) = m * 2**k and m near 1, for k of less than p / 2
    bits and a `low` far below 1."""
    var k = nearest_integer(x, Scalar[dtype](1))
    var r = (x - k[0]) + low
    var y = r.fma(horner[EXP2_F64, EXP2_F32](r), SIMD[dtype, width](1))
    return (y, k[1])


@always_inline
def exp2[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """2**x, exact for integers."""
    return exp2_sum(x, SIMD[dtype, width](0))


@always_inline
def quarter_expm1[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """(e**x - 1) / 4 as a sum of two floats; both are NaN for NaN.

    The quarter keeps it finite up to where sinh is.
    """
    comptime wide = dtype == DType.float64
    comptime least = Scalar[dtype](-40.0 if wide else -18.0)
    comptime most = Scalar[dtype](710.6 if wide else 89.5)
    var r = _reduced(clamped(x, least, most))
    var y = fast_two_sum(r[0], r[1] + expm1_reduced(r[0]))
    var power = exp2_integer[dtype, width](r[2] - 2)
    var sum = two_sum(power - 0.25, product(y[0], power))
    return (sum[0], sum[1] + y[1] * power)


@always_inline
def expm1[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """e**x - 1, accurate where that is small."""
    comptime tiny = power_of_two[dtype, -mantissa_bits[dtype]() - 2]()
    var quarter = quarter_expm1(x)
    var value = (quarter[0] + quarter[1]) * 4
    return absolute(x).lt(tiny).select(x, value)


@always_inline
def logistic[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`1 / (1 + e**-x)`."""
    var e = exp(-absolute(x))
    return x.lt(0).select(e, SIMD[dtype, width](1)) / (1 + e)
