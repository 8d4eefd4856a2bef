"""Arrays of classes that Python code has derived from ours.

They are views: what is asked of them is computed with a plain array over the same memory, and an array
that this gives is seen as one of the class and finished by the class's `__array_finalize__`. What a class
has of its own, Python finds out once (`Classes` in `jujunp/_members/derived.py`); where it answers itself,
Python calls it.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_HEADER,
    HANDLE_LAYOUT,
    HANDLE_ORIGIN,
    HANDLE_READONLY,
    HANDLE_SHAPE,
)
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    TYPE_BASE,
    TYPE_FLAGS,
    TYPE_IS_TYPE,
    drop,
    int_of,
    kept,
    load,
    replace_slot,
    store,
)
from vm.base.types import is_handle_type
from vm.record.layouts import AXES, Axes, all_axes

# what a class has of its own, a sum of some
comptime ANSWERS_UFUNCS = 1
"""It answers ufuncs, or wraps what they give."""
comptime ANSWERS_FUNCTIONS = 2
comptime HAS_METHODS = 4
"""Methods that functions of their names call."""
comptime HAS_PARTS = 8
"""What `x[key]` is."""
comptime GOES_FIRST = 16
"""Its priority is above that of plain arrays."""
comptime HAS_PLAIN_NAMES = 32
"""Some functions that else give arrays of the class give plain ones."""


@always_inline
def is_derived(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether this is an array of a class derived from ours."""
    var type = load(x, TYPE)
    return type != objects[].array_type and _is_subclass(
        type, objects[].array_type
    )


@no_inline
def _is_subclass(type: Int, base: Int) -> Bool:
    """Whether a class is another one, or derived from that."""
    var kind = type
    while kind != base and kind != 0:
        kind = load(kind, TYPE_BASE)
    return kind == base


def class_of(objects: ObjectsPointer, x: Int) -> Int:
    """What the class of such an array has of its own, as a borrowed tuple; 0 if Python has raised.

    A number, `__array_finalize__` or None, and the names of methods.
    """
    var type = load(x, TYPE)
    var found = external_call["PyDict_GetItem", Int](objects[].classes, type)
    if found != 0:
        return found
    found = external_call["PyObject_GetItem", Int](objects[].classes, type)
    if found != 0:
        drop(found)  # the dictionary has it now
    return found


def has(objects: ObjectsPointer, x: Int, what: Int) -> Bool:
    """Whether the class of such an array has any of some things of its own."""
    var found = class_of(objects, x)
    if found == 0:
        external_call["PyErr_Clear", NoneType]()
        return True  # Python finds the same error
    return int_of(item(found, 0)) & what != 0


def has_method(objects: ObjectsPointer, x: Int, name: Int) -> Bool:
    """Whether the class has a method of its own, by which functions of that name make their calls."""
    if not has(objects, x, HAS_METHODS):
        return False
    var names = item(class_of(objects, x), 2)
    return external_call["PySet_Contains", Int32](names, name) != 0


def source_of(objects: ObjectsPointer, x: Int, y: Int) -> Int:
    """The first of two operands whose class decides that of what they give, borrowed.

    0 if none is of a derived class, and where Python must find out.
    """
    var first = is_derived(objects, x)
    if not first and not is_derived(objects, y):
        return 0
    var source = x if first else y
    var other = y if first else x
    if load(other, TYPE) != load(source, TYPE) and not is_silent(
        objects, other
    ):
        return 0
    return 0 if has(objects, source, ANSWERS_UFUNCS) else source


