"""`x[key]` and `x[key] = y` for an index array of few elements, where all is known."""

from std.ffi import external_call
from std.memory import stack_allocation
from elementwise.numbers.dtypes import COMPLEX128
from vm.base.bytecode import itemsize
from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_BASE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.numbers import FIRST_INTEGER, FLOAT64, INT64, UINT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.pins import shares_memory
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    kept,
    load,
    store,
)
from vm.record.element import at, integer_at
from vm.record.elements import (
    array_of_buffer,
    copy_element,
    forget_limits,
    is_integer_scalar,
    memory_of,
    own_memory,
    room_for,
    write_element,
)
from vm.record.layouts import AXES, Lie
from vm.run.frame import MOST_AXES, MOST_ELEMENTS, ROOM, Frame, elements_of
from vm.run.flush import computed
from vm.run.state import state_at


struct Picked:
    """Places along the only axis of an array, or along the first one."""

    var start: Int
    """Bytes from the begin of the owner's memory to the first element."""
    var stride: Int
    var extent: Int
    var row: Int
    """Bytes of what is at a place."""
    var count: Int
    """How many places there are; -1 for another key, or one that is out of bounds."""
    var places: Int
    """The address of the indices."""

    def __init__(
        out self,
        objects: ObjectsPointer,
        x: Int,
        key: Int,
        room: Int,
        rows: Bool = False,
    ):
        """Finds the places of a key, given room for axes, and twice for indices.

        Only where `rows` are asked for, there may be more axes, whose elements lie side by side.
        """
        self.count = -1
        self.places = room + 8 * AXES + ROOM
        self.start = 0
        self.stride = 0
        self.extent = 0
        self.row = itemsize(objects[].dtype(x))
        var dtype = objects[].dtype(key)
        var whole = Lie(objects, x, room)
        var shape = load(key, HANDLE_SHAPE)
        var rank = load(shape, TUPLE_SIZE)
        if whole.dtype == 0 or not 0 < rank <= MOST_AXES:
            return
        self.start = whole.data - objects[].api.region
        if whole.rank == 0 or not FIRST_INTEGER <= dtype < UINT64:
            return
        for axis in reversed(range(1, whole.rank)):
            if not rows or whole.stride(axis) != self.row:
                return
            self.row = min(self.row, ROOM + 1) * whole.extent(axis)
        self.extent = whole.extent(0)
        self.stride = whole.stride(0)
        self._find(objects, key, dtype, rank, room + 8 * AXES)

    def _find(
        mut self,
        objects: ObjectsPointer,
        key: Int,
        dtype: Int,
        rank: Int,
        room: Int,
    ):
        var extents = stack_allocation[MOST_AXES, Int64]()
        var size = 1
        for axis in range(rank):
            var extent = objects[].api.small_int(
                item(load(key, HANDLE_SHAPE), axis)
            )
            store(Int(extents), axis, extent)
            size = min(size, MOST_ELEMENTS + 1) * extent
        if not 0 < size <= MOST_ELEMENTS:
            return
        var value = objects[].value_of(key)
        if memory_of(objects, value) == 0:
            return
        var given = elements_of(
            state_at(objects[].state),
            value,
            load(key, HANDLE_LAYOUT),
            dtype,
            Frame(rank, Int(extents), size),
            room,
        )
        if given == 0:
            return
        var width = itemsize(dtype)
        for k in range(size):
            var index: Int
            if dtype == INT64:
                index = load(given, k)
            else:
                index = integer_at(given + k * width, dtype)
            if index < 0:
                index += self.extent
            if not 0 <= index < self.extent:
                return
            store(self.places, k, index)
        self.count = size

    @always_inline
    def place(self, k: Int) -> Int:
        return self.start + load(self.places, k) * self.stride


comptime SPACE = AXES + ROOM // 8 + MOST_ELEMENTS + 1
"""Words that places are found in."""


