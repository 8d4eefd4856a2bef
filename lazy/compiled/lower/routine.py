"""Routines of the kernels, carried out at once.

Small IRs with branches and loops are: a graph of MAX would hold the same routines
(lowering/loops.py), and takes 12 seconds to compile.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from ...run import machine
from ...values.dtypes import DTYPES, NAMED
from ..ir.graph_ir import KernelFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.graph_ir import TensorSpec

_OPCODES = {k: code for k, code in machine.OPCODES.items() if code > machine.OPCODES["project"]}
_FIRST = min(_OPCODES.values()) - 1
KERNELS = {"copy": 0} | {name: code - _FIRST for name, code in _OPCODES.items()}
"""The numbers of the kernels. The first one, `copy`, has the name of an operation."""


class AtOnce:
    """A routine on the kernels of the immediate tier, called like an executable.

    `words` are those of the routine, written with the numbers in `KERNELS`.
    """

    def __init__(self, words: Sequence[int], results: Sequence[TensorSpec]) -> None:
        self._words = np.array(words, np.int64)
        self._results = [(spec.shape, DTYPES[NAMED[spec.dtype]]) for spec in results]

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run on C-contiguous arrays of exactly the routine's shapes and dtypes.

        The results are new arrays. Raises KernelFailed, MemoryError, and IndexError for an index
        that is out of bounds.
        """
        results = [np.empty(shape, dtype) for shape, dtype in self._results]
        addresses = np.array([x.ctypes.data for x in (*results, *inputs)], np.int64)
        fault = np.zeros(4, np.int64)
        given = (x.ctypes.data for x in (self._words, addresses, fault))
        words, tensors, fault_at = map(ctypes.c_void_p, given)
        status = machine.run_routine(words, tensors, ctypes.c_int64(machine.threads), fault_at)
        if status:
            raise _error(status, fault.tolist())
        return results


def _error(status: int, fault: list[int]) -> Exception:
    kernel, axis, index, size = fault
    if status == machine.OUT_OF_BOUNDS:
        return IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    if status == machine.NO_MEMORY:
        return MemoryError("a loop has no memory for its values")
    return KernelFailed(f"kernel {kernel} failed: {status}")
