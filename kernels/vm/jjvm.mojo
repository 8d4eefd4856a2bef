"""The library of the kernels: the immediate tier's Python extension module `jjvm`, and C functions
that compiled graphs call.

`start` makes a state and `bind` tells it where Python keeps things; `plan`, `run` and `finish`
together are one flush.
"""

from std.os import abort
from std.python import Python, PythonObject
from std.python.bindings import PythonModuleBuilder
from std.ffi import external_call
from std.sys import size_of
from elementwise.dispatch.operations import (
    OPERATION_COUNT,
    OPERATIONS,
    result_code,
)
from vm.base.fields import (
    ADDRESS_PLACE,
    ARRAY_TYPE_PLACE,
    BUFFER_SIZE_PLACE,
    NONE_PLACE,
    SCALAR_TYPE_PLACE,
    VALUE_BUFFER,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
)
from vm.base.interface import Interface
from vm.record.element import element_at
from vm.record.outside import Range, first_outside, nest_of_layout
from vm.routines.dense import run_dense
from vm.routines.sizes import value_of
from vm.run.check import EMPTY, Checker
from vm.run.machine import MALFORMED, Machine
from vm.base.memory import Buffer, Pool
from vm.plan.entry import NEVER
from vm.base.functions import Function, Functions
from vm.base.parts import kernel_count, kernel_names
from vm.plan.planner import Plan
from vm.routines.routines import Tensors, run_calls
from vm.base.bytecode import (
    CONVERT,
    FIRST_FUNCTION,
    FIRST_KERNEL,
    FUNCTIONS,
    PROJECT,
    STORE,
    itemsize,
)
from vm.base.objects import Objects
from vm.routines.reader import Reader
from vm.base.raw import (
    ARRAY_DATA,
    TYPE,
    TYPE_OBJECT_SIZE,
    address_of,
    fill_bytes,
    kept,
    load,
    owned,
    replace_slot,
    store,
)
from vm.base.types import Slot, handle_type, value_type
from vm.record.functions import functions_for
from vm.record.record import (
    BOOL_NUMBER,
    FLOAT_NUMBER,
    INT_NUMBER,
    Loop,
    add_loop,
    binary,
    new_loops,
    new_method,
    new_operator,
    unary,
)
from vm.record.slots import set_operator as set_slot
from vm.record.slots import slots_of_all, slots_of_arrays
from structured.threads.workers import Shared, Task, forget_workers, share_out
from structured.operands.operand import (
    NO_MEMORY,
    OK,
    OUT_OF_BOUNDS,
    Operands,
    Words,
)


comptime WORTH_UNLOCKING = 1 << 18
"""Work for which the interpreter lock is given to other threads meanwhile."""


struct State(Movable):
    var plan: Plan
    var machine: Machine
    var pool: Pool
    var objects: Objects
    var checker: Checker
    var functions: Functions

    def __init__(out self, threads: Int):
        self.functions = Functions()
        self.checker = Checker(self.functions)
        self.objects = Objects()
        self.plan = Plan(Interface())
        self.machine = Machine(threads, self.functions)
        self.pool = Pool()


# What compiled graphs call by name, and routines that run without a graph: C functions.


@export
def jujunp_run_routine(
    routine: Words, tensors: Words, threads: Int, fault: Words
) abi("C") -> Int:
    """Runs the calls of a routine, in order, until one fails.

    Args:
        routine: Its words, see `vm.routines.routines`.
        tensors: The addresses of the tensors.
        threads: Threads that large work may use.
        fault: Four words: the kernel, then axis, index and size if an index is out of bounds.

    Returns:
        A status of `structured.operands.operand`.
    """
    var given = Tensors(routine, tensors)
    return run_calls(Reader(routine), given, threads, fault)


@export
def jujunp_run_dense(
    words: Words, sizes: Words, tensors: Words, threads: Int, fault: Words
) abi("C") -> Int:
    """Runs a kernel on whole tensors: see `vm.routines.dense`; returns as `jujunp_run_routine`."""
    return run_dense(words, sizes, tensors, threads, fault)


