"""Gather and scatter of windows, as general as those of jax.lax.

The starts of the windows come from the last axis of an array of indices; its other axes
are batch axes. A window runs along the axes of the array; along the axes of the other
array, which has the batch axes too, it is read or written.

Params: what happens to windows that are not inside (0: they are moved inside, 1: they
are dropped, and read as a fill value); then four for each axis of the array: the size
of the window, the axis of the other array along which it runs (-1 if none), the
component of the start that is its place (-1 if none), the batch axis of the indices
that is its place (-1 if none); then for each batch axis its axis of the other array.
"""
from elementwise.numbers.dtypes import dtype_code
from std.memory import stack_allocation

from structured.movement.copy import Moves, moves_of, settle
from structured.index.index import update_nest
from structured.operands.nest import Nest, RowWalk
from structured.operands.operand import (
    NUMBERS,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
    valid,
)
from structured.index.updates import Updates, updates_of

comptime _BLOCK = 512
"""Positions whose offsets are computed at a time."""
comptime _OUTSIDE = Int64.MIN
"""The offset of a window that is dropped."""


struct Axis(TrivialRegisterPassable):
    """One axis of the array, and its four parameters."""

    var size: Int
    var stride: Int
    var window: Int
    var other: Int
    var component: Int
    var batch: Int

    def __init__(out self, call: Call, array: Operand, axis: Int):
        self.size = array.size(axis)
        self.stride = array.stride(axis)
        self.window = call.param(1 + 4 * axis)
        self.other = call.param(2 + 4 * axis)
        self.component = call.param(3 + 4 * axis)
        self.batch = call.param(4 + 4 * axis)


struct Windows(Copyable):
    """The arrays of one gather or scatter."""

    var call: Call
    var array: Operand
    var other: Operand
    """The array that has the batch axes and the axes of the windows."""
    var indices: Operand
    var batches: Int
    """Number of batch axes."""
    var drops: Bool
    """Whether windows that are not inside are dropped."""

    def __init__(out self, call: Call, array: Int, other: Int):
        self.call = call
        self.array = call.operand(array)
        self.other = call.operand(other)
        self.indices = call.operand(2)
        self.batches = self.indices.rank - 1
        self.drops = call.param(0) == 1

    @always_inline
    def axis(self, axis: Int) -> Axis:
        """An axis of the array."""
        return Axis(self.call, self.array, axis)

    @always_inline
    def batch_axis(self, batch: Int) -> Int:
        """The axis of the other array that is a batch axis."""
        return self.call.param(1 + 4 * self.array.rank + batch)

    def valid(self) -> Bool:
        """Whether parameters, shapes and dtypes agree."""
        if self.batches < 0 or self.array.dtype != self.other.dtype:
            return False
        if self.call.param_count != 1 + 4 * self.array.rank + self.batches:
            return False
        if not _is_integer(self.indices.dtype):
            return False
        var axes = self.batches
        for index in range(self.array.rank):
            var axis = self.axis(index)
            if axis.window < 0 or axis.window > axis.size:
                return False
            if axis.component >= self.indices.size(self.batches):
                return False
            if axis.batch >= self.batches:
                return False
            if axis.batch >= 0 and self.indices.size(axis.batch) > axis.size:
                return False
            if axis.other >= 0:
                axes += 1
            elif axis.window != 1:
                return False
        return axes == self.other.rank and self._fits_other()

    def _fits_other(self) -> Bool:
        """Whether each axis of the other array is named once, with its size."""
        for place in range(self.other.rank):
            var named = 0
            for index in range(self.array.rank):
                var axis = self.axis(index)
                if axis.other == place and axis.window == self.other.size(
                    place
                ):
                    named += 1
            for batch in range(self.batches):
                var size = self.indices.size(batch)
                if self.batch_axis(batch) == place and size == self.other.size(
                    place
                ):
                    named += 1
            if named != 1:
                return False
        return True

    def positions(self) -> Int:
        """Number of windows."""
        var product = 1
        for batch in range(self.batches):
            product *= self.indices.size(batch)
        return product

    def walk(self, start: Int, count: Int) -> RowWalk:
        """The places of some windows in the other array."""
        var nest = Nest[1]([self.other.address])
        for batch in range(self.batches):
            nest.push(
                self.indices.size(batch),
                [self.other.stride(self.batch_axis(batch))],
            )
        return RowWalk(nest^, start, count)

    def offsets(self, start: Int, count: Int, buffer: Int) -> Bool:
        """Writes the byte offsets of some windows in the array; returns whether none is dropped."""
        self._batch_offsets(start, count, buffer)
        var inside = True
        for index in range(self.array.rank):
            var axis = self.axis(index)
            if axis.component >= 0:
                inside = self._add_starts(axis, start, count, buffer) and inside
        return inside

    def _batch_offsets(self, start: Int, count: Int, buffer: Int):
        """Writes what the batch axes contribute to the offsets."""
        var nest = Nest[1]([0])
        for batch in range(self.batches):
            var stride = 0
            for index in range(self.array.rank):
                if self.axis(index).batch == batch:
                    stride += self.axis(index).stride
            nest.push(self.indices.size(batch), [stride])
        var at = buffer
        var walk = RowWalk(nest^, start, count)
        while walk.next():
            for i in range(walk.count):
                store(at, Int64(walk.address + i * walk.stride))
                at += 8

    def _add_starts(
        self, axis: Axis, start: Int, count: Int, buffer: Int
    ) -> Bool:
        """Adds what one component of the starts contributes; returns whether none is dropped."""
        var shift = axis.component * self.indices.stride(self.batches)
        var nest = Nest[1]([self.indices.address + shift])
        for batch in range(self.batches):
            nest.push(self.indices.size(batch), [self.indices.stride(batch)])
        var last = axis.size - axis.window
        var inside = True
        var at = buffer
        var walk = RowWalk(nest^, start, count)
        while walk.next():
            for i in range(walk.count):
                var place = _index_at(
                    self.indices.dtype, walk.address + i * walk.stride
                )
                var offset = load[DType.int64](at)
                if self.drops and (place < 0 or place > last):
                    inside = False
                    store(at, _OUTSIDE)
                elif offset != _OUTSIDE:
                    store(
                        at,
                        offset + Int64(min(max(place, 0), last) * axis.stride),
                    )
                at += 8
        return inside

    def window(self, target_first: Bool) -> Nest[2]:
        """The nest of a window: (other, array), or (array, other) with `target_first`."""
        var nest = Nest[2]([0, 0])
        for index in range(self.array.rank):
            var axis = self.axis(index)
            if axis.other < 0:
                continue
            var its = self.other.stride(axis.other)
            if target_first:
                nest.push(axis.window, [axis.stride, its])
            else:
                nest.push(axis.window, [its, axis.stride])
        return nest^


