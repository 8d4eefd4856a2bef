"""The distributions of integers that NumPy's RandomState draws in a way of its own."""
from std.math import ceil, floor, sqrt

from structured.random.bits import Bits, Source
from structured.random.discrete import (
    OFFSET,
    SPREAD,
    as_float,
    as_int,
    geometric_search,
    log_gamma,
)
from structured.libm import log, log1p


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
    var d8 = SPREAD * d7 + OFFSET
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
