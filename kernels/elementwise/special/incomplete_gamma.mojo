"""The incomplete gamma function and its derivatives, in float64.

P(a, x) is regularised: from 0 for x = 0 to 1 for x = inf. All of it has the
factor D = x**a exp(-x) / gamma(a + 1), in which P = D times

- a series in x up to x = a,
- 1 / D - a times continued fractions beyond,
- Temme's series for large a with x near a,

and each of the three stops where its terms are nothing beside the sum.
"""

from std.math import floor
from std.utils.numerics import inf, nan

from elementwise.arithmetic import absolute
from elementwise.special.densities import gamma_density
from elementwise.special.deviance import Deviance, deviance
from elementwise.exponential import clamped, expm1
from elementwise.numbers.floats import two_product, two_sum
from elementwise.special.gamma import Doubles, digamma1p, lgamma1p, log_pair
from elementwise.pairs import Pair
from elementwise.special.temme import (
    TEMME_ABOVE,
    TEMME_BELOW,
    TEMME_LEAST,
    temme,
)

comptime NEAR_0 = 0.56
"""Up to here the series in x, beyond the fraction, whatever a is: where for small
a the two parts of Q begin to have different signs, at exp(-0.5772)."""
comptime HUGE = 1e300
comptime HUGE_SCALE = 1.0 / 4294967296.0
"""By its square a and x are scaled for larger a, so that no sum of them overflows."""
comptime MAX_STEPS = 300
comptime LARGE_STEPS = 25
"""Of the fraction above Temme's series."""
comptime ENOUGH = 1e-17
comptime Mask[width: SIMDLength] = SIMD[DType.bool, width]


@fieldwise_init
struct _Incomplete[width: SIMDLength](ImplicitlyCopyable, Movable):
    """P, Q = 1 - P and (dP / da) / D."""

    var p: Doubles[Self.width]
    var q: Doubles[Self.width]
    var slope: Doubles[Self.width]

    def __init__(out self, p: Pair[Self.width], slope: Doubles[Self.width]):
        self.p = p.value()
        self.q = (Pair[Self.width](Doubles[Self.width](1)) - p).value()
        self.slope = slope

    def upper(self) -> Self:
        """The same with P and Q exchanged."""
        return Self(self.q, self.p, self.slope)

    def where(self, mask: Mask[Self.width], other: Self) -> Self:
        """`other` where the mask is true."""
        return Self(
            mask.select(other.p, self.p),
            mask.select(other.q, self.q),
            mask.select(other.slope, self.slope),
        )


