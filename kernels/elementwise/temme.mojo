"""Temme's series of the incomplete gamma function for large a and x near a."""

from .coefficients import ERFC_F32, ERFC_F64
from .deviance import Deviance
from .exponential import exp
from .floats import copy_sign, square_root
from .gamma import TWO_PI, Doubles, stirling_rest
from .pairs import Pair
from .polynomial import horner
from .special import erfc
from .special_coefficients import (
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
    var square = Pair[width](e.high, e.low).where(
        e.high.gt(745), Pair[width](V(745))
    )
    square = square.where(square.high.le(0), Pair[width](V(0)))
    var y = square.square_root()
    var mu = (x - a) / a
    var inverse = 1 / a
    var eta = copy_sign(square_root(2 * square.high * inverse), mu)
    var sum = _temme_sum(eta, inverse)
    var scale = 1 / square_root(TWO_PI * a)
    var rest = copy_sign(V(1), mu) * scale * sum.value
    var power = e.power()
    var near = y.high.lt(0.5)
    var half = (Pair[width](V(0.5)) * power) * _scaled_erfc(y)
    half = half.where(near, Pair[width](0.5 * erfc(y.high)))
    var tail = half + power * Pair[width](rest)
    var above = mu.ge(0)
    var turn = eta.eq(0).select(V(1), mu / eta)
    var correction = (e.log - 0.5 * inverse) * sum.value
    correction -= inverse * (turn * sum.by_eta + inverse * sum.by_inverse)
    var slope = exp(stirling_rest(a)) * (0.5 * eta - turn - correction)
    var other = (Pair[width](V(1)) - tail).value()
    var value = tail.value()
    return (above.select(other, value), above.select(value, other), slope)
