"""The functions of the compiled tier, and what they share."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from jujunp.kernels.build import KernelBuildError
from jujunp.kernels.cache import user_cache
from jujunp.kernels.progress import progress

from ..run.statistics import CPU_KERNELS
from . import lower as lowering
from .ir.devices import CPU
from .ir.graph_ir import Unsupported
from .ir.lifting import Graph, Lifted, large_constants, lifted
from .lower.routine import AtOnce
from .read import symbolic_reader as symbolic
from .read.reader import from_jaxpr
from .store import digests
from .store.store import Store
from .worker.compiler import Compiler, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from jax.extend.core import ClosedJaxpr

    from .graphs.maxapi import Executable
    from .ir.devices import Device
    from .ir.graph_ir import Program

KEPT_EXECUTABLES = 4096
KEPT_PROGRAMS = 256

Entry = TypeVar("Entry")


class CompileError(RuntimeError):
    """A graph could not be compiled; the text says why."""


def digest(closed_jaxpr: Graph, *, device: Device = CPU) -> str:
    """Return the name of the graph's executable; raises Unsupported for one that cannot have any.

    It is the same in every process with the same versions of everything, on the same kind of CPU
    and for the same kind of device.
    """
    program = _program(closed_jaxpr)
    name = digests.digest(program, device)
    _tier.programs.keep(name, program)
    return name


def _program(closed_jaxpr: Graph) -> Program:
    """Return the graph as a program; a graph is asked about several times in a row."""
    last = _tier.last
    if last is None or last[0] is not closed_jaxpr:
        last = _tier.last = (closed_jaxpr, _read(closed_jaxpr))
    return last[1]


def _read(closed_jaxpr: Graph) -> Program:
    if isinstance(closed_jaxpr, Lifted):
        return lifted(_read(closed_jaxpr.closed))
    read = symbolic.from_jaxpr if symbolic.is_symbolic(closed_jaxpr) else from_jaxpr
    return read(closed_jaxpr)


def without_arrays(closed_jaxpr: ClosedJaxpr) -> tuple[Graph, list[np.ndarray]]:
    """Return a graph whose last inputs are the large arrays that it held, and these."""
    try:
        arrays = large_constants(_program(closed_jaxpr))
    except Unsupported:
        arrays = []
    return (Lifted(closed_jaxpr), arrays) if arrays else (closed_jaxpr, [])


def reason(closed_jaxpr: Graph) -> str:
    """Return why the graph cannot be compiled, or "" if it can."""
    try:
        return lowering.reason(_program(closed_jaxpr))
    except Unsupported as error:
        return str(error)


def supported(closed_jaxpr: Graph) -> bool:
    """Whether the graph can be compiled."""
    return not reason(closed_jaxpr)


def without_compiling(closed_jaxpr: Graph) -> AtOnce | None:
    """Return a graph that works on little memory as a function of the immediate tier, or None."""
    try:
        return lowering.at_once(_program(closed_jaxpr))
    except Unsupported:
        return None


def lookup(name: str, *, wait: bool = True, device: Device = CPU) -> Executable | None:
    """Return the executable of the graph with this digest if it has been compiled.

    `device` is the one of the digest. Without `wait`, only what this process has found or compiled
    itself is considered: no file is read.
    """
    return _tier.lookup(name, wait, device)


def enqueue(closed_jaxpr: Graph, name: str, *, device: Device = CPU) -> None:
    """Have the graph with this digest compiled in the background, unless it is or was already."""
    _tier.compiler.submit(name, _tier.program(closed_jaxpr, name), device)


def compile_now(closed_jaxpr: Graph, name: str, *, device: Device = CPU) -> Executable:
    """Return the executable of the graph with this digest, compiled now if there is none.

    It takes 12 seconds or more, and a terminal shows that it does. Raises CompileError.
    """
    _count_cpu_kernels(closed_jaxpr, name, device)
    executable = lookup(name, device=device)
    if executable is not None:
        return executable
    program = _tier.program(closed_jaxpr, name)
    job = _tier.compiler.submit(name, program, device, urgent=True)
    with progress("jujunp: compiling a graph (once)"):
        job.finished.wait()
    executable = lookup(name, device=device)
    if executable is None and device.virtual and not job.error:
        raise CompileError(f"no {device.architecture} is there to run what was compiled for it")
    if executable is None:
        raise CompileError(job.error or "the executable cannot be loaded in this process")
    return executable


def executable(closed_jaxpr: Graph, *, device: Device = CPU) -> Executable:
    """Return the executable of a graph, compiled now if there is none.

    What a graph for a GPU runs on the CPU is counted in the stats. Raises CompileError, with the
    cause where a user's lowering rule has failed.
    """
    try:
        name = digest(closed_jaxpr, device=device)
    except Unsupported as error:
        raise CompileError(f"{error}") from error.__cause__
    if why := reason(closed_jaxpr):
        raise CompileError(why)
    return compile_now(closed_jaxpr, name, device=device)


def graph(closed_jaxpr: ClosedJaxpr, *, device: Device = CPU) -> Any:
    """Return the `max.graph.Graph` of a graph, built in this process; raises CompileError."""
    from .graphs.building import graph_of

    try:
        why = reason(closed_jaxpr)
        if not why:
            return graph_of(_program(closed_jaxpr), device)
    except Unsupported as error:
        raise CompileError(f"{error}") from error.__cause__
    raise CompileError(why)


def cost(closed_jaxpr: ClosedJaxpr) -> dict[str, int]:
    """Return the steps of a graph, the elements they make, and bytes that go in and out."""
    program = _program(closed_jaxpr)
    made = [program.specs[value] for step in program.steps for value in step.results]
    ends = [*program.specs[: program.inputs], *(program.specs[k] for k in program.outputs)]
    return {
        "steps": len(program.steps),
        "elements": sum(spec.size for spec in made),
        "bytes": sum(spec.nbytes for spec in ends),
    }


def compile_together(
    closed_jaxprs: Mapping[str, ClosedJaxpr], *, device: Device = CPU
) -> dict[str, Executable]:
    """Return the executables of graphs by digest; what has to be compiled becomes one module.

    Raises CompileError.
    """
    missing = {
        name: closed_jaxpr
        for name, closed_jaxpr in closed_jaxprs.items()
        if lookup(name, device=device) is None
    }
    _submit(missing, device)
    return {
        name: compile_now(closed, name, device=device) for name, closed in closed_jaxprs.items()
    }


def compile_modules(closed_jaxprs: Mapping[str, ClosedJaxpr], *, device: Device = CPU) -> None:
    """Have graphs compiled together, and wait: `module_of` then finds them.

    None of them is loaded, so that the device need not be there. Raises CompileError.
    """
    missing = {
        name: closed_jaxpr
        for name, closed_jaxpr in closed_jaxprs.items()
        if not _tier.has_module(name)
    }
    with progress("jujunp: compiling graphs (once)"):
        for job in _submit(missing, device):
            job.finished.wait()
            if job.error:
                raise CompileError(job.error)


def _submit(closed_jaxprs: Mapping[str, ClosedJaxpr], device: Device) -> list[Job]:
    return [
        _tier.compiler.submit(name, _tier.program(closed_jaxpr, name), device, urgent=True)
        for name, closed_jaxpr in closed_jaxprs.items()
    ]


def _count_cpu_kernels(closed_jaxpr: Graph, name: str, device: Device) -> None:
    """Count, once for a graph, what it runs on the CPU though it is for a GPU."""
    if device.is_cpu or name in _tier.counted:
        return
    _tier.counted.add(name)
    for kernel, steps in cpu_kernels(closed_jaxpr).items():
        CPU_KERNELS[kernel] = CPU_KERNELS.get(kernel, 0) + steps


def cpu_kernels(closed_jaxpr: Graph) -> Counter[str]:
    """Return what the graph runs on the CPU when it is compiled for a GPU, with the numbers."""
    return lowering.cpu_kernels(_program(closed_jaxpr))


def module_of(name: str) -> tuple[bytes, int]:
    """Return the MEF that holds the executable with this digest, and its position there.

    Raises CompileError if the store does not have it.
    """
    return _tier.module_of(name)


def stats() -> dict[str, int]:
    """Return how many compilations are queued, running, done and failed, and hits in the store."""
    return {**_tier.compiler.counts(), "store_hits": _tier.store_hits}


class _Recent(Generic[Entry]):
    """A mapping that keeps what was used last."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Entry | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def keep(self, key: str, entry: Entry) -> None:
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)


