"""Calling the structured kernels on NumPy arrays, by the function that compiled graphs call."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from jujunp.kernels import facts
from jujunp.lazy.compiled.graphs.door import kernel_numbers, open_door
from tests.support.elementwise import DTYPES, Array

OK, UNSUPPORTED, OUT_OF_BOUNDS, FAILED = (
    facts.numbers(facts.OPERAND)[name] for name in ("OK", "UNSUPPORTED", "OUT_OF_BOUNDS", "FAILED")
)
CODES = {dtype: code for code, dtype in enumerate(DTYPES)}
INTEGERS = [f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = ["f4", "f8"]
HALVES = ["f2", ml_dtypes.bfloat16]
COMPLEX = ["c8", "c16"]
NUMBERS = INTEGERS + FLOATS
MOVED = ["?", "i2", "f4", "f8", "c16"]  # one dtype of each item size
SHAPES: list[tuple[int, ...]] = [
    *[(), (1,), (5,), (0,), (130,), (3, 4), (40, 33), (0, 4), (4, 0)],
    *[(5, 6, 7), (2, 1, 9), (3, 70, 5), (2, 3, 4, 5)],
]
THREADS = (1, 2)


class Request:
    """The seven arguments of one call, and everything they point at."""

    def __init__(
        self, opcode: int, arrays: Sequence[Array], params: Sequence[int], threads: int
    ) -> None:
        self._alive: list[Any] = [*arrays]
        operands = [word for array in arrays for word in self._operand(array)]
        self.fault = np.zeros(3, np.int64)
        words = [opcode, self._place(operands), len(arrays)]
        words += [self._place(params), len(params), threads, self.fault.ctypes.data]
        self.words = list(map(ctypes.c_int64, words))

    def _place(self, words: Sequence[int]) -> int:
        placed = np.array([*words, 0], np.int64)
        self._alive.append(placed)
        return placed.ctypes.data

    def _operand(self, array: Array) -> list[int]:
        shape, strides = self._place(array.shape), self._place(array.strides)
        return [array.ctypes.data, CODES[array.dtype], array.ndim, shape, strides]


class Kernels:
    """Calls kernels by name."""

    def __init__(self) -> None:
        self._run = open_door().jujunp_run_kernel
        self._run.restype = ctypes.c_int64
        self.opcodes = kernel_numbers()

    def status(
        self,
        name: str,
        arrays: Sequence[Array],
        params: Sequence[int] = (),
        threads: int = 1,
        fault: list[int] | None = None,
    ) -> int:
        """Run a kernel on arrays, outputs first; return its status, and axis, index and size."""
        request = Request(self.opcodes[name], arrays, params, threads)
        status: int = self._run(*request.words)
        if fault is not None:
            fault[:] = request.fault.tolist()
        return status

    def __call__(
        self,
        name: str,
        outputs: Sequence[tuple[Sequence[int], DTypeLike]],
        inputs: Sequence[Array],
        params: Sequence[int] = (),
        threads: int = 1,
    ) -> list[Array]:
        """Run a kernel that must succeed; return new outputs of the given shapes and dtypes."""
        buffers = [Guarded(shape, dtype) for shape, dtype in outputs]
        arrays = [buffer.array for buffer in buffers]
        assert self.status(name, [*arrays, *inputs], params, threads) == OK
        for buffer in buffers:
            buffer.check()
        return arrays


class Guarded:
    """A C-contiguous array in the middle of a buffer that must not change."""

    def __init__(self, shape: Sequence[int], dtype: DTypeLike) -> None:
        size = math.prod(shape) * np.dtype(dtype).itemsize
        self._bytes = np.full(size + 256, 0xA5, np.uint8)
        self._end = 128 + size
        self.array: Array = self._bytes[128 : self._end].view(dtype).reshape(shape)

    def check(self) -> None:
        assert (self._bytes[:128] == 0xA5).all()
        assert (self._bytes[self._end :] == 0xA5).all()


@functools.cache
def structured_kernels() -> Kernels:
    """Return the kernels of the library, and have BLAS loaded for them."""
    return Kernels()


def same(found: Array, wanted: Any) -> bool:
    """Whether two arrays have the same dtype, shape and bits."""
    wanted = np.asarray(wanted)
    alike = found.dtype == wanted.dtype and found.shape == wanted.shape
    return bool(alike and found.tobytes() == wanted.tobytes())


def layouts(x: Array) -> Iterator[Array]:
    """Yield the same values with all kinds of strides, writeable."""
    yield x.copy()
    if x.ndim == 0:
        return
    yield x.copy(order="F")
    backwards = tuple(slice(None, None, -1) for _ in x.shape)
    yield x[backwards].copy()[backwards]
    gaps = np.zeros([2 * size + 3 for size in x.shape], x.dtype)
    gaps[tuple(slice(1, 1 + 2 * size, 2) for size in x.shape)] = x
    yield gaps[tuple(slice(1, 1 + 2 * size, 2) for size in x.shape)]
    inside = np.zeros([size + 2 for size in x.shape], x.dtype)
    inside[tuple(slice(1, -1) for _ in x.shape)] = x
    yield inside[tuple(slice(1, -1) for _ in x.shape)]
    yield np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0)
    unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    unaligned[...] = x
    yield unaligned


def numbers(shape: Sequence[int], dtype: DTypeLike, *, seed: int = 0, special: int = 0) -> Array:
    """Return random numbers; with `special`, many of them nan, infinite or zero of either sign."""
    rng = np.random.default_rng([seed, *shape])
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.asarray(rng.integers(info.min, info.max, shape, dtype, endpoint=True))
    if dtype.kind == "c":
        x = np.empty(shape, dtype)
        part = f"f{dtype.itemsize // 2}"
        x.real = numbers(shape, part, seed=seed, special=special)
        x.imag = numbers(shape, part, seed=seed + 1, special=special)
        return x
    x = np.asarray(rng.standard_normal(shape) * 50).astype(dtype)
    for value in [np.nan, np.inf, -np.inf, 0.0, -0.0][: special * 5]:
        x[rng.random(shape) < 0.1] = value
    return x


def subsets(axes: int) -> Iterator[tuple[int, ...]]:
    return itertools.chain.from_iterable(
        itertools.combinations(range(axes), count) for count in range(axes + 1)
    )


def beside(size: int, axis: int, rank: int) -> list[int]:
    return [size if at == axis else 1 for at in range(rank)]
