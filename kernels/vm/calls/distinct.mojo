"""The distinct elements of small arrays, and how often integers occur: found at once.

How many there are must be known anyway, so that the array is computed.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.operands.operand import OK, Operand, Operands, Words
from vm.base.fields import BUFFER_ADDRESS, HANDLE_SHAPE
from vm.base.numbers import BOOL, FLOAT64, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.parts import run_structured
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    drop,
    fill_bytes,
    int_of,
    load,
    store,
)
from vm.calls.arguments import is_named
from vm.calls.given import Given
from vm.base.tuples import integers, tuple_of
from vm.record.element import at
from vm.record.elements import array_of_buffer, room_for
from vm.record.operands import array_of_list

comptime SIZE = 8
"""Bytes of an element."""
comptime NAMES = 3
"""What `unique` may give beside the elements: places of the first ones, the inverse, and counts."""


# -- unique


def distinct(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`unique(x)`, with arguments that have names, or without; UNUSUAL for others."""
    var wanted = Array[Bool, NAMES](fill=False)
    if count != 1 or not _are_wanted(objects, args, names, wanted):
        return UNUSUAL
    var x = load(args, 0)
    var given = Given(objects, x)
    if given.address == 0 or given.dtype == BOOL:
        return UNUSUAL
    var found = Distinct(objects, given, wanted[0] or wanted[1])
    if not found.is_sorted:
        return UNUSUAL
    var results: List[Int] = [found.elements()]
    if wanted[0]:
        results.append(found.first_places())
    if wanted[1]:
        results.append(found.inverse(load(x, HANDLE_SHAPE)))
    if wanted[2]:
        results.append(found.counts())
    _ = given^  # is in use until here
    for made in results:
        if made == 0:
            for other in results:
                if other != 0:
                    drop(other)
            return 0
    return results[0] if len(results) == 1 else tuple_of(results)


def _are_wanted(
    objects: ObjectsPointer,
    args: Int,
    names: Int,
    mut wanted: Array[Bool, NAMES],
) -> Bool:
    """Reads the arguments that have names; False if there are others."""
    if names == 0:
        return True
    for k in range(load(names, TUPLE_SIZE)):
        var place = -1
        for known in range(NAMES):
            if item(names, k) == item(objects[].unique_names, known):
                place = known
        var given = load(args, 1 + k)
        if place < 0 or (given != objects[].yes and given != objects[].no):
            return False
        wanted[place] = given == objects[].yes
    return True


struct Distinct:
    """The elements of an array in order, their places, and where each distinct one begins."""

    var objects: ObjectsPointer
    var dtype: Int
    var size: Int
    var room: Int
    """Four parts of so many elements: the elements, their places, 0, 1, 2, .., and beginnings."""
    var count: Int
    """Distinct elements."""
    var is_sorted: Bool

    def __init__(
        out self, objects: ObjectsPointer, ref given: Given, has_places: Bool
    ):
        self.objects = objects
        self.dtype = given.dtype
        self.size = given.size
        self.room = external_call["malloc", Int](4 * SIZE * given.size)
        self.count = 0
        self.is_sorted = False
        if self.room != 0:
            self.is_sorted = self._sort(given.address, has_places)
        if self.is_sorted:
            self._list()

    def __del__(deinit self):
        external_call["free", NoneType](self.room)

    @always_inline
    def _part(self, index: Int) -> Int:
        return self.room + index * SIZE * self.size

    def _sort(self, address: Int, has_places: Bool) -> Bool:
        var arrays = 2 if has_places else 1
        if has_places:
            for k in range(self.size):
                store(self._part(2), k, k)
        var words: List[Int64] = [Int64(self.size), SIZE, 0, Int64(arrays), 1]
        var numbers = Words(unsafe_from_address=Int(words.unsafe_ptr()))
        var operands = List[Operand]()
        var addresses: List[Int] = [self._part(0), address]
        if has_places:
            addresses = [self._part(0), self._part(1), address, self._part(2)]
        for k in range(2 * arrays):
            var dtype = INT64 if k % arrays == 1 else self.dtype
            operands.append(
                Operand(
                    addresses[k], dtype, 1, numbers, numbers.unsafe_offset(1)
                )
            )
        var fault: List[Int64] = [0, 0, 0]
        var status = run_structured(
            self.objects[].sort_kernel,
            Operands(unsafe_from_address=Int(operands.unsafe_ptr())),
            len(operands),
            numbers.unsafe_offset(2),
            3,
            1,
            Words(unsafe_from_address=Int(fault.unsafe_ptr())),
        )
        _ = operands^  # they are in use until here
        _ = words^
        _ = fault^
        return status == OK

    def _list(mut self):
        """Lists where distinct elements begin; all nan are equal."""
        var sorted = self._part(0)
        for k in range(self.size):
            store(self._part(3), self.count, k)
            var is_new = k == 0
            if k > 0 and self.dtype == INT64:
                is_new = load(sorted, k) != load(sorted, k - 1)
            elif k > 0:
                var here = at[DType.float64](sorted + SIZE * k)
                var before = at[DType.float64](sorted + SIZE * (k - 1))
                is_new = here != before and (here == here or before == before)
            self.count += Int(is_new)

    def _begin(self, index: Int) -> Int:
        return load(self._part(3), index) if index < self.count else self.size

    def _array(self, buffer: Int, dtype: Int, shape: Int) -> Int:
        var made = array_of_buffer(self.objects[], dtype, shape, buffer)
        drop(shape)
        return made

    def elements(self) -> Int:
        """The distinct elements."""
        return self._of_firsts(0, self.dtype)

    def first_places(self) -> Int:
        """Where each occurs first."""
        return self._of_firsts(1, INT64)

    def _of_firsts(self, part: Int, dtype: Int) -> Int:
        var buffer = room_for(self.objects, SIZE * self.count)
        if buffer == 0:
            return 0
        var target = load(buffer, BUFFER_ADDRESS)
        for k in range(self.count):
            store(target, k, load(self._part(part), self._begin(k)))
        return self._array(buffer, dtype, integers([self.count]))

    def inverse(self, shape: Int) -> Int:
        """Which of them each element is, in the shape of the array."""
        var buffer = room_for(self.objects, SIZE * self.size)
        if buffer == 0:
            return 0
        var target = load(buffer, BUFFER_ADDRESS)
        for one in range(self.count):
            for k in range(self._begin(one), self._begin(one + 1)):
                store(target, load(self._part(1), k), one)
        return array_of_buffer(self.objects[], INT64, shape, buffer)

    def counts(self) -> Int:
        """How often each occurs."""
        var buffer = room_for(self.objects, SIZE * self.count)
        if buffer == 0:
            return 0
        var target = load(buffer, BUFFER_ADDRESS)
        for k in range(self.count):
            store(target, k, self._begin(k + 1) - self._begin(k))
        return self._array(buffer, INT64, integers([self.count]))


