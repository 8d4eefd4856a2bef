"""Copies and fills of elements whose size is known at run time only."""
from std.sys import size_of

from structured.movement.copy import Plane, copy_panel, copy_row, fill_row
from structured.operands.operand import CELLS, load, store
from vm.base.raw import copy_bytes, fill_bytes
from vm.base.raw import load as word

comptime FEW = 32
"""Elements that are written one by one, as fast as a call of the system's function."""


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


def pack_axes(
    target: Int,
    source: Int,
    extents: Int,
    strides: Int,
    rank: Int,
    itemsize: Int,
) -> Int:
    """Copies elements along some axes one behind the other; where the next one goes."""
    if rank == 0:
        copy_bytes(target, source, itemsize)
        return target + itemsize
    var count = word(extents, 0)
    var stride = word(strides, 0)
    if rank == 1:
        move_run(target, itemsize, source, stride, count, itemsize)
        return target + count * itemsize
    var next = target
    for k in range(count):
        next = pack_axes(
            next,
            source + k * stride,
            extents + 8,
            strides + 8,
            rank - 1,
            itemsize,
        )
    return next
