"""The regularised incomplete beta function, in float64.

I(x; a, b) = x**a (1 - x)**b / beta(a, b) times a continued fraction, up to
about the mean x = a / (a + b); beyond from I(x; a, b) = 1 - I(1 - x; b, a),
which for small b is one less its series.
"""

from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute
from elementwise.special.densities import beta_density
from elementwise.special.deviance import deviance
from elementwise.exponential import clamped, expm1
from elementwise.special.gamma import (
    LEAST_TAIL,
    Doubles,
    lgamma1p,
    log_of_pair,
    log_pair,
    stirling_change,
)
from elementwise.pairs import Pair

comptime MAX_STEPS = 5000
comptime LEAST = 1e-300
comptime MOST = 1e300
"""Bounds to which a and b are moved, against overflow."""
comptime FEW = 0.56
"""For b < 1, I is turned from x = 1/2 on where a (1 - x) is less: there the parts of
the series begin to have different signs."""
comptime CLOSE = 5
"""Steps of the fraction before this one are not rounded."""
comptime SHIFT = 7
"""To LEAST_TAIL."""
comptime TERMS = 60
"""Of the series, up to 1/2."""
comptime Mask[width: SIMDLength] = SIMD[DType.bool, width]


@fieldwise_init
struct _Point[width: SIMDLength](ImplicitlyCopyable, Movable):
    """The operands, turned so that x is not far above the mean.

    y = 1 - x, and `distance` = a - (a + b) x.
    """

    var a: Doubles[Self.width]
    var b: Doubles[Self.width]
    var x: Pair[Self.width]
    var y: Pair[Self.width]
    var distance: Pair[Self.width]
    var turned: Mask[Self.width]


@always_inline
def _point[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width], x: Doubles[width]) -> _Point[width]:
    comptime Number = Pair[width]
    var high = 1 - x
    var y = Number(high, (1 - high) - x)
    var distance = Number(a) * y - Number(b) * Number(x)
    # For small b, 1 - I(1 - x; b, a) would be a small difference.
    var low = b.lt(1) & (x.lt(0.5) | (a * high).gt(FEW))
    var turned = (distance.high + 1).lt(2 * x) & ~low
    return _Point[width](
        turned.select(b, a),
        turned.select(a, b),
        Number(x).where(turned, y),
        y.where(turned, Number(x)),
        distance.where(turned, -distance),
        turned,
    )


@fieldwise_init
struct _Fraction[width: SIMDLength](ImplicitlyCopyable, Movable):
    """The even part of the continued fraction, 1 / (b0 + a1 / (b1 + a2 / ...))."""

    var p: _Point[Self.width]

    @always_inline
    def terms(self, i: Int) -> Tuple[Doubles[Self.width], Doubles[Self.width]]:
        """The numerator and the denominator of step `i` > 0."""
        var p = self.p
        var m = Float64(i)
        var s = p.a + (2 * m - 1)
        var part = p.x.high / s
        var left = m * (p.b - m) * part
        var rest = ((p.a + p.b) + (m - 1)) * left
        var numerator = (p.a + (m - 1)) * part * rest
        var b = (p.a + m) / (s + 2)
        b *= p.distance.high + 1 + m * (1 + p.y.high)
        return (numerator, b + (m + left))

    @no_inline
    def close_terms(self, i: Int) -> Tuple[Pair[Self.width], Pair[Self.width]]:
        """The same, unrounded."""
        comptime Number = Pair[Self.width]
        var p = self.p
        var m = Number(Doubles[Self.width](i))
        var one = Number(Doubles[Self.width](1))
        var a = Number(p.a)
        var b = Number(p.b)
        var s = a + (m + m - one)
        var part = p.x / s
        var left = m * (b - m) * part
        var rest = (a + b + (m - one)) * left
        var numerator = (a + (m - one)) * part * rest
        var denominator = (a + m) / (s + one + one)
        denominator = denominator * (p.distance + one + m * (one + p.y))
        return (numerator, denominator + (m + left))

    @no_inline
    def steps(self, used: Mask[Self.width]) -> Tuple[Int, Mask[Self.width]]:
        """How many suffice, by Lentz' quotients, and where none do."""
        comptime V = Doubles[Self.width]
        var p = self.p
        var under = (p.a + 1) / p.a / (p.distance.high + 1)
        var over = V(1e300)
        var change = V(0)
        var count = 0
        for i in range(1, MAX_STEPS):
            count = i
            var next = self.terms(i)
            under = 1 / next[0].fma(under, next[1])
            over = next[1] + next[0] / over
            change = absolute(under * over - 1)
            if (change.le(3e-16) | ~used).reduce_and():
                break
        return (count, change.gt(1e-12))

    @no_inline
    def value(self, used: Mask[Self.width]) -> Pair[Self.width]:
        """From the last step to the first; the rounding of the first shows most.

        NaN where it does not converge: near the mean for a and b beyond 1e8.
        """
        comptime V = Doubles[Self.width]
        comptime Number = Pair[Self.width]
        var steps = self.steps(used)
        var rest = V(0)
        for i in reversed(range(CLOSE, steps[0] + 1)):
            var next = self.terms(i)
            rest = next[0] / (next[1] + rest)
        var last = Number(rest)
        for i in reversed(range(1, CLOSE)):
            var next = self.close_terms(i)
            last = next[0] / (next[1] + last)
        var one = Number(V(1))
        var p = self.p
        var first = Number(p.a) / (Number(p.a) + one) * (p.distance + one)
        var value = one / (first + last)
        return value.where(steps[1], Number(V(nan[DType.float64]())))


