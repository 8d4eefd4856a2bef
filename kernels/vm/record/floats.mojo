"""Known scalars of float64 are Python's floats, as NumPy's are: C code reads the number in the object.

The invariant: a scalar of that type is computed, and the number in it is its element. So a pending scalar
becomes one where its element is asked for, and one that is written, or seen by a call that is being
learnt, is one no longer.
"""

from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_NUMBER,
    HANDLE_VALUE,
    VALUE_BUFFER,
)
from vm.base.objects import Objects
from vm.base.raw import TYPE, drop, kept, load, store


@always_inline
def set_type(object: Int, type: Int):
    """Makes a handle one of another type, whose objects have the same fields."""
    var old = load(object, TYPE)
    if old != type:
        store(object, TYPE, kept(type))
        drop(old)


@always_inline
def show_number(ref objects: Objects, scalar: Int):
    """Shows Python the number of a scalar that has just been made, and written."""
    if load(scalar, TYPE) == objects.float_scalar_type:
        var buffer = load(load(scalar, HANDLE_VALUE), VALUE_BUFFER)
        store(scalar, HANDLE_NUMBER, load(load(buffer, BUFFER_ADDRESS), 0))


def become_float(ref objects: Objects, x: Int):
    """Makes a scalar a float if it is a computed one of float64, and nobody watches what is read."""
    if (
        load(x, TYPE) != objects.scalar_type
        or load(x, HANDLE_CODE) != objects.float_code
        or load(x, HANDLE_LAYOUT) != objects.api.none
        or objects.learning > 0
        or objects.running()
    ):
        return
    var buffer = load(objects.value_of(x), VALUE_BUFFER)
    if load(buffer, TYPE) == objects.api.buffer_type:
        store(x, HANDLE_NUMBER, load(load(buffer, BUFFER_ADDRESS), 0))
        set_type(x, objects.float_scalar_type)


@always_inline
def be_no_float(ref objects: Objects, x: Int):
    """Makes a scalar one that is written, or watched."""
    if load(x, TYPE) == objects.float_scalar_type:
        set_type(x, objects.scalar_type)
