"""The cumulative logarithm of a sum of exponentials along an axis."""
from elementwise.numbers.dtypes import dtype_code
from elementwise.exponential import exp
from elementwise.numbers.floats import is_nan
from elementwise.logarithm import log
from std.sys import simd_width_of, size_of

from structured.operands.operand import (
    UNSUPPORTED,
    Call,
    load,
    store,
    valid,
)
from structured.reduce.scan import Line, Scans, scan_with

comptime _DTYPES: Array[DType, 2] = [DType.float32, DType.float64]
comptime _CHUNK = 64
"""Elements of a line whose exponentials and logarithms are computed together."""


struct Sum[dtype: DType, width: Int](Copyable):
    """A sum of exponentials, lane by lane, as `total * exp(top)`; `top` is the largest exponent."""

    var top: SIMD[Self.dtype, Self.width]
    var total: SIMD[Self.dtype, Self.width]

    def __init__(out self):
        """An empty sum."""
        self.top = SIMD[Self.dtype, Self.width](
            Scalar[Self.dtype].MIN
        )  # minus infinity
        self.total = SIMD[Self.dtype, Self.width](0)

    @always_inline
    def add(mut self, x: SIMD[Self.dtype, Self.width]):
        """Adds exp(x). Equal exponents, infinite ones too, add 1; nan stays."""
        comptime V = SIMD[Self.dtype, Self.width]
        var higher = x.gt(self.top) | is_nan(x)
        var equal = x.eq(self.top)
        var gap = higher.select(self.top - x, x - self.top)
        var scale = equal.select(V(1), exp(gap))
        self.total = higher.select(
            self.total * scale + V(1), self.total + scale
        )
        self.top = higher.select(x, self.top)

    @always_inline
    def value(self) -> SIMD[Self.dtype, Self.width]:
        """The logarithm of the sum."""
        return self.top + log(self.total)


@always_inline
def _fetch[
    dtype: DType, width: Int
](address: Int, stride: Int) -> SIMD[dtype, width]:
    """Loads elements a stride apart."""
    if stride == size_of[Scalar[dtype]]():
        return load[dtype, width](address)
    var x = SIMD[dtype, width](0)
    comptime for lane in range(width):
        x[lane] = load[dtype](address + lane * stride)
    return x


def _chunk[
    dtype: DType
](line: Line, start: Int, mut sum: Sum[dtype, 1]) -> Bool:
    """Scans a chunk none of whose elements exceeds the top of the sum; False if there is one."""
    comptime width = simd_width_of[dtype]()
    comptime vectors = _CHUNK // width
    var x = Array[SIMD[dtype, width], vectors](uninitialized=True)
    var top = SIMD[dtype, width](sum.top)
    var below = SIMD[DType.bool, width](fill=True)
    comptime for v in range(vectors):
        var at = line.source + (start + v * width) * line.source_stride
        x[v] = _fetch[dtype, width](at, line.source_stride)
        # False for nan, and where both are infinite.
        below = below & (x[v] - top).le(0)
    if not below.reduce_and():
        return False
    comptime for v in range(vectors):
        x[v] = exp(x[v] - top)
        comptime for lane in range(width):
            sum.total += x[v][lane]
            x[v][lane] = sum.total
        var value = top + log(x[v])
        comptime for lane in range(width):
            var at = start + v * width + lane
            store(line.target + at * line.target_stride, value[lane])
    return True


def _along[
    dtype: DType
](line: Line, target_step: Int, source_step: Int, count: Int):
    """`Scans.along` for one dtype."""
    var here = line
    for _ in range(count):
        var sum = Sum[dtype, 1]()
        var i = 0
        while i < here.count:
            if i + _CHUNK <= here.count and _chunk[dtype](here, i, sum):
                i += _CHUNK
                continue
            # One by one, as far as a new top.
            var top = sum.top
            for _ in range(min(_CHUNK, here.count - i)):
                sum.add(load[dtype](here.source + i * here.source_stride))
                store(here.target + i * here.target_stride, sum.value())
                i += 1
                if sum.top > top:
                    break
        here.target += target_step
        here.source += source_step


@always_inline
def _columns[dtype: DType, width: Int](line: Line, column: Int):
    """Scans adjacent columns."""
    comptime item = size_of[Scalar[dtype]]()
    var sum = Sum[dtype, width]()
    for i in range(line.count):
        var source = line.source + i * line.source_stride + column * item
        sum.add(load[dtype, width](source))
        var target = line.target + i * line.target_stride + column * item
        store(target, sum.value())


def _across[dtype: DType](line: Line, count: Int):
    """`Scans.across` for one dtype."""
    comptime width = simd_width_of[dtype]()
    var column = 0
    while column + width <= count:
        _columns[dtype, width](line, column)
        column += width
    while column < count:
        _columns[dtype, 1](line, column)
        column += 1


def cumlogsumexp(call: Call) -> Int:
    """`out[i] = log(exp(x[0]) + .. + exp(x[i]))`; params: axis, whether from the end.

    float32 or float64, same shape and dtype, any strides. Sums are kept as a factor of their
    largest exponential, so nothing overflows; nan stays from where it comes.
    """
    if not valid(call, 2, 2):
        return UNSUPPORTED
    comptime for index in range(len(_DTYPES)):
        comptime dtype = _DTYPES[index]
        if call.operand(1).dtype == dtype_code(dtype):
            return scan_with(
                call,
                Scans(_along[dtype], _across[dtype], size_of[Scalar[dtype]]()),
            )
    return UNSUPPORTED
