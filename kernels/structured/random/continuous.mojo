"""The distributions of floats, of both generators."""
from std.math import sqrt
from std.utils.numerics import isnan, nan

from structured.random.bits import Bits, Source
from structured.random.discrete import poisson
from structured.libm import (
    acos,
    cos,
    exp,
    expm1,
    log,
    log1p,
    power,
    remainder,
)
from structured.random.standard import exponential, normal, standard_gamma

comptime PI = 3.14159265358979323846
comptime _TINY = 3e-103
"""Parameters of `beta` below which its numbers are 0 or 1."""


def beta[
    B: Bits, //, older: Bool
](mut source: Source[B], a: Float64, b: Float64) -> Float64:
    """A beta number, by Johnk's method or of two gamma numbers."""
    if not (a <= 1.0 and b <= 1.0):  # so that nan is none of Johnk's
        var first = standard_gamma[older=older](source, a)
        var second = standard_gamma[older=older](source, b)
        return first / (first + second)
    comptime if not older:
        if a < _TINY and b < _TINY:
            return 1.0 if (a + b) * source.next_double() < a else 0.0
    while True:
        var u = source.next_double()
        var v = source.next_double()
        var x = power(u, 1.0 / a)
        var y = power(v, 1.0 / b)
        var sum = x + y
        comptime if older:
            if sum <= 1.0:
                return x / sum if sum > 0 else _beta_of_logs(u, v, a, b)
        else:
            if sum <= 1.0 and u + v > 0.0:
                if x > 0 and y > 0:
                    return x / sum
                var delta = log(u) / a - log(v) / b
                if delta > 0:
                    return exp(-log1p(exp(-delta)))
                return exp(delta - log1p(exp(delta)))


def _beta_of_logs(u: Float64, v: Float64, a: Float64, b: Float64) -> Float64:
    """The older generator's beta number where powers are 0."""
    var log_x = log(u) / a
    var log_y = log(v) / b
    var most = log_x if log_x > log_y else log_y
    log_x -= most
    log_y -= most
    return exp(log_x - log(exp(log_x) + exp(log_y)))


@always_inline
def chisquare[
    B: Bits, //, older: Bool
](mut source: Source[B], df: Float64) -> Float64:
    return 2.0 * standard_gamma[older=older](source, df / 2.0)


def noncentral_chisquare[
    B: Bits, //, older: Bool
](mut source: Source[B], df: Float64, nonc: Float64) -> Float64:
    comptime if not older:
        if isnan(nonc):
            return nan[DType.float64]()
    if nonc == 0:
        return chisquare[older=older](source, df)
    if df > 1:
        var central = chisquare[older=older](source, df - 1)
        var n = normal[older=older](source) + sqrt(nonc)
        return central + n * n
    var i = poisson(source, nonc / 2.0)
    var found = chisquare[older=older](
        source, df + (2 * i).cast[DType.float64]()
    )
    return nan[DType.float64]() if isnan(nonc) else found


def wald[
    B: Bits, //, older: Bool
](mut source: Source[B], mean: Float64, scale: Float64) -> Float64:
    var y = normal[older=older](source)
    y = mean * y * y
    var x: Float64
    comptime if older:
        var ratio = mean / (2 * scale)
        x = mean + ratio * (y - sqrt(4 * scale * y + y * y))
    else:
        var d = 1 + sqrt(1 + 4 * scale / y)
        x = mean * (1 - 2 / d)
    if source.next_double() <= mean / (mean + x):
        return x
    return mean * mean / x


def vonmises[
    B: Bits, //, older: Bool
](mut source: Source[B], mu: Float64, kappa: Float64) -> Float64:
    """A number of the von Mises distribution; the older generator has no case for large kappa."""
    if isnan(kappa):
        return nan[DType.float64]()
    if kappa < 1e-8:
        return PI * (2 * source.next_double() - 1)
    var s: Float64
    if kappa < 1e-5:
        s = 1.0 / kappa + kappa
    elif older or kappa <= 1e6:
        var r = 1 + sqrt(1 + 4 * kappa * kappa)
        var rho = (r - sqrt(2 * r)) / (2 * kappa)
        s = (1 + rho * rho) / (2 * rho)
    else:
        var near = mu + sqrt(1.0 / kappa) * normal[older=older](source)
        if near < -PI:
            near += 2 * PI
        if near > PI:
            near -= 2 * PI
        return near
    var w: Float64
    while True:
        var z = cos(PI * source.next_double())
        w = (1 + s * z) / (s + z)
        var y = kappa * (s - w)
        var v = source.next_double()
        if y * (2 - y) - v >= 0 or log(y / v) + 1 - y >= 0:
            break
    var angle = acos(w)
    if source.next_double() < 0.5:
        angle = -angle
    angle += mu
    var found = remainder(abs(angle) + PI, 2 * PI) - PI
    return -found if angle < 0 else found


