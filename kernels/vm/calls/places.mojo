"""Where the elements of an array are not zero, if they are not too many: counted and listed at once.

How many they are must be known anyway, so that the array is computed.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.search.listing import count_nonzero
from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_CODE,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    VALUE_BUFFER,
)
from vm.base.numbers import BOOL, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    LIST_SIZE,
    TUPLE_ITEMS,
    drop,
    kept,
    load,
    store,
)
from vm.calls.given import MOST_AXES, Given
from vm.base.tuples import integers, tuple_of
from vm.record.elements import (
    address_inside,
    array_of_buffer,
    new_scalar,
    room_for,
)
from vm.record.floats import be_no_float
from vm.record.layouts import AXES, NEW, Axes
from vm.record.masking import list_places

comptime ALONG_AXES = 1
"""An array of indices for each axis, in a tuple."""
comptime FLAT = 2
"""One of indices in the array as one dimension."""
comptime ROWS = 3
"""One with a row of indices for each element."""

comptime SIZE = 8
"""Bytes of an index."""


def places(objects: ObjectsPointer, x: Int, kind: Int) -> Int:
    """The places of what is not zero, of one of the kinds above; UNUSUAL for other arrays than usual ones."""
    var given = Given(objects, x)
    if given.address == 0:
        return UNUSUAL
    var extents = Int(stack_allocation[MOST_AXES, Int]())
    for axis in range(given.rank):
        var extent = item(load(x, HANDLE_SHAPE), axis)
        store(extents, axis, objects[].api.small_int(extent))
    var made = _found(
        objects,
        given.address,
        given.dtype,
        given.size,
        kind,
        given.rank,
        extents,
    )
    _ = given^  # is in use until here
    return made


def counted_places(
    objects: ObjectsPointer, args: Int, count: Int, names: Int
) -> Int:
    """How many elements of an array that is known are not zero, as a known scalar; UNUSUAL for others."""
    if count != 1 or names != 0 or load(objects[].watches, LIST_SIZE) > 0:
        return UNUSUAL
    var given = Given(objects, load(args, 0), must_be_known=False)
    if given.address == 0:
        return UNUSUAL
    var found: Int
    if given.dtype == BOOL:
        found = count_nonzero[DType.uint8](given.address, given.size)
    elif given.dtype == INT64:
        found = count_nonzero[DType.int64](given.address, given.size)
    else:
        found = count_nonzero[DType.float64](given.address, given.size)
    _ = given^  # is in use until here
    var made = new_scalar(objects, objects[].code_of(INT64))
    if made != 0:
        store(address_inside(objects, made), 0, found)
        be_no_float(objects[], made)
    return made


def _found(
    objects: ObjectsPointer,
    address: Int,
    dtype: Int,
    size: Int,
    kind: Int,
    rank: Int,
    extents: Int,
) -> Int:
    var found: Int
    if dtype == BOOL:
        found = list_places[DType.uint8](objects, address, size)
    elif dtype == INT64:
        found = list_places[DType.int64](objects, address, size)
    else:
        found = list_places[DType.float64](objects, address, size)
    if found == 0 or kind == FLAT:
        return found
    if kind == ALONG_AXES and rank == 1:
        return tuple_of([found])
    var count = objects[].api.small_int(item(load(found, HANDLE_SHAPE), 0))
    var buffer = load(load(found, HANDLE_VALUE), VALUE_BUFFER)
    var flat = load(buffer, BUFFER_ADDRESS)
    var made: Int
    if kind == ALONG_AXES:
        made = external_call["PyTuple_New", Int](rank)
        for axis in range(rank):
            var one = _array_of(objects, flat, count, extents, rank, axis)
            if one == 0:
                drop(made)
                made = 0
                break
            store(made, TUPLE_ITEMS + axis, one)
    else:
        made = UNUSUAL if count == 0 else _rows(
            objects, flat, count, extents, rank
        )
    drop(found)
    return made


def _along(
    flat: Int, count: Int, extents: Int, rank: Int, axis: Int, target: Int
):
    """Writes the indices along an axis."""
    var inner = 1
    for k in range(axis + 1, rank):
        inner *= load(extents, k)
    var extent = load(extents, axis)
    for k in range(count):
        var place = load(flat, k) // inner
        store(target, k, place % extent if axis > 0 else place)


def _array_of(
    objects: ObjectsPointer,
    flat: Int,
    count: Int,
    extents: Int,
    rank: Int,
    axis: Int,
) -> Int:
    """A new array of the indices along an axis."""
    var buffer = room_for(objects, SIZE * count)
    if buffer == 0:
        return 0
    _along(flat, count, extents, rank, axis, load(buffer, BUFFER_ADDRESS))
    var shape = integers([count])
    var made = array_of_buffer(objects[], INT64, shape, buffer)
    drop(shape)
    return made


def _rows(
    objects: ObjectsPointer, flat: Int, count: Int, extents: Int, rank: Int
) -> Int:
    """A view with a row for each place: of an array with one for each axis, as NumPy's is."""
    var buffer = room_for(objects, SIZE * count * rank)
    if buffer == 0:
        return 0
    for axis in range(rank):
        var target = load(buffer, BUFFER_ADDRESS) + SIZE * count * axis
        _along(flat, count, extents, rank, axis, target)
    var shape = integers([rank, count])
    var base = array_of_buffer(objects[], INT64, shape, buffer)
    drop(shape)
    if base == 0:
        return 0
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    axes.data = objects[].api.region
    axes.dtype = objects[].api.dtypes[INT64]
    axes.add(count, SIZE, NEW)
    axes.add(rank, SIZE * count, NEW)
    var layout = axes.layout(objects)
    var made = 0
    if layout != 0:
        shape = integers([count, rank])
        made = objects[].new_handle(
            objects[].array_type,
            kept(objects[].api.none),
            base,
            layout,
            shape,
            load(base, HANDLE_CODE),
        )
        drop(shape)
        drop(layout)
    drop(base)
    return made
