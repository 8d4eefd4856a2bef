"""Steps on known scalars and numbers, computed at once.

They run the function that a flush would run, on one element, so that they give the same bits.
"""

from std.ffi import external_call
from std.memory import bitcast
from std.utils.numerics import nan
from vm.base.bytecode import CONVERT, itemsize
from vm.base.errors import SCALARS, watched
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.numbers import FLOAT32, FLOAT64, bits_of
from vm.base.objects import UNUSUAL, ObjectsPointer
from vm.base.parts import convert, run_elementwise
from vm.base.raw import (
    FLOAT_VALUE,
    TYPE,
    copy_bytes,
    drop,
    int_of,
    load,
    store,
)
from vm.record.element import (
    address_of_element,
    computed_element,
    float_at,
)
from vm.record.elements import (
    COMPLEX128,
    SCALAR_ELEMENT,
    address_inside,
    is_number,
    new_scalar,
    number_was_read,
    write_complex,
)
from vm.record.floats import be_no_float, is_result, show_number
from vm.run.findings import Findings
from vm.run.look import is_critical, look, look_at_scalar
from vm.run.report import add_to_list
from structured.threads.ieee import UNDERFLOW


def computed_scalar[
    of_operator: Bool
](objects: ObjectsPointer, code: Int, result: Int, x: Int, y: Int) -> Int:
    """A scalar of the result of a step, UNUSUAL unless its operands are known; 0 if Python has raised.

    What it raises is warned of at once, as that of an operator or of a ufunc.

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
    var numbers: Array[Int, 4] = [0, 0, 0, 0]
    var room = Int(numbers.unsafe_ptr())
    var a = _operand(objects, x, dtype, room)
    var b = _operand(objects, y, dtype, room + 16) if y != 0 else a
    if a == 0 or b == 0:
        return UNUSUAL
    var made = new_scalar(objects, result)
    if made == 0:
        return 0
    var target = address_inside(objects, made)
    var done = run_elementwise(operation, dtype, target, a, b, 0, 1)
    if not done:
        drop(made)
        return UNUSUAL
    var errors = objects[].errors_of(code, 0, False)
    if errors != 0 and (
        is_critical(operation, dtype, packed >> 24 & 0xFF, a, b, target)
        or watched(errors) & UNDERFLOW != 0
    ):
        comptime if of_operator:
            errors |= SCALARS
        if not _reported(objects, code, errors, a, b, target):
            drop(made)
            return 0
    _ = numbers  # is in use until here
    if is_result(objects[], x) or y != 0 and is_result(objects[], y):
        be_no_float(objects[], made)
    else:
        show_number(objects[], made)
    return made


@no_inline
def _reported(
    objects: ObjectsPointer,
    code: Int,
    errors: Int,
    a: Int,
    b: Int,
    target: Int,
) -> Bool:
    """Has Python warn of what one element tells; False if it has raised."""
    var packed = int_of(code)
    var operation = packed & 0xFFFF
    var dtype = packed >> 16 & 0xFF
    var result = packed >> 24 & 0xFF
    var findings = Findings(watched(errors))
    if errors & SCALARS != 0:
        look_at_scalar(operation, dtype, result, a, b, target, 0, findings)
    else:
        look(operation, dtype, result, a, b, target, 1, 0, findings)
    for finding in findings.found:
        add_to_list(objects[], code, errors, 0, finding)
    if len(findings.found) == 0:
        return True
    var done = external_call["PyObject_CallNoArgs", Int](objects[].report)
    if done == 0:
        return False
    drop(done)
    return True


@always_inline
def _operand(objects: ObjectsPointer, x: Int, dtype: Int, room: Int) -> Int:
    """Where an operand's element is, of a number in the room given; 0 if it is not known."""
    var given = 0
    var address = 0
    if objects[].is_scalar(load(x, TYPE)):
        address = address_of_element(objects[], x, given)
        if address == 0:
            return 0
    elif not is_number(objects, x):
        given = objects[].scalar_dtype(load(x, TYPE))
        if given < 0:
            return 0
        address = x + SCALAR_ELEMENT
    if address != 0:
        return address if given == dtype else _converted(
            address, given, dtype, room
        )
    if dtype == COMPLEX128:
        return room if write_complex(objects, room, x) else 0
    try:
        var is_float = load(x, TYPE) == objects[].api.float_type
        store(room, 0, bits_of(x, is_float, dtype))
        return room
    except:
        return 0


@no_inline
def _converted(address: Int, given: Int, dtype: Int, room: Int) -> Int:
    """Where an element is as one of another dtype, in the room given."""
    return room if convert(given, dtype, room, address, 1) else 0


def part_of_scalar(objects: ObjectsPointer, x: Int, part: Int) -> Int:
    """The real part of a known complex scalar (0), or the imaginary part (1), as a scalar of its own.

    UNUSUAL for all else.
    """
    var dtype = 0
    var address = 0
    if objects[].learning == 0:
        address = computed_element(objects[], x, dtype)
    if address == 0 or dtype < COMPLEX64:
        return UNUSUAL
    var kind = FLOAT32 if dtype == COMPLEX64 else FLOAT64
    var made = new_scalar(objects, objects[].code_of(kind))
    if made == 0:
        return 0
    var size = itemsize(kind)
    copy_bytes(address_inside(objects, made), address + part * size, size)
    be_no_float(objects[], made)
    return made


@always_inline
def float_of(number: Int) -> Float64:
    """The value of a Python float."""
    return bitcast[DType.float64, 1](UInt64(load(number, FLOAT_VALUE)))


def divides_quietly(objects: ObjectsPointer, x: Int, y: Int) -> Bool:
    """Whether a quotient and a remainder of known numbers are plain: no division by zero, no infinity, no
    quotient near the largest number of a dtype."""
    var a = real_number(objects, x)
    var b = real_number(objects, y)
    return b != 0 and b != -1 and abs(b) < _LARGE and abs(a) < abs(b) * _LARGE


comptime _LARGE = Float64(1e38)


def compute_number(objects: ObjectsPointer, x: Int):
    """Computes a scalar whose value is asked for, if that is little work."""
    if not objects[].is_scalar(load(x, TYPE)) or objects[].learning > 0:
        return
    var dtype = 0
    if address_of_element(objects[], x, dtype) == 0 and (
        computed_element(objects[], x, dtype) != 0
    ):
        number_was_read(objects[])


@no_inline
def real_number(objects: ObjectsPointer, x: Int) -> Float64:
    """A known scalar of a real dtype but half precision, also of NumPy's, or a Python number; nan for all else."""
    var type = load(x, TYPE)
    if type == objects[].api.float_type:
        return float_of(x)
    var number = 0
    if objects[].is_scalar(type):
        var dtype = 0
        var address = address_of_element(objects[], x, dtype)
        if address != 0 and dtype < COMPLEX64 and itemsize(dtype) != 2:
            number = float_at(address, dtype)
    elif type == objects[].int_type:
        number = external_call["PyNumber_Float", Int](x)
    else:
        var dtype = objects[].scalar_dtype(type)
        if 0 <= dtype < COMPLEX64 and itemsize(dtype) != 2:
            number = float_at(x + SCALAR_ELEMENT, dtype)
    if number == 0:
        external_call["PyErr_Clear", NoneType]()
        return nan[DType.float64]()
    var value = float_of(number)
    drop(number)
    return value
