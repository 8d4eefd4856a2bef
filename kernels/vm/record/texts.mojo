"""What `str` and `repr` give of scalars that are truth values, integers or float64: without NumPy.

Of these NumPy's texts are Python's, unless it prints as an old release did. All else is NumPy's to print.
"""

from std.ffi import external_call
from vm.base.numbers import BOOL, FLOAT64, UINT64
from vm.base.objects import UNUSUAL, Objects
from vm.base.raw import TYPE, TYPE_NAME, copy_bytes, drop, is_text, load
from vm.record.element import (
    at,
    computed_element,
    int_at,
    integer_at,
    truth_at,
)
from vm.record.elements import number_was_read

comptime _LAST_INTEGER = 8
"""The dtype codes from 1 to this one are those of integers."""
comptime _ADD_DOT_ZERO = Int32(2)
"""Whole floats have a fraction of zero in their texts."""

comptime _PACKAGE = 6
"""The letters of `numpy.`, with which the names of its types begin."""


def text_of[represents: Bool](mut objects: Objects, x: Int) -> Int:
    """`str(x)`, or `repr(x)`, of a scalar; UNUSUAL for what Python must look at."""
    if objects.learning > 0 or not objects.is_scalar(load(x, TYPE)):
        return UNUSUAL
    var dtype = objects.dtype(x)
    if not (dtype <= _LAST_INTEGER or dtype == FLOAT64):
        return UNUSUAL
    if not _prints_as_usual(objects):
        return UNUSUAL
    var address = computed_element(objects, x, dtype)
    if address == 0:
        return UNUSUAL
    number_was_read(objects)
    var letters = _letters(objects, address, dtype)
    comptime if represents:
        letters = _represented(objects, letters, dtype)
    return _unicode(letters)


def integer_as_text(mut objects: Objects, x: Int, form: Int) -> Int:
    """`format(x, form)` of an integer scalar, as of Python's int; UNUSUAL for all else."""
    if objects.learning > 0 or not objects.is_scalar(load(x, TYPE)):
        return UNUSUAL
    if not is_text(form):
        return UNUSUAL
    var dtype = objects.dtype(x)
    if dtype == BOOL or dtype > _LAST_INTEGER:
        return UNUSUAL
    var address = computed_element(objects, x, dtype)
    if address == 0:
        return UNUSUAL
    number_was_read(objects)
    var number = int_at(address, dtype)
    if number == 0:
        return 0
    var made = external_call["PyObject_Format", Int](number, form)
    drop(number)
    return made


def _prints_as_usual(ref objects: Objects) -> Bool:
    """Whether NumPy's print options ask for no release's texts but those of the newest."""
    var options = 0
    var failed = external_call["PyContextVar_Get", Int32](
        objects.print_options, Int(0), Pointer(to=options)
    )
    if failed != 0 or options == 0:
        external_call["PyErr_Clear", NoneType]()
        return False
    var release = external_call["PyDict_GetItem", Int](
        options, objects.legacy_name
    )
    drop(options)  # the context holds them
    return release == objects.newest


def _letters(ref objects: Objects, address: Int, dtype: Int) -> String:
    if dtype == BOOL:
        return String("True") if truth_at(address, dtype) else String("False")
    if dtype == FLOAT64:
        return _letters_of_float(at[DType.float64](address))
    if dtype == UINT64:
        return String(at[DType.uint64](address))
    return String(integer_at(address, dtype))


def _letters_of_float(value: Float64) -> String:
    """The shortest ones that give the number back."""
    var letters = external_call["PyOS_double_to_string", Int](
        value, Int8(ord("r")), Int32(0), _ADD_DOT_ZERO, Int(0)
    )
    var made = _string_at(letters)
    external_call["PyMem_Free", NoneType](letters)
    return made


def _represented(ref objects: Objects, letters: String, dtype: Int) -> String:
    """Such as `np.int64(3)` or `np.True_`."""
    if dtype == BOOL:
        return String("np.", letters, "_")
    var type = _string_at(load(objects.scalar_types[dtype], TYPE_NAME))
    return String("np.", type[byte=_PACKAGE:], "(", letters, ")")


def _string_at(letters: Int) -> String:
    """A C string."""
    var count = external_call["strlen", Int](letters)
    var bytes = List[UInt8](length=count, fill=0)
    copy_bytes(Int(bytes.unsafe_ptr()), letters, count)
    return String(unsafe_from_utf8=bytes)


def _unicode(letters: String) -> Int:
    return external_call["PyUnicode_FromStringAndSize", Int](
        Int(letters.unsafe_ptr()), letters.byte_length()
    )
