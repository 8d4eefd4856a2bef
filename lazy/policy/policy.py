"""When a graph is compiled: the policy, and what each graph has cost so far.

Under `auto` a graph first runs on the immediate tier. Its cost is counted, and when that reaches a
share of what compiling costs, the graph is queued for the compile worker; from the flush after
that on it runs compiled, unless the immediate tier proves to be faster. A graph that is in the
store already runs compiled as soon as it is loaded. Nobody waits for any of it, but for MLIR's
context (0.06 s, once): the worker traces the steps, and graphs are loaded on threads in the
background.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.kernels.progress import progress

from ..functions.table import function_of
from ..fused import fusing
from ..run import machine
from ..run.flush import POLICY, flush
from ..run.sites import warn_user
from ..run.statistics import COUNTS
from ..run.transfer import adopt, export
from ..values.dtypes import DTYPES
from ..values.value import Value, dtype_code, operand_dtype

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from ..compiled import Graph
    from ..compiled.worker.compiler import Job

MODES = ("auto", "always", "never")
WORTH_COUNTING = 1 << 18
"""Work (element operations) below which a flush is too small to count: it costs some 50 us."""
WORTH_ASKING = 0.02
"""Seconds a graph has cost when the store is asked for it."""
WORTH_LOADING = 0.2
"""The same while MAX is not loaded: that takes 0.3 s of a core, or more."""
WORTH_COMPILING = 10.0
"""Seconds a graph has cost when it is queued: a compile takes 12 to 60 s of one core, and slows the
program down for as long."""
WORTH_A_STEP = 1 << 12
"""Work a step on average below which a flush is not counted: many small steps are not worth fusing,
and naming their graph would cost more than running it."""
LARGE = 1 << 22
"""Work from which the store is asked before the first run, once MAX is loaded."""
SETTLING = 0.005
"""Seconds after which MAX's threads are at rest again."""
WORTH_SEEKING = 0.02
"""Seconds a group has cost as blocks when its fused loop is looked for on disk."""
WORTH_FUSING = 0.05
"""The share of what a graph may cost before it is queued, after which loops are compiled if they
could have saved as much: that takes some 6 s of a core for all that wait."""
BACKGROUND = 30.0
"""Seconds that a fork waits at most for threads that load; they may have to import MAX first."""
KEPT = 4096
"""Candidates remembered; when there are more, those least recently run are forgotten."""


@dataclass
class Candidate:
    """What is known of the same steps on the same shapes: what they have cost, and their graph."""

    key: bytes
    spent: float = 0.0
    graph: Graph | None = None
    queued: bool = False
    loading: bool = False
    refused: bool = False


class Background:
    """How many graphs threads in the background load, and how many they are to finish."""

    def __init__(self) -> None:
        self.loading = self.unfinished = 0
        self._lock = threading.Lock()

    def add(self, what: str, count: int) -> None:
        """Count more of what is named, from any thread."""
        with self._lock:
            setattr(self, what, getattr(self, what) + count)


mode = "auto"
patience = WORTH_COMPILING
"""Seconds a graph may cost before it is queued."""
_candidates: dict[bytes, Candidate] = {}
_background = Background()
_warned = False
_running: Candidate | None = None
_started = 0.0
_last_run = 0.0


def set_mode(new: str, after: float = WORTH_COMPILING) -> None:
    """Choose the policy: "auto" (past `after` seconds), "always" (compile and wait) or "never"."""
    global mode, patience
    if new not in MODES:
        raise ValueError(f"the compile policy is one of {', '.join(MODES)}, not {new!r}")
    mode, patience = new, float(after)
    threshold = {"auto": WORTH_COUNTING, "always": 0, "never": sys.maxsize}[new]
    POLICY.ask_from(threshold, WORTH_A_STEP if new == "auto" else 0)
    limits = {"auto": (min(WORTH_SEEKING, after), WORTH_FUSING * after), "always": (0, 0)}
    machine.set_fusing(*limits.get(new, (math.inf, math.inf)))


