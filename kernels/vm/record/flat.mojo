"""`x.flat`: the elements of an array in C order, one after another, by a number or by a slice.

The Python class that is derived from this type answers whatever is not usual, by the methods named below.
"""

from std.ffi import external_call
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.fields import HANDLE_OPERATORS, HANDLE_SHAPE
from vm.base.numbers import FIRST_FLOAT, int_fits
from vm.base.objects import UNUSUAL, ObjectsPointer, item, same_shape
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    TYPE_FREE,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import (
    BASE_TYPE,
    MP_LENGTH,
    MP_SET_SUBSCRIPT,
    MP_SUBSCRIPT,
    TP_DEALLOC,
    TP_ITER,
    TP_MEMBERS,
    Free,
    Member,
    Slot,
    is_native_handle,
    members,
    new_derived,
    new_type,
)
from vm.record.elements import is_number
from vm.record.record import operator_at
from vm.record.shaping import copied, lies_in_order, raveled

# the fields of such an object
comptime SEEN = 2
"""The array whose elements these are."""
comptime ROW = 3
"""The same as an array of one axis over its memory, None where there is no such view."""
comptime OF = 4
"""What the object was asked of."""
comptime INDEX = 5
"""The place of the next element: a number."""
comptime SIZE = 6
"""How many elements there are: a number."""
comptime END = 7

# methods of the derived class
comptime GET = "_get"
comptime SET = "_set"
comptime DELETE = "_delete"
comptime ELEMENT = "_element"

comptime MOST_AXES = 32
"""Of arrays that NumPy goes through so."""
comptime TP_ITERNEXT = 63
comptime Function1 = def(x: Int) thin abi("C") -> Int
comptime Function2 = def(x: Int, y: Int) thin abi("C") -> Int
comptime Setter = def(x: Int, key: Int, value: Int) thin abi("C") -> Int32


def flat_type() raises -> Int:
    """The type, to be derived from."""
    var numbers: List[Member] = [("_index", INDEX, 0), ("_size", SIZE, 0)]
    var free: Free = _free
    var get: Function2 = _subscript
    var set: Setter = _set_subscript
    var length: Function1 = _length
    var iterator: Function1 = _iterator
    var next: Function1 = _next
    var slots: List[Slot] = [
        (TP_MEMBERS, members("_seen _row _of", SEEN, numbers)),
        (TP_DEALLOC, Pointer(to=free).unsafe_bitcast[Int]()[]),
        (MP_SUBSCRIPT, Pointer(to=get).unsafe_bitcast[Int]()[]),
        (MP_SET_SUBSCRIPT, Pointer(to=set).unsafe_bitcast[Int]()[]),
        (MP_LENGTH, Pointer(to=length).unsafe_bitcast[Int]()[]),
        (TP_ITER, Pointer(to=iterator).unsafe_bitcast[Int]()[]),
        (TP_ITERNEXT, Pointer(to=next).unsafe_bitcast[Int]()[]),
    ]
    return new_type("jujunp.flat", END, BASE_TYPE, slots)


def flat_of(objects: ObjectsPointer, x: Int) -> Int:
    """`x.flat` as an object of the derived class; UNUSUAL unless the elements lie in C order."""
    if (
        load(x, TYPE) != objects[].array_type
        or objects[].learning > 0
        or objects[].as_python()
    ):
        return UNUSUAL
    var shape = load(x, HANDLE_SHAPE)
    var row: Int
    if load(shape, TUPLE_SIZE) == 1:
        row = kept(x)
    elif load(shape, TUPLE_SIZE) <= MOST_AXES and lies_in_order(objects, x):
        row = raveled(objects, x)
        if row == UNUSUAL or row == 0:
            return row
    else:
        return UNUSUAL
    var made = new_derived(objects[].flat_class)
    if made == 0:
        drop(row)
        return 0
    store(made, SEEN, kept(x))
    store(made, ROW, row)
    store(made, OF, kept(x))
    store(made, INDEX, 0)
    store(made, SIZE, int_of(item(load(row, HANDLE_SHAPE), 0)))
    return made


def _free(me: Int) abi("C"):
    var type = load(me, TYPE)
    for field in range(SEEN, INDEX):
        if load(me, field) != 0:
            drop(load(me, field))
    var free = load(type, TYPE_FREE)
    Pointer(to=free).unsafe_bitcast[Free]()[](me)
    drop(type)


