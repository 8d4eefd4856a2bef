"""The distributions of floats: those of NumPy's Generator."""
from std.math import floor, sqrt
from std.utils.numerics import isnan, nan

from structured.random.bits import Bits, Source
from structured.random.discrete import poisson
from structured.random.libm import (
    acos,
    cos,
    exp,
    expm1,
    log,
    log1p,
    power,
    remainder,
)
from structured.random.ziggurat import (
    standard_exponential,
    standard_exponential_32,
    standard_normal,
    standard_normal_32,
)

comptime PI = 3.14159265358979323846
comptime _TINY = 3e-103
"""Parameters of `beta` below which its numbers are 0 or 1."""


def standard_gamma[
    B: Bits, //
](mut source: Source[B], shape: Float64) -> Float64:
    """A gamma number, by Marsaglia and Tsang's method, or below 1 that of Best."""
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
        var x = standard_normal(source)
        var v = 1.0 + c * x
        while v <= 0.0:
            x = standard_normal(source)
            v = 1.0 + c * x
        v = v * v * v
        var u = source.next_double()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if log(u) < 0.5 * x * x + b * (1.0 - v + log(v)):
            return b * v


def standard_gamma_32[
    B: Bits, //
](mut source: Source[B], shape: Float32) -> Float32:
    """The same in float32."""
    if shape == 1.0:
        return standard_exponential_32(source)
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            var u = source.next_float()
            var v = standard_exponential_32(source)
            if u <= 1.0 - shape:
                var x = power(u, 1.0 / shape)
                if x <= v:
                    return x
            else:
                var y = -log((1.0 - u) / shape)
                var x = power(1.0 - shape + shape * y, 1.0 / shape)
                if x <= v + y:
                    return x
    var b = shape - Float32(1.0) / Float32(3.0)
    var c = 1.0 / sqrt(9.0 * b)
    while True:
        var x = standard_normal_32(source)
        var v = 1.0 + c * x
        while v <= 0.0:
            x = standard_normal_32(source)
            v = 1.0 + c * x
        v = v * v * v
        var u = source.next_float()
        if u < 1.0 - Float32(0.0331) * (x * x) * (x * x):
            return b * v
        if log(u) < 0.5 * x * x + b * (1.0 - v + log(v)):
            return b * v


def beta[B: Bits, //](mut source: Source[B], a: Float64, b: Float64) -> Float64:
    """A beta number, by Johnk's method or of two gamma numbers."""
    if a > 1.0 or b > 1.0:
        var first = standard_gamma(source, a)
        var second = standard_gamma(source, b)
        return first / (first + second)
    if a < _TINY and b < _TINY:
        return 1.0 if (a + b) * source.next_double() < a else 0.0
    while True:
        var u = source.next_double()
        var v = source.next_double()
        var x = power(u, 1.0 / a)
        var y = power(v, 1.0 / b)
        var sum = x + y
        if sum <= 1.0 and u + v > 0.0:
            if x > 0 and y > 0:
                return x / sum
            var delta = log(u) / a - log(v) / b
            if delta > 0:
                return exp(-log1p(exp(-delta)))
            return exp(delta - log1p(exp(delta)))


@always_inline
def chisquare[B: Bits, //](mut source: Source[B], df: Float64) -> Float64:
    return 2.0 * standard_gamma(source, df / 2.0)


def noncentral_chisquare[
    B: Bits, //
](mut source: Source[B], df: Float64, nonc: Float64) -> Float64:
    if isnan(nonc):
        return nan[DType.float64]()
    if nonc == 0:
        return chisquare(source, df)
    if df > 1:
        var central = chisquare(source, df - 1)
        var n = standard_normal(source) + sqrt(nonc)
        return central + n * n
    var i = poisson(source, nonc / 2.0)
    return chisquare(source, df + (2 * i).cast[DType.float64]())


def wald[
    B: Bits, //
](mut source: Source[B], mean: Float64, scale: Float64) -> Float64:
    var y = standard_normal(source)
    y = mean * y * y
    var d = 1 + sqrt(1 + 4 * scale / y)
    var x = mean * (1 - 2 / d)
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
        var near = mu + sqrt(1.0 / kappa) * standard_normal(source)
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
    B: Bits, //, name: StaticString
](mut source: Source[B], a: Float64, b: Float64, c: Float64) -> Float64:
    """A number of the distribution of a name, with up to three parameters."""
    comptime if name == "random":
        return source.next_double()
    elif name == "uniform":
        return a + b * source.next_double()
    elif name == "standard_normal":
        return standard_normal(source)
    elif name == "normal":
        return a + b * standard_normal(source)
    elif name == "standard_exponential":
        return standard_exponential(source)
    elif name == "standard_exponential_inv":
        return -log1p(-source.next_double())
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
        var above = standard_normal(source)
        return above / standard_normal(source)
    elif name == "standard_t":
        var above = standard_normal(source)
        var below = standard_gamma(source, a / 2)
        return sqrt(a / 2) * above / sqrt(below)
    elif name == "vonmises":
        return vonmises[older=False](source, a, b)
    elif name == "pareto":
        return expm1(standard_exponential(source) / a)
    elif name == "weibull":
        if a == 0.0:
            return 0.0
        return power(standard_exponential(source), 1.0 / a)
    elif name == "power":
        return power(-expm1(-standard_exponential(source)), 1.0 / a)
    elif name == "laplace":
        return laplace(source, a, b)
    elif name == "gumbel":
        return gumbel(source, a, b)
    elif name == "logistic":
        return logistic(source, a, b)
    elif name == "lognormal":
        return exp(a + b * standard_normal(source))
    elif name == "rayleigh":
        return a * sqrt(2.0 * standard_exponential(source))
    elif name == "wald":
        return wald(source, a, b)
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
        return standard_normal_32(source)
    elif name == "standard_exponential":
        return standard_exponential_32(source)
    elif name == "standard_exponential_inv":
        # NumPy calculates this one in float64
        return -log1p(-source.next_float().cast[DType.float64]()).cast[
            DType.float32
        ]()
    else:
        comptime assert name == "standard_gamma", "no such distribution"
        return standard_gamma_32(source, a)