@export
def jujunp_size(words: Words, sizes: Words) abi("C") -> Int:
    """The value of an expression of sizes: see `vm.routines.sizes`."""
    var reader = Reader(words)
    return value_of(reader, sizes)


@export
def jujunp_share_out(
    task: Task, shared: Shared, count: Int, threads: Int
) abi("C"):
    """Runs tasks on several threads: see `structured.workers`."""
    share_out(task, shared, count, threads)


comptime StatePointer = Pointer[State, MutUntrackedOrigin]


@export
def PyInit_jjvm() abi("C") -> PythonObject:
    try:
        var module = PythonModuleBuilder("jjvm")
        _ = module.add_type[Buffer]("Buffer").def_init_defaultable[Buffer]()
        module.def_function[opcodes]("opcodes")
        module.def_function[constants]("constants")
        module.def_function[result_of]("result_of")
        module.def_function[start]("start")
        module.def_function[add_function]("add_function")
        module.def_function[bind]("bind")
        module.def_function[make_types]("make_types")
        module.def_function[set_operator]("set_operator")
        module.def_function[loops]("loops")
        module.def_function[learn]("learn")
        module.def_function[method]("method")
        module.def_function[set_threads]("set_threads")
        module.def_function[forget_threads]("forget_threads")
        module.def_function[allocate]("allocate")
        module.def_function[adopt]("adopt")
        module.def_function[address]("address")
        module.def_function[element]("element")
        module.def_function[outside]("outside")
        module.def_function[plan]("plan")
        module.def_function[execute]("execute")
        module.def_function[run_words]("run_words")
        module.def_function[bytecode]("bytecode")
        module.def_function[planned]("planned")
        module.def_function[memory_in_use]("memory_in_use")
        return module.finalize()
    except e:
        abort(t"cannot create module: {e}")


@always_inline
def state_of(handle: PythonObject) raises -> StatePointer:
    return StatePointer(unsafe_from_address=Int(py=handle))


def opcodes() raises -> PythonObject:
    """Opcodes by name: every elementwise operation, every kernel, and the machine's own."""
    var table = Python.dict()
    var number = FIRST_KERNEL
    for name in kernel_names().split():
        table[PythonObject(String(name))] = PythonObject(number)
        number += 1
    # an elementwise operation wins where both have the name: it fuses
    var operations = materialize[OPERATIONS]()
    for k in range(OPERATION_COUNT):
        table[PythonObject(String(operations[k].name))] = PythonObject(k)
    table[PythonObject("convert_element_type")] = PythonObject(CONVERT)
    table[PythonObject("store")] = PythonObject(STORE)
    table[PythonObject("project")] = PythonObject(PROJECT)
    return table


def constants() raises -> PythonObject:
    """Numbers that both sides must agree on, by name: statuses, opcodes, kinds of Python numbers."""
    var table = Python.dict()
    table["out of bounds"] = PythonObject(OUT_OF_BOUNDS)
    table["no memory"] = PythonObject(NO_MEMORY)
    table["malformed"] = PythonObject(MALFORMED)
    table["first function"] = PythonObject(FIRST_FUNCTION)
    table["functions"] = PythonObject(FUNCTIONS)
    table["bool"] = PythonObject(BOOL_NUMBER)
    table["int"] = PythonObject(INT_NUMBER)
    table["float"] = PythonObject(FLOAT_NUMBER)
    return table


def result_of(
    operation: PythonObject, dtype: PythonObject
) raises -> PythonObject:
    """The dtype code of an elementwise operation's result for operands of one, -1 if refused."""
    return PythonObject(result_code(Int(py=operation), Int(py=dtype)))


def start(threads: PythonObject) raises -> PythonObject:
    """A new state: its handle is an int. It lives as long as the process."""
    var pointer = StatePointer(
        unsafe_from_address=external_call["malloc", Int](size_of[State]())
    )
    pointer.unsafe_write(State(Int(py=threads)))
    return PythonObject(Int(pointer))