@no_inline
def _log_rate[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Pair[width]:
    """(dD / da) / D, a small difference where x is near a."""
    return log_pair(x) - digamma1p(a)


@no_inline
def _series[
    width: SIMDLength, //, sloped: Bool
](
    a: Doubles[width],
    x: Doubles[width],
    d: Pair[width],
    used: Mask[width],
) -> _Incomplete[width]:
    """P = D (1 + x / (a + 1) + x**2 / ((a + 1) (a + 2)) + ...), for x <= a."""
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var term = used.select(V(1), V(0))
    var sum = V(1)
    # What the roundings have taken from them.
    var term_low = V(0)
    var sum_low = V(0)
    var harmonic = Number(V(0))
    var slopes = Number(V(0))
    for n in range(1, MAX_STEPS):
        var under = two_sum(a, V(Float64(n)))
        var inverse = 1 / under[0]
        var ratio = x * inverse
        var lost = (-ratio).fma(under[0], x) - ratio * under[1]
        var product = two_product(term, ratio)
        term_low = term_low.fma(ratio, term.fma(lost * inverse, product[1]))
        term = product[0]
        var next = two_sum(sum, term)
        sum = next[0]
        sum_low += next[1] + term_low
        comptime if sloped:
            var denominator = Number(under[0], under[1])
            harmonic = harmonic + Number(V(1)) / denominator
            slopes = slopes - Number(term, term_low) * harmonic
        if term.le(sum * ENOUGH).reduce_and():
            break
    var whole = Number(sum, sum_low)
    comptime if sloped:
        slopes = whole * _log_rate(a, x) + slopes
    return _Incomplete[width](d * whole, slopes.value())


@no_inline
def _rest_near_0[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width], used: Mask[width]) -> Doubles[width]:
    """Q for a <= 1 and x <= 1, where P is near 1.

    1 - Q = t (1 - a x / (a + 1) + a x**2 / (2 (a + 2)) - ...) with
    t = x**a / gamma(a + 1).
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var term = used.select(-x, V(0))
    var rest = V(0)
    comptime for n in range(2, 22):
        term *= x * Float64(-1.0 / Float64(n))
        rest += term / (a + Float64(n))
    var sum = Number(rest) - Number(x) / (Number(V(1)) + Number(a))
    var log = Number(a) * log_pair(x) - lgamma1p(a)
    var less = expm1(log.high)
    less += log.low * (less + 1)
    var t = Number(V(1)) + Number(less)
    return (-Number(less) - t * Number(a) * sum).value()


@fieldwise_init
struct _Rest[width: SIMDLength](ImplicitlyCopyable, Movable):
    """gamma(a, x) / (x**a exp(-x)) and its derivative by a."""

    var value: Pair[Self.width]
    var slope: Pair[Self.width]

    def where(self, mask: Mask[Self.width], other: Self) -> Self:
        """`other` where the mask is true."""
        return Self(
            self.value.where(mask, other.value),
            self.slope.where(mask, other.slope),
        )


@no_inline
def _fraction_up[
    width: SIMDLength, //, sloped: Bool
](a: Doubles[width], x: Doubles[width], used: Mask[width]) -> _Rest[width]:
    """For a < TEMME_LEAST, x > a and NEAR_0.

    For f = a - floor(a) it is 1 / (x + (1 - f) / (1 + 1 / (x + (2 - f) / ...))),
    from there upwards G(f + 1) = (f G(f) + 1) / x: no differences.
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var whole = floor(a)
    var f = a - whole
    var least = used.select(x, V(1e9)).reduce_min()
    var t = x
    var t_slope = V(0)
    for k in reversed(range(2, 16 + Int(90 / least))):
        var n = Float64(k)
        var part = t / (t + n)
        comptime if sloped:
            var under = t + n
            t_slope = (n - f) * (n / (under * under)) * t_slope - part
        t = x + (n - f) * part
    # The last step shows in the result.
    var part = t / (t + 1)
    var one = Number(V(1))
    var g = one / Number.sum(x, (1 - f) * part)
    var slope = Number(V(0))
    comptime if sloped:
        t_slope = (1 - f) * t_slope / ((t + 1) * (t + 1)) - part
        slope = g * g * Number(-t_slope)
    for j in range(Int(used.select(whole, V(0)).reduce_max())):
        var more = whole.gt(Float64(j))
        var n = Number.sum(f, V(Float64(j)))
        comptime if sloped:
            slope = slope.where(more, (n * slope + g) / Number(x))
        g = g.where(more, (n * g + one) / Number(x))
    return _Rest[width](g, slope)


