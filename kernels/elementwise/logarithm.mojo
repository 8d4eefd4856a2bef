"""Logarithms to the bases e, 2 and 10."""

from std.memory import bitcast
from std.utils.numerics import inf

from elementwise.arithmetic import absolute, power_of_two
from elementwise.numbers.coefficients import (
    LN2_F32,
    LN2_F64,
    LOG10E_F32,
    LOG10E_F64,
    LOG10_2_F32,
    LOG10_2_F64,
    LOG2E_F32,
    LOG2E_F64,
    LOG_F32,
    LOG_F64,
)
from elementwise.numbers.dtypes import signed_of, unsigned_of
from elementwise.numbers.floats import (
    exponent_bias,
    fast_two_sum,
    from_bits,
    infinity_bits,
    mantissa_bits,
    product,
    square_root,
    to_bits,
    two_product,
    two_sum,
)
from elementwise.numbers.polynomial import constant, horner


@always_inline
def is_regular[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """True for finite normal numbers above 0."""
    comptime bits = unsigned_of[dtype]()
    comptime least = Scalar[bits](1 << mantissa_bits[dtype]())
    comptime count = Scalar[bits](infinity_bits[dtype]()) - least
    return (bitcast[bits, width](x) - least).lt(count)


@always_inline
def split_regular[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """`(k, m)` with x = 2**k * m and sqrt(1/2) <= m < sqrt(2), for regular x."""
    comptime fraction = Scalar[signed_of[dtype]()](mantissa_bits[dtype]())
    comptime half_root = to_bits(Scalar[dtype](0.70710678118654752440))
    var k = (to_bits(x) - half_root) >> fraction
    var m = from_bits[dtype, width](to_bits(x) - (k << fraction))
    return (k.cast[dtype](), m)


@always_inline
def split_at_sqrt2[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """`(k, m)` with x = 2**k * m and sqrt(1/2) <= m < sqrt(2), for finite x > 0."""
    comptime V = SIMD[dtype, width]
    comptime lift = mantissa_bits[dtype]() + 2
    comptime up = power_of_two[dtype, lift]()
    comptime least = power_of_two[dtype, 1 - exponent_bias[dtype]()]()
    if is_regular(x).reduce_and():
        return split_regular(x)
    var tiny = x.lt(least)
    var split = split_regular(tiny.select(x * up, x))
    return (split[0] - tiny.select(V(lift), V(0)), split[1])


@always_inline
def _series[
    dtype: DType, width: SIMDLength, //
](f: SIMD[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """`(h, t)` with log(1 + f) = f - h + t, where h is f**2 / 2.

    With s = f / (2 + f), log(1 + f) = 2 atanh(s), and 2 s = f - s f. For
    sqrt(1/2) <= 1 + f < sqrt(2).
    """
    var s = f / (2 + f)
    var z = s * s
    var half_square = product(0.5 * f, f)
    var rest = z * horner[LOG_F64, LOG_F32](z)
    return (half_square, s * (half_square + rest))


@always_inline
def _with_special_values[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], regular: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """A logarithm of `x`, given its value for finite x > 0.

    What it gives elsewhere comes from an operation that raises the processor's flag for it.
    """
    if is_regular(x).reduce_and():
        return regular
    var positive = x.eq(inf[dtype]()).select(x, regular)
    var result = x.gt(0).select(positive, square_root(x))
    return x.eq(0).select(-1 / absolute(x), result)


@always_inline
def log[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The natural logarithm."""
    return log_sum(x, SIMD[dtype, width](0))


@always_inline
def log_sum[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], relative: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log(x) + relative, for a `relative` far below log(x) unless x is 1."""
    comptime ln2 = SIMD[dtype, width](constant[dtype, LN2_F64, LN2_F32]())
    comptime ln2_low = SIMD[dtype, width](
        constant[dtype, LN2_F64, LN2_F32, 1]()
    )
    var split = split_at_sqrt2(x)
    var k = split[0]
    var f = split[1] - 1
    var parts = _series(f)
    var low = k.fma(ln2_low, relative) + parts[1]
    var value = k.fma(ln2, f - (parts[0] - low))
    return _with_special_values(x, value)


@always_inline
def log1p[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """log(1 + x), accurate for small x."""
    var sum = two_sum(SIMD[dtype, width](1), x)
    # Past 2**p the sum loses 1 only; there the error term may be NaN (inf).
    var small = x.lt(power_of_two[dtype, mantissa_bits[dtype]() + 4]())
    var relative = small.select(sum[1] / sum[0], SIMD[dtype, width](0))
    return x.eq(0).select(x, log_sum(sum[0], relative))


@always_inline
def log_parts[
    dtype: DType, width: SIMDLength, //
](m: SIMD[dtype, width]) -> Tuple[SIMD[dtype, width], SIMD[dtype, width]]:
    """log(m) as a sum of two floats, for sqrt(1/2) <= m < sqrt(2)."""
    var f = m - 1
    var parts = _series(f)
    var high = fast_two_sum(f, -parts[0])
    return (high[0], high[1] + parts[1])


@always_inline
def _log_to_base[
    dtype: DType,
    width: SIMDLength,
    //,
    unit: Scalar[dtype],
    unit_low: Scalar[dtype],
](
    x: SIMD[dtype, width], scale: Scalar[dtype], scale_low: Scalar[dtype]
) -> SIMD[dtype, width]:
    """log(x) * scale where log(2) * scale = unit; both in two parts."""
    comptime V = SIMD[dtype, width]
    var split = split_at_sqrt2(x)
    var m = log_parts(split[1])
    var fraction = two_product(m[0], V(scale))
    var low = m[0].fma(V(scale_low), m[1] * scale) + fraction[1]
    var whole = split[0]
    comptime if unit != 1:
        var exact = two_product(whole, V(unit))
        low += whole.fma(V(unit_low), exact[1])
        whole = exact[0]
    var sum = fast_two_sum(whole, fraction[0])
    return _with_special_values(x, sum[0] + (sum[1] + low))


@always_inline
def log2[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The logarithm to base 2, exact for powers of two."""
    comptime scale = constant[dtype, LOG2E_F64, LOG2E_F32]()
    comptime low = constant[dtype, LOG2E_F64, LOG2E_F32, 1]()
    return _log_to_base[Scalar[dtype](1), Scalar[dtype](0)](x, scale, low)


@always_inline
def log10[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The logarithm to base 10."""
    comptime scale = constant[dtype, LOG10E_F64, LOG10E_F32]()
    comptime low = constant[dtype, LOG10E_F64, LOG10E_F32, 1]()
    comptime unit = constant[dtype, LOG10_2_F64, LOG10_2_F32]()
    comptime unit_low = constant[dtype, LOG10_2_F64, LOG10_2_F32, 1]()
    return _log_to_base[unit, unit_low](x, scale, low)