def add_function(
    handle: PythonObject,
    opcode: PythonObject,
    loop: PythonObject,
    arity: PythonObject,
    dtypes: PythonObject,
    predicate: PythonObject,
) raises -> PythonObject:
    """Makes an elementwise function of the user's known, by the address of its loop."""
    if not 0 <= Int(py=opcode) - FIRST_FUNCTION < FUNCTIONS:
        raise Error("no opcode of a function")
    state_of(handle)[].functions.add(
        Int(py=opcode),
        Function(
            Int(py=loop), Int(py=arity), Int(py=dtypes), Bool(py=predicate)
        ),
    )
    return PythonObject(None)


def set_threads(
    handle: PythonObject, threads: PythonObject
) raises -> PythonObject:
    """Sets how many threads large work may use; 1 starts none."""
    state_of(handle)[].machine.threads = Int(py=threads)
    return PythonObject(None)


def forget_threads() raises -> PythonObject:
    """In a forked process, which has none of the worker threads: starts new ones when needed."""
    forget_workers()
    return PythonObject(None)


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
    var buffer = PythonObject(alloc=Buffer(0x5EED_5EED, 0x5EED, 0))
    api.buffer_type = load(address_of(buffer), TYPE)
    api.buffer_address = 0
    for k in range(2, 8):
        if (
            load(address_of(buffer), k) == 0x5EED_5EED
            and load(address_of(buffer), k + 1) == 0x5EED
        ):
            api.buffer_address = k
            break
    if (
        api.buffer_address == 0
        or load(address_of(buffer), api.buffer_address + 2) != 0
    ):
        raise Error("the fields inside a Buffer object were not found")
    state[].objects.one_element = kept(address_of(buffer))
    _ = buffer^
    var table = state[].objects.operators
    store(table, ARRAY_TYPE_PLACE, state[].objects.array_type)
    store(table, SCALAR_TYPE_PLACE, state[].objects.scalar_type)
    store(table, BUFFER_SIZE_PLACE, load(api.buffer_type, TYPE_OBJECT_SIZE))
    store(table, ADDRESS_PLACE, api.buffer_address)
    api.dtypes.clear()
    for dtype in facts["dtypes"]:
        api.dtypes.append(address_of(dtype))
    api.in_place.clear()
    for _ in range(kernel_count()):
        api.in_place.append(0)
    for kernel in facts["in_place"]:
        api.in_place[Int(py=kernel) - FIRST_KERNEL] = 1
    state[].objects.api = api.copy()
    state[].objects.bind(facts)
    return PythonObject(None)


def make_types(handle: PythonObject) raises -> PythonObject:
    """The types of values and handles, and the functions that make these, by name."""
    var state = state_of(handle)
    ref objects = state[].objects
    var none = PythonObject(None)
    var empty = Python.tuple()
    state[].plan.api.none = kept(address_of(none))
    state[].plan.api.empty = kept(address_of(empty))
    state[].plan.api.value_type = value_type()
    var every = handle_type("jujunp.Handle", 0, slots_of_all())
    objects.array_type = handle_type("jujunp.ndarray", every, slots_of_arrays())
    objects.scalar_type = handle_type("jujunp.scalar", every, List[Slot]())
    objects.api = state[].plan.api.copy()
    store(objects.operators, NONE_PLACE, objects.api.none)
    var made = Python.dict()
    made["Value"] = owned(kept(objects.api.value_type))
    made["Handle"] = owned(every)
    made["ndarray"] = owned(kept(objects.array_type))
    made["scalar"] = owned(kept(objects.scalar_type))
    var functions = functions_for(Int(Pointer(to=objects)))
    made["record"] = functions[0]
    made["leaf"] = functions[1]
    made["new_handle"] = functions[2]
    return made


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
) raises -> PythonObject:
    """Adds to the loops how operands of two kinds are recorded."""
    var loop = Loop(
        kept(address_of(code)),
        kept(address_of(result)),
        Int(py=limits[0]),
        Int(py=limits[1]),
    )
    add_loop(Int(py=loops), Int(py=x), Int(py=y), loop)
    return PythonObject(None)


