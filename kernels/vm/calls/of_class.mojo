"""Calls of functions and methods with arrays of a derived class: made with plain arrays in their place.

What a function gives then is of the class or not, as NumPy's is: Python says so of each function
(`Finishing` in `jujunp/_members/asking/finishing.py`), and makes all calls that are not as simple.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from vm.base.fields import HANDLE_SHAPE
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.raw import (
    LIST_ITEMS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    TYPE_FLAGS,
    TYPE_IS_TYPE,
    drop,
    int_of,
    is_text,
    kept,
    load,
    store,
)
from vm.calls.arguments import is_named
from vm.calls.shared import FUNCTION, Calls
from vm.calls.signature import MAX_LEAVES
from vm.record.derived import (
    ANSWERS_FUNCTIONS,
    ANSWERS_UFUNCS,
    GOES_FIRST,
    HAS_PLAIN_NAMES,
    as_class,
    finished,
    has,
    has_method,
    is_derived,
    is_silent,
    plain,
)
from vm.record.exchange import is_sequence, part_of

# how what a function gives is finished, by the numbers that Python has, too
comptime _BY_PYTHON = 0
comptime _OF_CLASS = 1
"""Arrays are of the class."""
comptime _PLAIN = 2
comptime _REDUCES = 3
"""Scalars are arrays of the class, too."""
comptime _JOINS = 4
"""Arrays are of a class that goes before plain arrays, and are made of nothing."""
comptime _EACH_ITS_OWN = 5
"""Each result is of the class of the argument at its place."""
comptime _HOW = 7
comptime _ASKS_METHOD = 8
"""A method of the class makes the call, if it has one of its own."""
comptime _IS_MEMBER = 16
"""The function is called as a member of an array, its first argument."""
comptime _MAY_BE_PLAIN = 32
"""A class may have it that the function gives plain arrays."""
comptime _OF_FIRST = 64
"""The first argument alone decides."""


def made_of_class(
    ref calls: Calls, me: Int, args: Int, count: Int, names: Int
) -> Int:
    """What a call gives, if it is such a one; else UNUSUAL."""
    var objects = calls.objects
    var finishing = _finishing(calls, me)
    var how = finishing & _HOW
    if how == _BY_PYTHON or count > MAX_LEAVES or not _names_are_usual(names):
        return UNUSUAL
    var source = _source(objects, args, count, how == _JOINS)
    if source == 0 or not _leaves_to_us(
        objects, source, finishing, load(me, FUNCTION)
    ):
        return UNUSUAL
    if finishing & (_IS_MEMBER | _OF_FIRST) != 0 and not is_derived(
        objects, load(args, 0)
    ):
        return UNUSUAL
    _ = kept(source)  # it may be in a list, which other code may change
    var given = stack_allocation[MAX_LEAVES, Int]()
    var named = load(names, TUPLE_SIZE) if names != 0 else 0
    for k in range(count):
        store(Int(given), k, _plain_argument(objects, load(args, k)))
    var made = external_call["PyObject_Vectorcall", Int](
        me, Int(given), count - named, names
    )
    for k in range(count):
        var x = load(Int(given), k)
        if made == x and how != _PLAIN:  # such as an output
            drop(made)
            made = kept(load(args, k))
            how = _PLAIN
        drop(x)
    if how == _EACH_ITS_OWN:
        made = _each_its_own(objects, made, args)
    else:
        made = _finished(objects, made, source, how)
    drop(source)
    return made


def _finishing(ref calls: Calls, me: Int) -> Int:
    """How what a function gives is finished."""
    var function = load(me, FUNCTION)
    var found = external_call["PyDict_GetItem", Int](calls.finishing, function)
    if found != 0:
        return int_of(found)
    found = external_call["PyObject_GetItem", Int](calls.finishing, function)
    if found == 0:
        external_call["PyErr_Clear", NoneType]()
        return _BY_PYTHON
    var number = int_of(found)
    drop(found)
    return number


def _names_are_usual(names: Int) -> Bool:
    """Whether no argument has the name of one that has a say in the class."""
    for k in range(load(names, TUPLE_SIZE) if names != 0 else 0):
        var name = item(names, k)
        if is_named(name, "subok") or is_named(name, "like"):
            return False
    return True


def _source(objects: ObjectsPointer, args: Int, count: Int, joins: Bool) -> Int:
    """The first array of a derived class among arguments, borrowed; 0 if others have a say, too."""
    var found = 0
    for k in range(count):
        var x = load(args, k)
        if is_sequence(objects[], x):
            for i in range(load(x, TUPLE_SIZE)):
                var part = part_of(objects[], x, i)
                if joins and is_derived(objects, part):
                    if not _is_of_one(part, found):
                        return 0
                elif not is_silent(objects, part) and not is_text(part):
                    return 0
        elif is_derived(objects, x):
            if joins and count == 1 and _rank(x) < 2:
                return 0  # it is a sequence of scalars
            if not _is_of_one(x, found):
                return 0
        elif not _is_simple(objects, x):
            return 0
    return found


@always_inline
def _rank(x: Int) -> Int:
    return load(load(x, HANDLE_SHAPE), TUPLE_SIZE)


def _is_of_one(x: Int, mut found: Int) -> Bool:
    """Whether an array is of the class of the one that was found before, or the first."""
    if found == 0:
        found = x
    return load(x, TYPE) == load(found, TYPE)


def _is_simple(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether an argument that is no array of a derived class has no say."""
    var type = load(x, TYPE)
    return (
        is_silent(objects, x)
        or is_text(x)
        or load(type, TYPE_FLAGS) & TYPE_IS_TYPE != 0
        or type == objects[].range_type
    )


