"""Few elements: read through layouts, broadcast, written to parts, one by one."""

from std.math import ceildiv
from std.memory import stack_allocation
from vm.base.bytecode import itemsize
from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_SIZE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_SHAPE,
)
from vm.base.movement import Runs, pack_axes, write_runs
from vm.base.objects import item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    IN_C_ORDER,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    copy_bytes,
    load,
    store,
)
from vm.run.state import StatePointer

comptime MOST_ELEMENTS = 512
"""Of an array."""
comptime MOST_READ = 1 << 14
"""Of an array that a kernel reads: there is nothing that it could be fused with."""
comptime MOST_AXES = 4
comptime ROOM = 16 * MOST_ELEMENTS
"""Bytes of the elements of an array."""


struct Frame(TrivialRegisterPassable):
    """What operands are broadcast to."""

    var rank: Int
    var extents: Int
    """The address of the lengths of its axes."""
    var size: Int

    def __init__(out self, rank: Int, extents: Int, size: Int):
        self.rank = rank
        self.extents = extents
        self.size = size


def size_of_shape(state: StatePointer, shape: Int) -> Int:
    var size = 1
    for axis in range(load(shape, TUPLE_SIZE)):
        size *= state[].objects.api.small_int(item(shape, axis))
        if size > MOST_READ:
            return size
    return size


def elements_of(
    state: StatePointer,
    value: Int,
    layout: Int,
    dtype: Int,
    frame: Frame,
    room: Int,
    most: Int = MOST_ELEMENTS,
) -> Int:
    """Where an operand's elements lie one after another, broadcast to a frame; 0 if it has others.

    They are where they are, or packed into the room given, if it is for so many.
    """
    var address = _address(state, value, layout, dtype)
    if address == 0:
        return 0
    var none = state[].objects.api.none
    var size = size_of_shape(state, load(value, VALUE_SHAPE))
    if layout != none:
        size = seen_by(layout)
    if (
        size == frame.size
        and (layout == none or load(layout, ARRAY_FLAGS) & IN_C_ORDER != 0)
        and _lies_in(state, value, layout, frame)
    ):
        return address
    if frame.size > most:
        return 0
    var strides = stack_allocation[MOST_AXES, Int64]()
    if not _strides(state, value, layout, itemsize(dtype), frame, Int(strides)):
        return 0
    pack_axes(
        room,
        address,
        frame.extents,
        Int(strides),
        frame.rank,
        itemsize(dtype),
    )
    return room


def _address(state: StatePointer, value: Int, layout: Int, dtype: Int) -> Int:
    """Where the first element of an operand is, 0 unless all that a layout sees of it is within its
    memory, and of a dtype."""
    ref api = state[].objects.api
    var buffer = load(value, VALUE_BUFFER)
    if (
        load(buffer, TYPE) != api.buffer_type
        or api.small_int(load(value, VALUE_CODE)) >> 24 & 0xFF != dtype
    ):
        return 0
    var address = load(buffer, BUFFER_ADDRESS)
    if layout == api.none:
        var size = size_of_shape(state, load(value, VALUE_SHAPE))
        if size > MOST_READ or size * itemsize(dtype) > load(
            buffer, BUFFER_SIZE
        ):
            return 0
        return address
    if not fits(state, layout, dtype, buffer):
        return 0
    return address + load(layout, ARRAY_DATA) - api.region


def line_of(
    state: StatePointer,
    value: Int,
    layout: Int,
    dtype: Int,
    frame: Frame,
    mut stride: Int,
) -> Int:
    """Where an operand begins whose elements lie evenly, in the order of a frame, or are one for all;
    0 for others. `stride` is how far they are apart."""
    var address = _address(state, value, layout, dtype)
    if address == 0:
        return 0
    var strides = stack_allocation[MOST_AXES, Int64]()
    if not _strides(state, value, layout, itemsize(dtype), frame, Int(strides)):
        return 0
    var runs = Runs(frame.extents, Int(strides), frame.rank)
    stride = runs.stride
    return address if runs.outer == 0 else 0


