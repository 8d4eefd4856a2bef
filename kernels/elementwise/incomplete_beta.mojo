"""The regularised incomplete beta function, in float64.

I(x; a, b) = x**a (1 - x)**b / beta(a, b) times a continued fraction, up to
about the mean x = a / (a + b); beyond from I(x; a, b) = 1 - I(1 - x; b, a).
"""

from std.utils.numerics import inf, nan

from .arithmetic import absolute
from .deviance import deviance
from .exponential import clamped, exp
from .floats import square_root, two_product, two_sum
from .gamma import (
    LEAST_TAIL,
    TWO_PI,
    Doubles,
    lgamma_positive,
    log_pair,
    stirling_rest,
)
from .logarithm import log, log1p

comptime MAX_STEPS = 5000
comptime LEAST = 1e-300
comptime MOST = 1e300
"""Bounds to which a and b are moved, against overflow."""
comptime Mask[width: SIMDLength] = SIMD[DType.bool, width]


@fieldwise_init
struct _Point[width: SIMDLength](ImplicitlyCopyable, Movable):
    """The operands, turned so that x is not far above the mean.

    `x` + `x_low` and `y` + `y_low` = 1 - x are exact; `distance` is
    a - (a + b) x.
    """

    var a: Doubles[Self.width]
    var b: Doubles[Self.width]
    var x: Doubles[Self.width]
    var x_low: Doubles[Self.width]
    var y: Doubles[Self.width]
    var y_low: Doubles[Self.width]
    var distance: Doubles[Self.width]
    var turned: Mask[Self.width]


@always_inline
def _point[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width], x: Doubles[width]) -> _Point[width]:
    comptime zero = Doubles[width](0)
    var y = 1 - x
    var y_low = (1 - y) - x
    var ay = two_product(a, y)
    var bx = two_product(b, x)
    var distance = (ay[0] - bx[0]) + (ay[1] - bx[1] + a * y_low)
    # For small b, 1 - I(1 - x; b, a) would be a small difference.
    var turned = (distance + 1).lt(2 * x) & ~(b.lt(1) & x.le(0.99))
    return _Point[width](
        turned.select(b, a),
        turned.select(a, b),
        turned.select(y, x),
        turned.select(y_low, zero),
        turned.select(x, y),
        turned.select(zero, y_low),
        turned.select(-distance, distance),
        turned,
    )


@always_inline
def _exp_of_sum[
    width: SIMDLength, //
](high: Doubles[width], low: Doubles[width]) -> Doubles[width]:
    """exp(high + low) for a small `low`, which may be lost where it is 0."""
    var value = exp(high)
    var small = high.gt(-746).select(low, Doubles[width](0))
    return value * exp(small)


