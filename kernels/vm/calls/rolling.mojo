"""`roll`: for each axis one step, which joins two parts of the array the other way round.

The Python function records the same, but a program's distances change too often for a transcript of each.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from vm.base.fields import HANDLE_CODE, HANDLE_SHAPE, VALUE_PARAMS
from vm.base.objects import UNUSUAL, ObjectsPointer, item, pair
from vm.base.raw import TUPLE_SIZE, TYPE, drop, load, replace_slot
from vm.calls.arguments import axis_given, rank_of
from vm.base.tuples import integers
from vm.record.element import integer_at
from vm.record.elements import address_of_integer
from vm.record.layouts import AXES, NEW, Axes, Lie

comptime MOST_AXES = 4
"""Of those that are rolled together."""


def rolled(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`roll(x, distance, axis)`, or of a tuple of both; UNUSUAL for other arguments, and where nothing moves."""
    if count < 2 or objects[].learning > 0 or objects[].full():
        return UNUSUAL
    var x = load(args, 0)
    var rank = rank_of(objects, x)
    if rank == 0:
        return UNUSUAL
    var distances = _distances(objects, load(args, 1))
    var axes = _axes(objects, args, count, names, rank)
    if len(distances) == 0 or len(distances) != len(axes):
        return UNUSUAL
    var whole = Lie(objects, x, Int(stack_allocation[AXES, Int64]()))
    if whole.dtype == 0:
        return UNUSUAL
    var shape = load(x, HANDLE_SHAPE)
    var made = UNUSUAL
    for k in range(len(axes)):
        var extent = objects[].api.small_int(item(shape, axes[k]))
        var distance = distances[k] % extent if extent > 0 else 0
        if distance == 0:
            continue
        var before = made
        made = _rolled_along(
            objects, x if before == UNUSUAL else before, axes[k], distance
        )
        if before != UNUSUAL:
            drop(before)
        if made == 0:
            return 0
    return made


def _distances(objects: ObjectsPointer, given: Int) -> List[Int]:
    """How far to move, by an integer or a tuple of such; none for what is neither, or pending."""
    var found = List[Int]()
    var is_tuple = load(given, TYPE) == objects[].tuple_type
    var count = load(given, TUPLE_SIZE) if is_tuple else 1
    for k in range(min(count, MOST_AXES + 1)):
        var part = item(given, k) if is_tuple else given
        var distance: Int
        if load(part, TYPE) == objects[].int_type:
            var overflow = Int32(0)
            distance = external_call["PyLong_AsLongLongAndOverflow", Int](
                part, Pointer(to=overflow)
            )
            if overflow != 0:
                return []
        else:
            var dtype = 0
            var address = address_of_integer(objects, part, dtype)
            if address == 0:
                return []
            distance = integer_at(address, dtype)
        found.append(distance)
    return found^


def _axes(
    objects: ObjectsPointer, args: Int, count: Int, names: Int, rank: Int
) -> List[Int]:
    """The axes to move along, one or those of a tuple; none for other arguments."""
    var axis = axis_given(objects, args, 2, count, names, rank)
    if axis != UNUSUAL:
        return [axis]
    if (
        names != 0
        and (
            count != 2
            or load(names, TUPLE_SIZE) != 1
            or item(names, 0) != objects[].axis_name
        )
    ) or (names == 0 and count != 3):
        return []
    var given = load(args, 2)
    if load(given, TYPE) != objects[].tuple_type:
        return []
    var found = List[Int]()
    for k in range(min(load(given, TUPLE_SIZE), MOST_AXES + 1)):
        var part = item(given, k)
        if load(part, TYPE) != objects[].int_type:
            return []
        axis = objects[].api.small_int(part)
        axis += rank if axis < 0 else 0
        if not 0 <= axis < rank:
            return []
        found.append(axis)
    return found^


def _rolled_along(
    objects: ObjectsPointer, x: Int, axis: Int, distance: Int
) -> Int:
    """A new array with the elements moved along an axis, by less than its length."""
    var shape = load(x, HANDLE_SHAPE)
    var extent = objects[].api.small_int(item(shape, axis))
    var last = _part(objects, x, axis, extent - distance, distance)
    if last == 0:
        return 0
    var first = _part(objects, x, axis, 0, extent - distance)
    if first == 0:
        drop(last)
        return 0
    var params = integers([axis])  # before a thread can see the step
    var value = objects[].value_of(x)
    var layouts = pair(last, first)
    drop(last)
    drop(first)
    var code = load(x, HANDLE_CODE)
    var step = objects[].new_value(
        item(objects[].joins, objects[].dtype(x)),
        shape,
        pair(value, value),
        layouts,
        of_call=True,
    )
    var made = 0
    if step != 0:
        replace_slot(step, VALUE_PARAMS, params)
        var none = objects[].api.none
        made = objects[].new_handle(
            objects[].array_type, step, none, none, shape, code
        )
    drop(params)
    return made


def _part(
    objects: ObjectsPointer, x: Int, along: Int, start: Int, count: Int
) -> Int:
    """The layout of some elements along an axis, a new reference; 0 if Python has raised."""
    var whole = Lie(objects, x, Int(stack_allocation[AXES, Int64]()))
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    axes.data = whole.data + start * whole.stride(along)
    axes.dtype = whole.dtype
    for axis in range(whole.rank):
        var extent = count if axis == along else whole.extent(axis)
        axes.add(extent, whole.stride(axis), NEW)
    return axes.layout(objects)
