"""Temme's series of the incomplete gamma function for large a and x near a."""

from elementwise.numbers.coefficients import ERFC_F32, ERFC_F64
from elementwise.special.deviance import Deviance
from elementwise.numbers.floats import square_root
from elementwise.special.gamma import TWO_PI, Doubles, stirling_rest
from elementwise.pairs import Pair
from elementwise.numbers.polynomial import horner
from elementwise.special.erf import erfc
from elementwise.special.coefficients import (
    TEMME0_F64,
    TEMME10_F64,
    TEMME1_F64,
    TEMME2_F64,
    TEMME3_F64,
    TEMME4_F64,
    TEMME5_F64,
    TEMME6_F64,
    TEMME7_F64,
    TEMME8_F64,
    TEMME9_F64,
)

comptime TEMME_LEAST = 30.0
"""Of a."""
comptime TEMME_BELOW = -0.3
comptime TEMME_ABOVE = 0.4
"""Bounds of x / a - 1."""


@always_inline
def _scaled_erfc[width: SIMDLength, //](y: Pair[width]) -> Pair[width]:
    """exp(y**2) erfc(y) for 0.5 <= y <= 27.3."""
    var at = (y.high - 3) / (y.high + 3)
    var smooth = Pair[width](horner[ERFC_F64, ERFC_F32](at))
    return smooth / (Pair[width](Doubles[width](1)) + y + y)


@always_inline
def _with_slope[
    width: SIMDLength, n: Int, //, coefficients: Array[Float64, n]
](x: Doubles[width]) -> Tuple[Doubles[width], Doubles[width]]:
    """A polynomial and its derivative."""
    comptime last = coefficients[n - 1]
    var value = Doubles[width](last)
    var slope = Doubles[width](0)
    comptime for i in range(n - 1):
        comptime next = coefficients[n - 2 - i]
        slope = slope.fma(x, value)
        value = value.fma(x, Doubles[width](next))
    return (value, slope)


@fieldwise_init
struct _Temme[width: SIMDLength](Movable):
    """The sum of c[k](eta) / a**k, and its derivatives by eta and by 1 / a."""

    var value: Doubles[Self.width]
    var by_eta: Doubles[Self.width]
    var by_inverse: Doubles[Self.width]

    @always_inline
    def step[
        n: Int, //, coefficients: Array[Float64, n]
    ](mut self, eta: Doubles[Self.width], inverse: Doubles[Self.width]):
        """Horner's rule in 1 / a."""
        var c = _with_slope[coefficients](eta)
        self.by_inverse = self.by_inverse.fma(inverse, self.value)
        self.value = self.value.fma(inverse, c[0])
        self.by_eta = self.by_eta.fma(inverse, c[1])


@no_inline
def _temme_sum[
    width: SIMDLength, //
](eta: Doubles[width], inverse: Doubles[width]) -> _Temme[width]:
    comptime V = Doubles[width]
    var sum = _Temme[width](V(0), V(0), V(0))
    sum.step[TEMME10_F64](eta, inverse)
    sum.step[TEMME9_F64](eta, inverse)
    sum.step[TEMME8_F64](eta, inverse)
    sum.step[TEMME7_F64](eta, inverse)
    sum.step[TEMME6_F64](eta, inverse)
    sum.step[TEMME5_F64](eta, inverse)
    sum.step[TEMME4_F64](eta, inverse)
    sum.step[TEMME3_F64](eta, inverse)
    sum.step[TEMME2_F64](eta, inverse)
    sum.step[TEMME1_F64](eta, inverse)
    sum.step[TEMME0_F64](eta, inverse)
    return sum^


@no_inline
def temme[
    width: SIMDLength, //
](a: Doubles[width], x: Doubles[width], e: Deviance[width]) -> Tuple[
    Doubles[width], Doubles[width], Doubles[width]
]:
    """P, Q and (dP / da) / D; `e` is the deviance of x from a.

    With eta**2 a / 2 = e, Q = erfc(eta sqrt(a / 2)) / 2 + exp(-e)
    (c0(eta) + c1(eta) / a + ...) / sqrt(2 pi a).
    """
    comptime V = Doubles[width]
    comptime Number = Pair[width]
    var square = Number(e.high, e.low).where(e.high.gt(745), Number(V(745)))
    square = square.where(square.high.le(0), Number(V(0)))
    var y = square.square_root()
    var mu = Number.sum(x, -a) / Number(a)
    var inverse = 1 / a
    var above = mu.high.ge(0)
    var root = ((square + square) / Number(a)).square_root()
    var eta = (-root).where(above, root)
    var sum = _temme_sum(eta.high, inverse)
    var scale = 1 / square_root(TWO_PI * a)
    var rest = above.select(scale, -scale) * sum.value
    var power = e.power()
    var near = y.high.lt(0.5)
    var half = (Number(V(0.5)) * power) * _scaled_erfc(y)
    half = half.where(near, Number(0.5 * erfc(y.high)))
    var tail = half + power * Number(rest)
    var one = Number(V(1))
    var turn = (mu / eta).where(eta.high.eq(0), one)
    var correction = (e.log - 0.5 * inverse) * sum.value
    correction -= inverse * (turn.high * sum.by_eta + inverse * sum.by_inverse)
    var slope = Number(V(0.5)) * eta - turn - Number(correction)
    slope = slope * Number(stirling_rest(a)).exp()
    var other = (one - tail).value()
    var value = tail.value()
    return (
        above.select(other, value),
        above.select(value, other),
        slope.value(),
    )
