"""The library of the kernels: the immediate tier's Python extension module `jjvm`, and C functions
that compiled graphs call.

`start` makes a state and `bind` tells it where Python keeps things; `plan` and `execute` together
are one flush, or else one call of `flush_small` (vm/run/flush.mojo).
"""

from std.os import abort
from std.python import Python, PythonObject
from std.python.bindings import PythonModuleBuilder
from std.ffi import external_call
from std.sys import size_of
from elementwise.dispatch.operations import (
    OPERATION_COUNT,
    OPERATIONS,
    facts_of,
    result_code,
)
from vm.base.buffers import buffer_type, new_buffer, new_buffer_over
from vm.base.fields import (
    ARRAY_TYPE_PLACE,
    BUFFER_ADDRESS,
    BUFFER_OWNER,
    NONE_PLACE,
    SCALAR_TYPE_PLACE,
)
from vm.record.described import Described, record_table
from vm.record.element import number_at
from vm.run.outside import Range, first_outside, nest_of_layout
from vm.routines.dense import run_dense
from vm.routines.sizes import value_of
from vm.run.flush import bury, failures, run_planned
from vm.run.machine import MALFORMED
from vm.run.state import State, StatePointer, state_at
from vm.base.errors import (
    AT,
    DIVIDE_AT,
    INVALID_AT,
    KEPT,
    MODE,
    NAMES,
    NEVER,
    OF_ALL,
    OF_FLOATS,
    OVER_AT,
    SCALARS,
    UNDER_AT,
)
from vm.base.functions import Function
from vm.base.parts import draw_float as draw_float_of
from vm.base.parts import draw_few as draw_few_of
from vm.base.parts import draw_whole as draw_whole_of
from vm.run.findings import KINDS, SAMPLE
from structured.threads.ieee import DIVIDE, INVALID, OVERFLOW, UNDERFLOW
from vm.base.parts import kernel_count, kernel_names
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
from vm.calls.ufunc import set_ufunc as set_ufunc_of
from vm.calls.ufunc import ufunc_type
from vm.base.pins import ALONE, FIXED, READ, SHARED
from vm.record.attributes import getters_for
from vm.calls.function import (
    CONVERTING,
    FREE,
    NAMED,
    SHARING,
    UNIFORM,
    WARNING,
    CallsPointer,
    new_calls,
    new_function,
)
from vm.routines.reader import Reader
from vm.run.fused import HotGroups
from vm.base.raw import (
    ARRAY_DATA,
    LIST_ITEMS,
    LIST_SIZE,
    TYPE,
    address_of,
    fill_bytes,
    kept,
    load,
    owned,
    store,
)
from vm.base.types import Slot, handle_type, value_type
from vm.record.functions import add_functions
from vm.record.record import (
    BOOL_NUMBER,
    FLOAT_NUMBER,
    INT_NUMBER,
    Loop,
    add_loop,
    new_loops,
    new_operator,
)
from vm.record.slots import set_operator as set_slot
from vm.record.slots import slots_of_all, slots_of_arrays, slots_of_scalars
from structured.threads.workers import Shared, Task, forget_workers, share_out
from structured.operands.operand import (
    NO_MEMORY,
    OK,
    OUT_OF_BOUNDS,
    Operands,
    Words,
)


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


@export
def PyInit_jjvm() abi("C") -> PythonObject:
    try:
        var module = PythonModuleBuilder("jjvm")
        module.def_function[opcodes]("opcodes")
        module.def_function[constants]("constants")
        module.def_function[result_of]("result_of")
        module.def_function[arity_of]("arity_of")
        module.def_function[start]("start")
        module.def_function[add_function]("add_function")
        module.def_function[bind]("bind")
        module.def_function[watch]("watch")
        module.def_function[set_policy]("set_policy")
        module.def_function[set_fusing]("set_fusing")
        module.def_function[hot_groups]("hot_groups")
        module.def_function[set_fused]("set_fused")
        module.def_function[fused_counts]("fused_counts")
        module.def_function[forget_groups]("forget_groups")
        module.def_function[make_types]("make_types")
        module.def_function[set_operator]("set_operator")
        module.def_function[loops]("loops")
        module.def_function[learn]("learn")
        module.def_function[set_ufunc]("set_ufunc")
        module.def_function[function]("function")
        module.def_function[function_type]("function_type")
        module.def_function[set_learner]("set_learner")
        module.def_function[forget_calls]("forget_calls")
        module.def_function[set_deferring]("set_deferring")
        module.def_function[set_learning]("set_learning")
        module.def_function[set_errors]("set_errors")
        module.def_function[warning_steps]("warning_steps")
        module.def_function[add_quiet]("add_quiet")
        module.def_function[set_reporting]("set_reporting")
        module.def_function[set_frames]("set_frames")
        module.def_function[set_other_calls]("set_other_calls")
        module.def_function[described]("described")
        module.def_function[record_steps]("record_steps")
        module.def_function[set_threads]("set_threads")
        module.def_function[forget_threads]("forget_threads")
        module.def_function[allocate]("allocate")
        module.def_function[adopt]("adopt")
        module.def_function[address]("address")
        module.def_function[holder]("holder")
        module.def_function[element]("element")
        module.def_function[outside]("outside")
        module.def_function[plan]("plan")
        module.def_function[execute]("execute")
        module.def_function[unfinished]("unfinished")
        module.def_function[run_words]("run_words")
        module.def_function[bytecode]("bytecode")
        module.def_function[planned]("planned")
        module.def_function[memory_in_use]("memory_in_use")
        module.def_function[draw_float]("draw_float")
        module.def_function[draw_whole]("draw_whole")
        module.def_function[draw_few]("draw_few")
        return module.finalize()
    except e:
        abort(t"cannot create module: {e}")