def laplace[
    B: Bits, //
](mut source: Source[B], loc: Float64, scale: Float64) -> Float64:
    var u = source.next_double()
    while u == 0.0:
        u = source.next_double()
    if u >= 0.5:
        return loc - scale * log(2.0 - u - u)
    return loc + scale * log(u + u)


def gumbel[
    B: Bits, //
](mut source: Source[B], loc: Float64, scale: Float64) -> Float64:
    var u = 1.0 - source.next_double()
    while u >= 1.0:
        u = 1.0 - source.next_double()
    return loc - scale * log(-log(u))


def logistic[
    B: Bits, //
](mut source: Source[B], loc: Float64, scale: Float64) -> Float64:
    var u = source.next_double()
    while u == 0.0:
        u = source.next_double()
    return loc + scale * log(u / (1.0 - u))


def triangular[
    B: Bits, //
](
    mut source: Source[B], left: Float64, mode: Float64, right: Float64
) -> Float64:
    var base = right - left
    var left_base = mode - left
    var ratio = left_base / base
    var left_product = left_base * base
    var right_product = (right - mode) * base
    var u = source.next_double()
    if u <= ratio:
        return left + sqrt(u * left_product)
    return right - sqrt((1.0 - u) * right_product)


@always_inline
def drawn[
    B: Bits, //, name: StaticString, older: Bool
](mut source: Source[B], a: Float64, b: Float64, c: Float64) -> Float64:
    """A number of the distribution of a name, with up to three parameters."""
    comptime if name == "random":
        return source.next_double()
    elif name == "uniform":
        return a + b * source.next_double()
    elif name == "standard_normal":
        return normal[older=older](source)
    elif name == "normal":
        return a + b * normal[older=older](source)
    elif name == "standard_exponential":
        return exponential[older=older](source)
    elif name == "standard_exponential_inv":
        return -log1p(-source.next_double())
    elif name == "exponential":
        return a * exponential[older=older](source)
    elif name == "standard_gamma":
        return standard_gamma[older=older](source, a)
    elif name == "gamma":
        return b * standard_gamma[older=older](source, a)
    elif name == "beta":
        return beta[older=older](source, a, b)
    elif name == "chisquare":
        return chisquare[older=older](source, a)
    elif name == "noncentral_chisquare":
        return noncentral_chisquare[older=older](source, a, b)
    elif name == "f":
        var above = chisquare[older=older](source, a) * b
        return above / (chisquare[older=older](source, b) * a)
    elif name == "noncentral_f":
        var above = noncentral_chisquare[older=older](source, a, c) * b
        return above / (chisquare[older=older](source, b) * a)
    elif name == "standard_cauchy":
        var above = normal[older=older](source)
        return above / normal[older=older](source)
    elif name == "standard_t":
        var above = normal[older=older](source)
        var below = standard_gamma[older=older](source, a / 2)
        return sqrt(a / 2) * above / sqrt(below)
    elif name == "vonmises":
        return vonmises[older=older](source, a, b)
    elif name == "pareto":
        var x = exponential[older=older](source) / a
        comptime if older:
            return exp(x) - 1
        else:
            return expm1(x)
    elif name == "weibull":
        if a == 0.0:
            return 0.0
        return power(exponential[older=older](source), 1.0 / a)
    elif name == "power":
        var x = exponential[older=older](source)
        comptime if older:
            return power(1 - exp(-x), 1.0 / a)
        else:
            return power(-expm1(-x), 1.0 / a)
    elif name == "laplace":
        return laplace(source, a, b)
    elif name == "gumbel":
        return gumbel(source, a, b)
    elif name == "logistic":
        return logistic(source, a, b)
    elif name == "lognormal":
        return exp(a + b * normal[older=older](source))
    elif name == "rayleigh":
        comptime if older:
            return a * sqrt(-2.0 * log1p(-source.next_double()))
        else:
            return a * sqrt(2.0 * exponential[older=False](source))
    elif name == "wald":
        return wald[older=older](source, a, b)
    else:
        comptime assert name == "triangular", "no such distribution"
        return triangular(source, a, b, c)


@always_inline
def drawn_32[
    B: Bits, //, name: StaticString
](mut source: Source[B], a: Float32) -> Float32:
    """The same in float32."""
    comptime if name == "random":
        return source.next_float()
    elif name == "standard_normal":
        return normal[older=False, dtype=DType.float32](source)
    elif name == "standard_exponential":
        return exponential[older=False, dtype=DType.float32](source)
    elif name == "standard_exponential_inv":
        # NumPy calculates this one in float64
        return -log1p(-source.next_float().cast[DType.float64]()).cast[
            DType.float32
        ]()
    else:
        comptime assert name == "standard_gamma", "no such distribution"
        return standard_gamma[older=False](source, a)
