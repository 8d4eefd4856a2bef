"""`x[mask]` and `x[mask] = y`: picked and written at once, but for the largest masks.

How many elements a mask picks must be known anyway, so that the mask is computed. For a number it need not
be: where it is pending and has many elements, the write is a step, which loops can take.
"""

from std.bit import count_trailing_zeros, pop_count
from std.ffi import external_call
from std.memory import stack_allocation
from std.sys import size_of
from structured.operands.operand import load as load_elements
from structured.operands.operand import store as store_elements
from structured.search.listing import (
    WORD,
    Listing,
    count_nonzero,
    nonzero_bits,
)
from vm.base.bytecode import itemsize
from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_BASE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.numbers import BOOL, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.pins import shares_memory
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_FLAGS,
    ARRAY_STRIDES,
    IN_C_ORDER,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    Bytes,
    copy_bytes,
    drop,
    kept,
    load,
    store,
)
from vm.base.tuples import integers
from vm.record.elements import (
    SIZES,
    array_of_buffer,
    forget_limits,
    memory_of,
    move_element,
    own_memory,
    remember,
    room_for,
    write_element,
)
from vm.record.layouts import AXES, NEW, Axes, Lie
from vm.record.viewing import view_of
from vm.record.few import is_small, packed
from vm.run.flush import computed
from vm.run.frame import MOST_AXES, MOST_ELEMENTS, ROOM, Frame

comptime MOST_TRUTHS = 1 << 22
"""Elements of the largest mask that is followed here."""
comptime MOST_PENDING = 1 << 13
"""Elements of the largest pending mask that is computed to write a number."""
comptime MOST_BYTES = 1 << 25
"""Memory of the most that is picked here."""
comptime _INDEX = 8
"""Bytes of an index."""
comptime _ALL = ~UInt64(0)
"""The bits of a word of elements that are all picked."""
comptime _WIDEST = 16
"""Bytes of the largest element."""


def _unsigned(size: Int) -> DType:
    """The dtype of unsigned integers of so many bytes, up to 8."""
    if size == 1:
        return DType.uint8
    if size == 2:
        return DType.uint16
    return DType.uint32 if size == 4 else DType.uint64


struct _Masked:
    """Where the elements, or rows, of an array are that a mask has a truth value for."""

    var start: Int
    """Bytes from the begin of the owner's memory to the first one."""
    var stride: Int
    """Bytes from one to the next."""
    var count: Int
    """How many there are; 0 if they do not lie so, or are none or too many."""
    var row: Int
    """Bytes of each, if they lie side by side and are not too many for the functions here."""
    var axes: Int
    """How many axes the mask has."""
    var ahead: Int
    """Bytes from the begin of the mask's memory to its first element."""

    def __init__(out self, objects: ObjectsPointer, x: Int, key: Int):
        self.start = 0
        self.stride = 0
        self.count = 0
        self.ahead = 0
        self.row = itemsize(objects[].dtype(x))
        var shape = load(key, HANDLE_SHAPE)
        self.axes = load(shape, TUPLE_SIZE)
        var room = Int(stack_allocation[AXES, Int64]())
        var whole = Lie(objects, x, room)
        var none = objects[].api.none
        if whole.dtype == 0 or not 0 < self.axes <= whole.rank:
            return
        var layout = load(key, HANDLE_LAYOUT)
        if layout != none:
            if (
                load(layout, TYPE) != objects[].numpy_array_type
                or load(layout, ARRAY_FLAGS) & IN_C_ORDER == 0
            ):
                return
            self.ahead = load(layout, ARRAY_DATA) - objects[].api.region
        var size = 1
        var stride = self.row
        for axis in range(self.axes):
            var extent = objects[].api.small_int(item(shape, axis))
            if extent != whole.extent(axis):
                return
            if extent != 1:
                if size > 1 and stride != extent * whole.stride(axis):
                    return
                stride = whole.stride(axis)
            size = min(size, MOST_TRUTHS + 1) * extent
        for axis in reversed(range(self.axes, whole.rank)):
            var extent = whole.extent(axis)
            if extent > 1 and whole.stride(axis) != self.row:
                self.row = MOST_BYTES + 1
            self.row = min(self.row, MOST_BYTES + 1) * extent
        if not 0 < size <= MOST_TRUTHS or self.row == 0:
            return
        self.start = whole.data - objects[].api.region
        self.stride = stride
        self.count = size

    def __init__(out self, count: Int, row: Int, axes: Int):
        """Rows side by side."""
        self.start = 0
        self.stride = row
        self.count = count
        self.row = row
        self.axes = axes
        self.ahead = 0

    def shape_of(self, x: Int, picked: Int) -> Int:
        """The shape of so many of them, a new reference."""
        var shape = load(x, HANDLE_SHAPE)
        var rank = load(shape, TUPLE_SIZE)
        var made = external_call["PyTuple_New", Int](rank - self.axes + 1)
        var count = external_call["PyLong_FromSsize_t", Int](picked)
        store(made, TUPLE_ITEMS, count)
        for axis in range(self.axes, rank):
            store(
                made,
                TUPLE_ITEMS + 1 + axis - self.axes,
                kept(item(shape, axis)),
            )
        return made