@no_inline
def _fraction_down[
    width: SIMDLength, //, sloped: Bool
](a: Doubles[width], x: Doubles[width]) -> _Rest[width]:
    """For larger a, and x beyond Temme's series.

    It is 1 / (x + 1 - a + (a - 1) / (x + 3 - a + 2 (a - 2) / ...)), sums of what
    is positive, as LARGE_STEPS < TEMME_LEAST.
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var distance = Number.sum(x, -a)
    var b = distance.high + Float64(2 * LARGE_STEPS + 1)
    var t = b
    var t_slope = V(-1)
    for i in reversed(range(2, LARGE_STEPS + 1)):
        var n = Float64(i)
        b -= 2
        var part = (a - n) / t
        comptime if sloped:
            t_slope = n * ((1 - part * t_slope) / t) - 1
        t = b + n * part
    # The last step shows in the result.
    var part = (a - 1) / t
    var one = Number(V(1))
    var g = one / (distance + one + Number(part))
    var slope = Number(V(0))
    comptime if sloped:
        t_slope = (1 - part * t_slope) / t - 1
        slope = g * g * Number(-t_slope)
    return _Rest[width](g, slope)


@no_inline
def _fraction[
    width: SIMDLength, //, sloped: Bool
](
    a: Doubles[width],
    x: Doubles[width],
    d: Pair[width],
    used: Mask[width],
) -> _Incomplete[width]:
    """Q = D a G by fractions, for x > a and NEAR_0."""
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var large = a.ge(TEMME_LEAST)
    var rest = _Rest[width](Number(V(0)), Number(V(0)))
    if (large & used).reduce_or():
        rest = _fraction_down[sloped](
            large.select(a, V(TEMME_LEAST)), large.select(x, V(2 * TEMME_LEAST))
        )
    var few = used & ~large
    if few.reduce_or():
        var up = _fraction_up[sloped](
            few.select(a, V(1)), few.select(x, V(9)), few
        )
        rest = up.where(large, rest)
    var slope = Number(V(0))
    comptime if sloped:
        var rate = Number(a) * _log_rate(a, x) + Number(V(1))
        slope = rest.value * rate + Number(a) * rest.slope
    var q = d * (Number(a) * rest.value)
    return _Incomplete[width](q, -slope.value()).upper()


@no_inline
def _regular[
    width: SIMDLength, //, sloped: Bool
](var a: Doubles[width], var x: Doubles[width]) -> Tuple[
    _Incomplete[width], Doubles[width]
]:
    """For positive finite a and x; with the factor D."""
    comptime V = Doubles[width]
    # There P is a step at x = a, and D is 0 or 1 / sqrt(2 pi a).
    var huge = a.gt(HUGE)
    a = huge.select(a * HUGE_SCALE * HUGE_SCALE, a)
    x = huge.select(max(x * HUGE_SCALE * HUGE_SCALE, V(1e-300)), x)
    var e = deviance(a, x)
    var d = gamma_density(a, x, e)
    var result = _Incomplete[width](V(0), V(0), V(0))
    var mu = (x - a) / a
    var near = a.ge(TEMME_LEAST) & mu.ge(TEMME_BELOW) & mu.le(TEMME_ABOVE)
    if near.reduce_or():
        var one = V(TEMME_LEAST)
        var at = e.where(~near, Deviance[width](V(0), V(0), V(0)))
        var parts = temme(near.select(a, one), near.select(x, one), at)
        result = _Incomplete[width](parts[0], parts[1], parts[2])
    var below = ~near & (x.le(a) | x.le(NEAR_0))
    if below.reduce_or():
        result = result.where(below, _series[sloped](a, x, d, below))
    var far = ~near & ~below
    if far.reduce_or():
        result = result.where(far, _fraction[sloped](a, x, d, far))
    comptime if not sloped:
        var low = below & result.p.gt(0.75)
        if low.reduce_or():
            var q = _rest_near_0(
                low.select(a, V(0.5)), low.select(x, V(0.5)), low
            )
            result.q = low.select(q, result.q)
            result.p = low.select(1 - q, result.p)
    var factor = d.value()
    return (result, huge.select(factor * HUGE_SCALE, factor))


@always_inline
def _is_regular[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Mask[width]:
    comptime infinity = inf[DType.float64]()
    return a.gt(0) & a.lt(infinity) & x.gt(0) & x.lt(infinity)


@no_inline
def _both[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Tuple[
    Doubles[width], Doubles[width]
]:
    """P and Q.

    For x > 0, P(0, x) = 1 and P(inf, x) = 0; P(a, inf) = 1 even then. NaN for
    operands below 0 and for P(0, 0).
    """
    comptime V = Doubles[width]
    comptime infinity = inf[DType.float64]()
    comptime undefined = V(nan[DType.float64]())
    var regular = _is_regular(a, x)
    var value = _regular[False](
        regular.select(a, V(1)), regular.select(x, V(1))
    )[0]
    var one = (a.eq(0) & x.gt(0)) | (a.ge(0) & x.eq(infinity))
    var zero = (a.gt(0) & x.eq(0)) | (a.eq(infinity) & x.ge(0) & ~one)
    var p = regular.select(clamped(value.p, 0, 1), undefined)
    var q = regular.select(clamped(value.q, 0, 1), undefined)
    p = one.select(V(1), zero.select(V(0), p))
    q = one.select(V(0), zero.select(V(1), q))
    return (p, q)


@always_inline
def igamma[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """The regularised lower incomplete gamma function P(a, x)."""
    return _both(a, x)[0]


@always_inline
def igammac[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """The regularised upper incomplete gamma function, 1 - P(a, x)."""
    return _both(a, x)[1]


@no_inline
def _slopes[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Tuple[
    Doubles[width], Doubles[width]
]:
    """(dP / da) / D and D; 0 for x = 0, NaN outside finite a, x > 0."""
    comptime V = Doubles[width]
    var regular = _is_regular(a, x)
    var value = _regular[True](regular.select(a, V(1)), regular.select(x, V(1)))
    var zero = x.eq(0) & a.gt(0)
    var outside = zero.select(V(0), V(nan[DType.float64]()))
    return (
        regular.select(value[0].slope, outside),
        regular.select(value[1], V(1)),
    )


@always_inline
def igamma_grad_a[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """The derivative of igamma by a; 0 for x = 0."""
    var slopes = _slopes(a, x)
    return slopes[0] * slopes[1]


@always_inline
def random_gamma_grad[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width]) -> Doubles[width]:
    """The derivative by a of the x at which igamma has a given value."""
    comptime V = Doubles[width]
    # dP / dx = D a / x.
    var value = -_slopes(a, x)[0] * (x / a)
    return (x.eq(0) & a.gt(0)).select(V(0), value)