@no_inline
def _factor_large[width: SIMDLength, //](p: _Point[width]) -> Doubles[width]:
    """x**a y**b / beta(a, b) for a and b from LEAST_TAIL on.

    Where (a + b) x would be a, and (a + b) y b, is the mean.
    """
    var n = two_sum(p.a, p.b)
    var x = two_product(p.x, n[0])
    var y = two_product(p.y, n[0])
    var x_low = p.x.fma(n[1], x[1]) + p.x_low * n[0]
    var y_low = p.y.fma(n[1], y[1]) + p.y_low * n[0]
    var both = deviance(p.a, x[0], x_low) + deviance(p.b, y[0], y_low)
    var rest = stirling_rest(n[0]) - stirling_rest(p.a) - stirling_rest(p.b)
    return both.power() * exp(rest) * square_root(p.a * (p.b / (TWO_PI * n[0])))


@no_inline
def _factor_small[width: SIMDLength, //](p: _Point[width]) -> Doubles[width]:
    """x**a y**b / beta(a, b) for a or b below LEAST_TAIL."""
    comptime V = Doubles[width]
    var first = p.a.lt(p.b)
    var few = first.select(p.a, p.b)
    var many = first.select(p.b, p.a)
    # lgamma(few + many) - lgamma(many)
    var large = many.ge(LEAST_TAIL)
    var top = large.select(many, V(LEAST_TAIL))
    var sum = top + few
    var growth = (top - 0.5) * log1p(few / top) + few * (log(sum) - 1)
    growth += stirling_rest(sum) - stirling_rest(top)
    if not large.reduce_and():
        var low = large.select(V(1), many)
        var plain = lgamma_positive(low + few) - lgamma_positive(low)
        growth = large.select(growth, plain)
    growth -= lgamma_positive(few + 1)
    var xs = log_pair(p.x)
    var ys = log_pair(p.y)
    var ax = two_product(p.a, xs[0])
    var by = two_product(p.b, ys[0])
    var total = two_sum(ax[0], by[0])
    var low = total[1] + ax[1] + by[1]
    low += p.a * (xs[1] + p.x_low / p.x) + p.b * (ys[1] + p.y_low / p.y)
    var whole = two_sum(total[0], growth)
    return few * _exp_of_sum(whole[0], whole[1] + low)


@no_inline
def _fraction[
    width: SIMDLength, //
](p: _Point[width], used: Mask[width]) -> Doubles[width]:
    """The even part of the continued fraction, by Lentz' quotients.

    NaN where it does not converge: near the mean for a and b beyond 1e8.
    """
    comptime V = Doubles[width]
    var under = (p.a + 1) / p.a / (p.distance + 1)
    var over = V(1e300)
    var value = under
    var change = V(0)
    for i in range(1, MAX_STEPS):
        var m = Float64(i)
        var s = p.a + (2 * m - 1)
        var part = p.x / s
        var left = m * (p.b - m) * part
        var rest = ((p.a + p.b) + (m - 1)) * left
        var numerator = (p.a + (m - 1)) * part * rest
        var b = (p.a + m) / (s + 2) * (p.distance + 1 + m * (1 + p.y))
        b += m + left
        under = 1 / numerator.fma(under, b)
        over = b + numerator / over
        var factor = under * over
        value *= factor
        change = absolute(factor - 1)
        if (change.le(3e-16) | ~used).reduce_and():
            break
    return change.gt(1e-12).select(V(nan[DType.float64]()), value)


@no_inline
def _regular[
    width: SIMDLength, //
](
    a: Doubles[width], b: Doubles[width], x: Doubles[width], used: Mask[width]
) -> Doubles[width]:
    """For positive finite a and b, and 0 < x < 1."""
    comptime V = Doubles[width]
    var p = _point(a, b, x)
    var large = a.ge(LEAST_TAIL) & b.ge(LEAST_TAIL)
    var factor = V(1)
    if large.reduce_or():
        var q = p
        q.a = large.select(p.a, V(LEAST_TAIL))
        q.b = large.select(p.b, V(LEAST_TAIL))
        factor = _factor_large(q)
    if not large.reduce_and():
        factor = large.select(factor, _factor_small(p))
    var value = factor * _fraction(p, used)
    return clamped(p.turned.select(1 - value, value), 0, 1)


@no_inline
def regularized_incomplete_beta[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """I(x; a, b); NaN for a or b below 0 and for x outside [0, 1].

    With a = 0 or b = inf it is 1 for x > 0; with b = 0 or a = inf, 0 for
    x < 1. NaN for a = b = 0 and for a = b = inf.
    """
    comptime V = Doubles[width]
    comptime infinity = inf[DType.float64]()
    comptime undefined = V(nan[DType.float64]())
    var regular = a.gt(0) & a.lt(infinity) & b.gt(0) & b.lt(infinity)
    regular &= x.gt(0) & x.lt(1)
    var value = V(0)
    if regular.reduce_or():
        value = _regular(
            clamped(regular.select(a, V(1)), LEAST, MOST),
            clamped(regular.select(b, V(1)), LEAST, MOST),
            regular.select(x, V(0.5)),
            regular,
        )
    var one = (a.eq(0) | b.eq(infinity) | x.eq(1)) & ~x.eq(0)
    value = regular.select(value, one.select(V(1), V(0)))
    var both = (a.eq(0) & b.eq(0)) | (a.eq(infinity) & b.eq(infinity))
    var defined = a.ge(0) & b.ge(0) & x.ge(0) & x.le(1) & ~both
    return defined.select(value, undefined)
