"""`x += y` and other functions that write to an array, computed at once: where what they read is known,
and the array small and seen by nobody else.

To record such a step, and to plan it, takes longer than to do it. A few pending steps are computed first.
"""

from std.memory import stack_allocation
from structured.threads.ieee import (
    enter_ieee,
    leave_ieee,
    lower_flags,
    raised,
)
from vm.base.bytecode import CONVERT, itemsize
from vm.base.errors import watched
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_LAYOUT,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    VALUE_BUFFER,
)
from vm.base.movement import fill_run
from vm.base.objects import ObjectsPointer, item
from vm.base.parts import run_elementwise
from vm.base.raw import LIST_SIZE, TUPLE_SIZE, load
from vm.record.elements import (
    OF_A_CALL,
    forget_limits,
    memory_of,
    own_memory,
    write_element,
)
from vm.record.layouts import AXES, Lie
from vm.run.flush import compute_directly
from vm.run.frame import (
    MOST_AXES,
    MOST_ELEMENTS,
    ROOM,
    Frame,
    elements_of,
    write_elements,
)
from vm.run.look import is_silent
from vm.run.state import state_at


def is_small(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether an array has elements, and few of them."""
    var shape = load(x, HANDLE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    var size = 1
    for axis in range(rank):
        var extent = objects[].api.small_int(item(shape, axis))
        size = min(size, MOST_ELEMENTS + 1) * min(extent, MOST_ELEMENTS + 1)
    return 0 < size <= MOST_ELEMENTS and rank <= MOST_AXES


def updated(
    objects: ObjectsPointer, code: Int, x: Int, y: Int, target: Int
) -> Bool:
    """Writes the result of an elementwise function; False where a step must do it: nothing is written then.

    Args:
        objects: What is known of Python's side.
        code: The code that the value of such a step has.
        x: The first operand, a handle or a number of Python's that fits.
        y: The second one; 0 if there is none.
        target: A small array that may be written to. The function's result has its dtype.
    """
    var operation = code & 0xFFFF
    var dtype = code >> 16 & 0xFF
    var result = code >> 24 & 0xFF
    if (
        operation >= CONVERT
        or is_silent(operation, dtype, result)
        or objects[].learning > 0
        or load(objects[].watches, LIST_SIZE) > 0
    ):
        return False
    _compute_few(objects, x)
    if y != 0:
        _compute_few(objects, y)
    var base = load(target, HANDLE_BASE)
    if base == objects[].api.none:
        base = target
    var memory = own_memory(objects, base)
    if memory == 0:
        return False
    var lie = Lie(objects, target, Int(stack_allocation[AXES, Int64]()))
    var frame = Frame(lie.rank, lie.extents, 1)
    for axis in range(lie.rank):
        frame.size *= lie.extent(axis)
    var rooms = Int(stack_allocation[3 * ROOM, UInt8]())
    var first = _elements(objects, x, dtype, frame, rooms)
    var second = 0
    if y != 0:
        second = _elements(objects, y, dtype, frame, rooms + ROOM)
    var made = rooms + 2 * ROOM
    if (
        first == 0
        or (y != 0 and second == 0)
        or not _computed(
            objects, operation, dtype, made, first, second, frame.size
        )
    ):
        return False
    var size = itemsize(result)
    var there = memory + lie.data - objects[].api.region
    write_elements(frame, lie.strides, there, made, size, size)
    forget_limits(load(base, HANDLE_VALUE))
    return True


def _compute_few(objects: ObjectsPointer, x: Int):
    """Computes what is pending, if an operand is, and few steps are."""
    if (
        objects[].is_handle(x)
        and load(objects[].value_of(x), VALUE_BUFFER) == objects[].api.none
        and load(objects[].log, LIST_SIZE) <= OF_A_CALL
    ):
        compute_directly(state_at(objects[].state))


def _elements(
    objects: ObjectsPointer, x: Int, dtype: Int, frame: Frame, room: Int
) -> Int:
    """Where the elements of an operand are, one after another; 0 if it is pending or of another dtype."""
    if not objects[].is_handle(x):
        if not write_element(objects, room, dtype, x):
            return 0
        fill_run(room, room, frame.size, itemsize(dtype))
        return room
    var value = objects[].value_of(x)
    if objects[].dtype(x) != dtype or memory_of(objects, value) == 0:
        return 0
    var layout = load(x, HANDLE_LAYOUT)
    return elements_of(
        state_at(objects[].state), value, layout, dtype, frame, room
    )


def _computed(
    objects: ObjectsPointer,
    operation: Int,
    dtype: Int,
    target: Int,
    x: Int,
    y: Int,
    count: Int,
) -> Bool:
    """Computes results; False if there is no such function, or something to warn of."""
    var flags = watched(objects[].errors_now())
    if flags == 0:
        return run_elementwise(operation, dtype, target, x, y, 0, count)
    var saved = enter_ieee()
    lower_flags()
    var done = run_elementwise(operation, dtype, target, x, y, 0, count)
    if raised() & flags != 0:
        lower_flags()
        done = False
    leave_ieee(saved)
    return done
