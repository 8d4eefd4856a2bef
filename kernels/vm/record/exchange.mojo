"""Between buffers and NumPy's arrays, by NumPy's C API, and from lists of numbers."""

from std.ffi import external_call
from std.memory import bitcast, stack_allocation
from vm.base.buffers import new_buffer
from vm.base.bytecode import itemsize
from vm.base.numbers import BOOL, FLOAT64, INT64
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    FLOAT_VALUE,
    LIST_ITEMS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    copy_bytes,
    drop,
    fill_bytes,
    int_of,
    kept,
    load,
    store,
)
from vm.record.element import (
    address_of_element,
    computed_element,
    integer_at,
    start_of,
    truth_at,
)
from vm.record.elements import (
    COMPLEX128,
    SCALAR_ELEMENT,
    write_element,
)
from vm.record.layouts import NewArray
from vm.record.taking_over import (
    WRITEABLE,
    code_of_array,
    copied,
    new_array,
    shared,
)
from vm.run.state import state_at
from structured.operands.operand import MAX_RANK

comptime SetBase = def(array: Int, base: Int) thin abi("C") -> Int32
comptime SET_BASE = 282
"""Its place in the table of NumPy's C API."""
comptime ANY = -1
"""The dtype that elements have."""
comptime MOST_NUMBERS = 1 << 24
"""In a list that is read here."""


def array_over(
    ref objects: Objects,
    buffer: Int,
    layout: Int,
    shape: Int,
    code: Int,
    writeable: Bool,
) -> Int:
    """A NumPy array over the memory of a buffer, which it keeps; 0 says that Python has raised.

    Args:
        objects: What is known of Python's side.
        buffer: The buffer.
        layout: The layout that sees the elements, None for all of them in C order.
        shape: A tuple: the lengths of the axes, if there is no layout.
        code: The dtype code, if there is no layout.
        writeable: Whether the array can be written.
    """
    var dtype = objects.api.dtypes[code]
    var rank = load(shape, TUPLE_SIZE)
    var space = stack_allocation[MAX_RANK, DType.int64]()
    var extents = Int(space)
    var strides = 0
    if layout != objects.api.none:
        dtype = load(layout, ARRAY_DTYPE)
        rank = array_rank(layout)
        extents = load(layout, ARRAY_SHAPE)
        strides = load(layout, ARRAY_STRIDES)
    else:
        for axis in range(rank):
            store(extents, axis, int_of(item(shape, axis)))
    var make = objects.new_array
    var made = Pointer(to=make).unsafe_bitcast[NewArray]()[](
        objects.numpy_array_type,
        kept(dtype),
        Int32(rank),
        extents,
        strides,
        start_of(objects, buffer, layout),
        Int32(WRITEABLE if writeable else 0),
        Int(0),
    )
    if made == 0:
        return 0
    var set = load(objects.numpy, SET_BASE)
    if Pointer(to=set).unsafe_bitcast[SetBase]()[](made, kept(buffer)) != 0:
        drop(made)
        return 0
    return made


def exported(mut objects: Objects, x: Int) -> Int:
    """The element of a scalar in a NumPy array of its own.

    It is computed now if that is little work; UNUSUAL where Python must do it.
    """
    var dtype = 0
    var address = computed_element(objects, x, dtype)
    if address == 0:
        return UNUSUAL
    objects.reads += 1
    var make = objects.new_array
    var made = Pointer(to=make).unsafe_bitcast[NewArray]()[](
        objects.numpy_array_type,
        kept(objects.api.dtypes[dtype]),
        Int32(0),
        0,
        0,
        0,
        Int32(0),
        Int(0),
    )
    if made != 0:
        copy_bytes(load(made, ARRAY_DATA), address, itemsize(dtype))
    return made


# -- arrays of what is given


