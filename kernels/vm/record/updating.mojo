"""`x += y` and other functions that write to an array, computed at once: where what they read is known,
and the array small and seen by nobody else.

To record such a step, and to plan it, takes longer than to do it. A few pending steps are computed first.
"""

from std.memory import stack_allocation
from vm.base.bytecode import CONVERT, itemsize
from vm.base.fields import HANDLE_BASE, HANDLE_VALUE
from vm.base.objects import ObjectsPointer
from vm.base.raw import LIST_SIZE, load
from vm.record.elements import OF_A_STATEMENT, forget_limits, own_memory
from vm.record.few import compute_few, known_elements, quietly_computed
from vm.record.layouts import AXES, Lie
from vm.run.frame import ROOM, Frame, write_elements
from vm.run.look import is_silent


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
    compute_few(objects, x, OF_A_STATEMENT)
    if y != 0:
        compute_few(objects, y, OF_A_STATEMENT)
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
    var first = known_elements(objects, x, dtype, frame, rooms)
    var second = 0
    if y != 0:
        second = known_elements(objects, y, dtype, frame, rooms + ROOM)
    var made = rooms + 2 * ROOM
    if (
        first == 0
        or (y != 0 and second == 0)
        or not quietly_computed(
            objects, operation, dtype, made, first, second, frame.size
        )
    ):
        return False
    var size = itemsize(result)
    var there = memory + lie.data - objects[].api.region
    write_elements(frame, lie.strides, there, made, size, size)
    forget_limits(load(base, HANDLE_VALUE))
    return True
