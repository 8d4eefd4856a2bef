"""Few elements: computed at once where they are known.

To record a step, and to run it later, takes longer than to compute it. So an elementwise function of few
elements is computed when it is called, as soon as a program has shown that it makes many such steps, and
neither the policy nor a transformation wants to see them.
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
    BUFFER_ADDRESS,
    HANDLE_LAYOUT,
    HANDLE_SHAPE,
    VALUE_BUFFER,
)
from vm.base.movement import fill_run
from vm.base.numbers import FIRST_FLOAT, FLOAT64
from vm.base.objects import UNUSUAL, ObjectsPointer, broadcast, item
from vm.base.parts import convert, run_elementwise
from vm.base.raw import LIST_SIZE, TUPLE_SIZE, TYPE, drop, kept, load, store
from vm.record.elements import (
    array_of_buffer,
    memory_of,
    number_was_read,
    room_for,
    write_element,
)
from vm.run.direct import WORK
from vm.run.flush import compute_directly, flush_small
from vm.run.frame import (
    MOST_AXES,
    MOST_ELEMENTS,
    ROOM,
    Frame,
    elements_of,
)
from vm.run.look import is_silent, mind
from vm.run.state import state_at

comptime MANY_STEPS = 256
"""After so many have run without a plan the next ones are computed when they are made."""
comptime _CHAIN = 3
"""So many pending steps on scalars, one after another, are computed before the next one."""
comptime _MOST_BEFORE = 8
"""Pending steps that may stand before a chain."""


def is_small(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether an array has elements, and few of them."""
    var shape = load(x, HANDLE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    var size = 1
    for axis in range(rank):
        var extent = objects[].api.small_int(item(shape, axis))
        size = min(size, MOST_ELEMENTS + 1) * min(extent, MOST_ELEMENTS + 1)
    return 0 < size <= MOST_ELEMENTS and rank <= MOST_AXES


@always_inline
def compute_few(objects: ObjectsPointer, x: Int, most: Int):
    """Computes what is pending, if an operand is, and no more than `most` steps are."""
    if (
        objects[].is_handle(x)
        and load(objects[].value_of(x), VALUE_BUFFER) == objects[].api.none
        and load(objects[].log, LIST_SIZE) <= most
    ):
        compute_directly(state_at(objects[].state))


def known_elements(
    objects: ObjectsPointer, x: Int, dtype: Int, frame: Frame, room: Int
) -> Int:
    """Where the elements of an operand are in a dtype, one after another; 0 if it is pending."""
    if not objects[].is_handle(x):
        if not write_element(objects, room, dtype, x):
            return 0
        fill_run(room, room, frame.size, itemsize(dtype))
        return room
    var own = objects[].dtype(x)
    if own == dtype:
        return packed(objects, x, frame, room)
    var others = Int(stack_allocation[ROOM, UInt8]())
    var given = packed(objects, x, frame, others)
    if given == 0 or not convert(own, dtype, room, given, frame.size):
        return 0
    return room


def packed(objects: ObjectsPointer, x: Int, frame: Frame, room: Int) -> Int:
    """Where the elements of an array are, one after another; 0 if it is pending."""
    var value = objects[].value_of(x)
    if memory_of(objects, value) == 0:
        return 0
    var layout = load(x, HANDLE_LAYOUT)
    return elements_of(
        state_at(objects[].state),
        value,
        layout,
        objects[].dtype(x),
        frame,
        room,
    )


def quietly_computed(
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


def elements_as(
    objects: ObjectsPointer, x: Int, dtype: Int, frame: Frame, room: Int
) -> Int:
    """Where the few elements of an array are in another dtype; 0 if it is pending, or their cast is to be told of."""
    var own = objects[].dtype(x)
    if own > FLOAT64 and dtype <= FLOAT64:
        return 0
    var others = Int(stack_allocation[ROOM, UInt8]())
    var given = packed(objects, x, frame, others)
    if given == 0:
        return 0
    var flags = watched(objects[].errors_now())
    if flags == 0 or own < FIRST_FLOAT and not is_silent(CONVERT, own, dtype):
        return room if convert(own, dtype, room, given, frame.size) else 0
    var saved = enter_ieee()
    lower_flags()
    if is_silent(CONVERT, own, dtype):
        mind(CONVERT, own, dtype, given, given, frame.size)
    var done = convert(own, dtype, room, given, frame.size)
    if raised() & flags != 0:
        lower_flags()
        done = False
    leave_ieee(saved)
    return room if done else 0


def made_of_few(objects: ObjectsPointer, code: Int, x: Int, y: Int) -> Int:
    """A new array of the results of an elementwise function; UNUSUAL where a step must compute them.

    Args:
        objects: What is known of Python's side.
        code: The code that the value of such a step has.
        x: The first operand, a handle in C order or a number of Python's that fits.
        y: The second one; 0 if there is none.
    """
    var operation = code & 0xFFFF
    var dtype = code >> 16 & 0xFF
    var result = code >> 24 & 0xFF
    if (
        not _is_known(objects, x)
        or (y != 0 and not _is_known(objects, y))
        or operation >= CONVERT
        or is_silent(operation, dtype, result)
    ):
        return UNUSUAL
    var shape = _shape(objects, x, y)
    var rank = load(shape, TUPLE_SIZE) if shape != 0 else 0
    var extents = stack_allocation[MOST_AXES, Int64]()
    var frame = Frame(rank, Int(extents), 1)
    if not 0 < rank <= MOST_AXES:
        frame.size = 0
    else:
        for axis in range(rank):
            var extent = objects[].api.small_int(item(shape, axis))
            store(Int(extents), axis, extent)
            frame.size = min(frame.size, MOST_ELEMENTS + 1) * extent
    var made = UNUSUAL
    if 0 < frame.size <= MOST_ELEMENTS:
        made = _made(objects, operation, dtype, result, shape, frame, x, y)
    if shape != 0:
        drop(shape)
    return made


@always_inline
def is_of_few(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether functions of this operand are computed when they are called: it is a small array."""
    return (
        load(x, TYPE) == objects[].array_type
        and _computes_few(objects)
        and is_small(objects, x)
    )


@always_inline
def _computes_few(objects: ObjectsPointer) -> Bool:
    """Whether there are many steps of few elements, and nobody wants to see them."""
    return objects[].small_steps >= MANY_STEPS and _nobody_asks(objects)


@always_inline
def _nobody_asks(objects: ObjectsPointer) -> Bool:
    """Whether no transformation and no policy wants to see small steps."""
    ref state = state_at(objects[].state)[]
    return (
        load(objects[].watches, LIST_SIZE) == 0
        and objects[].deferring == 0
        and (WORK < state.threshold or WORK < state.per_step)
    )


def chain_was_computed(objects: ObjectsPointer) -> Bool:
    """Notes that a step on scalars of which one is pending is about to be recorded, after others.

    Where many such steps are pending, and little else, they are computed: True. What follows them is
    computed when it is made then, which takes a fifth of the time.
    """
    var count = load(objects[].log, LIST_SIZE)
    if count != objects[].chain_end:
        objects[].chain = 0
    objects[].chain += 1
    objects[].chain_end = count + 1
    if (
        objects[].chain <= _CHAIN
        or count > _CHAIN + _MOST_BEFORE
        or not _nobody_asks(objects)
    ):
        return False
    objects[].chain = 0
    # the next such scalar is computed when it is made
    number_was_read(objects[])
    return flush_small(state_at(objects[].state))


@always_inline
def _is_known(objects: ObjectsPointer, x: Int) -> Bool:
    return (
        not objects[].is_handle(x)
        or memory_of(objects, objects[].value_of(x)) != 0
    )


@always_inline
def _shape(objects: ObjectsPointer, x: Int, y: Int) -> Int:
    """The shape of the result, an owned reference; 0 if there is none."""
    if y == 0 or not objects[].is_handle(y):
        return kept(load(x, HANDLE_SHAPE))
    if not objects[].is_handle(x):
        return kept(load(y, HANDLE_SHAPE))
    return broadcast(load(x, HANDLE_SHAPE), load(y, HANDLE_SHAPE))


def _made(
    objects: ObjectsPointer,
    operation: Int,
    dtype: Int,
    result: Int,
    shape: Int,
    frame: Frame,
    x: Int,
    y: Int,
) -> Int:
    # before anything is looked at: to allocate may run other code
    var buffer = room_for(objects, frame.size * itemsize(result))
    if buffer == 0:
        return 0
    var rooms = Int(stack_allocation[2 * ROOM, UInt8]())
    var first = known_elements(objects, x, dtype, frame, rooms)
    var second = 0
    if y != 0 and first != 0:
        second = known_elements(objects, y, dtype, frame, rooms + ROOM)
    var target = load(buffer, BUFFER_ADDRESS)
    if (
        first == 0
        or (y != 0 and second == 0)
        or not quietly_computed(
            objects, operation, dtype, target, first, second, frame.size
        )
    ):
        drop(buffer)
        return UNUSUAL
    return array_of_buffer(objects[], result, shape, buffer)
