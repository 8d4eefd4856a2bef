"""Steps on known scalars and numbers, computed at once.

They run the function that a flush would run, on one element, so that they give the same bits.
"""

from std.ffi import external_call
from vm.base.bytecode import CONVERT, itemsize
from vm.base.numbers import FLOAT32, FLOAT64, INT64, LARGEST, bits_of
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.parts import run_elementwise
from vm.base.raw import TYPE, copy_bytes, drop, int_of, load, store
from vm.record.element import address_of_element, at, number_at
from vm.record.elements import (
    SCALAR_ELEMENT,
    address_inside,
    new_scalar,
)
from vm.record.exchange import array_of

comptime COMPLEX128 = 14


def computed_scalar(
    objects: ObjectsPointer, code: Int, result: Int, x: Int, y: Int
) -> Int:
    """A scalar of the result of a step, UNUSUAL unless its operands are known.

    Args:
        objects: What to make it with.
        code: The code of the step, as a value has it.
        result: The dtype code of the result; both are references to ints.
        x: A scalar, or a Python number that fits.
        y: Another one, or 0 if there is none.
    """
    if objects[].learning > 0:
        return UNUSUAL  # the learner must see steps
    var packed = int_of(code)
    var operation = packed & 0xFFFF
    var dtype = packed >> 16 & 0xFF
    if operation >= CONVERT:
        return UNUSUAL
    var numbers: Array[Int, 2] = [0, 0]
    var room = Int(numbers.unsafe_ptr())
    var a = _operand(objects, x, dtype, room)
    var b = _operand(objects, y, dtype, room + 8) if y != 0 else a
    if a == 0 or b == 0:
        return UNUSUAL
    var made = new_scalar(objects, result)
    if made == 0:
        return 0
    var target = address_inside(objects, made)
    var done = run_elementwise(operation, dtype, target, a, b, 0, 1)
    _ = numbers  # is in use until here
    if not done:
        drop(made)
        return UNUSUAL
    return made


def taken_over(objects: ObjectsPointer, x: Int, other: Int) -> Int:
    """A scalar or array of NumPy's as an operand beside another one; 0 for anything else.

    A scalar is a Python number beside an array of its dtype, as that is cheaper to record.
    """
    var type = load(x, TYPE)
    if type == objects[].numpy_array_type:
        var made = array_of(objects[], x, False)
        if made == 0:
            external_call["PyErr_Clear", NoneType]()  # Python raises it again
        return made if made != UNUSUAL else 0
    for dtype in range(len(objects[].scalar_types)):
        if objects[].scalar_types[dtype] == type:
            if _is_plain(objects, other, dtype, x + SCALAR_ELEMENT):
                return number_at(x + SCALAR_ELEMENT, dtype)
            var code = external_call["PyLong_FromSsize_t", Int](dtype)
            var made = new_scalar(objects, code)
            drop(code)
            if made != 0:
                var target = address_inside(objects, made)
                copy_bytes(target, x + SCALAR_ELEMENT, itemsize(dtype))
            return made
    return 0


def _is_plain(
    objects: ObjectsPointer, array: Int, dtype: Int, address: Int
) -> Bool:
    """Whether an element is a finite number that an array of its dtype takes as it is."""
    if (
        load(array, TYPE) != objects[].array_type
        or objects[].dtype(array) != dtype
    ):
        return False
    if dtype == FLOAT64:
        return abs(at[DType.float64](address)) <= LARGEST
    if dtype == FLOAT32:
        return abs(at[DType.float32](address)) <= Float32.MAX_FINITE
    return dtype == INT64


@always_inline
def _operand(objects: ObjectsPointer, x: Int, dtype: Int, room: Int) -> Int:
    """Where an operand's element is, of a number in the room given; 0 if it is not known."""
    if load(x, TYPE) == objects[].scalar_type:
        var given = 0
        var address = address_of_element(objects[], x, given)
        return address if given == dtype else 0
    if dtype == COMPLEX128:
        return 0
    try:
        var is_float = load(x, TYPE) == objects[].api.float_type
        store(room, 0, bits_of(x, is_float, dtype))
        return room
    except:
        return 0
