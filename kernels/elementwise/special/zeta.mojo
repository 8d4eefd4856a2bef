"""Hurwitz' zeta function and the derivatives of digamma, in float64."""

from std.math import floor
from std.utils.numerics import inf, nan

from elementwise.arithmetic import ldexp, split_exponent
from elementwise.numbers.floats import is_nan, two_sum
from elementwise.special.gamma import Doubles, digamma
from elementwise.power import power
from elementwise.special.coefficients import FACTORIAL_F64, ZETA_TAIL_F64

comptime TERMS = 10
"""Summed one by one; the rest by the Euler-Maclaurin formula."""
comptime TAIL_TERMS = 12
comptime MAX_ORDER = 170
"""n! is infinite beyond."""


@no_inline
def _power_of_sum[
    width: SIMDLength, //
](
    a: Doubles[width],
    b: Doubles[width],
    exponent: Doubles[width],
    unit: Doubles[width],
) -> Doubles[width]:
    """((a + b) / unit) ** exponent, as if the sum were not rounded."""
    comptime V = Doubles[width]
    var sum = two_sum(a, b)
    var lost = sum[0].lt(inf[DType.float64]()).select(sum[1], V(0))
    var value = power(sum[0] / unit, exponent)
    var finite = value.lt(inf[DType.float64]()).select(value, V(0))
    return value + finite * (exponent * (lost / sum[0]))


@no_inline
def _zeta_regular[
    width: SIMDLength, //
](
    s: Doubles[width],
    q: Doubles[width],
    unit: Doubles[width] = Doubles[width](1),
) -> Doubles[width]:
    """The sum of ((q + k) / unit)**-s over k >= 0, for finite s > 1 and q > 0.

    The unit is a power of two.
    """
    comptime V = Doubles[width]
    var sum = V(0)
    # The smallest terms first.
    for k in range(TERMS):
        sum += _power_of_sum(q, V(Float64(TERMS - 1 - k)), -s, unit)
    var a = q + Float64(TERMS)
    var last = _power_of_sum(q, V(Float64(TERMS)), -s, unit)
    # a**(1 - s) by way of the root of a**-s where that underflows.
    var integral = last * a
    if last.lt(1e-290).reduce_or():
        var root = power(a / unit, -0.5 * s)
        integral = last.lt(1e-290).select((root * a) * root, integral)
    var inverse = 1 / a
    var square = inverse * inverse
    var factor = s * inverse
    var tail = V(0.5)
    comptime for k in range(TAIL_TERMS):
        comptime coefficient = ZETA_TAIL_F64[k]
        tail = factor.fma(V(coefficient), tail)
        var next = s + Float64(2 * k + 1)
        factor = factor * square * (next * (next + 1))
    # Where the factors overflow, `last` is nothing beside the sum.
    var rest = last.gt(sum * 1e-30).select(last * tail, V(0))
    return sum + (integral / (s - 1) + rest)


@always_inline
def _zeta_positive[
    width: SIMDLength, //
](s: Doubles[width], q: Doubles[width]) -> Doubles[width]:
    """`_zeta_regular` and its limits for infinite operands."""
    comptime V = Doubles[width]
    comptime infinity = V(inf[DType.float64]())
    var end = s.eq(infinity) | q.eq(infinity)
    var value = _zeta_regular(end.select(V(2), s), end.select(V(1), q))
    var limit = q.gt(1).select(V(0), q.lt(1).select(infinity, V(1)))
    return end.select(limit, value)


@no_inline
def zeta[
    width: SIMDLength, //
](s: Doubles[width], q: Doubles[width]) -> Doubles[width]:
    """The sum of (q + k)**-s over k >= 0.

    inf for s = 1, NaN below. For q below 0, NaN unless s is an integer; at its
    poles there, inf for even s and NaN for odd.
    """
    comptime V = Doubles[width]
    comptime infinity = V(inf[DType.float64]())
    comptime undefined = V(nan[DType.float64]())
    var regular = s.gt(1) & q.gt(0)
    var value = _zeta_positive(regular.select(s, V(2)), regular.select(q, V(1)))
    var below = s.gt(1) & q.le(0)
    if below.reduce_or():
        value = below.select(_zeta_below(s, q, below), value)
    value = s.lt(1).select(undefined, value)
    value = (is_nan(s) | is_nan(q)).select(undefined, value)
    return s.eq(1).select(infinity, value)


