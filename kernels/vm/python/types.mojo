"""The types that Python is given, and what their operators do."""

from std.python import Python, PythonObject
from vm.base.buffers import buffer_type
from vm.base.bytecode import FIRST_KERNEL
from vm.base.fields import (
    ARRAY_TYPE_PLACE,
    NONE_PLACE,
    SCALAR_TYPE_PLACE,
)
from vm.base.parts import kernel_count
from vm.base.raw import TYPE, address_of, drop, kept, load, owned, store
from vm.base.types import (
    SEQUENCE_TYPE,
    add_to_mro,
    handle_type,
    value_type,
)
from vm.calls.function import function_type as type_of_functions
from vm.calls.shared import new_calls
from vm.calls.ufunc import ufunc_type
from vm.calls.ufunc import set_ufunc as set_ufunc_of
from vm.python.state import state_of
from vm.record.attributes import getters_for
from vm.record.flat import flat_type
from vm.record.functions import add_functions
from vm.record.kinds import set_comparison
from vm.record.record import Loop, add_loop, new_loops, new_operator
from vm.record.scalar_operators import know_operators
from vm.record.scalar_types import know_arrays
from vm.record.slots import slots_of_all, slots_of_arrays, slots_of_scalars
from vm.record.slots import set_operator as set_slot
from vm.record.theirs_as_class import know_class


def bind(handle: PythonObject, facts: PythonObject) raises -> PythonObject:
    """Takes over what Python's side knows: constants, NumPy's dtypes, the log.

    Args:
        handle: The state.
        facts: See `lazy/run/machine.py`; `in_place` are the opcodes of the kernels that update
            their first input.
    """
    var state = state_of(handle)
    ref api = state[].plan.api
    api.region = Int(py=facts["region"])
    api.float_type = address_of(facts["float"])
    var five = PythonObject(5)
    api.know_ints(address_of(facts["int"]), address_of(five))
    _ = five^
    var table = state[].objects.operators
    store(table, ARRAY_TYPE_PLACE, state[].objects.array_type)
    store(table, SCALAR_TYPE_PLACE, state[].objects.scalar_type)
    api.dtypes.clear()
    for dtype in facts["dtypes"]:
        api.dtypes.append(address_of(dtype))
    api.in_place = _marked(facts["in_place"])
    api.several = _marked(facts["several"])
    state[].objects.api = api.copy()
    state[].objects.bind(facts)
    know_arrays(state[].objects)
    know_operators(state[].objects)
    know_class(state[].objects)
    return PythonObject(None)


def _marked(opcodes: PythonObject) raises -> List[Int]:
    """By kernel: 1 for some of them."""
    var marks = List[Int](length=kernel_count(), fill=0)
    for opcode in opcodes:
        marks[Int(py=opcode) - FIRST_KERNEL] = 1
    return marks^


def make_types(
    handle: PythonObject, dtypes: PythonObject
) raises -> PythonObject:
    """The types of values and handles, and the functions that make these, by name.

    Args:
        handle: The state.
        dtypes: The names of the dtypes, by their codes.
    """
    var state = state_of(handle)
    ref objects = state[].objects
    var none = PythonObject(None)
    var empty = Python.tuple()
    state[].plan.api.none = kept(address_of(none))
    state[].plan.api.empty = kept(address_of(empty))
    state[].plan.api.value_type = value_type()
    state[].plan.api.buffer_type = buffer_type()
    var every = handle_type("jujunp.Handle", 0, slots_of_all())
    var numpys = Int(py=Python.import_module("numpy").ndarray.__flags__)
    var arrays = handle_type(
        "jujunp.Array", every, slots_of_arrays(), numpys & SEQUENCE_TYPE
    )
    objects.array_type = handle_type(
        "jujunp.ndarray", arrays, [], numpys & SEQUENCE_TYPE
    )
    objects.scalar_type = handle_type(
        "jujunp.scalar", every, slots_of_scalars()
    )
    objects.float_scalar_type = handle_type(
        "jujunp.float64", objects.scalar_type, []
    )
    var scalars = Python.list()
    for dtype in dtypes:
        objects.kinds.append(
            handle_type(
                String("jujunp.", String(py=dtype)), objects.scalar_type, []
            )
        )
        scalars.append(owned(kept(objects.kinds[len(objects.kinds) - 1])))
    var float = Python.evaluate("float")
    add_to_mro(objects.float_scalar_type, address_of(float))
    objects.api = state[].plan.api.copy()
    store(objects.operators, NONE_PLACE, objects.api.none)
    var made = Python.dict()
    made["Value"] = owned(kept(objects.api.value_type))
    made["Buffer"] = owned(kept(objects.api.buffer_type))
    made["Handle"] = owned(every)
    made["Array"] = owned(arrays)
    made["ndarray"] = owned(kept(objects.array_type))
    made["scalar"] = owned(kept(objects.scalar_type))
    made["scalars"] = scalars
    made["float_scalar"] = owned(kept(objects.float_scalar_type))
    add_functions(Int(Pointer(to=objects)), made)
    state[].calls = new_calls(
        Int(Pointer(to=objects)),
        type_of_functions(methods=True),
        type_of_functions(methods=False),
    )
    objects.ufunc_type = ufunc_type()
    made["ufunc"] = owned(kept(objects.ufunc_type))
    made["flat type"] = owned(flat_type())
    for getter in getters_for(Int(Pointer(to=objects))):
        made[PythonObject(getter[0])] = getter[1]
    return made


