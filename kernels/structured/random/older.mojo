"""What the distributions of NumPy's RandomState do in another way than those of Generator."""
from std.math import ceil, floor, sqrt
from std.utils.numerics import isnan, nan

from structured.random.bits import Bits, Source
from structured.random.continuous import vonmises
from structured.random.discrete import (
    as_float,
    as_int,
    geometric_search,
    log_gamma,
    poisson,
)
from structured.random.libm import exp, log, log1p, power

comptime _SPREAD = 1.7155277699214135
comptime _OFFSET = 0.8989161620588988


def gauss[B: Bits, //](mut source: Source[B]) -> Float64:
    """A normal number, by the polar method, which makes two at once and keeps one."""
    if source.has_gauss:
        source.has_gauss = False
        var kept = source.gauss
        source.gauss = 0.0
        return kept
    var x1: Float64
    var x2: Float64
    var r2: Float64
    while True:
        x1 = 2.0 * source.next_double() - 1.0
        x2 = 2.0 * source.next_double() - 1.0
        r2 = x1 * x1 + x2 * x2
        if not (r2 >= 1.0 or r2 == 0.0):
            break
    var f = sqrt(-2.0 * log(r2) / r2)
    source.gauss = f * x1
    source.has_gauss = True
    return f * x2


@always_inline
def standard_exponential[B: Bits, //](mut source: Source[B]) -> Float64:
    return -log(1.0 - source.next_double())


def standard_gamma[
    B: Bits, //
](mut source: Source[B], shape: Float64) -> Float64:
    if shape == 1.0:
        return standard_exponential(source)
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            var u = source.next_double()
            var v = standard_exponential(source)
            if u <= 1.0 - shape:
                var x = power(u, 1.0 / shape)
                if x <= v:
                    return x
            else:
                var y = -log((1 - u) / shape)
                var x = power(1.0 - shape + shape * y, 1.0 / shape)
                if x <= v + y:
                    return x
    var b = shape - 1.0 / 3.0
    var c = 1.0 / sqrt(9 * b)
    while True:
        var x = gauss(source)
        var v = 1.0 + c * x
        while v <= 0.0:
            x = gauss(source)
            v = 1.0 + c * x
        v = v * v * v
        var u = source.next_double()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if log(u) < 0.5 * x * x + b * (1.0 - v + log(v)):
            return b * v


@always_inline
def chisquare[B: Bits, //](mut source: Source[B], df: Float64) -> Float64:
    return 2.0 * standard_gamma(source, df / 2.0)


def noncentral_chisquare[
    B: Bits, //
](mut source: Source[B], df: Float64, nonc: Float64) -> Float64:
    if nonc == 0:
        return chisquare(source, df)
    if df > 1:
        var central = chisquare(source, df - 1)
        var n = gauss(source) + sqrt(nonc)
        return central + n * n
    var i = poisson(source, nonc / 2.0)
    var found = chisquare(source, df + (2 * i).cast[DType.float64]())
    return nan[DType.float64]() if isnan(nonc) else found


def beta[B: Bits, //](mut source: Source[B], a: Float64, b: Float64) -> Float64:
    if a > 1.0 or b > 1.0:
        var first = standard_gamma(source, a)
        var second = standard_gamma(source, b)
        return first / (first + second)
    while True:
        var u = source.next_double()
        var v = source.next_double()
        var x = power(u, 1.0 / a)
        var y = power(v, 1.0 / b)
        if x + y <= 1.0:
            if x + y > 0:
                return x / (x + y)
            var log_x = log(u) / a
            var log_y = log(v) / b
            var most = log_x if log_x > log_y else log_y
            log_x -= most
            log_y -= most
            return exp(log_x - log(exp(log_x) + exp(log_y)))


def wald[
    B: Bits, //
](mut source: Source[B], mean: Float64, scale: Float64) -> Float64:
    var ratio = mean / (2 * scale)
    var y = gauss(source)
    y = mean * y * y
    var x = mean + ratio * (y - sqrt(4 * scale * y + y * y))
    if source.next_double() <= mean / (mean + x):
        return x
    return mean * mean / x


def geometric[B: Bits, //](mut source: Source[B], p: Float64) -> Int64:
    if p >= 0.333333333333333333333333:
        return geometric_search(source, p)
    return as_int(ceil(log1p(-source.next_double()) / log(1 - p)))


def hypergeometric[
    B: Bits, //
](mut source: Source[B], good: Int64, bad: Int64, sample: Int64) -> Int64:
    """How many of a sample are good."""
    if sample > 10:
        return _hypergeometric_ratio(source, good, bad, sample)
    if sample <= 0:
        return 0
    var d1 = bad + good - sample
    var d2 = as_float(min(bad, good))
    var y = d2
    var k = sample
    while y > 0.0:
        var u = source.next_double()
        y -= floor(u + y / as_float(d1 + k))
        k -= 1
        if k == 0:
            break
    var z = as_int(d2 - y)
    return sample - z if good > bad else z


def _hypergeometric_ratio[
    B: Bits, //
](mut source: Source[B], good: Int64, bad: Int64, sample: Int64) -> Int64:
    var few = min(good, bad)
    var population = good + bad
    var many = max(good, bad)
    var m = min(sample, population - sample)
    var d4 = as_float(few) / as_float(population)
    var d5 = 1.0 - d4
    var d6 = as_float(m) * d4 + 0.5
    var d7 = sqrt(
        as_float(population - m)
        * as_float(sample)
        * d4
        * d5
        / as_float(population - 1)
        + 0.5
    )
    var d8 = _SPREAD * d7 + _OFFSET
    var d9 = as_int(
        floor(as_float(m + 1) * as_float(few + 1) / as_float(population + 2))
    )
    var d10 = _logs(d9, few, m, many)
    var d11 = min(as_float(min(m, few)) + 1.0, floor(d6 + 16 * d7))
    var z: Int64
    while True:
        var x = source.next_double()
        var y = source.next_double()
        var w = d6 + d8 * (y - 0.5) / x
        if w < 0.0 or w >= d11:
            continue
        z = as_int(floor(w))
        var t = d10 - _logs(z, few, m, many)
        if x * (4.0 - x) - 3.0 <= t:
            break
        if x * (x - t) >= 1:
            continue
        if 2.0 * log(x) <= t:
            break
    if good > bad:
        z = m - z
    return good - z if m < sample else z


@always_inline
def _logs(z: Int64, few: Int64, m: Int64, many: Int64) -> Float64:
    return (
        log_gamma(as_float(z + 1))
        + log_gamma(as_float(few - z + 1))
        + log_gamma(as_float(m - z + 1))
        + log_gamma(as_float(many - m + z + 1))
    )


@always_inline
def drawn_older[
    B: Bits, //, name: StaticString
](mut source: Source[B], a: Float64, b: Float64, c: Float64) -> Float64:
    """A float of the distribution of a name."""
    comptime if name == "standard_normal":
        return gauss(source)
    elif name == "normal":
        return a + b * gauss(source)
    elif name == "standard_exponential":
        return standard_exponential(source)
    elif name == "exponential":
        return a * standard_exponential(source)
    elif name == "standard_gamma":
        return standard_gamma(source, a)
    elif name == "gamma":
        return b * standard_gamma(source, a)
    elif name == "beta":
        return beta(source, a, b)
    elif name == "chisquare":
        return chisquare(source, a)
    elif name == "noncentral_chisquare":
        return noncentral_chisquare(source, a, b)
    elif name == "f":
        var above = chisquare(source, a) * b
        return above / (chisquare(source, b) * a)
    elif name == "noncentral_f":
        var above = noncentral_chisquare(source, a, c) * b
        return above / (chisquare(source, b) * a)
    elif name == "standard_cauchy":
        var above = gauss(source)
        return above / gauss(source)
    elif name == "standard_t":
        var above = gauss(source)
        var below = standard_gamma(source, a / 2)
        return sqrt(a / 2) * above / sqrt(below)
    elif name == "pareto":
        return exp(standard_exponential(source) / a) - 1
    elif name == "weibull":
        if a == 0.0:
            return 0.0
        return power(standard_exponential(source), 1.0 / a)
    elif name == "power":
        return power(1 - exp(-standard_exponential(source)), 1.0 / a)
    elif name == "lognormal":
        return exp(a + b * gauss(source))
    elif name == "rayleigh":
        return a * sqrt(-2.0 * log1p(-source.next_double()))
    elif name == "vonmises":
        return vonmises[older=True](source, a, b)
    else:
        comptime assert name == "wald", "no such distribution"
        return wald(source, a, b)