class compile_policy:
    """Choose when graphs are compiled; as a context manager, for its block only.

    Args:
        policy: "auto" compiles in the background what has proved hot, and runs it compiled where
            that proves to be faster; "always" compiles every graph, waits for it and runs it;
            "never" stays on the immediate kernels.
        after: Under "auto", the seconds that a graph must have cost before it is compiled; the
            fused loops of groups of elementwise steps are compiled when they could have saved
            a twentieth of them.
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


@contextlib.contextmanager
def immediately(*, eager: bool = False) -> Iterator[None]:
    """Ask for no graph meanwhile; if `eager`, have a fused loop made of every group that runs."""
    POLICY.ask_from(sys.maxsize, 0)
    if eager:
        machine.set_fusing(0, 0)
    try:
        yield
    finally:
        set_mode(mode, patience)


def run_compiled(log: list[Value], count: int, work: int) -> bool:
    """Run the planned part of the log as a compiled graph, if there is one, else time it."""
    global _running, _started
    candidate = _remember()
    graph = None if candidate.refused else _ready_graph(candidate, log, work)
    start = time.perf_counter()
    if graph is not None and _preferred(graph) and _execute(candidate, graph, *_planned(log)):
        COUNTS["compiled runs"] += 1
        graph.count_run(time.perf_counter() - start, compiled=True)
        return True
    machine.fusible_seconds()
    _running, _started = candidate, time.perf_counter()
    return False


def _planned(log: list[Value]) -> tuple[list[Value], list[Value]]:
    """Return the values that the plan computes, and its results."""
    places, results = machine.planned()
    return [log[place] for place in places], [log[place] for place in results]


def _preferred(graph: Graph) -> bool:
    """Whether the next run of a compiled graph is to be compiled."""
    return mode == "always" or graph.is_preferred


def settle() -> None:
    """Count what the run on the immediate tier has cost, if most of it is not for fused loops."""
    if _running is None:
        return
    seconds = time.perf_counter() - _started
    graph = _running.graph
    if graph is None or graph.executable is None:
        others = seconds - machine.fusible_seconds()
        if others > seconds / 2:
            _running.spent += others
    else:
        graph.count_run(seconds, compiled=False)


def _fuse() -> None:
    if mode == "always":
        fusing.wait()
    else:
        fusing.fuse_hot()


def _remember() -> Candidate:
    """Return what is known of the planned steps."""
    name, functions = machine.name()
    if functions:
        name += repr([found.key for code in functions if (found := function_of(code))]).encode()
    key = hashlib.sha256(name).digest()
    candidate = _candidates.pop(key, None) or Candidate(key)
    _candidates[key] = candidate
    if len(_candidates) > KEPT:
        del _candidates[next(iter(_candidates))]
    return candidate


def _ready_graph(candidate: Candidate, log: list[Value], work: int) -> Graph | None:
    """Return the graph of a candidate if it can run; else look for it, queue it or compile it."""
    if candidate.graph is None:
        if mode != "always" and not _worth_asking(candidate, work):
            return None
        from ..compiled import Graph  # takes 20 ms, which no first result should wait for

        candidate.graph = Graph.of_key(candidate.key)
    graph = candidate.graph
    if mode == "always":
        if not graph.find() and not candidate.queued:
            _compile_now(candidate, graph, log)
    elif graph.executable is None and not candidate.loading and not candidate.queued:
        if graph.is_known():
            candidate.loading = True
            _background.add("loading", 1)
            _in_background(_load, candidate, graph)
        elif candidate.spent >= patience:
            candidate.queued = True
            graph.describe(*_planned(log))
            _in_background(_load_when_done, candidate, graph, graph.queue())
    return None if graph.executable is None else graph


def _worth_asking(candidate: Candidate, work: int) -> bool:
    loaded = "max.engine" in sys.modules
    least = WORTH_ASKING if loaded else WORTH_LOADING
    return (loaded and work >= LARGE) or candidate.spent >= min(least, patience)


def _compile_now(candidate: Candidate, graph: Graph, log: list[Value]) -> None:
    from .. import compiled

    try:
        graph.describe(*_planned(log))
        graph.compile()
    except compiled.NoGraph:
        candidate.refused = True
    except Exception as error:  # what JAX or the compiler said
        candidate.refused = True
        _warn_once(f"a graph could not be compiled and runs on the immediate tier: {error}")


def _warn_once(message: str) -> None:
    """Warn of the user's line, once in a process: what fails once mostly fails again."""
    global _warned
    if not _warned:
        _warned = True
        warn_user(message)


