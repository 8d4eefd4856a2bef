"""Flush: run everything pending, at once on the immediate tier or as a compiled graph."""

from __future__ import annotations

import enum
import os
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values.value import LIMIT, LOG, Value, dtype_code, opcode, pack
from . import machine
from .findings import FINDINGS, line_of, report
from .machine import OPCODES, OPERATIONS, STATE
from .sites import Site
from .watching import WATCHES, is_sampling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(slots=True)
class Policy:
    """What decides whether a flush runs as a compiled graph; without one, none does.

    It is asked about flushes with as much work as `threshold`, in all, and `per_step`, on average.
    """

    run: Callable[[list[Value], int, int], bool]
    """Runs the planned part of the log, of some length and work, if there is a graph to run."""
    settle: Callable[[], None]
    """Is called after what `run` has refused has run on the immediate tier."""
    fuse: Callable[[], None]
    """Is called after each flush that is not small; looks for groups that have become hot."""
    threshold: int = sys.maxsize
    per_step: int = 0

    def ask_from(self, threshold: int, per_step: int) -> None:
        """Set for how much work, in all and of a step on average, the policy is asked."""
        self.threshold, self.per_step = threshold, per_step
        machine.set_policy(threshold, per_step)


POLICY = Policy(lambda log, count, work: False, lambda: None, lambda: None)
"""The one in force: lazy/policy/policy.py puts itself into it."""
POLICY.ask_from(POLICY.threshold, POLICY.per_step)
LOCK = threading.RLock()
"""Held while pending values are computed here; reentrant for signal handlers and finalizers."""


class LinAlgFailure(enum.Enum):
    """What has failed where a kernel `require` wants a success; its parameter is the place here."""

    NOT_POSITIVE = "Matrix is not positive definite"
    SINGULAR = "Singular matrix"
    EIGENVALUES = "Eigenvalues did not converge"
    SVD = "SVD did not converge"
    LEAST_SQUARES = "SVD did not converge in Linear Least Squares"
    NOT_FINITE = "Array must not contain infs or NaNs"


_LINALG_FAILURES = tuple(LinAlgFailure)
_WRITES = frozenset(OPCODES[name] for name in machine.WRITES)
_COPY = OPCODES["copy"]


class Failure:
    """Stands in a value's buffer when its computation failed, or when there is none to do."""

    __slots__ = ("error", "stands_for")

    def __init__(self, error: Exception, stands_for: str = "") -> None:
        self.error = error
        self.stands_for = stands_for
        """What a value is that stands for others, as it is printed."""

    def raise_again(self) -> None:
        """Raise the error of the failed step, as a new one: a traceback would keep arrays alive."""
        raise type(self.error)(*self.error.args)


_failed = False
_running = False


def flush() -> None:
    """Compute every pending value that someone still refers to.

    Raises the first error of the steps that failed. Whatever does not depend on a failed step is
    computed; a write that failed leaves its array as it was. Does nothing when a signal handler or
    a finalizer calls it in the middle of a flush of its own thread. RuntimeError in a call that is
    made as a sample.
    """
    if is_sampling():
        raise RuntimeError("a sample is not computed")
    if not machine.flush_small():
        _flush()


def _flush() -> None:
    """Flush where that is not for the library alone: much work, or what can fail."""
    global _running
    first: Exception | None = None
    with LOCK:
        if _running:
            return
        _running = True
        try:
            for watch in reversed(WATCHES):  # the outer ones see what inner ones record
                watch.take_own()
            first = _failure(machine.unfinished(STATE))
            while LOG:
                for watch in reversed(WATCHES):  # other threads record meanwhile
                    watch.take_own()
                error = _run_pending()
                first = first or error
                for watch in tuple(WATCHES):
                    watch.go_on(0 if error is None else None)  # what waits was seen
        finally:
            _running = False
        machine.flushed()
        POLICY.fuse()
    try:
        report()
    finally:
        if first is not None:
            Failure(first).raise_again()


def room() -> None:
    """Flush when too much is pending. Call it first, while no written array is half recorded."""
    if len(LOG) > LIMIT:
        flush()


