"""The type of public functions and methods: each stands before a Python function.

A call of a known signature is recorded again, or learnt (known.mojo). Any other is the Python function's.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from std.python import PythonObject
from vm.base.objects import UNUSUAL, Objects
from vm.base.raw import (
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    address_of,
    drop,
    is_text,
    kept,
    load,
    store,
)
from vm.base.types import (
    READ_ONLY,
    TP_CALL,
    TP_MEMBERS,
    Member,
    Slot,
    is_handle_type,
    members,
    new_object,
    new_type,
)
from vm.record.elements import is_number
from vm.record.operands import operand_of
from vm.record.pinning import settled
from vm.calls.at_once import made_at_once
from vm.calls.handing_over import DERIVED, NUMPYS, handed_over, whose
from vm.calls.known import recorded
from vm.calls.of_class import made_of_class
from vm.calls.shared import (
    ARRAY_LIKES,
    AT_ONCE,
    AT_ONCE_BITS,
    CALL,
    CALLS,
    CREDIT,
    DICTIONARY,
    END,
    FREE,
    FUNCTION,
    NAMED,
    NUMBERS,
    NAME_BITS,
    TRAITS,
    UFUNCS,
    UNIFORM,
    WARNING,
    WEAK,
    Calls,
    CallsPointer,
)
from vm.calls.signature import MAX_LEAVES

comptime HAS_VECTORCALL = 1 << 11
comptime IS_METHOD = 1 << 17
"""Calls of methods need no bound method."""
comptime TP_DESCR_GET = 54
comptime ARGUMENTS_OFFSET = 1 << 63

comptime Vectorcall = def(me: Int, args: Int, flags: Int, names: Int) thin abi(
    "C"
) -> Int
comptime Call = def(me: Int, args: Int, named: Int) thin abi("C") -> Int
comptime Get = def(me: Int, object: Int, type: Int) thin abi("C") -> Int


def function_type(methods: Bool) raises -> Int:
    """The type of functions that are methods where a class has them, or not."""
    var numbers: List[Member] = [
        ("__vectorcalloffset__", CALL, READ_ONLY),
        ("__dictoffset__", DICTIONARY, READ_ONLY),
        ("__weaklistoffset__", WEAK, READ_ONLY),
    ]
    var call: Call = called
    var get: Get = bound
    var slots: List[Slot] = [
        (TP_MEMBERS, members("", 0, numbers)),
        (TP_CALL, Pointer(to=call).unsafe_bitcast[Int]()[]),
    ]
    var flags = HAS_VECTORCALL
    if methods:
        slots.append((TP_DESCR_GET, Pointer(to=get).unsafe_bitcast[Int]()[]))
        flags |= IS_METHOD
    return new_type("jujunp.function", END, flags, slots)


def new_function(
    calls: Int, function: PythonObject, ufuncs: PythonObject, traits: Int
) raises -> Int:
    """A function that stands before a Python function; ufuncs or None as in `UFUNCS`."""
    ref shared = CallsPointer(unsafe_from_address=calls)[]
    var made = new_object(
        shared.free_type if traits & FREE != 0 else shared.type
    )
    if made == 0:
        raise Error("a function cannot be made")
    var call: Vectorcall = _call
    store(made, CALL, Pointer(to=call).unsafe_bitcast[Int]()[])
    store(made, FUNCTION, kept(address_of(function)))
    store(made, CALLS, calls)
    store(made, DICTIONARY, 0)
    store(made, WEAK, 0)
    store(made, UFUNCS, 0)
    store(made, TRAITS, traits)
    store(made, CREDIT, 0)
    store(made, CREDIT + 1, 0)
    if ufuncs:
        store(made, UFUNCS, kept(address_of(ufuncs)))
    return made


def called(me: Int, args: Int, named: Int) abi("C") -> Int:
    """A call by a tuple and a dictionary."""
    return external_call["PyVectorcall_Call", Int](me, args, named)


def bound(me: Int, object: Int, type: Int) abi("C") -> Int:
    """The method of an object; of a class, the function itself."""
    if object == 0:
        return kept(me)
    return external_call["PyMethod_New", Int](me, object)


def _call(me: Int, args: Int, flags: Int, names: Int) abi("C") -> Int:
    """A call by an array of arguments."""
    var made = _made_aloud(me, args, flags, names)
    if made == 0:
        ref calls = CallsPointer(unsafe_from_address=load(me, CALLS))[]
        if calls.others != 0 and _raised(calls.others):
            var none = calls.objects[].api.none
            return _made_by(calls.maker, me, args, flags, names, none)
        return made
    return settled(
        CallsPointer(unsafe_from_address=load(me, CALLS))[].objects, made
    )


def _raised(error: Int) -> Bool:
    """Whether an error of a type was raised, which is forgotten."""
    if external_call["PyErr_ExceptionMatches", Int32](error) == 0:
        return False
    external_call["PyErr_Clear", NoneType]()
    return True


def _made_by(
    maker: Int, me: Int, args: Int, flags: Int, names: Int, none: Int
) -> Int:
    """What a Python function makes of a call, given its function, arguments and names."""
    var call = _said(me, args, flags, names, none)
    var made = external_call["PyObject_Call", Int](maker, call, Int(0))
    drop(call)
    return made


def _said(me: Int, args: Int, flags: Int, names: Int, none: Int) -> Int:
    """A call as a new tuple of its function, arguments and names."""
    var count = flags & ~ARGUMENTS_OFFSET
    var named = load(names, TUPLE_SIZE) if names != 0 else 0
    var given = external_call["PyTuple_New", Int](count + named)
    for k in range(count + named):
        store(given, TUPLE_ITEMS + k, kept(load(args, k)))
    var call = external_call["PyTuple_New", Int](Int(3))
    store(call, TUPLE_ITEMS, kept(load(me, FUNCTION)))
    store(call, TUPLE_ITEMS + 1, given)
    store(call, TUPLE_ITEMS + 2, kept(names if names != 0 else none))
    return call


@always_inline
def _made_aloud(me: Int, args: Int, flags: Int, names: Int) -> Int:
    """Makes a call whose steps warn if that is known of it, else without any warning."""
    var objects = CallsPointer(unsafe_from_address=load(me, CALLS))[].objects
    if objects[].errors_now() == 0:
        return _made(me, args, flags, names)
    var traits = load(me, TRAITS)
    if traits & WARNING == 0:
        objects[].quiet += 1
        var made = _made(me, args, flags, names)
        objects[].quiet -= 1
        return made
    var naming = objects[].naming
    var name = traits >> NAMED & ((1 << NAME_BITS) - 1)
    if name != 0:
        objects[].naming = name
    objects[].loud += 1
    var made = _made(me, args, flags, names)
    objects[].loud -= 1
    # a call of another thread may have begun meanwhile, and its name must not stay
    objects[].naming = naming if objects[].loud > 0 else 0
    return made


@always_inline
def _made(me: Int, args: Int, flags: Int, names: Int) -> Int:
    var likes = min(
        load(me, TRAITS) >> ARRAY_LIKES & 3, flags & ~ARGUMENTS_OFFSET
    )
    for k in range(likes):
        if not is_handle_type(load(load(args, k), TYPE)):
            return _made_of_arrays(me, args, likes, flags, names)
    return _made_of(me, args, flags, names)


@no_inline
def _made_of_arrays(
    me: Int, args: Int, likes: Int, flags: Int, names: Int
) -> Int:
    """Makes a call with arrays in place of the first arguments: of any numbers one transcript is written.

    What cannot be an array here stays what it is.
    """
    ref calls = CallsPointer(unsafe_from_address=load(me, CALLS))[]
    var all = flags & ~ARGUMENTS_OFFSET
    if names != 0:
        all += load(names, TUPLE_SIZE)
    if all > MAX_LEAVES:
        return _made_of(me, args, flags, names)
    var given = stack_allocation[MAX_LEAVES, Int]()
    for k in range(all):
        store(Int(given), k, load(args, k))
    for k in range(likes):
        var x = load(args, k)
        var stays = is_handle_type(load(x, TYPE)) or (
            load(me, TRAITS) >> (NUMBERS + k) & 1 != 0
            and is_number(calls.objects, x)
        )
        var array = 0 if stays else operand_of(calls.objects, x)
        store(Int(given), k, kept(x) if array == 0 else array)
    # without the word in front, which a callee could use
    var made = _made_of(me, Int(given), flags & ~ARGUMENTS_OFFSET, names)
    for k in range(likes):
        drop(load(Int(given), k))
    return made


@always_inline
def _made_of(me: Int, args: Int, flags: Int, names: Int) -> Int:
    ref calls = CallsPointer(unsafe_from_address=load(me, CALLS))[]
    var count = flags & ~ARGUMENTS_OFFSET
    if load(me, UFUNCS) != 0 and names == 0:
        var made = _handed_over(calls, me, args, count)
        if made != UNUSUAL:
            return made
    elif calls.learner != 0 and not calls.objects[].as_python():
        var traits = load(me, TRAITS)
        var kind = traits >> AT_ONCE & ((1 << AT_ONCE_BITS) - 1)
        if kind != 0:
            var made = made_at_once(calls.objects, kind, args, count, names)
            if made != UNUSUAL:
                return made
        var named = load(names, TUPLE_SIZE) if names != 0 else 0
        var makes = whose(calls, args, count + named)
        if makes == DERIVED:
            var made = made_of_class(calls, me, args, count + named, names)
            if made != UNUSUAL:
                return made
        elif makes == NUMPYS:
            var none = calls.objects[].api.none
            var made = handed_over(calls, _said(me, args, count, names, none))
            if made != UNUSUAL:
                return made
        if traits & UNIFORM != 0:
            var made = recorded[True](calls, me, args, count, names)
            if made != UNUSUAL:
                return made
        var made = recorded[False](calls, me, args, count, names)
        if made != UNUSUAL:
            return made
    return _asked(me, args, flags, names)


@always_inline
def _asked(me: Int, args: Int, count: Int, names: Int) -> Int:
    """What the Python function gives."""
    return external_call["PyObject_Vectorcall", Int](
        load(me, FUNCTION), args, count, names
    )


@always_inline
def _same_text(a: Int, b: Int) -> Bool:
    return is_text(a) and external_call["PyUnicode_Compare", Int32](a, b) == 0


def _is_plain(objects: Objects, x: Int) -> Bool:
    """Whether this is an array, a scalar or a number, of no derived type."""
    var type = load(x, TYPE)
    if objects.is_handle(x) or type == objects.numpy_array_type:
        return True
    if type == objects.int_type or type == objects.api.float_type:
        return True
    return objects.scalar_dtype(type) >= 0


def _handed_over(ref calls: Calls, me: Int, args: Int, count: Int) -> Int:
    """Calls our ufunc: of `x.__array_ufunc__(ufunc, "__call__", *operands)`."""
    # NumPy makes the text anew for each call
    if count < 4 or not _same_text(load(args, 2), calls.objects[].call_name):
        return UNUSUAL
    var ufunc = external_call["PyDict_GetItem", Int](
        load(me, UFUNCS), load(args, 1)
    )
    if ufunc == 0:
        return UNUSUAL
    for k in range(3, count):
        if not _is_plain(calls.objects[], load(args, k)):
            return UNUSUAL  # it may have an answer of its own
    return external_call["PyObject_Vectorcall", Int](
        ufunc, args + 3 * 8, count - 3, Int(0)
    )