@always_inline
def state_of(handle: PythonObject) raises -> StatePointer:
    return state_at(Int(py=handle))


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
    """Numbers that both sides must agree on, by name: statuses, opcodes, kinds of Python numbers, traits of
    functions."""
    var table = Python.dict()
    table["out of bounds"] = PythonObject(OUT_OF_BOUNDS)
    table["no memory"] = PythonObject(NO_MEMORY)
    table["malformed"] = PythonObject(MALFORMED)
    table["first function"] = PythonObject(FIRST_FUNCTION)
    table["functions"] = PythonObject(FUNCTIONS)
    table["bool"] = PythonObject(BOOL_NUMBER)
    table["int"] = PythonObject(INT_NUMBER)
    table["float"] = PythonObject(FLOAT_NUMBER)
    table["uniform"] = PythonObject(UNIFORM)
    table["converting"] = PythonObject(CONVERTING)
    table["sharing"] = PythonObject(SHARING)
    table["free"] = PythonObject(FREE)
    table["warning"] = PythonObject(WARNING)
    table["named"] = PythonObject(NAMED)
    table["mode"] = PythonObject(MODE)
    table["divide at"] = PythonObject(DIVIDE_AT)
    table["over at"] = PythonObject(OVER_AT)
    table["under at"] = PythonObject(UNDER_AT)
    table["invalid at"] = PythonObject(INVALID_AT)
    table["scalars"] = PythonObject(SCALARS)
    table["kept"] = PythonObject(KEPT)
    table["names"] = PythonObject(NAMES)
    table["at"] = PythonObject(AT)
    table["samples"] = PythonObject(KINDS)
    table["sample"] = PythonObject(SAMPLE)
    table["warns never"] = PythonObject(NEVER)
    table["warns of floats"] = PythonObject(OF_FLOATS)
    table["warns of all"] = PythonObject(OF_ALL)
    table["invalid"] = PythonObject(INVALID)
    table["divide"] = PythonObject(DIVIDE)
    table["over"] = PythonObject(OVERFLOW)
    table["under"] = PythonObject(UNDERFLOW)
    table["used by nobody"] = PythonObject(ALONE)
    table["used by readers"] = PythonObject(READ)
    table["used by writers"] = PythonObject(SHARED)
    table["used and fixed"] = PythonObject(FIXED)
    return table


def result_of(
    operation: PythonObject, dtype: PythonObject
) raises -> PythonObject:
    """The dtype code of an elementwise operation's result for operands of one, -1 if refused."""
    return PythonObject(result_code(Int(py=operation), Int(py=dtype)))


def arity_of(operation: PythonObject) raises -> PythonObject:
    """How many operands an elementwise operation has, 0 if there is none of this opcode."""
    return PythonObject(facts_of(Int(py=operation)).arity())


def start(threads: PythonObject) raises -> PythonObject:
    """A new state: its handle is an int. It lives as long as the process."""
    var pointer = StatePointer(
        unsafe_from_address=external_call["malloc", Int](size_of[State]())
    )
    pointer.unsafe_write(State(Int(py=threads)))
    pointer[].objects.state = Int(pointer)
    return PythonObject(Int(pointer))


# Few random numbers at once, for which a call by ctypes would take longer than the numbers.


