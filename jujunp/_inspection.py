"""Looking inside the engine: flush, stats, jaxpr, the compile policy and deferred errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.fused import fusing
from jujunp.lazy.policy.policy import compile_counts, compile_policy, wait_for_compiles
from jujunp.lazy.run import machine
from jujunp.lazy.run import statistics as _stats
from jujunp.lazy.run.flush import LOCK, ensure
from jujunp.lazy.run.flush import flush as _flush
from jujunp.lazy.run.settling import deferred_errors
from jujunp.lazy.values.value import LOG, Value

from ._array.array_likes import as_handle
from ._array.handle import Handle, value_of, whole_value

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

__all__ = [
    "compile_policy",
    "deferred_errors",
    "flush",
    "jaxpr",
    "stats",
    "wait_for_compiles",
]


def flush(*arrays: Any) -> None:
    """Compute everything that is pending; never needed for right answers.

    Args:
        arrays: Arrays and scalars whose own failures are raised too; anything else is ignored, as
            it is never pending.

    Raises the first error of the steps that failed, with the line that recorded the step.
    """
    _flush()
    for x in arrays:
        if isinstance(x, Handle):
            ensure(value_of(x))


def stats() -> dict[str, Any]:
    """Return what the engine did so far, by name.

    - `templates traced`, `flushes`, `immediate runs`, `compiled runs`: how often.
    - `compiles queued`, `compiles running`, `compiles done`, `compiles failed`: how many graphs
      are in each state.
    - `store hits`: executables found on disk.
    - `fused loops`: of groups of elementwise steps that have proved hot: how many are `waiting`,
      were `compiled` in this process, `found` on disk, or have `failed`; how often loops have run
      (`runs`), how many are `used`, and how many were `declined` as they were no faster.
    - `pending`: values recorded and not computed; `memory`: bytes of array memory allocated.
    - `cpu kernels in gpu graphs`: what the graphs that were compiled for a GPU, or found in the
      store, run on the CPU because there is no GPU kernel for it: the number of steps by the name
      of the kernel. Their operands are moved to the CPU, and their results back when they are
      wanted there.
    - `host fallbacks`: how often NumPy answered a call, by the function's name; `host dtypes`:
      how often for a dtype that it alone has, by both (`sort of <U1`; an argument that is text, as
      names of dtypes are, counts as `str`).
    """
    compiles = compile_counts()
    hits = compiles.pop("store_hits")
    return {
        **_stats.counts(),
        **{f"compiles {state}": count for state, count in compiles.items()},
        "store hits": hits,
        "fused loops": fusing.counts(),
        "pending": len(LOG),
        "memory": machine.memory_in_use(),
        "cpu kernels in gpu graphs": dict(_stats.CPU_KERNELS),
        "host fallbacks": dict(_stats.FALLBACKS),
        "host dtypes": dict(_stats.BY_DTYPE),
    }


def jaxpr(x: Any) -> ClosedJaxpr:
    """Return what is pending of an array or scalar as a Jaxpr with one output, of its shape.

    The inputs are the computed arrays that it depends on and the Python numbers, in the order of
    their use. Nothing is computed. What is no array of ours is taken as by `asarray`; errors are
    those of `asarray`, and of a step that failed.

    In a program that makes many steps of few elements these are computed when they are made. Such
    steps are pending again after this call, and always within `np.deferred_errors()`.
    """
    from jujunp.lazy.jaxprs.from_values import trace

    machine.forget_habits()
    value = whole_value(as_handle(x))
    if value.buffer is not None:
        ensure(value)
    with LOCK:  # what another thread computes loses its history
        closed, _ = trace(_history(value), [value])
    return closed


def _history(value: Value) -> list[Value]:
    """Return the pending values that a value depends on, in recording order, itself included."""
    found: set[int] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if id(node) not in found and node.buffer is None:
            found.add(id(node))
            waiting.extend(operand for operand in node.inputs if isinstance(operand, Value))
    return [node for node in LOG if id(node) in found]