def set_class_of_type(
    type: PythonObject, metaclass: PythonObject
) raises -> PythonObject:
    """Makes a type one of a class of types whose objects have no other fields.

    Python gives a type its class when it is made, before Python code has one for it.
    """
    var old = load(address_of(type), TYPE)
    store(address_of(type), TYPE, kept(address_of(metaclass)))
    drop(old)
    return PythonObject(None)


def compare_by_dtype(metaclass: PythonObject) raises -> PythonObject:
    """Has the types of a class of types compare as those of scalars do: see `vm.record.kinds`."""
    set_comparison(address_of(metaclass))
    return PythonObject(None)


def loops() raises -> PythonObject:
    """A new list of loops: its handle is an int."""
    return PythonObject(new_loops())


def learn(
    loops: PythonObject,
    x: PythonObject,
    y: PythonObject,
    code: PythonObject,
    result: PythonObject,
    limits: PythonObject,
    direct: PythonObject,
) raises -> PythonObject:
    """Adds to the loops how operands of two kinds are recorded: known scalars alone, unless that is direct."""
    var known = kept(address_of(code))
    var loop = Loop(
        known if direct else 0,
        known,
        kept(address_of(result)),
        Int(py=limits[0]),
        Int(py=limits[1]),
    )
    add_loop(Int(py=loops), Int(py=x), Int(py=y), loop)
    return PythonObject(None)


def set_flat_class(
    handle: PythonObject, kind: PythonObject
) raises -> PythonObject:
    """Tells the class of what `x.flat` gives, derived from the type for that."""
    state_of(handle)[].objects.flat_class = kept(address_of(kind))
    return PythonObject(None)


def set_askers(
    handle: PythonObject, askers: PythonObject
) raises -> PythonObject:
    """Tells which modules are shown NumPy's class of arrays, a dictionary: see `vm.record.slots`."""
    state_of(handle)[].objects.askers = kept(address_of(askers))
    return PythonObject(None)


def set_classes(
    handle: PythonObject, classes: PythonObject
) raises -> PythonObject:
    """Tells what classes that are derived from arrays have of their own: see `vm.record.derived`."""
    state_of(handle)[].objects.classes = kept(address_of(classes))
    return PythonObject(None)


def set_simple_powers(
    handle: PythonObject,
    power: PythonObject,
    naming: PythonObject,
    ufuncs: PythonObject,
) raises -> PythonObject:
    """Tells by which ufuncs simple powers are computed, a tuple in the order of
    `vm.record.record.SIMPLE_POWERS`, the ufunc for all others, and the number of its name."""
    ref objects = state_of(handle)[].objects
    objects.power = kept(address_of(power))
    objects.power_naming = Int(py=naming)
    objects.powers = kept(address_of(ufuncs))
    return PythonObject(None)


def set_ufunc(
    handle: PythonObject,
    ufunc: PythonObject,
    arity: PythonObject,
    loops: PythonObject,
    otherwise: PythonObject,
    naming: PythonObject,
    by_place: PythonObject,
) raises -> PythonObject:
    """Tells a new ufunc what records its calls: see `vm.calls.ufunc`.

    Its loops are those of its number of operands; None if all calls are those of `otherwise`.
    """
    var objects = Int(Pointer(to=state_of(handle)[].objects))
    var operator = 0
    if address_of(loops) != state_of(handle)[].objects.api.none:
        operator = new_operator(
            objects, Int(py=loops), otherwise, PythonObject(None)
        )
    set_ufunc_of(
        address_of(ufunc),
        Int(py=arity),
        operator,
        address_of(otherwise),
        Int(py=naming),
        Bool(py=by_place),
    )
    return PythonObject(None)


def set_operator(
    handle: PythonObject,
    name: PythonObject,
    loops: PythonObject,
    forward: PythonObject,
    reflected: PythonObject,
) raises -> PythonObject:
    """Tells what an operator of handles does: see `vm.record.slots`."""
    var objects = Int(Pointer(to=state_of(handle)[].objects))
    set_slot(objects, String(py=name), Int(py=loops), forward, reflected)
    return PythonObject(None)
