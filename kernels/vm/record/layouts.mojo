"""Layouts of views without asking NumPy's indexing: where `x[key]` and `x.T` begin, and their axes.

They are the NumPy arrays that indexing a layout would give (`lazy/values/layout.py`). What is odd or
wrong is left to NumPy, whose errors then are the user's.
"""

from std.ffi import external_call
from structured.operands.operand import MAX_RANK
from vm.base.bytecode import itemsize
from vm.base.fields import HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.memory import elements
from vm.base.numbers import BOOL
from vm.base.objects import ObjectsPointer, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    int_of,
    kept,
    load,
    replace_slot,
    store,
)
from vm.record.elements import index_of, is_index

comptime NewArray = def(
    type: Int,
    dtype: Int,
    rank: Int32,
    extents: Int,
    strides: Int,
    data: Int,
    flags: Int32,
    owner: Int,
) thin abi("C") -> Int
"""NumPy's PyArray_NewFromDescr, which takes over the reference to the dtype."""
comptime UpdateFlags = def(array: Int, flags: Int32) thin abi("C")
"""NumPy's PyArray_UpdateFlags."""
comptime ALL_FLAGS: Int32 = 0x103
"""Contiguous in C's order, in Fortran's order, and aligned."""
comptime NEW = -1
"""Stands for the axis that an axis was made of, where it is another one, or shorter."""


comptime AXES = 3 * MAX_RANK
"""Words of memory that axes are worked out in."""


struct Lie(TrivialRegisterPassable):
    """How a handle lies in memory."""

    var rank: Int
    var data: Int
    """Where its first element is, in the address space of layouts."""
    var dtype: Int
    var extents: Int
    """The address of the lengths of its axes."""
    var strides: Int
    """The address of their strides, in bytes."""

    @always_inline
    def __init__(out self, objects: ObjectsPointer, x: Int, room: Int):
        """Finds how `x` lies, given room for axes; `dtype` is 0 if it is too large for a layout."""
        var layout = load(x, HANDLE_LAYOUT)
        var shape = load(x, HANDLE_SHAPE)
        self.rank = load(shape, TUPLE_SIZE)
        if layout != objects[].api.none:
            self.data = load(layout, ARRAY_DATA)
            self.dtype = load(layout, ARRAY_DTYPE)
            self.extents = load(layout, ARRAY_SHAPE)
            self.strides = load(layout, ARRAY_STRIDES)
            return
        var code = objects[].dtype(x)
        self.data = objects[].api.region
        self.dtype = objects[].api.dtypes[code]
        self.extents = room
        self.strides = room + 8 * MAX_RANK
        var stride = itemsize(code)
        for axis in reversed(range(self.rank)):
            var extent = int_of(item(shape, axis))
            store(self.extents, axis, extent)
            store(self.strides, axis, stride)
            stride = elements(stride, max(extent, 1))
        if stride > objects[].room:
            self.dtype = 0

    @always_inline
    def extent(self, axis: Int) -> Int:
        return load(self.extents, axis)

    @always_inline
    def stride(self, axis: Int) -> Int:
        return load(self.strides, axis)


