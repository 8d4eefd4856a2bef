"""The compiled loops of scatter: writing or combining elements at given places."""
from std.sys import size_of

from .copy import copy_row
from .operand import (
    BOOL,
    CELLS,
    FLOATS,
    SIGNED,
    UNSIGNED,
    code_of,
    item_size,
    load,
    plain,
    store,
    wrapping,
)
from .combine import MAX, MIN, combine

comptime SET = -1
"""The update that overwrites; the others are reductions of `reduce_rows`."""


struct Updates(TrivialRegisterPassable):
    """The compiled loops of one kind of update."""

    var scatter: def(
        array: Int, offsets: Int, source: Int, source_stride: Int, count: Int
    ) thin -> None
    """Updates the elements of an array at byte offsets, in order, from a strided row."""
    var row: def(
        target: Int,
        target_stride: Int,
        source: Int,
        source_stride: Int,
        count: Int,
    ) thin -> None
    """Updates a strided row from another."""

    def __init__[op: Int, dtype: DType](out self, *, of: Update[op, dtype]):
        self.scatter = _scatter[op, dtype]
        self.row = _update_row[op, dtype]


struct Update[op: Int, dtype: DType](TrivialRegisterPassable):
    """Names an update and a dtype for `Updates`."""

    def __init__(out self):
        pass


@always_inline
def _updated[op: Int, dtype: DType](target: Int, source: Int) -> Scalar[dtype]:
    """What the element at a target becomes."""
    comptime if op == SET:
        return load[dtype](source)
    else:
        return combine[op](load[dtype](target), load[dtype](source))


def _scatter[
    op: Int, dtype: DType
](array: Int, offsets: Int, source: Int, source_stride: Int, count: Int):
    """`Updates.scatter` for one update and dtype."""
    for i in range(count):
        var target = array + Int(load[DType.int64](offsets + i * 8))
        store(target, _updated[op, dtype](target, source + i * source_stride))


def _update_row[
    op: Int, dtype: DType
](target: Int, target_stride: Int, source: Int, source_stride: Int, count: Int):
    """`Updates.row` for one update and dtype."""
    comptime if op == SET:
        copy_row[dtype](target, target_stride, source, source_stride, count)
    else:
        for i in range(count):
            var place = target + i * target_stride
            store(place, _updated[op, dtype](place, source + i * source_stride))


def updates_of[op: Int](code: Int) -> Optional[Updates]:
    """The loops for arrays of a dtype code; None where there is no such update."""
    comptime if op == SET:
        comptime for index in range(len(CELLS)):
            comptime cell = CELLS[index]
            if item_size(code) == size_of[Scalar[cell]]():
                return Updates(of=Update[op, cell]())
        return None
    comptime exact = op == MAX or op == MIN
    if code == BOOL and not exact:
        return None
    var compute = plain(code) if exact else wrapping(code)
    comptime for index in range(len(UNSIGNED)):
        comptime dtype = UNSIGNED[index]
        if compute == code_of(dtype):
            return Updates(of=Update[op, dtype]())
    comptime if exact:
        comptime for index in range(len(SIGNED)):
            comptime dtype = SIGNED[index]
            if compute == code_of(dtype):
                return Updates(of=Update[op, dtype]())
    comptime for index in range(len(FLOATS)):
        comptime dtype = FLOATS[index]
        if compute == code_of(dtype):
            return Updates(of=Update[op, dtype]())
    return None
