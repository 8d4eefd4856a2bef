"""Lists of numbers and NumPy's arrays that become arrays without Python."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jujunp
from jujunp.lazy.run import machine
from tests.calls.support import python_frames

NUMBERS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.sampled_from([2**63, -(2**63) - 1, 2**70, 1j, "1", None, np.float64(2), np.int8(1)]),
)
NESTED = st.recursive(NUMBERS, lambda part: st.lists(part, max_size=3), max_leaves=8)


@st.composite
def regular(draw: st.DrawFn) -> Any:
    """Draw numbers nested regularly, in lists and tuples."""
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    number = draw(
        st.sampled_from([st.booleans(), st.integers(-9, 2**60), st.floats(), NUMBERS.filter(_real)])
    )

    def part(axis: int) -> Any:
        if axis == len(shape):
            return draw(number)
        kind = draw(st.sampled_from((list, tuple)))
        return kind(part(axis + 1) for _ in range(shape[axis]))

    return part(0)


def _real(number: Any) -> bool:
    return type(number) in (bool, float) or (type(number) is int and -(2**63) <= number < 2**63)


def _answer(function: Any, given: Any) -> Any:
    try:
        return function(given)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)


@given(st.one_of(regular(), NESTED.filter(lambda part: isinstance(part, list))))
def test_numbers_in_lists(given: Any) -> None:
    theirs = _answer(np.array, given)
    for function in (jujunp.array, jujunp.asarray, jujunp.asanyarray):
        ours = _answer(function, given)
        if isinstance(theirs, type) or theirs.dtype.kind in "OU":
            assert isinstance(ours, type)
            continue
        assert type(ours) is jujunp.ndarray
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(np.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", ["?", "b", "l", "L", "e", "f", "d", "F", "D"])
def test_arrays_of_numpy(dtype: str) -> None:
    whole = np.arange(24).reshape(4, 6).astype(dtype)
    for theirs in (whole, whole[1], whole.T, whole[::2, 1:], whole[:0], whole[0, 0, ...]):
        kept = theirs.copy()
        ours = jujunp.array(theirs)
        assert ours.dtype == theirs.dtype
        before = theirs.copy()
        theirs[...] = 0
        np.testing.assert_array_equal(np.asarray(ours), before)
        theirs[...] = kept


@pytest.mark.parametrize(
    "shape", [(8192,), (8193,), (8193, 1), (1, 91, 91, 1, 1), (2, 4096), (9000, 0)]
)
def test_arrays_of_numpy_of_many_elements(shape: tuple[int, ...]) -> None:
    """Python takes over those of more than 64 KiB."""
    theirs = np.random.default_rng(0).random(shape)
    ours = jujunp.array(theirs)
    np.testing.assert_array_equal(np.asarray(ours), theirs)
    np.testing.assert_array_equal(np.asarray(ours + 1.0), theirs + 1.0)


@pytest.mark.parametrize(
    "function", [operator.add, operator.truediv, operator.lt, operator.iadd, np.multiply]
)
def test_arrays_of_numpy_as_operands(function: Any) -> None:
    for dtype in "dfl":
        for theirs in (np.arange(1.0, 5.0), np.float64(3.0), np.ones((2, 4))):
            for _ in range(3):
                x = np.arange(2.0, 10.0).reshape(2, 4).astype(dtype)
                ours = jujunp.asarray(x)
                wanted = _answer(lambda a, t=theirs: function(a, t), x)
                found = _answer(lambda a, t=theirs: function(a, t), ours)
                if isinstance(wanted, type):
                    assert isinstance(found, type)
                    continue
                assert type(found) is jujunp.ndarray
                assert found.dtype == wanted.dtype
                np.testing.assert_array_equal(np.asarray(found), wanted)
                np.testing.assert_array_equal(np.asarray(ours), x)


@given(regular(), st.sampled_from([float, int, bool, "float32", np.dtype("int64"), None]))
def test_numbers_of_a_dtype(given: Any, dtype: Any) -> None:
    theirs = _answer(lambda given: np.array(given, dtype), given)
    for function in (jujunp.array, jujunp.asarray):
        for call in (
            lambda given, f=function: f(given, dtype),
            lambda given, f=function: f(given, dtype=dtype),
        ):
            ours = _answer(call, given)
            if isinstance(theirs, type):
                assert ours is theirs
                continue
            assert type(ours) is jujunp.ndarray
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(np.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", [float, int, "float32"])
def test_arrays_of_a_dtype(dtype: Any) -> None:
    """An array that has the dtype is itself, or its memory is shared."""
    for theirs in (np.arange(4.0), np.arange(4), np.ones((2, 3))[:, 1]):
        shared = jujunp.asarray(theirs, dtype=dtype)
        assert shared.dtype == dtype
        alike = theirs.dtype == np.dtype(dtype)
        assert (jujunp.asarray(shared, dtype) is shared) == (shared.dtype == dtype)
        theirs[0] = 7
        assert (shared[0] == 7) == alike
        assert jujunp.array(theirs, dtype)[0] == 7


def test_handles_in_lists() -> None:
    x = jujunp.arange(3.0)
    derived = x.view(type("Derived", (jujunp.ndarray,), {}))
    within = type("Within", (list,), {})([1, (2, x)])
    for held in ([x], (1, x[1]), [[[x]]], [1, derived], within):
        assert machine.holds_handles(held)
    endless: list[Any] = [1]
    endless.append(endless)
    for free in ([], [1, [2.0, "x"]], (np.arange(3),), endless, 3, {"x": x}):
        assert not machine.holds_handles(free)


def test_nothing_of_it_is_python() -> None:
    x, theirs = jujunp.ones(3), np.arange(3.0)
    for _ in range(2):
        frames = python_frames(lambda: (x + theirs, theirs * x, np.add(x, theirs)))
    assert not frames
    for one in ([1.5, 2.0], (1, 2), [[True], [False]], theirs, theirs[1:]):
        assert not python_frames(lambda one=one: jujunp.array(one))  # type: ignore[misc]
        assert not python_frames(lambda one=one: jujunp.asarray(one))  # type: ignore[misc]
        for call in (
            lambda one=one: jujunp.array(one, float),
            lambda one=one: jujunp.asarray(one, dtype=np.float64),
        ):
            assert not python_frames(call)  # type: ignore[arg-type]