def _length(me: Int) abi("C") -> Int:
    return load(me, SIZE)


def _iterator(me: Int) abi("C") -> Int:
    return kept(me)


def _next(me: Int) abi("C") -> Int:
    """The next element; 0, with nothing raised, behind the last one."""
    var place = load(me, INDEX)
    if place >= load(me, SIZE):
        return 0
    store(me, INDEX, place + 1)
    var row = _row_of(me)
    if row != 0:
        return external_call["PySequence_GetItem", Int](row, place)
    var number = external_call["PyLong_FromSsize_t", Int](place)
    var found = _asked(me, ELEMENT, number)
    drop(number)
    return found


def _subscript(me: Int, key: Int) abi("C") -> Int:
    """`x.flat[key]`."""
    var row = _row_of(me)
    if row != 0:
        var objects = _objects_of(row)
        if _is_place(objects, me, key):
            return external_call["PyObject_GetItem", Int](row, key)
        if _is_slice(objects, me, key):
            var view = external_call["PyObject_GetItem", Int](row, key)
            if view == 0:
                return 0
            var made = copied(objects, view, False)
            drop(view)
            if made != UNUSUAL:
                return made
    return _asked(me, GET, key)


def _set_subscript(me: Int, key: Int, value: Int) abi("C") -> Int32:
    """`x.flat[key] = value`."""
    if value == 0:
        return _done(_asked(me, DELETE, key))
    var row = _row_of(me)
    if row != 0 and _is_simple(_objects_of(row), me, key, value):
        return external_call["PyObject_SetItem", Int32](row, key, value)
    return _done(_asked(me, SET, key, value))


def _is_simple(objects: ObjectsPointer, me: Int, key: Int, value: Int) -> Bool:
    """Whether each place that a key names gets the same number, or one of as many."""
    var row = load(me, ROW)
    var slices = _is_slice(objects, me, key)
    if not slices and not _is_place(objects, me, key):
        return False
    if objects[].is_scalar(load(value, TYPE)):
        return True
    if is_number(objects, value):
        var dtype = objects[].dtype(row)
        if load(value, TYPE) == objects[].complex_type:
            return dtype >= COMPLEX64
        var is_int = load(value, TYPE) == objects[].int_type
        return not is_int or dtype >= FIRST_FLOAT or int_fits(value, dtype)
    if not slices or load(value, TYPE) != objects[].array_type:
        return False
    var view = external_call["PyObject_GetItem", Int](row, key)
    if view == 0:
        external_call["PyErr_Clear", NoneType]()
        return False
    var fits = same_shape(load(view, HANDLE_SHAPE), load(value, HANDLE_SHAPE))
    drop(view)
    return fits


@always_inline
def _row_of(me: Int) -> Int:
    """The row, borrowed; 0 if there is none."""
    var row = load(me, ROW)
    return row if row != 0 and is_native_handle(load(row, TYPE)) else 0


@always_inline
def _is_place(objects: ObjectsPointer, me: Int, key: Int) -> Bool:
    """Whether a key is a Python int within bounds."""
    if load(key, TYPE) != objects[].int_type:
        return False
    var overflow = Int32(0)
    var place = external_call["PyLong_AsLongLongAndOverflow", Int](
        key, Pointer(to=overflow)
    )
    var size = load(me, SIZE)
    return overflow == 0 and -size <= place < size


@always_inline
def _is_slice(objects: ObjectsPointer, me: Int, key: Int) -> Bool:
    """Whether a key is a slice, of a plain array."""
    var given = load(me, OF)
    return (
        load(key, TYPE) == objects[].slice_type
        and given != 0
        and load(given, TYPE) == objects[].array_type
    )


@always_inline
def _objects_of(row: Int) -> ObjectsPointer:
    return operator_at(load(load(row, HANDLE_OPERATORS), 0))[].objects


def _asked(me: Int, method: StringLiteral, x: Int, y: Int = 0) -> Int:
    """What a method of the derived class gives."""
    var name = external_call["PyUnicode_InternFromString", Int](method.ptr())
    var given: Array[Int, 3] = [me, x, y]
    var made = external_call["PyObject_VectorcallMethod", Int](
        name, given.unsafe_ptr(), Int(2) + Int(y != 0), Int(0)
    )
    _ = given  # is in use until here
    drop(name)
    return made


def _done(made: Int) -> Int32:
    """What a slot that gives nothing is to return."""
    if made == 0:
        return -1
    drop(made)
    return 0
