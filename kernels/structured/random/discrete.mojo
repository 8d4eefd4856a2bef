"""The distributions of integers: those of NumPy's Generator, and what both generators share."""
from std.builtin.globals import global_constant
from std.math import ceil, floor, sqrt

from structured.operands.operand import load
from structured.random.bits import Bits, Source
from structured.libm import exp, expm1, log, log1p, power
from structured.random.tables import LOG_FACTORIALS
from structured.random.ziggurat import standard_exponential

comptime _LARGEST = 9.223372036854776e18
"""The first float beyond all int64."""
comptime _STIRLING: Array[Float64, 10] = [
    8.333333333333333e-02,
    -2.777777777777778e-03,
    7.936507936507937e-04,
    -5.952380952380952e-04,
    8.417508417508418e-04,
    -1.917526917526918e-03,
    6.410256410256410e-03,
    -2.955065359477124e-02,
    1.796443723688307e-01,
    -1.39243221690590e00,
]
"""Coefficients of the series of the logarithm of the gamma function."""
comptime SPREAD = 1.7155277699214135
"""2 sqrt(2 / e), of the ratio of uniforms."""
comptime OFFSET = 0.8989161620588988
"""3 - 2 sqrt(3 / e)."""


@always_inline
def as_float(x: Int64) -> Float64:
    return x.cast[DType.float64]()


@always_inline
def as_int(x: Float64) -> Int64:
    return x.cast[DType.int64]()


def log_gamma(x: Float64) -> Float64:
    """The logarithm of the gamma function, after Zhang and Jin."""
    if x == 1.0 or x == 2.0:
        return 0.0
    var steps = as_int(7 - x) if x < 7.0 else Int64(0)
    var x0 = x + as_float(steps)
    var x2 = (1.0 / x0) * (1.0 / x0)
    comptime last = _STIRLING[9]
    var sum: Float64 = last
    comptime for k in reversed(range(9)):
        comptime coefficient = _STIRLING[k]
        sum *= x2
        sum += coefficient
    var found = (
        sum / x0 + 0.5 * 1.8378770664093453e00 + (x0 - 0.5) * log(x0) - x0
    )
    if x < 7.0:
        for _ in range(Int(steps)):
            found -= log(x0 - 1.0)
            x0 -= 1.0
    return found


def log_factorial(k: Int64) -> Float64:
    """The logarithm of a factorial: of a table, or three terms of Stirling's series."""
    if k < 126:
        return load[DType.float64](
            Int(Pointer(to=global_constant[LOG_FACTORIALS]())) + 8 * Int(k)
        )
    var x = as_float(k)
    return (
        (x + 0.5) * log(x)
        - x
        + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)))
    )


