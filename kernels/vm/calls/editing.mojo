"""`delete`, `insert` and `repeat` along the first axis of small arrays: copied at once.

To record it would cost more than to copy.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS, HANDLE_SHAPE
from vm.base.numbers import INT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.pins import has_pinned
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    fill_bytes,
    load,
)
from vm.calls.arguments import axis_given, rank_of
from vm.calls.given import Given
from vm.base.tuples import integers
from vm.record.elements import (
    array_of_buffer,
    index_of,
    is_number,
    room_for,
    write_element,
)
from vm.record.operands import array_given
from vm.run.frame import ROOM


struct Rows:
    """A small array whose elements are known, as rows along its first axis."""

    var given: Given
    var count: Int
    """How many rows there are; 0 for any other array."""
    var nbytes: Int
    """Of a row."""
    var objects: ObjectsPointer
    var shape: Int

    def __init__(out self, objects: ObjectsPointer, x: Int):
        self.given = Given(objects, x)
        self.count = 0
        self.nbytes = 0
        self.objects = objects
        self.shape = 0
        # who shares memory may have written truth values that are neither 0 nor 1
        if self.given.address != 0 and not has_pinned(
            self.given.value, objects[].api.buffer_type
        ):
            self.shape = load(x, HANDLE_SHAPE)
            self.count = objects[].api.small_int(item(self.shape, 0))
            var size = itemsize(self.given.dtype)
            self.nbytes = self.given.size // self.count * size

    def copy_to(self, target: Int, first: Int, end: Int) -> Int:
        """Copies rows; where what comes next goes."""
        var nbytes = (end - first) * self.nbytes
        copy_bytes(target, self.given.address + first * self.nbytes, nbytes)
        return target + nbytes

    def array(self, count: Int, buffer: Int) -> Int:
        """An array of another number of such rows, given their memory."""
        var extents: List[Int] = [count]
        for axis in range(1, load(self.shape, TUPLE_SIZE)):
            var extent = item(self.shape, axis)
            extents.append(self.objects[].api.small_int(extent))
        var shape = integers(extents)
        var made = array_of_buffer(
            self.objects[], self.given.dtype, shape, buffer
        )
        drop(shape)
        return made


# -- delete


def deleted(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`delete(x, places)` along the first axis; UNUSUAL for other arguments, and if nothing is left."""
    if count < 2 or objects[].learning > 0:
        return UNUSUAL
    var rank = rank_of(objects, load(args, 0))
    if rank == 0 or axis_given(objects, args, 2, count, names, rank) != 0:
        return UNUSUAL
    var rows = Rows(objects, load(args, 0))
    if rows.count == 0:
        return UNUSUAL
    var kept_rows = List[UInt8](unsafe_uninit_length=rows.count)
    var marks = Int(kept_rows.unsafe_ptr())
    fill_bytes(marks, 1, rows.count)
    var left = rows.count - _mark(objects, load(args, 1), kept_rows)
    if not 0 < left <= rows.count:
        return UNUSUAL
    var buffer = room_for(objects, left * rows.nbytes)
    if buffer == 0:
        return 0
    var target = load(buffer, BUFFER_ADDRESS)
    var first = 0
    while True:
        var found = external_call["memchr", Int](
            marks + first, Int32(0), rows.count - first
        )
        if found == 0:
            break
        target = rows.copy_to(target, first, found - marks)
        first = found - marks + 1
    _ = kept_rows^  # is in use until here
    _ = rows.copy_to(target, first, rows.count)
    return rows.array(left, buffer)


def _mark(objects: ObjectsPointer, places: Int, mut left: List[UInt8]) -> Int:
    """Marks the rows at a place, or at each of a list or an array, by 0; how many, -1 for other places."""
    var extent = len(left)
    if rank_of(objects, places) == 0:
        var place = index_of(objects, places, extent)
        if place >= 0:
            left[place] = 0
            return 1
    var array = array_given(objects, places)
    if array == 0:
        return -1
    var given = Given(objects, array)
    drop(array)
    if given.address == 0 or given.dtype != INT64 or given.rank != 1:
        return -1
    var marked = 0
    for k in range(given.size):
        var place = load(given.address, k)
        place += extent if place < 0 else 0
        if not 0 <= place < extent:
            return -1
        marked += Int(left[place])
        left[place] = 0
    _ = given^  # is in use until here
    return marked


# -- repeat


comptime _MOST_REPEATED = 1 << 16
"""Memory of the largest array that is made by repeating."""


