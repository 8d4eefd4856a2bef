"""`x[key]` and `x[key] = y` for an index array, or a mask, of few elements, where all is known."""

from std.ffi import external_call
from std.memory import stack_allocation
from elementwise.numbers.dtypes import COMPLEX128
from vm.base.buffers import new_buffer
from vm.base.bytecode import itemsize
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.numbers import BOOL, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item, same_shape
from vm.base.pins import shares_memory
from vm.base.raw import (
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    Bytes,
    drop,
    kept,
    load,
    store,
)
from vm.record.elements import (
    copy_element,
    forget_limits,
    memory_of,
    new_leaf,
    own_memory,
    write_element,
)
from vm.record.layouts import AXES, Lie
from vm.run.frame import MOST_AXES, MOST_ELEMENTS, ROOM, Frame, elements_of
from vm.run.state import state_at


struct Picked:
    """Places along an array with one axis, or with several that are seen as one."""

    var start: Int
    """Bytes from the begin of the owner's memory to the first element."""
    var stride: Int
    var extent: Int
    var count: Int
    """How many places there are; -1 for a key that is none of these, or out of bounds."""
    var places: Int
    """The address of the indices."""
    var is_mask: Bool

    def __init__(
        out self, objects: ObjectsPointer, x: Int, key: Int, room: Int
    ):
        """Finds the places of a key, given room for axes, a mask's elements and indices."""
        self.count = -1
        self.places = room + 8 * AXES + ROOM
        self.start = 0
        self.stride = 0
        self.extent = 0
        var dtype = objects[].dtype(key)
        self.is_mask = dtype == BOOL
        var whole = Lie(objects, x, room)
        var shape = load(key, HANDLE_SHAPE)
        var rank = load(shape, TUPLE_SIZE)
        if whole.dtype == 0 or not 0 < rank <= MOST_AXES:
            return
        self.start = whole.data - objects[].api.region
        if whole.rank == 1:
            self.extent = whole.extent(0)
            self.stride = whole.stride(0)
        elif self.is_mask and load(x, HANDLE_LAYOUT) == objects[].api.none:
            self.stride = itemsize(objects[].dtype(x))
            self.extent = 1
            for axis in range(whole.rank):
                self.extent *= whole.extent(axis)
        else:
            return
        if dtype != INT64 and not (
            self.is_mask and same_shape(shape, load(x, HANDLE_SHAPE))
        ):
            return
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
        if self.is_mask:
            self.count = 0
            var truth = Bytes(unsafe_from_address=given)
            for k in range(size):
                store(self.places, self.count, k)
                self.count += Int(truth[unsafe_offset=k] != 0)
            return
        for k in range(size):
            var index = load(given, k)
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
    """A new array of the elements that an index array or a mask picks, where all is known; else
    UNUSUAL."""
    var memory = memory_of(objects, objects[].value_of(x))
    if memory == 0 or load(x, TYPE) != objects[].array_type:
        return UNUSUAL
    var room = stack_allocation[SPACE, Int64]()
    var picked = Picked(objects, x, key, Int(room))
    if picked.count < 0:
        return UNUSUAL
    var code = load(x, HANDLE_CODE)
    var dtype = objects[].dtype(x)
    var size = itemsize(dtype)
    ref pool = state_at(objects[].state)[].pool
    var block = pool.allocate(picked.count * size)
    if block == 0:
        return UNUSUAL
    for k in range(picked.count):
        copy_element(block + k * size, memory + picked.place(k), size)
    var buffer = new_buffer(
        objects[].api.buffer_type,
        block,
        picked.count * size,
        Int(Pointer(to=pool)),
    )
    if buffer == 0:
        return 0
    var shape = kept(load(key, HANDLE_SHAPE))
    if picked.is_mask:
        drop(shape)
        shape = external_call["PyTuple_New", Int](Int(1))
        var count = external_call["PyLong_FromSsize_t", Int](picked.count)
        store(shape, TUPLE_ITEMS, count)
    var none = objects[].api.none
    var made = 0
    var value = new_leaf(objects[], dtype, shape, buffer)
    if value != 0:
        made = objects[].new_handle(
            objects[].array_type, value, none, none, shape, code
        )
    drop(shape)
    return made


def set_at_once(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Bool:
    """Writes to the elements that an index array or a mask picks, where all is known; the last one at a
    place stays. False where nothing is written."""
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
    elif write_element(objects, source, dtype, y):
        step = 0
    else:
        return False
    for k in range(picked.count):
        copy_element(memory + picked.place(k), source + k * step, size)
    forget_limits(load(base, HANDLE_VALUE))
    _ = extent  # is in use until here
    return True