def draw_float(
    source: PythonObject,
    kind: PythonObject,
    a: PythonObject,
    b: PythonObject,
    c: PythonObject,
) raises -> PythonObject:
    """A float64 of a generator: see vm/random_part.mojo."""
    return PythonObject(
        draw_float_of(
            Int(py=source),
            Int(py=kind),
            Float64(py=a),
            Float64(py=b),
            Float64(py=c),
        )
    )


def draw_whole(
    source: PythonObject,
    kind: PythonObject,
    a: PythonObject,
    b: PythonObject,
    c: PythonObject,
) raises -> PythonObject:
    """An int64 of a generator."""
    return PythonObject(
        draw_whole_of(
            Int(py=source),
            Int(py=kind),
            Float64(py=a),
            Float64(py=b),
            Float64(py=c),
        )
    )


def draw_few(
    source: PythonObject,
    kind: PythonObject,
    code: PythonObject,
    buffer: PythonObject,
    count: PythonObject,
    a: PythonObject,
    b: PythonObject,
    c: PythonObject,
) raises -> PythonObject:
    """Numbers of a generator, into a buffer; returns a status."""
    return PythonObject(
        draw_few_of(
            Int(py=source),
            Int(py=kind),
            Int(py=code),
            load(address_of(buffer), BUFFER_ADDRESS),
            Int(py=count),
            Float64(py=a),
            Float64(py=b),
            Float64(py=c),
        )
    )


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
    return PythonObject(None)


def _marked(opcodes: PythonObject) raises -> List[Int]:
    """By kernel: 1 for some of them."""
    var marks = List[Int](length=kernel_count(), fill=0)
    for opcode in opcodes:
        marks[Int(py=opcode) - FIRST_KERNEL] = 1
    return marks^


def watch(
    handle: PythonObject,
    lock: PythonObject,
    flush: PythonObject,
    ensure: PythonObject,
    watches: PythonObject,
) raises -> PythonObject:
    """Tells who flushes, who computes a value, who watches, and which lock is held meanwhile; the caller
    holds it."""
    state_of(handle)[].objects.watch(
        address_of(lock),
        address_of(flush),
        address_of(ensure),
        address_of(watches),
    )
    return PythonObject(None)


def set_policy(
    handle: PythonObject, threshold: PythonObject, per_step: PythonObject
) raises -> PythonObject:
    """Sets for how much work, in all and of a step on average, the policy is asked."""
    ref state = state_of(handle)[]
    state.threshold = Int(py=threshold)
    state.per_step = Int(py=per_step)
    return PythonObject(None)


def set_fusing(
    handle: PythonObject, first: PythonObject, second: PythonObject
) raises -> PythonObject:
    """Sets after how many nanoseconds of a group its fused loop is looked for, and compiled."""
    ref hot = state_of(handle)[].machine.hot
    hot.first = Int(py=first)
    hot.second = Int(py=second)
    return PythonObject(None)


def hot_groups(handle: PythonObject) raises -> PythonObject:
    """The groups that have become hot since the last call: for each its place, how often it was told of
    it, and its words."""
    ref hot = state_of(handle)[].machine.hot
    var found = Python.list()
    for place in hot.hot:
        ref group = hot.groups[place]
        var words = Python.list()
        for word in group.words:
            words.append(PythonObject(Int(word)))
        found.append(
            Python.tuple(PythonObject(place), PythonObject(group.told), words)
        )
    hot.hot.clear()
    return found


def set_fused(
    handle: PythonObject, place: PythonObject, loop: PythonObject
) raises -> PythonObject:
    """Gives a group the address of its loop; 0 for a group that is to have none."""
    ref group = state_of(handle)[].machine.hot.groups[Int(py=place)]
    group.loop = Int(py=loop)
    group.told = 2
    return PythonObject(None)


def forget_groups(handle: PythonObject) raises -> PythonObject:
    """Forgets what groups have cost, and their loops; whoever was told of some forgets them, too."""
    ref hot = state_of(handle)[].machine.hot
    var first = hot.first
    var second = hot.second
    hot = HotGroups()
    hot.first = first
    hot.second = second
    return PythonObject(None)


def fused_counts(handle: PythonObject) raises -> PythonObject:
    """How often fused loops have run, how many are in use, and how many have proved to be slower."""
    ref hot = state_of(handle)[].machine.hot
    var runs = 0
    var used = 0
    for group in hot.groups:
        runs += group.runs
        used += Int(group.used() != 0)
    return Python.tuple(
        PythonObject(runs), PythonObject(used), PythonObject(hot.declined)
    )


