"""Standard numbers, of which those of most distributions are made.

The older generator makes normal and exponential numbers in another way; float32 are its successor's
alone.
"""
from std.math import sqrt

from structured.random.bits import Bits, Source
from structured.libm import log, power
from structured.random.ziggurat import (
    standard_exponential,
    standard_exponential_32,
    standard_normal,
    standard_normal_32,
)


@always_inline
def unit[B: Bits, //, dtype: DType](mut source: Source[B]) -> Scalar[dtype]:
    """A number from 0 to below 1."""
    comptime if dtype == DType.float32:
        return source.next_float().cast[dtype]()
    else:
        return source.next_double().cast[dtype]()


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
def normal[
    B: Bits, //, older: Bool, dtype: DType = DType.float64
](mut source: Source[B]) -> Scalar[dtype]:
    """A standard normal number."""
    comptime if older:
        return gauss(source).cast[dtype]()
    elif dtype == DType.float32:
        return standard_normal_32(source).cast[dtype]()
    else:
        return standard_normal(source).cast[dtype]()


@always_inline
def exponential[
    B: Bits, //, older: Bool, dtype: DType = DType.float64
](mut source: Source[B]) -> Scalar[dtype]:
    """A standard exponential number."""
    comptime if older:
        return -log(1.0 - unit[dtype](source))
    elif dtype == DType.float32:
        return standard_exponential_32(source).cast[dtype]()
    else:
        return standard_exponential(source).cast[dtype]()


def standard_gamma[
    B: Bits, dtype: DType, //, older: Bool
](mut source: Source[B], shape: Scalar[dtype]) -> Scalar[dtype]:
    """A gamma number, by Marsaglia and Tsang's method, or below 1 that of Best."""
    if shape == 1.0:
        return exponential[older=older, dtype=dtype](source)
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            var u = unit[dtype](source)
            var v = exponential[older=older, dtype=dtype](source)
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
        var x = normal[older=older, dtype=dtype](source)
        var v = 1.0 + c * x
        while v <= 0.0:
            x = normal[older=older, dtype=dtype](source)
            v = 1.0 + c * x
        v = v * v * v
        var u = unit[dtype](source)
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if log(u) < 0.5 * x * x + b * (1.0 - v + log(v)):
            return b * v
