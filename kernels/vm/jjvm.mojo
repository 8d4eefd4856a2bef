"""The library of the kernels: the immediate tier's Python extension module `jjvm`, and C functions
that compiled graphs call.

`start` makes a state and `bind` tells it where Python keeps things; `plan` and `execute` together
are one flush, or else one call of `flush_small` (vm/run/flush.mojo).
"""

from std.os import abort
from std.python import PythonObject
from std.python.bindings import PythonModuleBuilder
from structured.operands.operand import Words
from structured.threads.workers import Shared, Task, share_out
from vm.python.calls import (
    class_of,
    described,
    forget_calls,
    known_calls,
    set_keeper,
    function,
    function_type,
    record_steps,
    set_learner,
    set_learning,
    set_finishing,
    set_host,
    set_other_calls,
)
from vm.python.drawing import (
    draw_few,
    draw_float,
    draw_whole,
    drawing,
    drawing_names,
    new_drawing_type,
)
from vm.python.errors import (
    add_quiet,
    set_deferring,
    set_errors,
    set_frames,
    set_reporting,
    warning_steps,
)
from vm.python.facts import arity_of, constants, is_silent, opcodes, result_of
from vm.python.memory import (
    address,
    adopt,
    allocate,
    element,
    holder,
    memory_in_use,
    outside,
)
from vm.python.plans import (
    bytecode,
    execute,
    name,
    plan,
    planned,
    run_words,
    unfinished,
)
from vm.python.policy import (
    add_function,
    forget_groups,
    forget_threads,
    fused_counts,
    fusible_time,
    hot_groups,
    lend_cores,
    set_fused,
    set_fusing,
    set_policy,
    set_threads,
    watch,
)
from vm.python.state import start
from vm.python.types import (
    bind,
    learn,
    loops,
    compare_by_dtype,
    make_types,
    set_class_of_type,
    set_operator,
    set_askers,
    set_classes,
    set_flat_class,
    set_simple_powers,
    set_ufunc,
)
from vm.routines.dense import run_dense
from vm.routines.reader import Reader
from vm.routines.routines import Tensors, run_calls
from vm.routines.sizes import value_of


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
        module.def_function[is_silent]("is_silent")
        module.def_function[start]("start")
        module.def_function[add_function]("add_function")
        module.def_function[bind]("bind")
        module.def_function[watch]("watch")
        module.def_function[set_policy]("set_policy")
        module.def_function[set_fusing]("set_fusing")
        module.def_function[hot_groups]("hot_groups")
        module.def_function[set_fused]("set_fused")
        module.def_function[fused_counts]("fused_counts")
        module.def_function[fusible_time]("fusible_time")
        module.def_function[forget_groups]("forget_groups")
        module.def_function[make_types]("make_types")
        module.def_function[set_class_of_type]("set_class_of_type")
        module.def_function[compare_by_dtype]("compare_by_dtype")
        module.def_function[set_operator]("set_operator")
        module.def_function[loops]("loops")
        module.def_function[learn]("learn")
        module.def_function[set_ufunc]("set_ufunc")
        module.def_function[set_flat_class]("set_flat_class")
        module.def_function[set_askers]("set_askers")
        module.def_function[set_classes]("set_classes")
        module.def_function[set_simple_powers]("set_simple_powers")
        module.def_function[function]("function")
        module.def_function[function_type]("function_type")
        module.def_function[set_learner]("set_learner")
        module.def_function[forget_calls]("forget_calls")
        module.def_function[known_calls]("known_calls")
        module.def_function[set_keeper]("set_keeper")
        module.def_function[set_deferring]("set_deferring")
        module.def_function[set_learning]("set_learning")
        module.def_function[set_errors]("set_errors")
        module.def_function[warning_steps]("warning_steps")
        module.def_function[add_quiet]("add_quiet")
        module.def_function[set_reporting]("set_reporting")
        module.def_function[set_frames]("set_frames")
        module.def_function[set_other_calls]("set_other_calls")
        module.def_function[set_finishing]("set_finishing")
        module.def_function[set_host]("set_host")
        module.def_function[described]("described")
        module.def_function[class_of]("class_of")
        module.def_function[record_steps]("record_steps")
        module.def_function[set_threads]("set_threads")
        module.def_function[lend_cores]("lend_cores")
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
        module.def_function[name]("name")
        module.def_function[planned]("planned")
        module.def_function[memory_in_use]("memory_in_use")
        module.def_function[draw_float]("draw_float")
        module.def_function[draw_whole]("draw_whole")
        module.def_function[draw_few]("draw_few")
        module.def_function[drawing]("drawing")
        module.def_function[drawing_names]("drawing_names")
        module.def_function[new_drawing_type]("drawing_type")
        return module.finalize()
    except e:
        abort(t"cannot create module: {e}")
