"""Reads one element of an array as a Python number."""

from std.ffi import external_call
from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_SHAPE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
)
from vm.base.objects import Objects, item
from vm.base.raw import ARRAY_DATA, TUPLE_SIZE, TYPE, drop, int_of, kept, load
from vm.run.flush import computed

comptime BFLOAT16 = 10


@always_inline
def _has_one[with_axes: Bool](ref objects: Objects, x: Int) -> Bool:
    """Whether a handle has one element, and no axes unless these are allowed."""
    if not objects.is_handle(x):
        return False
    var shape = load(x, HANDLE_SHAPE)
    comptime if with_axes:
        for axis in range(load(shape, TUPLE_SIZE)):
            if objects.api.small_int(item(shape, axis)) != 1:
                return False
        return True
    return load(shape, TUPLE_SIZE) == 0


@always_inline
def address_of_element[
    with_axes: Bool = False
](ref objects: Objects, x: Int, mut dtype: Int) -> Int:
    """Where the element of a handle is, without axes unless these are allowed, and its dtype code; 0 if it
    is not computed.

    A pending copy of one element of a computed value is read where it will be copied from: nothing
    pending can have written there before, unless a flush is under way in another thread.
    """
    if not _has_one[with_axes](objects, x):
        return 0
    ref api = objects.api
    var value = objects.value_of(x)
    var layout = load(x, HANDLE_LAYOUT)
    dtype = int_of(load(x, HANDLE_CODE))
    if load(load(value, VALUE_BUFFER), TYPE) != api.buffer_type:
        if (
            layout != api.none
            or load(value, VALUE_BUFFER) != api.none
            or int_of(load(value, VALUE_CODE))
            != int_of(item(objects.copies, dtype))
            or load(value, VALUE_LAYOUTS) == api.none
            or objects.running()
        ):
            return 0
        layout = item(load(value, VALUE_LAYOUTS), 0)
        value = item(load(value, VALUE_INPUTS), 0)
        if load(value, TYPE) != api.value_type or layout == api.none:
            return 0
        if load(load(value, VALUE_BUFFER), TYPE) != api.buffer_type:
            return 0
    return start_of(objects, load(value, VALUE_BUFFER), layout)


def computed_element[
    with_axes: Bool = False
](ref objects: Objects, x: Int, mut dtype: Int) -> Int:
    """The same, computed now if that is little work; the handle keeps the memory."""
    var found = address_of_element[with_axes](objects, x, dtype)
    if found != 0:
        return found
    if not _has_one[with_axes](objects, x):
        return 0
    var value = kept(objects.value_of(x))
    var buffer = computed(objects, value)
    # a finalizer may have written to the array
    if buffer != 0 and objects.value_of(x) == value:
        found = start_of(objects, buffer, load(x, HANDLE_LAYOUT))
    drop(value)
    return found


@always_inline
def start_of(ref objects: Objects, buffer: Int, layout: Int) -> Int:
    """Where the elements of a buffer begin that a layout sees, None all of them."""
    var address = load(buffer, BUFFER_ADDRESS)
    if layout != objects.api.none:
        address += load(layout, ARRAY_DATA) - objects.api.region
    return address


# -- elements as Python numbers: new references, 0 where Python has raised


@always_inline
def object_at[dtype: DType](address: Int) -> Int:
    """The element at an address as a Python bool, int or float."""
    comptime if dtype == DType.bool:
        var truth = Int(at[DType.uint8](address) != 0)
        return external_call["PyBool_FromLong", Int](truth)
    elif dtype == DType.uint64:
        return external_call["PyLong_FromUnsignedLongLong", Int](
            at[dtype](address)
        )
    elif dtype.is_integral():
        return external_call["PyLong_FromSsize_t", Int](Int(at[dtype](address)))
    else:
        return external_call["PyFloat_FromDouble", Int](
            at[dtype](address).cast[DType.float64]()
        )


