"""Arguments that several functions have."""

from std.ffi import external_call
from vm.base.fields import HANDLE_SHAPE
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import TUPLE_SIZE, TYPE, load


@always_inline
def rank_of(objects: ObjectsPointer, x: Int) -> Int:
    """How many axes an array has; 0 for what is no array of ours."""
    if load(x, TYPE) != objects[].array_type:
        return 0
    return load(load(x, HANDLE_SHAPE), TUPLE_SIZE)


def axis_given(
    objects: ObjectsPointer,
    args: Int,
    place: Int,
    count: Int,
    names: Int,
    rank: Int,
) -> Int:
    """The axis among so many that an argument says, the last one: at a place, or by its name.

    Without one, or for None, the only axis; UNUSUAL for all else.
    """
    if names != 0:
        if (
            count != place
            or load(names, TUPLE_SIZE) != 1
            or item(names, 0) != objects[].axis_name
        ):
            return UNUSUAL
    elif count == place:
        return 0 if rank == 1 else UNUSUAL
    elif count != place + 1:
        return UNUSUAL
    var given = load(args, place)
    if given == objects[].api.none:
        return 0 if rank == 1 else UNUSUAL
    if load(given, TYPE) != objects[].int_type:
        return UNUSUAL
    var axis = objects[].api.small_int(given)
    if axis < 0:
        axis += rank
    return axis if 0 <= axis < rank else UNUSUAL


def is_named(name: Int, text: StaticString) -> Bool:
    """Whether an argument has a name, given as a C string."""
    return (
        external_call["PyUnicode_CompareWithASCIIString", Int32](
            name, text.unsafe_ptr()
        )
        == 0
    )