def fits(state: StatePointer, layout: Int, dtype: Int, buffer: Int) -> Bool:
    """Whether a layout sees elements of a dtype, all of them within a buffer."""
    ref api = state[].objects.api
    if load(layout, ARRAY_DTYPE) != api.dtypes[dtype]:
        return False
    var low = load(layout, ARRAY_DATA) - api.region
    var high = low + itemsize(dtype)
    for axis in range(array_rank(layout)):
        var extent = load(load(layout, ARRAY_SHAPE), axis)
        var last = load(load(layout, ARRAY_STRIDES), axis) * (extent - 1)
        low += min(last, 0)
        high += max(last, 0)
    return low >= 0 and high <= load(buffer, BUFFER_SIZE)


def _extent(state: StatePointer, value: Int, layout: Int, axis: Int) -> Int:
    """The length of an axis of an operand."""
    if layout != state[].objects.api.none:
        return load(load(layout, ARRAY_SHAPE), axis)
    return state[].objects.api.small_int(item(load(value, VALUE_SHAPE), axis))


def _rank(state: StatePointer, value: Int, layout: Int) -> Int:
    if layout != state[].objects.api.none:
        return array_rank(layout)
    return load(load(value, VALUE_SHAPE), TUPLE_SIZE)


def _lies_in(
    state: StatePointer, value: Int, layout: Int, frame: Frame
) -> Bool:
    """Whether an operand with as many elements as a frame has the lengths of its last axes."""
    var rank = _rank(state, value, layout)
    var missing = frame.rank - rank
    if missing < 0:
        return False
    for axis in range(rank):
        var extent = _extent(state, value, layout, axis)
        if extent != load(frame.extents, missing + axis):
            return False
    return True


def _strides(
    state: StatePointer,
    value: Int,
    layout: Int,
    size: Int,
    frame: Frame,
    strides: Int,
) -> Bool:
    """Finds an operand's strides along the axes of a frame; False if it does not broadcast to it."""
    ref api = state[].objects.api
    var rank = _rank(state, value, layout)
    if rank > frame.rank:
        return False
    var stride = size
    for axis in reversed(range(frame.rank)):
        var own = axis - frame.rank + rank
        var extent = 1
        if own >= 0:
            extent = _extent(state, value, layout, own)
            if layout != api.none:
                stride = load(load(layout, ARRAY_STRIDES), own)
        if extent != 1 and extent != load(frame.extents, axis):
            return False
        store(strides, axis, 0 if extent == 1 else stride)
        stride *= extent
    return True


def seen_by(layout: Int) -> Int:
    """How many elements a layout sees, if they are not too many."""
    var size = 1
    for axis in range(array_rank(layout)):
        size = min(size, MOST_READ + 1) * load(load(layout, ARRAY_SHAPE), axis)
    return size


def fill_elements(target: Int, bits: Int, dtype: Int, count: Int):
    """Writes an element of some bits so often, as whole words: up to 7 bytes more are written."""
    var size = itemsize(dtype)
    var word = UInt64(bits)
    var known = 8 * size
    while known < 64:
        word = (word & ((1 << UInt64(known)) - 1)) | (word << UInt64(known))
        known *= 2
    for k in range(ceildiv(count * size, 8)):
        store(target, k, Int(word))


def write_elements(
    frame: Frame,
    strides: Int,
    target: Int,
    source: Int,
    step: Int,
    size: Int,
):
    """Writes elements along the axes of a frame.

    Args:
        frame: The part that is written.
        strides: The address of its strides.
        target: Where its first element is.
        source: Where the first element to write is.
        step: The bytes to the next one; 0 if there is one for all.
        size: The bytes of one.
    """
    if frame.size > 0:
        var runs = Runs(frame.extents, strides, frame.rank)
        _ = write_runs(target, source, step, runs, size)