def method(
    handle: PythonObject,
    kind: PythonObject,
    loops: PythonObject,
    otherwise: PythonObject,
) raises -> PythonObject:
    """A method for a class of functions: "unary" or "binary".

    It calls the function `otherwise` for operands that its loops are not for.
    """
    var objects = Int(Pointer(to=state_of(handle)[].objects))
    var operator = new_operator(
        objects, Int(py=loops), otherwise, PythonObject(None)
    )
    return new_method(unary if String(py=kind) == "unary" else binary, operator)


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


def allocate(handle: PythonObject, nbytes: PythonObject) raises -> PythonObject:
    """A new Buffer, its memory not initialised."""
    var state = state_of(handle)
    var block = state[].pool.allocate(Int(py=nbytes))
    if block == 0:
        raise Error("out of memory")
    return PythonObject(
        alloc=Buffer(block, Int(py=nbytes), Int(Pointer(to=state[].pool)))
    )


def adopt(
    address: PythonObject, nbytes: PythonObject, owner: PythonObject
) raises -> PythonObject:
    """A Buffer over memory that belongs to another object, which it keeps alive."""
    return PythonObject(alloc=Buffer(Int(py=address), Int(py=nbytes), 0, owner))


def address(buffer: PythonObject) raises -> PythonObject:
    """Where the memory of a Buffer begins."""
    return PythonObject(buffer.downcast_value_ptr[Buffer]()[].address)


def element(
    handle: PythonObject,
    buffer: PythonObject,
    layout: PythonObject,
    code: PythonObject,
) raises -> PythonObject:
    """The element of a Buffer at which a layout begins, None the first, as a Python number."""
    ref api = state_of(handle)[].plan.api
    var at = buffer.downcast_value_ptr[Buffer]()[].address
    if address_of(layout) != api.none:
        at += load(address_of(layout), ARRAY_DATA) - api.region
    return element_at(at, Int(py=code))


def outside(
    handle: PythonObject,
    buffer: PythonObject,
    layout: PythonObject,
    code: PythonObject,
    count: PythonObject,
    limits: PythonObject,
) raises -> PythonObject:
    """The first integer in C order that a layout sees in a Buffer, outside of limits; else None.

    Args:
        handle: The state.
        buffer: The Buffer.
        layout: None for the first `count` elements.
        code: Dtype code of the integers, which are taken as int64.
        count: How many there are.
        limits: The least that is inside, and the least above that is not.
    """
    ref state = state_of(handle)[]
    ref api = state.plan.api
    var at = buffer.downcast_value_ptr[Buffer]()[].address
    var seen = address_of(layout)
    if seen == api.none:
        seen = 0
    else:
        at += load(seen, ARRAY_DATA) - api.region
    var dtype = Int(py=code)
    var nest = nest_of_layout(at, seen, itemsize(dtype), Int(py=count))
    var within = Range(Int(py=limits[0]), Int(py=limits[1]))
    var found = first_outside(nest, dtype, within, state.machine.threads)
    if found:
        return PythonObject(found.value())
    return PythonObject(None)


def plan(handle: PythonObject, log: PythonObject) raises -> PythonObject:
    """Plans a list of pending Values; returns the work: element operations, roughly."""
    var state = state_of(handle)
    var list = address_of(log)
    # PyListObject: size, then the address of the items
    state[].plan.build(load(list, 3), load(list, 2))
    return PythonObject(state[].plan.work)


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


