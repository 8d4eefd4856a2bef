"""Between buffers and NumPy's arrays, by NumPy's C API."""

from std.ffi import external_call
from std.memory import stack_allocation
from vm.base.buffers import new_buffer
from vm.base.fields import HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.objects import UNUSUAL, Objects, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    IN_C_ORDER,
    TUPLE_SIZE,
    array_rank,
    copy_bytes,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.record.element import start_of
from vm.record.layouts import NewArray
from vm.run.flush import computed
from vm.run.state import state_at
from structured.operands.operand import MAX_RANK

comptime SetBase = def(array: Int, base: Int) thin abi("C") -> Int32
comptime SET_BASE = 282
"""Its place in the table of NumPy's C API."""
comptime WRITEABLE = 0x400


def array_over(
    ref objects: Objects,
    buffer: Int,
    layout: Int,
    shape: Int,
    code: Int,
    writeable: Bool,
) -> Int:
    """A NumPy array over the memory of a buffer, which it keeps; 0 says that Python has raised.

    Args:
        objects: What is known of Python's side.
        buffer: The buffer.
        layout: The layout that sees the elements, None for all of them in C order.
        shape: A tuple: the lengths of the axes, if there is no layout.
        code: The dtype code, if there is no layout.
        writeable: Whether the array can be written.
    """
    var dtype = objects.api.dtypes[code]
    var rank = load(shape, TUPLE_SIZE)
    var space = stack_allocation[MAX_RANK, DType.int64]()
    var extents = Int(space)
    var strides = 0
    if layout != objects.api.none:
        dtype = load(layout, ARRAY_DTYPE)
        rank = array_rank(layout)
        extents = load(layout, ARRAY_SHAPE)
        strides = load(layout, ARRAY_STRIDES)
    else:
        for axis in range(rank):
            store(extents, axis, int_of(item(shape, axis)))
    var make = objects.new_array
    var made = Pointer(to=make).unsafe_bitcast[NewArray]()[](
        objects.numpy_array_type,
        kept(dtype),
        Int32(rank),
        extents,
        strides,
        start_of(objects, buffer, layout),
        Int32(WRITEABLE if writeable else 0),
        Int(0),
    )
    if made == 0:
        return 0
    var set = load(objects.numpy, SET_BASE)
    if Pointer(to=set).unsafe_bitcast[SetBase]()[](made, kept(buffer)) != 0:
        drop(made)
        return 0
    return made


def exported(mut objects: Objects, x: Int) -> Int:
    """The elements of a handle as a read-only NumPy array over their memory.

    They are computed now if that is little work; UNUSUAL where Python must do it.
    """
    var none = objects.api.none
    var value = kept(objects.value_of(x))
    var buffer = computed(objects, value)
    var layout = load(x, HANDLE_LAYOUT)
    # NumPy lets the offset of a view without elements lie anywhere
    var made = UNUSUAL
    if buffer != 0 and (layout == none or not _is_empty(layout)):
        objects.reads += 1
        var shape = load(x, HANDLE_SHAPE)
        made = array_over(
            objects, buffer, layout, shape, objects.dtype(x), False
        )
    drop(value)
    return made


def _is_empty(layout: Int) -> Bool:
    for axis in range(array_rank(layout)):
        if load(load(layout, ARRAY_SHAPE), axis) == 0:
            return True
    return False


def imported(ref objects: Objects, array: Int, code: Int, nbytes: Int) -> Int:
    """A new buffer with the elements of a NumPy array; UNUSUAL if it must be converted.

    That is one that is not in C order, or has not quite the dtype of the code.
    """
    if (
        load(array, ARRAY_FLAGS) & IN_C_ORDER == 0
        or load(array, ARRAY_DTYPE) != objects.api.dtypes[code]
    ):
        return UNUSUAL
    ref pool = state_at(objects.state)[].pool
    var block = pool.allocate(nbytes)
    if block == 0:
        return external_call["PyErr_NoMemory", Int]()
    copy_bytes(block, load(array, ARRAY_DATA), nbytes)
    return new_buffer(
        objects.api.buffer_type, block, nbytes, Int(Pointer(to=pool))
    )
