"""Small arrays, ours and NumPy's, given in a list, as one array: copied at once, one after another.

To record it would cost more than to copy them, for each array.
"""

from std.ffi import external_call
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS, HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.movement import move_run
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    IN_C_ORDER,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    drop,
    kept,
    load,
    store,
)
from vm.base.tuples import integers, tuple_of
from vm.record.elements import array_of_buffer, memory_of, room_for
from vm.record.exchange import (
    ANY,
    is_sequence,
    part_of,
)
from vm.record.taking_over import code_of_array, may_be_loose
from vm.run.flush import computed
from structured.operands.operand import MAX_RANK

# how arrays are joined
comptime STACK = 1
"""Along a new axis."""
comptime CONCATENATE = 2
"""Along an axis that they have."""
comptime ROWS = 3
"""Vectors as rows, all else along the first axis."""
comptime HORIZONTAL = 4
"""Vectors along their axis, all else along the second."""
comptime COLUMNS = 5
"""Vectors as columns, all else along the second axis."""

comptime MOST_BYTES = 1 << 16
comptime MOST_BYTES_OF_ONE = 1 << 13
"""Together they may be larger if they are many: on the average no larger than this."""
comptime _TOO_MANY = 1 << 40
comptime FEW = 8
"""Up to so many arrays are left pending if any of them is."""
comptime MOST_BYTES_OF_FEW = 1 << 15
"""Few larger ones are copied by the steps that read them, while these are in the processor's cache."""


def joined(
    objects: ObjectsPointer,
    given: Int,
    kind: Int,
    wanted: Int = ANY,
    axis: Int = 0,
) -> Int:
    """A new array of those in a list or tuple, which have the dtype that is wanted.

    Lists in the list are further axes of what is stacked along the first. An axis may count from the last one.

    UNUSUAL for what Python must look at, convert or refuse.
    """
    if objects[].learning > 0 or not is_sequence(objects[], given):
        return UNUSUAL  # the learner must see steps
    var extents = List[Int]()
    var first = given
    while is_sequence(objects[], first):
        extents.append(load(first, TUPLE_SIZE))
        if extents[len(extents) - 1] == 0 or len(extents) == MAX_RANK:
            return UNUSUAL
        first = part_of(objects[], first, 0)
    var is_nested = len(extents) > 1
    if is_nested and (kind != STACK or axis != 0):
        return UNUSUAL
    if not _is_ready(objects, first, extents):
        return UNUSUAL
    if not is_nested:
        # a flush may run code that changes the list
        var arrays = external_call["PySequence_Tuple", Int](given)
        if arrays == 0:
            return 0
        return joined_arrays(objects, arrays, kind, wanted, axis)
    var arrays = List[Int]()
    var is_regular = _collect(objects, given, extents, 0, arrays)
    var held = tuple_of(arrays)
    if is_regular:
        return joined_arrays(objects, held, kind, wanted, 0, extents^)
    drop(held)
    return UNUSUAL


@always_inline
def _is_ready(objects: ObjectsPointer, first: Int, extents: List[Int]) -> Bool:
    """Whether the first item is an array, computed if they are few."""
    if load(first, TYPE) == objects[].numpy_array_type:
        return True
    if load(first, TYPE) != objects[].array_type:
        return False
    if len(extents) > 1 or extents[0] > FEW:
        return True
    return memory_of(objects, objects[].value_of(first)) != 0


def _collect(
    objects: ObjectsPointer,
    given: Int,
    extents: List[Int],
    depth: Int,
    mut arrays: List[Int],
) -> Bool:
    """Appends references to what is in nested lists; whether all have these extents."""
    if depth == len(extents):
        arrays.append(kept(given))
        return True
    if not is_sequence(objects[], given) or (
        load(given, TUPLE_SIZE) != extents[depth]
    ):
        return False
    for k in range(extents[depth]):
        var part = part_of(objects[], given, k)
        if not _collect(objects, part, extents, depth + 1, arrays):
            return False
    return True


