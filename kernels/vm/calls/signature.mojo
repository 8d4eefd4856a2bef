"""What the arguments of a call are, as words: calls of equal words record the same steps.

Arrays are known by shape, dtype, strides, and by what they share with other arguments, but not by
their elements nor by where they begin; numbers by their value; all else by its identity. A general
signature knows arrays by their dtypes and by which of their extents are equal, or 0 or 1, and some
numbers by which dtypes hold them.
"""

from std.ffi import external_call
from std.memory import bitcast
from vm.base.bytecode import itemsize
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.objects import Objects, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    COMPLEX_VALUE,
    FLOAT_VALUE,
    IN_C_ORDER,
    IN_FORTRAN_ORDER,
    LIST_ITEMS,
    TUPLE_SIZE,
    TYPE,
    TYPE_BASE,
    TYPE_FLAGS,
    array_rank,
    copy_bytes,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.tuples import tuple_of
from vm.record.elements import SCALAR_ELEMENT

comptime MAX_LEAVES = 48
comptime MAX_WORDS = 1 << 10
comptime MAX_ITEMS = 64
comptime MAX_DEPTH = 4
comptime LARGEST = 1 << 24
"""Elements of an array whose general signature is known, at most."""
comptime MAX_EXTENTS = 16
"""Different extents that a general signature may have."""

# what a part of a signature begins with
comptime OBJECT = 1
comptime INT = 2
comptime FLOAT = 3
comptime COMPLEX = 4
comptime TUPLE = 5
comptime LIST = 6
comptime SLICE = 7
comptime ARRAY = 8
comptime NAMES = 9
comptime SCALAR = 10
"""One of NumPy's."""
comptime ANY_INT = 11
comptime ANY_FLOAT = 12
"""Numbers of a general signature that are known by their class alone."""

comptime BOUNDS: List[Int] = [
    2,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    1 << 31,
]
"""Between which ints the same dtypes of integers hold, and have as their limits."""
comptime LARGEST_HALF = Float64(65504)
"""Floats up to this are finite in all dtypes of floats."""

comptime SLICE_START = 2
comptime TYPE_SUBCLASS = 1 << 31
"""The flag of a type whose objects are types."""
comptime TEXT_STATE = 4
comptime INTERNED = 3
"""The bits of a string's state that say whether it is interned."""


