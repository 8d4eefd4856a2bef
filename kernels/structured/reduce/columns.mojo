"""Folding many rows of numbers into one row, in the order of the rows."""
from std.memory import stack_allocation
from std.sys import simd_width_of, size_of

from structured.reduce.combine import combine, identity
from structured.movement.copy import copy_row, fill_row
from structured.operands.fetch import BLOCK, DIRECT
from structured.operands.operand import load, store
from structured.reduce.rows import Row, fold

comptime _NARROW_BYTES = 256
"""Rows up to this long are folded all at once, longer ones in blocks of columns."""
comptime _TOGETHER = 8
"""Rows of a block that are folded before the results are stored."""


struct Rows(TrivialRegisterPassable):
    """Rows of one length, `stride` bytes apart."""

    var row: Row
    """The first."""
    var stride: Int
    var count: Int
    var down_kind: Int
    """How to fetch a column."""

    def __init__(out self, row: Row, stride: Int, count: Int, down_kind: Int):
        self.row = row
        self.stride = stride
        self.count = count
        self.down_kind = down_kind


@no_inline
def _fold_block[
    op: Int, dtype: DType
](
    results: Int,
    address: Int,
    stride: Int,
    rows: Int,
    columns: Int,
    fresh: Bool,
):
    """Folds rows of adjacent elements into adjacent results, in registers."""
    comptime item = size_of[Scalar[dtype]]()
    comptime vector = simd_width_of[dtype]()
    comptime WIDTHS: Array[Int, 3] = [4 * vector, vector, 1]
    var column = 0
    comptime for choice in range(len(WIDTHS)):
        comptime width = WIDTHS[choice]
        while column + width <= columns:
            var value = SIMD[dtype, width](identity[op, dtype]())
            if not fresh:
                value = load[dtype, width](results + column * item)
            var at = address + column * item
            for _ in range(rows):
                value = combine[op](value, load[dtype, width](at))
                at += stride
            store(results + column * item, value)
            column += width


def _fold_down[
    op: Int, dtype: DType
](start: Scalar[dtype], column: Row) -> Scalar[dtype]:
    """Folds a column one element after the other."""
    comptime item = size_of[Scalar[dtype]]()
    var buffer = Int(stack_allocation[BLOCK, dtype, alignment=64]())
    var result = start
    for at in range(0, column.count, BLOCK):
        var count = min(BLOCK, column.count - at)
        result = fold[op](
            result, column.share(at, count).adjacent(buffer), item, count
        )
    return result


@always_inline
def _fold_columns[
    op: Int, dtype: DType
](results: Int, rows: Rows, column: Int, count: Int):
    """Folds up to `BLOCK` columns of all rows into adjacent results, which stay in cache."""
    var buffer = Int(stack_allocation[BLOCK, dtype, alignment=64]())
    var row = rows.row.share(column, count)
    var step = _TOGETHER if row.kind == DIRECT else 1
    for start in range(0, rows.count, step):
        var some = min(step, rows.count - start)
        _fold_block[op, dtype](
            results, row.adjacent(buffer), rows.stride, some, count, False
        )
        row.address += some * rows.stride


def _fold_in_cache[
    op: Int, dtype: DType
](target: Int, target_stride: Int, rows: Rows, fresh: Bool):
    """Folds wide rows, a block of columns at a time, the results in cache."""
    comptime item = size_of[Scalar[dtype]]()
    var buffer = Int(stack_allocation[BLOCK, dtype, alignment=64]())
    for column in range(0, rows.row.count, BLOCK):
        var count = min(BLOCK, rows.row.count - column)
        var place = target + column * target_stride
        var results = place if target_stride == item else buffer
        if fresh:
            fill_row(results, identity[op, dtype](), count)
        elif results != place:
            copy_row[dtype](results, item, place, target_stride, count)
        _fold_columns[op, dtype](results, rows, column, count)
        if results != place:
            copy_row[dtype](place, target_stride, results, item, count)


def into_row[
    op: Int, dtype: DType
](target: Int, target_stride: Int, rows: Rows, fresh: Bool):
    """Folds rows into a target row, which starts from what it holds, or from the identity."""
    comptime item = size_of[Scalar[dtype]]()
    if rows.row.count * item > _NARROW_BYTES:
        _fold_in_cache[op, dtype](target, target_stride, rows, fresh)
    elif rows.row.kind == DIRECT and target_stride == item:
        _fold_block[op, dtype](
            target,
            rows.row.address,
            rows.stride,
            rows.count,
            rows.row.count,
            fresh,
        )
    else:
        for column in range(rows.row.count):
            var place = target + column * target_stride
            var start = identity[op, dtype]()
            if not fresh:
                start = load[dtype](place)
            var address = rows.row.address + column * rows.row.stride
            var down = Row(address, rows.stride, rows.count, rows.down_kind)
            store(place, _fold_down[op](start, down))
