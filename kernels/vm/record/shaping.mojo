"""`x.reshape(...)` and `x.ravel()` of what lies in C order: views; and copies of a few elements."""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.operands.operand import MAX_RANK
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS, HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.memory import elements
from vm.base.movement import pack_axes
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.pins import has_pinned
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    IN_C_ORDER,
    LIST_ITEMS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    copy_bytes,
    drop,
    load,
    store,
)
from vm.record.elements import (
    array_of_buffer,
    memory_of,
    room_for,
)
from vm.record.viewing import view_of
from vm.record.taking_over import rearranged
from vm.record.layouts import AXES, NEW, Axes, Lie


struct Wanted(TrivialRegisterPassable):
    """The extents that are asked for: numbers, or those of a tuple or list."""

    var numbers: Int
    """The address of the numbers."""
    var rank: Int

    def __init__(out self, objects: ObjectsPointer, args: Int, count: Int):
        self.numbers = args
        self.rank = count
        if count != 1:
            return
        var type = load(load(args, 0), TYPE)
        if type == objects[].tuple_type or type == objects[].list_type:
            self.rank = load(load(args, 0), TUPLE_SIZE)
            self.numbers = load(load(args, 0), LIST_ITEMS)
            if type == objects[].tuple_type:
                self.numbers = load(args, 0) + 8 * TUPLE_ITEMS

    def extents(self, objects: ObjectsPointer, size: Int, room: Int) -> Bool:
        """Writes the extents for so many elements, with one for -1; False if they do not fit."""
        var product = 1
        var missing = -1
        for axis in range(self.rank):
            var number = load(self.numbers, axis)
            if load(number, TYPE) != objects[].int_type:
                return False
            var extent = objects[].api.small_int(number)
            if extent == -1 and missing < 0:
                missing = axis
            elif extent < 1:
                return False
            else:
                store(room, axis, extent)
                product = elements(product, extent)
        if missing < 0:
            return product == size
        store(room, missing, size // product)
        return size > 0 and size % product == 0


@always_inline
def lies_in_order(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether this is an array in C order, whose extents are no symbols."""
    if not has_numbers(objects, x):
        return False
    var layout = load(x, HANDLE_LAYOUT)
    return (
        layout == objects[].api.none
        or load(layout, ARRAY_FLAGS) & IN_C_ORDER != 0
    )


@always_inline
def has_numbers(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether this is an array whose extents and strides are numbers, no symbols."""
    if load(x, TYPE) != objects[].array_type:
        return False
    var layout = load(x, HANDLE_LAYOUT)
    if (
        layout != objects[].api.none
        and load(layout, TYPE) != objects[].numpy_array_type
    ):
        return False
    var shape = load(x, HANDLE_SHAPE)
    for axis in range(load(shape, TUPLE_SIZE)):
        if load(item(shape, axis), TYPE) != objects[].int_type:
            return False
    return True


def reshaped(objects: ObjectsPointer, x: Int, args: Int, count: Int) -> Int:
    """`x.reshape(...)`; UNUSUAL for what is no view of elements in C order, or does not fit."""
    if not lies_in_order(objects, x):
        return UNUSUAL
    var wanted = Wanted(objects, args, count)
    var room = Int(stack_allocation[2 * AXES + MAX_RANK, Int64]())
    var whole = Lie(objects, x, room)
    if whole.dtype == 0 or wanted.rank > MAX_RANK:
        return UNUSUAL
    var size = 1
    for axis in range(whole.rank):
        size *= whole.extent(axis)
    var extents = room + 16 * AXES
    if not wanted.extents(objects, size, extents):
        return UNUSUAL
    return _in_shape(objects, x, whole, extents, wanted.rank, room)


def raveled(objects: ObjectsPointer, x: Int) -> Int:
    """`x.ravel()`: a view of elements in C order, a copy of others; else UNUSUAL."""
    if not lies_in_order(objects, x):
        return copied(objects, x, True)
    var room = Int(stack_allocation[2 * AXES + 1, Int64]())
    var whole = Lie(objects, x, room)
    var size = 1
    for axis in range(whole.rank):
        size *= whole.extent(axis)
    if whole.dtype == 0 or size == 0:
        return UNUSUAL
    store(room, 2 * AXES, size)
    return _in_shape(objects, x, whole, room + 16 * AXES, 1, room)


def _in_shape(
    objects: ObjectsPointer,
    x: Int,
    whole: Lie,
    extents: Int,
    rank: Int,
    room: Int,
) -> Int:
    """The view of a shape of an array in C order, given room for axes behind that of the array's."""
    var axes = Axes(room + 8 * AXES)
    axes.data = whole.data
    axes.dtype = whole.dtype
    var stride = itemsize(objects[].dtype(x))
    for axis in range(rank):
        axes.add(load(extents, axis), 0, NEW)
    for axis in reversed(range(rank)):
        store(axes.strides, axis, stride)
        stride *= load(extents, axis)
    return view_of(objects, x, axes)


comptime MOST_BYTES = 1 << 14
"""Memory that is copied at once: copies of more are made when one of the two is written."""


def copied[
    keeps_order: Bool = False
](objects: ObjectsPointer, x: Int, is_flat: Bool) -> Int:
    """`x.copy()`, or `x.flatten()`, of few elements that are known; else UNUSUAL.

    If it keeps the order, the axes of the copy lie in memory as those of `x`.
    """
    if load(x, TYPE) != objects[].array_type:
        return UNUSUAL
    var value = objects[].value_of(x)
    var memory = memory_of(objects, value)
    var layout = load(x, HANDLE_LAYOUT)
    var is_whole = layout == objects[].api.none
    # who shares memory may have written truth values that are neither 0 nor 1
    if (
        memory == 0
        or has_pinned(value, objects[].api.buffer_type)
        or not (is_whole or load(layout, TYPE) == objects[].numpy_array_type)
    ):
        return UNUSUAL
    var size = itemsize(objects[].dtype(x))
    var shape = load(x, HANDLE_SHAPE)
    var nbytes = size
    for axis in range(load(shape, TUPLE_SIZE)):
        var extent = objects[].api.small_int(item(shape, axis))
        nbytes = min(nbytes, MOST_BYTES + 1) * min(extent, MOST_BYTES + 1)
    if not 0 < nbytes <= MOST_BYTES:
        return UNUSUAL
    if (
        keeps_order
        and not is_whole
        and load(layout, ARRAY_FLAGS) & IN_C_ORDER == 0
    ):
        memory += load(layout, ARRAY_DATA) - objects[].api.region
        return rearranged(objects, layout, memory, objects[].dtype(x), nbytes)
    var buffer = room_for(objects, nbytes)
    if buffer == 0:
        return 0
    var target = load(buffer, BUFFER_ADDRESS)
    if is_whole:
        copy_bytes(target, memory, nbytes)
    else:
        memory += load(layout, ARRAY_DATA) - objects[].api.region
        if load(layout, ARRAY_FLAGS) & IN_C_ORDER != 0:
            copy_bytes(target, memory, nbytes)
        else:
            pack_axes(
                target,
                memory,
                load(layout, ARRAY_SHAPE),
                load(layout, ARRAY_STRIDES),
                array_rank(layout),
                size,
            )
    if not is_flat:
        return array_of_buffer(objects[], objects[].dtype(x), shape, buffer)
    var line = external_call["PyTuple_New", Int](Int(1))
    var length = external_call["PyLong_FromSsize_t", Int](nbytes // size)
    store(line, TUPLE_ITEMS, length)
    var made = array_of_buffer(objects[], objects[].dtype(x), line, buffer)
    drop(line)
    return made