struct Signature(Movable):
    """The words of one call, and its arrays and numbers in order."""

    var words: Int
    """The address of the words."""
    var length: Int
    var leaves: Int
    """The address of borrowed references to the arrays and numbers."""
    var count: Int
    var owners: Int
    """The address of the owners of these arrays, 0 for a number."""
    var objects: Int
    """The address of borrowed references to what is known by its identity."""
    var known: Int
    var is_general: Bool
    var is_ordered: Bool
    """Whether a general signature knows which extents are larger than others."""
    var extents: Int
    """The address of the different extents, from 2 on, of a general signature."""
    var different: Int
    var loose: List[Int]
    """Of each number of a general signature that may be another one: its argument, place in it (-1 for itself) and leaf."""

    def __init__(out self):
        self.words = external_call["calloc", Int](MAX_WORDS, Int(8))
        self.length = 0
        self.leaves = external_call["calloc", Int](MAX_LEAVES, Int(8))
        self.count = 0
        self.owners = external_call["calloc", Int](MAX_LEAVES, Int(8))
        self.objects = external_call["calloc", Int](MAX_LEAVES, Int(8))
        self.known = 0
        self.is_general = False
        self.is_ordered = False
        self.extents = external_call["calloc", Int](MAX_EXTENTS, Int(8))
        self.different = 0
        self.loose = []

    @always_inline
    def begin(mut self, function: Int, is_general: Bool, is_ordered: Bool):
        """Starts anew, for a call of a function."""
        self.is_general = is_general
        self.is_ordered = is_ordered
        self.different = 0
        self.loose.clear()
        self.length = 0
        self.count = 0
        self.known = 0
        self.add(function | Int(is_general))

    @always_inline
    def add(mut self, word: Int):
        store(self.words, self.length, word)
        self.length += 1

    def copied(self, address: Int, count: Int) -> List[Int]:
        """References at an address, each with one more to it."""
        var found = List[Int](capacity=count)
        for k in range(count):
            found.append(kept(load(address, k)))
        return found^

    def key(self) -> List[Int]:
        """A copy of the words."""
        var found = List[Int](capacity=self.length)
        for k in range(self.length):
            found.append(load(self.words, k))
        return found^

    def known_objects(self) -> Int:
        """What is known by its identity: a new tuple."""
        return tuple_of(self.copied(self.objects, self.known))

    def hash(self) -> Int:
        """A number that tells most signatures apart."""
        var found = UInt64(self.length)
        for k in range(self.length):
            found = (found ^ UInt64(load(self.words, k))) * 0x9E3779B97F4A7C15
            found ^= found >> 29
        return Int(found >> 1)

    def describe(
        mut self, ref objects: Objects, object: Int, depth: Int = 0
    ) -> Bool:
        """Adds an argument; False for one that has no words."""
        if self.length > MAX_WORDS // 2 or self.count >= MAX_LEAVES - 1:
            return False
        var type = load(object, TYPE)
        if type == objects.array_type or objects.is_scalar(type):
            if self.is_general:
                return self._add_any_array(objects, object)
            return self._add_array(objects, object)
        if type == objects.int_type:
            return self._add_int(object)
        if type == objects.api.float_type:
            self.add(FLOAT)
            self.add(load(object, FLOAT_VALUE))
            self._add_leaf(object)
            return True
        if type == objects.tuple_type or type == objects.list_type:
            return self._add_items(objects, object, depth)
        if (
            object == objects.api.none
            or type == objects.bool_type
            or object == objects.ellipsis
        ):
            self.add(OBJECT)
            self.add(object)
            return True
        return self._add_rare(objects, object, type, depth)

    def describe_loosely(
        mut self, ref objects: Objects, object: Int, argument: Int
    ) -> Bool:
        """Adds an argument, a number or those in a tuple by their class; False for one that has no words."""
        if load(object, TYPE) == objects.tuple_type:
            var count = load(object, TUPLE_SIZE)
            if count > MAX_ITEMS:
                return False
            self.add(TUPLE)
            self.add(count)
            for k in range(count):
                if not self._add_loose(objects, item(object, k), argument, k):
                    return False
            return True
        return self._add_loose(objects, object, argument, -1)

    def _add_loose(
        mut self, ref objects: Objects, object: Int, argument: Int, place: Int
    ) -> Bool:
        """Adds an argument, or an item of one, a number by its class."""
        var number = class_of_number(objects, object)
        if number == 0 or self.count >= MAX_LEAVES - 1:
            return self.describe(objects, object)
        self.add(number)
        self.loose.append(argument)
        self.loose.append(place)
        self.loose.append(self.count)
        self._add_leaf(object)
        return True

    @always_inline
    def _add_leaf(mut self, object: Int, owner: Int = 0):
        store(self.leaves, self.count, object)
        store(self.owners, self.count, owner)
        self.count += 1

    def _add_rare(
        mut self, ref objects: Objects, object: Int, type: Int, depth: Int
    ) -> Bool:
        if type == objects.text_type:
            return self._add_known(_interned(object))
        if type == objects.slice_type:
            if depth == MAX_DEPTH:
                return False
            self.add(SLICE)
            for k in range(3):
                if not self.describe(
                    objects, load(object, SLICE_START + k), depth + 1
                ):
                    return False
            return True
        if type == objects.complex_type:
            self.add(COMPLEX)
            self.add(load(object, COMPLEX_VALUE))
            self.add(load(object, COMPLEX_VALUE + 1))
            self._add_leaf(object)
            return True
        if load(type, TYPE_FLAGS) & TYPE_SUBCLASS != 0:
            return self._add_known(object)
        if load(type, TYPE_BASE) == objects.ufunc_type:
            return self._add_known(object)
        for dtype in objects.api.dtypes:
            if dtype == object:
                return self._add_known(object)
        return self._add_scalar(objects, object, type)

    def _add_scalar(
        mut self, ref objects: Objects, object: Int, type: Int
    ) -> Bool:
        """Adds a scalar of NumPy's, by its value."""
        var dtype = objects.scalar_dtype(type)
        if dtype < 0:
            return False
        var bits: Array[Int, 2] = [0, 0]
        copy_bytes(
            Int(bits.unsafe_ptr()), object + SCALAR_ELEMENT, itemsize(dtype)
        )
        self.add(SCALAR | dtype << 8)
        self.add(bits[0])
        self.add(bits[1])
        self._add_leaf(object)
        return True

    def _add_known(mut self, object: Int) -> Bool:
        self.add(OBJECT)
        self.add(object)
        store(self.objects, self.known, object)
        self.known += 1
        return self.known < MAX_LEAVES

    def _add_int(mut self, object: Int) -> Bool:
        var overflow = Int32(0)
        var value = external_call["PyLong_AsLongLongAndOverflow", Int](
            object, Pointer(to=overflow)
        )
        self.add(INT)
        self.add(value)
        self._add_leaf(object)
        return overflow == 0

    def _add_items(
        mut self, ref objects: Objects, object: Int, depth: Int
    ) -> Bool:
        var count = load(object, TUPLE_SIZE)
        if depth == MAX_DEPTH or count > MAX_ITEMS:
            return False
        var is_tuple = load(object, TYPE) == objects.tuple_type
        self.add(TUPLE if is_tuple else LIST)
        self.add(count)
        for k in range(count):
            var part = item(object, k) if is_tuple else load(
                load(object, LIST_ITEMS), k
            )
            if not self.describe(objects, part, depth + 1):
                return False
        return True

    def add_names(mut self, names: Int) -> Bool:
        """Adds the names of the last arguments, a tuple; 0 for none."""
        if names == 0:
            return True
        self.add(NAMES)
        for k in range(load(names, TUPLE_SIZE)):
            if not self._add_known(_interned(item(names, k))):
                return False
        return True

    def _add_array(mut self, ref objects: Objects, x: Int) -> Bool:
        var none = objects.api.none
        var base = load(x, HANDLE_BASE)
        var layout = load(x, HANDLE_LAYOUT)
        var owner = x if base == none else base
        var first = self._first_of(owner)
        var word = ARRAY | int_of(load(x, HANDLE_CODE)) << 8
        word |= Int(objects.is_scalar(load(x, TYPE))) << 16
        word |= Int(load(x, HANDLE_READONLY) != objects.no) << 17
        word |= Int(base != none) << 18 | Int(layout != none) << 19
        word |= (self._same_as(x) + 1) << 24 | (first + 1) << 32
        word |= (self._same_value(owner) + 1) << 40
        self.add(word)
        if not self._add_shape(objects, load(x, HANDLE_SHAPE)):
            return False
        if base != none:
            self.add(int_of(load(base, HANDLE_CODE)))
            if not self._add_shape(objects, load(base, HANDLE_SHAPE)):
                return False
        if layout != none:
            if load(layout, TYPE) != objects.numpy_array_type:
                return False
            for axis in range(array_rank(layout)):
                self.add(load(load(layout, ARRAY_STRIDES), axis))
        if first >= 0:
            self.add(
                offset_of(objects, x)
                - offset_of(objects, load(self.leaves, first))
            )
        self._add_leaf(x, owner)
        return True

    def _add_any_array(mut self, ref objects: Objects, x: Int) -> Bool:
        """Adds an array of whatever extents; False if its axes are neither in C order nor in its reverse."""
        var layout = load(x, HANDLE_LAYOUT)
        var shape = load(x, HANDLE_SHAPE)
        var rank = load(shape, TUPLE_SIZE)
        var is_turned = not objects.in_c_order(x)
        if is_turned and not _is_turned(layout, rank):
            return False
        var word = ARRAY | objects.dtype(x) << 8 | rank << 32
        word |= Int(objects.is_scalar(load(x, TYPE))) << 16
        if layout != objects.api.none:
            var size = itemsize(objects.dtype(x))
            word |= 1 << 19 | _density_of(layout, rank, size, is_turned) << 20
            word |= Int(is_turned) << 22
            word |= Int(is_turned and _is_whole(objects, x)) << 23
        self.add(word)
        var size = 1
        for axis in range(rank):
            if load(item(shape, axis), TYPE) != objects.int_type:
                return False
            var extent = objects.api.small_int(item(shape, axis))
            size *= min(extent, LARGEST + 1)
            var number = self._number_of(extent)
            if number < 0 or size > LARGEST:
                return False
            self.add(number)
        self._add_leaf(x)
        return True

    @always_inline
    def _number_of(mut self, extent: Int) -> Int:
        """0 and 1 of themselves, a number from 2 on of another extent; -1 for one too many."""
        if extent < 2:
            return extent
        for k in range(self.different):
            if load(self.extents, k) == extent:
                return 2 + k
        if self.different == MAX_EXTENTS:
            return -1
        if self.is_ordered:
            var smaller = 0
            for k in range(self.different):
                smaller |= Int(load(self.extents, k) < extent) << k
            self.add(smaller)
        store(self.extents, self.different, extent)
        self.different += 1
        return 1 + self.different

    def _add_shape(mut self, ref objects: Objects, shape: Int) -> Bool:
        var rank = load(shape, TUPLE_SIZE)
        self.add(rank)
        for axis in range(rank):
            var extent = item(shape, axis)
            if load(extent, TYPE) != objects.int_type:
                return False
            self.add(int_of(extent))
        return True

    def _same_as(self, x: Int) -> Int:
        """Where an array is among the leaves before; -1 if it is new."""
        for k in range(self.count):
            if load(self.leaves, k) == x:
                return k
        return -1

    def _first_of(self, owner: Int) -> Int:
        """The first array that an owner has among the leaves; -1 for none."""
        for k in range(self.count):
            if load(self.owners, k) == owner:
                return k
        return -1

    def _same_value(self, owner: Int) -> Int:
        """The first array whose owner has the same value; -1 for none."""
        var value = load(owner, HANDLE_VALUE)
        for k in range(self.count):
            var other = load(self.owners, k)
            if other != 0 and load(other, HANDLE_VALUE) == value:
                return k
        return -1


