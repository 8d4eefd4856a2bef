"""The logarithm of the gamma function and its derivative, in float64."""

from std.math import floor
from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute
from elementwise.numbers.coefficients import LN2_F32, LN2_F64
from elementwise.numbers.floats import fast_two_sum, is_nan, two_product
from elementwise.logarithm import log, log_parts, split_at_sqrt2
from elementwise.pairs import Pair
from elementwise.numbers.polynomial import constant, horner
from elementwise.special.coefficients import (
    DIGAMMA_F64,
    DIGAMMA_TAIL_F64,
    DIGAMMA_ZERO_F64,
    LGAMMA_ONE_F64,
    LGAMMA_TWO_F64,
    PI_F64,
    SIN_PI_F64,
    STIRLING_F64,
)

comptime TWO_PI = 6.2831853071795864769
comptime TWO_PI_LOW = 2.4492935982947064e-16
comptime HALF_LOG_TWO_PI = 0.91893853320467274178
comptime LOG_PI = 1.1447298858494001741
comptime LEAST_TAIL = 7.0
"""From here on, Stirling's series."""
comptime STIRLING_COUNT = STIRLING_F64.__len__()
comptime STEPS = 5
"""From LEAST_TAIL down to the interval of the polynomials."""
comptime STEPS_FROM_1 = 6
"""To LEAST_TAIL."""

comptime Doubles[width: SIMDLength] = SIMD[DType.float64, width]


