"""Reads one element of an array as a Python number."""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import (
    HANDLE_CODE,
    HANDLE_LAYOUT,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
)
from vm.base.objects import Objects, item
from vm.base.raw import ARRAY_DATA, TYPE, int_of, load, owned


@always_inline
def address_of_element(ref objects: Objects, x: Int, mut dtype: Int) -> Int:
    """Where the element of a scalar is, and its dtype code; 0 if it has to be computed.

    A pending copy of one element of a computed value is read where it will be copied from: nothing
    pending can have written there before, unless a flush is under way in another thread.
    """
    if load(x, TYPE) != objects.scalar_type or objects.running:
        return 0
    ref api = objects.api
    var value = objects.value_of(x)
    var layout = load(x, HANDLE_LAYOUT)
    var code = load(x, HANDLE_CODE)
    dtype = int_of(code)
    if load(load(value, VALUE_BUFFER), TYPE) != api.buffer_type:
        if (
            layout != api.none
            or load(value, VALUE_BUFFER) != api.none
            or int_of(load(value, VALUE_CODE))
            != int_of(item(objects.copies, dtype))
            or load(value, VALUE_LAYOUTS) == api.none
        ):
            return 0
        layout = item(load(value, VALUE_LAYOUTS), 0)
        value = item(load(value, VALUE_INPUTS), 0)
        if load(value, TYPE) != api.value_type or layout == api.none:
            return 0
        if load(load(value, VALUE_BUFFER), TYPE) != api.buffer_type:
            return 0
    var address = load(load(value, VALUE_BUFFER), api.buffer_address)
    if layout != api.none:
        address += load(layout, ARRAY_DATA) - api.region
    return address


def element_at(address: Int, code: Int) raises -> PythonObject:
    """The element of a dtype code at an address as a Python bool, int, float or complex."""
    if code == 0:
        return PythonObject(at[DType.uint8](address) != 0)
    if code == 12:
        return PythonObject(at[DType.float64](address))
    if code == 4:
        return PythonObject(Int(at[DType.int64](address)))
    if code == 8:
        return PythonObject(at[DType.uint64](address))
    comptime for k in range(6):
        comptime pair = SMALL[k]
        if code == pair[0]:
            return PythonObject(Int(at[pair[1]](address)))
    comptime for k in range(3):
        comptime pair = FLOATS[k]
        if code == pair[0]:
            return PythonObject(at[pair[1]](address).cast[DType.float64]())
    if code == 13:
        return complex_number(
            at[DType.float32](address).cast[DType.float64](),
            at[DType.float32](address + 4).cast[DType.float64](),
        )
    if code == 14:
        return complex_number(
            at[DType.float64](address), at[DType.float64](address + 8)
        )
    raise Error("no element of this dtype")


comptime SMALL: List[Tuple[Int, DType]] = [
    (1, DType.int8),
    (2, DType.int16),
    (3, DType.int32),
    (5, DType.uint8),
    (6, DType.uint16),
    (7, DType.uint32),
]
comptime FLOATS: List[Tuple[Int, DType]] = [
    (11, DType.float32),
    (9, DType.float16),
    (10, DType.bfloat16),
]


def complex_number(re: Float64, im: Float64) -> PythonObject:
    """A Python complex."""
    return owned(external_call["PyComplex_FromDoubles", Int](re, im))


@always_inline
def at[dtype: DType](address: Int) -> Scalar[dtype]:
    return Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=address
    )[]
