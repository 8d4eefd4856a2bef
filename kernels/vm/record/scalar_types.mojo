"""`np.uint8(x)`: NumPy's scalar types, which are ours too, give an array of ours for one of ours.

The types themselves make an array of NumPy's. But Python first asks for a vectorcall, which they have
none of: they get one that converts our arrays, and leaves all else to the type.
"""

from std.ffi import external_call
from vm.base.fields import HANDLE_OPERATORS, HANDLE_SHAPE
from vm.base.objects import Objects
from vm.base.raw import (
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    TYPE_CALL,
    TYPE_VECTORCALL,
    drop,
    kept,
    load,
    store,
)
from vm.base.types import is_handle_type
from vm.record.record import operator_at

comptime Vectorcall = def(
    callable: Int, args: Int, flagged_count: Int, names: Int
) thin abi("C") -> Int
comptime Call = def(callable: Int, args: Int, named: Int) thin abi("C") -> Int
comptime _COUNT = (1 << 63) - 1
"""The bits of the number of arguments, beside a flag."""


def know_arrays(ref objects: Objects):
    """Lets the scalar types of our dtypes know our arrays."""
    var function: Vectorcall = _called
    var address = Pointer(to=function).unsafe_bitcast[Int]()[]
    for type in objects.scalar_types:
        if type != objects.api.none and load(type, TYPE_VECTORCALL) == 0:
            store(type, TYPE_VECTORCALL, address)


def _called(
    type: Int, args: Int, flagged_count: Int, names: Int
) abi("C") -> Int:
    var count = flagged_count & _COUNT
    if count == 1 and names == 0:
        var x = load(args, 0)
        if is_handle_type(load(x, TYPE)) and (
            load(load(x, HANDLE_SHAPE), TUPLE_SIZE) > 0
        ):
            return _converted(x, type)
    return _called_as_before(type, args, count, names)


def _converted(x: Int, type: Int) -> Int:
    """`x.astype(type)`."""
    var operator = operator_at(load(load(x, HANDLE_OPERATORS), 0))
    var name = operator[].objects[].astype_name
    var given: Array[Int, 2] = [x, type]
    var made = external_call["PyObject_VectorcallMethod", Int](
        name, given.unsafe_ptr(), Int(2), Int(0)
    )
    _ = given  # is in use until here
    return made


def _called_as_before(type: Int, args: Int, count: Int, names: Int) -> Int:
    """What Python does for a class without a vectorcall."""
    var given = external_call["PyTuple_New", Int](count)
    if given == 0:
        return 0
    for k in range(count):
        store(given, TUPLE_ITEMS + k, kept(load(args, k)))
    var named = 0
    if names != 0:
        named = external_call["PyDict_New", Int]()
        for k in range(load(names, TUPLE_SIZE)):
            _ = external_call["PyDict_SetItem", Int32](
                named, load(names, TUPLE_ITEMS + k), load(args, count + k)
            )
    var call = load(load(type, TYPE), TYPE_CALL)
    var made = Pointer(to=call).unsafe_bitcast[Call]()[](type, given, named)
    drop(given)
    if named != 0:
        drop(named)
    return made