class _Module:
    """A compiled module; it is loaded when the first of its executables is wanted."""

    def __init__(self, mef: bytes | Path) -> None:
        self._mef: bytes | Path | None = mef
        self._executables: list[Executable] = []
        self._lock = threading.Lock()

    def executable(
        self, position: int, load: Callable[[bytes | Path], list[Executable]]
    ) -> Executable:
        """Return one executable; raises what `load` raises, and IndexError if there are fewer."""
        with self._lock:
            if self._mef is not None:
                self._executables = load(self._mef)
                self._mef = None
        return self._executables[position]


class _Tier:
    def __init__(self) -> None:
        self.last: tuple[Graph, Program] | None = None
        self.programs: _Recent[Program] = _Recent(KEPT_PROGRAMS)
        self.store_hits = 0
        self.counted: set[str] = set()
        self.compiler = Compiler(self._deliver)
        self._places: _Recent[tuple[_Module, int]] = _Recent(KEPT_EXECUTABLES)
        self._modules: _Recent[_Module] = _Recent(KEPT_EXECUTABLES)
        self._store = Store(user_cache() / "graphs")

    def program(self, closed_jaxpr: Graph, name: str) -> Program:
        """Return the program of a graph, which was made for its digest."""
        return self.programs.get(name) or _program(closed_jaxpr)

    def lookup(self, name: str, read: bool, device: Device) -> Executable | None:
        """Return the executable with this digest, from memory or, with `read`, from the store."""
        place = self._places.get(name) or (self._stored(name) if read else None)
        if place is None or device.virtual:
            return None
        from .graphs import maxapi  # takes as long as importing JAX, so not before it is needed

        if not maxapi.usable():
            return None
        module, position = place
        try:
            return module.executable(position, lambda mef: maxapi.load(mef, device))
        except (KernelBuildError, OSError, RuntimeError, IndexError):
            # A file that is whole, but no module for this MAX.
            self._store.discard(name)
            return None

    def _stored(self, name: str) -> tuple[_Module, int] | None:
        found = self._store.get(name)
        if found is None:
            return None
        self.store_hits += 1
        module = self._modules.get(found.file.stem) or _Module(found.file)
        self._modules.keep(found.file.stem, module)
        self._places.keep(name, (module, found.position))
        return module, found.position

    def has_module(self, name: str) -> bool:
        """Whether the store has a module with this digest's executable."""
        return self._store.get(name) is not None

    def module_of(self, name: str) -> tuple[bytes, int]:
        """Return the module with this digest's executable, from the store, and its position."""
        found = self._store.get(name)
        with contextlib.suppress(FileNotFoundError):  # another process may remove it just now
            if found is not None:
                return found.mef, found.position
        raise CompileError("the compiled graph is not in the store (see JUJUNP_CACHE_DIR)")

    def _deliver(self, mef: bytes, names: Sequence[str]) -> None:
        module = _Module(mef)
        for position, name in enumerate(names):
            self._places.keep(name, (module, position))
        self._store.put(mef, names)

    def close(self) -> None:
        """End the worker."""
        self.compiler.close()


_tier = _Tier()


def _close() -> None:
    _tier.close()


def _start_anew() -> None:
    """In a forked process: leave the parent's worker alone, and what MAX has loaded unused."""
    global _tier
    _tier.compiler.forget_worker()
    _tier = _Tier()


atexit.register(_close)
os.register_at_fork(after_in_child=_start_anew)
