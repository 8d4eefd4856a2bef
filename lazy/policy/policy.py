"""When a graph is compiled: the policy, and what each graph has cost so far.

Under `auto` a graph first runs on the immediate tier. Its cost is counted, and when that reaches a
share of what compiling costs, the graph is queued for the compile worker; from the flush after
that on it runs compiled, unless the immediate tier proves to be faster. A graph that is in the
store already runs compiled at once.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..functions.table import function_of
from ..jaxprs.snapshot import snapshot
from ..run import machine
from ..run.flush import POLICY, flush
from ..run.sites import warn_user
from ..run.statistics import COUNTS
from ..run.transfer import adopt, export
from ..values.dtypes import DTYPES
from ..values.value import Value, dtype_code, opcode, operand_dtype
from .comparison import COMPILED, IMMEDIATE, Comparison

if TYPE_CHECKING:
    from types import TracebackType

MODES = ("auto", "always", "never")
WORTH_COUNTING = 1 << 18
"""Work (element operations) below which a flush is too small to count: it costs some 50 us."""
WORTH_ASKING = 0.02
"""Seconds a graph has cost when the store is asked for it."""
WORTH_LOADING = 0.2
"""The same while MAX is not loaded: that takes 0.3 s, for which no first result should wait."""
WORTH_COMPILING = 2.0
"""Seconds a graph has cost when it is queued: a compile takes 12 s or more of one core."""
WORTH_A_STEP = 1 << 12
"""Work a step on average below which a flush is not counted: many small steps are not worth fusing,
and naming their graph would cost more than running it."""
LARGE = 1 << 22
"""Work from which the store is asked before the first run, once MAX is loaded."""
SETTLING = 0.005
"""Seconds after which MAX's threads are at rest again."""
KEPT = 4096
"""Graphs remembered; when there are more, those least recently run are forgotten."""


@dataclass
class Graph:
    """What is known of one graph: the same steps on the same shapes.

    Its name is its executable's in the store: a digest of the program, of what it runs on, and of
    all versions that decide what the program means.
    """

    key: bytes
    spent: float = 0.0
    name: str | None = None
    executable: Any = None
    queued: bool = False
    refused: bool = False
    runs: Comparison = field(default_factory=Comparison)


mode = "auto"
patience = WORTH_COMPILING
"""Seconds a graph may cost before it is queued."""
_graphs: dict[bytes, Graph] = {}
_tracing = 0
_warned = False
_running: Graph | None = None
_started = 0.0
_last_run = 0.0


def set_mode(new: str, after: float = WORTH_COMPILING) -> None:
    """Choose the policy: "auto" (past `after` seconds), "always" (compile and wait) or "never"."""
    global mode, patience
    if new not in MODES:
        raise ValueError(f"the compile policy is one of {', '.join(MODES)}, not {new!r}")
    mode, patience = new, float(after)
    POLICY.per_step = WORTH_A_STEP if new == "auto" else 0
    POLICY.threshold = {"auto": WORTH_COUNTING, "always": 0, "never": sys.maxsize}[new]


class compile_policy:
    """Choose when graphs are compiled; as a context manager, for its block only.

    Args:
        policy: "auto" compiles in the background what has proved hot, and runs it compiled where
            that proves to be faster; "always" compiles every graph, waits for it and runs it;
            "never" stays on the immediate kernels.
        after: Under "auto", the seconds that a graph must have cost before it is compiled.
    """

    def __init__(self, policy: str, after: float = WORTH_COMPILING) -> None:
        self._before = mode, patience
        set_mode(policy, after)

    def __enter__(self) -> compile_policy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            flush()
        set_mode(*self._before)


def run_compiled(log: list[Value], count: int, work: int) -> bool:
    """Run the planned part of the log as a compiled graph, if there is one, else time it."""
    global _running, _started
    places, results = machine.planned()
    nodes = [log[place] for place in places]
    outputs = [log[place] for place in results]
    graph = _remember(nodes, results)
    if graph.executable is None and not graph.refused:
        _prepare(graph, nodes, outputs, work)
    start = time.perf_counter()
    if graph.executable is not None and _preferred(graph) and _execute(graph, nodes, outputs):
        COUNTS["compiled runs"] += 1
        graph.runs.count(COMPILED, time.perf_counter() - start)
        return True
    _running, _started = graph, time.perf_counter()
    return False


def _preferred(graph: Graph) -> bool:
    """Whether the next run of a compiled graph is to be compiled."""
    return mode == "always" or graph.runs.next == COMPILED


def settle() -> None:
    """Count what the run on the immediate tier has cost."""
    if _running is None:
        return
    seconds = time.perf_counter() - _started
    if _running.executable is None:
        _running.spent += seconds
    else:
        _running.runs.count(IMMEDIATE, seconds)


def _remember(nodes: list[Value], results: list[int]) -> Graph:
    words, constants = machine.bytecode()
    masked = bytearray(words)
    for place in constants:
        masked[8 * place : 8 * place + 8] = bytes(8)
    leaves = [(dtype_code(value), value.shape) for value in _leaves(nodes)]
    # their opcodes do not say which they are
    functions = [found.key for value in nodes if (found := function_of(opcode(value)))]
    key = hashlib.sha256(masked + repr((leaves, results, functions)).encode()).digest()
    graph = _graphs.pop(key, None) or Graph(key)
    _graphs[key] = graph
    if len(_graphs) > KEPT:
        del _graphs[next(iter(_graphs))]
    return graph


