"""Compiles the IRs of a test module together, and keeps the result for the next run."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.lazy.compiled import TIER
from jujunp.lazy.compiled.graphs import maxapi
from jujunp.lazy.compiled.ir.devices import CPU
from jujunp.lazy.compiled.store import digests
from jujunp.lazy.compiled.store.store import Store
from jujunp.lazy.compiled.worker import process, wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jujunp.lazy.compiled.graphs.maxapi import Executable
    from jujunp.lazy.compiled.ir.devices import Device
    from jujunp.lazy.compiled.ir.graph_ir import GraphIR


def executables_of(irs: Mapping[str, GraphIR], device: Device = CPU) -> dict[str, Executable]:
    """Return the executables of IRs, compiled into one module unless an earlier run did it."""
    return dict(zip(irs, maxapi.load(module_of(irs, device), device), strict=True))


def module_of(irs: Mapping[str, GraphIR], device: Device = CPU) -> bytes:
    """Return the module of IRs, compiled unless an earlier run did it.

    The digests of the IRs name everything that decides the code, so that nothing stale is
    found. It is the user's cache that keeps it, as it keeps the kernels.
    """
    names = "".join(digests.digest(ir, device) for ir in irs.values())
    key = hashlib.sha256(names.encode()).hexdigest()
    kernels = Path(os.environ["JUJUNP_CACHE_DIR"], "kernels").resolve()
    store = Store(kernels.parent / "tests", limit=64 << 20)
    found = store.get(key)
    if found is not None:
        mef = found.mef
    else:
        mef = _compile(irs, device)
        store.put(mef, [key])
    return mef


def have_compiled(irs: Mapping[str, GraphIR]) -> None:
    """Have the executables of IRs, by their names, as if they had been compiled one by one."""
    TIER.deliver(module_of(irs), list(irs))


def _compile(irs: Mapping[str, GraphIR], device: Device) -> bytes:
    worker = process.WorkerProcess()
    try:
        reply = worker.ask(wire.Batch(tuple(irs.values()), device))
    finally:
        worker.stop()
    assert isinstance(reply, wire.Compiled), reply
    names = list(irs)
    assert reply.refused == {}, {names[number]: why for number, why in reply.refused.items()}
    return reply.mef