def make_types(handle: PythonObject) raises -> PythonObject:
    """The types of values and handles, and the functions that make these, by name."""
    var state = state_of(handle)
    ref objects = state[].objects
    var none = PythonObject(None)
    var empty = Python.tuple()
    state[].plan.api.none = kept(address_of(none))
    state[].plan.api.empty = kept(address_of(empty))
    state[].plan.api.value_type = value_type()
    state[].plan.api.buffer_type = buffer_type()
    var every = handle_type("jujunp.Handle", 0, slots_of_all())
    objects.array_type = handle_type("jujunp.ndarray", every, slots_of_arrays())
    objects.scalar_type = handle_type(
        "jujunp.scalar", every, slots_of_scalars()
    )
    objects.api = state[].plan.api.copy()
    store(objects.operators, NONE_PLACE, objects.api.none)
    var made = Python.dict()
    made["Value"] = owned(kept(objects.api.value_type))
    made["Buffer"] = owned(kept(objects.api.buffer_type))
    made["Handle"] = owned(every)
    made["ndarray"] = owned(kept(objects.array_type))
    made["scalar"] = owned(kept(objects.scalar_type))
    add_functions(Int(Pointer(to=objects)), made)
    state[].calls = new_calls(Int(Pointer(to=objects)))
    objects.ufunc_type = ufunc_type()
    made["ufunc"] = owned(kept(objects.ufunc_type))
    for getter in getters_for(Int(Pointer(to=objects))):
        made[PythonObject(getter[0])] = getter[1]
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


