"""Small arrays of zeros or ones, and small ranges of numbers, which are made at once."""

from std.ffi import external_call
from std.math import ceil
from std.utils.numerics import nan
from vm.base.bytecode import itemsize
from vm.base.fields import BUFFER_ADDRESS, HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.numbers import FLOAT64, INT64, bits_of
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    ARRAY_FLAGS,
    IN_C_ORDER,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    drop,
    fill_bytes,
    kept,
    load,
    store,
)
from vm.calls.arguments import is_named
from vm.base.tuples import integers
from vm.record.elements import COMPLEX128, array_of_buffer, room_for
from vm.record.scalars import real_number
from vm.record.taking_over import shared
from vm.run.frame import fill_elements

comptime MOST_BYTES = 1 << 15
"""Memory of the largest array that is made at once: of larger ones writing is left to the steps that read them."""
comptime MOST_AXES = 8


def created(
    objects: ObjectsPointer, args: Int, count: Int, names: Int, number: Int
) -> Int:
    """An array of a number, given a shape and maybe a dtype; UNUSUAL for other arguments.

    The number is 0 or 1.
    """
    if objects[].learning > 0:
        return UNUSUAL
    var code = FLOAT64
    if count != 1 or names != 0:
        code = dtype_given(objects, args, count, names, FLOAT64)
        if code < 0:
            return UNUSUAL
    if code == COMPLEX128 and number != 0:
        return UNUSUAL
    var shape = _shape(objects, load(args, 0))
    if shape == 0:
        return UNUSUAL
    var nbytes = _bytes_of(objects, code, shape)
    var made = UNUSUAL
    if 0 < nbytes <= MOST_BYTES:
        made = _made(objects, code, shape, nbytes, number)
    drop(shape)
    return made


comptime FromBuffer = def(
    buffer: Int, dtype: Int, count: Int, offset: Int
) thin abi("C") -> Int
comptime FROM_BUFFER = 74
"""Its place in the table of NumPy's C API."""


def over_buffer(
    objects: ObjectsPointer, args: Int, count: Int, names: Int
) -> Int:
    """An array over all memory of a buffer, with a dtype or that of floats; UNUSUAL for other arguments."""
    var code = FLOAT64
    if count != 1 or names != 0:
        code = dtype_given(objects, args, count, names, FLOAT64)
    if code < 0 or objects[].learning > 0:
        return UNUSUAL
    var make = load(objects[].numpy, FROM_BUFFER)
    var given = Pointer(to=make).unsafe_bitcast[FromBuffer]()[](
        load(args, 0), kept(objects[].api.dtypes[code]), -1, 0
    )
    if given == 0:
        return 0
    var made = shared(objects, given)
    drop(given)
    return made


def created_like(
    objects: ObjectsPointer, args: Int, count: Int, names: Int, number: Int
) -> Int:
    """An array of a number, with the shape of a small array in C order, and its dtype unless one is given.

    UNUSUAL for other arguments.
    """
    var x = load(args, 0)
    if load(x, TYPE) != objects[].array_type or objects[].learning > 0:
        return UNUSUAL
    var layout = load(x, HANDLE_LAYOUT)
    if (
        layout != objects[].api.none
        and load(layout, ARRAY_FLAGS) & IN_C_ORDER == 0
    ):
        return UNUSUAL
    var code = objects[].dtype(x)
    if count != 1 or names != 0:
        code = dtype_given(objects, args, count, names, code)
    if code < 0 or (code == COMPLEX128 and number != 0):
        return UNUSUAL
    var shape = load(x, HANDLE_SHAPE)
    var nbytes = _bytes_of(objects, code, shape)
    if not 0 < nbytes <= MOST_BYTES or load(shape, TUPLE_SIZE) == 0:
        return UNUSUAL
    return _made(objects, code, shape, nbytes, number)


def _bytes_of(objects: ObjectsPointer, code: Int, shape: Int) -> Int:
    """The memory of an array of a dtype and a shape, or more than is made here."""
    var nbytes = itemsize(code)
    for axis in range(load(shape, TUPLE_SIZE)):
        var extent = _extent(objects, item(shape, axis))
        nbytes = min(nbytes, MOST_BYTES + 1) * extent
    return nbytes


