"""The deviance x - a - a log(x / a).

Gamma and beta distributions have its exponential as a factor, far from their
means a large number, of which every bit counts.
"""

from elementwise.arithmetic import absolute, exp2_integer
from elementwise.numbers.coefficients import LN2_F64
from elementwise.numbers.dtypes import signed_of
from elementwise.exponential import clamped
from elementwise.numbers.floats import fast_two_sum, two_product, two_sum
from elementwise.special.gamma import Doubles
from elementwise.logarithm import split_at_sqrt2
from elementwise.pairs import Pair

comptime LN2 = LN2_F64[0]
comptime LN2_LOW = LN2_F64[1]
comptime THIRD = 1.0 / 3.0
comptime THIRD_LOW = 1.850371707708594e-17
comptime ATANH_TERMS = 10
"""For |s| <= 0.172, the next would be below 1e-18 of the deviance."""


@fieldwise_init
struct Deviance[width: SIMDLength](ImplicitlyCopyable, Movable):
    """A deviance in two parts, and log(x / a)."""

    var high: Doubles[Self.width]
    var low: Doubles[Self.width]
    var log: Doubles[Self.width]

    def power(self, less: Doubles[Self.width] = 0) -> Pair[Self.width]:
        """exp(-deviance - less), for a `less` below 1."""
        # Where `low` is not small, `high` is beyond the bounds of exp.
        var sum = two_sum(-self.high, -less)
        return Pair[Self.width](sum[0], sum[1] - self.low).exp()

    def __add__(self, other: Self) -> Self:
        """The deviance of both, and the sum of the logarithms."""
        var sum = two_sum(self.high, other.high)
        var low = sum[1] + (self.low + other.low)
        return Self(sum[0], low, self.log + other.log)

    def where(self, mask: SIMD[DType.bool, Self.width], other: Self) -> Self:
        """`other` where the mask is true."""
        return Self(
            mask.select(other.high, self.high),
            mask.select(other.low, self.low),
            mask.select(other.log, self.log),
        )


@no_inline
def deviance[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width], x_low: Doubles[width] = 0) -> Deviance[
    width
]:
    """That of x + x_low, for positive finite numbers and an x_low far below x.

    Let x be 2**k y, with y / a from sqrt(1/2) to sqrt(2), so that y - a is
    exact. With s = (y - a) / (y + a), log(x / a) = k log(2) + 2 atanh(s), and
    2 atanh(s) = 2 s + 2 s**3 p(s**2). The deviance is then
    (x - y) - a k log(2) + (y - a) s - 2 a s**3 p(s**2).
    """
    comptime V = Doubles[width]
    var k = split_at_sqrt2(clamped(x / a, 1e-300, 1e300))[0]
    var y = x * exp2_integer[DType.float64, width](
        (-k).cast[signed_of[DType.float64]()]()
    )
    # Beyond these bounds the other terms are all that matters.
    y = absolute(y - a).le(0.5 * a).select(y, a)
    var distance = y - a
    var sum = two_sum(y, a)
    var s = distance / sum[0]
    var s_low = ((-s).fma(sum[0], distance) - s * sum[1]) / sum[0]
    var square = two_product(s, s)
    var w = square[0]
    var tail = V(0)
    comptime for j in range(ATANH_TERMS):
        comptime term = 1.0 / Float64(2 * (ATANH_TERMS - j) + 3)
        tail = tail.fma(w, V(term))
    var p = fast_two_sum(V(THIRD), w * tail)
    var part = two_product(w, p[0])
    var part_low = part[1] + w.fma(p[1] + THIRD_LOW, square[1] * p[0])
    var first = two_product(distance, s)
    var slope = two_product(2 * a, s)
    var rest = two_product(slope[0], part[0])
    var near = two_sum(first[0], -rest[0])
    var low = near[1] + (first[1] - rest[1]) + distance * s_low
    low -= slope[0] * part_low + (slope[1] + 6 * a * s_low) * part[0]
    var ln2 = two_product(k, V(LN2))
    var scale = two_product(a, ln2[0])
    var jump = two_sum(x, -y)
    var far = two_sum(jump[0], -scale[0])
    var whole = two_sum(far[0], near[0])
    low += far[1] + whole[1] + jump[1]
    low -= scale[1] + a * k.fma(V(LN2_LOW), ln2[1])
    low += x_low * ((x - a) / x)
    var log = ln2[0] + (2 * part[0].fma(s, s) + x_low / x)
    return Deviance[width](whole[0], low, log)
