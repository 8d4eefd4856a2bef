"""The compiled tier: Jaxprs to MAX executables, compiled by a worker process and kept on disk.

A graph is known by its digest. `lookup` finds its executable in memory or in the store; `enqueue`
has it compiled in the background, `compile_now` at once. None of this needs `max` in the recording
process until the first executable is wanted. All functions may be called from any thread.

What an executable computes is what the immediate tier computes, to the last bit, but for one thing:
the compiler contracts a product that is added to (`x * y + z`) to one rounding. Subnormal numbers
are kept.
"""

from __future__ import annotations

from .graph import (
    CompileError,
    compile_modules,
    compile_now,
    compile_together,
    cost,
    cpu_kernels,
    digest,
    enqueue,
    executable,
    graph,
    lookup,
    module_of,
    reason,
    stats,
    supported,
    without_arrays,
    without_compiling,
)
from .ir.graph_ir import KernelFailed
from .ir.lifting import Graph
from .lower.routine import AtOnce
from .lower.rules.custom import is_users
from .store.digests import name_of

__all__ = [
    "AtOnce",
    "CompileError",
    "Graph",
    "KernelFailed",
    "compile_modules",
    "compile_now",
    "compile_together",
    "cost",
    "cpu_kernels",
    "digest",
    "enqueue",
    "executable",
    "graph",
    "is_users",
    "lookup",
    "module_of",
    "name_of",
    "reason",
    "stats",
    "supported",
    "without_arrays",
    "without_compiling",
]
