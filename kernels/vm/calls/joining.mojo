"""Arrays and lists of numbers, given in a list, as one array."""

from vm.base.numbers import FLOAT64, INT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import TUPLE_SIZE, TYPE, drop, load
from vm.base.tuples import tuple_of
from vm.record.exchange import ANY, is_sequence, part_of
from vm.record.joining import CONCATENATE, joined, joined_arrays
from vm.record.operands import array_given, array_of_list


def joined_lists(
    objects: ObjectsPointer, kind: Int, args: Int, count: Int, names: Int
) -> Int:
    """The arrays and lists of numbers in a list as one array, along an axis if one is given.

    UNUSUAL for other arguments.
    """
    var axis = 0
    if count != 1 or names != 0:
        if kind > CONCATENATE or not _is_axis(objects, args, count, names):
            return UNUSUAL
        axis = objects[].api.small_int(load(args, 1))
    var given = load(args, 0)
    if objects[].learning > 0 or not _begins_with_list(objects, given):
        return joined(objects, given, kind, ANY, axis)
    var arrays = _arrays_of(objects, given)
    if arrays == 0:
        return UNUSUAL
    return joined_arrays(objects, arrays, kind, ANY, axis)


def _is_axis(
    objects: ObjectsPointer, args: Int, count: Int, names: Int
) -> Bool:
    """Whether the second argument is the last one, an axis and an integer."""
    if names == 0:
        return count == 2 and load(load(args, 1), TYPE) == objects[].int_type
    return (
        count == 1
        and load(names, TUPLE_SIZE) == 1
        and item(names, 0) == objects[].axis_name
        and load(load(args, 1), TYPE) == objects[].int_type
    )


comptime _MOST_LISTS = 64
"""Of more Python makes arrays."""


def _begins_with_list(objects: ObjectsPointer, given: Int) -> Bool:
    """Whether this is a short list or tuple with a list or tuple among its first two items."""
    if not is_sequence(objects[], given):
        return False
    var count = load(given, TUPLE_SIZE)
    if not 0 < count <= _MOST_LISTS:
        return False
    for k in range(min(count, 2)):
        if is_sequence(objects[], part_of(objects[], given, k)):
            return True
    return False


def _arrays_of(objects: ObjectsPointer, given: Int) -> Int:
    """A new tuple of arrays, also for the lists of numbers among these; 0 for what is neither.

    Integers in lists are floats if there are any.
    """
    var made = List[Int]()
    var has_floats = False
    for k in range(load(given, TUPLE_SIZE)):
        var one = array_given(objects, part_of(objects[], given, k))
        if one == 0:
            for other in made:
                drop(other)
            return 0
        made.append(one)
        has_floats = has_floats or objects[].dtype(one) == FLOAT64
    for k in range(len(made)):
        var one = part_of(objects[], given, k)
        var is_other = is_sequence(objects[], one) and (
            objects[].dtype(made[k]) == INT64
        )
        if has_floats and is_other:
            var floats = array_of_list(objects, one, FLOAT64)
            if floats != 0:
                drop(made[k])
                made[k] = floats
    return tuple_of(made)