def _run_pending() -> Exception | None:
    """Run the log; on a failure, keep what waits in the log and return the error."""
    if _failed:
        _spread_failures()
        if not LOG:
            return None
    count = len(LOG)
    try:
        work = machine.plan(STATE, LOG)
    except Exception as refused:  # a step that makes no sense: none of these can be planned
        return _give_up(LOG[:count], refused)
    counted = work >= POLICY.threshold and work >= count * POLICY.per_step
    if counted and POLICY.run(LOG, count, work):
        del LOG[:count]
        return None
    rest = machine.execute(STATE)
    if rest is None and counted:
        POLICY.settle()
    return _failure(rest)


def _failure(rest: Any) -> Exception | None:
    """Keep in the log what waits after a failed run, and return the error; None if none failed."""
    if rest is None:
        return None
    status, count, failed, waiting, *fault = rest
    if status == machine.MALFORMED:
        return _give_up(LOG[:count], RuntimeError("the program is malformed"))
    error = _error(int(status), [int(n) for n in fault], [LOG[node] for node in failed])
    for node in failed:
        _fail(LOG[node], error)
    LOG[:count] = [LOG[node] for node in (*failed, *waiting) if LOG[node].buffer is None]
    return error


def _give_up(values: list[Value], error: Exception) -> Exception:
    """Fail values whose plan failed; writes among them leave their arrays as they were."""
    refused = RuntimeError(f"the pending steps cannot run: {error}")
    for value in values:
        _fail(value, refused)
    LOG[: len(values)] = [value for value in values if value.buffer is None]
    return refused


def _error(status: int, fault: Sequence[int], values: list[Value]) -> Exception:
    where = next((f" (recorded at {site})" for v in values if (site := site_of(v))), "")
    if status == machine.OUT_OF_BOUNDS:
        axis, index, size = fault
        place = getattr(values[0], "site", None)
        if isinstance(place, Site) and place.axes:
            axis = place.axes[axis]
        return IndexError(f"index {index} is out of bounds for axis {axis} with size {size}{where}")
    if opcode(values[0]) == OPCODES["require"]:
        (place,) = values[0].params or ()
        return np.linalg.LinAlgError(f"{_LINALG_FAILURES[place].value}{where}")
    if status == machine.NO_MEMORY:
        return MemoryError(f"an array cannot be allocated{where}")
    steps = ", ".join(sorted({OPERATIONS.get(opcode(v), str(opcode(v))) for v in values}))
    return RuntimeError(f"the kernels refused {steps}{where}")


def site_of(value: Value) -> str:
    """Return the user's line that recorded a value, '' when it was not kept."""
    site = getattr(value, "site", None)
    if site is None:
        return ""
    file, line = line_of(site, value.errors)
    return f"{file}, line {line}"


def _fail(value: Value, error: Exception) -> None:
    """Mark a value as failed; a failed write is its old value again."""
    global _failed
    old = value.inputs[0] if value.inputs else None
    if opcode(value) in _WRITES and isinstance(old, Value) and not isinstance(old.buffer, Failure):
        code = dtype_code(value)
        value.code = pack(_COPY, code, code)
        value.inputs = (old,)
        value.layouts = None
        value.params = None
        return
    _failed = True
    value.buffer = Failure(error)
    value.inputs = ()
    value.layouts = None


def expect_failures() -> None:
    """Tell that some values have failed which were never in the log."""
    global _failed
    _failed = True


def _spread_failures() -> None:
    """Fail the pending values that use a failed one.

    It is one loop, which also sees what other threads record meanwhile: the interpreter turns to
    them in loops and calls only, thus not between the end of this one and the planner.
    """
    kept = []
    for value in LOG:
        for operand in value.inputs:
            if isinstance(operand, Value) and isinstance(operand.buffer, Failure):
                _fail(value, operand.buffer.error)
                break
        if value.buffer is None:
            kept.append(value)
    LOG[:] = kept


def ensure(value: Value) -> None:
    """Compute a value now; raises the error of the step that failed to compute it.

    RuntimeError for a pending value that a signal handler or a finalizer reads in the middle of a
    flush of its own thread.
    """
    if value.buffer is None or FINDINGS:
        flush()
    if type(value.buffer) is Failure:
        value.buffer.raise_again()
    if value.buffer is None:
        raise RuntimeError("pending values cannot be read where a flush has been interrupted")


with LOCK:
    machine.watch(LOCK, flush, ensure, WATCHES)

# a process forked while another thread flushes has no such thread that would release the lock
os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)
