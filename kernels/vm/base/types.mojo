"""The types of values and handles: plain structs that Python counts and does not look for cycles in.

None of them can be in a cycle: a value refers to values that are older, a handle to values and to
an owner that is no view. So nothing needs to be tracked, and recording many thousand steps
wakes no collector.
"""

from std.ffi import external_call
from vm.base.fields import (
    ARRAY_TYPE_PLACE,
    HANDLE_BASE,
    HANDLE_END,
    HANDLE_OPERATORS,
    HANDLE_ORIGIN,
    HANDLE_VALUE,
    HANDLE_VIEWS,
    HANDLE_WEAK,
    NONE_PLACE,
    VALUE_CODE,
    VALUE_END,
    VALUE_ERRORS,
    VALUE_MARK,
    VALUE_WORDS,
)
from vm.base.raw import (
    TYPE,
    TYPE_BASE,
    TYPE_DEALLOC,
    TYPE_FREE,
    TYPE_MRO,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    drop,
    kept,
    load,
    store,
)
from vm.base.scalars import put_away
from vm.base.views import put_view_away

comptime Free = def(object: Int) thin abi("C")
comptime Slot = Tuple[Int, Int]
"""A number of Python's (`Py_nb_add` ...) and the address of a C function."""

comptime T_OBJECT = 16
"""A member that refers to an object, or to none: then reading it is an AttributeError."""
comptime T_SIZE = 19
comptime READ_ONLY = 1
comptime MP_SET_SUBSCRIPT = 3
comptime MP_LENGTH = 4
comptime MP_SUBSCRIPT = 5
comptime TP_BASE = 48
comptime TP_CALL = 50
comptime TP_DEALLOC = 52
comptime TP_ITER = 62
comptime TP_MEMBERS = 72
comptime BASE_TYPE = 1 << 10
comptime SEQUENCE_TYPE = 1 << 5  # which patterns of sequences match
comptime NOT_MADE_BY_CALLS = 1 << 7


def text(string: String) -> Int:
    """A C string that lives as long as the process."""
    var given = string
    return external_call["strdup", Int](given.as_c_string_span().ptr())


comptime Member = Tuple[String, Int, Int]
"""A name, the word of a number, and flags."""


def members(words: String, first: Int, numbers: List[Member]) -> Int:
    """A table of members: a name for each word from `first` on, and numbers."""
    var names = words.split()
    var count = len(names) + len(numbers)
    var table = external_call["calloc", Int](count + 1, Int(40))
    for k in range(len(names)):
        _write_member(table + 40 * k, String(names[k]), T_OBJECT, first + k, 0)
    for k in range(len(numbers)):
        var row = table + 40 * (len(names) + k)
        ref number = numbers[k]
        _write_member(row, number[0], T_SIZE, number[1], number[2])
    return table


def _write_member(row: Int, name: String, kind: Int, word: Int, flags: Int):
    store(row, 0, text(name))
    store(row, 1, kind)
    store(row, 2, 8 * word)
    store(row, 3, flags)


def new_type(
    name: String, words: Int, flags: Int, slots: List[Slot]
) raises -> Int:
    """A new type, whose objects have so many words."""
    var table = external_call["calloc", Int](len(slots) + 1, Int(16))
    for k in range(len(slots)):
        store(table, 2 * k, slots[k][0])
        store(table, 2 * k + 1, slots[k][1])
    var spec = external_call["calloc", Int](Int(4), Int(8))
    store(spec, 0, text(name))
    store(spec, 1, 8 * words)
    store(spec, 2, flags)
    store(spec, 3, table)
    var made = external_call["PyType_FromSpec", Int](spec)
    if made == 0:
        raise Error("a type cannot be made")
    return made


def value_type() raises -> Int:
    """The type of values."""
    var names = "code shape inputs layouts params buffer site within"
    var numbers: List[Member] = [
        ("mark", VALUE_MARK, 0),
        ("errors", VALUE_ERRORS, 0),
    ]
    var free: Free = _free_value
    return new_type(
        "jujunp.lazy.values.value.Value",
        VALUE_WORDS,
        NOT_MADE_BY_CALLS,
        [
            (TP_MEMBERS, members(names, VALUE_CODE, numbers)),
            (TP_DEALLOC, Pointer(to=free).unsafe_bitcast[Int]()[]),
        ],
    )


