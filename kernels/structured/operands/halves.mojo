"""float16 and bfloat16: kernels that calculate in float32 and round once."""
from elementwise.numbers.dtypes import dtype_code
from elementwise.numbers.convert import converted

from structured.operands.fetch import BLOCK, fetch, fetch_kind
from structured.operands.memory import allocate, release
from structured.operands.nest import RowWalk, nest_of
from structured.operands.operand import (
    FLOAT32,
    HALVES,
    MAX_RANK,
    NO_MEMORY,
    OK,
    Call,
    Operand,
    Operands,
    Words,
    load,
    store,
)

comptime _ITEM = 4
"""Bytes of a float32."""
comptime _ROOM = 8 * (5 + MAX_RANK)
"""Bytes for an operand and its strides."""


def narrow(code: Int, target: Int, source: Int, count: Int):
    """Rounds adjacent float32 to adjacent elements of a half-precision dtype code."""
    comptime for index in range(len(HALVES)):
        comptime half = HALVES[index]
        if code == dtype_code(half):
            for i in range(count):
                var value = load[DType.float32](source + i * _ITEM)
                store(target + i * 2, converted[half](value))


def _widen(x: Operand, target: Int):
    """Writes the elements of a half-precision array to adjacent float32, in C order."""
    var kind = fetch_kind(x.dtype, FLOAT32, False)
    var at = target
    var walk = RowWalk(nest_of(x, x.rank), 0, x.count())
    while walk.next():
        for start in range(0, walk.count, BLOCK):
            var count = min(BLOCK, walk.count - start)
            var address = walk.address + start * walk.stride
            _ = fetch(kind, at, address, walk.stride, count)
            at += count * _ITEM


def _in_float32(x: Operand, address: Int, strides: Words) -> Operand:
    """A C-contiguous operand of float32 at an address, of the shape of another."""
    var stride = _ITEM
    for axis in reversed(range(x.rank)):
        strides[unsafe_offset=axis] = Int64(stride)
        stride *= x.size(axis)
    return Operand(address, FLOAT32, x.rank, x.shape, strides)


def any_half(call: Call) -> Bool:
    """Whether an operand is of half precision."""
    for index in range(call.count):
        if call.operand(index).is_half():
            return True
    return False


def widened(run: def(Call) thin -> Int, call: Call, *, inputs: Bool) -> Int:
    """Runs a kernel on copies in float32 of all operands of half precision.

    The first operand, which must be C-contiguous, is the output and is rounded at the end;
    without `inputs` it is the only one that is replaced.
    """
    var room = 0
    for index in range(call.count):
        if call.operand(index).is_half():
            room += call.operand(index).count() * _ITEM
    var scratch = allocate(room + call.count * _ROOM)
    if scratch == 0:
        return NO_MEMORY
    var operands = Operands(unsafe_from_address=scratch)
    var strides = scratch + call.count * 8 * 5
    var at = scratch + call.count * _ROOM
    var result = at
    for index in range(call.count):
        var x = call.operand(index)
        if x.is_half() and (index == 0 or inputs):
            var place = Words(unsafe_from_address=strides)
            operands[unsafe_offset=index] = _in_float32(x, at, place)
            strides += 8 * MAX_RANK
            if index > 0:
                _widen(x, at)
            at += x.count() * _ITEM
        else:
            operands[unsafe_offset=index] = x
    var wide = call
    wide.operands = operands
    var status = run(wide)
    var out_ = call.operand(0)
    if status == OK and out_.is_half():
        narrow(out_.dtype, out_.address, result, out_.count())
    release(scratch)
    return status