def execute(handle: PythonObject, log: PythonObject) raises -> PythonObject:
    """Runs the planned bytecode, gives the values computed their buffers and drops their history.

    Returns None when all went well, and then the planned values have left the log. Otherwise
    (status, the places in the log of the nodes that failed, of those that wait still, and axis,
    index, size of the fault). It is one call so that nothing can come between its parts.
    """
    var state = state_of(handle)
    ref plan = state[].plan
    ref machine = state[].machine
    _fill_slots(state)
    var status: Int
    if not state[].checker.accepts(plan.words):
        machine.stopped = 0
        status = MALFORMED
    elif plan.work >= WORTH_UNLOCKING:
        state[].objects.running = True
        var thread = external_call["PyEval_SaveThread", Int]()
        status = machine.run(plan.words, state[].pool)
        external_call["PyEval_RestoreThread", NoneType](thread)
        state[].objects.running = False
    else:
        status = machine.run(plan.words, state[].pool)
    var stopped = machine.stopped
    _settle_all(state, stopped)
    for slot in range(len(machine.slots)):
        if plan.slots[slot] < 0:
            machine.free(slot, state[].pool)
    if status != OK:
        return _unfinished(state, status, stopped)
    _ = external_call["PyList_SetSlice", Int32](
        address_of(log), Int(0), plan.nodes, Int(0)
    )
    return PythonObject(None)


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
            status = machine.run(bytecode, state[].pool)
    for slot in range(len(machine.slots)):
        machine.free(slot, state[].pool)
    return PythonObject(status)


def _fill_slots(state: StatePointer):
    """Gives the slots of leaves their addresses."""
    ref plan = state[].plan
    ref machine = state[].machine
    ref checker = state[].checker
    machine.slots.clear()
    machine.sizes.clear()
    checker.begin()
    for entry in plan.slots:
        var block = 0
        var size = EMPTY
        if entry >= 0:
            var buffer = load(plan.entries[entry].object, VALUE_BUFFER)
            block = load(buffer, plan.api.buffer_address)
            size = load(buffer, plan.api.buffer_address + 1)
        machine.slots.append(block)
        machine.sizes.append(0)
        checker.add_slot(size)
    machine.stopped = len(plan.words)


def _settle_all(state: StatePointer, stopped: Int) raises:
    """Settles what the bytecode has computed and somebody may still read."""
    ref plan = state[].plan
    for node in range(plan.nodes):
        ref entry = plan.entries[node]
        if entry.needed and entry.took >= 0 and entry.instruction < stopped:
            plan.entries[entry.took].freed = entry.instruction
    # histories go last: they keep the leaves alive whose memory changes hands
    for node in range(plan.nodes):
        if plan.entries[node].survives(stopped):
            _give_buffer(state, node)
    for node in range(plan.nodes):
        if plan.entries[node].survives(stopped):
            _drop_history(state, node)


def _give_buffer(state: StatePointer, node: Int) raises:
    """Hands a computed value its buffer; memory taken over from a dead leaf changes hands."""
    ref plan = state[].plan
    ref machine = state[].machine
    ref api = plan.api
    var object = plan.entries[node].object
    var slot = plan.entries[node].slot
    var owner = plan.slots[slot]
    if owner >= 0:
        replace_slot(
            object, VALUE_BUFFER, load(plan.entries[owner].object, VALUE_BUFFER)
        )
        replace_slot(plan.entries[owner].object, VALUE_BUFFER, api.none)
    else:
        var pool = Int(Pointer(to=state[].pool))
        var buffer = PythonObject(
            alloc=Buffer(machine.slots[slot], machine.sizes[slot], pool)
        )
        replace_slot(object, VALUE_BUFFER, address_of(buffer))
        _ = buffer^
        machine.slots[slot] = 0


def _drop_history(state: StatePointer, node: Int):
    ref api = state[].plan.api
    var object = state[].plan.entries[node].object
    replace_slot(object, VALUE_INPUTS, api.empty)
    replace_slot(object, VALUE_LAYOUTS, api.none)
    replace_slot(object, VALUE_PARAMS, api.none)


def _unfinished(
    state: StatePointer, status: Int, stopped: Int
) raises -> PythonObject:
    ref plan = state[].plan
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
        failed,
        waiting,
        PythonObject(Int(fault[0])),
        PythonObject(Int(fault[1])),
        PythonObject(Int(fault[2])),
    )


def memory_in_use(handle: PythonObject) raises -> PythonObject:
    """Bytes of array memory now allocated."""
    return PythonObject(state_of(handle)[].pool.in_use())
