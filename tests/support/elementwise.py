"""The elementwise kernels called on NumPy arrays, by the functions of the library."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from jujunp.lazy.compiled.graphs.door import open_door
from jujunp.lazy.run.machine import OPCODES, result_of

Array = NDArray[Any]

NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
    "float32 float64 complex64 complex128"
)
DTYPES = [np.dtype(ml_dtypes.bfloat16 if n == "bfloat16" else n) for n in NAMES.split()]
"""The position of a dtype is its code."""


class ElementwiseKernels:
    """The operations of the library."""

    def __init__(self) -> None:
        library = open_door()
        self._run = library.jujunp_run_elementwise
        self._convert = library.jujunp_convert
        self._run.argtypes = [ctypes.c_ssize_t] * 7
        self._convert.argtypes = [ctypes.c_ssize_t] * 5
        self._run.restype = self._convert.restype = ctypes.c_bool
        end = OPCODES["convert_element_type"]
        self.opcodes = {name: code for name, code in OPCODES.items() if code < end}
        self.names = sorted(self.opcodes, key=self.opcodes.__getitem__)

    def result(self, name: str, dtype: np.dtype) -> np.dtype | None:
        """Return the dtype of an operation's result, None where it does not take a dtype."""
        code = result_of(self.opcodes[name], DTYPES.index(dtype))
        return DTYPES[code] if code >= 0 else None

    def runs(self, name: str, dtype: np.dtype) -> bool:
        """Whether an operation takes a dtype."""
        return bool(self._run(self.opcodes[name], DTYPES.index(dtype), 0, 0, 0, 0, 0))

    def __call__(self, name: str, *operands: Array, out: Array | None = None) -> Array:
        """Return the result for contiguous operands of one size."""
        dtype = operands[-1].dtype
        size = operands[0].size
        if out is None:
            out = np.empty(size, self.result(name, dtype))
        addresses = [x.ctypes.data for x in operands] + [0, 0]
        code = DTYPES.index(dtype)
        assert self._run(self.opcodes[name], code, out.ctypes.data, *addresses[:3], size)
        return out

    def convert(self, source: Array, dtype: np.dtype, out: Array | None = None) -> Array:
        """Return contiguous elements in another dtype."""
        if out is None:
            out = np.empty(source.size, dtype)
        codes = DTYPES.index(source.dtype), DTYPES.index(dtype)
        assert self._convert(*codes, out.ctypes.data, source.ctypes.data, source.size)
        return out
