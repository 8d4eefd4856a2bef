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
from vm.calls.places import ALONG_AXES, FLAT
from vm.calls.places import ROWS as ROWS_OF_PLACES
from vm.calls.places import counted_places, places
from vm.calls.products import product
from vm.calls.rolling import rolled
from vm.calls.taking import added, put, taken, written
from vm.record.derived import seen_as
from vm.record.elements import array_of_buffer, room_for, write_element
from vm.record.exchange import ANY, array_of
from vm.record.joining import (
    COLUMNS,
    CONCATENATE,
    HORIZONTAL,
    ROWS,
    STACK,
    joined,
)

comptime Maker = def(
    objects: ObjectsPointer, args: Int, count: Int, names: Int
) thin -> Int
"""Makes the result of a call, given the addresses of its arguments; UNUSUAL for what Python must look at."""


@fieldwise_init
struct Kind(Copyable, Movable):
    """What a function may make, and what makes it."""

    var name: StaticString
    var make: Maker


comptime KINDS: List[Kind] = [
    Kind("an array", _array[False]),
    Kind("an array over shared memory", _array[True]),
    Kind("an array over a buffer", over_buffer),
    Kind("zeros", _filled[0]),
    Kind("ones", _filled[1]),
    Kind("zeros like an array", _filled_like[0]),
    Kind("ones like an array", _filled_like[1]),
    Kind("a range", ranged),
    Kind("spaced numbers", spaced),
    Kind("places along axes", _places[ALONG_AXES]),
    Kind("flat places", _places[FLAT]),
    Kind("rows of places", _places[ROWS_OF_PLACES]),
    Kind("a count of places", counted_places),
    Kind("distinct elements", distinct),
    Kind("counts", counted),
    Kind("a stack", _joined[STACK]),
    Kind("a concatenation", _joined[CONCATENATE]),
    Kind("joined rows", _joined[ROWS]),
    Kind("what is joined horizontally", _joined[HORIZONTAL]),
    Kind("joined columns", _joined[COLUMNS]),
    Kind("elements at places", taken),
    Kind("a write at places", put),
    Kind("a write to all", written),
    Kind("what is left", deleted),
    Kind("what is longer", inserted),
    Kind("sums at places", added),
    Kind("what is rolled", rolled),
    Kind("repeated rows", repeated),
    Kind("a product of vectors", product[False]),
    Kind("a product of flat arrays", product[True]),
    Kind("a view as a class", seen_as),
    Kind("a common dtype", common_dtype),
]
"""Their numbers in the traits of functions are their places here, from 1 on."""


def made_at_once(
    objects: ObjectsPointer, kind: Int, args: Int, count: Int, names: Int
) -> Int:
    """The result of a call of one of these kinds; UNUSUAL for what Python must look at.

    Makers may read the first argument: calls whose arguments all have names are Python's.
    """
    if count == 0:
        return UNUSUAL
    comptime for k in range(len(KINDS)):
        if kind == k + 1:
            comptime make = KINDS[k].make
            return make(objects, args, count, names)
    return UNUSUAL


def _places[
    how: Int
](objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    if count != 1 or names != 0:
        return UNUSUAL
    return places(objects, load(args, 0), how)


def _filled[
    number: Int
](objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    return created(objects, args, count, names, number)


def _filled_like[
    number: Int
](objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    return created_like(objects, args, count, names, number)


def _joined[
    how: Int
](objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    return joined_lists(objects, how, args, count, names)


def _array[
    shares: Bool
](objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
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
