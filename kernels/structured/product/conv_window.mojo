"""The windows of a convolution: which elements of the input each place of the output sees."""
from std.math import ceildiv
from std.sys import size_of

from structured.movement.copy import copy_row, fill_row
from structured.operands.operand import CELLS, Call, load

comptime MAX_SPATIAL = 16
comptime HEAD = 4
"""Parameters before those of the spatial axes: their number, feature groups, batch groups, and
whether the features are the last axis of the output."""
comptime PER_AXIS = 5
"""Parameters of each spatial axis."""


struct Axis(TrivialRegisterPassable):
    """One spatial axis: place `i` and tap `k` meet at `i * stride + k * tap_step - low` of the
    input with its gaps."""

    var stride: Int
    var low: Int
    var high: Int
    var gap: Int
    """Dilation of the input: positions that are no multiple of it hold zeros."""
    var tap_step: Int
    """Dilation of the kernel."""
    var size: Int
    """Elements of the input."""
    var bytes: Int
    """Bytes from one to the next."""
    var taps: Int
    var places: Int

    def __init__(out self, call: Call, axis: Int):
        var at = HEAD + PER_AXIS * axis
        self.stride = call.param(at)
        self.low = call.param(at + 1)
        self.high = call.param(at + 2)
        self.gap = call.param(at + 3)
        self.tap_step = call.param(at + 4)
        self.size = call.operand(1).size(axis + 2)
        self.bytes = call.operand(1).stride(axis + 2)
        self.taps = call.operand(2).size(axis + 2)
        self.places = call.operand(0).size(axis + 2)

    def __init__(out self):
        """An axis of one place, which sees one element."""
        self.stride = 1
        self.low = 0
        self.high = 0
        self.gap = 1
        self.tap_step = 1
        self.size = 1
        self.bytes = 0
        self.taps = 1
        self.places = 1

    def wanted_places(self) -> Int:
        """Places of the output that the parameters give; -1 for parameters out of range."""
        if self.stride < 1 or self.gap < 1 or self.tap_step < 1:
            return -1
        var width = self.low + self.high
        if self.size > 0:
            width += (self.size - 1) * self.gap + 1
        var reach = (self.taps - 1) * self.tap_step + 1 if self.taps > 0 else 0
        if max(width, 0) < reach:
            return 0
        return (max(width, 0) - reach) // self.stride + 1

    @always_inline
    def element(self, position: Int) -> Int:
        """The index of the input at a position of the padded input, -1 where it is a zero."""
        var at = position - self.low
        if at < 0 or at % self.gap != 0:
            return -1
        at //= self.gap
        return at if at < self.size else -1


struct Columns(TrivialRegisterPassable):
    """Where columns come from and go to: a column holds all taps of all channels of one place."""

    var source: Int
    """Address of the first channel."""
    var target: Int
    """Address of the matrix, C-contiguous: a row for each channel and tap."""
    var first: Int
    """The place of the first column."""

    def __init__(out self, source: Int, target: Int, first: Int):
        self.source = source
        self.target = target
        self.first = first


@always_inline
def _copy_strip[
    cell: DType
](axis: Axis, tap: Int, source: Int, target: Int, start: Int, count: Int):
    """Copies what one tap sees from `count` places of the innermost axis on, from `start` on."""
    comptime item = size_of[Scalar[cell]]()
    var shift = tap * axis.tap_step - axis.low
    if axis.gap > 1:
        for i in range(count):
            var at = axis.element(
                (start + i) * axis.stride + tap * axis.tap_step
            )
            var value = Scalar[cell](0)
            if at >= 0:
                value = load[cell](source + at * axis.bytes)
            fill_row(target + i * item, value, 1)
        return
    # The places from `inside` to `outside` see elements of the input.
    var inside = ceildiv(max(-shift, 0), axis.stride)
    var outside = ceildiv(max(axis.size - shift, 0), axis.stride)
    inside = min(max(inside - start, 0), count)
    outside = min(max(outside - start, inside), count)
    var to = target + inside * item
    fill_row(target, Scalar[cell](0), inside)
    copy_row[cell](
        to,
        item,
        source + ((start + inside) * axis.stride + shift) * axis.bytes,
        axis.stride * axis.bytes,
        outside - inside,
    )
    fill_row(target + outside * item, Scalar[cell](0), count - outside)


def _copy_term[
    cell: DType
](window: Window, tap: Int, source: Int, target: Int, first: Int, count: Int):
    """Copies what one tap of one channel sees from `count` places on, from `first` on."""
    comptime item = size_of[Scalar[cell]]()
    var inner = window.rank - 1
    var taps = Array[Int, MAX_SPATIAL](fill=0)
    var places = Array[Int, MAX_SPATIAL](fill=0)
    var tap_rest = tap
    var place_rest = first
    for axis in reversed(range(window.rank)):
        taps[axis] = tap_rest % window.axes[axis].taps
        tap_rest //= window.axes[axis].taps
        places[axis] = place_rest % window.axes[axis].places
        place_rest //= window.axes[axis].places
    var done = 0
    while done < count:
        var strip = min(window.axes[inner].places - places[inner], count - done)
        var from_ = source
        var empty = False
        for axis in range(inner):
            ref a = window.axes[axis]
            var at = a.element(
                places[axis] * a.stride + taps[axis] * a.tap_step
            )
            empty = empty or at < 0
            from_ += at * a.bytes
        if empty:
            fill_row(target + done * item, Scalar[cell](0), strip)
        else:
            _copy_strip[cell](
                window.axes[inner],
                taps[inner],
                from_,
                target + done * item,
                places[inner],
                strip,
            )
        done += strip
        places[inner] = 0
        for axis in reversed(range(inner)):
            places[axis] += 1
            if places[axis] < window.axes[axis].places:
                break
            places[axis] = 0


struct Window(Copyable):
    """All spatial axes, and how to go from channel to channel."""

    var rank: Int
    """Spatial axes; one of one place where there is none."""
    var axes: Array[Axis, MAX_SPATIAL]
    var channel_bytes: Int
    var taps: Int
    var item: Int

    def __init__(out self, call: Call):
        """Reads the parameters of `conv_general_dilated`."""
        self.rank = call.param(0)
        self.axes = Array[Axis, MAX_SPATIAL](uninitialized=True)
        self.channel_bytes = call.operand(1).stride(1)
        self.item = call.operand(1).item_size()
        self.taps = 1
        for axis in range(self.rank):
            self.axes[axis] = Axis(call, axis)
            self.taps *= self.axes[axis].taps
        if self.rank == 0:
            self.axes[0] = Axis()
            self.rank = 1

    def places_of(self, axis: Int) -> Int:
        """Places along an axis that the parameters give; -1 for parameters out of range."""
        return self.axes[axis].wanted_places()

    def copy(self, columns: Columns, count: Int, start: Int, end: Int):
        """Copies the rows from start to end of the matrix of `count` columns."""
        comptime for index in range(len(CELLS)):
            comptime cell = CELLS[index]
            if size_of[Scalar[cell]]() == self.item:
                for row in range(start, end):
                    _copy_term[cell](
                        self,
                        row % self.taps,
                        columns.source + row // self.taps * self.channel_bytes,
                        columns.target + row * count * self.item,
                        columns.first,
                        count,
                    )