def set_ufunc(
    handle: PythonObject,
    ufunc: PythonObject,
    arity: PythonObject,
    loops: PythonObject,
    otherwise: PythonObject,
    naming: PythonObject,
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


def _calls(handle: PythonObject) raises -> CallsPointer:
    return CallsPointer(unsafe_from_address=state_of(handle)[].calls)


def function(
    handle: PythonObject,
    otherwise: PythonObject,
    ufuncs: PythonObject,
    traits: PythonObject,
) raises -> PythonObject:
    """A function that stands before a Python function: see `vm.calls.function`."""
    return owned(
        new_function(
            state_of(handle)[].calls, otherwise, ufuncs, Int(py=traits)
        )
    )


def function_type(handle: PythonObject) raises -> PythonObject:
    """The type of these functions."""
    return owned(kept(_calls(handle)[].type))


def set_learner(
    handle: PythonObject,
    learner: PythonObject,
    first_outside: PythonObject,
    checking: PythonObject,
) raises -> PythonObject:
    """Tells which Python functions write transcripts, None for none, and look through indices.

    With `checking`, each call is learnt, and compared with what was learnt before.
    """
    ref calls = _calls(handle)[]
    var none = calls.objects[].api.none
    var given = kept(address_of(learner))
    calls.learner = 0 if given == none else given
    calls.checking = Bool(py=checking)
    calls.objects[].first_outside = kept(address_of(first_outside))
    return PythonObject(None)


def set_other_calls(
    handle: PythonObject, errors: PythonObject, maker: PythonObject
) raises -> PythonObject:
    """Tells which error says that JAX traces an argument, and what makes the call then."""
    ref calls = _calls(handle)[]
    calls.others = kept(address_of(errors))
    calls.maker = kept(address_of(maker))
    return PythonObject(None)


def described(handle: PythonObject, first: PythonObject) raises -> PythonObject:
    """The steps of the log from a place on, in words: `vm.record.described`."""
    ref objects = state_of(handle)[].objects
    var found = Described(objects, objects.log, Int(py=first))
    return owned(found.result())


def record_steps(
    handle: PythonObject, values: PythonObject, steps: PythonObject
) raises -> PythonObject:
    """Records the steps of a table, whose results are added to a list of values."""
    ref objects = state_of(handle)[].objects
    if not record_table(objects, address_of(values), address_of(steps)):
        raise Error("steps cannot be recorded")
    return PythonObject(None)


def forget_calls(handle: PythonObject) raises -> PythonObject:
    """Forgets all transcripts; no call may be under way."""
    ref transcripts = _calls(handle)[].transcripts
    if transcripts.busy > 0:
        raise Error("a call is being recorded again")
    transcripts.forget()
    return PythonObject(None)


def set_deferring(
    handle: PythonObject, blocks: PythonObject
) raises -> PythonObject:
    """Sets how many blocks of deferred errors are open."""
    state_of(handle)[].objects.deferring = Int(py=blocks)
    return PythonObject(None)


def set_errors(
    handle: PythonObject, errors: PythonObject, usual: PythonObject
) raises -> PythonObject:
    """Sets the error state in which this thread records steps, and the usual one: see `vm.base.errors`."""
    state_of(handle)[].objects.set_errors(Int(py=errors), Int(py=usual))
    return PythonObject(None)


def warning_steps(handle: PythonObject) raises -> PythonObject:
    """How many steps were recorded that may warn."""
    return PythonObject(load(state_of(handle)[].objects.warning_steps, 0))


def add_quiet(
    handle: PythonObject, change: PythonObject
) raises -> PythonObject:
    """Counts the calls whose steps never warn: 1 more, or 1 less."""
    state_of(handle)[].objects.quiet += Int(py=change)
    return PythonObject(None)


def set_reporting(
    handle: PythonObject, findings: PythonObject, report: PythonObject
) raises -> PythonObject:
    """Tells the list to which what steps raise is added, and the function that warns of it."""
    state_of(handle)[].objects.set_reporting(
        address_of(findings), address_of(report)
    )
    return PythonObject(None)


def set_frames(
    handle: PythonObject,
    places: PythonObject,
    code: PythonObject,
    roots: PythonObject,
) raises -> PythonObject:
    """Tells where the interpreter has its frames, the type of codes, and how files begin that are no user's,
    as bytes: see `vm.base.frames`."""
    state_of(handle)[].objects.frames.know(places, address_of(code), roots)
    return PythonObject(None)


def set_learning(
    handle: PythonObject, calls: PythonObject, thread: PythonObject
) raises -> PythonObject:
    """Sets how many calls are being made whose transcripts will be written, and by which thread.

    The thread is 0 if there are several.
    """
    ref objects = state_of(handle)[].objects
    objects.learning = Int(py=calls)
    objects.learner = Int(py=thread)
    return PythonObject(None)


def allocate(handle: PythonObject, nbytes: PythonObject) raises -> PythonObject:
    """A new Buffer, its memory not initialised."""
    var state = state_of(handle)
    var block = state[].pool.allocate(Int(py=nbytes))
    if block == 0:
        raise Error("out of memory")
    return owned(
        new_buffer(
            state[].objects.api.buffer_type,
            block,
            Int(py=nbytes),
            Int(Pointer(to=state[].pool)),
        )
    )


def adopt(
    handle: PythonObject,
    address: PythonObject,
    nbytes: PythonObject,
    owner: PythonObject,
    sharing: PythonObject,
) raises -> PythonObject:
    """A Buffer over memory that belongs to another object, which it keeps alive; `sharing` says who else
    uses it."""
    return owned(
        new_buffer_over(
            state_of(handle)[].objects.api.buffer_type,
            Int(py=address),
            Int(py=nbytes),
            address_of(owner),
            Int(py=sharing),
        )
    )


def address(handle: PythonObject, buffer: PythonObject) raises -> PythonObject:
    """Where the memory of a Buffer begins."""
    return PythonObject(_read(handle, buffer))


def holder(handle: PythonObject, buffer: PythonObject) raises -> PythonObject:
    """The object that the memory of a Buffer belongs to; None if that is ours."""
    ref objects = state_of(handle)[].objects
    if load(address_of(buffer), TYPE) != objects.api.buffer_type:
        raise Error("no buffer")
    var found = load(address_of(buffer), BUFFER_OWNER)
    return owned(kept(found)) if found != 0 else PythonObject(None)


def _read(handle: PythonObject, buffer: PythonObject) raises -> Int:
    """Where a Buffer begins whose elements are read."""
    ref objects = state_of(handle)[].objects
    if load(address_of(buffer), TYPE) != objects.api.buffer_type:
        raise Error("no buffer")
    objects.reads += 1
    return load(address_of(buffer), BUFFER_ADDRESS)


def element(
    handle: PythonObject,
    buffer: PythonObject,
    layout: PythonObject,
    code: PythonObject,
) raises -> PythonObject:
    """The element of a Buffer at which a layout begins, None the first, as a Python number."""
    ref api = state_of(handle)[].plan.api
    var at = _read(handle, buffer)
    if address_of(layout) != api.none:
        at += load(address_of(layout), ARRAY_DATA) - api.region
    return owned(number_at(at, Int(py=code)))


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
    var at = _read(handle, buffer)
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
            status = machine.run(bytecode, state[].pool)
    for slot in range(len(machine.slots)):
        machine.free(slot, state[].pool)
    return PythonObject(status)


def memory_in_use(handle: PythonObject) raises -> PythonObject:
    """Bytes of array memory now allocated."""
    return PythonObject(state_of(handle)[].pool.in_use())
