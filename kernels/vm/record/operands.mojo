"""What is no array or scalar of ours, as an operand: numbers, lists, NumPy's arrays and scalars."""

from std.ffi import external_call
from std.memory import bitcast
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.bytecode import itemsize
from vm.base.numbers import (
    BOOL,
    FIRST_FLOAT,
    FLOAT32,
    FLOAT64,
    INT64,
    LARGEST,
)
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    COMPLEX_VALUE,
    FLOAT_VALUE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    kept,
    load,
    store,
)
from vm.record.element import at, number_at
from vm.record.elements import (
    COMPLEX128,
    SCALAR_ELEMENT,
    address_inside,
    new_scalar,
)
from vm.record.exchange import ANY, array_of, is_sequence
from vm.record.floats import show_number


def taken_over(objects: ObjectsPointer, x: Int, other: Int) -> Int:
    """A scalar or array of NumPy's, or a complex number, as an operand beside another one; 0 for anything else.

    A scalar is a Python number beside an array of its dtype, as that is cheaper to record.
    """
    var type = load(x, TYPE)
    if type == objects[].numpy_array_type:
        return _made_or_none(array_of(objects, x, False))
    if type == objects[].complex_type:
        return _complex_beside(objects, x, other)
    var dtype = objects[].scalar_dtype(type)
    if dtype < 0:
        return 0
    if _is_plain(objects, other, dtype, x + SCALAR_ELEMENT):
        return number_at(x + SCALAR_ELEMENT, dtype)
    var bits: Array[Int, 2] = [0, 0]
    copy_bytes(Int(bits.unsafe_ptr()), x + SCALAR_ELEMENT, itemsize(dtype))
    return _scalar(objects, dtype, bits[0], bits[1])


def _complex_beside(objects: ObjectsPointer, x: Int, array: Int) -> Int:
    """A complex number as a scalar of the dtype that it has beside an array; 0 where it is too large for it."""
    if load(array, TYPE) != objects[].array_type:
        return 0
    var real = load(x, COMPLEX_VALUE)
    var imaginary = load(x, COMPLEX_VALUE + 1)
    var dtype = objects[].dtype(array)
    if dtype < FIRST_FLOAT or dtype == FLOAT64 or dtype == COMPLEX128:
        return _scalar(objects, COMPLEX128, real, imaginary)
    if not (_is_single(real) and _is_single(imaginary)):
        return 0
    var parts: Array[Float32, 2] = [
        _float_of(real).cast[DType.float32](),
        _float_of(imaginary).cast[DType.float32](),
    ]
    var bits = load(Int(parts.unsafe_ptr()), 0)
    _ = parts  # is in use until here
    return _scalar(objects, COMPLEX64, bits)


@always_inline
def _is_single(bits: Int) -> Bool:
    """Whether a number stays finite in single precision."""
    return abs(_float_of(bits)) <= Float64(Float32.MAX_FINITE)


@always_inline
def _float_of(bits: Int) -> Float64:
    return bitcast[DType.float64, 1](Int64(bits))


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


def operand_of(objects: ObjectsPointer, x: Int) -> Int:
    """A new scalar of a number, or a new array of a list of numbers or of NumPy's; 0 for anything else.

    Python has raised nothing.
    """
    if is_sequence(objects[], x):
        return _made_or_none(array_of(objects, x, False))
    var type = load(x, TYPE)
    if type == objects[].api.float_type:
        return _scalar(objects, FLOAT64, load(x, FLOAT_VALUE))
    if type == objects[].complex_type:
        var real = load(x, COMPLEX_VALUE)
        return _scalar(objects, COMPLEX128, real, load(x, COMPLEX_VALUE + 1))
    if type == objects[].int_type or type == objects[].bool_type:
        var overflow = Int32(0)
        var value = external_call["PyLong_AsLongLongAndOverflow", Int](
            x, Pointer(to=overflow)
        )
        if overflow != 0:
            return 0
        var dtype = INT64 if type == objects[].int_type else BOOL
        return _scalar(objects, dtype, value)
    return taken_over(objects, x, objects[].api.none)


def array_of_list(objects: ObjectsPointer, x: Int, dtype: Int = ANY) -> Int:
    """A new array of a list or tuple of numbers, of the dtype that is wanted; 0 for anything else.

    Python has raised nothing.
    """
    if not is_sequence(objects[], x) or objects[].learning > 0:
        return 0  # who learns must see what is made of the list
    return _made_or_none(array_of(objects, x, False, dtype))


def array_given(objects: ObjectsPointer, x: Int, dtype: Int = ANY) -> Int:
    """An array of ours, or a new one of a list or tuple of numbers, a new reference; 0 for anything else.

    A list gives one of the dtype that is wanted.
    """
    if load(x, TYPE) == objects[].array_type:
        return kept(x)
    return array_of_list(objects, x, dtype)


def _made_or_none(made: Int) -> Int:
    """What was made; 0 for what is unusual, or wrong: Python raises it again."""
    if made == 0:
        external_call["PyErr_Clear", NoneType]()
    return made if made != UNUSUAL else 0


def with_arrays(objects: ObjectsPointer, key: Int) -> Int:
    """A key with arrays in place of its lists and NumPy's arrays, a new reference; 0 for one that is neither, and no tuple."""
    if load(key, TYPE) != objects[].tuple_type:
        return operand_of(objects, key)
    var made = external_call["PyTuple_New", Int](load(key, TUPLE_SIZE))
    for k in range(load(key, TUPLE_SIZE)):
        var part = item(key, k)
        var type = load(part, TYPE)
        var array = 0
        if type == objects[].list_type or type == objects[].numpy_array_type:
            array = operand_of(objects, part)
        store(made, TUPLE_ITEMS + k, array if array != 0 else kept(part))
    return made


def key_of_arrays(objects: ObjectsPointer, key: Int) -> Int:
    """An index with arrays in place of lists of ints in it, a new reference: one transcript is for all of them."""
    if load(key, TYPE) != objects[].tuple_type or objects[].learning > 0:
        return kept(key)
    var count = load(key, TUPLE_SIZE)
    var has_lists = False
    for k in range(count):
        if load(item(key, k), TYPE) == objects[].list_type:
            has_lists = True
    if not has_lists:
        return kept(key)
    var made = external_call["PyTuple_New", Int](count)
    for k in range(count):
        var part = item(key, k)
        var array = 0
        if load(part, TYPE) == objects[].list_type:
            array = operand_of(objects, part)
            if array != 0 and objects[].dtype(array) != INT64:
                drop(array)
                array = 0
        store(made, TUPLE_ITEMS + k, array if array != 0 else kept(part))
    return made


def _scalar(
    objects: ObjectsPointer, dtype: Int, bits: Int, more: Int = 0
) -> Int:
    """A scalar of an element of these bits; 0 without memory."""
    var code = external_call["PyLong_FromSsize_t", Int](dtype)
    var made = new_scalar(objects, code)
    drop(code)
    if made != 0:
        store(address_inside(objects, made), 0, bits)
        store(address_inside(objects, made), 1, more)
        show_number(objects[], made)
    return made