def _leaves_to_us(
    objects: ObjectsPointer, x: Int, finishing: Int, function: Int
) -> Bool:
    """Whether the class of an array has nothing to say of a call."""
    var not_its = ANSWERS_UFUNCS
    if finishing & _IS_MEMBER == 0:
        not_its |= ANSWERS_FUNCTIONS
    if finishing & _MAY_BE_PLAIN != 0:
        not_its |= HAS_PLAIN_NAMES
    if has(objects, x, not_its):
        return False
    return finishing & _ASKS_METHOD == 0 or not _asks_method(
        objects, x, function
    )


def _asks_method(objects: ObjectsPointer, x: Int, function: Int) -> Bool:
    """Whether a function's call is made by a method of the class."""
    var name = external_call["PyObject_GetAttr", Int](
        function, objects[].dunder_name
    )
    var found = has_method(objects, x, name)
    drop(name)
    return found


def _plain_argument(objects: ObjectsPointer, x: Int) -> Int:
    """An argument with plain arrays in place of those of a derived class, a new reference."""
    if not is_sequence(objects[], x):
        return plain(objects, x)
    var has_derived = False
    for i in range(load(x, TUPLE_SIZE)):
        has_derived |= is_derived(objects, part_of(objects[], x, i))
    if not has_derived:
        return kept(x)
    # of a tuple, as other code may change a list meanwhile
    var parts = external_call["PySequence_Tuple", Int](x)
    var count = load(parts, TUPLE_SIZE)
    var made = external_call["PyTuple_New", Int](count)
    for i in range(count):
        store(made, TUPLE_ITEMS + i, plain(objects, item(parts, i)))
    drop(parts)
    if load(x, TYPE) == objects[].tuple_type:
        return made
    var list = external_call["PySequence_List", Int](made)
    drop(made)
    return list


def _finished(objects: ObjectsPointer, made: Int, source: Int, how: Int) -> Int:
    """What was made with plain arrays as the function gives it; takes over the reference."""
    if made == 0 or how == _PLAIN:
        return made
    var type = load(made, TYPE)
    if type == objects[].tuple_type:
        return _each(objects, made, source, how)
    if type == objects[].list_type:
        return _each_in_list(objects, made, source, how)
    if how == _JOINS:
        if type != objects[].array_type or not has(objects, source, GOES_FIRST):
            return made
        var of_none = as_class(
            objects, made, load(source, TYPE), objects[].api.none
        )
        drop(made)
        return of_none
    if how == _REDUCES and objects[].is_scalar(type):
        var array = external_call["PyObject_GetItem", Int](
            made, objects[].ellipsis
        )
        drop(made)
        return finished(objects, array, source)
    return finished(objects, made, source)


def _each(objects: ObjectsPointer, made: Int, source: Int, how: Int) -> Int:
    """The same of each item of a tuple."""
    var count = load(made, TUPLE_SIZE)
    var found = external_call["PyTuple_New", Int](count)
    for k in range(count):
        var one = _finished(objects, kept(item(made, k)), source, how)
        if one == 0:
            drop(found)
            drop(made)
            return 0
        store(found, TUPLE_ITEMS + k, one)
    drop(made)
    return found


def _each_its_own(objects: ObjectsPointer, made: Int, args: Int) -> Int:
    """One result or a tuple of them, each as its argument is."""
    if made == 0 or load(made, TYPE) != objects[].tuple_type:
        return _as_argument(objects, made, load(args, 0))
    var count = load(made, TUPLE_SIZE)
    var found = external_call["PyTuple_New", Int](count)
    for k in range(count):
        var one = _as_argument(objects, kept(item(made, k)), load(args, k))
        if one == 0:
            drop(found)
            drop(made)
            return 0
        store(found, TUPLE_ITEMS + k, one)
    drop(made)
    return found


def _as_argument(objects: ObjectsPointer, made: Int, x: Int) -> Int:
    return finished(objects, made, x) if is_derived(objects, x) else made


def _each_in_list(
    objects: ObjectsPointer, made: Int, source: Int, how: Int
) -> Int:
    """The same of each item of a list that nobody has yet."""
    for k in range(load(made, TUPLE_SIZE)):
        var one = kept(load(load(made, LIST_ITEMS), k))
        one = _finished(objects, one, source, how)
        if one == 0:
            drop(made)
            return 0
        _ = external_call["PyList_SetItem", Int32](made, k, one)
    return made
