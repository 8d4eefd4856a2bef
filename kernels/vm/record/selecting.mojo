"""`x[mask] = 1.5` where the mask is pending, or large: the number is selected where the mask is true.

That is a step on elements, which groups and loops take, and the number is an operand of it.
"""

from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
)
from vm.base.numbers import BOOL, FIRST_FLOAT, float_fits, int_fits
from vm.base.objects import UNUSUAL, ObjectsPointer, item, same_shape, triple
from vm.base.raw import TYPE, drop, kept, load
from vm.record.pinning import bind
from vm.record.record import write_part


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
    if not _is_held(objects, dtype, y):
        return UNUSUAL
    var layout = load(x, HANDLE_LAYOUT)
    var value = objects[].new_value(
        item(objects[].selects, dtype),
        load(x, HANDLE_SHAPE),
        triple(objects[].value_of(key), objects[].value_of(x), y),
        triple(load(key, HANDLE_LAYOUT), layout, none),
    )
    if value == 0:
        return 0
    if base != none:
        var is_written = write_part(objects, base, code, value, layout, none)
        return kept(none) if is_written else 0
    var is_bound = bind(objects, x, value)
    drop(value)
    return kept(none) if is_bound else 0


@always_inline
def _is_held(objects: ObjectsPointer, dtype: Int, y: Int) -> Bool:
    """Whether this is a Python number that an array of a dtype holds."""
    var type = load(y, TYPE)
    if type == objects[].api.float_type:
        return dtype >= FIRST_FLOAT and float_fits(y, dtype)
    if type == objects[].bool_type:
        return dtype == BOOL
    return type == objects[].int_type and int_fits(y, dtype)
