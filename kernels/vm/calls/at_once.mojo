"""What functions make at once, without Python and mostly without a step, where their arguments are usual."""

from std.ffi import external_call
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS
from vm.base.numbers import BOOL, FLOAT64, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.raw import TYPE, drop, kept, load
from vm.calls.creating import (
    created,
    created_like,
    dtype_given,
    over_buffer,
    ranged,
    spaced,
)
from vm.calls.distinct import counted, distinct
from vm.calls.dtypes import common_dtype
from vm.calls.editing import deleted, inserted, repeated
from vm.calls.joining import joined_lists
from vm.calls.places import ALONG_AXES, places
from vm.calls.products import product
from vm.calls.rolling import rolled
from vm.calls.taking import added, put, taken, written
from vm.record.derived import seen_as
from vm.record.elements import array_of_buffer, room_for, write_element
from vm.record.exchange import ANY, array_of
from vm.record.joining import STACK, joined

comptime KINDS: List[StaticString] = [
    "nothing",
    "an array",
    "an array over shared memory",
    "zeros",
    "ones",
    "a range",
    "places along axes",
    "flat places",
    "rows of places",
    "distinct elements",
    "counts",
    "a stack",
    "a concatenation",
    "joined rows",
    "what is joined horizontally",
    "joined columns",
    "elements at places",
    "a write at places",
    "what is left",
    "what is longer",
    "sums at places",
    "what is rolled",
    "spaced numbers",
    "a product of vectors",
    "zeros like an array",
    "ones like an array",
    "repeated rows",
    "a view as a class",
    "an array over a buffer",
    "a common dtype",
    "a write to all",
]
"""What a function may make, by the number in its traits."""

comptime _ARRAY = 1
comptime _SHARED_ARRAY = 2
comptime _ZEROS = 3
comptime _ONES = 4
comptime _RANGE = 5
comptime _PLACES = 6
comptime _DISTINCT = 9
comptime _COUNTS = 10
comptime _STACK = 11
comptime _COLUMNS = 15
comptime _TAKEN = 16
comptime _PUT = 17
comptime _DELETED = 18
comptime _INSERTED = 19
comptime _ADDED = 20
comptime _SPACED = 22
comptime _PRODUCT = 23
comptime _ZEROS_LIKE = 24
comptime _ONES_LIKE = 25
comptime _REPEATED = 26
comptime _SEEN = 27
comptime _BUFFERED = 28
comptime _COMMON_DTYPE = 29
comptime _WRITTEN = 30


def made_at_once(
    objects: ObjectsPointer, kind: Int, args: Int, count: Int, names: Int
) -> Int:
    """The result of a call of one of the kinds above; UNUSUAL for what Python must look at."""
    if kind == _ARRAY or kind == _SHARED_ARRAY:
        return _array(objects, kind == _SHARED_ARRAY, args, count, names)
    if kind == _ZEROS or kind == _ONES:
        return created(objects, args, count, names, Int(kind == _ONES))
    if kind == _RANGE:
        return ranged(objects, args, count, names)
    if kind == _DISTINCT:
        return distinct(objects, args, count, names)
    if kind == _COUNTS:
        return counted(objects, args, count, names)
    if kind == _SPACED:
        return spaced(objects, args, count, names)
    if kind == _PRODUCT:
        return product(objects, args, count, names)
    if kind == _ZEROS_LIKE or kind == _ONES_LIKE:
        var number = Int(kind == _ONES_LIKE)
        return created_like(objects, args, count, names, number)
    if kind == _REPEATED:
        return repeated(objects, args, count, names)
    if kind == _SEEN:
        return seen_as(objects, args, count, names)
    if kind == _BUFFERED:
        return over_buffer(objects, args, count, names)
    if kind == _COMMON_DTYPE:
        return common_dtype(objects, args, count, names)
    if kind == _WRITTEN:
        return written(objects, args, count, names)
    if kind >= _TAKEN:
        return _at_places(objects, kind, args, count, names)
    if _STACK <= kind <= _COLUMNS:
        var how = kind - _STACK + STACK
        return joined_lists(objects, how, args, count, names)
    if count != 1 or names != 0:
        return UNUSUAL
    return places(objects, load(args, 0), kind - _PLACES + ALONG_AXES)


def _at_places(
    objects: ObjectsPointer, kind: Int, args: Int, count: Int, names: Int
) -> Int:
    if kind == _TAKEN:
        return taken(objects, args, count, names)
    if kind == _PUT:
        return put(objects, args, count, names)
    if kind == _DELETED:
        return deleted(objects, args, count, names)
    if kind == _INSERTED:
        return inserted(objects, args, count, names)
    if kind == _ADDED:
        return added(objects, args, count, names)
    return rolled(objects, args, count, names)


def _array(
    objects: ObjectsPointer, shares: Bool, args: Int, count: Int, names: Int
) -> Int:
    """An array of what is given, and maybe a dtype; UNUSUAL for other arguments."""
    var wanted = ANY
    if count != 1 or names != 0:
        wanted = dtype_given(objects, args, count, names)
        if wanted < 0:
            return UNUSUAL
    var given = load(args, 0)
    if shares and load(given, TYPE) == objects[].array_type:
        var fits = wanted == ANY or wanted == objects[].dtype(given)
        return kept(given) if fits else UNUSUAL
    if load(given, TYPE) == objects[].range_type:
        var numbers = external_call["PySequence_List", Int](given)
        if numbers == 0:
            return 0
        var found = array_of(objects, numbers, shares, wanted)
        drop(numbers)
        return found
    var made = joined(objects, given, STACK, wanted)
    if made == UNUSUAL:
        made = array_of(objects, given, shares, wanted)
    return made if made != UNUSUAL else _of_number(objects, given, wanted)


def _of_number(objects: ObjectsPointer, given: Int, wanted: Int) -> Int:
    """An array without axes of a number, or of a known scalar; UNUSUAL for all else."""
    var dtype = _dtype_of(objects, given)
    if dtype < 0 or objects[].learning > 0:
        return UNUSUAL
    if wanted != ANY:
        dtype = wanted
    var buffer = room_for(objects, itemsize(dtype))
    if buffer == 0:
        return 0
    if not write_element(objects, load(buffer, BUFFER_ADDRESS), dtype, given):
        drop(buffer)
        return UNUSUAL
    return array_of_buffer(objects[], dtype, objects[].api.empty, buffer)


@always_inline
def _dtype_of(objects: ObjectsPointer, given: Int) -> Int:
    """The code of the dtype that a number has as an array, -1 for what is none."""
    var type = load(given, TYPE)
    if type == objects[].api.float_type:
        return FLOAT64
    if type == objects[].int_type:
        return INT64
    if type == objects[].bool_type:
        return BOOL
    if objects[].is_scalar(type):
        return objects[].dtype(given)
    return objects[].scalar_dtype(type)