@no_inline
def _zeta_below[
    width: SIMDLength, //
](
    s: Doubles[width], q: Doubles[width], below: SIMD[DType.bool, width]
) -> Doubles[width]:
    """`zeta` for s > 1 and q <= 0, where `below` is true.

    With f = q - floor(q), the terms below 0 are those of zeta(s, 1 - f) that
    are not those of zeta(s, 1 - q).
    """
    comptime V = Doubles[width]
    comptime infinity = V(inf[DType.float64]())
    var f = q - floor(q)
    var pole = f.eq(0) | q.eq(-infinity)
    var odd = ~floor(0.5 * s).eq(0.5 * s)
    var used = below & ~pole & s.lt(infinity)
    var order = used.select(s, V(2))
    var upper = _zeta_regular(order, used.select(f, V(1)))
    # q - floor(q) rounds for q near 0, its distance to ceil(q) does not.
    var g = floor(-q)
    var lower = _zeta_regular(order, used.select(-q - g, V(1)))
    lower -= _zeta_regular(order, used.select(1 - q, V(1)))
    var value = upper + odd.select(-lower, lower)
    var whole = floor(s).eq(s)
    value = whole.select(value, V(nan[DType.float64]()))
    var at_pole = (whole & ~odd).select(infinity, V(nan[DType.float64]()))
    value = pole.select(at_pole, value)
    return (~pole & s.eq(infinity)).select(V(nan[DType.float64]()), value)


@no_inline
def polygamma[
    width: SIMDLength, //
](n: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """The derivative of order `n` of digamma; NaN unless n = 0, 1, 2 ... 170.

    (-1)**(n + 1) n! zeta(n + 1, x).
    """
    comptime V = Doubles[width]
    var allowed = floor(n).eq(n) & n.ge(0) & n.le(Float64(MAX_ORDER))
    var order = allowed.select(n, V(1))
    var even = floor(0.5 * order).eq(0.5 * order)
    var sum = zeta(order.eq(0).select(V(2), order + 1), x)
    var value = sum * _factorial(order)
    var tiny = sum.lt(1e-290) & x.gt(1) & x.lt(inf[DType.float64]())
    if (tiny & order.gt(0)).reduce_or():
        var used = tiny & order.gt(0)
        var scaled = _scaled_sum(used.select(order, V(1)), used.select(x, V(2)))
        value = used.select(scaled, value)
    value = even.select(-value, value)
    var first = order.eq(0)
    if first.reduce_or():
        value = first.select(digamma(x), value)
    return allowed.select(value, V(nan[DType.float64]()))


@no_inline
def _scaled_sum[
    width: SIMDLength, //
](n: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """n! zeta(n + 1, x) for finite x > 1, where zeta may underflow.

    In the unit 2**e next to x; half of 2**(-e (n + 1)) comes before n!.
    """
    comptime V = Doubles[width]
    var e = split_exponent(x)[1]
    var exponent = e.cast[DType.float64]() * (n + 1)
    var half = floor(0.5 * exponent)
    var unit = ldexp(V(1), e.cast[DType.float64]())
    var sum = ldexp(_zeta_regular(n + 1, x, unit), -half)
    return ldexp(sum * _factorial(n), half - exponent)


@always_inline
def _factorial[width: SIMDLength, //](n: Doubles[width]) -> Doubles[width]:
    """n! for integers up to MAX_ORDER."""
    var table = materialize[FACTORIAL_F64]()
    var value = Doubles[width](1)
    comptime for i in range(Int(width)):
        value[i] = table[Int(n[i])]
    return value
