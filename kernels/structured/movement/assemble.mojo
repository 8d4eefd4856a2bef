"""Arrays put together from others or from nothing: iota, concatenate and pad."""
from elementwise.numbers.dtypes import DTYPES
from std.math import ceildiv, iota as lanes_from
from std.sys import simd_width_of, size_of

from structured.movement.copy import copy_nest
from structured.operands.memory import allocate, release
from structured.operands.nest import Nest
from structured.operands.operand import (
    BOOL,
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    store,
    valid,
)


def _ramp[dtype: DType](address: Int, count: Int):
    """Writes 0, 1, .. count - 1 to adjacent elements."""
    comptime item = size_of[Scalar[dtype]]()
    comptime width = simd_width_of[DType.int64]()
    var i = 0
    while i + width <= count:
        var index = (
            SIMD[DType.int64, width](i) + lanes_from[DType.int64, width]()
        )
        store(address + i * item, index.cast[dtype]())
        i += width
    while i < count:
        store(address + i * item, Int64(i).cast[dtype]())
        i += 1


def _ramp_of(code: Int, address: Int, count: Int) -> Bool:
    """Writes a ramp of a dtype code; returns whether there is one."""
    comptime for index in range(len(DTYPES)):
        comptime dtype = DTYPES[index]
        comptime if index != BOOL:
            if code == index:
                _ramp[dtype](address, count)
                return True
    return False


def iota(call: Call) -> Int:
    """`out[i_0, ..] = i_d`; params: the dimension d.

    Any dtype but bool and complex, any strides.
    """
    if not valid(call, 1, 1):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var dimension = call.param(0)
    if dimension < 0 or dimension >= out_.rank:
        return UNSUPPORTED
    var count = out_.size(dimension)
    if out_.rank == 1 and out_.contiguous():
        return OK if _ramp_of(out_.dtype, out_.address, count) else UNSUPPORTED
    var ramp = allocate(count * out_.item_size())
    if ramp == 0:
        return NO_MEMORY
    var known = _ramp_of(out_.dtype, ramp, count)
    if known:
        var nest = Nest[2]([out_.address, ramp])
        for axis in range(out_.rank):
            var stride = out_.item_size() if axis == dimension else 0
            nest.push(out_.size(axis), [out_.stride(axis), stride])
        copy_nest(nest, out_.item_size(), call.threads)
    release(ramp)
    return OK if known else UNSUPPORTED


def _joins(out_: Operand, x: Operand, axis: Int) -> Bool:
    """Whether an input fits into the output of a concatenation along an axis."""
    if x.dtype != out_.dtype or x.rank != out_.rank:
        return False
    for at in range(x.rank):
        if at != axis and x.size(at) != out_.size(at):
            return False
    return True


def concatenate(call: Call) -> Int:
    """`out` = the inputs one after the other; params: axis. Any strides, at least one input."""
    if not valid(call, 2, 1):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var axis = call.param(0)
    if axis < 0 or axis >= out_.rank:
        return UNSUPPORTED
    var total = 0
    for index in range(1, call.count):
        if not _joins(out_, call.operand(index), axis):
            return UNSUPPORTED
        total += call.operand(index).size(axis)
    if total != out_.size(axis):
        return UNSUPPORTED
    var target = out_.address
    for index in range(1, call.count):
        var x = call.operand(index)
        var nest = Nest[2]([target, x.address])
        for at in range(x.rank):
            nest.push(x.size(at), [out_.stride(at), x.stride(at)])
        copy_nest(nest, out_.item_size(), call.threads)
        target += x.size(axis) * out_.stride(axis)
    return OK


struct Placement(TrivialRegisterPassable):
    """Where the elements of one axis go when it is padded."""

    var first: Int
    """The first element that is kept."""
    var count: Int
    """How many are kept."""
    var place: Int
    """Where the first goes."""
    var step: Int
    """Distance from one to the next."""

    def __init__(out self, call: Call, axis: Int):
        var low = call.param(3 * axis)
        self.step = call.param(3 * axis + 2) + 1
        self.first = ceildiv(max(-low, 0), self.step)
        self.place = low + self.first * self.step
        var room = ceildiv(
            max(call.operand(0).size(axis) - self.place, 0), self.step
        )
        self.count = max(min(call.operand(1).size(axis) - self.first, room), 0)


def _padded_size(call: Call, axis: Int) -> Int:
    """The size of a padded axis by its parameters."""
    var size = call.operand(1).size(axis)
    var gaps = max(size - 1, 0) * call.param(3 * axis + 2)
    return size + gaps + call.param(3 * axis) + call.param(3 * axis + 1)


def _fill_border(call: Call, axis: Int, start: Int, count: Int):
    """Fills a slab of the output: all of the later axes, what is kept of the earlier ones."""
    var out_ = call.operand(0)
    var base = out_.address + start * out_.stride(axis)
    var nest = Nest[2]([base, call.operand(2).address])
    for at in range(out_.rank):
        var size = out_.size(at)
        if at < axis:
            var placed = Placement(call, at)
            size = placed.count
            nest.bases[0] += placed.place * out_.stride(at)
        elif at == axis:
            size = count
        nest.push(size, [out_.stride(at), 0])
    copy_nest(nest, out_.item_size(), call.threads)


def pad(call: Call) -> Int:
    """`out` = x with low, high and interior padding; params: these three for each axis.

    Operands: out, x, the 0-d padding value. Negative low or high padding removes elements.
    """
    if not valid(call, 3, 3 * call.operand(1).rank):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    if (
        out_.rank != x.rank
        or out_.dtype != x.dtype
        or call.operand(2).dtype != x.dtype
    ):
        return UNSUPPORTED
    var nest = Nest[2]([out_.address, x.address])
    var spread = False
    for axis in range(x.rank):
        if call.param(3 * axis + 2) < 0 or out_.size(axis) != _padded_size(
            call, axis
        ):
            return UNSUPPORTED
        var placed = Placement(call, axis)
        spread = spread or placed.step != 1
        nest.bases[0] += placed.place * out_.stride(axis)
        nest.bases[1] += placed.first * x.stride(axis)
        nest.push(
            placed.count, [placed.step * out_.stride(axis), x.stride(axis)]
        )
    if spread or nest.empty:
        if x.rank > 0:
            _fill_border(call, 0, 0, out_.size(0))
    else:
        for axis in range(x.rank):
            var placed = Placement(call, axis)
            var end = placed.place + placed.count
            _fill_border(call, axis, 0, placed.place)
            _fill_border(call, axis, end, out_.size(axis) - end)
    copy_nest(nest, out_.item_size(), call.threads)
    return OK