struct Poisson(TrivialRegisterPassable):
    """What is worked out once for all Poisson numbers of one mean.

    They are drawn by products, or from 10 on by transformed rejection.
    """

    var lam: Float64
    var limit: Float64
    """Below it a product of few numbers ends."""
    var log_lam: Float64
    var a: Float64
    var b: Float64
    var log_inverse: Float64
    var vr: Float64

    def __init__(out self, lam: Float64):
        self.lam = lam
        self.limit = 0.0 if lam >= 10 else exp(-lam)
        self.log_lam = 0.0
        self.a = 0.0
        self.b = 0.0
        self.log_inverse = 0.0
        self.vr = 0.0
        if lam >= 10:
            self.log_lam = log(lam)
            self.b = 0.931 + 2.53 * sqrt(lam)
            self.a = -0.059 + 0.02483 * self.b
            self.log_inverse = log(1.1239 + 1.1328 / (self.b - 3.4))
            self.vr = 0.9277 - 3.6224 / (self.b - 2)

    def draw[B: Bits, //](self, mut source: Source[B]) -> Int64:
        """The next number."""
        if self.lam >= 10:
            return self._large(source)
        if self.lam == 0:
            return 0
        var found = Int64(0)
        var product = source.next_double()
        while product > self.limit:
            found += 1
            product *= source.next_double()
        return found

    def _large[B: Bits, //](self, mut source: Source[B]) -> Int64:
        while True:
            var u = source.next_double() - 0.5
            var v = source.next_double()
            var us = 0.5 - abs(u)
            var k = as_int(
                floor((2 * self.a / us + self.b) * u + self.lam + 0.43)
            )
            if us >= 0.07 and v <= self.vr:
                return k
            if k < 0 or (us < 0.013 and v > us):
                continue
            var left = (
                log(v) + self.log_inverse - log(self.a / (us * us) + self.b)
            )
            var right = (
                -self.lam
                + as_float(k) * self.log_lam
                - log_gamma(as_float(k) + 1)
            )
            if left <= right:
                return k


@always_inline
def poisson[B: Bits, //](mut source: Source[B], lam: Float64) -> Int64:
    """A Poisson number."""
    return Poisson(lam).draw(source)


def geometric_search[B: Bits, //](mut source: Source[B], p: Float64) -> Int64:
    """A geometric number, by adding up probabilities."""
    var found = Int64(1)
    var sum = p
    var product = p
    var q = 1.0 - p
    var u = source.next_double()
    while u > sum:
        product *= q
        sum += product
        found += 1
    return found


def geometric[B: Bits, //](mut source: Source[B], p: Float64) -> Int64:
    if p >= 0.333333333333333333333333:
        return geometric_search(source, p)
    var z = ceil(-standard_exponential(source) / log1p(-p))
    return Int64.MAX if z >= _LARGEST else as_int(z)


def zipf[B: Bits, //, older: Bool](mut source: Source[B], a: Float64) -> Int64:
    """A number of Zipf's law; the older generator also looks at numbers that are too large."""
    comptime if not older:
        if a >= 1025:
            return 1
    var am1 = a - 1.0
    var b = power(Float64(2.0), am1)
    var least = 0.0 if older else power(Float64(_LARGEST), -am1)
    while True:
        var u: Float64
        comptime if older:
            u = 1.0 - source.next_double()
        else:
            var u01 = source.next_double()
            u = u01 * least + (1 - u01)
        var v = source.next_double()
        var x = floor(power(u, -1.0 / am1))
        if x > _LARGEST or x < 1.0:
            continue
        var t = power(1.0 + 1.0 / x, am1)
        if v * x * (t - 1.0) / (b - 1.0) <= t / b:
            return as_int(x)


def logseries[
    B: Bits, //, older: Bool
](mut source: Source[B], p: Float64) -> Int64:
    """A number of the logarithmic distribution."""
    var r = log(1.0 - p) if older else log1p(-p)
    while True:
        var v = source.next_double()
        if v >= p:
            return 1
        var u = source.next_double()
        var q = 1.0 - exp(r * u) if older else -expm1(r * u)
        if v <= q * q:
            var found = as_int(floor(1 + log(v) / log(q)))
            if found < 1 or v == 0.0:
                continue
            return found
        return 1 if v >= q else 2


@always_inline
def mask_of(largest: UInt64) -> UInt64:
    """The least number of ones only that is as large as a number."""
    var mask = largest
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    return mask


@always_inline
def interval[B: Bits, //](mut source: Source[B], largest: UInt64) -> UInt64:
    """An integer from 0 to `largest`, by masking and rejecting."""
    if largest == 0:
        return 0
    var mask = mask_of(largest)
    if largest <= 0xFFFFFFFF:
        while True:
            var found = source.next32().cast[DType.uint64]() & mask
            if found <= largest:
                return found
    while True:
        var found = source.next64() & mask
        if found <= largest:
            return found


def hypergeometric[
    B: Bits, //
](mut source: Source[B], good: Int64, bad: Int64, sample: Int64) -> Int64:
    """How many of a sample are good: drawn one by one, or by the ratio of uniforms."""
    if sample >= 10 and sample <= good + bad - 10:
        return _hypergeometric_ratio(source, good, bad, sample)
    var total = good + bad
    var left = total - sample if sample > total // 2 else sample
    var remaining = total
    var remaining_good = good
    while left > 0 and remaining_good > 0 and remaining > remaining_good:
        remaining -= 1
        if (
            interval(source, remaining.cast[DType.uint64]()).cast[DType.int64]()
            < remaining_good
        ):
            remaining_good -= 1
        left -= 1
    if remaining == remaining_good:
        remaining_good -= left
    return remaining_good if sample > total // 2 else good - remaining_good


def _hypergeometric_ratio[
    B: Bits, //
](mut source: Source[B], good: Int64, bad: Int64, sample: Int64) -> Int64:
    """The same after Stadlober (1990)."""
    var population = good + bad
    var n = min(sample, population - sample)
    var few = min(good, bad)
    var many = max(good, bad)
    var p = as_float(few) / as_float(population)
    var q = as_float(many) / as_float(population)
    var a = as_float(n) * p + 0.5
    var variance = (
        as_float(population - n)
        * as_float(n)
        * p
        * q
        / as_float(population - 1)
    )
    var c = sqrt(variance + 0.5)
    var h = SPREAD * c + OFFSET
    var m = as_int(
        floor(as_float(n + 1) * as_float(few + 1) / as_float(population + 2))
    )
    var g = (
        log_factorial(m)
        + log_factorial(few - m)
        + log_factorial(n - m)
        + log_factorial(many - n + m)
    )
    var b = min(as_float(min(n, few) + 1), floor(a + 16 * c))
    var k: Int64
    while True:
        var u = source.next_double()
        var v = source.next_double()
        var x = a + h * (v - 0.5) / u
        if x < 0.0 or x >= b:
            continue
        k = as_int(floor(x))
        var gp = (
            log_factorial(k)
            + log_factorial(few - k)
            + log_factorial(n - k)
            + log_factorial(many - n + k)
        )
        var t = g - gp
        if u * (4.0 - u) - 3.0 <= t:
            break
        if u * (u - t) >= 1:
            continue
        if 2.0 * log(u) <= t:
            break
    if good > bad:
        k = n - k
    return good - k if n < sample else k
