"""The structured kernels on complex numbers and on half precision, against NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.structured import (
    COMPLEX,
    HALVES,
    SHAPES,
    THREADS,
    UNSUPPORTED,
    Kernels,
    layouts,
    numbers,
    same,
    structured_kernels,
    subsets,
)

Array = NDArray[Any]
LARGE = (1 << 19) + 123
FOLDS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


pytestmark = pytest.mark.usefixtures("quiet")


def kept(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for axis, n in enumerate(shape) if axis not in axes)


def close(found: Array, wanted: Array, ulps: float) -> bool:
    """Whether numbers differ by some units of the last place of the larger part at most."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    dtype = found.real.dtype
    eps = float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
    size = np.abs(wanted.astype(np.complex128))
    differences = np.abs(found.astype(np.complex128) - wanted.astype(np.complex128))
    nans = np.isnan(found.astype(np.complex128)) & np.isnan(wanted.astype(np.complex128))
    ends = np.isinf(found.astype(np.complex128)) & (found == wanted)
    return bool(((differences <= ulps * eps * size) | nans | ends).all())


# -- reductions


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_sums_have_the_bits_of_numpy(kernels: Kernels, dtype: str) -> None:
    for shape in SHAPES:
        for x in layouts(numbers(shape, dtype)):
            for axes in subsets(len(shape)):
                (found,) = kernels("reduce_sum", [(kept(shape, axes), dtype)], [x], axes)
                wanted = np.add.reduce(x, axis=axes)
                assert same(found, wanted), (shape, x.strides, axes)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_large_complex_sums(kernels: Kernels, dtype: str, threads: int) -> None:
    x = numbers((LARGE,), dtype)
    (found,) = kernels("reduce_sum", [((), dtype)], [x], [0], threads)
    assert same(found, x.sum())
    for shape in [(LARGE // 100, 100), (100, LARGE // 100), (3, LARGE // 3)]:
        y = x[: shape[0] * shape[1]].reshape(shape)
        for axis in (0, 1):
            outputs = [(kept(shape, (axis,)), dtype)]
            (found,) = kernels("reduce_sum", outputs, [y], [axis], threads)
            assert same(found, y.sum(axis=axis)), (shape, axis)


@pytest.mark.parametrize("name", ["prod", "max", "min"])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_reductions(kernels: Kernels, dtype: str, name: str) -> None:
    for shape in SHAPES:
        x = numbers(shape, dtype, special=int(name != "prod"))
        if name == "prod":
            x /= np.asarray(60, dtype)
        for y in layouts(x):
            for axes in subsets(len(shape)):
                out = kept(shape, axes)
                if name != "prod" and y.size == 0 and np.prod(out, dtype=int) > 0:
                    continue
                (found,) = kernels(f"reduce_{name}", [(out, dtype)], [y], axes)
                wanted = np.asarray(FOLDS[name].reduce(y, axis=axes))
                # The products of our own are the more exact ones.
                assert close(found, wanted, 1000) if name == "prod" else nearly(found, wanted)


def nearly(found: Array, wanted: Array) -> bool:
    """Whether numbers are equal; of what has a nan, NumPy's order of reduction gives any."""
    with_nan = np.isnan(wanted)
    return bool(((found == wanted) | (with_nan & np.isnan(found))).all())


@pytest.mark.parametrize("dtype", HALVES)
def test_half_sums_and_products_are_rounded_once(kernels: Kernels, dtype: Any) -> None:
    for shape in SHAPES:
        x = numbers(shape, dtype)
        small = np.asarray(x / np.asarray(50, dtype), dtype)
        for name, values in [("sum", x), ("prod", small)]:
            for y in layouts(values):
                for axes in subsets(len(shape)):
                    out = kept(shape, axes)
                    (found,) = kernels(f"reduce_{name}", [(out, dtype)], [y], axes)
                    fold = FOLDS[name]
                    wide = np.asarray(fold.reduce(y.astype(np.float64), axis=axes))
                    terms = np.abs(y.astype(np.float64)).sum(axis=axes) + np.abs(wide)
                    eps = float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
                    bound = 0.51 * eps * np.abs(wide) + 1e-5 * terms + 1e-7
                    with np.errstate(over="ignore"):
                        end = np.isinf(wide.astype(dtype).astype(float))
                    error = np.abs(found.astype(np.float64) - wide)
                    assert ((error <= bound) | end).all(), (name, shape, axes)


def test_float16_sums_of_rows_have_the_bits_of_numpy(kernels: Kernels) -> None:
    for size in [1, 7, 8, 9, 127, 128, 129, 1000, 20000]:
        x = numbers((size,), "f2", seed=size)
        for y in layouts(x):
            (found,) = kernels("reduce_sum", [((), "f2")], [y], [0])
            assert same(found, np.add.reduce(y)), (size, y.strides)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", HALVES)
def test_half_extrema(kernels: Kernels, dtype: Any, name: str, threads: int) -> None:
    for shape in [*SHAPES, (LARGE,)]:
        x = numbers(shape, dtype, special=int(shape != (LARGE,)))
        for axes in subsets(len(shape)):
            out = kept(shape, axes)
            if x.size == 0 and np.prod(out, dtype=int) > 0:
                continue
            (found,) = kernels(f"reduce_{name}", [(out, dtype)], [x], axes, threads)
            wanted = np.asarray(FOLDS[name].reduce(x.astype("f4"), axis=axes)).astype(dtype)
            assert nearly(found, wanted)


def test_half_sums_can_stay_wide(kernels: Kernels) -> None:
    x = numbers((3, 500), "f2")
    (found,) = kernels("reduce_sum", [((3,), "f4")], [x], [1])
    assert np.allclose(found, x.astype("f8").sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_has_no_bitwise_reductions(kernels: Kernels, dtype: str) -> None:
    x = numbers((4,), dtype)
    for name in ("and", "or", "xor"):
        assert kernels.status(f"reduce_{name}", [x[0:1].reshape(()), x], [0]) == UNSUPPORTED


# -- scans


@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_scans(kernels: Kernels, dtype: Any) -> None:
    accumulate = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum}
    for shape in [(1,), (7,), (130,), (40, 33), (0, 4), (3, 7, 5), (2, 700)]:
        x = numbers(shape, dtype)
        for name, function in accumulate.items():
            values = (x / np.asarray(60, dtype)).astype(dtype) if name == "cumprod" else x
            for y in layouts(values):
                for axis in range(len(shape)):
                    (found,) = kernels(name, [(shape, dtype)], [y], [axis, 0])
                    wanted = function.accumulate(y, axis=axis)
                    if name == "cumprod" and np.dtype(dtype).kind == "c":
                        assert close(found, wanted, 1000)
                    else:
                        assert same(found, wanted), (name, shape, y.strides, axis)
                    flipped = np.flip(y, axis)
                    (found,) = kernels(name, [(shape, dtype)], [flipped], [axis, 1])
                    (forward,) = kernels(name, [(shape, dtype)], [y], [axis, 0])
                    assert same(found, np.ascontiguousarray(np.flip(forward, axis)))


# -- places


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_arg(kernels: Kernels, dtype: Any, threads: int) -> None:
    for shape in [(1,), (7,), (130,), (40, 33), (3, 7, 5), (LARGE,)]:
        for special in (0, 1):
            x = numbers(shape, dtype, special=special)
            x.ravel()[::3] = x.ravel()[0]
            oracle = x.astype("f4") if x.dtype.kind not in "c" else x
            for name in ("argmax", "argmin"):
                function = getattr(np, name)
                for y in layouts(x) if x.size < LARGE else [x]:
                    source = np.asarray(y.astype(oracle.dtype))
                    (found,) = kernels(name, [((), "i8")], [y], [-1], threads)
                    assert found == function(source), (name, shape, y.strides)
                    for axis in range(len(shape)):
                        out = kept(shape, (axis,))
                        (found,) = kernels(name, [(out, "i8")], [y], [axis], threads)
                        assert (found == function(source, axis=axis)).all()


def tied(shape: tuple[int, ...], dtype: Any) -> Array:
    """Numbers many of which are equal, or equal in their real parts."""
    x = np.round(numbers(shape, dtype, special=1) / np.asarray(40, dtype)).astype(dtype)
    x[::5] = numbers(shape, dtype, seed=5)[::5]
    return x


@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_sort(kernels: Kernels, dtype: Any) -> None:
    for size in [1, 2, 17, 300, 5000]:
        x = tied((size,), dtype)
        oracle = x if x.dtype.kind == "c" else x.astype("f4")
        order = np.argsort(oracle, kind="stable")
        for y in layouts(x):
            (found,) = kernels("sort", [((size,), dtype)], [y], [0, 1, 1])
            assert nearly_sorted(found, x[order])
            index = np.arange(size)
            outputs = [((size,), dtype), ((size,), "i8")]
            found, places = kernels("sort", outputs, [y, index], [0, 2, 1])
            assert same(places, order)
            assert same(found, x[order])


def nearly_sorted(found: Array, wanted: Array) -> bool:
    return bool(((found == wanted) | (np.isnan(found) & np.isnan(wanted))).all())


@pytest.mark.parametrize("dtype", COMPLEX)
def test_sort_by_two_complex_keys(kernels: Kernels, dtype: str) -> None:
    x = tied((500,), dtype)
    x = np.where(np.isnan(x), np.asarray(1, dtype), x)
    y = numbers((500,), dtype)
    outputs = [((500,), dtype), ((500,), dtype), ((500,), "i8")]
    _, _, places = kernels("sort", outputs, [x, y, np.arange(500)], [0, 3, 2])
    assert (places == np.lexsort((y.imag, y.real, x.imag, x.real))).all()


@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_top_k(kernels: Kernels, dtype: Any) -> None:
    x = tied((4, 90), dtype)
    x = np.where(np.isnan(x.astype(np.complex128)), np.asarray(1, dtype), x).astype(dtype)
    outputs = [((4, 7), dtype), ((4, 7), "i8")]
    values, places = kernels("top_k", outputs, [x])
    oracle = x if x.dtype.kind == "c" else x.astype("f4")
    keys = np.unique(oracle, return_inverse=True)[1].reshape(x.shape)
    assert (places == np.argsort(-keys, axis=1, kind="stable")[:, :7]).all()
    assert same(values, np.take_along_axis(x, places, 1))


@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_searchsorted(kernels: Kernels, dtype: Any) -> None:
    a = tied((200,), dtype)
    v = np.concatenate([a[::3], tied((70,), dtype)])
    wide = a.dtype if a.dtype.kind == "c" else np.dtype("f4")
    a = a[np.argsort(a.astype(wide), kind="stable")]
    for side, right in [("left", 0), ("right", 1)]:
        wanted = np.searchsorted(a.astype(wide), v.astype(wide), side)
        for y in layouts(v):
            (found,) = kernels("searchsorted", [(v.shape, "i8")], [a, y], [right])
            assert same(found, wanted)


# -- updates


@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_scatter(kernels: Kernels, dtype: Any) -> None:
    functions = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
    rng = np.random.default_rng(1)
    index = rng.integers(-20, 20, 60)
    x = (numbers((20, 3), dtype) / np.asarray(60, dtype)).astype(dtype)
    updates = (numbers((60, 3), dtype, seed=2) / np.asarray(60, dtype)).astype(dtype)
    for name, function in functions.items():
        for u in layouts(updates):
            wanted, found = x.copy(), x.copy()
            for place, update in zip(index, u, strict=True):
                wanted[place] = function(wanted[place], update)
            assert kernels.status(f"scatter_{name}", [found, u, index], [1]) == 0
            exact = np.dtype(dtype).kind != "c" or name != "mul"
            assert same(found, wanted) if exact else close(found, wanted, 100)
    wanted, found = x[:, 0].copy(), x[:, 0].copy()
    kernels.status("scatter_add", [found, updates[:, 0], index], [1])
    for place, update in zip(index, updates[:, 0], strict=True):
        wanted[place] = wanted[place] + update
    assert same(found, wanted)


# -- products


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_matrix_products(kernels: Kernels, dtype: Any, threads: int) -> None:
    sizes = [(1, 1, 1), (3, 5, 4), (1, 40, 30), (40, 1, 30), (1, 1, 1000), (5, 7, 0)]
    sizes += [(33, 21, 17), (64, 64, 64), (120, 70, 90)]
    for m, n, k in sizes:
        a, b = numbers((m, k), dtype), numbers((k, n), dtype, seed=3)
        wide = np.dtype("c16" if a.dtype.kind == "c" else "f8")
        exact = a.astype(wide) @ b.astype(wide)
        scale = np.abs(a.astype(wide)) @ np.abs(b.astype(wide))
        eps = float(ml_dtypes.finfo(a.real.dtype).eps)  # type: ignore[no-untyped-call]
        lost = eps * 0.51 * np.abs(exact) if a.dtype.kind != "c" else 0
        factor = 1.2e-7 if a.dtype.kind != "c" else eps
        for x in layouts(a):
            for y in layouts(b):
                params = [0, 1, 1, 0]
                (found,) = kernels("dot_general", [((m, n), dtype)], [x, y], params, threads)
                error = np.abs(found.astype(wide) - exact)
                bound = lost + factor * 4 * (1 + k**0.5) * scale
                assert ((error <= bound) | np.isinf(found.astype(wide))).all(), (m, n, k)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_batched_products_do_not_conjugate(kernels: Kernels, dtype: str) -> None:
    a, b = numbers((6, 5, 4), dtype), numbers((4, 6, 3), dtype, seed=1)
    (found,) = kernels("dot_general", [((6, 5, 3), dtype)], [a, b], [1, 1, 0, 1, 2, 0])
    assert close(found, np.einsum("bik,kbj->bij", a, b), 100)
    integers = np.round(a[:, :, :1])
    (found,) = kernels(
        "dot_general", [((6, 5, 5), dtype)], [integers, integers], [1, 1, 0, 0, 2, 2]
    )
    assert same(found, integers @ integers.swapaxes(1, 2))


# -- movement


@pytest.mark.parametrize("dtype", [*COMPLEX, *HALVES])
def test_movement(kernels: Kernels, dtype: Any) -> None:
    x = numbers((5, 7), dtype, special=1)
    value = np.asarray(3, dtype)
    for y in layouts(x):
        assert same(kernels("copy", [((5, 7), dtype)], [y])[0], x)
        joined = kernels("concatenate", [((10, 7), dtype)], [y, x], [0])[0]
        assert same(joined, np.concatenate([x, x]))
        index = np.array([4, -1, 0])
        assert same(kernels("gather", [((3, 7), dtype)], [y, index], [1])[0], x[index])
        padded = kernels("pad", [((7, 7), dtype)], [y, value], [1, 1, 0, 0, 0, 0])[0]
        assert same(padded, np.pad(x, ((1, 1), (0, 0)), constant_values=value))
    (filled,) = kernels("fill", [((3,), dtype)], [value])
    assert same(filled, np.full(3, value))
