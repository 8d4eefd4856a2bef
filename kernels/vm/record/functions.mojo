"""What Python code makes steps, values and handles with: functions of arguments by position."""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.bytecode import FIRST_FUNCTION, FIRST_KERNEL, PROJECT, STORE
from vm.base.fields import (
    BUFFER_PINS,
    BUFFER_SHARING,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_PARAMS,
)
from vm.base.objects import Objects, ObjectsPointer, item
from vm.base.pins import ALONE, FOR_GOOD, has_pinned
from vm.base.raw import (
    LIST_ITEMS,
    TUPLE_SIZE,
    TYPE,
    TYPE_FLAGS,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import is_handle_type
from vm.record.arrow import capsules
from vm.record.derived import as_class, origin, plain_view
from vm.record.elements import new_leaf
from vm.record.exchange import array_over
from vm.record.taking_over import imported
from vm.record.joining import STACK, joined
from vm.record.views_of_memory import raise_again
from vm.record.pinning import (
    bind,
    hurried,
    memory_for_others,
    settled,
)
from vm.record.record import UNUSUAL, new_function
from vm.run.flush import flush_small
from vm.run.state import state_at


def add_functions(objects: Int, made: PythonObject) raises:
    """Adds the functions to a dict, by name."""
    made["record"] = new_function(record, objects, "record")
    made["leaf"] = new_function(leaf, objects, "leaf")
    made["new_handle"] = new_function(handle, objects, "new_handle")
    made["plain_view"] = new_function(plains, objects, "plain_view")
    made["as_class"] = new_function(of_class, objects, "as_class")
    made["origin"] = new_function(origins, objects, "origin")
    made["stacked"] = new_function(stacks, objects, "stacked")
    made["flush_small"] = new_function(flush, objects, "flush_small")
    made["array_over"] = new_function(array, objects, "array_over")
    made["imported"] = new_function(imports, objects, "imported")
    made["bind"] = new_function(binds, objects, "bind")
    made["is_pinned"] = new_function(pinned, objects, "is_pinned")
    made["sharing_of"] = new_function(sharing_of, objects, "sharing_of")
    made["pin_for_good"] = new_function(pins, objects, "pin_for_good")
    made["arrow_capsules"] = new_function(capsules, objects, "arrow_capsules")
    made["is_urgent"] = new_function(urgent, objects, "is_urgent")
    made["holds_handles"] = new_function(holds, objects, "holds_handles")
    made["flushes"] = new_function(flushes, objects, "flushes")
    made["flushed"] = new_function(flushed, objects, "flushed")
    made["forget_habits"] = new_function(
        forget_habits, objects, "forget_habits"
    )
    made["runs"] = new_function(runs, objects, "runs")
    made["strange_steps"] = new_function(
        strange_steps, objects, "strange_steps"
    )
    made["reads"] = new_function(reads, objects, "reads")


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
    var operation = objects.api.small_int(load(args, 0)) & 0xFFFF
    if operation == PROJECT and not _has_several(objects, load(args, 2)):
        external_call["PyErr_SetString", NoneType](
            objects.value_error, "no kernel with several results".ptr()
        )
        return 0
    var more = _has_more_to_come(objects, operation)
    if not more and load(objects.urgent, 0) != 0:
        if not hurried(_objects(me)):
            return 0
    var made = objects.new_value(
        load(args, 0),
        load(args, 1),
        kept(load(args, 2)),
        kept(load(args, 3) if count > 3 else none),
        of_call=True,
    )
    if made != 0 and count > 4:
        store(made, VALUE_PARAMS, kept(load(args, 4)))
        drop(none)
    return made if more else settled(_objects(me), made)


@always_inline
def _has_several(ref objects: Objects, inputs: Int) -> Bool:
    """Whether the only operand of a step is a kernel that is known to have several results."""
    var code = load(item(inputs, 0), VALUE_CODE)
    var kernel = (objects.api.small_int(code) & 0xFFFF) - FIRST_KERNEL
    return objects.api.several[kernel] != 0


@always_inline
def _has_more_to_come(ref objects: Objects, operation: Int) -> Bool:
    """Whether a step must not run before what belongs to it: its array is given it, or further results of
    it are named."""
    if operation == STORE or operation == PROJECT:
        return True
    if not FIRST_KERNEL <= operation < FIRST_FUNCTION:
        return False
    ref api = objects.api
    var kernel = operation - FIRST_KERNEL
    return api.in_place[kernel] != 0 or api.several[kernel] != 0


def leaf(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A value that has its buffer; args: dtype code, shape, buffer."""
    if count != 3:
        return _refused()
    ref objects = _objects(me)[]
    return new_leaf(
        objects, int_of(load(args, 0)), load(args, 1), kept(load(args, 2))
    )


def handle(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A handle; args: its type, value, base, layout, shape, dtype code."""
    if count != 6:
        return _refused()
    ref objects = _objects(me)[]
    var type = load(args, 0)
    if type == objects.scalar_type or objects.is_scalar(type):
        # no float of Python's, as what Python makes is not known
        type = objects.kinds[int_of(load(args, 5))]
    return objects.new_handle(
        type,
        kept(load(args, 1)),
        load(args, 2),
        load(args, 3),
        load(args, 4),
        load(args, 5),
    )


def plains(me: Int, args: Int, count: Int) abi("C") -> Int:
    """An array of a derived class as a plain one over the same memory."""
    if count != 1:
        return _refused()
    return plain_view(_objects(me), load(args, 0))


def of_class(me: Int, args: Int, count: Int) abi("C") -> Int:
    """An array as one of a class; args: the array, the class, and what it was made from."""
    if count != 3:
        return _refused()
    return as_class(_objects(me), load(args, 0), load(args, 1), load(args, 2))


def origins(me: Int, args: Int, count: Int) abi("C") -> Int:
    """The array that one is a view of; None for an owner."""
    if count != 1:
        return _refused()
    return kept(origin(_objects(me), load(args, 0)))


def stacks(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A new array of the arrays in a list or in nested ones; None where Python must make it."""
    if count != 1:
        return _refused()
    var made = joined(_objects(me), load(args, 0), STACK)
    return made if made != UNUSUAL else kept(_objects(me)[].api.none)


# -- pinned memory


def binds(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Gives an owner another value; args: both."""
    if count != 2:
        return _refused()
    if not bind(_objects(me), load(args, 0), load(args, 1)):
        return 0
    return kept(_objects(me)[].api.none)


def pinned(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Whether the memory of a value is pinned."""
    var type = _objects(me)[].api.buffer_type
    return external_call["PyBool_FromLong", Int](
        Int(has_pinned(load(args, 0), type))
    )


def sharing_of(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Who else uses the memory of a value, as a number of pins.mojo; of what is pending, nobody."""
    var buffer = load(load(args, 0), VALUE_BUFFER)
    var is_buffer = load(buffer, TYPE) == _objects(me)[].api.buffer_type
    return external_call["PyLong_FromSsize_t", Int](
        load(buffer, BUFFER_SHARING) if is_buffer else ALONE
    )


def pins(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Pins the memory of an owner as long as it lives; args: the owner, the array that is looked at."""
    if raise_again(_objects(me), load(args, 1)):
        return 0
    var buffer = memory_for_others(_objects(me), load(args, 0))
    if buffer == 0:
        return 0
    store(buffer, BUFFER_PINS, load(buffer, BUFFER_PINS) | FOR_GOOD)
    return kept(_objects(me)[].api.none)


def urgent(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Whether a pending step may read pinned memory."""
    return external_call["PyBool_FromLong", Int](
        Int(load(_objects(me)[].urgent, 0) != 0)
    )


# -- what is given

comptime LIST_OR_TUPLE = 3 << 25
"""The flags of types that are derived of lists or of tuples."""
comptime DEEPEST = 64
"""How deep sequences are looked through: deeper ones are no arrays."""


def holds(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Whether a list or tuple has a handle in it, or in a list or tuple of it, and so on."""
    if count != 1:
        return _refused()
    var found = _holds_handles(load(args, 0), 0)
    return external_call["PyBool_FromLong", Int](Int(found))


def _holds_handles(sequence: Int, depth: Int) -> Bool:
    var flags = load(load(sequence, TYPE), TYPE_FLAGS) & LIST_OR_TUPLE
    if flags == 0 or depth == DEEPEST:
        return False
    var is_list = flags & (1 << 25) != 0
    for k in range(load(sequence, TUPLE_SIZE)):
        var part = load(load(sequence, LIST_ITEMS), k) if is_list else item(
            sequence, k
        )
        var type = load(part, TYPE)
        if is_handle_type(type) or (
            load(type, TYPE_FLAGS) & LIST_OR_TUPLE != 0
            and _holds_handles(part, depth + 1)
        ):
            return True
    return False


# -- flushes


def flush(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Computes what is pending if that is little work; returns whether nothing is pending now."""
    var done = flush_small(state_at(_objects(me)[].state))
    return external_call["PyBool_FromLong", Int](Int(done))


def forget_habits(me: Int, args: Int, count: Int) abi("C") -> Int:
    """None, and from now on it is as if no number had been read, and no step run."""
    _objects(me)[].asked = 0
    _objects(me)[].small_steps = 0
    return kept(_objects(me)[].api.none)


def flushed(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Counts a flush that Python has done."""
    ref objects = _objects(me)[]
    objects.flushes += 1
    return kept(objects.api.none)


def flushes(me: Int, args: Int, count: Int) abi("C") -> Int:
    """How many flushes there were."""
    return _number(_objects(me)[].flushes)


def runs(me: Int, args: Int, count: Int) abi("C") -> Int:
    """How many plans have run on the immediate tier."""
    return _number(_objects(me)[].runs)


def strange_steps(me: Int, args: Int, count: Int) abi("C") -> Int:
    """How many steps other threads have recorded while a call was learnt."""
    return _number(load(_objects(me)[].strange, 0))


def reads(me: Int, args: Int, count: Int) abi("C") -> Int:
    """How often Python code was given elements of computed memory, or where they are."""
    return _number(_objects(me)[].reads)


@always_inline
def _number(number: Int) -> Int:
    return external_call["PyLong_FromSsize_t", Int](number)


# -- NumPy's arrays


def array(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A NumPy array over a buffer, which it keeps.

    Args: buffer, layout, shape, dtype code, whether it can be written; see `exchange.array_over`.
    """
    ref objects = _objects(me)[]
    if count != 5 or load(load(args, 0), TYPE) != objects.api.buffer_type:
        return _refused()
    var writeable = load(args, 4) != objects.no
    objects.reads += 0 if writeable else 1
    return array_over(
        objects,
        load(args, 0),
        load(args, 1),
        load(args, 2),
        int_of(load(args, 3)),
        writeable,
    )


def imports(me: Int, args: Int, count: Int) abi("C") -> Int:
    """A new buffer with the elements of a NumPy array, None for one that must be converted.

    Args: the array, its dtype code, the bytes of its elements; see `exchange.imported`.
    """
    if count != 3:
        return _refused()
    ref objects = _objects(me)[]
    var code = int_of(load(args, 1))
    var nbytes = int_of(load(args, 2))
    var made = imported(objects, load(args, 0), code, nbytes)
    return made if made != UNUSUAL else kept(objects.api.none)
