"""Python's buffer protocol: views of an array's memory, by which others read and write it."""

from std.ffi import external_call
from vm.base.bytecode import itemsize
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    VALUE_MARK,
)
from vm.base.objects import Objects, ObjectsPointer, item
from vm.base.raw import (
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    LIST_SIZE,
    TUPLE_SIZE,
    TYPE,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.record.element import start_of
from vm.record.pinning import memory_for_others, pin

# the fields of a `Py_buffer`, as words
comptime MEMORY = 0
comptime OBJECT = 1
comptime LENGTH = 2
comptime ITEM = 3
comptime READ_ONLY_AND_RANK = 4
"""Two half words."""
comptime FORMAT = 5
comptime SHAPE = 6
comptime STRIDES = 7
comptime INSIDE = 8
comptime OURS = 9
"""What only this module looks at: the buffer, its pins by this view, then the lengths and strides of the
axes."""

# what a caller asks for
comptime WRITABLE = 1
comptime WITH_FORMAT = 4
comptime WITH_SHAPE = 8
comptime WITH_STRIDES = 16
comptime IN_C_ORDER = 32
comptime IN_FORTRAN_ORDER = 64
comptime IN_ANY_ORDER = 128


def view_memory(
    objects: ObjectsPointer, x: Int, view: Int, flags: Int32
) -> Int32:
    """Fills a `Py_buffer` with a view of an array, which pins its memory; -1 says that Python has raised.

    What a transformation may follow is read only, since others' writes would not be seen by it.
    """
    store(view, OBJECT, 0)
    var asked = Int(flags)
    var base = load(x, HANDLE_BASE)
    var owner = x if base == objects[].api.none else base
    var format = objects[].formats[objects[].dtype(x)]
    if format == 0:
        return _refused(objects, "the dtype has no format of a buffer")
    forget_error(objects)
    var buffer = memory_for_others(objects, owner)
    if buffer == 0:
        _remember_error(objects, x)
        return -1
    var is_followed = (
        load(objects[].watches, LIST_SIZE) > 0
        and load(load(owner, HANDLE_VALUE), VALUE_MARK) != 0
    )
    var is_read_only = is_followed or load(x, HANDLE_READONLY) != objects[].no
    if is_read_only and asked & WRITABLE != 0:
        return _refused(objects, "buffer source array is read-only")
    var rank = load(load(x, HANDLE_SHAPE), TUPLE_SIZE)
    var ours = external_call["malloc", Int](8 * (2 + 2 * rank))
    if ours == 0:
        _ = external_call["PyErr_NoMemory", Int]()
        return -1
    var extents = ours + 16
    var strides = extents + 8 * rank
    var size = _lie(objects[], x, extents, strides)
    var wanted = itemsize(objects[].dtype(x))
    if not _lies_as_asked(objects, asked, rank, extents, strides, wanted, size):
        external_call["free", NoneType](ours)
        return -1
    store(ours, 0, kept(buffer))
    store(ours, 1, Int(not is_followed))
    pin(buffer, load(ours, 1))
    objects[].reads += 1
    var layout = load(x, HANDLE_LAYOUT)
    # NumPy lets the offset of a view without elements lie anywhere
    var start = start_of(
        objects[], buffer, layout if size > 0 else objects[].api.none
    )
    store(view, MEMORY, start)
    store(view, OBJECT, kept(x))
    store(view, LENGTH, size * itemsize(objects[].dtype(x)))
    store(view, ITEM, itemsize(objects[].dtype(x)))
    var told = rank if asked & WITH_SHAPE != 0 else min(rank, 1)
    store(view, READ_ONLY_AND_RANK, Int(is_read_only) | told << 32)
    store(view, FORMAT, format if asked & WITH_FORMAT != 0 else 0)
    store(view, SHAPE, extents if asked & WITH_SHAPE != 0 else 0)
    store(view, STRIDES, strides if asked & WITH_STRIDES != 0 else 0)
    store(view, INSIDE, 0)
    store(view, OURS, ours)
    return 0


# NumPy drops the error of a view, and asks `__array_struct__` next. The failed step has left its array as it was,
# so that the error would be lost.


def _remember_error(objects: ObjectsPointer, x: Int):
    """Notes the error that Python has raised where a view of an array is asked for."""
    var kind = 0
    var error = 0
    var traceback = 0
    external_call["PyErr_Fetch", NoneType](
        Pointer(to=kind), Pointer(to=error), Pointer(to=traceback)
    )
    external_call["PyErr_NormalizeException", NoneType](
        Pointer(to=kind), Pointer(to=error), Pointer(to=traceback)
    )
    store(objects[].unseen, 0, kept(error))
    store(objects[].unseen, 1, x)
    external_call["PyErr_Restore", NoneType](kind, error, traceback)


def forget_error(objects: ObjectsPointer):
    """Forgets the error of the last view."""
    var error = load(objects[].unseen, 0)
    store(objects[].unseen, 0, 0)
    store(objects[].unseen, 1, 0)
    if error != 0:
        drop(error)


def raise_again(objects: ObjectsPointer, x: Int) -> Bool:
    """Raises the error that the last view has ended with, if it was one of this array."""
    if load(objects[].unseen, 1) != x:
        return False
    var error = load(objects[].unseen, 0)
    external_call["PyErr_SetObject", NoneType](load(error, TYPE), error)
    forget_error(objects)
    return True


def release_memory(view: Int):
    """Ends a view: the last one unpins the memory."""
    var ours = load(view, OURS)
    var buffer = load(ours, 0)
    pin(buffer, -load(ours, 1))
    drop(buffer)
    external_call["free", NoneType](ours)


def _lie(ref objects: Objects, x: Int, extents: Int, strides: Int) -> Int:
    """Writes the lengths and byte strides of the axes; how many elements there are."""
    var shape = load(x, HANDLE_SHAPE)
    var layout = load(x, HANDLE_LAYOUT)
    var rank = load(shape, TUPLE_SIZE)
    var stride = itemsize(objects.dtype(x))
    var size = 1
    for axis in reversed(range(rank)):
        var extent = int_of(item(shape, axis))
        size *= extent
        store(extents, axis, extent)
        store(strides, axis, stride)
        stride *= max(extent, 1)
        if layout != objects.api.none:
            store(extents, axis, load(load(layout, ARRAY_SHAPE), axis))
            store(strides, axis, load(load(layout, ARRAY_STRIDES), axis))
    return size


def _lies_as_asked(
    objects: ObjectsPointer,
    asked: Int,
    rank: Int,
    extents: Int,
    strides: Int,
    item: Int,
    size: Int,
) -> Bool:
    """Whether the elements lie in the order that is asked for; if not, Python has raised."""
    var in_c = size == 0 or _in_order(rank, extents, strides, item, True)
    var in_fortran = size == 0 or _in_order(rank, extents, strides, item, False)
    var needs_c = asked & IN_C_ORDER == IN_C_ORDER or asked & WITH_STRIDES == 0
    if needs_c and not in_c:
        _ = _refused(objects, "ndarray is not C-contiguous")
        return False
    if asked & IN_FORTRAN_ORDER != 0 and not in_fortran:
        _ = _refused(objects, "ndarray is not Fortran contiguous")
        return False
    if asked & IN_ANY_ORDER != 0 and not in_c and not in_fortran:
        _ = _refused(objects, "ndarray is not contiguous")
        return False
    return True


def _in_order(
    rank: Int, extents: Int, strides: Int, item: Int, from_last: Bool
) -> Bool:
    """Whether elements lie one after another, along the last axis first or along the first one."""
    var wanted = item
    for k in range(rank):
        var axis = rank - 1 - k if from_last else k
        var extent = load(extents, axis)
        if extent != 1 and load(strides, axis) != wanted:
            return False
        wanted *= extent
    return True


def _refused(objects: ObjectsPointer, text: StringLiteral) -> Int32:
    """Raises ValueError, as NumPy does; returns -1."""
    external_call["PyErr_SetString", NoneType](
        objects[].value_error, text.ptr()
    )
    return -1
