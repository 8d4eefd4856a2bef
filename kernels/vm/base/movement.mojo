"""Copies and fills of elements whose size is known at run time only."""
from std.sys import size_of

from structured.movement.copy import Plane, copy_panel, copy_row, fill_row
from structured.operands.operand import CELLS, load, store
from vm.base.raw import copy_bytes, fill_bytes
from vm.base.raw import load as word

comptime FEW = 32
"""Elements that are written one by one, as fast as a call of the system's function."""
comptime SEVERAL = 8
"""Elements to which to write one is quicker by filling memory."""


def fill_run(target: Int, a: Int, n: Int, itemsize: Int):
    """Writes an element `n` times."""
    var byte = load[DType.uint8](a)
    var equal = n > FEW or itemsize == 1
    for i in range(1, itemsize):
        equal = equal and load[DType.uint8](a + i) == byte
    if equal:
        fill_bytes(target, byte, n * itemsize)
        return
    comptime for index in range(len(CELLS)):
        comptime cell = CELLS[index]
        if itemsize == size_of[cell]():
            fill_row(target, load[cell](a), n)


def repeat_each(
    target: Int,
    source: Int,
    stride: Int,
    times: Int,
    phase: Int,
    n: Int,
    itemsize: Int,
):
    """Writes elements that are some bytes apart, each so often, from a phase of the first one on."""
    comptime for index in range(len(CELLS)):
        comptime cell = CELLS[index]
        if itemsize == size_of[cell]():
            var from_ = source
            var run = min(times - phase, n)
            var done = 0
            while done < n:
                fill_row(target + done * itemsize, load[cell](from_), run)
                from_ += stride
                done += run
                run = min(times, n - done)
            return


def repeat_row(
    target: Int,
    row: Int,
    stride: Int,
    length: Int,
    phase: Int,
    n: Int,
    itemsize: Int,
):
    """Writes a row again and again, from a phase of it on: once, and then copies of what is there."""
    var done = min(length - phase, n)
    move_run(target, itemsize, row + phase * stride, stride, done, itemsize)
    var rest = min(phase, n - done)
    if rest > 0:
        var to = target + done * itemsize
        move_run(to, itemsize, row, stride, rest, itemsize)
        done += rest
    while done < n:
        var count = min(done, n - done)
        copy_bytes(target + done * itemsize, target, count * itemsize)
        done += count


def move_plane(plane: Plane, itemsize: Int):
    """Copies rows and columns of elements that are some bytes apart."""
    comptime for index in range(len(CELLS)):
        comptime cell = CELLS[index]
        if itemsize == size_of[cell]():
            copy_panel[cell](plane)


def move_run(
    target: Int,
    target_stride: Int,
    source: Int,
    source_stride: Int,
    n: Int,
    itemsize: Int,
):
    """Copies elements, or rows of other sizes, that are some bytes apart."""
    if target_stride == itemsize and source_stride == itemsize:
        copy_bytes(target, source, n * itemsize)
        return
    comptime for index in range(len(CELLS)):
        comptime cell = CELLS[index]
        if itemsize == size_of[cell]():
            copy_row[cell](target, target_stride, source, source_stride, n)
            return
    for k in range(n):
        copy_bytes(
            target + k * target_stride, source + k * source_stride, itemsize
        )


struct Runs(TrivialRegisterPassable):
    """Axes of which the last ones are one run of elements that are evenly apart."""

    var outer: Int
    """How many axes are left in front of the run."""
    var extents: Int
    """The address of their lengths."""
    var strides: Int
    """The address of their strides."""
    var count: Int
    """The length of the run."""
    var stride: Int

    def __init__(out self, extents: Int, strides: Int, rank: Int):
        """Joins as many of the last axes as it can: those of one element lie anyhow."""
        self.extents = extents
        self.strides = strides
        self.outer = rank
        self.count = 1
        self.stride = 0
        while self.outer > 0:
            var extent = word(extents, self.outer - 1)
            var stride = word(strides, self.outer - 1)
            if self.count == 1 and extent != 1:
                self.stride = stride
            elif extent != 1 and stride != self.count * self.stride:
                return
            self.count *= extent
            self.outer -= 1

    def inner(self) -> Self:
        """The same without the first axis."""
        var rest = self
        rest.extents += 8
        rest.strides += 8
        rest.outer -= 1
        return rest


def pack_axes(
    target: Int,
    source: Int,
    extents: Int,
    strides: Int,
    rank: Int,
    itemsize: Int,
):
    """Copies elements along some axes one behind the other; none of the axes is empty."""
    _ = _pack_runs(target, source, Runs(extents, strides, rank), itemsize)


def _pack_runs(target: Int, source: Int, runs: Runs, itemsize: Int) -> Int:
    """Packs runs; where the next element goes."""
    var bytes = runs.count * itemsize
    if runs.outer == 0:
        move_run(target, itemsize, source, runs.stride, runs.count, itemsize)
        return target + bytes
    var rows = word(runs.extents, 0)
    var row = word(runs.strides, 0)
    if runs.outer == 1:
        var to = (target, bytes, itemsize)
        var from_ = (source, row, runs.stride)
        move_plane(Plane(rows, runs.count, target=to, source=from_), itemsize)
        return target + rows * bytes
    var next = target
    for k in range(rows):
        next = _pack_runs(next, source + k * row, runs.inner(), itemsize)
    return next


def write_runs(
    target: Int, source: Int, step: Int, runs: Runs, itemsize: Int
) -> Int:
    """Writes elements along the axes of a target; where the next one is read.

    Args:
        target: Where the first element is.
        source: Where the first element to write is.
        step: The bytes to the next one; 0 if there is one for all.
        runs: The axes of the target; none is empty.
        itemsize: The bytes of one.
    """
    var bytes = runs.count * step
    if runs.outer == 0:
        if step == 0 and runs.stride == itemsize and runs.count >= SEVERAL:
            fill_run(target, source, runs.count, itemsize)
        else:
            move_run(target, runs.stride, source, step, runs.count, itemsize)
        return source + bytes
    var rows = word(runs.extents, 0)
    var row = word(runs.strides, 0)
    if runs.outer == 1:
        var to = (target, row, runs.stride)
        var from_ = (source, bytes, step)
        move_plane(Plane(rows, runs.count, target=to, source=from_), itemsize)
        return source + rows * bytes
    var next = source
    for k in range(rows):
        next = write_runs(target + k * row, next, step, runs.inner(), itemsize)
    return next
