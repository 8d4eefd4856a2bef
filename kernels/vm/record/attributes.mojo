"""Attributes of handles that programs read often, as functions of a handle.

Of anything else they give what NumPy's attribute of the same name gives: that of an array of NumPy's,
or TypeError.
"""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import HANDLE_CODE, HANDLE_SHAPE
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer, item
from vm.base.raw import TUPLE_SIZE, TYPE, drop, int_of, kept, load
from vm.base.types import is_handle_type
from vm.record.flat import flat_of
from vm.record.record import Method, new_function


def getters_for(objects: Int) -> List[Tuple[String, PythonObject]]:
    """The functions by their names."""
    return [
        (String("shape"), new_function(_shape, objects, "shape")),
        (String("dtype"), new_function(_dtype, objects, "dtype")),
        (String("ndim"), new_function(_ndim, objects, "ndim")),
        (String("size"), new_function(_size, objects, "size")),
        (String("flat"), new_function(_flat, objects, "flat")),
    ]


def _shape(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The lengths of the axes."""
    if not _is_ours(args, count):
        return _theirs(me, args, count, "shape\0")
    return kept(load(load(args, 0), HANDLE_SHAPE))


def _dtype(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The dtype of the elements."""
    if not _is_ours(args, count):
        return _theirs(me, args, count, "dtype\0")
    ref objects = Pointer[Objects, MutUntrackedOrigin](
        unsafe_from_address=int_of(me)
    )[]
    return kept(objects.api.dtypes[int_of(load(load(args, 0), HANDLE_CODE))])


def _ndim(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The number of axes."""
    if not _is_ours(args, count):
        return _theirs(me, args, count, "ndim\0")
    var shape = load(load(args, 0), HANDLE_SHAPE)
    return external_call["PyLong_FromSsize_t", Int](load(shape, TUPLE_SIZE))


def _flat(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The elements in C order."""
    if not _is_ours(args, count):
        return _theirs(me, args, count, "flat\0")
    var objects = ObjectsPointer(unsafe_from_address=int_of(me))
    var made = flat_of(objects, load(args, 0))
    if made != UNUSUAL:
        return made
    return external_call["PyObject_CallOneArg", Int](
        objects[].flat_class, load(args, 0)
    )


def _size(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The number of elements: the product of the lengths, which may be symbols."""
    if not _is_ours(args, count):
        return _theirs(me, args, count, "size\0")
    var shape = load(load(args, 0), HANDLE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    if rank == 1:
        return kept(item(shape, 0))
    var made = external_call["PyLong_FromSsize_t", Int](Int(1))
    for axis in range(rank):
        var product = external_call["PyNumber_Multiply", Int](
            made, item(shape, axis)
        )
        drop(made)
        if product == 0:
            return 0
        made = product
    return made


@always_inline
def _is_ours(args: Int, count: Int) -> Bool:
    return count == 1 and is_handle_type(load(load(args, 0), TYPE))


def _theirs(me: Int, args: Int, count: Int, name: StaticString) -> Int:
    """What NumPy's attribute gives, by the descriptor of its array type."""
    var type = ObjectsPointer(unsafe_from_address=int_of(me))[].numpy_array_type
    var found = external_call["PyObject_GetAttrString", Int](
        type, Int(name.unsafe_ptr())
    )
    var get = external_call["PyObject_GetAttrString", Int](
        found, Int("__get__".ptr())
    )
    var made = external_call["PyObject_Vectorcall", Int](
        get, args, count, Int(0)
    )
    drop(get)
    drop(found)
    return made
