"""`theirs.view(ndarray)`: the method of NumPy's arrays takes our class for NumPy's.

By itself it takes a class that is not derived from NumPy's array for a dtype, and so ours: what
programs write of records and masked arrays, `x.view(np.ndarray)`, would be an error.
"""

from std.ffi import _Global, external_call
from vm.base.objects import Objects
from vm.base.raw import (
    TUPLE_SIZE,
    TYPE,
    TYPE_FLAGS,
    TYPE_IS_TYPE,
    drop,
    load,
    store,
)
from vm.base.types import is_handle_type
from vm.record.methods import (
    DESCRIPTOR_METHOD,
    METH_FASTCALL,
    METH_KEYWORDS,
    Function,
)

comptime _FUNCTION = 0
comptime _METHOD = 1
comptime _TYPE = 2


def _none() -> List[Int]:
    return [0, 0, 0]


comptime _THEIRS = _Global["jujunp_view_of_numpy", _none]
"""NumPy's function, the method as an object, and the array type."""


def know_class(ref objects: Objects) raises:
    """Lets the method `view` of NumPy's arrays know the class of ours."""
    var found = external_call["PyObject_GetAttrString", Int](
        objects.numpy_array_type, Int("view".ptr())
    )
    var method = load(found, DESCRIPTOR_METHOD)
    drop(found)  # the type has it
    var function: Function = _view
    var ours = Pointer(to=function).unsafe_bitcast[Int]()[]
    var flags = load(method, 2) & 0xFFFFFFFF
    if flags != METH_FASTCALL | METH_KEYWORDS or load(method, 1) == ours:
        return
    var theirs = _THEIRS.get_or_create_ptr()
    theirs[][_FUNCTION] = load(method, 1)
    theirs[][_METHOD] = found
    theirs[][_TYPE] = objects.numpy_array_type
    store(method, 1, ours)


def _view(x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.view(dtype, type)`, in which a class of our arrays is that of NumPy's."""
    var total = count + (0 if names == 0 else load(names, TUPLE_SIZE))
    var is_ours = False
    for k in range(total):
        is_ours |= _is_our_class(load(args, k))
    try:
        ref theirs = _THEIRS.get_or_create_ptr()[]
        if is_ours:
            return _of_their_class(theirs, x, args, count, names)
        var function = theirs[_FUNCTION]
        return Pointer(to=function).unsafe_bitcast[Function]()[](
            x, args, count, names
        )
    except:
        return external_call["PyErr_NoMemory", Int]()


def _of_their_class(
    ref theirs: List[Int], x: Int, args: Int, count: Int, names: Int
) -> Int:
    """The call with NumPy's class in place of ours."""
    var total = count + (0 if names == 0 else load(names, TUPLE_SIZE))
    var given = List[Int](capacity=total + 1)
    given.append(x)
    for k in range(total):
        var argument = load(args, k)
        given.append(theirs[_TYPE] if _is_our_class(argument) else argument)
    var made = external_call["PyObject_Vectorcall", Int](
        theirs[_METHOD], Int(given.unsafe_ptr()), count + 1, names
    )
    _ = given^
    return made


@always_inline
def _is_our_class(object: Int) -> Bool:
    var is_type = load(load(object, TYPE), TYPE_FLAGS) & TYPE_IS_TYPE != 0
    return is_type and is_handle_type(object)
