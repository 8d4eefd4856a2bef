"""What a flush is decided by: threads, functions of users, the policy, and groups that are hot."""

from std.python import Python, PythonObject
from structured.threads.workers import forget_workers
from vm.base.bytecode import FIRST_FUNCTION, FUNCTIONS
from vm.base.functions import Function
from vm.base.raw import address_of
from vm.python.state import state_of
from vm.run.fused import HotGroups


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


def lend_cores(
    handle: PythonObject, cores: PythonObject, always: PythonObject
) raises -> PythonObject:
    """Leaves so many more cores to compilers in the background, fewer if negative; by large steps, too, if
    `always`."""
    ref machine = state_of(handle)[].machine
    if Bool(py=always):
        machine.lent_always += Int(py=cores)
    else:
        machine.lent += Int(py=cores)
    return PythonObject(None)


def forget_threads(handle: PythonObject) raises -> PythonObject:
    """In a forked process, which has none of the worker threads: starts new ones when needed. Those who
    compile in the background are the parent's, too."""
    forget_workers()
    ref machine = state_of(handle)[].machine
    machine.lent = 0
    machine.lent_always = 0
    return PythonObject(None)


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
    """Sets after how many nanoseconds of a group its fused loop is looked for, and after how many that loops
    could have saved they are compiled."""
    state_of(handle)[].machine.hot.set_limits(Int(py=first), Int(py=second))
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
    state_of(handle)[].machine.hot.set_loop(Int(py=place), Int(py=loop))
    return PythonObject(None)


def forget_groups(handle: PythonObject) raises -> PythonObject:
    """Forgets what groups have cost, and their loops; whoever was told of some forgets them, too."""
    ref hot = state_of(handle)[].machine.hot
    var first = hot.first
    var second = hot.second
    hot = HotGroups()
    hot.set_limits(first, second)
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


def fusible_time(handle: PythonObject) raises -> PythonObject:
    """Nanoseconds since the last call in groups that have a fused loop, or may have one."""
    ref hot = state_of(handle)[].machine.hot
    var spent = hot.fusible
    hot.fusible = 0
    return PythonObject(spent)
