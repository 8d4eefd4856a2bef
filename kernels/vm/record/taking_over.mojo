"""NumPy's arrays as ours: with a copy of their elements, or over their memory."""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.operands.operand import MAX_RANK
from vm.base.buffers import new_buffer, new_buffer_over
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS, BUFFER_PINS, HANDLE_READONLY
from vm.base.movement import pack_axes
from vm.base.numbers import BOOL
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer
from vm.base.pins import FIXED, FOR_GOOD, SHARED
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
    TYPE_FLAGS,
    TYPE_IS_BYTES,
    VIEW_OF,
    array_rank,
    copy_bytes,
    drop,
    load,
    replace_slot,
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
        pack_axes(
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


def shared(objects: ObjectsPointer, array: Int) -> Int:
    """An array over the memory of a NumPy array; UNUSUAL for what Python must look at, such as our own memory."""
    var code = code_of_array(objects[], array)
    if (
        code < 0
        or load(array, ARRAY_FLAGS) & ALIGNED == 0
        or may_be_loose(code, array)
    ):
        return UNUSUAL
    var root = array
    var holder = load(array, ARRAY_BASE)
    while holder != 0 and load(holder, TYPE) == objects[].numpy_array_type:
        root = holder
        holder = load(root, ARRAY_BASE)
    if holder != 0 and _is_special(objects[], holder):
        return UNUSUAL
    if load(array, ARRAY_FLAGS) & IN_C_ORDER == 0:
        return _shared_view(objects, array, code, root)
    var extents = load(array, ARRAY_SHAPE)
    var nbytes = itemsize(code)
    for axis in range(array_rank(array)):
        nbytes *= load(extents, axis)
    if nbytes == 0:
        return UNUSUAL
    var buffer = _buffer_over(
        objects[], array, root, load(array, ARRAY_DATA), nbytes
    )
    if buffer == 0:
        return 0
    var made = new_array(objects[], code, buffer, array_rank(array), extents)
    _be_written_as(objects[], made, array)
    return made


def _is_special(ref objects: Objects, holder: Int) -> Bool:
    """Whether what has the memory of a NumPy array may be one of our arrays, or derived from NumPy's."""
    var type = load(holder, TYPE)
    if type == objects.api.buffer_type:
        return True
    if type == objects.memory_view_type:
        var exporter = load(holder, VIEW_OF)
        return exporter == 0 or _is_kind_of(
            exporter, objects.array_type, objects.scalar_type
        )
    return _is_kind_of(holder, objects.numpy_array_type, objects.array_type)


def _is_kind_of(object: Int, first: Int, second: Int) -> Bool:
    var type = load(object, TYPE)
    return (
        external_call["PyType_IsSubtype", Int32](type, first) != 0
        or external_call["PyType_IsSubtype", Int32](type, second) != 0
    )


def _buffer_over(
    ref objects: Objects, array: Int, root: Int, address: Int, nbytes: Int
) -> Int:
    """A buffer over memory that a NumPy array sees, and its root keeps.

    Who else holds it cannot be told where it is no NumPy array's, so it is pinned for good; bytes do not change.
    """
    var is_writeable = load(root, ARRAY_FLAGS) & WRITEABLE != 0
    var buffer = new_buffer_over(
        objects.api.buffer_type,
        address,
        nbytes,
        root,
        SHARED if is_writeable else FIXED,
    )
    if buffer == 0 or load(root, ARRAY_FLAGS) & OWNS_MEMORY != 0:
        return buffer
    var holder = load(root, ARRAY_BASE)
    if holder == 0 or load(load(holder, TYPE), TYPE_FLAGS) & TYPE_IS_BYTES == 0:
        store(buffer, BUFFER_PINS, load(buffer, BUFFER_PINS) | FOR_GOOD)
    return buffer


@always_inline
def _be_written_as(ref objects: Objects, made: Int, array: Int):
    """Makes a new array one that can be written only if a NumPy array can."""
    if made != 0 and load(array, ARRAY_FLAGS) & WRITEABLE == 0:
        replace_slot(made, HANDLE_READONLY, objects.yes)


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
    var buffer = _buffer_over(
        objects[], array, root, load(array, ARRAY_DATA) + low, high - low
    )
    if buffer == 0:
        return 0
    var extent = Int(stack_allocation[1, Int64]())
    store(extent, 0, (high - low) // size)
    var owner = new_array(objects[], code, buffer, 1, extent)
    if owner == 0:
        return 0
    _be_written_as(objects[], owner, array)
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
