"""Data movement between strided arrays: copy and fill."""
from std.math import iota
from std.sys import size_of

from structured.operands.memory import move_bytes
from structured.operands.nest import Cursor, Nest, nest_of_two
from structured.operands.operand import (
    CELLS,
    OK,
    UNSUPPORTED,
    Call,
    load,
    store,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count

comptime _TILE = 32
"""Side of the square that a transposing copy moves at a time."""
comptime _BLOCK = 8
"""Side of the square that is transposed in registers."""
comptime _SHORTEST = 4
"""Rows up to this long are copied without a loop for each."""
comptime RUN = 8
"""Elements at any places that are looked at together, whether they are adjacent."""


@always_inline
def _copy_backwards[cell: DType](target: Int, source: Int, count: Int):
    """Copies a row whose source runs backwards from its last element in memory."""
    comptime item = size_of[Scalar[cell]]()
    comptime width = max(1, 64 // item)
    var i = 0
    while i + width <= count:
        var value = load[cell, width](source - (i + width - 1) * item)
        store(target + i * item, value.reversed())
        i += width
    while i < count:
        store(target + i * item, load[cell](source - i * item))
        i += 1


@always_inline
def _copy_every_other[cell: DType](target: Int, source: Int, count: Int):
    """Copies a row whose source has the stride of real parts."""
    comptime item = size_of[Scalar[cell]]()
    comptime width = max(1, 64 // item)
    var i = 0
    # the last element is none of a vector's: behind it there may be no memory
    while i + width < count:
        var both = load[cell, 2 * width](source + i * 2 * item)
        store(target + i * item, both.deinterleave()[0])
        i += width
    while i < count:
        store(target + i * item, load[cell](source + i * 2 * item))
        i += 1


@always_inline
def _copy_spread[
    cell: DType
](target: Int, target_stride: Int, source: Int, source_stride: Int, count: Int):
    """Copies a row element by element."""
    comptime steps = 4
    var i = 0
    while i + steps <= count:
        comptime for step in range(steps):
            var value = load[cell](source + (i + step) * source_stride)
            store(target + (i + step) * target_stride, value)
        i += steps
    while i < count:
        store(
            target + i * target_stride, load[cell](source + i * source_stride)
        )
        i += 1


@always_inline
def copy_row[
    cell: DType
](target: Int, target_stride: Int, source: Int, source_stride: Int, count: Int):
    """Copies one row of `count` elements; strides in bytes."""
    comptime item = size_of[Scalar[cell]]()
    if target_stride == item and source_stride == item:
        move_bytes(target, source, count * item)
    elif target_stride == item and source_stride == 0:
        fill_row(target, load[cell](source), count)
    elif target_stride == item and source_stride == -item:
        _copy_backwards[cell](target, source, count)
    elif target_stride == item and source_stride == 2 * item:
        _copy_every_other[cell](target, source, count)
    else:
        _copy_spread[cell](target, target_stride, source, source_stride, count)


@always_inline
def fill_row[cell: DType](target: Int, value: Scalar[cell], count: Int):
    """Writes one value to `count` adjacent elements.

    What whole vectors leave over is one more, that overlaps the last of them.
    """
    comptime item = size_of[Scalar[cell]]()
    comptime width = max(1, 64 // item)
    if count >= width:
        var i = 0
        while i + width <= count:
            store(target + i * item, SIMD[cell, width](value))
            i += width
        store(target + (count - width) * item, SIMD[cell, width](value))
        return
    comptime for halvings in range(1, 7):
        comptime part = width >> halvings
        comptime if part > 0:
            if count >= part:
                store(target, SIMD[cell, part](value))
                store(target + (count - part) * item, SIMD[cell, part](value))
                return


@always_inline
def _transpose_block[
    cell: DType
](target: Int, target_stride: Int, source: Int, source_stride: Int):
    """Copies a square block: rows of the target are adjacent, and so are columns of the source."""
    comptime item = size_of[Scalar[cell]]()
    var lines = Array[SIMD[cell, _BLOCK], _BLOCK](uninitialized=True)
    comptime for line in range(_BLOCK):
        lines[line] = load[cell, _BLOCK](source + line * source_stride)
    # Three riffles of the lines, as of a deck of cards, transpose an 8 by 8 block.
    comptime for _ in range(3):
        var riffled = Array[SIMD[cell, _BLOCK], _BLOCK](uninitialized=True)
        comptime for line in range(_BLOCK // 2):
            var both = lines[line].interleave(lines[line + _BLOCK // 2])
            riffled[2 * line] = rebind[SIMD[cell, _BLOCK]](both.slice[_BLOCK]())
            riffled[2 * line + 1] = rebind[SIMD[cell, _BLOCK]](
                both.slice[_BLOCK, offset=_BLOCK]()
            )
        lines = riffled^
    comptime for line in range(_BLOCK):
        store(target + line * target_stride, lines[line])


struct Plane(TrivialRegisterPassable):
    """A strided plane to be copied; the second axis is the fastest of the target."""

    var target: Int
    var source: Int
    var rows: Int
    var columns: Int
    var target_row: Int
    var target_column: Int
    var source_row: Int
    var source_column: Int

    def __init__(out self, nest: Nest[2], target: Int, source: Int):
        var outer = nest.rank - 2
        var inner = nest.rank - 1
        self.target = target
        self.source = source
        self.rows = nest.sizes[outer]
        self.columns = nest.sizes[inner]
        self.target_row = nest.stride(0, outer)
        self.target_column = nest.stride(0, inner)
        self.source_row = nest.stride(1, outer)
        self.source_column = nest.stride(1, inner)

    def __init__(
        out self,
        rows: Int,
        columns: Int,
        *,
        target: Tuple[Int, Int, Int],
        source: Tuple[Int, Int, Int],
    ):
        """Takes addresses, each with the strides of rows and columns."""
        self.rows = rows
        self.columns = columns
        self.target, self.target_row, self.target_column = target
        self.source, self.source_row, self.source_column = source

    def turned(self) -> Self:
        """The same with its axes exchanged."""
        return Self(
            self.columns,
            self.rows,
            target=(self.target, self.target_column, self.target_row),
            source=(self.source, self.source_column, self.source_row),
        )

    @always_inline
    def copy_spread[
        cell: DType
    ](self, row: Int, rows: Int, column: Int, columns: Int):
        """Copies a rectangle along its longer side."""
        var to = (
            self.target + row * self.target_row + column * self.target_column
        )
        var frm = (
            self.source + row * self.source_row + column * self.source_column
        )
        if columns >= rows:
            for i in range(rows):
                _copy_spread[cell](
                    to + i * self.target_row,
                    self.target_column,
                    frm + i * self.source_row,
                    self.source_column,
                    columns,
                )
        else:
            for j in range(columns):
                _copy_spread[cell](
                    to + j * self.target_column,
                    self.target_row,
                    frm + j * self.source_column,
                    self.source_row,
                    rows,
                )

    @always_inline
    def copy_blocks[
        cell: DType
    ](self, row: Int, rows: Int, column: Int, columns: Int):
        """Copies a rectangle block by block, what is left over element by element."""
        var whole_rows = rows // _BLOCK * _BLOCK
        var whole_columns = columns // _BLOCK * _BLOCK
        for i in range(row, row + whole_rows, _BLOCK):
            for j in range(column, column + whole_columns, _BLOCK):
                _transpose_block[cell](
                    self.target + i * self.target_row + j * self.target_column,
                    self.target_row,
                    self.source + i * self.source_row + j * self.source_column,
                    self.source_column,
                )
        var left = columns - whole_columns
        self.copy_spread[cell](row, whole_rows, column + whole_columns, left)
        self.copy_spread[cell](
            row + whole_rows, rows - whole_rows, column, columns
        )


def copy_panel[cell: DType](plane: Plane):
    """Copies a plane of which one side is in cache."""
    comptime item = size_of[Scalar[cell]]()
    var seen = plane
    if plane.target_column != item and plane.target_row == item:
        seen = plane.turned()
    comptime if item <= 8:
        if seen.target_column == item and seen.source_row == item:
            seen.copy_blocks[cell](0, seen.rows, 0, seen.columns)
            return
    for row in range(seen.rows):
        copy_row[cell](
            seen.target + row * seen.target_row,
            seen.target_column,
            seen.source + row * seen.source_row,
            seen.source_column,
            seen.columns,
        )


def _copy_plane[cell: DType](plane: Plane):
    """Copies a plane tile by tile, so that both sides stay in cache."""
    comptime item = size_of[Scalar[cell]]()
    comptime blocked = item <= 8
    var adjacent = plane.target_column == item and plane.source_row == item
    var high = max(_TILE, _TILE * _TILE // plane.columns)
    var wide = max(_TILE, _TILE * _TILE // plane.rows)
    for row in range(0, plane.rows, high):
        var rows = min(high, plane.rows - row)
        for column in range(0, plane.columns, wide):
            var columns = min(wide, plane.columns - column)
            comptime if blocked:
                if adjacent:
                    plane.copy_blocks[cell](row, rows, column, columns)
                    continue
            plane.copy_spread[cell](row, rows, column, columns)


@always_inline
def _are_short(nest: Nest[2]) -> Bool:
    """Whether the rows of a nest are as short as those of colours."""
    return nest.rank >= 2 and 2 <= nest.sizes[nest.rank - 1] <= _SHORTEST


def _copy_short_rows[cell: DType, length: Int](nest: Nest[2]):
    """Copies a nest of short rows, without a loop for each."""
    var inner = nest.rank - 1
    var line = nest.rank - 2
    var to_next = nest.stride(0, inner)
    var from_next = nest.stride(1, inner)
    var cursor = Cursor[2](nest, line)
    for _ in range(nest.count(line)):
        var to = cursor.at[0]
        var source = cursor.at[1]
        for _ in range(nest.sizes[line]):
            comptime for k in range(length):
                store(to + k * to_next, load[cell](source + k * from_next))
            to += nest.stride(0, line)
            source += nest.stride(1, line)
        cursor.advance(nest)


def _copy_nest[cell: DType](nest: Nest[2], tiled: Bool):
    """Copies a nest whose axes are in their final order."""
    if _are_short(nest):
        comptime for length in range(2, _SHORTEST + 1):
            if nest.sizes[nest.rank - 1] == length:
                _copy_short_rows[cell, length](nest)
        return
    if tiled:
        var cursor = Cursor[2](nest, nest.rank - 2)
        for _ in range(nest.count(nest.rank - 2)):
            _copy_plane[cell](Plane(nest, cursor.at[0], cursor.at[1]))
            cursor.advance(nest)
        return
    if nest.rank == 0:
        store(nest.bases[0], load[cell](nest.bases[1]))
        return
    var inner = nest.rank - 1
    var cursor = Cursor[2](nest, inner)
    for _ in range(nest.count(inner)):
        copy_row[cell](
            cursor.at[0],
            nest.stride(0, inner),
            cursor.at[1],
            nest.stride(1, inner),
            nest.sizes[inner],
        )
        cursor.advance(nest)


def settle(mut nest: Nest[2], item: Int) -> Bool:
    """Orders the axes for speed; returns whether the two innermost are to be tiled.

    The output's order rules; where another axis is the fastest of the input, it comes next.
    """
    nest.flip(0)
    nest.sort(0)
    nest.coalesce()
    if nest.rank < 2 or nest.stride(1, nest.rank - 1) == 0 or _are_short(nest):
        return False
    var best = nest.rank - 1
    for axis in reversed(range(nest.rank - 1)):
        var stride = abs(nest.stride(1, axis))
        if stride != 0 and stride < abs(nest.stride(1, best)):
            best = axis
    if (
        best == nest.rank - 1
        or nest.sizes[best] * abs(nest.stride(1, best)) < 2 * item
    ):
        return False
    nest.sink(best, nest.rank - 2)
    return True


@always_inline
def are_adjacent[item: Int](offsets: Int) -> Bool:
    """Whether the first `RUN` offsets are those of elements one after another.

    They often are where a mask chooses.
    """
    var found = load[DType.int64, RUN](offsets)
    var expected = iota[DType.int64, RUN]() * Int64(item) + found[0]
    return found.eq(expected).reduce_and()


@always_inline
def copy_run[item: Int](target: Int, source: Int):
    """Copies `RUN` elements that lie one after another."""
    store(target, load[DType.uint8, RUN * item](source))


def _gather[
    cell: DType
](target: Int, array: Int, offsets: Int, count: Int, row: Nest[2]):
    """`Moves.gather` for one item size."""
    comptime item = size_of[Scalar[cell]]()
    if row.rank == 0:
        var i = 0
        while i < count:
            var source = array + Int(load[DType.int64](offsets + i * 8))
            if i + RUN <= count and are_adjacent[item](offsets + i * 8):
                copy_run[item](target + i * item, source)
                i += RUN
                continue
            var end = min(i + RUN, count)
            while i < end:
                store(
                    target + i * item,
                    load[cell](array + Int(load[DType.int64](offsets + i * 8))),
                )
                i += 1
        return
    var length = row.sizes[0]
    var stride = row.stride(1, 0)
    for i in range(count):
        var source = array + Int(load[DType.int64](offsets + i * 8))
        copy_row[cell](target + i * length * item, item, source, stride, length)


struct Moves(TrivialRegisterPassable):
    """The compiled loops that move elements of one size."""

    var item: Int
    """Bytes of one element."""
    var nest: def(nest: Nest[2], tiled: Bool) thin -> None
    """Copies operand 1 of a nest that `settle` has ordered, and that is not empty, to operand 0."""
    var gather: def(
        target: Int, array: Int, offsets: Int, count: Int, row: Nest[2]
    ) thin -> None
    """Copies what lies at byte offsets of an array to adjacent elements.

    At each offset lies one element, or a row of them that a nest of rank 1 describes.
    """

    def __init__[cell: DType](out self, *, of: Scalar[cell]):
        self.item = size_of[Scalar[cell]]()
        self.nest = _copy_nest[cell]
        self.gather = _gather[cell]


def moves_of(item: Int) -> Moves:
    """The loops for elements of 1, 2, 4, 8 or 16 bytes; every dtype code has one of these."""
    comptime for index in range(len(CELLS) - 1):
        comptime cell = CELLS[index]
        if size_of[Scalar[cell]]() == item:
            return Moves(of=Scalar[cell](0))
    return Moves(of=Scalar[DType.uint128](0))


def copy_nest(mut nest: Nest[2], item: Int, threads: Int):
    """Copies operand 1 of a nest to operand 0, elements of `item` bytes."""
    if nest.empty:
        return
    var tiled = settle(nest, item)
    var moves = moves_of(item)
    var tasks = task_count(nest.count(nest.rank) * item // 8, threads)
    if tasks == 1:
        moves.nest(nest, tiled)
        return
    var axis = nest.longest()

    def share(index: Int) {imm}:
        var start = part(nest.sizes[axis], index, tasks)
        var end = part(nest.sizes[axis], index + 1, tasks)
        moves.nest(nest.share(axis, start, end), tiled)

    parallel_for(share, tasks)


def copy(call: Call) -> Int:
    """`out[...] = x`: same shape and dtype, any strides on both sides, no overlap."""
    if not valid(call, 2, 0):
        return UNSUPPORTED
    var out_ = call.operand(0)
    var x = call.operand(1)
    if out_.dtype != x.dtype or not out_.same_shape(x):
        return UNSUPPORTED
    var nest = nest_of_two(out_, x)
    copy_nest(nest, out_.item_size(), call.threads)
    return OK


def fill(call: Call) -> Int:
    """`out[...] = value`: the value is the first element of the input, whatever its shape."""
    if not valid(call, 2, 0) or call.operand(0).dtype != call.operand(1).dtype:
        return UNSUPPORTED
    var out_ = call.operand(0)
    var nest = Nest[2]([out_.address, call.operand(1).address])
    for axis in range(out_.rank):
        nest.push(out_.size(axis), [out_.stride(axis), 0])
    copy_nest(nest, out_.item_size(), call.threads)
    return OK