def _leaves(nodes: list[Value]) -> list[Value]:
    """Return the computed values that the nodes read, in the order of first use."""
    seen = {id(value) for value in nodes}
    leaves = []
    for value in nodes:
        for operand in value.inputs:
            if isinstance(operand, Value) and id(operand) not in seen:
                seen.add(id(operand))
                leaves.append(operand)
    return leaves


def _prepare(graph: Graph, nodes: list[Value], outputs: list[Value], work: int) -> None:
    """Find, request or make the executable of a graph that has none."""
    if graph.name is None and mode != "always" and not _worth_asking(graph, work):
        return
    from .. import compiled  # takes 20 ms, which no first result should wait for

    if graph.queued:
        assert graph.name is not None
        graph.executable = compiled.lookup(graph.name, wait=False)
        return
    if graph.name is None:
        graph.name = compiled.name_of(graph.key)
        graph.executable = compiled.lookup(graph.name)
    if graph.executable is None:
        if mode == "always":
            _compile_now(graph, nodes, outputs)
        elif graph.spent >= patience:
            _enqueue(graph, nodes, outputs)


def _worth_asking(graph: Graph, work: int) -> bool:
    loaded = "max.engine" in sys.modules
    least = WORTH_ASKING if loaded else WORTH_LOADING
    return (loaded and work >= LARGE) or graph.spent >= min(least, patience)


def _compile_now(graph: Graph, nodes: list[Value], outputs: list[Value]) -> None:
    from .. import compiled
    from ..jaxprs.from_values import trace

    assert graph.name is not None
    try:
        closed, _ = trace(nodes, outputs, checked=True)
        if compiled.reason(closed):
            graph.refused = True
        else:
            graph.executable = compiled.compile_now(closed, graph.name)
    except Exception as error:  # a step that has no Jaxpr, or what the compiler said
        graph.refused = True
        _warn_once(f"a graph could not be compiled and runs on the immediate tier: {error}")


def _warn_once(message: str) -> None:
    """Warn of the user's line, once in a process: what fails once mostly fails again."""
    global _warned
    if not _warned:
        _warned = True
        warn_user(message)


def _enqueue(graph: Graph, nodes: list[Value], outputs: list[Value]) -> None:
    """Trace the graph and queue it for the worker, both in the background."""
    global _tracing
    graph.queued = True
    _tracing += 1
    copies = snapshot(nodes, outputs)
    threading.Thread(target=_trace_and_queue, args=(graph, *copies), daemon=True).start()


def _trace_and_queue(graph: Graph, nodes: list[Value], outputs: list[Value]) -> None:
    global _tracing
    from .. import compiled
    from ..jaxprs.from_values import trace

    try:
        closed, _ = trace(nodes, outputs, checked=True)
        if compiled.reason(closed):
            graph.refused = True
        else:
            assert graph.name is not None
            compiled.enqueue(closed, graph.name)
    except Exception as error:
        graph.refused = True
        warnings.warn(
            f"a graph cannot be compiled and runs on the immediate tier: {error!r}",
            RuntimeWarning,
            stacklevel=2,
        )
    finally:
        _tracing -= 1


def compile_counts() -> dict[str, int]:
    """Return how many graphs are in each state, and hits in the store; what is traced is queued."""
    from .. import compiled

    tracing = _tracing  # before the rest: a graph may be counted twice, but never not at all
    counts = compiled.stats()
    return {**counts, "queued": counts["queued"] + tracing}


def wait_for_compiles() -> None:
    """Wait until no graph is queued or being compiled; a terminal shows that it takes time."""
    from jujunp.kernels.progress import progress

    def waiting() -> bool:
        counts = compile_counts()
        return counts["queued"] + counts["running"] > 0

    if waiting():
        with progress("jujunp: compiling graphs (once)"):
            while waiting():
                time.sleep(0.02)


def _execute(graph: Graph, nodes: list[Value], outputs: list[Value]) -> bool:
    """Run the executable; False when it fails, so that the immediate tier tells why."""
    global _last_run
    from .. import compiled

    try:
        results = graph.executable(_arguments(nodes))
        _last_run = time.perf_counter()
    except (IndexError, compiled.KernelFailed):  # what the user gave, not the graph
        return False
    except Exception as error:
        graph.refused, graph.executable = True, None
        _warn_once(f"a compiled graph failed and runs on the immediate tier: {error}")
        return False
    for value, array in zip(outputs, results, strict=True):
        value.buffer = adopt(array)
        value.inputs = ()
        value.layouts = value.params = None
    return True


def _arguments(nodes: list[Value]) -> list[np.ndarray]:
    """Return the inputs of the traced graph, in the order of `jaxpr.trace`."""
    arguments: list[np.ndarray] = []
    seen = {id(value) for value in nodes}
    for value in nodes:
        for operand in value.inputs:
            if not isinstance(operand, Value):
                arguments.append(np.asarray(operand, DTYPES[operand_dtype(value)]))
            elif id(operand) not in seen:
                seen.add(id(operand))
                arguments.append(export(operand, dtype_code(operand)))
    return arguments


def _let_max_settle() -> None:
    """Before a fork: wait until the threads of MAX have put away what they have run with.

    A child in which they hold the lock of their allocator, which is Mojo's too, would never get it.
    """
    rest = SETTLING - (time.perf_counter() - _last_run)
    if rest > 0:
        time.sleep(rest)


def _forget_tracing() -> None:
    """In a forked process: the threads that trace are the parent's."""
    global _tracing
    _tracing = 0


os.register_at_fork(before=_let_max_settle, after_in_child=_forget_tracing)
POLICY.run, POLICY.settle = run_compiled, settle
set_mode(os.environ.get("JUJUNP_POLICY", "auto"))