# -- bincount

comptime _MOST_COUNTS = 1 << 14


def counted(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`bincount(x)`, with weights and a `minlength` or without; UNUSUAL for other arguments."""
    if not 1 <= count <= 2:
        return UNUSUAL
    var length = 0
    var weights = load(args, 1) if count == 2 else 0
    var named = load(names, TUPLE_SIZE) if names != 0 else 0
    for k in range(named):
        var given = load(args, count + k)
        if item(names, k) == objects[].minlength_name:
            if load(given, TYPE) != objects[].int_type:
                return UNUSUAL
            length = objects[].api.small_int(given)
            if not 0 <= length <= _MOST_COUNTS:
                return UNUSUAL
        elif count == 1 and is_named(item(names, k), "weights\0"):
            weights = given
        else:
            return UNUSUAL
    var list = array_of_list(objects, load(args, 0))
    var given = Given(objects, load(args, 0) if list == 0 else list)
    if list != 0:
        drop(list)
    if given.address == 0 or given.dtype != INT64 or given.rank != 1:
        return UNUSUAL
    for k in range(given.size):
        var place = load(given.address, k)
        if not 0 <= place < _MOST_COUNTS:
            return UNUSUAL
        length = max(length, place + 1)
    var is_weighted = weights != 0 and weights != objects[].api.none
    var added = Given(objects, weights if is_weighted else load(args, 0))
    var has_floats = added.dtype == FLOAT64
    if is_weighted and (
        added.address == 0
        or added.size != given.size
        or added.rank != 1
        or not (has_floats or added.dtype == INT64)
    ):
        return UNUSUAL
    var buffer = room_for(objects, SIZE * length)
    if buffer == 0:
        return 0
    var target = load(buffer, BUFFER_ADDRESS)
    fill_bytes(target, 0, SIZE * length)
    for k in range(given.size):
        var place = load(given.address, k)
        if not is_weighted:
            store(target, place, load(target, place) + 1)
        else:
            var more = at[DType.float64](
                added.address + SIZE * k
            ) if has_floats else Float64(load(added.address, k))
            var sums = Pointer[Float64, MutUntrackedOrigin](
                unsafe_from_address=target
            )
            sums.unsafe_offset(place)[] += more
    _ = given^  # are in use until here
    _ = added^
    var shape = integers([length])
    var dtype = FLOAT64 if is_weighted else INT64
    var made = array_of_buffer(objects[], dtype, shape, buffer)
    drop(shape)
    return made
