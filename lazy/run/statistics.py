"""Counts of what the engine did."""

from __future__ import annotations

COUNTS: dict[str, int] = {
    "templates traced": 0,
    "flushes": 0,
    "immediate runs": 0,
    "compiled runs": 0,
}
"""Counted where the thing happens."""

CPU_KERNELS: dict[str, int] = {}
"""Steps of graphs for a GPU that run on the CPU, by name."""

FALLBACKS: dict[str, int] = {}
"""Calls that the host's NumPy answered, by name."""
