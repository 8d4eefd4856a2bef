"""Runs a group that ends in reductions: each block that it computes is folded while it is in cache.

The bits are those of a reduction of all elements. A long row is halved where NumPy's pairwise sum
halves it, until a part fits into a block; rows that are folded into one are taken in their order.
"""

from std.math import align_up, ceildiv

from structured.blocks import PARTIAL
from structured.reduce.rows import SPLITS, pairwise_half, part_of_row
from vm.base.bytecode import FoldShape, itemsize
from vm.base.parts import (
    FOLD_BYTES,
    fold_columns,
    fold_part,
    fold_result,
    fold_rows,
    join_partials,
    prepare_fold,
)
from vm.run.blocks import VECTOR, Blocks
from vm.run.findings import note_fold

comptime _LONG = 1 << 12
"""Elements from which a row is split."""
comptime _ROOM = PARTIAL * SPLITS
"""Bytes for the partials of the parts of a row."""
comptime _DEPTH = 40
"""How often a row is halved at most."""


struct _Result(TrivialRegisterPassable):
    """Where a reduction goes, and where its elements come from."""

    var fold: Int
    """Where the prepared fold is."""
    var address: Int
    var item: Int
    """Bytes of a result."""
    var register: Int

    def __init__(out self, ref blocks: Blocks, operand: Int, prepared: Int):
        var fold = blocks.fold(operand)
        var code = fold.result
        self.fold = prepared
        prepare_fold(fold, self.fold)
        self.address = blocks.sources[operand].address
        self.item = itemsize(code)
        self.register = blocks.sources[operand].scratch * blocks.register


