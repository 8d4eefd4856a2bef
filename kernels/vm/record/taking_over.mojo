"""NumPy's arrays as ours: with a copy of their elements, or over their memory."""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.operands.operand import MAX_RANK
from vm.base.buffers import new_buffer, new_buffer_over
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS
from vm.base.movement import move_run
from vm.base.numbers import BOOL
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer
from vm.base.pins import SHARED
from vm.base.raw import (
    ARRAY_BASE,
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    IN_C_ORDER,
    TUPLE_ITEMS,
    TYPE,
    array_rank,
    copy_bytes,
    drop,
    load,
    store,
)
from vm.record.elements import array_of_buffer
from vm.record.layouts import AXES, Axes, NEW, all_axes
from vm.record.viewing import view_of
from vm.run.state import state_at

comptime ALIGNED = 0x100
comptime WRITEABLE = 0x400
comptime OWNS_MEMORY = 4
comptime LARGEST = 1 << 16
"""Bytes of an array that is taken over here: Python bounds how much pending steps keep of others."""


def imported(ref objects: Objects, array: Int, code: Int, nbytes: Int) -> Int:
    """A new buffer with the elements of a NumPy array; UNUSUAL if it must be converted.

    That is one that is not in C order, or has not quite the dtype of the code.
    """
    if (
        load(array, ARRAY_FLAGS) & IN_C_ORDER == 0
        or load(array, ARRAY_DTYPE) != objects.api.dtypes[code]
    ):
        return UNUSUAL
    var buffer = _room(objects, nbytes)
    if buffer != 0:
        copy_bytes(
            load(buffer, BUFFER_ADDRESS), load(array, ARRAY_DATA), nbytes
        )
    return buffer


def copied(objects: ObjectsPointer, array: Int) -> Int:
    """A new array with the elements of a small NumPy array, whose axes lie in memory as there; UNUSUAL for others."""
    var code = code_of_array(objects[], array)
    if code < 0 or may_be_loose(code, array):
        return UNUSUAL
    var rank = array_rank(array)
    var extents = load(array, ARRAY_SHAPE)
    var nbytes = itemsize(code)
    for axis in range(rank):
        nbytes = min(nbytes, LARGEST + 1) * load(extents, axis)
    if nbytes > LARGEST:
        return UNUSUAL
    if load(array, ARRAY_FLAGS) & IN_C_ORDER != 0:
        var buffer = imported(objects[], array, code, nbytes)
        if buffer == UNUSUAL or buffer == 0:
            return buffer
        return new_array(objects[], code, buffer, rank, extents)
    if load(array, ARRAY_FLAGS) & ALIGNED == 0:
        return UNUSUAL
    return rearranged(objects, array, load(array, ARRAY_DATA), code, nbytes)


def rearranged(
    objects: ObjectsPointer, array: Int, source: Int, code: Int, nbytes: Int
) -> Int:
    """The same of elements that a NumPy array, or a layout, which is not in C order sees from an address on.

    They have no gaps; if its axes lie in another order, it is a view.
    """
    var buffer = _room(objects[], nbytes)
    if buffer == 0:
        return 0
    var order = Int(stack_allocation[MAX_RANK, Int64]())
    var extents = Int(stack_allocation[MAX_RANK, Int64]())
    var strides = Int(stack_allocation[MAX_RANK, Int64]())
    var rank = array_rank(array)
    var is_turned = order_axes(array, order)
    for k in range(rank):
        var axis = load(order, k)
        store(extents, k, load(load(array, ARRAY_SHAPE), axis))
        store(strides, k, load(load(array, ARRAY_STRIDES), axis))
    if nbytes > 0:
        _ = _copy_axes(
            load(buffer, BUFFER_ADDRESS),
            source,
            extents,
            strides,
            rank,
            itemsize(code),
        )
    var made = new_array(objects[], code, buffer, rank, extents)
    if made == 0 or not is_turned:
        return made
    var back = Int(stack_allocation[MAX_RANK, Int64]())
    for k in range(rank):
        store(back, load(order, k), k)
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    var room = Int(stack_allocation[AXES, Int64]())
    var view = 0
    if all_axes(objects, made, axes, room):
        view = view_of(objects, made, axes.fronted(back, rank, room))
    drop(made)
    return view


def order_axes(array: Int, order: Int) -> Bool:
    """Writes the axes of an array from the outermost in memory to the innermost; whether that is another order.

    Where elements are repeated, it is C order.
    """
    var strides = load(array, ARRAY_STRIDES)
    var rank = array_rank(array)
    var repeats = False
    for axis in range(rank):
        repeats |= load(strides, axis) == 0
        store(order, axis, axis)
    if repeats:
        return False
    var is_turned = False
    for axis in range(1, rank):
        var stride = abs(load(strides, axis))
        var k = axis
        while k > 0 and abs(load(strides, load(order, k - 1))) < stride:
            store(order, k, load(order, k - 1))
            k -= 1
        store(order, k, axis)
        is_turned |= k != axis
    return is_turned


