"""unique and bincount of small arrays, without Python: what NumPy gives."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.calls.support import python_frames

NAMES = ("return_index", "return_inverse", "return_counts")
FLOATS = [0.0, -0.0, 1.5, np.nan, np.inf, -np.inf, 5e-324, -1.5, np.nan]


def _samples() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    few = rng.integers(-3, 4, (4, 6))
    return {
        "one": np.array([3]),
        "few": few,
        "all alike": np.zeros(50),
        "wide": rng.integers(-(2**63), 2**63 - 1, 300),
        "floats": rng.choice(FLOATS, 200),
        "numbers": rng.random((5, 5, 5)).round(1),
        "part": few[1:3],
        "strided": few[:, ::2],
        "transposed": few.T,
        "reversed": few[::-1].ravel()[::-1],
        "truth": few > 0,
        "int32": few.astype(np.int32),
        "empty": np.zeros(0),
        "many": rng.integers(0, 1000, 20000),
        "sorted": np.arange(100.0),
        "without axes": np.array(2.5),
    }


def _read(found: Any) -> Any:
    if not isinstance(found, tuple):
        found = (found,)
    return [(one.dtype, one.shape, np.asarray(one).tobytes()) for one in found]


@pytest.mark.parametrize("name", _samples())
def test_distinct_elements(name: str) -> None:
    x = _samples()[name]
    ours = jj.asarray(x.copy())
    for flags in itertools.product([False, True], repeat=3):
        wanted = dict(zip(NAMES, flags, strict=True))
        expected, found = np.unique(x, **wanted), jj.unique(ours, **wanted)
        if name == "floats" and not flags[0]:  # which zero is left is not said
            pairs = ((y if any(flags) else (y,)) for y in (expected, found))
            for one, other in zip(*pairs, strict=True):
                np.testing.assert_array_equal(other, one, strict=True)
        else:
            assert _read(found) == _read(expected), wanted
        assert isinstance(found, tuple) == isinstance(expected, tuple)
    pending = jj.maximum(ours, ours)
    assert _read(jj.unique(pending)) == _read(jj.unique(ours))


@pytest.mark.parametrize("name", ["one", "few", "wide", "floats", "numbers", "part", "sorted"])
def test_distinct_elements_without_python(name: str) -> None:
    x = jj.asarray(_samples()[name].copy()) + 0
    assert python_frames(lambda: jj.unique(x)) == []
    assert python_frames(lambda: jj.unique(x, return_counts=True, return_inverse=True)) == []


def test_results_are_arrays_of_their_own() -> None:
    x = jj.array([3, 1, 3])
    values, inverse = jj.unique(x, return_inverse=True)
    values += 1
    inverse[0] = 7
    assert (x.tolist(), values.tolist(), inverse.tolist()) == ([3, 1, 3], [2, 4], [7, 0, 1])


@pytest.mark.parametrize("wanted", [1, None, "yes", np.True_])
def test_odd_flags(wanted: Any) -> None:
    for xp in (np, jj):
        found = xp.unique(xp.array([3, 1, 3]), return_counts=wanted)
        assert isinstance(found, tuple) == bool(wanted)


def _counts(xp: Any, x: Any, **named: Any) -> Any:
    try:
        found = xp.bincount(x if xp is np else jj.asarray(x), **named)
    except Exception as error:
        return type(error), str(error)
    return _read(found)


@pytest.mark.parametrize("name", _samples())
def test_counts(name: str) -> None:
    x = _samples()[name]
    for y in (x, abs(x.ravel()) if name == "few" else x.ravel()):
        assert _counts(jj, y) == _counts(np, y)
        for length in (0, 5, 100, 10**5, -1, 2.5, np.int64(4)):
            assert _counts(jj, y, minlength=length) == _counts(np, y, minlength=length)


def test_counts_without_python() -> None:
    x = jj.array([1, 5, 2, 1]) + 1
    assert python_frames(lambda: jj.bincount(x)) == []
    assert python_frames(lambda: jj.bincount(x, minlength=9)) == []
    assert jj.bincount(x).tolist() == [0, 0, 2, 1, 0, 0, 1]
    assert jj.bincount(jj.array([2**62, 5, -1][1:2])).tolist() == [0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("name", ["intersect1d", "union1d", "setdiff1d", "setxor1d"])
def test_sets_of_changing_sizes(name: str) -> None:
    rng = np.random.default_rng(2)
    for size in range(1, 40):
        x, y = rng.integers(0, 30, size), rng.integers(0, 30, 20)
        expected = getattr(np, name)(x, y)
        assert _read(getattr(jj, name)(jj.asarray(x), jj.asarray(y))) == _read(expected)