def is_silent(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether an operand or a key is of a type that has no say in the class of a result with axes."""
    var type = load(x, TYPE)
    return (
        objects[].is_handle(x)
        or type == objects[].int_type
        or type == objects[].api.float_type
        or type == objects[].bool_type
        or type == objects[].complex_type
        or type == objects[].slice_type
        or x == objects[].api.none
        or x == objects[].ellipsis
    )


# -- plain arrays


def plain(objects: ObjectsPointer, x: Int) -> Int:
    """An array of a derived class as a plain one over the same memory, anything else as it is.

    A new reference; 0 if Python has raised. It may be the owner of the memory, and is not for users.
    """
    if not is_derived(objects, x):
        return kept(x)
    var base = load(x, HANDLE_BASE)
    if (
        load(base, TYPE) == objects[].array_type
        and load(base, HANDLE_HEADER) == load(x, HANDLE_LAYOUT)
        and load(base, HANDLE_CODE) == load(x, HANDLE_CODE)
        and load(base, HANDLE_READONLY) == load(x, HANDLE_READONLY)
    ):
        return kept(base)
    return plain_view(objects, x)


def plain_view(objects: ObjectsPointer, x: Int) -> Int:
    """The same as a view."""
    return _seen(objects, x, objects[].array_type)


def _seen(objects: ObjectsPointer, x: Int, type: Int) -> Int:
    """An array as one of another class over the same memory."""
    var none = objects[].api.none
    var base = load(x, HANDLE_BASE)
    var layout = header(objects, x)
    if layout == 0:
        return 0
    var made = objects[].new_handle(
        type,
        kept(none),
        x if base == none else base,
        layout,
        load(x, HANDLE_SHAPE),
        load(x, HANDLE_CODE),
    )
    if made != 0:
        replace_slot(made, HANDLE_READONLY, load(x, HANDLE_READONLY))
    return made


def header(objects: ObjectsPointer, x: Int) -> Int:
    """The layout of an array, also of a whole one, which keeps it; borrowed. 0 if Python has raised."""
    var found = load(x, HANDLE_HEADER)
    if found != objects[].api.none:
        return found
    var room = stack_allocation[2 * AXES, Int64]()
    var axes = Axes(Int(room))
    if not all_axes(objects, x, axes, Int(room) + 8 * AXES):
        return external_call["PyErr_NoMemory", Int]()
    found = axes.layout(objects)
    if found == 0:
        return 0
    replace_slot(x, HANDLE_HEADER, found)
    drop(found)
    return load(x, HANDLE_HEADER)


# -- arrays of a class


def finished(objects: ObjectsPointer, made: Int, source: Int) -> Int:
    """What was made with plain arrays: an array as one of the class of `source`, anything else as it is.

    It takes over the reference to what was made.
    """
    if made == 0 or made == UNUSUAL:
        return made
    if load(made, TYPE) != objects[].array_type:
        return made
    var found = as_class(objects, made, load(source, TYPE), source)
    drop(made)
    return found


def as_class(objects: ObjectsPointer, x: Int, type: Int, source: Int) -> Int:
    """An array as one of a class over the same memory, finished as NumPy does, given what it was made of.

    A new reference; 0 if Python has raised.
    """
    if load(x, TYPE) == type:
        return kept(x)
    var found = _seen(objects, x, type)
    if found == 0 or type == objects[].array_type:
        return found
    if is_handle_type(load(source, TYPE)):
        _remember(objects, found, source)
    var known = class_of(objects, found)
    if known == 0:
        drop(found)
        return 0
    var finalize = item(known, 1)
    if finalize == objects[].api.none:
        return found
    _ = kept(finalize)
    var args: Array[Int, 2] = [found, source]
    var done = external_call["PyObject_Vectorcall", Int](
        finalize, Int(Pointer(to=args)), Int(2), Int(0)
    )
    _ = args  # is in use until here
    drop(finalize)
    if done == 0:
        drop(found)
        return 0
    drop(done)
    return found


def seen_as(objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`x.view(kind)` of an array, where that is a class of arrays; else UNUSUAL."""
    if names != 0 or count != 2 or objects[].learning > 0:
        return UNUSUAL
    var x = load(args, 0)
    var kind = load(args, 1)
    if load(load(kind, TYPE), TYPE_FLAGS) & TYPE_IS_TYPE == 0:
        return UNUSUAL
    if kind == objects[].numpy_array_type:
        kind = objects[].array_type  # which is what `x.__class__` says
    if not _is_subclass(kind, objects[].array_type) or not (
        load(x, TYPE) == objects[].array_type or is_derived(objects, x)
    ):
        return UNUSUAL
    if load(x, TYPE) != kind:
        return as_class(objects, x, kind, x)
    var seen = plain_view(objects, x)
    return seen if seen == 0 else finished(objects, seen, x)


def origin(objects: ObjectsPointer, x: Int) -> Int:
    """The array that one is a view of, `base` in NumPy; None for an owner; borrowed.

    A plain array is a view of the owner. One of a derived class is a view of the array that it was seen
    from, or of the first of its own class that this is a view of.
    """
    if is_derived(objects, x) and load(x, HANDLE_ORIGIN) != 0:
        return load(x, HANDLE_ORIGIN)
    return load(x, HANDLE_BASE)


def _remember(objects: ObjectsPointer, x: Int, seen_from: Int):
    """Remembers what an array of a derived class was seen from, unless that is the owner."""
    var none = objects[].api.none
    var owner = load(seen_from, HANDLE_BASE)
    if owner == none:
        owner = seen_from
    if load(x, HANDLE_BASE) != owner:
        return
    var source = seen_from
    while True:
        var before = origin(objects, source)
        if load(before, TYPE) != load(x, TYPE):
            break
        source = before
    if source != owner:
        store(x, HANDLE_ORIGIN, kept(source))
