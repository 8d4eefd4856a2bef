"""Products call CBLAS as NumPy does, and have its bits where both have the same kernels."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.blas import blas_path

_BLAS = ctypes.CDLL(blas_path())
_ROWS, _COLUMNS, _PLAIN, _TURNED, _UPPER = 101, 102, 111, 112, 121
_TYPES = {"f4": ("s", ctypes.c_float), "f8": ("d", ctypes.c_double)}
SIZES = [1, 2, 3, 5, 8, 17, 64, 100, 200]


def _called(name: str, dtype: str, *args: Any, answers: bool = False) -> Any:
    """Call a function of the library: floats are of the dtype, arrays given by their addresses."""
    letter, number = _TYPES[dtype]
    function = getattr(_BLAS, f"scipy_cblas_{letter}{name}")
    function.restype = number if answers else None
    given = [
        ctypes.c_void_p(arg.ctypes.data)
        if isinstance(arg, np.ndarray)
        else number(arg)
        if isinstance(arg, float)
        else arg
        for arg in args
    ]
    return function(*given)


def _numbers(dtype: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).random(shape).astype(dtype)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("size", [*SIZES, 5000])
@pytest.mark.parametrize("steps", [(1, 1), (3, 1), (2, 5), (-1, 1), (1, -2)])
def test_dots(dtype: str, size: int, steps: tuple[int, int]) -> None:
    x, y = (_numbers(dtype, size * abs(step))[::step] for step in steps)
    # as NumPy's `dot`, it copies vectors that lie backwards
    read = [v if v.strides[0] > 0 else v.copy() for v in (x, y)]
    layout = [arg for v in read for arg in (v, v.strides[0] // v.itemsize)]
    wanted = _called("dot", dtype, size, *layout, answers=True)
    ours = [jj.asarray(v.base)[::step] for v, step in zip((x, y), steps, strict=True)]
    assert float(jj.dot(*ours)) == wanted
    assert float(ours[0] @ ours[1]) == wanted


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("terms", SIZES[1:])
def test_matrices_and_vectors(dtype: str, rows: int, terms: int) -> None:
    a, x = _numbers(dtype, rows, terms), _numbers(dtype, terms)
    turned = np.ascontiguousarray(a.T)
    by_rows, by_columns = np.empty(rows, dtype), np.empty(rows, dtype)
    shape = (_TURNED, terms, rows, 1.0)
    _called("gemv", dtype, _COLUMNS, *shape, a, terms, x, 1, 0.0, by_rows, 1)
    _called("gemv", dtype, _ROWS, *shape, turned, rows, x, 1, 0.0, by_columns, 1)
    if rows == 1:
        return  # a dot
    assert np.array_equal(np.asarray(jj.asarray(a) @ jj.asarray(x)), by_rows)
    assert np.array_equal(np.asarray(jj.asarray(x) @ jj.asarray(a).T), by_rows)
    assert np.array_equal(np.asarray(jj.dot(jj.asarray(turned).T, jj.asarray(x))), by_columns)
    assert np.array_equal(np.asarray(jj.asarray(x) @ jj.asarray(turned)), by_columns)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("size", SIZES[1:-1])
@pytest.mark.parametrize("terms", [1, 3, 8, 40])
def test_matrices(dtype: str, size: int, terms: int) -> None:
    a, b = _numbers(dtype, size, terms), _numbers(dtype, terms, size + 1)
    found = np.empty((size, size + 1), dtype)
    shape = (size, size + 1, terms, 1.0)
    _called(
        "gemm", dtype, _ROWS, _PLAIN, _PLAIN, *shape, a, terms, b, size + 1, 0.0, found, size + 1
    )
    assert np.array_equal(np.asarray(jj.asarray(a) @ jj.asarray(b)), found)
    turned = np.ascontiguousarray(b.T)
    _called(
        "gemm", dtype, _ROWS, _PLAIN, _TURNED, *shape, a, terms, turned, terms, 0.0, found, size + 1
    )
    assert np.array_equal(np.asarray(jj.asarray(a) @ jj.asarray(turned).T), found)


@pytest.mark.parametrize("dtype", _TYPES)
@pytest.mark.parametrize("size", SIZES[1:-1])
@pytest.mark.parametrize("terms", [1, 3, 8, 40])
def test_matrices_times_their_transpose(dtype: str, size: int, terms: int) -> None:
    a = _numbers(dtype, size, terms)
    half = np.zeros((size, size), dtype)
    _called("syrk", dtype, _ROWS, _UPPER, _PLAIN, size, terms, 1.0, a, terms, 0.0, half, size)
    ours = jj.asarray(a)
    assert np.array_equal(np.asarray(ours @ ours.T), np.triu(half) + np.triu(half, 1).T)


@pytest.mark.parametrize("size", [10_001, 70_000])
def test_long_dots_are_added_up_by_threads(size: int) -> None:
    """As many as the library has, whose sums are added from the first one on."""
    x, y = _numbers("f8", size), _numbers("f8", size + 1)[1:]
    threads = _BLAS.scipy_openblas_get_num_threads()
    total, start = 0.0, 0
    for number in range(threads):
        count = -(-(size - start) // (threads - number))
        parts = x[start:], 1, y[start:], 1
        _BLAS.scipy_openblas_set_num_threads(1)
        total += _called("dot", "f8", count, *parts, answers=True)
        _BLAS.scipy_openblas_set_num_threads(threads)
        start += count
    assert float(jj.dot(jj.asarray(x), jj.asarray(y))) == total


@pytest.mark.parametrize("name", ["scipy_dpotrf_", "scipy_cblas_dgemm"])
def test_library_is_for_the_kernels_alone(name: str) -> None:
    # Another OpenBLAS in the process would call a function of this name in the place of its own.
    code = f"""
import ctypes, jujunp
A = jujunp.eye(3) * 4.0
assert float(jujunp.linalg.cholesky(A @ A)[0, 0]) == 4.0
from jujunp.lazy.blas import blas_path
assert hasattr(ctypes.CDLL(blas_path()), {name!r})
print(hasattr(ctypes.CDLL(None), {name!r}))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
