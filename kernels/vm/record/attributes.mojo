"""Attributes of handles that programs read often, as functions of a handle."""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import HANDLE_CODE, HANDLE_SHAPE
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer, item
from vm.base.raw import TUPLE_SIZE, drop, int_of, kept, load
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
    return kept(load(load(args, 0), HANDLE_SHAPE))


def _dtype(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The dtype of the elements."""
    ref objects = Pointer[Objects, MutUntrackedOrigin](
        unsafe_from_address=int_of(me)
    )[]
    return kept(objects.api.dtypes[int_of(load(load(args, 0), HANDLE_CODE))])


def _ndim(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The number of axes."""
    var shape = load(load(args, 0), HANDLE_SHAPE)
    return external_call["PyLong_FromSsize_t", Int](load(shape, TUPLE_SIZE))


def _flat(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The elements in C order."""
    var objects = ObjectsPointer(unsafe_from_address=int_of(me))
    var made = flat_of(objects, load(args, 0))
    if made != UNUSUAL:
        return made
    return external_call["PyObject_CallOneArg", Int](
        objects[].flat_class, load(args, 0)
    )


def _size(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The number of elements: the product of the lengths, which may be symbols."""
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
