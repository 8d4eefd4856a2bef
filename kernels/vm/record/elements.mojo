"""Elements of computed memory: what is known is read, written and computed at once.

An element that is read is a value whose buffer holds it inside of its own object, so that no memory is
asked for. An element is written in place where nobody but the array sees the memory.

Programs that go from element to element would otherwise record and plan steps that take longer than
they compute. So what is pending is computed when a few elements were asked for in vain.
"""

from std.ffi import external_call
from std.memory import bitcast
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.buffers import fill_buffer, new_buffer
from vm.base.bytecode import itemsize
from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_INSIDE,
    BUFFER_POOL,
    BUFFER_SHARING,
    BUFFER_SIZE,
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_ERRORS,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_PLACE,
    VALUE_SHAPE,
    VALUE_MARK,
    VALUE_SITE,
    VALUE_WITHIN,
)
from vm.base.numbers import (
    FIRST_FLOAT,
    FIRST_INTEGER,
    INT64,
    UINT64,
    bits_of,
    complex_fits,
    float_fits,
    int_fits,
)
from vm.base.objects import (
    PATIENCE,
    UNUSUAL,
    Objects,
    ObjectsPointer,
    fill,
    item,
    pair,
)
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    COMPLEX_VALUE,
    FLOAT_VALUE,
    LIST_SIZE,
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    int_of,
    load,
    refcount,
    replace_slot,
    store,
)
from vm.base.pins import SHARED, exports
from vm.base.scalars import taken_out
from vm.base.types import new_object
from vm.record.casting import write_as
from vm.record.element import address_of_element, integer_at
from vm.record.floats import be_no_float, set_type, show_number
from vm.run.flush import compute_directly, flush_small
from vm.run.state import state_at

comptime FEW = 64
"""Steps that are pending at most where elements are most of what a program asks for."""
comptime OF_A_CALL = 4
"""Steps that are pending at most where the scalar of a call is computed at once."""
comptime OF_A_STATEMENT = 16
"""Steps that may be pending where they are computed before an array is written to."""
comptime MOST_PATIENCE = 1 << 16
comptime MOST_ASKED = 64
"""Numbers that are computed at most before another one is read."""
comptime ROOM = 16
"""Bytes of the largest element."""
comptime NOWHERE = -1
comptime SCALAR_ELEMENT = 16
"""Bytes of a scalar of NumPy's, behind which its element lies."""
comptime COMPLEX128 = 14


# -- places