struct Folded(Movable):
    """How the work of such a group is divided into units, which threads can do at once."""

    var shape: FoldShape
    var results: List[_Result]
    var block: Int
    var together: Int
    """Rows of a block."""
    var parts: Int
    """Of each row."""
    var units: Int
    var partial: List[Int]
    """States of the parts of rows."""
    var prepared: List[Int]
    """Memory of the prepared folds."""

    def __init__(out self, ref blocks: Blocks, tasks: Int):
        self.shape = blocks.fold_shape
        self.block = blocks.block
        self.results = List[_Result]()
        var count = len(blocks.folds)
        self.prepared = List[Int](length=count * FOLD_BYTES // 8, fill=0)
        for k in range(count):
            var place = Int(self.prepared.unsafe_ptr()) + k * FOLD_BYTES
            self.results.append(_Result(blocks, blocks.folds[k], place))
        self.parts = 1
        self.partial = List[Int]()
        self.together = 1
        self.units = 1
        ref shape = self.shape
        if shape.inner > 1:
            self.parts = ceildiv(shape.inner, self.block)
            if shape.outer < tasks and shape.inner >= tasks * VECTOR:
                self.parts = max(self.parts, tasks)
        elif shape.outer < tasks and shape.length >= _LONG:
            self.parts = SPLITS
            var bytes = shape.outer * self._room()
            self.partial.resize(bytes // 8, 0)
        var row = shape.inner if shape.inner > 1 else shape.length
        self.together = max(self.block // row, 1) if self.parts == 1 else 1
        self.units = shape.outer * self.parts
        if shape.inner == 1 and self.together > 1:
            self.units = ceildiv(shape.outer, self.together)

    def _room(self) -> Int:
        """Bytes for the parts of a row, of all results."""
        return _ROOM * len(self.results)

    def room(self) -> Int:
        """Bytes that a thread needs beside those of its blocks."""
        return _DEPTH * self._room()

    def run(
        self,
        ref blocks: Blocks,
        loop: Int,
        unit: Int,
        scratch: Int,
        room: Int,
        seen: Int,
    ) -> Bool:
        """Does one unit; False when a kernel refuses a step. What is raised is found as in `Blocks.run`."""
        if self.shape.inner > 1:
            return self._columns(blocks, loop, unit, scratch, seen)
        if self.shape.length <= self.block:
            return self._rows(blocks, loop, unit, scratch, seen)
        return self._part_of_row(blocks, loop, unit, scratch, room, seen)

    def finish(self):
        """Folds the partials of parts of rows."""
        if len(self.partial) == 0:
            return
        for position in range(self.shape.outer):
            var start = Int(self.partial.unsafe_ptr()) + position * self._room()
            for result in self.results:
                join_partials(result.fold, start, start, self.parts)
                fold_result(
                    result.fold, result.address + position * result.item, start
                )
                start += _ROOM

    def size(self) -> Int:
        """Elements of each result."""
        return self.shape.outer * self.shape.inner

    def _rows(
        self,
        ref blocks: Blocks,
        loop: Int,
        unit: Int,
        scratch: Int,
        seen: Int,
    ) -> Bool:
        """Folds a block of short rows, each into one."""
        var first = unit * self.together
        var rows = min(self.together, self.shape.outer - first)
        var length = self.shape.length
        if not blocks.run(loop, first * length, rows * length, scratch, seen):
            return False
        for result in self.results:
            var to = result.address + first * result.item
            var elements = scratch + result.register
            fold_rows(result.fold, to, elements, length, rows)
        note_fold(seen)
        return True

    def _columns(
        self,
        ref blocks: Blocks,
        loop: Int,
        unit: Int,
        scratch: Int,
        seen: Int,
    ) -> Bool:
        """Folds rows into one row, or a part of them all."""
        var inner = self.shape.inner
        var length = self.shape.length
        var wide = align_up(ceildiv(inner, self.parts), VECTOR)
        var column = unit % self.parts * wide
        var columns = min(wide, inner - column)
        var outer = unit // self.parts
        for row in range(0, length if columns > 0 else 0, self.together):
            var rows = min(self.together, length - row)
            var start = (outer * length + row) * inner + column
            if not blocks.run(loop, start, rows * columns, scratch, seen):
                return False
            for result in self.results:
                var to = result.address + (outer * inner + column) * result.item
                var elements = scratch + result.register
                fold_columns(result.fold, to, elements, columns, rows, row == 0)
            note_fold(seen)
        return True

    def _part_of_row(
        self,
        ref blocks: Blocks,
        loop: Int,
        unit: Int,
        scratch: Int,
        room: Int,
        seen: Int,
    ) -> Bool:
        """Folds a part of a long row, or the whole row."""
        var position = unit // self.parts
        var part = unit % self.parts
        var row = position * self.shape.length
        if self.parts == 1:
            var next = room + self._room()
            var count = self.shape.length
            if not self._tree(
                blocks, loop, row, 0, count, room, scratch, next, seen
            ):
                return False
            for k in range(len(self.results)):
                ref result = self.results[k]
                var to = result.address + position * result.item
                fold_result(result.fold, to, room + k * _ROOM)
            return True
        var start, count = part_of_row(self.shape.length, part)
        var to = Int(self.partial.unsafe_ptr()) + position * self._room()
        to += part * PARTIAL
        return self._tree(
            blocks, loop, row, start, count, to, scratch, room, seen
        )

    def _tree(
        self,
        ref blocks: Blocks,
        loop: Int,
        row: Int,
        start: Int,
        count: Int,
        to: Int,
        scratch: Int,
        room: Int,
        seen: Int,
    ) -> Bool:
        """Folds elements of a row, from one on; the partials go to an address, `_ROOM` bytes apart."""
        if count <= self.block:
            if not blocks.run(loop, row + start, count, scratch, seen):
                return False
            for k in range(len(self.results)):
                ref result = self.results[k]
                var elements = scratch + result.register
                fold_part(result.fold, to + k * _ROOM, elements, count, start)
            note_fold(seen)
            return True
        var half = pairwise_half(count)
        var next = room + self._room()
        for part in range(2):
            var first = start + part * half
            var some = count - half if part == 1 else half
            var there = room + part * PARTIAL
            if not self._tree(
                blocks, loop, row, first, some, there, scratch, next, seen
            ):
                return False
        for k in range(len(self.results)):
            var partials = room + k * _ROOM
            join_partials(self.results[k].fold, to + k * _ROOM, partials, 2)
        note_fold(seen)
        return True