@always_inline
def complex_at[part: DType](address: Int) -> Int:
    """The element at an address, two numbers, as a Python complex."""
    comptime size = 4 if part == DType.float32 else 8
    return external_call["PyComplex_FromDoubles", Int](
        at[part](address).cast[DType.float64](),
        at[part](address + size).cast[DType.float64](),
    )


comptime REAL: List[Tuple[Int, DType]] = [
    (0, DType.bool),
    (12, DType.float64),
    (4, DType.int64),
    (11, DType.float32),
    (3, DType.int32),
    (1, DType.int8),
    (2, DType.int16),
    (5, DType.uint8),
    (6, DType.uint16),
    (7, DType.uint32),
    (8, DType.uint64),
    (9, DType.float16),
    (BFLOAT16, DType.bfloat16),
]
"""Codes of real dtypes, the most frequent ones first."""
comptime COMPLEX: List[Tuple[Int, DType]] = [
    (14, DType.float64),
    (13, DType.float32),
]
"""Codes of complex dtypes, and the dtypes of their parts."""


def number_at(address: Int, code: Int) -> Int:
    """The element of a dtype code at an address as a Python bool, int, float or complex."""
    comptime for k in range(len(REAL)):
        comptime pair = REAL[k]
        if code == pair[0]:
            return object_at[pair[1]](address)
    comptime for k in range(len(COMPLEX)):
        comptime pair = COMPLEX[k]
        if code == pair[0]:
            return complex_at[pair[1]](address)
    _ = external_call["PyErr_BadArgument", Int32]()
    return 0


def float_at(address: Int, code: Int) -> Int:
    """A real element as a Python float; 0 (not raised) for a complex one."""
    comptime for k in range(len(REAL)):
        comptime pair = REAL[k]
        if code == pair[0]:
            return external_call["PyFloat_FromDouble", Int](
                number[pair[1]](address).cast[DType.float64]()
            )
    return 0


def int_at(address: Int, code: Int) -> Int:
    """A real element as a Python int, which nan and inf have not; 0 for a complex one.

    Only in the first case has Python raised.
    """
    comptime for k in range(len(REAL)):
        comptime pair = REAL[k]
        if code == pair[0]:
            comptime if pair[1].is_floating_point():
                return external_call["PyLong_FromDouble", Int](
                    at[pair[1]](address).cast[DType.float64]()
                )
            elif code_is_bool(pair[0]):
                return external_call["PyLong_FromSsize_t", Int](
                    Int(number[pair[1]](address))
                )
            else:
                return object_at[pair[1]](address)
    return 0


def integer_at(address: Int, code: Int) -> Int:
    """An element of integers that 64 bits with sign hold."""
    comptime for k in range(len(REAL)):
        comptime pair = REAL[k]
        comptime if pair[1].is_integral():
            if code == pair[0]:
                return Int(number[pair[1]](address))
    return 0


def truth_at(address: Int, code: Int) -> Bool:
    """Whether an element is not 0."""
    comptime for k in range(len(REAL)):
        comptime pair = REAL[k]
        if code == pair[0]:
            comptime kind = DType.uint8 if code_is_bool(pair[0]) else pair[1]
            return at[kind](address) != 0
    comptime for k in range(len(COMPLEX)):
        comptime pair = COMPLEX[k]
        if code == pair[0]:
            comptime size = 4 if pair[1] == DType.float32 else 8
            return at[pair[1]](address) != 0 or at[pair[1]](address + size) != 0
    return True


def code_is_bool(code: Int) -> Bool:
    return code == 0


comptime as_number[dtype: DType] = DType.uint8 if dtype == DType.bool else dtype


@always_inline
def number[dtype: DType](address: Int) -> Scalar[as_number[dtype]]:
    """The element at an address as a number: of a truth value 0 or 1, whatever its byte is."""
    var found = at[as_number[dtype]](address)
    comptime if dtype == DType.bool:
        return min(found, 1)
    return found


@always_inline
def at[dtype: DType](address: Int) -> Scalar[dtype]:
    return Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=address
    )[]
