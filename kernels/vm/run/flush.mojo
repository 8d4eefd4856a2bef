"""Flushes: what is planned is run, values are given their buffers, and the log is cleared.

A flush of little work is one call without any Python code, `flush_small`. All others are Python's
(lazy/run/flush.py): those that the policy is asked about, those for which other threads get the
interpreter meanwhile, and those of which a step fails. It plans and then calls `run_planned`.
"""

from std.ffi import external_call
from std.python import Python, PythonObject
from vm.base.buffers import new_buffer
from vm.base.bytecode import KERNEL, KERNEL_HEADER
from vm.base.errors import watched
from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_SIZE,
    VALUE_BUFFER,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
)
from vm.base.objects import PATIENCE, Objects
from vm.base.raw import drop, kept
from vm.base.raw import LIST_ITEMS, LIST_SIZE, TYPE, load, store
from vm.plan.entry import NEVER
from vm.run.check import EMPTY
from vm.run.direct import run_directly
from vm.run.findings import Findings
from vm.run.machine import MALFORMED
from vm.run.report import hand_over
from vm.run.state import StatePointer, state_at
from structured.operands.operand import OK


comptime WORTH_UNLOCKING = 1 << 20
"""Work for which the interpreter lock is given to other threads meanwhile: some tenths of a millisecond."""


# -- little work


def computed(ref objects: Objects, value: Int) -> Int:
    """The buffer of a value, which is computed now if need be; somebody must hold the value.

    It is 0 where Python's `ensure` must compute it, or tell why it has none.
    """
    var buffer = load(value, VALUE_BUFFER)
    if buffer == objects.api.none:
        if not flush_small(state_at(objects.state)):
            return 0
        buffer = load(value, VALUE_BUFFER)
    return buffer if load(buffer, TYPE) == objects.api.buffer_type else 0


def flush_small(state: StatePointer) -> Bool:
    """Computes what is pending; False where that is left to Python.

    Nothing runs Python code, and thus other threads, between the plan and the end; finalizers of
    what is dropped then find all in order. What they record is computed as well.
    """
    ref objects = state[].objects
    var done = False
    objects.deferred = 0
    objects.patience = PATIENCE
    if len(state[].machine.hot.hot) > 0:
        return False  # Python is to be told which groups are hot
    if load(objects.findings, LIST_SIZE) > 0:
        return False  # Python is to warn
    while load(objects.log, LIST_SIZE) > 0:
        # a learner keeps what is pending before it is computed
        if objects.learning > 0 or objects.running() or not _run_small(state):
            return False
        bury(state)
        done = True
    if done:
        objects.flushes += 1
    return load(objects.findings, LIST_SIZE) == 0


def compute_directly(state: StatePointer):
    """Computes what is pending, as far as that needs no plan and no Python."""
    ref objects = state[].objects
    if (
        objects.learning > 0
        or objects.running()
        or state[].status != OK
        or len(state[].machine.hot.hot) > 0
    ):
        return
    var count = load(objects.log, LIST_SIZE)
    try:
        _ = run_directly(state)
    except:
        external_call["PyErr_Clear", NoneType]()
    objects.flushes += Int(load(objects.log, LIST_SIZE) < count)
    state[].planned = 0
    bury(state)


def _run_small(state: StatePointer) -> Bool:
    var log = state[].objects.log
    ref plan = state[].plan
    var count = load(log, LIST_SIZE)
    # what was too much stays too much
    if state[].status != OK or 0 < state[].planned <= count:
        return False
    state[].planned = 0
    try:
        if run_directly(state):
            return True
        count = load(log, LIST_SIZE)
        plan.build(load(log, LIST_ITEMS), count)
        if _is_large(state, count):
            state[].planned = count
            return False
        if not prepare(state):
            return False
        state[].status = _run(state, _run_words(state))
    except:
        # Python plans once more, and says what is wrong
        external_call["PyErr_Clear", NoneType]()
        return False
    return state[].status == OK


def _is_large(state: StatePointer, count: Int) -> Bool:
    """Whether Python is to decide who runs the plan, or to give way to other threads."""
    var work = state[].plan.work
    return work >= WORTH_UNLOCKING or (
        work >= state[].threshold and work >= count * state[].per_step
    )


def bury(state: StatePointer):
    """Drops what flushes have left."""
    while len(state[].graves) > 0:
        drop(state[].graves.pop())


# -- all work


def run_planned(state: StatePointer) raises -> Int:
    """Runs the plan, which Python has made; returns the status.

    Gives the values computed their buffers and drops their history. When all went well, the
    planned values have left the log; `failures` tells what has failed.
    """
    ref plan = state[].plan
    ref machine = state[].machine
    state[].planned = 0
    var status: Int
    if not prepare(state):
        machine.stopped = 0
        status = MALFORMED
    elif plan.work >= WORTH_UNLOCKING:
        var thread = external_call["PyEval_SaveThread", Int]()
        status = _run_words(state)
        external_call["PyEval_RestoreThread", NoneType](thread)
    else:
        status = _run_words(state)
    return _run(state, status)


@always_inline
def _run_words(state: StatePointer) -> Int:
    ref plan = state[].plan
    var work = plan.work // max(plan.nodes, 1)
    return state[].machine.run(plan.words, work, state[].pool)


