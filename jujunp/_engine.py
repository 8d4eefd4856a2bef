"""Looking inside the engine: flush, stats, jaxpr and the compile policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy import machine
from jujunp.lazy import stats as _stats
from jujunp.lazy.flush import ensure
from jujunp.lazy.flush import flush as _flush
from jujunp.lazy.policy import compile_policy, wait_for_compiles
from jujunp.lazy.value import LOG, Value

from ._handle import Handle, value_of, whole_value

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr


def flush(*arrays: Any) -> None:
    """Compute everything that is pending, and with it the arrays given.

    Never needed for right answers. Raises the error of a step that failed, with the line that
    recorded it.
    """
    _flush()
    for x in arrays:
        if isinstance(x, Handle):
            ensure(value_of(x))


def stats() -> dict[str, Any]:
    """Return what the engine did so far.

    Counts of templates traced, flushes, immediate and compiled runs, compiles queued, running, done
    and failed, and store hits; `pending`, the values recorded and not computed; `memory`, the bytes
    of array memory allocated; `host fallbacks`, calls that NumPy answered, by name.
    """
    from jujunp.lazy import compiled

    return {
        **_stats.COUNTS,
        **compiled.stats(),
        "pending": len(LOG),
        "memory": machine.memory_in_use(),
        "host fallbacks": dict(_stats.FALLBACKS),
    }


def jaxpr(x: Any) -> ClosedJaxpr:
    """Return the pending Jaxpr of an array: its inputs are the computed arrays it depends on.

    Python numbers are inputs too, in the order of their use.
    """
    from jujunp.lazy.jaxpr import trace

    value = whole_value(x)
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


__all__ = ["compile_policy", "flush", "jaxpr", "stats", "wait_for_compiles"]
