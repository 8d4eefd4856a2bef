"""The structured kernels against NumPy, through a probe extension that calls `table.run`."""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
CODES = {
    np.dtype(name): code
    for code, name in enumerate(
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
        "float32 float64 complex64 complex128".split()
    )
    if name != "bfloat16"
}
OK, UNSUPPORTED, OUT_OF_BOUNDS = 0, 1, 2
Array = np.ndarray[Any, Any]


class ProbeModule(Protocol):
    """The functions of the extension."""

    def call(self, request: int) -> int: ...
    def measure(self, request: int, repeats: int) -> float: ...
    def names(self) -> list[str]: ...


def build_probe(folder: Path) -> ProbeModule:
    """Compiles the probe extension into a folder and imports it."""
    target = folder / "structured_probe.so"
    compiler = Path(sys.executable).with_name("mojo")
    source = Path(__file__).with_name("kernels") / "structured_probe.mojo"
    options = ["--emit", "shared-lib", "-I", str(ROOT / "kernels"), "-o", str(target)]
    subprocess.run([str(compiler), "build", *options, str(source)], check=True, timeout=600)
    return load_probe(target)


def load_probe(target: Path) -> ProbeModule:
    """Imports a compiled probe extension."""
    spec = importlib.util.spec_from_file_location("structured_probe", target)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(ProbeModule, module)


class Request:
    """The seven words of one call, and everything they point at."""

    def __init__(
        self, opcode: int, arrays: Sequence[Array], params: Sequence[int], threads: int
    ) -> None:
        self.arrays = arrays
        self.keep: list[Array] = []
        table = np.array([self._operand(array) for array in arrays], np.int64).reshape(-1, 5)
        self.fault = np.full(3, -1, np.int64)
        packed = np.array([*params, 0], np.int64)
        self.keep += [table, packed]
        self.words = np.array(
            [
                opcode,
                table.ctypes.data,
                len(arrays),
                packed.ctypes.data,
                len(params),
                threads,
                self.fault.ctypes.data,
            ],
            np.int64,
        )

    def _operand(self, array: Array) -> list[int]:
        shape = np.array([*array.shape, 0], np.int64)
        strides = np.array([*array.strides, 0], np.int64)
        self.keep += [shape, strides]
        code = CODES[array.dtype]
        return [array.ctypes.data, code, array.ndim, shape.ctypes.data, strides.ctypes.data]


class Probe:
    """Calls kernels by name."""

    def __init__(self, module: ProbeModule) -> None:
        self.module = module
        self.opcodes = {name: opcode for opcode, name in enumerate(module.names())}

    def request(
        self, name: str, arrays: Sequence[Array], params: Sequence[int] = (), threads: int = 1
    ) -> Request:
        return Request(self.opcodes[name], arrays, params, threads)

    def status(
        self, name: str, arrays: Sequence[Array], params: Sequence[int] = (), threads: int = 1
    ) -> int:
        """Runs a kernel, returns its status."""
        request = self.request(name, arrays, params, threads)
        return self.module.call(request.words.ctypes.data)

    def run(
        self, name: str, arrays: Sequence[Array], params: Sequence[int] = (), threads: int = 1
    ) -> None:
        """Runs a kernel that must succeed."""
        assert self.status(name, arrays, params, threads) == OK

    def seconds(
        self,
        name: str,
        arrays: Sequence[Array],
        params: Sequence[int] = (),
        threads: int = 1,
        repeats: int = 1,
    ) -> float:
        """Mean seconds of one run."""
        request = self.request(name, arrays, params, threads)
        return self.module.measure(request.words.ctypes.data, repeats) / 1e9
