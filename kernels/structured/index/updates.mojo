"""The compiled loops of scatter: writing or combining elements at given places."""
from elementwise.numbers.dtypes import COMPLEX64, dtype_code
from std.sys import simd_width_of, size_of

from structured.reduce.combine import (
    Elements,
    Operation,
    combine,
    computed_as,
    has_loops,
)
from structured.reduce.complex_scan import scatter_elements, update_elements
from structured.movement.copy import (
    RUN,
    are_adjacent,
    copy_row,
    copy_run,
)
from structured.operands.operand import (
    CELLS,
    HALVES,
    NUMBERS,
    PARTS,
    item_size,
    load,
    store,
)

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

    def __init__[op: Int, dtype: DType](out self, *, of: Operation[op, dtype]):
        self.scatter = _scatter[op, dtype]
        self.row = _update_row[op, dtype]

    def __init__[
        op: Int, dtype: DType, lanes: Int
    ](out self, *, of_elements: Elements[op, dtype, lanes]):
        self.scatter = scatter_elements[op, dtype, lanes]
        self.row = update_elements[op, dtype, lanes]


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
    comptime item = size_of[Scalar[dtype]]()
    var i = 0
    while i < count:
        comptime if op == SET:
            if (
                i + RUN <= count
                and source_stride == item
                and are_adjacent[item](offsets + i * 8)
            ):
                var to = array + Int(load[DType.int64](offsets + i * 8))
                copy_run[item](to, source + i * item)
                i += RUN
                continue
        for k in range(i, min(i + RUN, count)):
            var target = array + Int(load[DType.int64](offsets + k * 8))
            var from_ = source + k * source_stride
            store(target, _updated[op, dtype](target, from_))
        i += RUN


def _update_row[
    op: Int, dtype: DType
](target: Int, target_stride: Int, source: Int, source_stride: Int, count: Int):
    """`Updates.row` for one update and dtype."""
    comptime if op == SET:
        copy_row[dtype](target, target_stride, source, source_stride, count)
    else:
        comptime item = size_of[Scalar[dtype]]()
        comptime width = min(simd_width_of[dtype](), 8)
        var done = 0
        if target_stride == item and source_stride == item:
            while done + width <= count:
                var place = target + done * item
                var value = load[dtype, width](source + done * item)
                store(place, combine[op](load[dtype, width](place), value))
                done += width
        for i in range(done, count):
            var place = target + i * target_stride
            store(place, _updated[op, dtype](place, source + i * source_stride))


def updates_of[op: Int](code: Int) -> Optional[Updates]:
    """The loops for arrays of a dtype code; None where there is no such update."""
    comptime if op == SET:
        comptime for index in range(len(CELLS)):
            comptime cell = CELLS[index]
            if item_size(code) == size_of[Scalar[cell]]():
                return Updates(of=Operation[op, cell]())
        return None
    var compute = computed_as[op](code)
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        comptime if has_loops[op, dtype]:
            if compute == dtype_code(dtype):
                return Updates(of=Operation[op, dtype]())
    comptime for index in range(len(HALVES)):
        comptime half = HALVES[index]
        if code == dtype_code(half):
            return Updates(of_elements=Elements[op, half, 1]())
    comptime for index in range(len(PARTS)):
        comptime part = PARTS[index]
        if code == COMPLEX64 + index:
            return Updates(of_elements=Elements[op, part, 2]())
    return None