def _made(
    objects: ObjectsPointer, code: Int, shape: Int, nbytes: Int, number: Int
) -> Int:
    var buffer = room_for(objects, nbytes)
    if buffer == 0:
        return 0
    var address = load(buffer, BUFFER_ADDRESS)
    if number == 0:
        fill_bytes(address, 0, nbytes)
    else:
        try:
            var bits = bits_of(objects[].one, False, code)
            fill_elements(address, bits, code, nbytes // itemsize(code))
        except:
            drop(buffer)
            return UNUSUAL
    return array_of_buffer(objects[], code, shape, buffer)


def ranged(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`arange` of one to three numbers; UNUSUAL for other arguments, and for what is empty or large."""
    if objects[].learning > 0 or names != 0 or not 1 <= count <= 3:
        return UNUSUAL
    for k in range(count):
        if load(load(args, k), TYPE) == objects[].api.float_type:
            return _ranged_floats(objects, args, count)
    var numbers: Array[Int, 3] = [0, 0, 1]
    for k in range(count):
        var place = 1 if count == 1 else k
        if not _is_moderate(objects, load(args, k), numbers[place]):
            return UNUSUAL
    var start = numbers[0]
    var step = numbers[2]
    if step == 0:
        return UNUSUAL
    var length = -((start - numbers[1]) // step)
    if not 0 < length <= MOST_BYTES // 8:
        return UNUSUAL
    var buffer = room_for(objects, 8 * length)
    if buffer == 0:
        return 0
    var target = load(buffer, BUFFER_ADDRESS)
    for k in range(length):
        store(target, k, start + k * step)
    var shape = integers([length])
    var made = array_of_buffer(objects[], INT64, shape, buffer)
    drop(shape)
    return made


comptime _EXACT = 1 << 53
"""Up to here integers are floats."""
comptime _MOST_FLOATS = 1 << 13
"""The longest range of floats that is made at once: to record it, and to learn that, costs more than to write them."""


def _ranged_floats(objects: ObjectsPointer, args: Int, count: Int) -> Int:
    """The same of floats, or ints among them: `start + k * delta`, of which the second is `start + step`."""
    var numbers: Array[Float64, 3] = [0, 0, 1]
    for k in range(count):
        var given = load(args, k)
        var type = load(given, TYPE)
        if type != objects[].api.float_type and type != objects[].int_type:
            return UNUSUAL
        var number = external_call["PyFloat_AsDouble", Float64](given)
        if not abs(number) < Float64(_EXACT):
            external_call["PyErr_Clear", NoneType]()  # of an int too large
            return UNUSUAL
        numbers[1 if count == 1 else k] = number
    var start = numbers[0]
    var second = start + numbers[2]
    var quotient = (numbers[1] - start) / numbers[2]
    if not (quotient > 0 and quotient <= Float64(_MOST_FLOATS)):
        return UNUSUAL
    var length = Int(ceil(quotient))
    var buffer = room_for(objects, 8 * length)
    if buffer == 0:
        return 0
    var target = _Floats(unsafe_from_address=load(buffer, BUFFER_ADDRESS))
    var delta = second - start
    for k in range(length):
        target[k] = start + Float64(k) * delta
    target[0] = start
    if length > 1:
        target[1] = second
    var shape = integers([length])
    var made = array_of_buffer(objects[], FLOAT64, shape, buffer)
    drop(shape)
    return made


comptime _Floats = Pointer[Float64, MutUntrackedOrigin]


def spaced(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`linspace` of two numbers, maybe how many, and whether the last one is among them; UNUSUAL for other
    arguments, and for what is empty or large, or of which is to be warned."""
    if objects[].learning > 0 or not 2 <= count <= 4:
        return UNUSUAL
    var length = 50
    var has_end = True
    if count > 2 and not _is_moderate(objects, load(args, 2), length):
        return UNUSUAL
    if count > 3 and not _is_flag(objects, load(args, 3), has_end):
        return UNUSUAL
    var named = load(names, TUPLE_SIZE) if names != 0 else 0
    for k in range(named):
        var given = load(args, count + k)
        var known = False
        if is_named(item(names, k), "num\0"):
            known = _is_moderate(objects, given, length)
        elif is_named(item(names, k), "endpoint\0"):
            known = _is_flag(objects, given, has_end)
        if not known:
            return UNUSUAL
    if not 0 < length <= _MOST_FLOATS:
        return UNUSUAL
    var start = _end(objects, load(args, 0))
    var stop = _end(objects, load(args, 1))
    var delta = stop - start
    var parts = Float64(length - Int(has_end))
    var step = delta / max(parts, 1)
    # also of what is no number, which is nan
    if not (abs(delta) <= Float64.MAX_FINITE) or (step == 0 and delta != 0):
        return UNUSUAL
    var buffer = room_for(objects, 8 * length)
    if buffer == 0:
        return 0
    var target = _Floats(unsafe_from_address=load(buffer, BUFFER_ADDRESS))
    for k in range(length):
        target[k] = Float64(k) * step + start
    if has_end and length > 1:
        target[length - 1] = stop
    var shape = integers([length])
    var made = array_of_buffer(objects[], FLOAT64, shape, buffer)
    drop(shape)
    return made


def _end(objects: ObjectsPointer, x: Int) -> Float64:
    """A number that counts as one of float64; nan for all else."""
    var type = load(x, TYPE)
    var number = 0
    if type == objects[].int_type and not _is_moderate(objects, x, number):
        return nan[DType.float64]()  # NumPy makes an object of some
    if type != objects[].api.float_type and type != objects[].int_type:
        var is_ours = objects[].is_scalar(type)
        var dtype = objects[].scalar_dtype(type)
        if is_ours:
            dtype = objects[].dtype(x)
        if dtype != FLOAT64 and dtype != INT64:
            return nan[DType.float64]()
    return real_number(objects, x)


def _is_flag(objects: ObjectsPointer, given: Int, mut flag: Bool) -> Bool:
    """Reads a truth value of Python's; whether it is one."""
    flag = given == objects[].yes
    return flag or given == objects[].no


def _is_moderate(objects: ObjectsPointer, given: Int, mut number: Int) -> Bool:
    """Reads an int; whether it is one with which nothing overflows."""
    if load(given, TYPE) != objects[].int_type:
        return False
    var overflow = Int32(0)
    number = external_call["PyLong_AsLongLongAndOverflow", Int](
        given, Pointer(to=overflow)
    )
    return overflow == 0 and -_MODERATE < number < _MODERATE


comptime _MODERATE = 1 << 60


@always_inline
def dtype_given(
    objects: ObjectsPointer, args: Int, count: Int, names: Int, usual: Int = -1
) -> Int:
    """The code of a dtype that is the second argument, and last, the usual one for None; else -1."""
    if names != 0:
        if (
            count != 1
            or load(names, TUPLE_SIZE) != 1
            or item(names, 0) != objects[].dtype_name
        ):
            return -1
    elif count != 2:
        return -1
    var dtype = load(args, 1)
    return usual if dtype == objects[].api.none else code_of_dtype(
        objects, dtype
    )


@always_inline
def code_of_dtype(objects: ObjectsPointer, dtype: Int) -> Int:
    """The code of a dtype, or of what stands for one; -1 for what is not among the usual ones."""
    var found = external_call["PyDict_GetItem", Int](
        objects[].dtype_codes, dtype
    )
    return objects[].api.small_int(found) if found != 0 else -1


def _shape(objects: ObjectsPointer, given: Int) -> Int:
    """A shape as a tuple of ints, a new reference; 0 for anything else."""
    if load(given, TYPE) == objects[].int_type:
        var made = external_call["PyTuple_New", Int](Int(1))
        store(made, TUPLE_ITEMS, kept(given))
        return made
    if (
        load(given, TYPE) != objects[].tuple_type
        or not 1 <= load(given, TUPLE_SIZE) <= MOST_AXES
    ):
        return 0
    for axis in range(load(given, TUPLE_SIZE)):
        if load(item(given, axis), TYPE) != objects[].int_type:
            return 0
    return kept(given)


@always_inline
def _extent(objects: ObjectsPointer, length: Int) -> Int:
    """A length; one that is too large for anything stays too large, and one that is negative 0."""
    return max(0, min(objects[].api.small_int(length), MOST_BYTES + 1))