def _is_integer(code: Int) -> Bool:
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        comptime if dtype.is_integral():
            if code == dtype_code(dtype):
                return True
    return False


@always_inline
def _index_at(code: Int, address: Int) -> Int:
    """The integer of a dtype code at an address; what is too large for 63 bits is the largest."""
    comptime for index in range(len(NUMBERS)):
        comptime dtype = NUMBERS[index]
        comptime if dtype.is_integral():
            if code == dtype_code(dtype):
                var value = load[dtype](address)
                comptime if dtype == DType.uint64:
                    return Int(
                        min(value, rebind[Scalar[dtype]](UInt64(Int64.MAX)))
                    )
                return Int(value)
    return 0


def _gather_block(
    windows: Windows,
    moves: Moves,
    nest: Nest[2],
    blank: Nest[2],
    start: Int,
    count: Int,
):
    """Gathers some windows; the nests are settled, `blank` reads the fill value everywhere."""
    var offsets = Int(stack_allocation[_BLOCK, DType.int64, alignment=64]())
    var inside = windows.offsets(start, count, offsets)
    var mine = nest.copy()
    var empty = blank.copy()
    var at = offsets
    var walk = windows.walk(start, count)
    while walk.next():
        if nest.rank == 0 and inside and walk.stride == moves.item:
            moves.gather(
                walk.address, windows.array.address, at, walk.count, nest
            )
            at += 8 * walk.count
            continue
        for i in range(walk.count):
            var target = walk.address + i * walk.stride
            var offset = Int(load[DType.int64](at))
            if offset == Int(_OUTSIDE):
                empty.bases = [target, blank.bases[1]]
                moves.nest(empty, False)
            else:
                mine.bases = [target, windows.array.address + offset]
                moves.nest(mine, False)
            at += 8


def gather_windows(call: Call) -> Int:
    """`out` = windows of an array; operands: out (C-contiguous), array, indices, 0-d fill value."""
    if not valid(call, 4, 1):
        return UNSUPPORTED
    var windows = Windows(call, 1, 0)
    var fill = call.operand(3)
    if not windows.valid() or not windows.other.contiguous():
        return UNSUPPORTED
    if fill.dtype != windows.array.dtype:
        return UNSUPPORTED
    if windows.other.count() == 0:
        return OK
    var moves = moves_of(windows.array.item_size())
    var nest = windows.window(False)
    var blank = Nest[2]([0, fill.address])
    for axis in range(nest.rank):
        blank.push(nest.sizes[axis], [nest.stride(0, axis), 0])
    _ = settle(nest, moves.item)
    _ = settle(blank, moves.item)
    var positions = windows.positions()
    for start in range(0, positions, _BLOCK):
        var count = min(_BLOCK, positions - start)
        _gather_block(windows, moves, nest, blank, start, count)
    return OK


def _scatter_block(
    windows: Windows, updates: Updates, nest: Nest[2], start: Int, count: Int
):
    """Updates some windows in order; the nest is settled."""
    var offsets = Int(stack_allocation[_BLOCK, DType.int64, alignment=64]())
    var inside = windows.offsets(start, count, offsets)
    var array = windows.array.address
    var mine = nest.copy()
    var at = offsets
    var walk = windows.walk(start, count)
    while walk.next():
        if nest.rank == 0 and inside:
            updates.scatter(array, at, walk.address, walk.stride, walk.count)
            at += 8 * walk.count
            continue
        for i in range(walk.count):
            var offset = Int(load[DType.int64](at))
            var source = walk.address + i * walk.stride
            if offset != Int(_OUTSIDE):
                if nest.rank == 0:
                    updates.scatter(array, at, source, 0, 1)
                else:
                    mine.bases = [
                        array + offset + nest.bases[0],
                        source + nest.bases[1],
                    ]
                    update_nest(mine, updates)
            at += 8


def scatter_windows[op: Int](call: Call) -> Int:
    """Windows of an array `op=` updates, in place; operands: array, updates, indices.

    Any strides. The windows are updated in the order of the batch axes.
    """
    if not valid(call, 3, 1):
        return UNSUPPORTED
    var windows = Windows(call, 0, 1)
    var updates = updates_of[op](windows.array.dtype)
    if not updates or not windows.valid():
        return UNSUPPORTED
    if windows.other.count() == 0:
        return OK
    var nest = windows.window(True)
    _ = settle(nest, windows.array.item_size())
    var positions = windows.positions()
    for start in range(0, positions, _BLOCK):
        var count = min(_BLOCK, positions - start)
        _scatter_block(windows, updates.value(), nest, start, count)
    return OK
