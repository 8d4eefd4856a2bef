"""`x[mask] = 1.5` where the mask is pending, or large: the number is selected where the mask is true.

That is a step on elements, which groups and loops take, and the number is an operand of it.
"""

from std.ffi import external_call
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
)
from vm.base.numbers import BOOL, FIRST_FLOAT, FLOAT32, FLOAT64, integer_fits
from vm.base.objects import UNUSUAL, ObjectsPointer, item, same_shape, triple
from vm.base.raw import TYPE, drop, kept, load
from vm.record.pinning import bind
from vm.record.record import write_part
from vm.record.scalars import float_of

comptime _LARGEST = 3.4e38
"""Numbers up to here are finite as float32."""


def set_number(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Int:
    """Records a write of a Python number to where a mask of the shape of an array is true.

    None, a new reference; 0 if Python has raised; UNUSUAL where that is left to Python.
    """
    var none = objects[].api.none
    if (
        load(x, TYPE) != objects[].array_type
        or load(x, HANDLE_READONLY) != objects[].no
        or objects[].as_python()
        or objects[].learning > 0
        or not same_shape(load(x, HANDLE_SHAPE), load(key, HANDLE_SHAPE))
    ):
        return UNUSUAL
    var base = load(x, HANDLE_BASE)
    var code = load(x, HANDLE_CODE)
    if base != none and load(base, HANDLE_CODE) != code:
        return UNUSUAL
    var dtype = objects[].dtype(x)
    var number = _held(objects, dtype, y)
    if number == 0:
        return UNUSUAL
    var layout = load(x, HANDLE_LAYOUT)
    var value = objects[].new_value(
        item(objects[].selects, dtype),
        load(x, HANDLE_SHAPE),
        triple(objects[].value_of(key), objects[].value_of(x), number),
        triple(load(key, HANDLE_LAYOUT), layout, none),
    )
    drop(number)
    if value == 0:
        return 0
    if base != none:
        var is_written = write_part(objects, base, code, value, layout, none)
        return kept(none) if is_written else 0
    var is_bound = bind(objects, x, value)
    drop(value)
    return kept(none) if is_bound else 0


def _held(objects: ObjectsPointer, dtype: Int, y: Int) -> Int:
    """A Python number as an array of a dtype holds it, a new reference; 0 if it is none that it holds."""
    var type = load(y, TYPE)
    if type == objects[].bool_type:
        return kept(y) if dtype == BOOL else 0
    if type == objects[].api.float_type:
        if dtype == FLOAT64:
            return kept(y)
        return (
            kept(y) if dtype == FLOAT32 and abs(float_of(y)) < _LARGEST else 0
        )
    if type != objects[].int_type or dtype == BOOL:
        return 0
    var overflow = Int32(0)
    var found = external_call["PyLong_AsLongLongAndOverflow", Int](
        y, Pointer(to=overflow)
    )
    if overflow != 0:
        return 0
    if dtype < FIRST_FLOAT:
        return kept(y) if integer_fits(found, dtype) else 0
    if dtype != FLOAT32 and dtype != FLOAT64:
        return 0
    return external_call["PyFloat_FromDouble", Int](Float64(found))