def repeated(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`repeat(x, counts)` along the first axis, of a count for each row; UNUSUAL for other arguments, and if
    nothing is left."""
    if count < 2 or objects[].learning > 0:
        return UNUSUAL
    var rank = rank_of(objects, load(args, 0))
    if rank == 0 or axis_given(objects, args, 2, count, names, rank) != 0:
        return UNUSUAL
    var counts = array_given(objects, load(args, 1))
    if counts == 0:
        return UNUSUAL
    var given = Given(objects, counts)
    drop(counts)
    var rows = Rows(objects, load(args, 0))
    if (
        given.address == 0
        or given.dtype != INT64
        or given.rank != 1
        or given.size != rows.count
    ):
        return UNUSUAL
    var whole = 0
    for k in range(rows.count):
        var one = load(given.address, k)
        if not 0 <= one <= _MOST_REPEATED:
            return UNUSUAL
        whole = min(whole + one, _MOST_REPEATED)
    if not 0 < whole * rows.nbytes <= _MOST_REPEATED:
        return UNUSUAL
    var buffer = room_for(objects, whole * rows.nbytes)
    if buffer == 0:
        return 0
    var target = load(buffer, BUFFER_ADDRESS)
    for k in range(rows.count):
        for _ in range(load(given.address, k)):
            target = rows.copy_to(target, k, k + 1)
    _ = given^  # is in use until here
    return rows.array(whole, buffer)


# -- insert


def inserted(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`insert(x, place, y)` along the first axis, of a number, elements or a row; UNUSUAL for other arguments."""
    if count < 3 or objects[].learning > 0:
        return UNUSUAL
    var rank = rank_of(objects, load(args, 0))
    if rank == 0 or axis_given(objects, args, 3, count, names, rank) != 0:
        return UNUSUAL
    var rows = Rows(objects, load(args, 0))
    if rows.count == 0:
        return UNUSUAL
    var given = load(args, 1)
    var place = index_of(objects, given, rows.count)
    if place < 0 and load(given, TYPE) == objects[].int_type:
        if objects[].api.small_int(given) == rows.count:
            place = rows.count  # behind the last row
    return _with(objects, rows, place, load(args, 2)) if place >= 0 else UNUSUAL


def _with(objects: ObjectsPointer, ref rows: Rows, place: Int, y: Int) -> Int:
    """The rows with what is inserted."""
    var rank = load(rows.shape, TUPLE_SIZE)
    if is_number(objects, y) or objects[].is_scalar(load(y, TYPE)):
        var element = stack_allocation[ROOM, UInt8]()
        var at = Int(element)
        if rank != 1 or not write_element(objects, at, rows.given.dtype, y):
            return UNUSUAL
        return _joined(objects, rows, place, at, 1)
    var array = array_given(objects, y, rows.given.dtype)
    if array == 0:
        return UNUSUAL
    var given = Given(objects, array)
    var made = UNUSUAL
    var fits = given.address != 0 and given.dtype == rows.given.dtype
    if fits and rank == 1 and given.rank == 1:
        made = _joined(objects, rows, place, given.address, given.size)
    elif fits and rank > 1 and _is_row(objects, rows.shape, array):
        made = _joined(objects, rows, place, given.address, 1)
    _ = given^  # is in use until here
    drop(array)
    return made


def _is_row(objects: ObjectsPointer, shape: Int, array: Int) -> Bool:
    """Whether an array has the extents of a shape behind the first."""
    var own = load(array, HANDLE_SHAPE)
    var rank = load(own, TUPLE_SIZE)
    if rank != load(shape, TUPLE_SIZE) - 1:
        return False
    ref api = objects[].api
    for axis in range(rank):
        var extent = api.small_int(item(own, axis))
        if extent != api.small_int(item(shape, axis + 1)):
            return False
    return True


def _joined(
    objects: ObjectsPointer, ref rows: Rows, place: Int, address: Int, more: Int
) -> Int:
    """The rows with others, which lie at an address, before one."""
    var buffer = room_for(objects, (rows.count + more) * rows.nbytes)
    if buffer == 0:
        return 0
    var target = load(buffer, BUFFER_ADDRESS)
    target = rows.copy_to(target, 0, place)
    copy_bytes(target, address, more * rows.nbytes)
    _ = rows.copy_to(target + more * rows.nbytes, place, rows.count)
    return rows.array(rows.count + more, buffer)
