"""The densities of the gamma and the beta distribution, twice as exact as a float.

They are factors of the incomplete functions, as Loader's saddle-point form for
large parameters: what is large in their logarithms is a deviance.
"""

from elementwise.special.deviance import Deviance, deviance
from elementwise.special.gamma import (
    LEAST_TAIL,
    TWO_PI,
    TWO_PI_LOW,
    Doubles,
    digamma_above1,
    gamma1p,
    log_of_pair,
    stirling_rest,
)
from elementwise.pairs import Pair

comptime FACTORS = 6
"""Of gamma(a + 1) for a below LEAST_TAIL."""


@no_inline
def gamma_density_few[
    width: SIMDLength, //
](a: Doubles[width], x: Pair[width]) -> Pair[width]:
    """x**a exp(-x) / gamma(a + 1) for a below LEAST_TAIL."""
    comptime most = Doubles[width](1500)
    # exp(-1500) is 0.
    var bounded = x.where(x.high.gt(most), Pair[width](most))
    var log = Pair[width](a) * log_of_pair(bounded) - bounded
    return log.exp() / gamma1p[FACTORS](a)


@no_inline
def gamma_density[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width], e: Deviance[width]) -> Pair[width]:
    """x**a exp(-x) / gamma(a + 1), with the deviance of x from a."""
    comptime V = Doubles[width]
    var large = a.ge(LEAST_TAIL)
    var many = large.select(a, V(LEAST_TAIL))
    var under = Pair[width](V(TWO_PI), V(TWO_PI_LOW)) * Pair[width](many)
    var value = e.power(stirling_rest(many)) / under.square_root()
    if large.reduce_and():
        return value
    var few = gamma_density_few(large.select(V(1), a), Pair[width](x))
    return few.where(large, value)


@no_inline
def _beta_density_many[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width], x: Pair[width], y: Pair[width]) -> Pair[
    width
]:
    """For both from LEAST_TAIL on.

    Where (a + b) x would be a, and (a + b) y b, is the mean.
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var n = Number.sum(a, b)
    var ax = n * x
    var by = n * y
    var both = deviance(a, ax.high, ax.low) + deviance(b, by.high, by.low)
    var rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(n.high)
    var scale = Number(a) * (Number(b) / (n * Number(V(TWO_PI), V(TWO_PI_LOW))))
    return both.power(rest) * scale.square_root()


@no_inline
def _beta_density_mixed[
    width: SIMDLength, //
](
    few: Doubles[width],
    many: Doubles[width],
    x: Pair[width],
    y: Pair[width],
) -> Pair[width]:
    """x**few y**many / beta(few, many), for `many` alone from LEAST_TAIL on.

    (many + few) x has a gamma distribution in the limit of `many`.
    """
    comptime Number = Pair[width]
    var n = Number.sum(few, many)
    var expected = n * y
    var e = deviance(many, expected.high, expected.low)
    var value = e.power(stirling_rest(many) - stirling_rest(n.high))
    value = value * (Number(many) / n).square_root()
    return Number(few) * gamma_density_few(few, n * x) * value


@no_inline
def _beta_density_few[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width], x: Pair[width], y: Pair[width]) -> Pair[
    width
]:
    """For both below LEAST_TAIL."""
    comptime Number = Pair[width]
    var log = Number(a) * log_of_pair(x) + Number(b) * log_of_pair(y)
    var n = Number.sum(a, b)
    var whole = gamma1p[2 * FACTORS + 1](n.high)
    whole.low += whole.high * digamma_above1(1 + n.high) * n.low
    var value = log.exp() * (Number(a) * (Number(b) / n))
    return value * whole / (gamma1p[FACTORS](a) * gamma1p[FACTORS](b))


@no_inline
def beta_density[
    width: SIMDLength, //
](a: Doubles[width], b: Doubles[width], x: Pair[width], y: Pair[width]) -> Pair[
    width
]:
    """x**a y**b / beta(a, b) for y = 1 - x."""
    comptime V = Doubles[width]
    comptime least = V(LEAST_TAIL)
    var swapped = a.gt(b)
    var few = swapped.select(b, a)
    var many = swapped.select(a, b)
    var of_few = x.where(swapped, y)
    var of_many = y.where(swapped, x)
    var all_many = few.ge(LEAST_TAIL)
    var all_few = many.lt(LEAST_TAIL)
    var value = Pair[width](V(0))
    if all_many.reduce_or():
        value = _beta_density_many(
            max(few, least), max(many, least), of_few, of_many
        )
    if all_few.reduce_or():
        var one = V(1)
        var small = _beta_density_few(
            all_few.select(few, one), all_few.select(many, one), of_few, of_many
        )
        value = value.where(all_few, small)
    var mixed = ~(all_few | all_many)
    if mixed.reduce_or():
        var one = V(1)
        var part = _beta_density_mixed(
            mixed.select(few, one), max(many, least), of_few, of_many
        )
        value = value.where(mixed, part)
    return value
