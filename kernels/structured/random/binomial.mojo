"""Binomial numbers, by inversion or the method BTPE of Kachitvichyanukul and Schmeiser (1988)."""
from std.math import floor, sqrt

from structured.random.bits import Bits, Source
from structured.random.discrete import as_float, as_int
from structured.libm import exp, log, log1p

comptime _MOST_CHANCES = 96
"""More than the numbers that inversion gives."""
comptime _INVERSION = 30.0
"""The mean up to which numbers are drawn by inversion."""


struct Binomial[older: Bool](Copyable):
    """What is worked out once for all numbers of n trials with probability p.

    The older generator computes some of it in another way.
    """

    var corrected: Bool
    """Whether Stirling's series is what NumPy has from 2.5 on, the older generator's excepted."""
    var n: Int64
    var p: Float64
    """The probability that was asked for."""
    var least: Float64
    """The smaller one of p and 1 - p, with which numbers are drawn."""
    var inverts: Bool
    var q: Float64
    var chances: Array[Float64, _MOST_CHANCES]
    """The probabilities of 0, 1, 2 .., for inversion, as far as they are known."""
    var known: Int
    var bound: Int64
    var fm: Float64
    var m: Int64
    var p1: Float64
    var xm: Float64
    var xl: Float64
    var xr: Float64
    var c: Float64
    var laml: Float64
    var lamr: Float64
    var p2: Float64
    var p3: Float64
    var p4: Float64

    def __init__(out self, n: Int64, p: Float64, *, corrected: Bool):
        self.corrected = corrected
        self.n = n
        self.p = p
        self.least = p if p <= 0.5 else 1.0 - p
        self.inverts = self.least * as_float(n) <= _INVERSION
        self.q = 1.0 - self.least
        self.chances = Array[Float64, _MOST_CHANCES](uninitialized=True)
        self.known = 1
        self.bound = 0
        self.fm = 0.0
        self.m = 0
        self.p1 = 0.0
        self.xm = 0.0
        self.xl = 0.0
        self.xr = 0.0
        self.c = 0.0
        self.laml = 0.0
        self.lamr = 0.0
        self.p2 = 0.0
        self.p3 = 0.0
        self.p4 = 0.0
        if self.inverts:
            self._prepare_inversion()
        else:
            self._prepare_btpe()

    def _prepare_inversion(mut self):
        var n = as_float(self.n)
        comptime if Self.older:
            self.chances[0] = exp(n * log(self.q))
        else:
            self.chances[0] = exp(n * log1p(-self.least))
        var mean = n * self.least
        self.bound = as_int(min(n, mean + 10.0 * sqrt(mean * self.q + 1)))

    def _prepare_btpe(mut self):
        var r = min(self.least, 1.0 - self.least)
        var q = 1.0 - r
        var n = as_float(self.n)
        self.q = q
        self.fm = n * r + r
        self.m = as_int(floor(self.fm))
        self.p1 = floor(2.195 * sqrt(n * r * q) - 4.6 * q) + 0.5
        self.xm = as_float(self.m) + 0.5
        self.xl = self.xm - self.p1
        self.xr = self.xm + self.p1
        self.c = 0.134 + 20.5 / (15.3 + as_float(self.m))
        var a = (self.fm - self.xl) / (self.fm - self.xl * r)
        self.laml = a * (1.0 + a / 2.0)
        a = (self.xr - self.fm) / (self.xr * q)
        self.lamr = a * (1.0 + a / 2.0)
        self.p2 = self.p1 * (1.0 + 2.0 * self.c)
        self.p3 = self.p2 + self.c / self.laml
        self.p4 = self.p3 + self.c / self.lamr

    @always_inline
    def fits(self, n: Int64, p: Float64) -> Bool:
        """Whether this is for these parameters."""
        return self.n == n and self.p == p

    def draw[B: Bits, //](mut self, mut source: Source[B]) -> Int64:
        """The next number."""
        comptime if not Self.older:
            if self.n == 0 or self.p == 0.0:
                return 0
        var found = self._inverted(source) if self.inverts else self._btpe(
            source
        )
        return found if self.p <= 0.5 else self.n - found

    def draw_once[B: Bits, //](mut self, mut source: Source[B]) -> Int64:
        """The only number that is drawn: no probabilities are kept for others."""
        if not self.inverts:
            return self.draw(source)
        comptime if not Self.older:
            if self.n == 0 or self.p == 0.0:
                return 0
        var n = as_float(self.n)
        var first = self.chances[0]
        var chance = first
        var x = 0.0
        var u = source.next_double()
        while u > chance:
            x += 1.0
            if x > as_float(self.bound):
                x = 0.0
                chance = first
                u = source.next_double()
            else:
                u -= chance
                chance = ((n - x + 1.0) * self.least * chance) / (x * self.q)
        return as_int(x) if self.p <= 0.5 else self.n - as_int(x)

    def _inverted[B: Bits, //](mut self, mut source: Source[B]) -> Int64:
        var x = 0
        var u = source.next_double()
        while u > self.chances[x]:
            x += 1
            if x > Int(self.bound):
                x = 0
                u = source.next_double()
            else:
                u -= self.chances[x - 1]
                if x == self.known:
                    self._learn()
        return Int64(x)

    @no_inline
    def _learn(mut self):
        """Works out one more probability."""
        var x = self.known
        self.chances[x] = (
            as_float(self.n - Int64(x) + 1) * self.least * self.chances[x - 1]
        ) / (Float64(x) * self.q)
        self.known += 1

    def _btpe[B: Bits, //](self, mut source: Source[B]) -> Int64:
        var n = as_float(self.n)
        var r = min(self.least, 1.0 - self.least)
        var nrq = n * r * self.q
        while True:
            var u = source.next_double() * self.p4
            var v = source.next_double()
            if u <= self.p1:
                return as_int(floor(self.xm - self.p1 * v + u))
            var y: Int64
            if u <= self.p2:
                var x = self.xl + (u - self.p1) / self.c
                v = v * self.c + 1.0 - abs(as_float(self.m) - x + 0.5) / self.p1
                if v > 1.0:
                    continue
                y = as_int(floor(x))
            elif u <= self.p3:
                y = as_int(floor(self.xl + log(v) / self.laml))
                if y < 0 or v == 0.0:
                    continue
                v = v * (u - self.p2) * self.laml
            else:
                y = as_int(floor(self.xr - log(v) / self.lamr))
                if y > self.n or v == 0.0:
                    continue
                v = v * (u - self.p3) * self.lamr
            if self._accepts(y, v, r, nrq):
                return y

    def _accepts(self, y: Int64, v: Float64, r: Float64, nrq: Float64) -> Bool:
        """Whether a number is taken: its probability, or bounds for it, decide."""
        var k = abs(y - self.m)
        if not (k > 20 and as_float(k) < nrq / 2.0 - 1):
            return v <= self._ratio(y, r)
        var kf = as_float(k)
        var rho = (kf / nrq) * (
            (kf * (kf / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5
        )
        var t = as_float(-k * k) / (2 * nrq)
        var a = log(v)
        if a < t - rho:
            return True
        if a > t + rho:
            return False
        return a <= self._exact(y, r)

    def _ratio(self, y: Int64, r: Float64) -> Float64:
        """The probability of a number, in units of that of m."""
        var s = r / self.q
        var a = s * as_float(self.n + 1)
        var found = 1.0
        if self.m < y:
            for i in range(Int(self.m) + 1, Int(y) + 1):
                found *= a / Float64(i) - s
        elif self.m > y:
            for i in range(Int(y) + 1, Int(self.m) + 1):
                found /= a / Float64(i) - s
        return found

    def _exact(self, y: Int64, r: Float64) -> Float64:
        """The logarithm of that, by Stirling's series."""
        var x1 = as_float(y) + 1
        var f1 = as_float(self.m) + 1
        var z = as_float(self.n) + 1 - as_float(self.m)
        var w = as_float(self.n) - as_float(y) + 1
        var main = (
            self.xm * log(f1 / x1)
            + (as_float(self.n - self.m) + 0.5) * log(z / w)
            + as_float(y - self.m) * log(w * r / (x1 * self.q))
        )
        if self.corrected:
            comptime first = 13860.0
            var more = main + _series[first](f1) + _series[first](z)
            return more - _series[first](x1) - _series[first](w)
        # all four terms are added, where two belong to the other side: so does NumPy 2.4
        comptime first = 13680.0
        var more = main + _series[first](f1) + _series[first](z)
        return more + _series[first](x1) + _series[first](w)


@always_inline
def _series[first: Float64](x: Float64) -> Float64:
    """Terms of Stirling's series, of which NumPy before 2.5 has the first one wrong."""
    var x2 = x * x
    return (
        (first - (462.0 - (132.0 - (99.0 - 140.0 / x2) / x2) / x2) / x2)
        / x
        / 166320.0
    )