def joined_arrays(
    objects: ObjectsPointer,
    arrays: Int,
    kind: Int,
    wanted: Int,
    axis: Int = 0,
    var extents: List[Int] = [],
) -> Int:
    """The same of a tuple, which is dropped; its items lie along axes of these extents, or along one."""
    var made = UNUSUAL
    var joint = Joint(objects, arrays, kind, axis)
    var fits = (wanted == ANY or wanted == joint.dtype) and (
        len(extents) + len(joint.extents) <= MAX_RANK
    )
    if joint.is_usual and fits and _are_computed(objects, arrays):
        if len(extents) > 0:
            extents.extend(joint.extents[1:])
            joint.extents = extents^
        made = joint.copied()
    drop(arrays)
    return made


def _are_computed(objects: ObjectsPointer, arrays: Int) -> Bool:
    """Whether all are computed, now if they are many."""
    var count = load(arrays, TUPLE_SIZE)
    for k in range(count):
        if load(item(arrays, k), TYPE) == objects[].numpy_array_type:
            continue
        var value = objects[].value_of(item(arrays, k))
        if memory_of(objects, value) != 0:
            continue
        if count <= FEW:
            return False
        value = kept(value)
        var buffer = computed(objects[], value)
        drop(value)
        if buffer == 0:
            return False
    return True


