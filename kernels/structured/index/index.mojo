"""Integer-array indexing: gather, and scatter in place with set, add, multiply, min and max.

An indexed array has the shape (n_0 .. n_{k-1}) + rest; k int64 index operands share a shape S.
Indices may be negative once over. `scatter` checks all of them before it writes anything.
"""
from std.memory import bitcast, stack_allocation
from std.sys import simd_width_of

from structured.movement.copy import Moves, moves_of, settle
from structured.operands.nest import Cursor, Nest, RowWalk, nest_of
from structured.operands.operand import (
    INT64,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count
from structured.index.updates import Updates, updates_of

comptime _BLOCK = 512
"""Positions whose offsets are computed at a time."""


struct Indexed(Copyable):
    """An indexed array, its index operands, and the array that is moved to or from it."""

    var call: Call
    var array: Operand
    """The array that is indexed."""
    var other: Operand
    """The array of shape S + rest."""
    var first: Int
    """Number of the first index operand."""
    var indices: Int
    """How many index operands there are."""
    var shape_rank: Int
    """Rank of S."""
    var positions: Int
    """Elements of S."""

    def __init__(out self, call: Call, array: Operand, other: Operand):
        self.call = call
        self.array = array
        self.other = other
        self.first = 2
        self.indices = call.param(0)
        self.shape_rank = -1
        if 1 <= self.indices <= array.rank:
            self.shape_rank = other.rank - (array.rank - self.indices)
        self.positions = 1
        for axis in range(max(self.shape_rank, 0)):
            self.positions *= other.size(axis)

    def valid(self) -> Bool:
        """Whether all shapes and dtypes agree."""
        if (
            self.indices < 1
            or self.indices > self.array.rank
            or self.shape_rank < 0
        ):
            return False
        if (
            self.call.count != self.first + self.indices
            or self.array.dtype != self.other.dtype
        ):
            return False
        for axis in range(self.indices, self.array.rank):
            if self.array.size(axis) != self.other.size(
                self.shape_rank + axis - self.indices
            ):
                return False
        for index in range(self.indices):
            var operand = self.call.operand(self.first + index)
            if operand.dtype != INT64 or operand.rank != self.shape_rank:
                return False
            for axis in range(self.shape_rank):
                if operand.size(axis) != self.other.size(axis):
                    return False
        return True

    def check(self) -> Int:
        """OUT_OF_BOUNDS with the first bad index if there is one, axis by axis, else OK."""
        if self.positions == 0:
            return OK
        for axis in range(self.indices):
            var operand = self.call.operand(self.first + axis)
            var size = self.array.size(axis)
            var nest = Nest[1]([operand.address])
            for at in range(operand.rank):
                if operand.stride(at) != 0:
                    nest.push(operand.size(at), [operand.stride(at)])
            nest.coalesce()
            var bad = _first_outside(nest, size)
            if bad:
                return self.call.out_of_bounds(axis, bad.value(), size)
        return OK

    def offsets(self, start: Int, count: Int, buffer: Int) -> Bool:
        """Writes the byte offsets in the array of `count` positions from `start` on; returns
        whether all indices are inside."""
        var inside = True
        for axis in range(self.indices):
            var operand = self.call.operand(self.first + axis)
            var size = self.array.size(axis)
            var stride = self.array.stride(axis)
            var at = buffer
            var walk = RowWalk(nest_of(operand, self.shape_rank), start, count)
            while walk.next():
                if axis == 0:
                    inside &= _offsets_of_row[False](at, walk, size, stride)
                else:
                    inside &= _offsets_of_row[True](at, walk, size, stride)
                at += 8 * walk.count
        return inside

    def rest(self, target_first: Bool) -> Nest[2]:
        """The nest of the rest axes: (other, array), or (array, other) with `target_first`.

        The addresses in it are relative to the first element of a position.
        """
        var nest = Nest[2]([0, 0])
        for axis in range(self.indices, self.array.rank):
            var mine = self.array.stride(axis)
            var its = self.other.stride(self.shape_rank + axis - self.indices)
            if target_first:
                nest.push(self.array.size(axis), [mine, its])
            else:
                nest.push(self.array.size(axis), [its, mine])
        return nest^


@always_inline
def _write_offset[
    add: Bool, width: Int
](buffer: Int, index: SIMD[DType.int64, width], size: Int, stride: Int) -> SIMD[
    DType.bool, width
]:
    """Writes the offsets of some indices, or adds them to what is there; returns which indices are
    outside."""
    var wrapped = index.lt(0).select(index + Int64(size), index)
    var offset = wrapped * Int64(stride)
    comptime if add:
        offset += load[DType.int64, width](buffer)
    store(buffer, offset)
    return bitcast[DType.uint64, width](wrapped).ge(UInt64(size))


def _offsets_of_row[
    add: Bool
](buffer: Int, row: RowWalk, size: Int, stride: Int) -> Bool:
    """Writes the offsets of the current row of a walk, or adds them to what is there; returns
    whether all indices are inside."""
    comptime width = simd_width_of[DType.int64]()
    var outside = SIMD[DType.bool, width](fill=False)
    var i = 0
    if row.stride == 8:
        while i + width <= row.count:
            var index = load[DType.int64, width](row.address + i * 8)
            outside |= _write_offset[add, width](
                buffer + i * 8, index, size, stride
            )
            i += width
    var any_outside = outside.reduce_or()
    while i < row.count:
        var index = load[DType.int64](row.address + i * row.stride)
        any_outside |= _write_offset[add, 1](
            buffer + i * 8, index, size, stride
        )
        i += 1
    return not any_outside


def _row_has_outside(address: Int, count: Int, size: Int) -> Bool:
    """Whether any of some adjacent indices is outside of -size .. size - 1."""
    comptime width = simd_width_of[DType.int64]()
    var bad = SIMD[DType.bool, width](fill=False)
    var i = 0
    while i + width <= count:
        var shifted = load[DType.int64, width](address + i * 8) + Int64(size)
        bad = bad | bitcast[DType.uint64, width](shifted).ge(UInt64(2 * size))
        i += width
    var any_bad = bad.reduce_or()
    while i < count:
        any_bad = any_bad or UInt64(
            load[DType.int64](address + i * 8) + Int64(size)
        ) >= UInt64(2 * size)
        i += 1
    return any_bad


def _first_outside(nest: Nest[1], size: Int) -> Optional[Int]:
    """The first index in C order that is outside of -size .. size - 1."""
    var inner = nest.rank - 1
    var count = 1
    var stride = 8
    if nest.rank > 0:
        count = nest.sizes[inner]
        stride = nest.stride(0, inner)
    var cursor = Cursor[1](nest, max(inner, 0))
    for _ in range(nest.count(max(inner, 0))):
        if stride != 8 or _row_has_outside(cursor.at[0], count, size):
            for i in range(count):
                var index = Int(load[DType.int64](cursor.at[0] + i * stride))
                if index < -size or index >= size:
                    return index
        cursor.advance(nest)
    return None


def _gather_part(indexed: Indexed, moves: Moves, start: Int, end: Int) -> Bool:
    """Gathers the positions from `start` to `end`; returns whether all indices are inside."""
    var offsets = Int(stack_allocation[_BLOCK, DType.int64, alignment=64]())
    var rest = indexed.rest(False)
    var tiled = settle(rest, moves.item)
    var shift = rest.bases.copy()
    var row = rest.count(rest.rank) * moves.item
    for at in range(start, end, _BLOCK):
        var count = min(_BLOCK, end - at)
        if not indexed.offsets(at, count, offsets):
            return False
        var target = indexed.other.address + at * row
        if rest.rank <= 1:
            moves.gather(target, indexed.array.address, offsets, count, rest)
            continue
        for i in range(count):
            var source = indexed.array.address + Int(
                load[DType.int64](offsets + i * 8)
            )
            rest.bases = [target + i * row + shift[0], source + shift[1]]
            moves.nest(rest, tiled)
    return True


def gather(call: Call) -> Int:
    """`out = x[i_0, .., i_{k-1}]`; inputs x, then the k indices; params: k. C-contiguous out."""
    if not valid(call, 3, 1):
        return UNSUPPORTED
    var indexed = Indexed(call, call.operand(1), call.operand(0))
    if not indexed.valid() or not indexed.other.contiguous():
        return UNSUPPORTED
    var elements = indexed.other.count()
    if elements == 0:
        return indexed.check()
    var moves = moves_of(indexed.array.item_size())
    var tasks = min(
        task_count(elements * moves.item // 8, call.threads), indexed.positions
    )

    # The indices are checked as they are used: when one is outside, the output is worthless.
    var outside = Int(stack_allocation[1, DType.uint8]())
    store(outside, UInt8(0))

    def share(index: Int) {imm}:
        var start = part(indexed.positions, index, tasks)
        var end = part(indexed.positions, index + 1, tasks)
        if not _gather_part(indexed, moves, start, end):
            store(outside, UInt8(1))

    parallel_for(share, tasks)
    return OK if load[DType.uint8](outside) == 0 else indexed.check()


def _scatter(indexed: Indexed, updates: Updates, item: Int):
    """Applies all updates in order."""
    var offsets = Int(stack_allocation[_BLOCK, DType.int64, alignment=64]())
    var rest = indexed.rest(True)
    _ = settle(rest, item)
    var shift = rest.bases.copy()
    for start in range(0, indexed.positions, _BLOCK):
        var count = min(_BLOCK, indexed.positions - start)
        _ = indexed.offsets(start, count, offsets)
        var at = offsets
        var walk = RowWalk(
            nest_of(indexed.other, indexed.shape_rank), start, count
        )
        while walk.next():
            if rest.rank == 0:
                updates.scatter(
                    indexed.array.address,
                    at,
                    walk.address,
                    walk.stride,
                    walk.count,
                )
                at += 8 * walk.count
                continue
            for i in range(walk.count):
                var target = indexed.array.address + Int(load[DType.int64](at))
                rest.bases = [
                    target + shift[0],
                    walk.address + i * walk.stride + shift[1],
                ]
                update_nest(rest, updates)
                at += 8


def update_nest(nest: Nest[2], updates: Updates):
    """Updates operand 0 of a nest of rank 1 or more with operand 1, row by row."""
    var inner = nest.rank - 1
    if inner == 0:
        updates.row(
            nest.bases[0],
            nest.stride(0, 0),
            nest.bases[1],
            nest.stride(1, 0),
            nest.sizes[0],
        )
        return
    var cursor = Cursor[2](nest, inner)
    for _ in range(nest.count(inner)):
        updates.row(
            cursor.at[0],
            nest.stride(0, inner),
            cursor.at[1],
            nest.stride(1, inner),
            nest.sizes[inner],
        )
        cursor.advance(nest)


def scatter[op: Int](call: Call) -> Int:
    """`array[i_0, .., i_{k-1}] op= updates`, in place and in order; params: k.

    Operands: the array, updates of shape S + rest, the k indices; any strides.
    """
    if not valid(call, 3, 1):
        return UNSUPPORTED
    var indexed = Indexed(call, call.operand(0), call.operand(1))
    var updates = updates_of[op](call.operand(0).dtype)
    if not indexed.valid() or not updates:
        return UNSUPPORTED
    var status = indexed.check()
    if status == OK and indexed.other.count() > 0:
        _scatter(indexed, updates.value(), indexed.array.item_size())
    return status