def is_mask(objects: ObjectsPointer, key: Int) -> Bool:
    """Whether a key is an array of truth values."""
    return (
        load(key, TYPE) == objects[].array_type and objects[].dtype(key) == BOOL
    )


def _computed(objects: ObjectsPointer, x: Int) -> Int:
    """Where the elements of the value behind an array are, which is computed now if that is little
    work; else 0."""
    var value = kept(objects[].value_of(x))
    _ = computed(objects[], value)
    # a finalizer may have written to the array
    var found = 0
    if objects[].value_of(x) == value:
        found = memory_of(objects, value)
    drop(value)
    return found


def masked(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """A new array of what a mask picks along the first axes; else UNUSUAL."""
    if load(x, TYPE) != objects[].array_type or objects[].learning > 0:
        return UNUSUAL
    var all = _Masked(objects, x, key)
    if all.count == 0:
        return _masked_few(objects, x, key)
    if all.row > MOST_BYTES or _computed(objects, key) == 0:
        return UNUSUAL
    var memory = memory_of(objects, objects[].value_of(x))
    var truth = memory_of(objects, objects[].value_of(key))
    if memory == 0 or truth == 0:
        return UNUSUAL
    return _picked(objects, x, all, truth + all.ahead, memory + all.start)


def _picked(
    objects: ObjectsPointer, x: Int, ref all: _Masked, truth: Int, source: Int
) -> Int:
    """A new array of what truth values pick, given where they and the elements begin."""
    var picked = count_nonzero[DType.uint8](truth, all.count)
    if picked * all.row > MOST_BYTES:
        return UNUSUAL
    var buffer = room_for(objects, picked * all.row)
    if buffer == 0:
        return 0
    _pick(all, truth, source, load(buffer, BUFFER_ADDRESS))
    # a tuple can begin a collection of garbage, which may free what was read
    var shape = all.shape_of(x, picked)
    var made = array_of_buffer(objects[], objects[].dtype(x), shape, buffer)
    drop(shape)
    return made


def _masked_few(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """What a mask picks of few elements, which may lie as they like; UNUSUAL of others."""
    var shape = load(x, HANDLE_SHAPE)
    var axes = load(load(key, HANDLE_SHAPE), TUPLE_SIZE)
    var rank = load(shape, TUPLE_SIZE)
    if not is_small(objects, x) or not 0 < axes <= rank:
        return UNUSUAL
    var extents = stack_allocation[MOST_AXES, Int64]()
    var count = 1
    var row = 1
    for axis in range(rank):
        var extent = objects[].api.small_int(item(shape, axis))
        store(Int(extents), axis, extent)
        if axis >= axes:
            row *= extent
            continue
        var own = objects[].api.small_int(item(load(key, HANDLE_SHAPE), axis))
        if own != extent:
            return UNUSUAL
        count *= extent
    if _computed(objects, key) == 0:
        return UNUSUAL
    var rooms = Int(stack_allocation[ROOM + MOST_ELEMENTS, UInt8]())
    var whole = Frame(rank, Int(extents), count * row)
    var source = packed(objects, x, whole, rooms)
    var mask = Frame(axes, Int(extents), count)
    var truth = packed(objects, key, mask, rooms + ROOM)
    if source == 0 or truth == 0:
        return UNUSUAL
    var all = _Masked(count, row * itemsize(objects[].dtype(x)), axes)
    return _picked(objects, x, all, truth, source)


struct Places:
    """A mask that is known as an index array of a view: of what the mask is for, along one axis."""

    var view: Int
    """An owned reference; 0 for other masks and arrays."""
    var array: Int
    """The places where the mask is true, an owned reference."""

    def __init__(out self, objects: ObjectsPointer, x: Int, key: Int):
        self.view = 0
        self.array = 0
        if load(x, TYPE) != objects[].array_type or objects[].learning > 0:
            return
        var all = _Masked(objects, x, key)
        var truth = memory_of(objects, objects[].value_of(key))
        if all.count == 0 or truth == 0:
            return
        self.array = list_places[DType.uint8](
            objects, truth + all.ahead, all.count
        )
        if self.array != 0:
            self.view = _view_along(objects, x, all)
        if self.view == 0:
            external_call["PyErr_Clear", NoneType]()

    def __del__(deinit self):
        if self.array != 0:
            drop(self.array)
        if self.view != 0:
            drop(self.view)


def _view_along(objects: ObjectsPointer, x: Int, ref all: _Masked) -> Int:
    """A view with one axis in place of those that a mask is for."""
    var whole = Lie(objects, x, Int(stack_allocation[AXES, Int64]()))
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    axes.data = whole.data
    axes.dtype = whole.dtype
    axes.add(all.count, all.stride, NEW)
    axes.repeat(whole, all.axes, whole.rank - all.axes)
    return view_of(objects, x, axes)


def list_places[
    dtype: DType
](objects: ObjectsPointer, address: Int, size: Int) -> Int:
    """A new array of where some elements are not zero; 0 if Python has raised."""
    var count = count_nonzero[dtype](address, size)
    var buffer = room_for(objects, _INDEX * count)
    if buffer == 0:
        return 0
    var listing = Listing(load(buffer, BUFFER_ADDRESS), count)
    _ = listing.add[dtype](address, size, 0)
    var shape = integers([count])
    var made = array_of_buffer(objects[], INT64, shape, buffer)
    drop(shape)
    if made != 0:
        remember(load(made, HANDLE_VALUE), size)
    return made


def _pick(ref all: _Masked, truth: Int, source: Int, target: Int):
    """Copies what a mask picks, one behind the other."""
    comptime for k in range(len(SIZES)):
        comptime size = SIZES[k]
        if all.row == size:
            _pick_elements[size](all, truth, source, target)
            return
    var bytes = Bytes(unsafe_from_address=truth)
    var next = target
    for k in range(all.count):
        if bytes[unsafe_offset=k] != 0:
            copy_bytes(next, source + k * all.stride, all.row)
            next += all.row


def _pick_elements[
    size: Int
](ref all: _Masked, truth: Int, source: Int, target: Int):
    """The same of elements, a word of truth values after the other."""
    var next = target
    for start in range(0, all.count, WORD):
        var from_ = source + start * all.stride
        var picks = nonzero_bits[DType.uint8](truth + start, all.count - start)
        if picks == _ALL and all.stride == size:
            copy_bytes(next, from_, WORD * size)
            next += WORD * size
            continue
        while picks != 0:
            var k = Int(count_trailing_zeros(picks))
            move_element[size](next, from_ + k * all.stride)
            next += size
            picks &= picks - 1


def set_masked(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Bool:
    """Writes a number, or an array of as many as a mask picks; False where nothing is written."""
    if (
        load(x, TYPE) != objects[].array_type
        or load(x, HANDLE_READONLY) != objects[].no
        or objects[].learning > 0
    ):
        return False
    var base = load(x, HANDLE_BASE)
    if base == objects[].api.none:
        base = x
    var dtype = objects[].dtype(x)
    var size = itemsize(dtype)
    var all = _Masked(objects, x, key)
    if all.count == 0 or all.row != size or objects[].dtype(base) != dtype:
        return False
    var number = Array[UInt8, _WIDEST](fill=0)
    var source = Int(number.unsafe_ptr())
    var step = 0
    if load(y, TYPE) == objects[].array_type:
        if (
            objects[].dtype(y) != dtype
            or load(load(y, HANDLE_SHAPE), TUPLE_SIZE) != 1
            or _computed(objects, key) == 0
            or _computed(objects, y) == 0
        ):
            return False
    elif not _write_known(objects, source, dtype, y, key, all.count):
        return False
    elif memory_of(objects, objects[].value_of(key)) == 0 and (
        all.count > MOST_PENDING or _computed(objects, key) == 0
    ):
        return False
    var memory = own_memory(objects, base)
    var truth = memory_of(objects, objects[].value_of(key))
    if memory == 0 or truth == 0:
        return False
    truth += all.ahead
    if load(y, TYPE) == objects[].array_type:
        var value = objects[].value_of(y)
        source = memory_of(objects, value)
        var length = objects[].api.small_int(item(load(y, HANDLE_SHAPE), 0))
        if (
            source == 0
            or shares_memory(value, load(base, HANDLE_VALUE))
            or length != count_nonzero[DType.uint8](truth, all.count)
        ):
            return False
        if length == 0:
            return True  # there may be no element to read
        step = size
        var layout = load(y, HANDLE_LAYOUT)
        if layout != objects[].api.none:
            source += load(layout, ARRAY_DATA) - objects[].api.region
            step = load(load(layout, ARRAY_STRIDES), 0)
    elif shares_memory(objects[].value_of(key), load(base, HANDLE_VALUE)):
        return False
    _write(all, truth, memory + all.start, source, step, size)
    forget_limits(load(base, HANDLE_VALUE))
    _ = number^  # is in use until here
    return True


def _write_known(
    objects: ObjectsPointer,
    target: Int,
    dtype: Int,
    y: Int,
    key: Int,
    count: Int,
) -> Bool:
    """Writes a number to where it is taken from, if it is known.

    A pending one is computed where the mask is, and has many elements: less is written then.
    """
    if write_element(objects, target, dtype, y):
        return True
    if count < MOST_PENDING or not objects[].is_scalar(load(y, TYPE)):
        return False
    if memory_of(objects, objects[].value_of(key)) == 0:
        return False
    var value = kept(objects[].value_of(y))
    var buffer = computed(objects[], value)
    drop(value)
    return buffer != 0 and write_element(objects, target, dtype, y)


def _write(
    ref all: _Masked, truth: Int, target: Int, source: Int, step: Int, size: Int
):
    """Writes to what a mask picks, from a source whose elements are so many bytes apart."""
    comptime for k in range(len(SIZES)):
        comptime known = SIZES[k]
        if size == known:
            comptime if known <= 8:
                if step == 0 and all.stride == size:
                    comptime bits = _unsigned(known)
                    _write_number[bits](all.count, truth, target, source)
                    return
            _write_elements[known](all, truth, target, source, step)


def _write_number[
    dtype: DType
](count: Int, truth: Int, target: Int, source: Int):
    """Writes a number to what a mask picks of elements side by side."""
    comptime size = size_of[Scalar[dtype]]()
    var number = load_elements[dtype, 1](source)
    var k = 0
    while k + WORD <= count:
        var at = target + k * size
        var picks = nonzero_bits[DType.uint8](truth + k, WORD)
        if pop_count(picks) > _FEW_PICKED:
            _select_number(truth + k, at, number)
        else:
            while picks != 0:
                var place = Int(count_trailing_zeros(picks))
                store_elements(at + place * size, number)
                picks &= picks - 1
        k += WORD
    var bytes = Bytes(unsafe_from_address=truth)
    while k < count:
        if bytes[unsafe_offset=k] != 0:
            store_elements(target + k * size_of[Scalar[dtype]](), number)
        k += 1


comptime _FEW_PICKED = 8
"""Of a word of elements so many are written one by one."""


@always_inline
def _select_number[
    dtype: DType
](truth: Int, target: Int, number: Scalar[dtype]):
    """Writes a number to what is picked of a word of elements side by side."""
    comptime width = 16
    comptime for k in range(0, WORD, width):
        var at = target + k * size_of[Scalar[dtype]]()
        var picks = load_elements[DType.uint8, width](truth + k).ne(0)
        var before = load_elements[dtype, width](at)
        store_elements(at, picks.select(SIMD[dtype, width](number), before))


def _write_elements[
    size: Int
](ref all: _Masked, truth: Int, target: Int, source: Int, step: Int):
    var next = source
    for start in range(0, all.count, WORD):
        var to = target + start * all.stride
        var picks = nonzero_bits[DType.uint8](truth + start, all.count - start)
        if picks == _ALL and all.stride == size and step == size:
            copy_bytes(to, next, WORD * size)
            next += WORD * size
            continue
        while picks != 0:
            var k = Int(count_trailing_zeros(picks))
            move_element[size](to + k * all.stride, next)
            next += step
            picks &= picks - 1
