"""What Python code makes steps, values and handles with: functions of arguments by position."""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import (
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_SHAPE,
    VALUE_SITE,
    VALUE_WITHIN,
)
from vm.base.objects import ObjectsPointer, fill
from vm.base.raw import drop, int_of, kept, load, store
from vm.base.types import new_object
from vm.record.record import new_function


def functions_for(
    objects: Int,
) -> Tuple[PythonObject, PythonObject, PythonObject]:
    """The functions `record`, `leaf` and `new_handle`."""
    return (
        new_function(record, objects, "record"),
        new_function(leaf, objects, "leaf"),
        new_function(handle, objects, "new_handle"),
    )


@always_inline
def _objects(me: Int) -> ObjectsPointer:
    return ObjectsPointer(unsafe_from_address=int_of(me))


def _refused() -> Int:
    """Raises TypeError for a number of arguments that is not the function's."""
    _ = external_call["PyErr_BadArgument", Int32]()
    return 0


def record(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A pending value at the end of the log.

    Args: code, shape, inputs, and then layouts and params, which may be left out.
    """
    if count < 3:
        return _refused()
    ref objects = _objects(me)[]
    var none = objects.api.none
    var made = objects.new_value(
        load(args, 0),
        load(args, 1),
        kept(load(args, 2)),
        kept(load(args, 3) if count > 3 else none),
    )
    if made != 0 and count > 4:
        store(made, VALUE_PARAMS, kept(load(args, 4)))
        drop(none)
    return made


def leaf(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A value that has its buffer; args: dtype code, shape, buffer."""
    if count != 3:
        return _refused()
    ref objects = _objects(me)[]
    var made = new_object(objects.api.value_type)
    if made == 0:
        return 0
    var code = external_call["PyLong_FromSsize_t", Int](
        int_of(load(args, 0)) << 24
    )
    store(made, VALUE_CODE, code)
    fill(made, VALUE_SHAPE, load(args, 1))
    fill(made, VALUE_INPUTS, objects.api.empty)
    fill(made, VALUE_LAYOUTS, objects.api.none)
    fill(made, VALUE_PARAMS, objects.api.none)
    fill(made, VALUE_BUFFER, load(args, 2))
    store(made, VALUE_SITE, 0)
    store(made, VALUE_WITHIN, 0)
    return made


def handle(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A handle; args: its type, value, base, layout, shape, dtype code."""
    if count != 6:
        return _refused()
    return _objects(me)[].new_handle(
        load(args, 0),
        kept(load(args, 1)),
        load(args, 2),
        load(args, 3),
        load(args, 4),
        load(args, 5),
    )