def array_of(
    objects: ObjectsPointer, given: Int, shares: Bool, wanted: Int = ANY
) -> Int:
    """A new array of a small NumPy array's elements, or of nested lists and tuples of numbers.

    With `shares`, it is one over the memory of a NumPy array of any size. It has the dtype that is wanted.
    UNUSUAL for what Python must look at, convert or refuse.
    """
    var type = load(given, TYPE)
    if type == objects[].numpy_array_type:
        if wanted != ANY and code_of_array(objects[], given) != wanted:
            return UNUSUAL
        return shared(objects, given) if shares else copied(objects, given)
    if type == objects[].list_type or type == objects[].tuple_type:
        return _read(objects[], given, wanted)
    return UNUSUAL


def _read(mut objects: Objects, list: Int, wanted: Int) -> Int:
    var extents: Array[Int, MAX_RANK] = Array[Int, MAX_RANK](fill=0)
    var rank = 0
    var part = list
    var size = 1
    while is_sequence(objects, part):
        var length = load(part, TUPLE_SIZE)
        size *= length
        if rank == MAX_RANK or not 0 < size <= MOST_NUMBERS:
            return UNUSUAL
        extents[rank] = length
        rank += 1
        part = part_of(objects, part, 0)
    var at = Int(extents.unsafe_ptr())
    var code = _code_of(objects, list, rank, at)
    if code < 0 and _compute_scalars(objects, list):
        code = _code_of(objects, list, rank, at)
    if code < 0:
        return UNUSUAL
    if code == _MIXED and wanted == ANY:
        return UNUSUAL
    var converts = not _is_real(code) or not (wanted == ANY or _is_real(wanted))
    if wanted != ANY:
        if code > wanted and not converts:
            return UNUSUAL
        code = wanted
    ref pool = state_at(objects.state)[].pool
    var block = pool.allocate(size * itemsize(code))
    if block == 0:
        return external_call["PyErr_NoMemory", Int]()
    if not converts:
        _ = _write_numbers(objects, list, rank, code, block)
    elif _write_converted(objects, list, rank, code, block) == 0:
        pool.release(block, size * itemsize(code))
        return UNUSUAL
    var buffer = new_buffer(
        objects.api.buffer_type,
        block,
        size * itemsize(code),
        Int(Pointer(to=pool)),
    )
    if buffer == 0:
        return 0
    var made = new_array(objects, code, buffer, rank, at)
    _ = extents  # is in use until here
    return made


def _compute_scalars(ref objects: Objects, object: Int) -> Bool:
    """Computes the scalars in nested sequences that are pending; whether all are known now.

    Each would be a step of its own to join, which costs more than what most of them wait for.
    """
    if objects.learning > 0:
        return False
    if not is_sequence(objects, object):
        var dtype = 0
        return (
            not objects.is_scalar(load(object, TYPE))
            or address_of_element(objects, object, dtype) != 0
            or computed_element(objects, object, dtype) != 0
        )
    var k = 0
    while k < load(
        object, TUPLE_SIZE
    ):  # to compute may run code that changes it
        var part = kept(part_of(objects, object, k))
        var are_known = _compute_scalars(objects, part)
        drop(part)
        if not are_known:
            return False
        k += 1
    return True


def _write_converted(
    mut objects: Objects, object: Int, rank: Int, code: Int, address: Int
) -> Int:
    """Writes nested numbers that a dtype holds; where the next one goes, 0 if one of them does not fit."""
    if rank == 0:
        var known = ObjectsPointer(unsafe_from_address=Int(Pointer(to=objects)))
        var fits = write_element(known, address, code, object)
        return address + itemsize(code) if fits else 0
    var next = address
    for k in range(load(object, TUPLE_SIZE)):
        next = _write_converted(
            objects, part_of(objects, object, k), rank - 1, code, next
        )
        if next == 0:
            return 0
    return next


@always_inline
def is_sequence(ref objects: Objects, object: Int) -> Bool:
    """Whether this is a list or a tuple."""
    var type = load(object, TYPE)
    return type == objects.list_type or type == objects.tuple_type


