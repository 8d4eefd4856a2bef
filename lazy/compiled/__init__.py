"""The compiled tier: Jaxprs to MAX executables, compiled by a worker process and kept on disk.

`Graph` has the life of a graph. None of it needs `max` in the recording process until the first
executable is wanted.

What an executable computes is what the immediate tier computes, to the last bit, but for one thing:
the compiler contracts a product that is added to (`x * y + z`) to one rounding. Subnormal numbers
are kept.
"""

from __future__ import annotations

from .graph import CompileError, Graph, NoGraph, compile_modules, compile_together, stats
from .ir.graph_ir import KernelFailed
from .lower.routine import AtOnce
from .lower.rules.custom import is_users
from .tier import TIER

__all__ = [
    "TIER",
    "AtOnce",
    "CompileError",
    "Graph",
    "KernelFailed",
    "NoGraph",
    "compile_modules",
    "compile_together",
    "is_users",
    "stats",
]