struct Joint:
    """Arrays of one dtype and of extents that fit."""

    var objects: ObjectsPointer
    var arrays: Int
    """A tuple, which somebody else holds."""
    var stacks: Bool
    """Whether the axis along which they are joined is a new one."""
    var axis: Int
    var is_usual: Bool
    var dtype: Int
    var nbytes: Int
    var extents: List[Int]
    """Of the result."""

    def __init__(
        out self, objects: ObjectsPointer, arrays: Int, kind: Int, axis: Int
    ):
        self.objects = objects
        self.arrays = arrays
        self.stacks = kind == STACK
        self.axis = axis
        self.is_usual = False
        self.dtype = 0
        self.nbytes = 0
        self.extents = List[Int]()
        self.dtype = self._dtype(0)
        if self.dtype < 0 or not self._choose_axis(kind, self._rank(0)):
            return
        var count = load(arrays, TUPLE_SIZE)
        var most = MOST_BYTES_OF_FEW
        if count > FEW:
            most = max(MOST_BYTES, count * MOST_BYTES_OF_ONE)
        var length = 0
        for k in range(count):
            if not self._fits(k):
                return
            length += 1 if self.stacks else self._extent(k, self.axis)
            self.nbytes += self._bytes(k)
            if self.nbytes > most:
                return
        self._say_extents(length)
        self.is_usual = self.nbytes > 0

    def _choose_axis(mut self, kind: Int, rank: Int) -> Bool:
        """Settles how arrays of a rank are joined; False where they cannot be."""
        if kind > CONCATENATE:
            self.stacks = rank == 1 and kind != HORIZONTAL
            self.axis = Int(
                kind == COLUMNS or (kind == HORIZONTAL and rank > 1)
            )
        var axes = rank + Int(self.stacks)
        if self.axis < 0:
            self.axis += axes
        return 0 <= self.axis < axes

    def _say_extents(mut self, length: Int):
        """Settles the result's extents, of which one is the length along the axis."""
        var rank = self._rank(0)
        for axis in range(rank):
            if axis == self.axis:
                self.extents.append(length)
            if self.stacks or axis != self.axis:
                self.extents.append(self._extent(0, axis))
        if self.stacks and self.axis == rank:
            self.extents.append(length)

    @always_inline
    def _is_numpys(self, index: Int) -> Bool:
        var type = load(item(self.arrays, index), TYPE)
        return type == self.objects[].numpy_array_type

    @always_inline
    def _dtype(self, index: Int) -> Int:
        """The dtype code of an array, negative for what is none, or has elements that are not ours."""
        var array = item(self.arrays, index)
        if load(array, TYPE) == self.objects[].array_type:
            return self.objects[].dtype(array)
        if not self._is_numpys(index):
            return -1
        var code = code_of_array(self.objects[], array)
        return -1 if may_be_loose(code, array) else code

    @always_inline
    def _rank(self, index: Int) -> Int:
        var array = item(self.arrays, index)
        if self._is_numpys(index):
            return array_rank(array)
        return load(load(array, HANDLE_SHAPE), TUPLE_SIZE)

    @always_inline
    def _extent(self, index: Int, axis: Int) -> Int:
        var array = item(self.arrays, index)
        if self._is_numpys(index):
            return load(load(array, ARRAY_SHAPE), axis)
        return self.objects[].api.small_int(
            item(load(array, HANDLE_SHAPE), axis)
        )

    def _fits(self, index: Int) -> Bool:
        """Whether an array has the dtype of the first, and its shape but for the axis of a concatenation."""
        var rank = self._rank(0)
        if (
            self._dtype(index) != self.dtype
            or self._rank(index) != rank
            or not self._is_simple(index)
        ):
            return False
        for axis in range(rank):
            if not self.stacks and axis == self.axis:
                continue
            if self._extent(index, axis) != self._extent(0, axis):
                return False
        return True

    def _is_simple(self, index: Int) -> Bool:
        """Whether the elements of an array lie one after another, or, of a vector, in equal distances."""
        if self._rank(index) == 1:
            return True
        var array = item(self.arrays, index)
        var layout = array if self._is_numpys(index) else load(
            array, HANDLE_LAYOUT
        )
        return (
            layout == self.objects[].api.none
            or load(layout, ARRAY_FLAGS) & IN_C_ORDER != 0
        )

    def _bytes(self, index: Int) -> Int:
        var nbytes = itemsize(self.dtype)
        for axis in range(self._rank(index)):
            nbytes = min(nbytes, _TOO_MANY) * self._extent(index, axis)
        return nbytes

    def copied(self) -> Int:
        """The new array; UNUSUAL if one of them is not computed any more."""
        var buffer = room_for(self.objects, self.nbytes)
        if buffer == 0:
            return 0
        var lines = 1
        for axis in range(self.axis):
            lines *= self.extents[axis]
        var target = load(buffer, BUFFER_ADDRESS)
        for k in range(load(self.arrays, TUPLE_SIZE)):
            if not self._copy(k, target, lines):
                drop(buffer)
                return UNUSUAL
            target += self._bytes(k) // lines
        var shape = integers(self.extents)
        var made = array_of_buffer(self.objects[], self.dtype, shape, buffer)
        drop(shape)
        return made

    def _copy(self, index: Int, target: Int, lines: Int) -> Bool:
        """Copies the elements of an array to their places in all lines of the result; False unless it is computed."""
        var array = item(self.arrays, index)
        var layout = array
        var source: Int
        if self._is_numpys(index):
            source = load(array, ARRAY_DATA)
        else:
            source = memory_of(self.objects, self.objects[].value_of(array))
            if source == 0:
                return False
            layout = load(array, HANDLE_LAYOUT)
        var line = self.nbytes // lines
        var nbytes = self._bytes(index)
        var is_ours = layout != array
        if is_ours and layout != self.objects[].api.none:
            source += load(layout, ARRAY_DATA) - self.objects[].api.region
        if (is_ours and layout == self.objects[].api.none) or (
            load(layout, ARRAY_FLAGS) & IN_C_ORDER != 0
        ):
            var part = nbytes // lines
            move_run(target, line, source, part, lines, part)
            return True
        var size = itemsize(self.dtype)
        move_run(
            target,
            size if lines == 1 else line,
            source,
            load(load(layout, ARRAY_STRIDES), 0),
            nbytes // size,
            size,
        )
        return True
