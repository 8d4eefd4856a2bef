"""Values between samples, on straight lines from each to the next."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.memory import stack_allocation
from std.utils.numerics import isnan

from structured.operands.fetch import BLOCK
from structured.operands.nest import RowWalk, nest_of
from structured.operands.operand import (
    OK,
    UNSUPPORTED,
    Call,
    load,
    store,
    valid,
)
from structured.search.search import find_row
from structured.threads.threads import parallel_for, part, task_count

comptime _LANES = 8
"""Places that are computed together."""
comptime _REAL = dtype_code(DType.float64)
comptime _COMPLEX = COMPLEX64 + 1


@always_inline
def _number(address: Int) -> Float64:
    return load[DType.float64](address)


struct _Samples(TrivialRegisterPassable):
    """Where the samples lie, and what is given before the first and behind the last."""

    var places: Int
    var place_stride: Int
    var values: Int
    var value_stride: Int
    var count: Int
    var left: Int
    var right: Int
    var first: Float64
    var last: Float64

    def __init__(out self, call: Call):
        var places = call.operand(2)
        var values = call.operand(3)
        self.places = places.address
        self.place_stride = places.stride(0)
        self.values = values.address
        self.value_stride = values.stride(0)
        self.count = places.size(0)
        self.left = call.operand(4).address
        self.right = call.operand(5).address
        self.first = _number(self.places)
        self.last = _number(self.places + (self.count - 1) * self.place_stride)

    @always_inline
    def between[
        parts: Int, width: Int
    ](self, target: Int, x: SIMD[DType.float64, width], found: Int):
        """Writes the values at some places, given how many samples do not lie behind each."""
        comptime Lanes = SIMD[DType.float64, width]
        # a single sample is its own neighbour
        var more = Int(self.count > 1)
        var k = load[DType.int64, width](found) - 1
        k = min(max(k, 0), max(Int64(self.count) - 2, 0))
        var x0 = Lanes(0)
        var x1 = Lanes(0)
        comptime for lane in range(width):
            var place = self.places + Int(k[lane]) * self.place_stride
            x0[lane] = _number(place)
            x1[lane] = _number(place + more * self.place_stride)
        var results = Array[Lanes, parts](uninitialized=True)
        comptime for part in range(parts):
            var y0 = Lanes(0)
            var y1 = Lanes(0)
            comptime for lane in range(width):
                var value = self.values + Int(k[lane]) * self.value_stride
                y0[lane] = _number(value + 8 * part)
                y1[lane] = _number(value + more * self.value_stride + 8 * part)
            # NumPy's own ways, which round differently
            var slope = (y1 - y0) / (x1 - x0)
            comptime if parts == 2:
                slope = (y1 - y0) * (1 / (x1 - x0))
            var y = slope * (x - x0) + y0
            if isnan(y).reduce_or():
                y = isnan(y).select(slope * (x - x1) + y1, y)
                y = (isnan(y) & y0.eq(y1)).select(y0, y)
            y = x.eq(x0).select(y0, y)
            y = x.eq(x1).select(y1, y)
            y = x.lt(self.first).select(Lanes(_number(self.left + 8 * part)), y)
            y = x.gt(self.last).select(Lanes(_number(self.right + 8 * part)), y)
            # as in NumPy, a single sample is the answer to nan
            if self.count > 1:
                y = isnan(x).select(x if part == 0 else Lanes(0), y)
            results[part] = y
        comptime if parts == 1:
            store(target, results[0])
        else:
            store(target, results[0].interleave(results[1]))


def _row[
    parts: Int
](samples: _Samples, target: Int, places: Int, step: Int, total: Int):
    """Writes the values at a strided row of places."""
    var found = Int(stack_allocation[BLOCK, DType.int64, alignment=64]())
    for start in range(0, total, BLOCK):
        var count = min(BLOCK, total - start)
        var places_here = places + start * step
        find_row[True, DType.float64](
            found,
            samples.places,
            samples.place_stride,
            samples.count,
            places_here,
            step,
            count,
        )
        var to = target + start * 8 * parts
        var i = 0
        while i + _LANES <= count:
            var x = SIMD[DType.float64, _LANES](0)
            comptime for lane in range(_LANES):
                x[lane] = _number(places_here + (i + lane) * step)
            samples.between[parts, _LANES](to + i * 8 * parts, x, found + i * 8)
            i += _LANES
        while i < count:
            var x = _number(places_here + i * step)
            samples.between[parts, 1](to + i * 8 * parts, x, found + i * 8)
            i += 1


def _are_samples(call: Call) -> Bool:
    """Whether shapes and dtypes are those of `interp`."""
    var out_ = call.operand(0)
    var code = out_.dtype
    for k in range(1, 3):
        if call.operand(k).dtype != _REAL:
            return False
    for k in range(3, 6):
        if call.operand(k).dtype != code:
            return False
    return (
        (code == _REAL or code == _COMPLEX)
        and out_.contiguous()
        and out_.same_shape(call.operand(1))
        and call.operand(2).rank == 1
        and call.operand(2).same_shape(call.operand(3))
        and call.operand(2).size(0) > 0
        and call.operand(4).rank == 0
        and call.operand(5).rank == 0
    )


def interp(call: Call) -> Int:
    """`out[..] = f(x[..])` as NumPy's `interp`; inputs x, places and values of the samples (1-D),
    what is given before the first and behind the last; no params.

    x and places are float64; all else is float64, or complex128.
    """
    if not valid(call, 6, 0) or not _are_samples(call):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    var samples = _Samples(call)
    var count = x.count()
    if count == 0:
        return OK
    var item = out_.item_size()
    var tasks = min(task_count(count * 8, call.threads), count)

    def share(index: Int) {imm}:
        var start = part(count, index, tasks)
        var end = part(count, index + 1, tasks)
        var target = out_.address + start * item
        var walk = RowWalk(nest_of(x, x.rank), start, end - start)
        while walk.next():
            if item == 8:
                _row[1](samples, target, walk.address, walk.stride, walk.count)
            else:
                _row[2](samples, target, walk.address, walk.stride, walk.count)
            target += walk.count * item

    parallel_for(share, tasks)
    return OK