struct Axes(TrivialRegisterPassable):
    """A view in the making: where its first element is, and its axes, `rank` of them."""

    var rank: Int
    var data: Int
    var dtype: Int
    var extents: Int
    var strides: Int
    """Addresses, as those of how a handle lies."""
    var origins: Int
    """The address of the axes of the array that are seen whole: their lengths are known; else NEW.
    """

    @always_inline
    def __init__(out self, room: Int):
        """No axes yet, in room for some."""
        self.rank = 0
        self.data = 0
        self.dtype = 0
        self.extents = room
        self.strides = room + 8 * MAX_RANK
        self.origins = room + 16 * MAX_RANK

    @always_inline
    def add(mut self, extent: Int, stride: Int, origin: Int):
        store(self.extents, self.rank, extent)
        store(self.strides, self.rank, stride)
        store(self.origins, self.rank, origin)
        self.rank += 1

    @always_inline
    def repeat(mut self, whole: Lie, first: Int, count: Int):
        """Adds axes as they are."""
        for axis in range(first, first + count):
            self.add(whole.extent(axis), whole.stride(axis), axis)

    def fronted(self, order: Int, count: Int, room: Int) -> Self:
        """The same axes in room for some; those whose numbers lie at an address come first."""
        var made = Axes(room)
        made.data = self.data
        made.dtype = self.dtype
        for k in range(count):
            self._give(made, load(order, k))
        for axis in range(self.rank):
            var comes_first = False
            for k in range(count):
                comes_first |= load(order, k) == axis
            if not comes_first:
                self._give(made, axis)
        return made

    @always_inline
    def _give(self, mut other: Self, axis: Int):
        other.add(
            load(self.extents, axis),
            load(self.strides, axis),
            load(self.origins, axis),
        )

    def layout(self, objects: ObjectsPointer) -> Int:
        """The layout, a new reference; 0 if Python has raised."""
        var make = objects[].new_array
        var made = Pointer(to=make).unsafe_bitcast[NewArray]()[](
            objects[].numpy_array_type,
            kept(self.dtype),
            Int32(self.rank),
            self.extents,
            self.strides,
            self.data,
            Int32(0),
            Int(0),
        )
        return made

    def become(self, objects: ObjectsPointer, layout: Int):
        """Makes a layout of as many axes, which nobody else refers to, into this one."""
        store(layout, ARRAY_DATA, self.data)
        if load(layout, ARRAY_DTYPE) != self.dtype:
            replace_slot(layout, ARRAY_DTYPE, self.dtype)
        var extents = load(layout, ARRAY_SHAPE)
        var strides = load(layout, ARRAY_STRIDES)
        for axis in range(self.rank):
            store(extents, axis, load(self.extents, axis))
            store(strides, axis, load(self.strides, axis))
        var update = objects[].update_flags
        Pointer(to=update).unsafe_bitcast[UpdateFlags]()[](layout, ALL_FLAGS)

    def shape(self, x: Int) -> Int:
        """The shape, a new reference; `x` is the handle that it is a view of."""
        var old = load(x, HANDLE_SHAPE)
        if self.rank == load(old, TUPLE_SIZE) and self._is_whole():
            return kept(old)
        var made = external_call["PyTuple_New", Int](self.rank)
        for axis in range(self.rank):
            var extent: Int
            if load(self.origins, axis) != NEW:
                extent = kept(item(old, load(self.origins, axis)))
            else:
                extent = external_call["PyLong_FromSsize_t", Int](
                    load(self.extents, axis)
                )
            store(made, TUPLE_ITEMS + axis, extent)
        return made

    @always_inline
    def _is_whole(self) -> Bool:
        for axis in range(self.rank):
            if load(self.origins, axis) != axis:
                return False
        return True

    def has_shape(self, shape: Int) -> Bool:
        """Whether a tuple has the lengths of the axes."""
        if load(shape, TUPLE_SIZE) != self.rank:
            return False
        for axis in range(self.rank):
            if int_of(item(shape, axis)) != load(self.extents, axis):
                return False
        return True


def all_axes(
    objects: ObjectsPointer, x: Int, mut axes: Axes, room: Int
) -> Bool:
    """Finds the axes of `x`, given more room for axes."""
    var whole = Lie(objects, x, room)
    axes.data = whole.data
    axes.dtype = whole.dtype
    axes.repeat(whole, 0, whole.rank)
    return whole.dtype != 0


def reverse(objects: ObjectsPointer, x: Int, mut axes: Axes, room: Int) -> Bool:
    """Finds the axes of `x.T`, given more room for axes."""
    var whole = Lie(objects, x, room)
    axes.data = whole.data
    axes.dtype = whole.dtype
    for axis in reversed(range(whole.rank)):
        axes.add(whole.extent(axis), whole.stride(axis), axis)
    return whole.dtype != 0


