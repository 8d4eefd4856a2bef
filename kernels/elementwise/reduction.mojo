"""Reduction of angles modulo pi / 2, accurate for arguments of any size.

The argument is brought to |r| <= pi / 4 by subtracting a multiple of pi / 2
that is known to three times the precision. Larger arguments, for which that is
not enough, are reduced with the bits of 2 / pi that matter, lane by lane.
"""

from std.utils.numerics import nan

from elementwise.arithmetic import absolute, power_of_two
from elementwise.numbers.coefficients import (
    HALF_PI_F32,
    HALF_PI_F64,
    TWO_OVER_PI_F32,
    TWO_OVER_PI_F64,
    TWO_OVER_PI_WORDS,
)
from elementwise.compare import is_finite
from elementwise.numbers.dtypes import signed_of
from elementwise.exponential import nearest_integer
from elementwise.numbers.floats import (
    fast_two_sum,
    to_bits,
    two_product,
    two_sum,
)
from elementwise.numbers.polynomial import constant


@fieldwise_init
struct Reduced[dtype: DType, width: SIMDLength](ImplicitlyCopyable, Movable):
    """x = quadrant * pi / 2 + high + low, modulo 2 pi, |high| <= pi / 4."""

    var high: SIMD[Self.dtype, Self.width]
    var low: SIMD[Self.dtype, Self.width]
    var quadrant: SIMD[signed_of[Self.dtype](), Self.width]


@always_inline
def reduced[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Reduced[dtype, width]:
    """The reduction for any argument; NaN for infinities."""
    comptime limit = Scalar[dtype](
        1.0995e12 if dtype == DType.float64 else 32768.0
    )
    var result = _reduced_below_limit(x)
    if absolute(x).ge(limit).reduce_or():
        comptime if dtype == DType.float64:
            result = _reduced_by_lanes(x, result, limit)
        else:
            result = _reduced_in_float64(x)
    return result


@always_inline
def _reduced_below_limit[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Reduced[dtype, width]:
    comptime V = SIMD[dtype, width]
    comptime factor = constant[dtype, TWO_OVER_PI_F64, TWO_OVER_PI_F32]()
    comptime first = V(constant[dtype, HALF_PI_F64, HALF_PI_F32, 0]())
    comptime second = V(constant[dtype, HALF_PI_F64, HALF_PI_F32, 1]())
    comptime third = V(constant[dtype, HALF_PI_F64, HALF_PI_F32, 2]())
    var k = nearest_integer(x, factor)
    var rest = (-k[0]).fma(first, x)  # exact
    var step = two_product(-k[0], second)
    var sum = two_sum(rest, step[0])
    var low = (-k[0]).fma(third, sum[1] + step[1])
    var r = fast_two_sum(sum[0], low)
    return Reduced[dtype, width](r[0], r[1], k[1])


@no_inline
def _reduced_in_float64[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Reduced[dtype, width]:
    var wide = reduced(x.cast[DType.float64]())
    var sum = wide.high + wide.low
    var high = sum.cast[dtype]()
    var low = (sum - high.cast[DType.float64]()).cast[dtype]()
    return Reduced[dtype, width](
        high, low, wide.quadrant.cast[signed_of[dtype]()]()
    )


@no_inline
def _reduced_by_lanes[
    dtype: DType, width: SIMDLength, //
](
    x: SIMD[dtype, width], small: Reduced[dtype, width], limit: Scalar[dtype]
) -> Reduced[dtype, width]:
    """`small` with the lanes from `limit` on replaced."""
    var result = small
    for lane in range(Int(width)):
        if abs(x[lane]) >= limit:
            var r = _reduced_huge(Float64(x[lane]))
            result.high[lane] = Scalar[dtype](r.high)
            result.low[lane] = Scalar[dtype](r.low)
            result.quadrant[lane] = Scalar[signed_of[dtype]()](r.quadrant)
    return result


def _two_over_pi_bits(first: Int) -> Tuple[UInt64, UInt64, UInt64]:
    """192 bits from bit `first` of the table on."""
    var words = materialize[TWO_OVER_PI_WORDS]()
    var at = first // 64
    var shift = UInt64(first % 64)

    def word(i: Int) {imm} -> UInt64:
        if shift == 0:
            return words[at + i]
        return words[at + i] << shift | words[at + i + 1] >> (64 - shift)

    return (word(0), word(1), word(2))


def _reduced_huge(x: Float64) -> Reduced[DType.float64, 1]:
    """The reduction of one number from 2**40 on (Payne and Hanek).

    x = m * 2**e with a 53-bit integer m. The bits of 2 / pi whose product with
    x is a multiple of 4 are left out; of the others the first 192 suffice. The
    product's top two bits are then the quadrant and the rest is the fraction.
    """
    if not is_finite(x):
        return Reduced[DType.float64, 1](nan[DType.float64](), 0, 0)
    var pattern = to_bits(abs(x))
    var e = Int(pattern >> 52) - 1075
    var m = UInt64((pattern & ((1 << 52) - 1)) | (1 << 52))
    var bits = _two_over_pi_bits(e - 2 + 64)
    var wide = m.cast[DType.uint128]()
    var p0 = wide * bits[2].cast[DType.uint128]()
    var p1 = wide * bits[1].cast[DType.uint128]() + (p0 >> 64)
    var p2 = m * bits[0] + (p1 >> 64).cast[DType.uint64]()
    var middle = p1.cast[DType.uint64]()
    var quadrant = Int64(p2 >> 62)
    # The fraction as a signed number in [-1/2, 1/2), in two 64-bit words.
    var top = Int64(p2 << 2 | middle >> 62)
    var bottom = middle << 2 | p0.cast[DType.uint64]() >> 62
    quadrant += Int64(top < 0)
    comptime unit = power_of_two[DType.float64, -64]()
    var lead = Float64(top)
    var rest = Float64(top - Int64(lead)) + Float64(bottom) * unit
    return _times_half_pi(lead * unit, rest * unit, quadrant, x < 0)


def _times_half_pi(
    lead: Float64, rest: Float64, quadrant: Int64, negative: Bool
) -> Reduced[DType.float64, 1]:
    """(lead + rest) * pi / 2, and all with the sign of the argument."""
    comptime first = constant[DType.float64, HALF_PI_F64, HALF_PI_F32, 0]()
    comptime second = constant[DType.float64, HALF_PI_F64, HALF_PI_F32, 1]()
    var fraction = fast_two_sum(lead, rest)
    var turn = two_product(fraction[0], first)
    var low = fraction[0].fma(second, fraction[1].fma(first, turn[1]))
    var r = fast_two_sum(turn[0], low)
    var turns = rebind[Scalar[signed_of[DType.float64]()]](quadrant)
    if negative:
        return Reduced[DType.float64, 1](-r[0], -r[1], -turns)
    return Reduced[DType.float64, 1](r[0], r[1], turns)