def handle_type(
    name: String, base: Int, slots: List[Slot], flags: Int = 0
) raises -> Int:
    """A type of handles, that of all or, with a base, of some."""
    var free: Free = free_handle
    var given = slots.copy()
    given.append((TP_DEALLOC, Pointer(to=free).unsafe_bitcast[Int]()[]))
    if base != 0:
        given.append((TP_BASE, base))
    else:
        var names = "_value _base _layout _header _shape _code _readonly _key"
        var numbers: List[Member] = [
            ("__weaklistoffset__", HANDLE_WEAK, READ_ONLY),
            ("_views", HANDLE_VIEWS, 0),
        ]
        given.append((TP_MEMBERS, members(names, HANDLE_VALUE, numbers)))
    return new_type(
        name, HANDLE_END, BASE_TYPE | NOT_MADE_BY_CALLS | flags, given
    )


def add_to_mro(type: Int, other: Int):
    """Makes a new type one of another type's, before `object`: `isinstance` and C code take it for such.

    Python itself refuses two bases with fields of their own; here the objects must have the fields of both.
    """
    var old = load(type, TYPE_MRO)
    var count = load(old, TUPLE_SIZE)
    var made = external_call["PyTuple_New", Int](count + 1)
    for k in range(count - 1):
        store(made, TUPLE_ITEMS + k, kept(load(old, TUPLE_ITEMS + k)))
    store(made, TUPLE_ITEMS + count - 1, kept(other))
    store(made, TUPLE_ITEMS + count, kept(load(old, TUPLE_ITEMS + count - 1)))
    store(type, TYPE_MRO, made)
    drop(old)
    external_call["PyType_Modified", NoneType](type)


@always_inline
def new_object(type: Int) -> Int:
    """An object whose fields are not filled; 0 says that Python has raised."""
    return external_call["_PyObject_New", Int](type)


def new_derived(type: Int) -> Int:
    """The same of a class that Python code has derived: its objects may have more."""
    return external_call["PyType_GenericAlloc", Int](type, Int(0))


@always_inline
def _drop_fields(object: Int, first: Int, end: Int):
    for k in range(first, end):
        var field = load(object, k)
        if field != 0:
            drop(field)


def _free_value(object: Int) abi("C"):
    var type = load(object, TYPE)
    _drop_fields(object, VALUE_CODE, VALUE_END)
    external_call["PyObject_Free", NoneType](object)
    drop(type)


def free_handle(object: Int) abi("C"):
    """Frees a handle, also one of a class that Python code has derived."""
    var type = load(object, TYPE)
    if put_away(object, type) or put_view_away(object, type):
        return
    if load(object, HANDLE_WEAK) != 0:
        external_call["PyObject_ClearWeakRefs", NoneType](object)
    var base = load(object, HANDLE_BASE)
    if base != load(load(object, HANDLE_OPERATORS), NONE_PLACE):
        store(base, HANDLE_VIEWS, load(base, HANDLE_VIEWS) - 1)
    _drop_fields(object, HANDLE_VALUE, HANDLE_WEAK)
    _drop_origin(object, type)
    var free = load(type, TYPE_FREE)
    Pointer(to=free).unsafe_bitcast[Free]()[](object)
    drop(type)


@always_inline
def _drop_origin(object: Int, type: Int):
    """Drops what an array of a class that Python code has derived was seen from."""
    var array_type = load(load(object, HANDLE_OPERATORS), ARRAY_TYPE_PLACE)
    if load(type, TYPE_DEALLOC) == load(array_type, TYPE_DEALLOC):
        return
    var origin = load(object, HANDLE_ORIGIN)
    if (
        origin != 0
        and external_call["PyType_IsSubtype", Int32](type, array_type) != 0
    ):
        drop(origin)


@always_inline
def is_native_handle(type: Int) -> Bool:
    """Whether a type is one of handles, and none that Python code has derived."""
    var free: Free = free_handle
    return load(type, TYPE_DEALLOC) == Pointer(to=free).unsafe_bitcast[Int]()[]


def is_handle_type(type: Int) -> Bool:
    """Whether a type is one of handles, or derived of one."""
    var kind = type
    while kind != 0:
        if is_native_handle(kind):
            return True
        kind = load(kind, TYPE_BASE)
    return False
