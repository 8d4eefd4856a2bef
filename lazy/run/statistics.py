"""Counts of what the engine did."""

from __future__ import annotations

from . import machine

COUNTS: dict[str, int] = {"templates traced": 0, "compiled runs": 0}
"""Counted where the thing happens."""

CPU_KERNELS: dict[str, int] = {}
"""Steps of graphs for a GPU that run on the CPU, by name."""

FALLBACKS: dict[str, int] = {}
"""Calls that the host's NumPy answered, by name."""
BY_DTYPE: dict[str, int] = {}
"""Those of them with arguments of dtypes that it alone has, by name and dtype."""


def counts() -> dict[str, int]:
    """Return how often templates were traced, and what was pending was flushed, and run."""
    return {
        "templates traced": COUNTS["templates traced"],
        "flushes": machine.flushes(),
        "immediate runs": machine.runs(),
        "compiled runs": COUNTS["compiled runs"],
    }