def _in_background(task: Callable[..., None], *args: Any) -> None:
    """Run a task, which may load MAX, in a thread of its own."""
    from ..compiled.graphs import context  # noqa: F401  # on this thread

    def run() -> None:
        try:
            task(*args)
        finally:
            background.add("unfinished", -1)

    background = _background
    background.add("unfinished", 1)
    threading.Thread(target=run, daemon=True).start()


def _load(candidate: Candidate, graph: Graph) -> None:
    """Load what was compiled; where it is no module, it is compiled again like what never was."""
    from ..compiled.graphs.context import in_context

    try:
        with in_context():
            graph.find(again=True)
        candidate.refused = graph.executable is None and graph.is_known()
    except Exception as error:
        candidate.refused = True
        warnings.warn(
            f"a graph cannot be loaded and runs on the immediate tier: {error!r}",
            RuntimeWarning,
            stacklevel=2,
        )
    finally:
        _background.add("loading", -1)
        candidate.loading = False


def _load_when_done(candidate: Candidate, graph: Graph, job: Job) -> None:
    """Wait for the worker, which says itself what went wrong, and load what it has compiled."""
    job.finished.wait()
    if job.error:
        candidate.refused = True
    else:
        _background.add("loading", 1)
        _load(candidate, graph)


def compile_counts() -> dict[str, int]:
    """Return how many graphs are in each state, and hits in the store."""
    from .. import compiled

    return compiled.stats()


def wait_for_compiles() -> None:
    """Wait until nothing is queued or being compiled; a terminal shows that it takes time."""

    def waiting() -> bool:
        counts = compile_counts()
        return counts["queued"] + counts["running"] + _background.unfinished > 0

    if waiting():
        with progress("jujunp: compiling graphs (once)"):
            while waiting():
                time.sleep(0.02)
    fusing.wait()


def _execute(candidate: Candidate, graph: Graph, nodes: list[Value], outputs: list[Value]) -> bool:
    """Run the executable; False when it fails, so that the immediate tier tells why."""
    global _last_run
    from .. import compiled

    try:
        results = graph(_arguments(nodes))
        _last_run = time.perf_counter()
    except (IndexError, compiled.KernelFailed):  # what the user gave, not the graph
        return False
    except Exception as error:
        candidate.refused, graph.executable = True, None
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


def _settle_threads() -> None:
    """Before a fork: wait until no thread loads, and those of MAX are at rest.

    A child in which they hold a lock, of what they import or of an allocator, would never get it.
    """
    end = time.perf_counter() + BACKGROUND
    while _background.loading and time.perf_counter() < end:
        time.sleep(0.005)
    rest = SETTLING - (time.perf_counter() - _last_run)
    if rest > 0:
        time.sleep(rest)


def _forget_threads() -> None:
    """In a forked process: the threads in the background are the parent's."""
    global _background
    _background = Background()
    for candidate in _candidates.values():
        candidate.loading = False


os.register_at_fork(before=_settle_threads, after_in_child=_forget_threads)
POLICY.run, POLICY.settle, POLICY.fuse = run_compiled, settle, _fuse
set_mode(os.environ.get("JUJUNP_POLICY", "auto"))