def _is_turned(layout: Int, rank: Int) -> Bool:
    """Whether the axes, all with several elements, run from the smallest stride to the largest."""
    var extents = load(layout, ARRAY_SHAPE)
    var strides = load(layout, ARRAY_STRIDES)
    var before = 0
    for axis in range(rank):
        var stride = abs(load(strides, axis))
        if load(extents, axis) < 2 or stride <= before:
            return False
        before = stride
    return True


def _is_whole(ref objects: Objects, x: Int) -> Bool:
    """Whether an array is its base with all axes in reverse."""
    var base = load(x, HANDLE_BASE)
    if base == objects.api.none or objects.dtype(base) != objects.dtype(x):
        return False
    var ours = load(x, HANDLE_SHAPE)
    var theirs = load(base, HANDLE_SHAPE)
    var rank = load(ours, TUPLE_SIZE)
    if load(theirs, TUPLE_SIZE) != rank:
        return False
    for axis in range(rank):
        if int_of(item(ours, axis)) != int_of(item(theirs, rank - 1 - axis)):
            return False
    return load(load(x, HANDLE_LAYOUT), ARRAY_FLAGS) & IN_FORTRAN_ORDER != 0


@always_inline
def _density_of(layout: Int, rank: Int, size: Int, is_turned: Bool) -> Int:
    """How a view in C order, or turned, lies: 3 without gaps, 2 with all elements equally far apart, 1 with rows without gaps, else 0."""
    var whole = IN_FORTRAN_ORDER if is_turned else IN_C_ORDER
    if load(layout, ARRAY_FLAGS) & whole != 0 or rank == 0:
        return 3
    var extents = load(layout, ARRAY_SHAPE)
    var strides = load(layout, ARRAY_STRIDES)
    var last = load(strides, 0 if is_turned else rank - 1)
    var step = last
    for k in range(rank):
        var axis = k if is_turned else rank - 1 - k
        if load(extents, axis) != 1 and load(strides, axis) != step:
            return Int(last == size)
        step *= load(extents, axis)
    return 2