def picked_at_once(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """A new array of the elements that an index array in C order picks, where all is known; else
    UNUSUAL."""
    var memory = memory_of(objects, objects[].value_of(x))
    if (
        memory == 0
        or load(x, TYPE) != objects[].array_type
        or not objects[].in_c_order(key)
    ):
        return UNUSUAL
    var room = stack_allocation[SPACE, Int64]()
    var picked = Picked(objects, x, key, Int(room), rows=True)
    if picked.count < 0 or not 0 < picked.row * picked.count <= ROOM:
        return UNUSUAL
    var dtype = objects[].dtype(x)
    var buffer = room_for(objects, picked.count * picked.row)
    if buffer == 0:
        return 0
    var block = load(buffer, BUFFER_ADDRESS)
    if picked.row == itemsize(dtype):
        for k in range(picked.count):
            var to = block + k * picked.row
            copy_element(to, memory + picked.place(k), picked.row)
    else:
        for k in range(picked.count):
            var to = block + k * picked.row
            copy_bytes(to, memory + picked.place(k), picked.row)
    var shape = _shape_of_rows(x, key)
    var made = array_of_buffer(objects[], dtype, shape, buffer)
    drop(shape)
    return made


def _shape_of_rows(x: Int, key: Int) -> Int:
    """The shape of what a key picks along the first axis, an owned reference."""
    var shape = load(key, HANDLE_SHAPE)
    var whole = load(x, HANDLE_SHAPE)
    var rank = load(whole, TUPLE_SIZE)
    if rank == 1:
        return kept(shape)
    var more = external_call["PyTuple_GetSlice", Int](whole, Int(1), rank)
    var made = external_call["PySequence_Concat", Int](shape, more)
    drop(more)
    return made


def set_at_once(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Bool:
    """Writes to the elements that an index array picks, where all is known; the last one at a
    place stays. False where nothing is written."""
    return _changed_at_once(objects, x, key, y, _WRITE)


# what is done at each place, in turn
comptime _WRITE = -1
comptime ADD = 0
comptime SUBTRACT = 1
comptime MAXIMUM = 2
comptime MINIMUM = 3


def combine_at_once(
    objects: ObjectsPointer, x: Int, key: Int, y: Int, operation: Int
) -> Bool:
    """Adds to these elements and the like, once for each time that a place is picked. False where nothing is
    written.

    That is so for other numbers than int64 and moderate float64, too.
    """
    return _changed_at_once(objects, x, key, y, operation)


def _changed_at_once(
    objects: ObjectsPointer, x: Int, key: Int, y: Int, operation: Int
) -> Bool:
    var none = objects[].api.none
    if (
        load(x, TYPE) != objects[].array_type
        or load(x, HANDLE_READONLY) != objects[].no
    ):
        return False
    var base = load(x, HANDLE_BASE)
    if base == none:
        base = x
    var dtype = objects[].dtype(x)
    _compute_few(objects, base, key, y)
    var memory = own_memory(objects, base)
    if memory == 0 or objects[].dtype(base) != dtype or dtype == COMPLEX128:
        return False
    var room = stack_allocation[SPACE, Int64]()
    var picked = Picked(objects, x, key, Int(room))
    if picked.count <= 0:
        return False
    var size = itemsize(dtype)
    var extent = picked.count
    var scratch = stack_allocation[ROOM, UInt8]()
    var source = Int(scratch)
    var step = size
    if load(y, TYPE) == objects[].array_type:
        var value = objects[].value_of(y)
        var shape = load(y, HANDLE_SHAPE)
        if (
            memory_of(objects, value) == 0
            or shares_memory(value, load(base, HANDLE_VALUE))
            or objects[].dtype(y) != dtype
            or load(shape, TUPLE_SIZE) != 1
            or load(load(key, HANDLE_SHAPE), TUPLE_SIZE) != 1
            or objects[].api.small_int(item(shape, 0)) != picked.count
        ):
            return False
        source = elements_of(
            state_at(objects[].state),
            value,
            load(y, HANDLE_LAYOUT),
            dtype,
            Frame(1, Int(Pointer(to=extent)), picked.count),
            source,
        )
        if source == 0:
            return False
    elif not write_element(objects, source, dtype, y):
        return False
    elif operation != _WRITE and dtype == INT64 and not _is_whole(objects, y):
        return False  # what it gives is converted, and not the number
    else:
        step = 0
    if operation == _WRITE:
        for k in range(picked.count):
            copy_element(memory + picked.place(k), source + k * step, size)
    elif not _combined(memory, picked, source, step, dtype, operation):
        return False
    forget_limits(load(base, HANDLE_VALUE))
    _ = extent  # is in use until here
    return True


def _compute_few(objects: ObjectsPointer, base: Int, key: Int, y: Int):
    """Computes the few elements that are to be written, if they alone are pending: `x[places] += 1`."""
    if (
        load(y, TYPE) != objects[].array_type
        or objects[].learning > 0
        or memory_of(objects, objects[].value_of(base)) == 0
        or memory_of(objects, objects[].value_of(key)) == 0
    ):
        return
    var shape = load(y, HANDLE_SHAPE)
    if (
        load(shape, TUPLE_SIZE) == 1
        and objects[].api.small_int(item(shape, 0)) <= MOST_ELEMENTS
    ):
        var value = kept(objects[].value_of(y))
        _ = computed(objects[], value)
        drop(value)


@always_inline
def _is_whole(objects: ObjectsPointer, y: Int) -> Bool:
    var type = load(y, TYPE)
    return type == objects[].int_type or is_integer_scalar(objects, y)


comptime _MODERATE = Float64(1e290)
"""Sums of so few floats that are not larger are finite: NumPy warns of none."""


def _combined(
    memory: Int,
    ref picked: Picked,
    source: Int,
    step: Int,
    dtype: Int,
    operation: Int,
) -> Bool:
    """Changes elements at places, one after the other; False where nothing is written."""
    if dtype == INT64:
        _combine[DType.int64](memory, picked, source, step, operation)
        return True
    if dtype != FLOAT64:
        return False
    for k in range(picked.count):
        var before = at[DType.float64](memory + picked.place(k))
        var more = at[DType.float64](source + k * step)
        if not (abs(before) < _MODERATE and abs(more) < _MODERATE):
            return False
    _combine[DType.float64](memory, picked, source, step, operation)
    return True


@always_inline
def _combine[
    dtype: DType
](memory: Int, ref picked: Picked, source: Int, step: Int, operation: Int):
    for k in range(picked.count):
        var place = memory + picked.place(k)
        var found = at[dtype](place)
        var more = at[dtype](source + k * step)
        if operation == ADD:
            found += more
        elif operation == SUBTRACT:
            found -= more
        elif operation == MAXIMUM:
            found = more if more > found else found
        else:
            found = more if more < found else found
        copy_element(place, Int(Pointer(to=found)), 8)
        _ = found  # is in use until here
