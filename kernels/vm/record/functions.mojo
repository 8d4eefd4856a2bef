"""What Python code makes steps, values and handles with: functions of arguments by position."""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import VALUE_PARAMS
from vm.base.objects import ObjectsPointer
from vm.base.raw import TYPE, drop, int_of, kept, load, store
from vm.record.elements import new_leaf
from vm.record.exchange import array_over, imported
from vm.record.record import UNUSUAL, new_function
from vm.run.flush import flush_small
from vm.run.state import state_at


def add_functions(objects: Int, made: PythonObject) raises:
    """Adds the functions to a dict, by name."""
    made["record"] = new_function(record, objects, "record")
    made["leaf"] = new_function(leaf, objects, "leaf")
    made["new_handle"] = new_function(handle, objects, "new_handle")
    made["flush_small"] = new_function(flush, objects, "flush_small")
    made["array_over"] = new_function(array, objects, "array_over")
    made["imported"] = new_function(imports, objects, "imported")
    made["flushes"] = new_function(flushes, objects, "flushes")
    made["flushed"] = new_function(flushed, objects, "flushed")
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
    return new_leaf(
        objects, int_of(load(args, 0)), load(args, 1), kept(load(args, 2))
    )


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


# -- flushes


def flush(me: Int, args: Int, count: Int) abi("C") -> Int:
    """Computes what is pending if that is little work; returns whether nothing is pending now."""
    var done = flush_small(state_at(_objects(me)[].state))
    return external_call["PyBool_FromLong", Int](Int(done))


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