def select[
    arrays: Bool = False
](objects: ObjectsPointer, x: Int, key: Int, mut axes: Axes, room: Int) -> Bool:
    """Finds the axes of `x[key]`; False for what is odd or wrong, and for a key with arrays.

    If there may be `arrays`, the axes that they are for are seen whole.
    """
    var whole = Lie(objects, x, room)
    axes.data = whole.data
    axes.dtype = whole.dtype
    var parts = 1
    var is_tuple = load(key, TYPE) == objects[].tuple_type
    if is_tuple:
        parts = load(key, TUPLE_SIZE)
    var missing = _missing[arrays](objects, key, parts, is_tuple, whole.rank)
    if missing < 0 or whole.dtype == 0:
        return False
    var axis = 0
    for k in range(parts):
        var part = item(key, k) if is_tuple else key
        if part == objects[].ellipsis:
            axes.repeat(whole, axis, missing)
            axis += missing
            missing = 0
        elif part == objects[].api.none:
            axes.add(1, 0, NEW)
        elif arrays and load(part, TYPE) == objects[].array_type:
            axes.repeat(whole, axis, axes_for(objects, part))
            axis += axes_for(objects, part)
        elif load(part, TYPE) == objects[].slice_type:
            if not _slice(objects, part, whole, axes, axis):
                return False
            axis += 1
        else:
            var index = index_of(objects, part, whole.extent(axis))
            if index < 0:
                return False
            axes.data += index * whole.stride(axis)
            axis += 1
    axes.repeat(whole, axis, missing)
    return True


def select_row(
    objects: ObjectsPointer, x: Int, index: Int, mut axes: Axes, room: Int
) -> Bool:
    """Finds the axes of `x[index]`, for an index from 0 on."""
    var whole = Lie(objects, x, room)
    if whole.dtype == 0 or index >= whole.extent(0):
        return False
    axes.data = whole.data + index * whole.stride(0)
    axes.dtype = whole.dtype
    axes.repeat(whole, 1, whole.rank - 1)
    return True


@always_inline
def axes_for(objects: ObjectsPointer, array: Int) -> Int:
    """How many axes an array in a key is for: a mask has a truth value for each element."""
    if objects[].dtype(array) != BOOL:
        return 1
    return load(load(array, HANDLE_SHAPE), TUPLE_SIZE)


@always_inline
def _missing[
    arrays: Bool
](
    objects: ObjectsPointer, key: Int, parts: Int, is_tuple: Bool, rank: Int
) -> Int:
    """How many axes a key says nothing of; -1 if it has too many parts, or not only the usual."""
    var named = 0
    var new = 0
    var dots = 0
    for k in range(parts):
        var part = item(key, k) if is_tuple else key
        var type = load(part, TYPE)
        if type == objects[].int_type or type == objects[].slice_type:
            named += 1
        elif is_index(objects, part):
            named += 1
        elif arrays and type == objects[].array_type:
            named += axes_for(objects, part)
        elif part == objects[].ellipsis:
            dots += 1
        elif part == objects[].api.none:
            new += 1
        else:
            return -1
    if dots > 1 or new + rank > MAX_RANK:
        return -1
    return rank - named


def _slice(
    objects: ObjectsPointer, part: Int, whole: Lie, mut axes: Axes, axis: Int
) -> Bool:
    """Adds the part of an axis that a slice names."""
    var none = objects[].api.none
    for k in range(SLICE_START, SLICE_START + 3):
        var limit = load(part, k)
        if (
            limit != none
            and load(limit, TYPE) != objects[].int_type
            and (objects[].learning > 0 or not is_index(objects, limit))
        ):
            return False
    var start = Int(0)
    var stop = Int(0)
    var step = Int(0)
    var unpacked = external_call["PySlice_Unpack", Int32](
        part, Pointer(to=start), Pointer(to=stop), Pointer(to=step)
    )
    if unpacked != 0:
        external_call["PyErr_Clear", NoneType]()  # NumPy raises it again
        return False
    var extent = whole.extent(axis)
    var count = external_call["PySlice_AdjustIndices", Int](
        extent, Pointer(to=start), Pointer(to=stop), step
    )
    var stride = whole.stride(axis)
    if count == 0:
        axes.add(0, stride, NEW)
        return True
    axes.data += start * stride
    axes.add(count, stride * step, axis if count == extent else NEW)
    return True


comptime SLICE_START = 2
"""The word of a slice that has its start; its stop and its step follow."""