def prepare(state: StatePointer) -> Bool:
    """Gives the slots of leaves their addresses; False if the bytecode must not run on them."""
    ref plan = state[].plan
    ref machine = state[].machine
    ref checker = state[].checker
    machine.findings = Findings(watched(plan.errors))
    machine.slots.clear()
    machine.sizes.clear()
    checker.begin()
    for entry in plan.slots:
        var block = 0
        var size = EMPTY
        if entry >= 0:
            var buffer = load(plan.entries[entry].object, VALUE_BUFFER)
            block = load(buffer, BUFFER_ADDRESS)
            size = load(buffer, BUFFER_SIZE)
        machine.slots.append(block)
        machine.sizes.append(0)
        checker.add_slot(size)
    machine.stopped = len(plan.words)
    return checker.accepts(plan.words)


def _run(state: StatePointer, status: Int) raises -> Int:
    """Settles what has run; returns the status."""
    ref machine = state[].machine
    state[].objects.runs += 1
    if len(machine.findings.found) > 0:
        _report(state)
    if status == OK:
        _clear_log(state)
    _settle_all(state, machine.stopped)
    for slot in range(len(machine.slots)):
        if state[].plan.slots[slot] < 0:
            machine.free(slot, state[].pool)
    return status


def _report(state: StatePointer):
    """Tells Python what the plan's steps have raised, in the order in which they were recorded."""
    ref found = state[].machine.findings.found
    var nodes = List[Int]()
    for finding in found:
        nodes.append(_node_at(state, finding.place))
    for node in range(state[].plan.nodes):
        for k in range(len(found)):
            if nodes[k] == node:
                var object = state[].plan.entries[node].object
                hand_over(state[].objects, object, found[k])


def _node_at(state: StatePointer, place: Int) -> Int:
    """The node whose words are at a place, or -1."""
    ref plan = state[].plan
    for k in range(0, len(plan.owners), 2):
        if plan.owners[k] == place:
            return plan.owners[k + 1]
    if Int(plan.words[place]) == KERNEL:
        return Int(plan.words[place + KERNEL_HEADER - 1])
    return -1


def _clear_log(state: StatePointer):
    """Takes the planned values off the log, which keeps its memory.

    They are buried before the histories, and so dropped after them, the last one first: a value
    that was an operand only is then dropped by itself, and not from within the next one.
    """
    var log = state[].objects.log
    var items = load(log, LIST_ITEMS)
    var planned = state[].plan.nodes
    var rest = load(log, LIST_SIZE) - planned
    for k in range(planned):
        state[].graves.append(load(items, k))
    for k in range(rest):
        store(items, k, load(items, planned + k))
    store(log, LIST_SIZE, rest)


def _settle_all(state: StatePointer, stopped: Int) raises:
    """Settles what the bytecode has computed and somebody may still read."""
    ref plan = state[].plan
    for node in range(plan.nodes):
        ref entry = plan.entries[node]
        if entry.needed and entry.took >= 0 and entry.instruction < stopped:
            plan.entries[entry.took].freed = entry.instruction
    # histories are only buried: they keep the leaves alive whose memory changes hands
    for node in range(plan.nodes):
        if plan.entries[node].survives(stopped):
            _give_buffer(state, node)
            _drop_history(state, node)


def _give_buffer(state: StatePointer, node: Int) raises:
    """Hands a computed value its buffer; memory taken over from a dead leaf changes hands."""
    ref plan = state[].plan
    ref machine = state[].machine
    ref api = plan.api
    var object = plan.entries[node].object
    var slot = plan.entries[node].slot
    var owner = plan.slots[slot]
    var buffer: Int
    if owner >= 0:
        var leaf = plan.entries[owner].object
        buffer = load(leaf, VALUE_BUFFER)
        store(leaf, VALUE_BUFFER, kept(api.none))
    else:
        buffer = new_buffer(
            api.buffer_type,
            machine.slots[slot],
            machine.sizes[slot],
            Int(Pointer(to=state[].pool)),
        )
        if buffer == 0:
            raise Error("out of memory")
        machine.slots[slot] = 0
    store(object, VALUE_BUFFER, buffer)
    drop(api.none)


def _drop_history(state: StatePointer, node: Int):
    ref api = state[].plan.api
    var object = state[].plan.entries[node].object
    _bury_field(state, object, VALUE_INPUTS, api.empty)
    _bury_field(state, object, VALUE_LAYOUTS, api.none)
    _bury_field(state, object, VALUE_PARAMS, api.none)


@always_inline
def _bury_field(state: StatePointer, object: Int, field: Int, new: Int):
    var old = load(object, field)
    if old != new:
        store(object, field, kept(new))
        state[].graves.append(old)


# -- failures


def failures(state: StatePointer, status: Int) raises -> PythonObject:
    """What Python must know of a plan that has failed with a status.

    Status, how many values were planned, the places in the log of the nodes that failed, of those
    that wait still, and axis, index, size of the fault.
    """
    ref plan = state[].plan
    var stopped = state[].machine.stopped
    var failed = Python.list()
    var waiting = Python.list()
    # memory is allocated ahead of the instruction that fills it
    var culprit = NEVER
    for node in range(plan.nodes):
        ref entry = plan.entries[node]
        if entry.needed and stopped <= entry.instruction:
            culprit = min(culprit, entry.instruction)
    for node in range(plan.nodes):
        ref entry = plan.entries[node]
        if not entry.needed or entry.instruction < stopped:
            continue
        (failed if entry.instruction == culprit else waiting).append(
            PythonObject(node)
        )
    ref fault = state[].machine.fault
    return Python.tuple(
        PythonObject(status),
        PythonObject(plan.nodes),
        failed,
        waiting,
        PythonObject(Int(fault[0])),
        PythonObject(Int(fault[1])),
        PythonObject(Int(fault[2])),
    )
