"""Kernels called on NumPy arrays through probes: libraries that are compiled for the tests."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = NDArray[Any]

_ROOT = Path(__file__).parents[1]
NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
    "float32 float64 complex64 complex128"
)
DTYPES = [np.dtype(ml_dtypes.bfloat16 if n == "bfloat16" else n) for n in NAMES.split()]
"""The position of a dtype is its code."""


@contextmanager
def built(probe: str) -> Iterator[Path]:
    """Compile a probe of tests/kernels; gives the library, which is there until it is loaded."""
    mojo = Path(sys.executable).with_name("mojo")
    with TemporaryDirectory(prefix="jujunp-probe-") as folder:
        library = Path(folder) / f"{probe}.so"
        options = ["--emit", "shared-lib", "-I", str(_ROOT / "kernels"), "-o", str(library)]
        source = _ROOT / "tests" / "kernels" / f"{probe}.mojo"
        subprocess.run([str(mojo), "build", *options, str(source)], check=True, timeout=600)
        yield library


class ElementwiseKernels:
    """The operations of an elementwise probe, whose functions begin with `prefix`."""

    def __init__(self, library: ctypes.CDLL, prefix: str) -> None:
        self._run = getattr(library, f"{prefix}_run")
        self._convert = getattr(library, f"{prefix}_convert")
        self._run.argtypes = [ctypes.c_ssize_t] * 7
        self._convert.argtypes = [ctypes.c_ssize_t] * 5
        self._run.restype = self._convert.restype = ctypes.c_bool
        names = ctypes.create_string_buffer(1 << 16)
        length = getattr(library, f"{prefix}_names")(names)
        self.names = names.raw[:length].decode().split()
        self.opcodes = {name: code for code, name in enumerate(self.names)}

    def result(self, name: str, dtype: np.dtype) -> np.dtype | None:
        """Return the dtype of an operation's result, None where it does not take a dtype."""
        raise NotImplementedError

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
