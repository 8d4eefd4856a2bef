"""Compares the two tiers over the Array API: `python -m conformance.tiers [CHAPTER ...]`.

Each function of a chapter is recorded for many dtypes, shapes and special values. What is recorded
is computed at once by the kernels, and compiled as a graph, many graphs to a module; the results
must be the same, but for the last few bits of floats, as a product and the sum that follows may be
rounded once. Graphs that the compiled tier does not take are counted by the reason.

It takes a few minutes, and exits with 1 when a result differs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.chapters import CHAPTERS
from jujunp._array.handle import whole_value
from jujunp.kernels.progress import progress
from jujunp.lazy.compiled.graphs import maxapi
from jujunp.lazy.compiled.ir.graph_ir import GraphIR, Unsupported
from jujunp.lazy.compiled.lower import reason
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.compiled.store import digests
from jujunp.lazy.compiled.worker import process, wire
from jujunp.lazy.jaxprs.from_values import trace
from jujunp.lazy.policy import policy
from jujunp.lazy.run import transfer
from jujunp.lazy.run.flush import ensure, flush
from jujunp.lazy.run.settling import deferred_errors
from jujunp.lazy.values.dtypes import DTYPES
from jujunp.lazy.values.value import LOG, Value, dtype_code

CANCELLING = frozenset(("linalg", "fft"))
"""Chapters in which sums of products may cancel."""
MODULE = 150
"""Graphs that are compiled together."""
ULPS = 4
"""How far floats may be from each other, in units in the last place."""


@dataclass
class Case:
    """A recorded call: its graph, the arrays that go in, and what the kernels computed."""

    name: str
    ir: GraphIR
    inputs: list[np.ndarray]
    wanted: list[np.ndarray]


def recorded(name: str, call: Callable[[], Any], reasons: Counter[str]) -> Case | None:
    """Record a call and compute it; None, and a reason, where the compiled tier cannot take it."""
    with deferred_errors():
        return _recorded(name, call, reasons)


def _recorded(name: str, call: Callable[[], Any], reasons: Counter[str]) -> Case | None:
    flush()
    found = call()
    arrays = found if isinstance(found, (tuple, list)) else [found]
    values = [whole_value(x) for x in arrays]
    pending = [value for value in values if value.buffer is None]
    if not pending:
        reasons["nothing is pending: a view, or computed at once"] += 1
        return None
    closed, leaves = trace(list(LOG), pending, checked=True)
    try:
        ir = from_jaxpr(closed)
    except Unsupported as refused:
        reasons[str(refused)] += 1
        flush()
        return None
    why = reason(ir)
    if why:
        reasons[why] += 1
        flush()
        return None
    inputs = [_input(leaf) for leaf in leaves]
    return Case(name, ir, inputs, [_computed(value) for value in pending])


def _computed(value: Value) -> np.ndarray:
    ensure(value)
    return transfer.export(value, dtype_code(value))


def _input(leaf: Any) -> np.ndarray:
    if isinstance(leaf, tuple):
        number, code = leaf
        return np.asarray(number, DTYPES[code])
    return _computed(leaf)


def compiled(cases: list[Case]) -> list[list[np.ndarray]]:
    """Return what the graphs of some cases compute, compiled together; equal graphs once."""
    irs = {digests.digest(case.ir): case.ir for case in cases}
    worker = process.WorkerProcess()
    try:
        reply = worker.ask(wire.Batch(tuple(irs.values())))
    finally:
        worker.stop()
    if not isinstance(reply, wire.Compiled):
        raise RuntimeError(f"a module cannot be compiled: {reply}")
    if reply.refused:
        raise RuntimeError(f"graphs cannot be compiled: {reply.refused}")
    executables = dict(zip(irs, maxapi.load(reply.mef), strict=True))
    return [_run(executables[digests.digest(case.ir)], case) for case in cases]


def _run(executable: maxapi.Executable, case: Case) -> list[np.ndarray]:
    specs = [case.ir.specs[value] for value in case.ir.outputs]
    results = executable(case.inputs)
    return [spec.seen(result) for spec, result in zip(specs, results, strict=True)]


def alike(found: np.ndarray, wanted: np.ndarray, cancels: bool = False) -> bool:
    """Whether two results are the same, floats to within a few units in the last place.

    Where sums of products may cancel, it is that of the largest element.
    """
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return False
    if wanted.dtype.kind == "c":
        return alike(_parts(found), _parts(wanted), cancels)
    if wanted.dtype.kind != "f":
        return np.array_equal(found, wanted)
    with np.errstate(all="ignore"):
        room = ULPS * np.abs(np.spacing(np.abs(wanted).max(initial=0) if cancels else wanted))
        near = np.abs(found - wanted) <= room
    return bool(np.all(near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))))


def _parts(x: np.ndarray) -> np.ndarray:
    return np.stack([x.real, x.imag])


def compare(chapter: str, calls: Iterator[tuple[str, Callable[[], Any]]]) -> tuple[int, int]:
    """Compare the calls of a chapter, print the outcome, and count graphs and differences."""
    reasons: Counter[str] = Counter()
    cases = [case for name, call in calls if (case := recorded(name, call, reasons))]
    different = []
    for start in range(0, len(cases), MODULE):
        part = cases[start : start + MODULE]
        with progress(f"{chapter}: compiling {len(part)} of {len(cases)} graphs"):
            results = compiled(part)
        for case, found in zip(part, results, strict=True):
            pairs = zip(found, case.wanted, strict=True)
            if not all(alike(np.asarray(x), y, chapter in CANCELLING) for x, y in pairs):
                different.append(case.name)
    print(f"{chapter}: {len(cases)} graphs compiled, {len(different)} differ", flush=True)
    for name in different:
        print(f"    differs: {name}")
    for why, count in reasons.most_common():
        print(f"    not compiled, {count}: {why}")
    return len(cases), len(different)


def main() -> int:
    """Compare the chapters that are named, or all; returns the exit status."""
    policy.set_mode("never")
    names = sys.argv[1:] or list(CHAPTERS)
    unknown = [name for name in names if name not in CHAPTERS]
    if unknown:
        print(f"no such chapter: {', '.join(unknown)}; there are {', '.join(CHAPTERS)}")
        return 2
    counts = [compare(name, CHAPTERS[name]()) for name in names]
    return int(any(different for _, different in counts))


if __name__ == "__main__":
    raise SystemExit(main())
