"""The general gather and scatter kernels against jax.lax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from jax import lax

from tests.support.structured import (
    OK,
    UNSUPPORTED,
    Array,
    Kernels,
    layouts,
    numbers,
    same,
    structured_kernels,
)


class Case(NamedTuple):
    """Dimension numbers in the words of jax.lax.GatherDimensionNumbers."""

    shape: tuple[int, ...]
    indices: tuple[int, ...]
    sizes: tuple[int, ...]
    offset: tuple[int, ...]
    collapsed: tuple[int, ...]
    starts: tuple[int, ...]
    batching: tuple[int, ...] = ()
    index_batching: tuple[int, ...] = ()


CASES = [
    Case((7,), (5, 1), (1,), (), (0,), (0,)),
    Case((7,), (1,), (3,), (0,), (), (0,)),
    Case((5, 6), (4, 1), (1, 6), (1,), (0,), (0,)),
    Case((5, 29), (4, 1), (1, 29), (1,), (0,), (0,)),
    Case((5, 6), (4, 1), (5, 1), (0,), (1,), (1,)),
    Case((5, 6), (3, 2, 2), (1, 1), (), (0, 1), (1, 0)),
    Case((5, 6), (700, 2), (1, 1), (), (0, 1), (0, 1)),
    Case((5, 6, 7), (4, 2), (1, 6, 1), (0,), (0, 2), (0, 2)),
    Case((5, 6, 7), (2, 3, 2), (2, 6, 3), (1, 3, 4), (), (0, 2)),
    Case((4, 6), (4, 3, 1), (1, 1), (), (1,), (1,), (0,), (0,)),
    Case((3, 6, 4), (4, 2, 3, 1), (1, 2, 1), (2,), (), (1,), (0, 2), (2, 0)),
    Case((5, 0), (4, 1), (1, 0), (1,), (0,), (0,)),
    Case((5, 6), (0, 1), (1, 6), (1,), (0,), (0,)),
]
MODES = {"clip": 0, "fill": 1}
SCATTERS: dict[str, Any] = {
    "scatter_windows": lax.scatter,
    "scatter_windows_add": lax.scatter_add,
    "scatter_windows_mul": lax.scatter_mul,
    "scatter_windows_max": lax.scatter_max,
    "scatter_windows_min": lax.scatter_min,
}


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


def starts(case: Case, dtype: str) -> Array:
    """Return starts of windows, one in four of which are not inside."""
    rng = np.random.default_rng(0)
    parts = []
    for axis in case.starts:
        last = max(case.shape[axis] - case.sizes[axis], 0)
        inside = rng.integers(0, last + 1, case.indices[:-1])
        wild = rng.integers(0 if dtype[0] == "u" else -9, 20, case.indices[:-1])
        parts.append(np.where(rng.random(case.indices[:-1]) < 0.25, wild, inside))
    return np.stack(parts, -1).astype(dtype)


def params(case: Case, mode: str) -> list[int]:
    """Return the parameters of the kernels."""
    along = [d for d in range(len(case.shape)) if d not in case.collapsed + case.batching]
    rank = len(case.offset) + len(case.indices) - 1
    batches = [axis for axis in range(rank) if axis not in case.offset]
    found = [MODES[mode]]
    for d, size in enumerate(case.sizes):
        window = case.offset[along.index(d)] if d in along else -1
        component = case.starts.index(d) if d in case.starts else -1
        batch = case.index_batching[case.batching.index(d)] if d in case.batching else -1
        found += [size, window, component, batch]
    return found + batches


def gathered(case: Case, x: Array, indices: Array, mode: str) -> Array:
    numbers = lax.GatherDimensionNumbers(
        case.offset, case.collapsed, case.starts, case.batching, case.index_batching
    )
    with jax.enable_x64(True):
        found = lax.gather(x, indices, numbers, case.sizes, mode=mode, fill_value=-7)
        return np.asarray(found)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "i1", "c8", "c16"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_gather_windows(kernels: Kernels, case: Case, mode: str, dtype: str) -> None:
    x = numbers(case.shape, dtype)
    fill = np.asarray(-7).astype(dtype)
    for kind in ("i8", "i4", "u2", "u8"):
        indices = starts(case, kind)
        wanted = gathered(case, x, indices, mode)
        out = [(wanted.shape, dtype)]
        for source in layouts(x):
            for places in layouts(indices):
                inputs = [source, places, fill]
                (found,) = kernels("gather_windows", out, inputs, params(case, mode))
                assert same(found, wanted)


@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_scatter_windows(kernels: Kernels, case: Case, mode: str, name: str) -> None:
    indices = starts(case, "i8")
    x = numbers(case.shape, "i4")
    shape = gathered(case, x, indices, mode).shape
    updates = numbers(shape, "i4", seed=1)
    numbers_ = lax.ScatterDimensionNumbers(
        case.offset, case.collapsed, case.starts, case.batching, case.index_batching
    )
    with jax.enable_x64(True):
        wanted = np.asarray(SCATTERS[name](x, indices, updates, numbers_, mode=mode))
    for target in layouts(x):
        before = target.copy()
        for source in layouts(updates):
            target[...] = before
            assert kernels.status(name, [target, source, indices], params(case, mode)) == OK
            assert same(target, wanted)


@pytest.mark.parametrize("dtype", ["c8", "c16", "f2"])
@pytest.mark.parametrize("name", ["scatter_windows", "scatter_windows_add", "scatter_windows_mul"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_scatter_windows_of_other_dtypes(
    kernels: Kernels, case: Case, name: str, dtype: str
) -> None:
    indices = starts(case, "i8")
    x = np.round(numbers(case.shape, dtype) / 20)
    shape = gathered(case, x, indices, "clip").shape
    updates = np.round(numbers(shape, dtype, seed=1) / 40)
    if name.endswith("mul"):
        updates = np.sign(updates.real).astype(dtype)  # products stay exact
    numbers_ = lax.ScatterDimensionNumbers(
        case.offset, case.collapsed, case.starts, case.batching, case.index_batching
    )
    with jax.enable_x64(True):
        wanted = np.asarray(SCATTERS[name](x, indices, updates, numbers_, mode="clip"))
    assert kernels.status(name, [x, updates, indices], params(case, "clip")) == OK
    assert (x == wanted).all()


def test_windows_that_make_no_sense_are_refused(kernels: Kernels) -> None:
    x, indices, fill = np.zeros((5, 6)), np.zeros((4, 1), "i8"), np.zeros(())
    right = params(CASES[2], "clip")

    def status(shape: Sequence[int], changes: dict[int, int], places: Array = indices) -> int:
        words = [changes.get(place, word) for place, word in enumerate(right)]
        return kernels.status("gather_windows", [np.zeros(shape), x, places, fill], words)

    assert status((4, 6), {}) == OK
    assert status((4, 5), {}) == UNSUPPORTED
    assert status((4, 6), {1: 2}) == UNSUPPORTED
    assert status((4, 6), {5: 7}) == UNSUPPORTED
    assert status((4, 6), {3: 1}) == UNSUPPORTED
    assert status((4, 6), {4: 1}) == UNSUPPORTED
    assert status((4, 6), {6: 0}) == UNSUPPORTED
    assert status((4, 6), {}, indices.astype("f8")) == UNSUPPORTED
    words = right[:-1]
    assert kernels.status("gather_windows", [np.zeros((4, 6)), x, indices, fill], words) != OK