@always_inline
def part_of(ref objects: Objects, sequence: Int, index: Int) -> Int:
    """A borrowed reference to an item of a list or tuple."""
    if load(sequence, TYPE) == objects.tuple_type:
        return item(sequence, index)
    return load(load(sequence, LIST_ITEMS), index)


comptime _MIXED = 1 << 8
"""In place of a dtype code, of numbers of several dtypes that not all are those of Python's numbers."""


@always_inline
def _is_real(code: Int) -> Bool:
    """Whether a dtype is that of numbers of Python's but complex ones."""
    return code == BOOL or code == INT64 or code == FLOAT64


@always_inline
def _is_pythons(code: Int) -> Bool:
    return _is_real(code) or code == COMPLEX128


def _code_of(ref objects: Objects, object: Int, rank: Int, extents: Int) -> Int:
    """The dtype code of numbers that are nested regularly; -1 for what is not so."""
    if rank == 0:
        var type = load(object, TYPE)
        if type == objects.api.float_type:
            return FLOAT64
        if type == objects.int_type:
            var overflow = Int32(0)
            _ = external_call["PyLong_AsLongLongAndOverflow", Int](
                object, Pointer(to=overflow)
            )
            return INT64 if overflow == 0 else -1
        if type == objects.bool_type:
            return BOOL
        if type == objects.complex_type:
            return COMPLEX128
        var dtype = 0
        return dtype if _address_of(objects, object, dtype) != 0 else -1
    var length = load(extents, 0)
    if not is_sequence(objects, object) or load(object, TUPLE_SIZE) != length:
        return -1
    var code = -1
    for k in range(length):
        var found = _code_of(
            objects, part_of(objects, object, k), rank - 1, extents + 8
        )
        if found < 0:
            return -1
        if code < 0 or code == found:
            code = found
        elif _is_pythons(code) and _is_pythons(found):
            code = max(code, found)  # their order is that of the codes
        else:
            code = _MIXED
    return code


def _address_of(ref objects: Objects, scalar: Int, mut dtype: Int) -> Int:
    """Where the element of a computed scalar, or of one of NumPy's, is, and its dtype code; 0 for all else."""
    if objects.learning > 0 or objects.as_python():
        return 0
    var type = load(scalar, TYPE)
    if not objects.is_scalar(type):
        dtype = objects.scalar_dtype(type)
        return scalar + SCALAR_ELEMENT if dtype >= 0 else 0
    return address_of_element(objects, scalar, dtype)


@always_inline
def _bits_of(ref objects: Objects, number: Int, code: Int) -> Int:
    """A bool, an int, a float or a known scalar as an element, INT64 or FLOAT64."""
    if load(number, TYPE) == objects.api.float_type:
        return load(number, FLOAT_VALUE)
    var value: Int
    var type = load(number, TYPE)
    if type == objects.int_type or type == objects.bool_type:
        value = int_of(number)
    else:
        var dtype = 0
        var address = _address_of(objects, number, dtype)
        if dtype == FLOAT64:
            return load(address, 0)
        var is_truth = dtype == BOOL
        value = Int(truth_at(address, dtype)) if is_truth else integer_at(
            address, dtype
        )
    if code == INT64:
        return value
    return Int(bitcast[DType.int64](Float64(value)))


def _write_numbers(
    ref objects: Objects, object: Int, rank: Int, code: Int, at: Int
) -> Int:
    """Writes numbers one after another; where the next one goes."""
    if rank > 0:
        var next = at
        for k in range(load(object, TUPLE_SIZE)):
            next = _write_numbers(
                objects, part_of(objects, object, k), rank - 1, code, next
            )
        return next
    if code == BOOL:
        fill_bytes(at, UInt8(_bits_of(objects, object, INT64)), 1)
        return at + 1
    store(at, 0, _bits_of(objects, object, code))
    return at + 8
