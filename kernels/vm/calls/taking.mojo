"""`take`, `put` and `add.at` at places along the first axis: `x[places]`, a copy, `x[places] = y`, and sums
or the like."""

from std.ffi import external_call
from vm.base.fields import HANDLE_SHAPE
from vm.base.numbers import INT64
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.raw import TUPLE_SIZE, TYPE, drop, kept, load
from vm.calls.arguments import axis_given, is_named, rank_of
from vm.record.elements import is_index
from vm.record.indexing import get_part, set_part
from vm.record.operands import array_given
from vm.record.picking import combine_at_once
from vm.record.shaping import copied
from vm.run.flush import computed


def taken(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`take(x, places)`, with an axis or without; UNUSUAL for other arguments."""
    if count < 2 or objects[].learning > 0:
        return UNUSUAL
    var x = load(args, 0)
    var rank = rank_of(objects, x)
    if rank == 0 or axis_given(objects, args, 2, count, names, rank) != 0:
        return UNUSUAL
    var key = _places(objects, load(args, 1))
    if key == 0:
        return UNUSUAL
    var made = get_part(objects, x, key)
    if rank > 1 and made != 0 and made != UNUSUAL and _is_place(objects, key):
        var row = made  # a view of x
        made = copied(objects, row, False)
        drop(row)
    drop(key)
    return made


def put(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`put(x, places, y)` of an array with one axis; UNUSUAL for other arguments, and None."""
    if count != 3 or names != 0 or objects[].learning > 0:
        return UNUSUAL
    var x = load(args, 0)
    if rank_of(objects, x) != 1:
        return UNUSUAL
    var key = _places(objects, load(args, 1))
    if key == 0:
        return UNUSUAL
    var made = set_part(objects, x, key, load(args, 2))
    drop(key)
    return made


def written(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`copyto(x, y)` of arrays of one dtype; UNUSUAL for other arguments, and None."""
    if count != 2 or names != 0 or objects[].learning > 0:
        return UNUSUAL
    var x = load(args, 0)
    var y = load(args, 1)
    var type = objects[].array_type
    if (
        load(x, TYPE) != type
        or load(y, TYPE) != type
        or objects[].dtype(x) != objects[].dtype(y)
    ):
        return UNUSUAL
    return set_part(objects, x, objects[].ellipsis, y)


def added(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`add.at(x, places, y)` and the like, given the ufunc; UNUSUAL for other ones and other arguments, and
    None."""
    if count != 4 or names != 0 or objects[].learning > 0:
        return UNUSUAL
    var x = load(args, 1)
    var operation = _operation_of(objects, load(args, 0))
    if rank_of(objects, x) != 1 or operation < 0:
        return UNUSUAL
    if load(load(args, 2), TYPE) == objects[].tuple_type:
        return UNUSUAL  # which has an index for each axis
    var key = _places(objects, load(args, 2))
    if key == 0:
        return UNUSUAL
    var done = False
    if not _is_place(objects, key):
        # once both are computed, sums that follow need no step
        for array in [x, key]:
            var value = kept(objects[].value_of(array))
            _ = computed(objects[], value)
            drop(value)
        done = combine_at_once(objects, x, key, load(args, 3), operation)
    drop(key)
    return kept(objects[].api.none) if done else UNUSUAL


comptime _OPERATIONS: List[StaticString] = [
    "add\0",
    "subtract\0",
    "maximum\0",
    "minimum\0",
]
"""Names of ufuncs, in the order of their numbers in picking.mojo."""


def _operation_of(objects: ObjectsPointer, ufunc: Int) -> Int:
    """The number of a ufunc by its name, -1 of any other; whatever has the name, is it."""
    var name = external_call["PyObject_GetAttrString", Int](
        ufunc, Int("__name__".ptr())
    )
    if name == 0:
        external_call["PyErr_Clear", NoneType]()
        return -1
    # a text, as the name of an argument is
    var is_text = load(name, TYPE) == load(objects[].axis_name, TYPE)
    var found = -1
    comptime for k in range(len(_OPERATIONS)):
        comptime operation = _OPERATIONS[k]
        if is_text and is_named(name, operation):
            found = k
    drop(name)
    return found


def _places(objects: ObjectsPointer, given: Int) -> Int:
    """An int, or an array of int64 with axes, also for a list of ints, a new reference; 0 for all else."""
    if _is_place(objects, given):
        return kept(given)
    var array = array_given(objects, given)
    if array == 0:
        return 0
    var has_axes = load(load(array, HANDLE_SHAPE), TUPLE_SIZE) > 0
    if has_axes and objects[].dtype(array) == INT64:
        return array
    drop(array)
    return 0


@always_inline
def _is_place(objects: ObjectsPointer, given: Int) -> Bool:
    return load(given, TYPE) == objects[].int_type or is_index(objects, given)
