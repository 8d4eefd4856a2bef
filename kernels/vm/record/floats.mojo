"""Elements of float64 arrays are Python's floats, as NumPy's are: C code reads the number in the object.

So is what is calculated of them. What functions give (`x.sum()`) is none, also once it is computed:
libraries of the Array API take each float for a number of Python's, which has no namespace.

The invariant: a scalar of that type is computed, and the number in it is its element. One that is written,
or seen by a call that is being learnt, is of that type no longer.
"""

from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_NUMBER,
    HANDLE_VALUE,
    VALUE_BUFFER,
)
from vm.base.numbers import FLOAT64
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


@always_inline
def is_result(ref objects: Objects, x: Int) -> Bool:
    """Whether an operand is a scalar of float64 that is no float: then what is calculated of it is none."""
    return load(x, TYPE) == objects.kinds.unsafe_get(FLOAT64)


def be_float_again(ref objects: Objects, x: Int):
    """Makes a scalar a float that was one, if it is as it was."""
    var buffer = load(load(x, HANDLE_VALUE), VALUE_BUFFER)
    if is_result(objects, x) and load(buffer, TYPE) == objects.api.buffer_type:
        store(x, HANDLE_NUMBER, load(load(buffer, BUFFER_ADDRESS), 0))
        set_type(x, objects.float_scalar_type)


@always_inline
def be_no_float(ref objects: Objects, x: Int):
    """Makes a scalar one that is written, or watched."""
    if load(x, TYPE) == objects.float_scalar_type:
        set_type(x, objects.kinds.unsafe_get(FLOAT64))
