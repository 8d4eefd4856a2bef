"""Reductions, scans and the places of extremes against NumPy, in many layouts of memory.

Sums of floats must have the bits of NumPy's, and none may depend on the number of threads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike

from tests.support.structured import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    OUT_OF_BOUNDS,
    SHAPES,
    THREADS,
    UNSUPPORTED,
    Array,
    Kernels,
    layouts,
    numbers,
    same,
    structured_kernels,
    subsets,
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


pytestmark = pytest.mark.usefixtures("quiet")


def reduced(
    ufunc: np.ufunc, x: Array, axes: tuple[int, ...], dtype: DTypeLike | None = None
) -> Array:
    return np.asarray(ufunc.reduce(x, axis=axes, dtype=dtype or x.dtype))


EXACT_REDUCTIONS = {
    "reduce_sum": (np.add, INTEGERS),
    "reduce_prod": (np.multiply, NUMBERS),
    "reduce_max": (np.maximum, ["?", *NUMBERS]),
    "reduce_min": (np.minimum, ["?", *NUMBERS]),
    "reduce_and": (np.bitwise_and, ["?", *INTEGERS]),
    "reduce_or": (np.bitwise_or, ["?", *INTEGERS]),
    "reduce_xor": (np.bitwise_xor, ["?", *INTEGERS]),
    "reduce_fmax": (np.fmax, FLOATS),
    "reduce_fmin": (np.fmin, FLOATS),
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name, (_, dtypes) in EXACT_REDUCTIONS.items() for dtype in dtypes],
)
def test_reduce_over_any_axes(kernels: Kernels, name: str, dtype: str) -> None:
    ufunc = EXACT_REDUCTIONS[name][0]
    for shape in SHAPES:
        if 0 in shape:
            continue
        for x in layouts(numbers(shape, dtype)):
            for axes in subsets(x.ndim):
                wanted = reduced(ufunc, x, axes)
                (found,) = kernels(name, [(wanted.shape, dtype)], [x], axes)
                assert same(found, wanted), (x.shape, x.strides, axes)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        *[(source, "i8") for source in ("?", "i1", "i2", "i4")],
        *[(source, "u8") for source in ("?", "u1", "u2", "u4")],
        *[(source, "f8") for source in ("?", *INTEGERS, "f4")],
    ],
)
def test_sums_and_products_in_a_wider_dtype(kernels: Kernels, source: str, target: str) -> None:
    for shape in [*SHAPES, (20000,), (9, 5000), (30, 40, 9)]:
        for x in layouts(numbers(shape, source)):
            for axes in subsets(x.ndim):
                wanted = reduced(np.add, x, axes, target)
                (found,) = kernels("reduce_sum", [(wanted.shape, target)], [x], axes)
                assert same(found, wanted), (x.shape, x.strides, axes)
    x = numbers((3, 50), source)
    (found,) = kernels("reduce_prod", [((3,), target)], [x], [1])
    assert same(found, reduced(np.multiply, x, (1,), target))


SUMMED = [
    *[(7,), (8,), (9,), (128,), (129,), (1000,), (8193,), (20000,), (1, 300), (300, 1)],
    *[(200, 3), (3, 2000), (17, 1000), (9, 5000), (5000, 9), (2, 300, 5), (12, 13, 200)],
    *[(3, 70, 80), (100, 9, 11), (2, 9000, 2), (3, 4, 5, 6), (2, 1, 300, 2)],
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [*SHAPES, *SUMMED], ids=str)
def test_float_sums_have_the_bits_of_numpy(
    kernels: Kernels, shape: tuple[int, ...], dtype: str
) -> None:
    x = numbers(shape, dtype)
    for source in [*layouts(x), np.broadcast_to(x[..., :1], shape) if shape else x]:
        for axes in subsets(source.ndim):
            wanted = reduced(np.add, source, axes)
            (found,) = kernels("reduce_sum", [(wanted.shape, dtype)], [source], axes)
            assert same(found, wanted), (source.strides, axes)


LARGE = [(700000,), (1100, 800), (3, 300000), (300000, 3), (90, 90, 90)]


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_prod", "reduce_max"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1"])
def test_large_reductions_do_not_depend_on_threads(kernels: Kernels, name: str, dtype: str) -> None:
    ufunc = {"reduce_sum": np.add, **{n: f for n, (f, _) in EXACT_REDUCTIONS.items()}}[name]
    for shape in LARGE:
        x = numbers(shape, dtype)
        for source in (x, x.T, x[..., ::2], x[..., 1:]):
            for axes in subsets(source.ndim):
                wanted = reduced(ufunc, source, axes)
                for threads in (1, 2, 5):
                    out = [(wanted.shape, dtype)]
                    (found,) = kernels(name, out, [source], axes, threads)
                    assert same(found, wanted), (source.strides, axes, threads)


@pytest.mark.parametrize("dtype", ["?", "u1", "i8"])
@pytest.mark.parametrize("size", [4096, 4097, 9000, 70_001, 1_000_000])
def test_long_rows_are_folded_until_they_are_decided(
    kernels: Kernels, dtype: str, size: int
) -> None:
    """One element decides, wherever it is; of integers, other bits may follow."""
    most = 1 if dtype == "?" else -1 % 256 if dtype == "u1" else -1
    for name, ufunc, rest, one in (
        ("reduce_or", np.bitwise_or, 0, 1),
        ("reduce_and", np.bitwise_and, most, 0),
    ):
        for place in (None, 0, 4095, size // 2, size - 1):
            x = np.full((2, size), rest).astype(dtype)
            if place is not None:
                x[0, place] = one
                x[0, -1] |= np.array(6).astype(dtype)
            for source in (x, x[0], x[0, ::-1]):
                wanted = reduced(ufunc, source, (source.ndim - 1,))
                for threads in (1, 2, 5):
                    out = [(wanted.shape, dtype)]
                    (found,) = kernels(name, out, [source], [source.ndim - 1], threads)
                    assert same(found, wanted), (name, place, threads)


SEGMENTED = ("add", "multiply", "maximum", "minimum", "and", "or", "xor", "fmax", "fmin")
"""NumPy's ufuncs, those of bits by their last words, by the number of the kernel's operation."""


@pytest.mark.parametrize("operation", range(len(SEGMENTED)))
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8"])
def test_reduceat(kernels: Kernels, dtype: str, operation: int) -> None:
    name = SEGMENTED[operation]
    function = getattr(np, name, None) or getattr(np, f"bitwise_{name}")
    if (len(name) < 4 and dtype[0] == "f") or (name in ("fmax", "fmin") and dtype[0] != "f"):
        return
    if dtype == "?" and name in ("add", "multiply"):
        return
    rng = np.random.default_rng(operation)
    for shape in [(1,), (40,), (3, 50), (50, 3), (4, 30, 5), (300, 400)]:
        x = (rng.random(shape) * 3).astype(dtype)
        for axis, size in enumerate(shape):
            starts = rng.integers(0, size, min(size, 20))
            wanted = function.reduceat(x, starts, axis, dtype=dtype)
            for source in layouts(x):
                for threads in THREADS:
                    out = [(wanted.shape, dtype)]
                    params = [axis, operation]
                    (found,) = kernels("reduceat", out, [source, starts], params, threads)
                    assert same(found, wanted)


WIDER = [("?", "i8"), ("u1", "u8"), ("i2", "f8"), ("f4", "f8")]


@pytest.mark.parametrize(("source", "target"), WIDER)
def test_reduceat_in_a_wider_dtype(kernels: Kernels, source: str, target: str) -> None:
    x = (np.random.default_rng(0).random((5, 900)) * 7).astype(source)
    starts = np.array([0, 3, 3, 40, 41, 600])
    wanted = np.add.reduceat(x, starts, 1, dtype=target)
    (found,) = kernels("reduceat", [(wanted.shape, target)], [x, starts], [1, 0])
    assert same(found, wanted)


def test_reduceat_refuses_what_makes_no_sense(kernels: Kernels) -> None:
    x, out, starts = np.zeros((4, 5)), np.zeros((4, 2)), np.array([0, 4])
    for arrays, params in (
        ([out, x, starts], [0, 0]),
        ([out, x, starts], [2, 0]),
        ([out, x, starts], [1, 4]),
        ([out, x, starts], [1, 9]),
        ([out, x, starts.astype("i4")], [1, 0]),
        ([out.astype("f4"), x, starts], [1, 0]),
        ([out[:3], x, starts], [1, 0]),
    ):
        assert kernels.status("reduceat", arrays, params) == UNSUPPORTED
    for bad in (-1, 5):
        found = kernels.status("reduceat", [out, x, np.array([0, bad])], [1, 0])
        assert found == OUT_OF_BOUNDS


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["reduce_fmax", "reduce_fmin"])
def test_nan_is_ignored_where_there_are_numbers(kernels: Kernels, name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 9, 40, 1000, 200_000):
        for share in (0.1, 0.9, 1.0):
            x = numbers((size, 3), dtype)
            x[rng.random(x.shape) < share] = np.nan
            for source, axes in ((x, (0,)), (x.copy("F"), (0,)), (x, (0, 1)), (x, (1,))):
                wanted = reduced(EXACT_REDUCTIONS[name][0], source, axes)
                (found,) = kernels(name, [(wanted.shape, dtype)], [source], axes)
                assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_max_and_min_propagate_nan(kernels: Kernels, dtype: str) -> None:
    for size in (1, 2, 9, 40, 1000):
        for place in range(0, size, 7):
            x = numbers((size, 3), dtype)
            x[place, 1] = np.nan
            for source in (x, x.copy("F")):
                (found,) = kernels("reduce_max", [((3,), dtype)], [source], [0])
                assert np.isnan(found).tolist() == [False, True, False]
                (found,) = kernels("reduce_min", [((), dtype)], [source], [0, 1])
                assert np.isnan(found)


def test_empty_reductions_give_the_identity(kernels: Kernels) -> None:
    wanted = {"sum": 0, "prod": 1, "max": -math.inf, "min": math.inf}
    for name, value in wanted.items():
        (found,) = kernels(f"reduce_{name}", [((2,), "f8")], [np.zeros((0, 2))], [0])
        assert found.tolist() == [value] * 2
    for name, number in {"and": -1, "or": 0, "max": -(2**31), "min": 2**31 - 1}.items():
        (found,) = kernels(f"reduce_{name}", [((), "i4")], [np.zeros((0, 2), "i4")], [0, 1])
        assert found.tolist() == number


def test_worker_threads_keep_subnormal_numbers(kernels: Kernels) -> None:
    x = np.full((2, 600000), 5e-324)
    (found,) = kernels("reduce_sum", [((2,), "f8")], [x], [1], 2)
    assert same(found, x.sum(1))
    (found,) = kernels("reduce_sum", [((), "f8")], [x], [0, 1], 2)
    assert found == 1200000 * 5e-324


@pytest.mark.parametrize(("name", "oracle"), [("argmax", np.argmax), ("argmin", np.argmin)])
@pytest.mark.parametrize("dtype", ["?", *NUMBERS])
def test_place_of_the_extreme(
    kernels: Kernels, name: str, oracle: Callable[..., Any], dtype: str
) -> None:
    for shape in [*SHAPES, (40, 600), (600, 40), (1100, 500)]:
        for special in (0, 1):
            x = numbers(shape, dtype, special=special)
            x = np.minimum(x, np.asarray(3).astype(dtype)) if x.ndim % 2 else x
            for source in layouts(x) if x.size < 10**5 else (x, x.T):
                for axis in range(-1, source.ndim):
                    if source.size == 0:
                        continue
                    wanted = np.asarray(oracle(source) if axis < 0 else oracle(source, axis))
                    out = [(wanted.shape, "i8")]
                    for threads in THREADS:
                        (found,) = kernels(name, out, [source], [axis], threads)
                        assert same(found, wanted), (source.strides, axis)


SCANS = {
    "cumsum": np.add,
    "cumprod": np.multiply,
    "cummax": np.maximum,
    "cummin": np.minimum,
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in SCANS for dtype in NUMBERS] + [("cummax", "?"), ("cummin", "?")],
)
def test_scan(kernels: Kernels, name: str, dtype: str) -> None:
    for shape in [*SHAPES[1:], (700, 800)]:
        x = numbers(shape, dtype, special=int(name == "cummax"))
        for source in layouts(x) if x.size < 10**5 else (x, x.T):
            for axis, reverse in itertools.product(range(source.ndim), (False, True)):
                turned = np.flip(source, axis) if reverse else source
                wanted = SCANS[name].accumulate(turned, axis, source.dtype)
                wanted = np.flip(wanted, axis) if reverse else wanted
                out = [(source.shape, dtype)]
                for threads in THREADS:
                    (found,) = kernels(name, out, [source], [axis, reverse], threads)
                    equal = np.array_equal(found, wanted, equal_nan=dtype in FLOATS)
                    assert equal, (source.strides, axis, reverse)