def class_of_number(ref objects: Objects, number: Int) -> Int:
    """A word for all numbers that a function treats alike; 0 for a number that is one of its own, and for
    anything else."""
    var type = load(number, TYPE)
    if type == objects.api.float_type:
        var value = bitcast[DType.float64](Int64(load(number, FLOAT_VALUE)))
        return ANY_FLOAT if abs(value) <= LARGEST_HALF else 0
    if type != objects.int_type:
        return 0
    var overflow = Int32(0)
    var value = external_call["PyLong_AsLongLongAndOverflow", Int](
        number, Pointer(to=overflow)
    )
    if overflow != 0:
        return 0
    var bounds = 0
    comptime for k in range(len(BOUNDS)):
        comptime bound = BOUNDS[k]
        bounds += Int(value >= bound)
    comptime all = len(BOUNDS)
    if bounds == 0 or bounds == all:
        return 0
    return ANY_INT | bounds << 8


@always_inline
def offset_of(ref objects: Objects, x: Int) -> Int:
    """The bytes from the begin of the owner's memory to an array's first element."""
    var layout = load(x, HANDLE_LAYOUT)
    if layout == objects.api.none:
        return 0
    return load(layout, ARRAY_DATA) - objects.api.region


def _interned(text: Int) -> Int:
    """The one string of this text that Python keeps; borrowed."""
    if load(text, TEXT_STATE) & INTERNED != 0:
        return text
    var found = kept(text)
    external_call["PyUnicode_InternInPlace", NoneType](Pointer(to=found))
    drop(found)
    return found