@no_inline
def _positive_fraction[
    width: SIMDLength, //
](p: _Point[width], used: Mask[width]) -> Pair[width]:
    """The continued fraction for b < 1, where its even part has differences.

    With c1, c2, ... of Gauss for F(1 - b, 1; a + 1; -x / y) it is
    1 / (a (y + c1 x / (1 + c2 x / (y + c3 x / (1 + ...))))), and all are positive.
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var x = p.x.high
    var y = p.y.high
    var b = used.select(p.b, V(0.5))
    # The fraction for the gamma distribution is the limit of large a.
    var reach = y.gt(0.2).select(max(p.a * y, V(6)), p.a * y)
    var least = used.select(reach, V(1e9)).reduce_min()
    var even = V(1)
    var odd = V(1)
    for i in reversed(range(1, 16 + Int(90 / least))):
        var m = Float64(i)
        var s = p.a + 2 * m
        odd = y + (m + 1 - b) / (s + 1) * ((p.a + m) / s) * (x / even)
        even = 1 + m / s * ((p.a + b + (m - 1)) / (s - 1)) * (x / odd)
    # The last steps show in the result.
    var one = Number(V(1))
    var a = Number(p.a)
    var s = a + one
    var scale = (a + Number(b)) / (s * (s + one))
    var last = one + scale * (p.x / Number(odd))
    var part = p.y + (one - Number(b)) / s * (p.x / last)
    return one / (a * part)


@no_inline
def _gamma_ratio[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width]) -> Pair[width]:
    """log(gamma(a + b) / (gamma(a) gamma(b + 1))) for b < 1, its rounding
    small beside b."""
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var few = a.lt(LEAST_TAIL)
    var many = few.select(a + Float64(SHIFT), a)
    var sum = Number.sum(many, b)
    var e = deviance(many, sum.high, sum.low)
    var rest = stirling_change(many, b) - 0.5 * e.log
    var log = Number(b) * log_pair(sum.high) - Number(e.high, e.low)
    log = log - lgamma1p(b) + Number(rest)
    if few.reduce_or():
        # From a to `many`: the product of 1 + b / (a + j).
        var steps = Number(V(1))
        for j in range(SHIFT):
            var next = Number(b) / Number.sum(a, V(Float64(j)))
            steps = steps + steps * next.where(~few, Number(V(0)))
        log = log - log_of_pair(steps)
    return log


@no_inline
def _rest[
    width: SIMDLength, //
](p: _Point[width], used: Mask[width]) -> Doubles[width]:
    """1 - I(x; a, b) for a < 1, x up to 1/2 and b x up to FEW.

    I = t (1 + a (1 - b) x / (a + 1) + a (1 - b) (2 - b) x**2 / (2 (a + 2)) + ...)
    with t = x**a gamma(a + b) / (gamma(b) gamma(a + 1)).
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var x = p.x.high
    var term = used.select(V(1), V(0))
    var sum = V(0)
    for i in range(1, TERMS):
        var n = Float64(i)
        term *= (n - p.b) * x * (1 / n)
        sum += term / (p.a + n)
        if absolute(term).lt(1e-18).reduce_and():
            break
    var log = Number(p.a) * log_of_pair(p.x) + _gamma_ratio(p.b, p.a)
    var less = expm1(log.high)
    less += log.low * (less + 1)
    return (-(less + 1) * p.a).fma(sum, -less)


@no_inline
def _regular[
    width: SIMDLength, //
](
    a: Doubles[width], b: Doubles[width], x: Doubles[width], used: Mask[width]
) -> Doubles[width]:
    """For positive finite a and b, and 0 < x < 1."""
    comptime V = Doubles[width]
    var p = _point(a, b, x)
    var low = p.b.lt(1) & used
    var value = Pair[width](V(0))
    if low.reduce_or():
        value = _positive_fraction(p, low)
    var other = used & ~low
    if other.reduce_or():
        value = _Fraction(p).value(other).where(low, value)
    var part = beta_density(p.a, p.b, p.x, p.y) * value
    var whole = part.where(p.turned, Pair[width](V(1)) - part).value()
    var small = p.turned & p.a.lt(1) & part.high.gt(0.75)
    if small.reduce_or():
        whole = small.select(_rest(p, small), whole)
    return clamped(whole, 0, 1)


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