@always_inline
def log_pair[width: SIMDLength, //](x: Doubles[width]) -> Pair[width]:
    """log(x), for finite x > 0."""
    comptime ln2 = constant[DType.float64, LN2_F64, LN2_F32]()
    comptime ln2_low = constant[DType.float64, LN2_F64, LN2_F32, 1]()
    var split = split_at_sqrt2(x)
    var m = log_parts(split[1])
    var whole = two_product(split[0], Doubles[width](ln2))
    var sum = fast_two_sum(whole[0], m[0])
    var low = split[0].fma(Doubles[width](ln2_low), whole[1] + m[1])
    var parts = fast_two_sum(sum[0], sum[1] + low)
    return Pair[width](parts[0], parts[1])


@always_inline
def log_of_pair[width: SIMDLength, //](x: Pair[width]) -> Pair[width]:
    """log(x), for finite x > 0."""
    var log = log_pair(x.high)
    log.low += x.low / x.high
    return log


@always_inline
def stirling_rest[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """What Stirling's formula for lgamma(x) lacks, from LEAST_TAIL on."""
    var inverse = 1 / x
    return inverse * horner[STIRLING_F64, STIRLING_F64](inverse * inverse)


@always_inline
def stirling_change[
    width: SIMDLength, //
](x: Doubles[width], f: Doubles[width]) -> Doubles[width]:
    """stirling_rest(x + f) - stirling_rest(x) for 0 < f, also where that is small.

    With u = 1 / x and v = 1 / (x + f) it is v p(v**2) - u p(u**2), a multiple of
    v - u = -f u v, as is each difference in Horner's rule.
    """
    comptime last = STIRLING_F64[STIRLING_COUNT - 1]
    var u = 1 / x
    var v = 1 / (x + f)
    var value = Doubles[width](last)
    var slope = Doubles[width](0)
    comptime for i in range(STIRLING_COUNT - 1):
        comptime next = STIRLING_F64[STIRLING_COUNT - 2 - i]
        slope = slope.fma(v * v, value)
        value = value.fma(u * u, Doubles[width](next))
    return (-f * u * v) * (v * (u + v)).fma(slope, value)


@always_inline
def sin_pi[width: SIMDLength, //](r: Doubles[width]) -> Doubles[width]:
    """sin(pi r) for |r| <= 1/2."""
    comptime pi_low = PI_F64[1]
    comptime pi = PI_F64[0]
    var z = r * r
    var rest = z.fma(horner[SIN_PI_F64, SIN_PI_F64](z), Doubles[width](pi_low))
    return r * (pi + rest)


@always_inline
def _cot_pi[width: SIMDLength, //](r: Doubles[width]) -> Doubles[width]:
    """pi cot(pi r) for |r| <= 1/2."""
    comptime pi = PI_F64[0]
    return pi * sin_pi(0.5 - absolute(r)) / sin_pi(r)


@always_inline
def _stirling[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """lgamma(x) from LEAST_TAIL on.

    (x - 1/2) (log(x) - 1) in two parts, and what is small beside it.
    """
    var logs = log_pair(x)
    var less = fast_two_sum(logs.high, Doubles[width](-1))
    var d = x - 0.5
    var whole = two_product(d, less[0])
    var low = whole[1] + d * (less[1] + logs.low)
    low += (HALF_LOG_TWO_PI - 0.5) + stirling_rest(x)
    # There the second part is NaN.
    var over = whole[0].eq(inf[DType.float64]())
    return over.select(whole[0], whole[0] + low)


@always_inline
def _lgamma_near[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """lgamma(x) for -0.3 <= x < LEAST_TAIL but 0.

    By lgamma(x + 1) = lgamma(x) + log(|x|) to polynomials around 1 and 2.
    """
    comptime V = Doubles[width]
    var t = x
    var factor = V(1)
    for _ in range(STEPS):
        var above = t.ge(2.5)
        t = above.select(t - 1, t)
        factor = above.select(factor * t, factor)
    var low = x.lt(0.7)
    var one = low.select(x.lt(0.5), t.lt(1.5))
    # x + 1 - 1 = x and x + 1 - 2 = x - 1, without rounding.
    var around1 = low.select(x, t - 1)
    var around2 = low.select(x - 1, t - 2)
    var p1 = around1 * horner[LGAMMA_ONE_F64, LGAMMA_ONE_F64](around1)
    var p2 = around2 * horner[LGAMMA_TWO_F64, LGAMMA_TWO_F64](around2)
    var near = one.select(p1, p2)
    var logs = log_pair(low.select(absolute(x), factor))
    return (Pair[width](near) + logs.where(low, -logs)).value()


@always_inline
def _times_horner[
    width: SIMDLength, n: Int, //, coefficients: Array[Float64, n]
](x: Doubles[width]) -> Pair[width]:
    """x times a polynomial in x, of which only the rest after the first term
    is rounded."""
    comptime first = coefficients[0]
    comptime last = coefficients[n - 1]
    var rest = Doubles[width](last)
    comptime for i in range(n - 2):
        comptime next = coefficients[n - 2 - i]
        rest = rest.fma(x, Doubles[width](next))
    return Pair[width](x) * Pair[width].sum(Doubles[width](first), x * rest)


@always_inline
def lgamma1p[width: SIMDLength, //](x: Doubles[width]) -> Pair[width]:
    """lgamma(1 + x) for 0 <= x <= 1."""
    var near = _times_horner[LGAMMA_TWO_F64](x - 1)
    return near.where(x.lt(0.5), _times_horner[LGAMMA_ONE_F64](x))


@no_inline
def gamma1p[width: SIMDLength, //, last: Int](x: Doubles[width]) -> Pair[width]:
    """gamma(1 + x) for 0 <= x < last + 1, by its factors from gamma(1 + f) on."""
    var whole = floor(x)
    var f = x - whole
    var value = lgamma1p(f).exp()
    for j in range(1, last + 1):
        var next = Pair[width].sum(Doubles[width](j), f)
        value = value.where(whole.ge(Float64(j)), value * next)
    return value


@no_inline
def lgamma_positive[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """log(|gamma(x)|) for finite x >= -0.3 but 0."""
    var far = x.ge(LEAST_TAIL)
    if far.reduce_and():
        return _stirling(x)
    var near = _lgamma_near(far.select(Doubles[width](1), x))
    if far.reduce_or():
        return far.select(_stirling(far.select(x, LEAST_TAIL)), near)
    return near


@no_inline
def lgamma[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """log(|gamma(x)|); inf at 0, at negative integers and at +-inf."""
    comptime V = Doubles[width]
    comptime infinity = V(inf[DType.float64]())
    var size = absolute(x)
    var reflected = x.lt(-0.3)
    var y = reflected.select(size, x)
    var plain = y.ne(0) & y.lt(infinity)
    var value = lgamma_positive(plain.select(y, V(1)))
    value = plain.select(value, infinity)
    if reflected.reduce_or():
        # gamma(-y) gamma(y) = -pi / (y sin(pi y))
        var r = absolute(y - round(y))
        var mirror = LOG_PI - log(y * sin_pi(r)) - value
        mirror = (r.eq(0) | size.ge(infinity)).select(infinity, mirror)
        value = reflected.select(mirror, value)
    return is_nan(x).select(x, value)


@always_inline
def _digamma_near[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """digamma(x) for 1 <= x < LEAST_TAIL.

    By digamma(x + 1) = digamma(x) + 1 / x; the sum is one fraction.
    """
    comptime V = Doubles[width]
    comptime zero = DIGAMMA_ZERO_F64[0]
    comptime zero_low = DIGAMMA_ZERO_F64[1]
    var t = x
    var over = V(0)
    var under = V(1)
    for _ in range(STEPS):
        var above = t.gt(2.25)
        t = above.select(t - 1, t)
        over = above.select(over.fma(t, under), over)
        under = above.select(under * t, under)
    var p = horner[DIGAMMA_F64, DIGAMMA_F64](t - 1.625)
    return p.fma((t - zero) - zero_low, over / under)


@always_inline
def _digamma_far[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """digamma(x) from LEAST_TAIL on."""
    var inverse = 1 / x
    var z = inverse * inverse
    var tail = z * horner[DIGAMMA_TAIL_F64, DIGAMMA_TAIL_F64](z)
    return log(x) - (0.5 * inverse + tail)


@no_inline
def digamma_above1[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """The derivative of lgamma from 1 on."""
    var far = x.ge(LEAST_TAIL)
    if far.reduce_and():
        return _digamma_far(x)
    var near = _digamma_near(far.select(Doubles[width](1), x))
    if far.reduce_or():
        return far.select(_digamma_far(far.select(x, LEAST_TAIL)), near)
    return near


@no_inline
def digamma1p[width: SIMDLength, //](x: Doubles[width]) -> Pair[width]:
    """The derivative of lgamma(1 + x) for x >= 0."""
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var one = Number(V(1))
    var y = Number.sum(V(1), x)
    var less = Number(V(0))
    for _ in range(STEPS_FROM_1):
        var low = y.high.lt(LEAST_TAIL)
        less = less.where(low, less + one / y)
        y = y.where(low, y + one)
    var inverse = one / y
    var z = inverse.high * inverse.high
    var tail = z * horner[DIGAMMA_TAIL_F64, DIGAMMA_TAIL_F64](z)
    less = less + Number(V(0.5)) * inverse + Number(tail)
    return log_of_pair(y) - less


@no_inline
def digamma[width: SIMDLength, //](x: Doubles[width]) -> Doubles[width]:
    """The derivative of lgamma; NaN at 0, negative integers and -inf.

    Below 1 from that of 1 + |x|.
    """
    comptime V = Doubles[width]
    var size = absolute(x)
    var low = x.lt(1)
    var value = digamma_above1(low.select(1 + size, x))
    if low.reduce_or():
        var r = size - round(size)
        var less = x.lt(0).select(-_cot_pi(r), 1 / x)
        var mirror = value - less
        var pole = x.eq(0) | (x.lt(0) & ~absolute(r).gt(0))
        mirror = pole.select(V(nan[DType.float64]()), mirror)
        value = low.select(mirror, value)
    return is_nan(x).select(x, value)
