"""Plans of what is pending, and running them."""

from std.ffi import external_call
from std.python import Python, PythonObject
from structured.operands.operand import OK
from vm.base.bytecode import FIRST_FUNCTION
from vm.base.fields import VALUE_CODE, VALUE_SHAPE
from vm.base.interface import Interface
from vm.base.objects import item
from vm.base.raw import (
    LIST_ITEMS,
    LIST_SIZE,
    TUPLE_SIZE,
    address_of,
    fill_bytes,
    load,
    owned,
)
from vm.python.state import state_of
from vm.run.flush import bury, failures, run_planned
from vm.run.machine import LARGE_STEPS, MALFORMED


def plan(handle: PythonObject, log: PythonObject) raises -> PythonObject:
    """Plans a list of pending Values; returns the work: element operations, roughly.

    What a small flush has planned, and then left to Python, is not planned again.
    """
    ref state = state_of(handle)[]
    var list = address_of(log)
    var count = load(list, LIST_SIZE)
    var ready = list == state.objects.log and state.planned == count
    state.planned = 0
    if not ready:
        state.plan.build(load(list, LIST_ITEMS), count)
    return PythonObject(state.plan.work)


def bytecode(handle: PythonObject) raises -> PythonObject:
    """The planned bytecode: address, length, and the places of its constants."""
    ref plan = state_of(handle)[].plan
    var constants = Python.list()
    for k in plan.constants:
        constants.append(PythonObject(k))
    return Python.tuple(
        PythonObject(Int(plan.words.unsafe_ptr())),
        PythonObject(len(plan.words)),
        constants,
    )


def name(handle: PythonObject) raises -> PythonObject:
    """What names the plan: bytes, equal for equal steps on leaves of equal dtypes and shapes, and the opcodes
    of users' functions among the steps, in their order, which are others in other processes."""
    ref plan = state_of(handle)[].plan
    var words = plan.words.copy()
    for k in plan.constants:
        words[k] = 0
    words.append(Int64(len(plan.words)))
    var functions = Python.list()
    for node in range(plan.nodes):
        ref entry = plan.entries[node]
        if not entry.needed:
            continue
        words.append(Int64(2 * node + Int(entry.external)))
        var operation = plan.api.small_int(load(entry.object, VALUE_CODE))
        if operation & 0xFFFF >= FIRST_FUNCTION:
            functions.append(PythonObject(operation & 0xFFFF))
    words.append(Int64(-1))
    # what has no elements has no slot, but is an input of a graph all the same
    for leaf in range(plan.nodes, len(plan.entries)):
        _append_spec(words, plan.api, plan.entries[leaf].object)
    for entry in plan.slots:
        if 0 <= entry < plan.nodes:
            _append_spec(words, plan.api, plan.entries[entry].object)
    var bytes = owned(
        external_call["PyBytes_FromStringAndSize", Int](
            Int(words.unsafe_ptr()), 8 * len(words)
        )
    )
    _ = words^  # is in use until here
    return Python.tuple(bytes, functions)


def _append_spec(mut words: List[Int64], api: Interface, leaf: Int):
    """Appends the dtype code, the number of axes and their lengths of a computed value."""
    var shape = load(leaf, VALUE_SHAPE)
    words.append(Int64(api.small_int(load(leaf, VALUE_CODE)) >> 24))
    words.append(Int64(load(shape, TUPLE_SIZE)))
    for axis in range(load(shape, TUPLE_SIZE)):
        words.append(Int64(api.small_int(item(shape, axis))))


def planned(handle: PythonObject) raises -> PythonObject:
    """The places in the log of the values that the plan computes, and of its results."""
    ref plan = state_of(handle)[].plan
    var nodes = Python.list()
    var outputs = Python.list()
    for node in range(plan.nodes):
        if plan.entries[node].needed:
            nodes.append(PythonObject(node))
            if plan.entries[node].external:
                outputs.append(PythonObject(node))
    return Python.tuple(nodes, outputs)


def execute(handle: PythonObject) raises -> PythonObject:
    """Runs the plan of the log, gives the values computed their buffers and drops their history.

    Returns None when all went well, and then the planned values have left the log; else what
    `unfinished` does. It is one call so that nothing can come between its parts.
    """
    var state = state_of(handle)
    state[].status = run_planned(state)
    return unfinished(handle)


def unfinished(handle: PythonObject) raises -> PythonObject:
    """What the last plan that has run has failed with, None if it has not, or if that is known.

    See `vm.run.flush.unfinished`.
    """
    var state = state_of(handle)
    var status = state[].status
    state[].status = OK
    var rest = PythonObject(None)
    if status != OK:
        rest = failures(state, status)
    bury(state)
    return rest^


def run_words(
    handle: PythonObject,
    words: PythonObject,
    sizes: PythonObject,
    limit: PythonObject,
) raises -> PythonObject:
    """Checks and runs any bytecode on fresh memory, to see that nothing can go wrong.

    Args:
        handle: The state.
        words: Address and number of its words.
        sizes: Bytes of each slot, which are zeroed; -1 for one without memory.
        limit: Elements beyond which it is not run.

    Returns the status: that of the machine, MALFORMED or, past the limit, -1.
    """
    var state = state_of(handle)
    ref machine = state[].machine
    ref checker = state[].checker
    var bytecode = List[Int64]()
    for k in range(Int(py=words[1])):
        bytecode.append(Int64(load(Int(py=words[0]), k)))
    machine.slots.clear()
    machine.sizes.clear()
    checker.begin()
    for size in sizes:
        var nbytes = Int(py=size)
        var block = 0
        if nbytes >= 0:
            block = state[].pool.allocate(nbytes)
            fill_bytes(block, 0, max(nbytes, 8))
        machine.slots.append(block)
        machine.sizes.append(nbytes if nbytes > 0 else 1)
        checker.add_slot(nbytes)
    var status = MALFORMED
    if checker.accepts(bytecode):
        status = -1
        if checker.work <= Int(py=limit):
            status = machine.run(bytecode, LARGE_STEPS, state[].pool)
    for slot in range(len(machine.slots)):
        machine.free(slot, state[].pool)
    return PythonObject(status)
