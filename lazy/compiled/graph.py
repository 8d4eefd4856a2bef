"""Graphs, and their life in the compiled tier."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from jujunp.kernels.progress import progress

from ..run.statistics import CPU_KERNELS
from . import lower as lowering
from .comparison import COMPILED, IMMEDIATE, Comparison
from .ir.devices import CPU
from .ir.graph_ir import Unsupported
from .ir.lifting import large_constants, lifted
from .store import digests
from .tier import TIER
from .worker import snapshots
from .worker.compiler import UNSUPPORTED

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

    import numpy as np
    from jax.extend.core import ClosedJaxpr

    from ..values.value import Value
    from .graphs.maxapi import Executable
    from .ir.devices import Device
    from .ir.graph_ir import GraphIR
    from .lower.routine import AtOnce
    from .worker.compiler import Job
    from .worker.snapshot import Snapshot


class CompileError(RuntimeError):
    """A graph could not be compiled; the text says why."""


class NoGraph(CompileError):
    """What was recorded holds a step that no graph has."""


class Graph:
    """A Jaxpr, compiled or to be compiled, for one device.

    Its life: it is *described* by a Jaxpr, of which `ir`, `name` and `reason` are made when they
    are wanted, or by recorded steps, of which the compile worker makes them; *looked for* by
    `find`, in memory and in the store; *queued* for the compile worker by `queue`, or waited for by
    `compile`; *ready* when `executable` is there; *run* by being called; *compared* with the
    immediate tier by whoever runs both: `count_run`, `is_preferred`.

    Equal graphs have one name, in every process with the same versions of everything, on the same
    kind of CPU and for the same kind of device. What is under way is shared by name: many objects
    may stand for one graph. All methods may be called from any thread.

    Args:
        closed: The Jaxpr; a graph whose name is known has none, and `describe` gives it steps.
        device: What it is compiled for.
        lifts: Whether large arrays that the Jaxpr holds become inputs after its own, so that they
            are no part of the name and of what is kept. A call gives them.
    """

    def __init__(
        self, closed: ClosedJaxpr | None = None, device: Device = CPU, *, lifts: bool = False
    ) -> None:
        self.device = device
        self.executable: Executable | None = None
        self.runs = Comparison()
        self._closed = closed
        self._steps: Snapshot | None = None
        self._lifts = lifts
        self._sought = False
        self._cause: BaseException | None = None

    @classmethod
    def of_key(cls, key: bytes) -> Graph:
        """Return a graph for the CPU that is named by a key, which says all that it does."""
        graph = cls()
        graph.name = digests.name_of(key)
        return graph

    def describe(self, nodes: Sequence[Value], outputs: Sequence[Value]) -> None:
        """Give a graph that is named by a key its steps: pending values, and which are results."""
        self._steps = snapshots.take(nodes, outputs)

    @functools.cached_property
    def _whole(self) -> GraphIR:
        """The steps, with all arrays that the Jaxpr holds."""
        closed = self._closed
        assert closed is not None, "a graph that is named only has not been described"
        from .read import reader
        from .read import symbolic_reader as symbolic

        read = symbolic if symbolic.is_symbolic(closed) else reader
        found: GraphIR = read.from_jaxpr(closed)
        self._closed = None  # it is large, and has been read
        return found

    @functools.cached_property
    def ir(self) -> GraphIR:
        """The steps as plain data; raises Unsupported for what has no such form."""
        return lifted(self._whole) if self._lifts else self._whole

    @functools.cached_property
    def held(self) -> list[np.ndarray]:
        """The large arrays that are inputs, of a graph that lifts them."""
        return large_constants(self._whole) if self._lifts else []

    @functools.cached_property
    def name(self) -> str:
        """The name of the executable in the store; raises Unsupported if there can be none."""
        return digests.digest(self.ir, self.device)

    @functools.cached_property
    def reason(self) -> str:
        """Why the graph cannot be compiled, "" if it can."""
        try:
            return lowering.reason(self.ir)
        except Unsupported as error:
            self._cause = error.__cause__
            return str(error)

    def at_once(self) -> AtOnce | None:
        """Return a graph that works on little memory as a routine of the kernels, else None."""
        try:
            return lowering.at_once(self.ir)
        except Unsupported:
            return None

    def find(self, *, again: bool = False) -> bool:
        """Look for the executable; whether it is there.

        The store is read the first time only, or `again`: what is compiled later in this process
        is in memory.
        """
        if self.executable is None:
            self.executable = TIER.lookup(self.name, self.device, read=self._reads() or again)
        return self.executable is not None

    def _reads(self) -> bool:
        """Whether the store is to be read: the first time only."""
        sought, self._sought = self._sought, True
        return not sought

    def is_known(self) -> bool:
        """Whether the executable is in memory or, when first asked for, in the store.

        It may not be loaded yet: `find` does that.
        """
        return self.executable is not None or TIER.knows(self.name, self.device, read=self._reads())

    def queue(self, *, urgent: bool = False) -> Job:
        """Have the graph compiled in the background, unless it is or was already."""
        return TIER.compiler.submit(self.name, self._steps or self.ir, self.device, urgent=urgent)

    def ready(self, *, wait: bool) -> bool:
        """Whether the executable is there: with `wait` it is compiled now, else queued."""
        if wait:
            self.compile()
        elif not self.find():
            self.queue()
            self.find()  # it may be done since it was looked for
        return self.executable is not None

    def compile(self) -> Executable:
        """Return the executable, compiled now if there is none.

        It takes 12 seconds or more, and a terminal shows that it does. What a graph for a GPU runs
        on the CPU is counted in the stats. Raises CompileError, with the cause where a user's
        lowering rule has failed; NoGraph for recorded steps that cannot be compiled.
        """
        if self.executable is not None:
            return self.executable
        self._check()
        self._count_cpu_kernels()
        if self.find(again=True):
            return self._found("")
        job = self.queue(urgent=True)
        with progress("jujunp: compiling a graph (once)"):
            job.finished.wait()
        self.find(again=True)
        if job.state == UNSUPPORTED:
            raise NoGraph(job.error)
        return self._found(job.error)

    def _found(self, error: str) -> Executable:
        if self.executable is not None:
            return self.executable
        if self.device.virtual and not error:
            error = f"no {self.device.architecture} is there to run what was compiled for it"
        raise CompileError(error or "the executable cannot be loaded in this process")

    def _check(self) -> None:
        """Raise CompileError for a graph that cannot be compiled."""
        if self._steps is None and self.reason:
            raise CompileError(self.reason) from self._cause

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the executable, which must be ready: `Executable` says on what, and what it gives."""
        assert self.executable is not None
        return self.executable([*inputs, *self.held] if self._lifts else inputs)

    @property
    def is_preferred(self) -> bool:
        """Whether the next run should be compiled, by what runs on both tiers have taken."""
        return self.runs.next == COMPILED

    def count_run(self, seconds: float, *, compiled: bool) -> None:
        """Count a run of the same steps, on either tier."""
        self.runs.count(COMPILED if compiled else IMMEDIATE, seconds)

    def max_graph(self) -> Any:
        """Return the `max.graph.Graph`, built in this process; raises CompileError."""
        from .graphs.building import graph_of

        self._check()
        return graph_of(self.ir, self.device)

    def cost(self) -> dict[str, int]:
        """Return the steps, the elements they make, and bytes that go in and out."""
        ir = self.ir
        made = [ir.specs[value] for step in ir.steps for value in step.results]
        ends = [*ir.specs[: ir.inputs], *(ir.specs[k] for k in ir.outputs)]
        return {
            "steps": len(ir.steps),
            "elements": sum(spec.size for spec in made),
            "bytes": sum(spec.nbytes for spec in ends),
        }

    def cpu_kernels(self) -> Counter[str]:
        """Return what runs on the CPU when the graph is compiled for a GPU, with the numbers."""
        return lowering.cpu_kernels(self.ir)

    def _count_cpu_kernels(self) -> None:
        """Count, once for a graph, what it runs on the CPU though it is for a GPU."""
        if self.device.is_cpu or self.name in TIER.counted:
            return
        TIER.counted.add(self.name)
        for kernel, steps in self.cpu_kernels().items():
            CPU_KERNELS[kernel] = CPU_KERNELS.get(kernel, 0) + steps

    def module(self) -> tuple[bytes, int]:
        """Return the MEF that holds the executable, and its position there.

        Raises CompileError if the store does not have it.
        """
        found = TIER.stored(self.name)
        if found is None:
            raise CompileError("the compiled graph is not in the store (see JUJUNP_CACHE_DIR)")
        return found


def compile_together(graphs: Iterable[Graph]) -> None:
    """Have graphs ready; what has to be compiled becomes one module. Raises CompileError."""
    graphs = list(graphs)
    for graph in graphs:
        if not graph.find():
            graph.queue(urgent=True)
    for graph in graphs:
        graph.compile()


def compile_modules(graphs: Iterable[Graph]) -> None:
    """Have graphs compiled together, and wait: `Graph.module` then finds them.

    None of them is loaded, so that the device need not be there. Raises CompileError.
    """
    jobs = [graph.queue(urgent=True) for graph in graphs if TIER.stored(graph.name) is None]
    with progress("jujunp: compiling graphs (once)"):
        for job in jobs:
            job.finished.wait()
            if job.error:
                raise CompileError(job.error)


def stats() -> dict[str, int]:
    """Return how many compilations are queued, running, done and failed, and hits in the store."""
    return {**TIER.compiler.counts(), "store_hits": TIER.store_hits}