def _copy_axes(
    var target: Int,
    source: Int,
    extents: Int,
    strides: Int,
    rank: Int,
    itemsize: Int,
) -> Int:
    """Copies the elements of some axes one after another; returns where the next one goes."""
    var count = load(extents, 0)
    var stride = load(strides, 0)
    if rank == 1:
        move_run(target, itemsize, source, stride, count, itemsize)
        return target + count * itemsize
    for k in range(count):
        target = _copy_axes(
            target,
            source + k * stride,
            extents + 8,
            strides + 8,
            rank - 1,
            itemsize,
        )
    return target


def shared(objects: ObjectsPointer, array: Int) -> Int:
    """An array over the memory of a NumPy array, if that, or one that it is a view of, owns it; UNUSUAL for others."""
    var code = code_of_array(objects[], array)
    var wanted = ALIGNED | WRITEABLE
    if (
        code < 0
        or load(array, ARRAY_FLAGS) & wanted != wanted
        or may_be_loose(code, array)
    ):
        return UNUSUAL
    var root = array
    while load(root, ARRAY_BASE) != 0:
        root = load(root, ARRAY_BASE)
        if load(root, TYPE) != objects[].numpy_array_type:
            return UNUSUAL
    if load(root, ARRAY_FLAGS) & OWNS_MEMORY == 0:
        return UNUSUAL
    if load(array, ARRAY_FLAGS) & IN_C_ORDER == 0:
        return _shared_view(objects, array, code, root)
    var extents = load(array, ARRAY_SHAPE)
    var nbytes = itemsize(code)
    for axis in range(array_rank(array)):
        nbytes *= load(extents, axis)
    if nbytes == 0:
        return UNUSUAL
    var buffer = new_buffer_over(
        objects[].api.buffer_type, load(array, ARRAY_DATA), nbytes, root, SHARED
    )
    if buffer == 0:
        return 0
    return new_array(objects[], code, buffer, array_rank(array), extents)


def _shared_view(
    objects: ObjectsPointer, array: Int, code: Int, root: Int
) -> Int:
    """The same of an array that is not in C order: a view of all memory that it lies in."""
    var size = itemsize(code)
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    var low = 0
    var high = size
    for axis in range(array_rank(array)):
        var extent = load(load(array, ARRAY_SHAPE), axis)
        var stride = load(load(array, ARRAY_STRIDES), axis)
        if extent == 0 or stride % size != 0:
            return UNUSUAL
        low += min(0, (extent - 1) * stride)
        high += max(0, (extent - 1) * stride)
        axes.add(extent, stride, NEW)
    if _overlaps(array, size):
        return UNUSUAL
    var buffer = new_buffer_over(
        objects[].api.buffer_type,
        load(array, ARRAY_DATA) + low,
        high - low,
        root,
        SHARED,
    )
    if buffer == 0:
        return 0
    var extent = Int(stack_allocation[1, Int64]())
    store(extent, 0, (high - low) // size)
    var owner = new_array(objects[], code, buffer, 1, extent)
    if owner == 0:
        return 0
    axes.data = objects[].api.region - low
    axes.dtype = objects[].api.dtypes[code]
    var made = view_of(objects, owner, axes)
    drop(owner)
    return made


def _overlaps(array: Int, size: Int) -> Bool:
    """Whether an array may show an element at several places: its axes do not lie one within the next."""
    var order = Int(stack_allocation[MAX_RANK, Int64]())
    _ = order_axes(array, order)
    var reach = size
    for k in reversed(range(array_rank(array))):
        var axis = load(order, k)
        var extent = load(load(array, ARRAY_SHAPE), axis)
        var stride = abs(load(load(array, ARRAY_STRIDES), axis))
        if extent > 1 and stride < reach:
            return True
        reach += (extent - 1) * stride
    return False


@always_inline
def may_be_loose(code: Int, array: Int) -> Bool:
    """Whether truth values of a NumPy array may be other bytes than 0 and 1: memory seen with another dtype."""
    return code == BOOL and load(array, ARRAY_BASE) != 0


@always_inline
def code_of_array(ref objects: Objects, array: Int) -> Int:
    """The dtype code of a NumPy array, -1 if its dtype is none of ours."""
    var dtype = load(array, ARRAY_DTYPE)
    for code in range(len(objects.api.dtypes)):
        if objects.api.dtypes[code] == dtype:
            return code
    return -1


def new_array(
    ref objects: Objects, code: Int, var buffer: Int, rank: Int, extents: Int
) -> Int:
    """A new array with a buffer, given its dtype code and extents."""
    var shape = external_call["PyTuple_New", Int](rank)
    for axis in range(rank):
        var extent = external_call["PyLong_FromSsize_t", Int](
            load(extents, axis)
        )
        store(shape, TUPLE_ITEMS + axis, extent)
    var made = array_of_buffer(objects, code, shape, buffer)
    drop(shape)
    return made


def _room(ref objects: Objects, nbytes: Int) -> Int:
    """A new buffer for so many bytes; 0 if Python has raised."""
    ref pool = state_at(objects.state)[].pool
    var block = pool.allocate(nbytes)
    if block == 0:
        return external_call["PyErr_NoMemory", Int]()
    return new_buffer(
        objects.api.buffer_type, block, nbytes, Int(Pointer(to=pool))
    )
