"""Small computed arrays in lists as one array, copied without a step: what NumPy gives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run.machine import LOG
from tests.calls.support import python_frames

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]
DTYPES += ["complex128"]
JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "array": lambda xp, parts: xp.array(parts),
    "asarray": lambda xp, parts: xp.asarray(parts),
    "stack": lambda xp, parts: xp.stack(parts),
    "concatenate": lambda xp, parts: xp.concatenate(parts),
    "vstack": lambda xp, parts: xp.vstack(parts),
    "hstack": lambda xp, parts: xp.hstack(parts),
    "column_stack": lambda xp, parts: xp.column_stack(parts),
    "concatenate rows": lambda xp, parts: xp.concatenate(parts, axis=0),
    "concatenate columns": lambda xp, parts: xp.concatenate(parts, axis=1),
    "concatenate the last axis": lambda xp, parts: xp.concatenate(parts, -1),
    "stack rows": lambda xp, parts: xp.stack(parts, axis=0),
    "stack columns": lambda xp, parts: xp.stack(parts, axis=1),
    "stack along the last axis": lambda xp, parts: xp.stack(parts, -1),
    "stack along no axis": lambda xp, parts: xp.stack(parts, 4),
}
PARTS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "vectors": lambda xp, x: [x[0].copy(), x[1].copy(), x[2].copy()],
    "rows": lambda xp, x: [x[2], x[0], x[2]],
    "columns": lambda xp, x: [x[:, 1], x[:, 0], x[:, -1]],
    "reversed": lambda xp, x: [x[0, ::-1], x[1, ::-1]],
    "every other one": lambda xp, x: [x[0, ::2], x[1, 1::2]],
    "matrices": lambda xp, x: [x, x[::-1].copy(), x],
    "parts of matrices": lambda xp, x: [x[1:], x[:2]],
    "matrices of other lengths": lambda xp, x: [x[:1], x],
    "vectors of other lengths": lambda xp, x: [x[0, :1].copy(), x[1].copy()],
    "transposed": lambda xp, x: [x.T, x.T],
    "matrices of other widths": lambda xp, x: [x[:, :1].copy(), x.copy(), x[:, 1:3].copy()],
    "stacks": lambda xp, x: [x.reshape(1, 2, -1), x.reshape(1, 2, -1)],
    "many": lambda xp, x: [x[k % 3].copy() for k in range(100)],
    "very many": lambda xp, x: [x[k % 3] for k in range(3000)],
    "one": lambda xp, x: [x[1]],
    "without axes": lambda xp, x: [x[0, 0, ...], x[1, 1, ...]],
    "of other dtypes": lambda xp, x: [x[0], xp.asarray(np.arange(4.0))],
    "empty": lambda xp, x: [x[0, :0], x[1, :0]],
    "nested": lambda xp, x: [[x[0], x[1]], [x[1], x[0]]],
    "one of NumPy's": lambda xp, x: [x[0], np.array(x[1])],
    "NumPy's": lambda xp, x: [np.array(x[0]), np.array(x[1]), np.array(x[0])],
    "NumPy's columns": lambda xp, x: [np.array(x)[:, 1], x[:, 0], np.array(x)[::-1, 2]],
    "NumPy's matrices": lambda xp, x: [np.array(x), x, np.array(x)[::-1], np.array(x).T.copy().T],
    "NumPy's of another dtype": lambda xp, x: [x[0], np.arange(4.0)],
    "NumPy's of another byte order": lambda xp, x: [
        np.array(x[0]) > 2,
        np.array([1, 2, 3, 4], ">i4"),
    ],
    "NumPy's without axes": lambda xp, x: [np.array(x[0, 0]), np.array(x[1, 1])],
    "NumPy's in nested lists": lambda xp, x: [[np.array(x[0])], [x[1]], [np.array(x[2])]],
    "NumPy's truth values": lambda xp, x: [
        np.array([3, 0], "u1").view(bool),
        np.array([True, False]),
    ],
    "many nested": lambda xp, x: [(x[k % 3], x[1, ::-1]) for k in range(40)],
    "nested twice": lambda xp, x: [[[x[0], x[1]]], [[x[1], x[0]]], [[x[2], x[0]]]],
    "nested unevenly": lambda xp, x: [[x[0], x[1]], [x[1]]],
    "nested and of other ranks": lambda xp, x: [[x[0], x[1]], [x, x]],
    "nested beside arrays": lambda xp, x: [[x[0], x[1]], x[:2]],
    "nested beside empty lists": lambda xp, x: [[x[0], x[1]], []],
    "of other ranks": lambda xp, x: [x[0], x],
    "beside numbers": lambda xp, x: [x[0], [1, 0, 1, 1]],
}


def _made(xp: Any, join: str, parts: str, dtype: str, settle: bool) -> Any:
    x = xp.asarray((np.arange(12).reshape(3, 4) % 5).astype(dtype)).copy()
    given = PARTS[parts](xp, x)
    if settle:
        jj.flush()
    try:
        found = JOIN[join](xp, given)
    except Exception as error:
        return type(error), str(error)
    x[...] = 0  # nothing is shared
    found[..., :1] *= found.dtype.type(True)
    # all results of ours are in C order
    strides = found.strides if parts not in ("transposed", "empty") else None
    return found.dtype, found.shape, strides, np.asarray(found).tolist()


@pytest.mark.parametrize("join", JOIN)
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("settle", [True, False])
def test_joined_arrays_are_numpys(join: str, parts: str, settle: bool) -> None:
    for dtype in DTYPES:
        expected = _made(np, join, parts, dtype, settle)
        assert _made(jj, join, parts, dtype, settle) == expected


def _check_without_python(join: str, parts: str) -> None:
    """Check that computed arrays are joined as by NumPy, without Python and without a step."""
    given = PARTS[parts](jj, jj.arange(12.0).reshape(3, 4) + 0)
    jj.flush()
    found: list[Any] = []
    assert python_frames(lambda: found.append(JOIN[join](jj, given))) == []
    assert not LOG
    expected = JOIN[join](np, [np.asarray(one) for one in given])
    np.testing.assert_array_equal(found[0], expected, strict=True)


@pytest.mark.parametrize(
    "join", [join for join in JOIN if join not in ("concatenate columns", "stack along no axis")]
)
@pytest.mark.parametrize(
    "parts",
    [
        *("vectors", "rows", "columns", "many", "very many", "one"),
        *("one of NumPy's", "NumPy's", "NumPy's columns"),
    ],
)
def test_computed_arrays_are_copied_without_python(join: str, parts: str) -> None:
    _check_without_python(join, parts)


@pytest.mark.parametrize("join", ["hstack", "column_stack", "concatenate columns", "stack columns"])
@pytest.mark.parametrize("parts", ["matrices", "stacks"])
def test_computed_matrices_are_joined_side_by_side_without_python(join: str, parts: str) -> None:
    _check_without_python(join, parts)


def test_many_pending_arrays_are_computed() -> None:
    x = jj.arange(4.0)
    states = []
    for _ in range(50):
        x += 1
        states.append(x.copy())
    found = jj.array(states)
    assert not LOG
    np.testing.assert_array_equal(found, np.arange(4.0) + np.arange(1, 51)[:, None])


@pytest.mark.parametrize("count", [9000, 50000])
def test_long_lists_need_no_python(count: int) -> None:
    x = jj.arange(float(count)) / 3
    jj.flush()
    for given in (list(x), x.tolist(), [[one] for one in x]):
        found: list[Any] = []
        assert python_frames(lambda: found.append(jj.array(given))) == []  # noqa: B023
        np.testing.assert_array_equal(np.asarray(found[0]).ravel(), np.arange(float(count)) / 3)


def test_nested_arrays_are_copied_without_python() -> None:
    x = jj.arange(12.0).reshape(3, 4) + 0
    given = [[x[k % 3], x[1]] for k in range(200)]
    jj.flush()
    found: list[Any] = []
    assert python_frames(lambda: found.append(jj.array(given))) == []
    assert not LOG
    np.testing.assert_array_equal(found[0], np.array([list(map(np.asarray, row)) for row in given]))


@pytest.mark.parametrize("function", ["sum", "mean", "median", "std", "max", "argsort", "diff"])
def test_functions_of_many_arrays(function: str) -> None:
    for nested in (False, True):
        given = [np.arange(3.0) * (-1) ** k + k for k in range(500)]
        parts: Any = [[one, one[::-1]] for one in given] if nested else given
        ours: Any = [jj.asarray(one) for one in given]
        ours = [[one, one[::-1]] for one in ours] if nested else ours
        expected = getattr(np, function)(parts, axis=0)
        np.testing.assert_allclose(getattr(jj, function)(ours, axis=0), expected, rtol=1e-13)


def test_few_pending_arrays_stay_pending() -> None:
    x = jj.arange(4.0)
    jj.flush()
    found = jj.stack([x + 1, x * 2])
    assert LOG
    assert found.tolist() == [[1, 2, 3, 4], [0, 2, 4, 6]]


def test_a_dtype_that_is_given() -> None:
    x = jj.arange(4.0)
    jj.flush()
    for dtype in (None, float, "float64", np.float32, int, complex, bool):
        found, expected = (xp.array([y, y], dtype) for xp, y in ((jj, x), (np, np.arange(4.0))))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_large_arrays_are_joined_later() -> None:
    x = jj.zeros(50000)
    jj.flush()
    found = jj.concatenate([x, x])
    assert LOG
    assert found.shape == (100000,)


@pytest.mark.parametrize("dtype", [None, "float32", "complex128", "int64"])
def test_pending_scalars(dtype: Any) -> None:
    def made(xp: Any) -> Any:
        x = xp.asarray(np.arange(4.0)) / 3
        sums = [xp.dot(x, x * k) for k in range(20)]
        nested = [[x.sum(), 1.5], [2, (x * x).max()], (x[0], (x > 1).any())]
        return [xp.array(sums, dtype), xp.array(nested, dtype), xp.asarray((x.min(), -x[1]), dtype)]

    for found, expected in zip(made(jj), made(np), strict=True):
        assert type(found) is jj.ndarray
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_pending_scalars_are_joined_without_python() -> None:
    x = jj.arange(4.0)
    for _ in range(20):
        jj.array([jj.dot(x, x * 2), (x + 1).sum()])
    parts = [jj.dot(x, x * 2), (x + 1).sum()]
    assert not python_frames(lambda: jj.array(parts))
    assert not LOG


def test_a_list_that_is_emptied_while_its_scalars_are_computed() -> None:
    theirs = np.ones(3)
    x = jj.asarray(theirs)
    items: list[Any] = []
    emptied = weakref.finalize(theirs, items.clear)
    del theirs
    items += [x.sum(), (x * 2).sum(), (x * 3).sum()]
    del x  # the steps are the last to hold the memory
    assert emptied.alive
    found = jj.array(items)
    assert not emptied.alive  # by the call, which had begun to read the list
    assert found.shape == (0,)
