"""Integer arithmetic and bit operations: wrap-around, and never a trap."""

from std.bit import count_leading_zeros, count_trailing_zeros, pop_count
from std.sys import size_of

from elementwise.numbers.dtypes import unsigned_of


@always_inline
def _quotient_dtype[dtype: DType]() -> DType:
    """A float dtype whose division truncates to the exact integer quotient.

    With p significand bits that holds for operands below 2**(p - 1), because
    a quotient is at least 1 / divisor away from the next integer. There is
    none for 64-bit integers; the result is then the dtype itself.
    """
    comptime if size_of[dtype]() <= 2:
        return DType.float32
    elif size_of[dtype]() == 4:
        return DType.float64
    else:
        return dtype


@always_inline
def truncated_quotient[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a / b` rounded towards zero; 0 for b = 0; MIN / -1 is MIN."""
    comptime wide = _quotient_dtype[dtype]()
    var one = SIMD[dtype, width](1)
    comptime if wide != dtype:
        var divisor = b.eq(0).select(one, b).cast[wide]()
        # MIN / -1 does not fit dtype, but fits a wider one and wraps from there.
        comptime fitting = (
            DType.int32 if wide == DType.float32 else DType.int64
        )
        var quotient = (a.cast[wide]() / divisor).cast[fitting]()
        return b.eq(0).select(SIMD[dtype, width](0), quotient.cast[dtype]())
    elif dtype.is_signed():
        var divisor = b.eq(0).select(one, b)
        var quotient = _floor_of_long(a, divisor)
        var rounded_down = (a ^ divisor).lt(0) & ~(quotient * divisor).eq(a)
        quotient += rounded_down.cast[dtype]()
        return b.eq(0).select(SIMD[dtype, width](0), quotient)
    else:
        var divisor = b.eq(0).select(one, b)
        return b.eq(0).select(SIMD[dtype, width](0), a // divisor)


@always_inline
def _floor_of_long[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a / b` of 64-bit integers rounded down, for b other than 0; MIN / -1 is MIN.

    The quotient of floats is off by less than 2**12. That of what it leaves, which is exact, as
    integers wrap around, is off by less than 1: the last rest tells which way. It takes vectors,
    as the division of integers does not.
    """
    var inverse = 1.0 / b.cast[DType.float64]()
    var quotient = _float_quotient(a, inverse)
    var rest = a - quotient * b
    var step = _float_quotient(rest, inverse)
    quotient += step
    rest -= step * b
    var below = (rest ^ b).lt(0) & ~rest.eq(0)
    quotient -= below.cast[dtype]()
    rest = below.select(rest + b, rest)
    var above = b.lt(0).select(rest.le(b), rest.ge(b))
    return quotient + above.cast[dtype]()


@always_inline
def _float_quotient[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], inverse: SIMD[DType.float64, width]) -> SIMD[
    dtype, width
]:
    """About `a * inverse`, within 64-bit integers."""
    comptime most = Float64(9223372036854774784.0)
    var quotient = a.cast[DType.float64]() * inverse
    return min(max(quotient, -most), most).cast[dtype]()


@always_inline
def truncated_remainder[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a - truncated_quotient(a, b) * b`: the sign of a; 0 for b = 0."""
    var remainder = a - truncated_quotient(a, b) * b
    return b.eq(0).select(SIMD[dtype, width](0), remainder)


@always_inline
def _floor_is_below[
    dtype: DType, width: SIMDLength, //
](
    a: SIMD[dtype, width], b: SIMD[dtype, width], quotient: SIMD[dtype, width]
) -> SIMD[DType.bool, width]:
    """True where floor(a / b) is the truncated quotient minus one."""
    return (a ^ b).lt(0) & ~(quotient * b).eq(a) & ~b.eq(0)


@always_inline
def floor_quotient[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a / b` rounded down; 0 for b = 0; MIN // -1 is MIN."""
    comptime if dtype == DType.int64:
        var is_zero = b.eq(0)
        var divisor = is_zero.select(SIMD[dtype, width](1), b)
        return is_zero.select(SIMD[dtype, width](0), _floor_of_long(a, divisor))
    var quotient = truncated_quotient(a, b)
    comptime if dtype.is_signed():
        quotient -= _floor_is_below(a, b, quotient).cast[dtype]()
    return quotient


@always_inline
def floor_remainder[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`a - floor_quotient(a, b) * b`: the sign of b; 0 for b = 0."""
    comptime if dtype == DType.int64:
        return b.eq(0).select(
            SIMD[dtype, width](0), a - floor_quotient(a, b) * b
        )
    var quotient = truncated_quotient(a, b)
    var remainder = a - quotient * b
    comptime if dtype.is_signed():
        var below = _floor_is_below(a, b, quotient)
        remainder = below.select(remainder + b, remainder)
    return b.eq(0).select(SIMD[dtype, width](0), remainder)


@always_inline
def integer_power[
    dtype: DType, width: SIMDLength, //
](base: SIMD[dtype, width], exponent: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`base ** exponent` by squaring, wrapping around.

    A negative exponent gives what the integer division 1 / base**-exponent
    gives: +-1 for bases +-1 and 0 for all others.
    """
    comptime bits = unsigned_of[dtype]()
    var result = SIMD[bits, width](1)
    var square = base.cast[bits]()
    var left = exponent.cast[bits]()
    comptime if dtype.is_signed():
        left = exponent.lt(0).select(left & 1, left)
    while (~left.eq(0)).reduce_or():
        result = (left & 1).eq(0).select(result, result * square)
        square *= square
        left >>= 1
    var power = result.cast[dtype]()
    comptime if dtype.is_signed():
        var is_unit = base.eq(1) | base.eq(-1)
        var vanishes = exponent.lt(0) & ~is_unit
        power = vanishes.select(SIMD[dtype, width](0), power)
    return power


@always_inline
def _count_in_range[
    dtype: DType, width: SIMDLength, //
](count: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True where a shift count is at least 0 and below the bit width."""
    comptime bits = unsigned_of[dtype]()
    return count.cast[bits]().lt(Scalar[bits](size_of[dtype]() * 8))


@always_inline
def shift_left[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], count: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """`x << count`; 0 for counts that are negative or too large."""
    var zero = SIMD[dtype, width](0)
    var valid = _count_in_range(count)
    return valid.select(x << valid.select(count, zero), zero)


@always_inline
def shift_right_logical[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], count: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Shift in zeros; 0 for counts that are negative or too large."""
    comptime bits = unsigned_of[dtype]()
    var zero = SIMD[bits, width](0)
    var valid = _count_in_range(count)
    var safe = valid.select(count.cast[bits](), zero)
    return valid.select(x.cast[bits]() >> safe, zero).cast[dtype]()


@always_inline
def shift_right_arithmetic[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], count: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Shift in the sign of `x` (zeros if unsigned), all of it for counts that
    are negative or too large."""
    comptime if dtype.is_signed():
        comptime last = size_of[dtype]() * 8 - 1
        var valid = _count_in_range(count)
        return x >> valid.select(count, SIMD[dtype, width](last))
    else:
        return shift_right_logical(x, count)


@always_inline
def _magnitude[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[unsigned_of[dtype](), width]:
    """|x| as unsigned, so that |MIN| fits."""
    comptime if dtype.is_signed():
        return x.lt(0).select(-x, x).cast[unsigned_of[dtype]()]()
    else:
        return x.cast[unsigned_of[dtype]()]()


@always_inline
def bit_count[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Set bits of |x|."""
    return pop_count(_magnitude(x)).cast[dtype]()


@always_inline
def leading_zeros[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Zero bits above the highest set bit; the bit width for 0."""
    return count_leading_zeros(x)


@always_inline
def _unsigned_gcd[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], y: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Binary greatest common divisor; the other operand where one is 0."""
    # ctz(0) is the bit width, which is no valid shift count.
    comptime last = Scalar[dtype](size_of[dtype]() * 8 - 1)
    var twos = min(count_trailing_zeros(x | y), SIMD[dtype, width](last))
    var a = x >> min(count_trailing_zeros(x), SIMD[dtype, width](last))
    var b = y
    while (~(a.eq(0) | b.eq(0))).reduce_or():
        b >>= min(count_trailing_zeros(b), SIMD[dtype, width](last))
        var low = min(a, b)
        var stop = a.eq(0)
        var next = max(a, b) - low
        b = stop.select(b, next)
        a = stop.select(a, low)
    var odd_part = a | b
    # An operand that was 0 from the start leaves the other unshifted.
    return x.eq(0).select(y, y.eq(0).select(x, odd_part << twos))


@always_inline
def gcd[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Greatest common divisor of |a| and |b|; gcd(0, 0) is 0."""
    return _unsigned_gcd(_magnitude(a), _magnitude(b)).cast[dtype]()


@always_inline
def lcm[
    dtype: DType, width: SIMDLength, //
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """Least common multiple of |a| and |b|, wrapping around; 0 with 0."""
    var x = _magnitude(a)
    var y = _magnitude(b)
    var divisor = _unsigned_gcd(x, y)
    return (truncated_quotient(x, divisor) * y).cast[dtype]()
