"""Convolutions whose channels are adjacent: what a place sees becomes a row, which a matrix multiplies.

The taps of the innermost axis are adjacent too, with all their channels, so that they are copied
together, and the products are the output as it lies.
"""
from structured.product.blas import BLAS_WORK, Blas, set_threads, use_threads
from structured.product.conv_window import MAX_SPATIAL, Axis, Window
from structured.movement.copy import fill_row
from structured.operands.memory import allocate, move_bytes, release
from structured.operands.operand import Call
from structured.product.products import Multiply, Product
from structured.threads.threads import parallel_for, part, task_count

comptime _BLOCK_BYTES = 1 << 19
"""Bytes of rows that are copied before they are multiplied, for each thread."""
comptime _RUN = 32
"""What a copy costs, in element operations."""


def takes(call: Call) -> Bool:
    """Whether these loops can compute a convolution: one group, and no gaps in the input."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var item = out_.item_size()
    if call.param(1) != 1 or call.param(2) != 1 or call.param(0) == 0:
        return False
    if out_.stride(1) != item or x.stride(1) != item:
        return False
    var window = Window(call)
    for axis in range(window.rank):
        if window.axes[axis].gap != 1:
            return False
    var expected = out_.size(1) * item
    for back in range(2, out_.rank):
        var axis = out_.rank + 1 - back
        if out_.stride(axis) != expected:
            return False
        expected *= out_.size(axis)
    return out_.stride(0) == expected


@always_inline
def _copy_taps(axis: Axis, source: Int, target: Int, place: Int, bytes: Int):
    """Copies what one place sees along the innermost axis; `bytes` are those of all channels."""
    var first = place * axis.stride - axis.low
    if axis.tap_step == 1 and axis.bytes == bytes:
        var inside = min(max(-first, 0), axis.taps)
        var outside = min(max(axis.size - first, inside), axis.taps)
        move_bytes(
            target + inside * bytes,
            source + (first + inside) * bytes,
            (outside - inside) * bytes,
        )
        if outside - inside < axis.taps:
            fill_row(target, UInt8(0), inside * bytes)
            var rest = (axis.taps - outside) * bytes
            fill_row(target + outside * bytes, UInt8(0), rest)
        return
    for tap in range(axis.taps):
        var at = first + tap * axis.tap_step
        if at < 0 or at >= axis.size:
            fill_row(target + tap * bytes, UInt8(0), bytes)
        else:
            move_bytes(target + tap * bytes, source + at * axis.bytes, bytes)


struct Rows(Copyable):
    """What all places see, as rows: the taps, and for each of them the channels."""

    var window: Window
    var source: Int
    var image_bytes: Int
    var channels: Int
    """Bytes of the channels."""
    var places: Int
    """Places of one image."""

    def __init__(out self, call: Call):
        var x = call.operand(1)
        self.window = Window(call)
        self.source = x.address
        self.image_bytes = x.stride(0)
        self.channels = x.size(1) * x.item_size()
        self.places = 1
        for axis in range(self.window.rank):
            self.places *= self.window.axes[axis].places

    def bytes(self) -> Int:
        """Bytes of one row."""
        return self.window.taps * self.channels

    def runs(self) -> Int:
        """Copies that make one row."""
        return self.window.taps // max(
            self.window.axes[self.window.rank - 1].taps, 1
        )

    def _copy_place(
        self, source: Int, target: Int, places: Array[Int, MAX_SPATIAL]
    ):
        var inner = self.window.rank - 1
        ref last = self.window.axes[inner]
        var taps = Array[Int, MAX_SPATIAL](fill=0)
        var bytes = last.taps * self.channels
        for step in range(self.runs()):
            var from_ = source
            var empty = False
            for axis in range(inner):
                ref a = self.window.axes[axis]
                var at = places[axis] * a.stride + taps[axis] * a.tap_step
                at -= a.low
                empty = empty or at < 0 or at >= a.size
                from_ += at * a.bytes
            var to = target + step * bytes
            if empty:
                fill_row(to, UInt8(0), bytes)
            else:
                _copy_taps(last, from_, to, places[inner], self.channels)
            for axis in reversed(range(inner)):
                taps[axis] += 1
                if taps[axis] < self.window.axes[axis].taps:
                    break
                taps[axis] = 0

    def copy(self, target: Int, start: Int, end: Int):
        """Copies the rows from `start` to `end`, those of all images counted."""
        if start >= end:
            return
        var image = start // self.places
        var rest = start % self.places
        var places = Array[Int, MAX_SPATIAL](fill=0)
        for axis in reversed(range(self.window.rank)):
            places[axis] = rest % self.window.axes[axis].places
            rest //= self.window.axes[axis].places
        var bytes = self.bytes()
        for row in range(start, end):
            self._copy_place(
                self.source + image * self.image_bytes,
                target + (row - start) * bytes,
                places,
            )
            var axis = self.window.rank - 1
            while axis >= 0:
                places[axis] += 1
                if places[axis] < self.window.axes[axis].places:
                    break
                places[axis] = 0
                axis -= 1
            if axis < 0:
                image += 1


def convolve_last(call: Call, kernel: Int, multiply: Multiply) -> Bool:
    """Computes the output; False where there is no memory.

    `kernel` is the address of the kernel, whose axes are those of space, the channels and the
    features, in C order.
    """
    var rows = Rows(call)
    var out_ = call.operand(0)
    var item = out_.item_size()
    var features = out_.size(1)
    var terms = rows.bytes() // item
    var count = out_.size(0) * rows.places
    var work = count * (terms * features // 4 + rows.runs() * _RUN)
    var tasks = min(task_count(work, call.threads), count)
    var block = max(_BLOCK_BYTES // max(rows.bytes(), 1), 64)
    var scratch = allocate(tasks * block * rows.bytes())
    if scratch == 0:
        return False
    var blas = Blas(out_.dtype)

    def product(first: Int, last: Int) {imm} -> Product:
        var p = Product(out_.address + first * features * item, 0, kernel)
        p.m = last - first
        p.n = features
        p.k = terms
        p.out_m = features * item
        p.a_m = terms * item
        p.a_k = item
        p.b_k = features * item
        p.b_n = item
        return p^

    var by_blas = block * terms * features >= BLAS_WORK
    by_blas = by_blas and blas.takes(product(0, block))
    var threads = use_threads(1) if by_blas else 0

    def share(index: Int) {imm}:
        var room = scratch + index * block * rows.bytes()
        var end = part(count, index + 1, tasks)
        for first in range(part(count, index, tasks), end, block):
            var p = product(first, min(first + block, end))
            p.a = room
            rows.copy(room, first, first + p.m)
            if by_blas:
                blas.multiply_here(p)
            else:
                multiply(p)

    parallel_for(share, tasks)
    if by_blas:
        set_threads(threads)
    release(scratch)
    return True