def place_of_element(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """Where `x[key]` is in its owner's memory, in bytes.

    It is NOWHERE if the key is not one int for each axis, or out of bounds.
    """
    var single = load(key, TYPE) != objects[].tuple_type
    var shape = load(x, HANDLE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    if (1 if single else load(key, TUPLE_SIZE)) != rank:
        return NOWHERE
    var layout = load(x, HANDLE_LAYOUT)
    if layout != objects[].api.none:
        var place = load(layout, ARRAY_DATA) - objects[].api.region
        for axis in range(rank):
            var part = key if single else item(key, axis)
            var extent = load(load(layout, ARRAY_SHAPE), axis)
            var index = index_of(objects, part, extent)
            if index < 0:
                return NOWHERE
            place += index * load(load(layout, ARRAY_STRIDES), axis)
        return place
    var place = 0
    for axis in range(rank):
        var part = key if single else item(key, axis)
        var extent = int_of(item(shape, axis))
        var index = index_of(objects, part, extent)
        if index < 0:
            return NOWHERE
        place = place * extent + index
    return place * itemsize(objects[].dtype(x))


@always_inline
def index_of(objects: ObjectsPointer, part: Int, extent: Int) -> Int:
    """An integer as an index from 0 on; -1 for what is out of bounds, pending or no integer."""
    var index: Int
    if load(part, TYPE) == objects[].int_type:
        var overflow = Int32(0)
        index = external_call["PyLong_AsLongLongAndOverflow", Int](
            part, Pointer(to=overflow)
        )
        if overflow != 0:
            return -1
    else:
        var address = 0
        var dtype = 0
        if objects[].learning == 0:  # the learner must see what is read
            address = address_of_integer(objects, part, dtype)
        if address == 0:
            return -1
        index = integer_at(address, dtype)
    if index < 0:
        index += extent
    return index if 0 <= index < extent else -1


def address_of_integer(
    objects: ObjectsPointer, part: Int, mut dtype: Int
) -> Int:
    """Where the element of an integer scalar is, and its dtype code; 0 if it is pending, or beyond 64 bits
    with sign."""
    if not is_index(objects, part):
        return 0
    var address: Int
    if objects[].is_scalar(load(part, TYPE)):
        address = address_of_element(objects[], part, dtype)
    else:
        dtype = objects[].scalar_dtype(load(part, TYPE))
        address = part + SCALAR_ELEMENT
    if dtype == UINT64 and address != 0 and load(address, 0) < 0:
        return 0
    return address


@always_inline
def is_index(objects: ObjectsPointer, part: Int) -> Bool:
    """Whether an object is a scalar of integers, ours or NumPy's."""
    var type = load(part, TYPE)
    if objects[].is_scalar(type):
        return FIRST_INTEGER <= objects[].dtype(part) <= UINT64
    if type == objects[].array_type:
        return False
    return FIRST_INTEGER <= objects[].scalar_dtype(type) <= UINT64


def is_integer_scalar(objects: ObjectsPointer, part: Int) -> Bool:
    """Whether an object is a scalar of integers, ours or NumPy's, of a dtype that 64 bits with sign hold."""
    if not is_index(objects, part):
        return False
    var type = load(part, TYPE)
    if objects[].is_scalar(type):
        return objects[].dtype(part) < UINT64
    return objects[].scalar_dtype(type) < UINT64


# -- what is pending


def computes_for_element(objects: ObjectsPointer) -> Bool:
    """Whether what is pending is computed now, for an element that is pending."""
    ref known = objects[]
    known.deferred += 1
    if known.deferred < known.patience:
        return False
    var count = load(known.log, LIST_SIZE)
    if count == 0 or not flush_small(state_at(known.state)):
        be_patient(objects)
        return False
    if count < FEW:
        known.patience = 1
    return True


def computes_at_once(objects: ObjectsPointer, made: Int):
    """Computes a scalar that a call has just made, where a program goes from element to element.

    It does, too, where it reads numbers: what it calculates with a known one is known at once.
    """
    ref known = objects[]
    if (
        not known.is_scalar(load(made, TYPE))
        or load(known.log, LIST_SIZE) > OF_A_CALL
    ):
        return
    if known.patience != 1:
        if known.asked == 0:
            return
        known.asked -= 1
    compute_directly(state_at(known.state))


@always_inline
def goes_by_elements(objects: ObjectsPointer) -> Bool:
    """Whether a program goes from element to element, and few steps are pending."""
    return (
        objects[].patience == 1 and load(objects[].log, LIST_SIZE) <= OF_A_CALL
    )


@always_inline
def number_was_read(mut objects: Objects):
    """Notes that Python was given a number."""
    objects.reads += 1
    objects.asked = min(objects.asked + 1, MOST_ASKED)


def be_patient(objects: ObjectsPointer):
    """Waits for more elements from now on: it was of no use to compute what is pending."""
    ref known = objects[]
    known.deferred = 0
    known.patience = min(2 * max(known.patience, PATIENCE), MOST_PATIENCE)


# -- reading


def element_read(objects: ObjectsPointer, x: Int, key: Int) -> Int:
    """A scalar of `x[key]`, UNUSUAL unless that is one element of computed memory."""
    var memory = memory_of(objects, objects[].value_of(x))
    if memory == 0:
        return UNUSUAL
    var place = place_of_element(objects, x, key)
    if place == NOWHERE:
        return UNUSUAL
    var made = new_element(objects, load(x, HANDLE_CODE), memory + place)
    if made != 0 and load(load(x, HANDLE_SHAPE), TUPLE_SIZE) == 0:
        be_no_float(objects[], made)  # `x[()]` is what a function gave
    return made


def element_at_place(objects: ObjectsPointer, x: Int, place: Int) -> Int:
    """A scalar of the element at a place, UNUSUAL unless the memory is computed."""
    var memory = memory_of(objects, objects[].value_of(x))
    if memory == 0:
        return UNUSUAL
    return new_element(objects, load(x, HANDLE_CODE), memory + place)


@always_inline
def memory_of(objects: ObjectsPointer, value: Int) -> Int:
    """Where the memory of a value is, 0 unless it is computed and no flush may write to it."""
    var buffer = load(value, VALUE_BUFFER)
    if (
        load(buffer, TYPE) != objects[].api.buffer_type
        or objects[].learning > 0
        or objects[].running()
    ):
        return 0  # the learner must see steps
    return load(buffer, BUFFER_ADDRESS)


def new_element(objects: ObjectsPointer, code: Int, address: Int) -> Int:
    """A scalar of the element at an address; `code` is its dtype code."""
    var made = new_scalar(objects, code)
    if made != 0:
        copy_element(
            address_inside(objects, made), address, itemsize(int_of(code))
        )
        show_number(objects[], made)
    return made


comptime SIZES: List[Int] = [8, 1, 4, 16, 2]
"""Bytes of all elements, the usual ones first."""


@always_inline
def copy_element(target: Int, source: Int, size: Int):
    comptime for k in range(len(SIZES)):
        comptime known = SIZES[k]
        if size == known:
            move_element[known](target, source)
            return
    copy_bytes(target, source, size)


@always_inline
def move_element[size: Int](target: Int, source: Int):
    """The same of an element of so many bytes."""
    Pointer[SIMD[DType.uint8, size], MutUntrackedOrigin](
        unsafe_from_address=target
    ).unsafe_bitcast[UInt8]().unsafe_store[width=size, alignment=1](
        0,
        Pointer[UInt8, MutUntrackedOrigin](
            unsafe_from_address=source
        ).unsafe_load[width=size, alignment=1](0),
    )


def new_scalar(objects: ObjectsPointer, code: Int) -> Int:
    """A scalar with room for an element inside of its buffer; `code` is its dtype code.

    Whoever writes the element then shows it (`show_number`).
    """
    var made = taken_out(objects[].operators, code == objects[].bool_code)
    if made == 0:
        return _made(objects, code)
    set_type(made, objects[].type_of_known(code))
    if load(made, HANDLE_READONLY) != objects[].no:
        replace_slot(made, HANDLE_READONLY, objects[].no)
    if load(made, HANDLE_CODE) != code:
        replace_slot(made, HANDLE_CODE, code)
    var value = load(made, HANDLE_VALUE)
    var copy = item(objects[].copies, int_of(code))
    if load(value, VALUE_CODE) != copy:
        var buffer = load(value, VALUE_BUFFER)
        store(buffer, BUFFER_SIZE, itemsize(int_of(code)))
        replace_slot(value, VALUE_CODE, copy)
    return made


@always_inline
def address_inside(objects: ObjectsPointer, scalar: Int) -> Int:
    """Where the element of such a scalar is."""
    var buffer = load(load(scalar, HANDLE_VALUE), VALUE_BUFFER)
    return load(buffer, BUFFER_ADDRESS)


def _made(objects: ObjectsPointer, code: Int) -> Int:
    ref api = objects[].api
    var buffer = _new_buffer(objects, itemsize(int_of(code)))
    if buffer == 0:
        return 0
    var value = new_leaf(objects[], int_of(code), api.empty, buffer)
    if value == 0:
        return 0
    return objects[].new_handle(
        objects[].type_of_known(code),
        value,
        api.none,
        api.none,
        api.empty,
        code,
    )


def new_leaf(
    ref objects: Objects, code: Int, shape: Int, var buffer: Int
) -> Int:
    """A computed value, given its dtype code and shape; takes over the reference to the buffer."""
    ref api = objects.api
    var value = new_object(api.value_type)
    if value == 0:
        drop(buffer)
        return 0
    fill(value, VALUE_CODE, item(objects.copies, code))
    fill(value, VALUE_SHAPE, shape)
    fill(value, VALUE_INPUTS, api.empty)
    fill(value, VALUE_LAYOUTS, api.none)
    fill(value, VALUE_PARAMS, api.none)
    store(value, VALUE_BUFFER, buffer)
    store(value, VALUE_SITE, 0)
    store(value, VALUE_WITHIN, 0)
    store(value, VALUE_MARK, 0)
    store(value, VALUE_ERRORS, 0)
    store(value, VALUE_PLACE, 0)
    return value


def room_for(objects: ObjectsPointer, nbytes: Int) -> Int:
    """A buffer with memory of its own, not initialised; 0 if Python has raised."""
    ref pool = state_at(objects[].state)[].pool
    var block = pool.allocate(nbytes)
    if block == 0:
        return external_call["PyErr_NoMemory", Int]()
    return new_buffer(
        objects[].api.buffer_type, block, nbytes, Int(Pointer(to=pool))
    )


def array_of_buffer(
    ref objects: Objects, code: Int, shape: Int, var buffer: Int
) -> Int:
    """An array of all elements of a buffer, given its dtype code and shape; takes over the reference."""
    var none = objects.api.none
    var value = new_leaf(objects, code, shape, buffer)
    if value == 0:
        return 0
    var number = external_call["PyLong_FromSsize_t", Int](code)
    var made = objects.new_handle(
        objects.array_type, value, none, none, shape, number
    )
    drop(number)
    return made


def _new_buffer(objects: ObjectsPointer, nbytes: Int) -> Int:
    """A Buffer that has room for an element inside of itself."""
    var made = external_call["PyObject_Malloc", Int](BUFFER_INSIDE + ROOM)
    if made == 0:
        return external_call["PyErr_NoMemory", Int]()
    _ = external_call["PyObject_Init", Int](made, objects[].api.buffer_type)
    fill_buffer(made, made + BUFFER_INSIDE, nbytes, 0)
    return made


# -- writing


def element_written(objects: ObjectsPointer, x: Int, key: Int, y: Int) -> Bool:
    """Writes `x[key] = y` where that is one element which nobody else sees, and known.

    Who else may see it has a reference to the value, as pending steps and copies do, or to its
    buffer, as NumPy's arrays do.
    """
    var base = load(x, HANDLE_BASE)
    if base == objects[].api.none:
        base = x
    var memory = own_memory(objects, base)
    if memory == 0:
        return False
    var place = place_of_element(objects, x, key)
    if place == NOWHERE or not write_element(
        objects, memory + place, objects[].dtype(x), y
    ):
        return False
    forget_limits(load(base, HANDLE_VALUE))
    return True


@always_inline
def own_memory(objects: ObjectsPointer, owner: Int) -> Int:
    """Where the memory of an owner is, if it is computed and nobody else sees it; else 0."""
    var value = load(owner, HANDLE_VALUE)
    var memory = memory_of(objects, value)
    if memory == 0 or refcount(value) != 1:
        return 0
    be_no_float(objects[], owner)
    var buffer = load(value, VALUE_BUFFER)
    if refcount(buffer) - exports(buffer) != 1 or not _is_own(buffer, memory):
        return 0
    return memory


@always_inline
def forget_limits(value: Int):
    """Forgets between which limits the integers of a value were."""
    var limits = load(value, VALUE_WITHIN)
    if limits != 0:
        store(value, VALUE_WITHIN, 0)
        drop(limits)


@always_inline
def _is_own(buffer: Int, memory: Int) -> Bool:
    """Whether the memory is the pool's, inside of the buffer, or such as is written by others, too."""
    return (
        load(buffer, BUFFER_POOL) != 0
        or memory == buffer + BUFFER_INSIDE
        or load(buffer, BUFFER_SHARING) == SHARED
    )


@always_inline
def is_number(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether an operand is a number of Python's."""
    var type = load(x, TYPE)
    return (
        type == objects[].api.float_type
        or type == objects[].int_type
        or type == objects[].bool_type
        or type == objects[].complex_type
    )


def write_element(
    objects: ObjectsPointer, address: Int, dtype: Int, y: Int
) -> Bool:
    """Writes a Python number that fits, or the element of a computed scalar or of one of NumPy's."""
    var type = load(y, TYPE)
    if objects[].is_scalar(type):
        var given = 0
        var source = address_of_element(objects[], y, given)
        return source != 0 and _write_scalar(address, dtype, source, given)
    if not is_number(objects, y):
        var given = objects[].scalar_dtype(type)
        return given >= 0 and _write_scalar(
            address, dtype, y + SCALAR_ELEMENT, given
        )
    if dtype == COMPLEX128:
        return write_complex(objects, address, y)
    var is_float = type == objects[].api.float_type
    if is_float:
        if dtype < FIRST_FLOAT or not float_fits(y, dtype):
            return False
    elif type == objects[].complex_type:
        if dtype != COMPLEX64 or not complex_fits(y):
            return False
    elif type == objects[].bool_type:
        if dtype != 0:
            return False
    elif type != objects[].int_type or not int_fits(y, dtype):
        return False
    try:
        var bits = bits_of(y, is_float, dtype)
        copy_element(address, Int(Pointer(to=bits)), itemsize(dtype))
        _ = bits  # is in use until here
        return True
    except:
        return False


def _write_scalar(address: Int, dtype: Int, source: Int, given: Int) -> Bool:
    """Writes an element of some dtype as one of another."""
    if given != dtype:
        return write_as(address, dtype, source, given)
    copy_element(address, source, itemsize(dtype))
    return True


def write_complex(objects: ObjectsPointer, address: Int, y: Int) -> Bool:
    """Writes a number of Python's as a complex one of two float64s."""
    var type = load(y, TYPE)
    if type == objects[].complex_type:
        store(address, 0, load(y, COMPLEX_VALUE))
        store(address, 1, load(y, COMPLEX_VALUE + 1))
        return True
    if type == objects[].api.float_type:
        store(address, 0, load(y, FLOAT_VALUE))
    elif type == objects[].int_type and int_fits(y, INT64):
        var number = Float64(int_of(y))
        store(address, 0, Int(bitcast[DType.int64](number)))
    else:
        return False
    store(address, 1, 0)
    return True


def remember(value: Int, extent: Int):
    """Notes that the integers of a value are inside of an axis."""
    var low = external_call["PyLong_FromSsize_t", Int](-extent)
    var high = external_call["PyLong_FromSsize_t", Int](extent)
    var limits = pair(low, high)
    drop(low)
    drop(high)
    forget_limits(value)
    store(value, VALUE_WITHIN, limits)
