"""Random programs of views, writes and operations: every read equals NumPy's."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import hypothesis.strategies as st
import numpy as onp
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
)

import jujunp as np
from jujunp.lazy.values import value as log

DTYPES = ("float64", "float32", "int64", "int8", "uint16", "bool")
SHAPES = ((), (1,), (4,), (0,), (3, 4), (4, 1), (2, 3, 2))
OPERATORS: dict[str, Any] = {
    "+": lambda x, y: x + y,
    "*": lambda x, y: x * y,
    "<": lambda x, y: x < y,
    "max": lambda x, y: _namespace(x).maximum(x, y),
}
UPDATES: dict[str, Any] = {}


def _namespace(x: Any) -> Any:
    return onp if isinstance(x, (onp.ndarray, onp.generic)) else np


def _add(x: Any, y: Any) -> Any:
    x += y
    return x


def _multiply(x: Any, y: Any) -> Any:
    x *= y
    return x


UPDATES = {"+=": _add, "*=": _multiply}


@st.composite
def slices(draw: Any) -> slice:
    bound = st.none() | st.integers(-5, 5)
    step = draw(st.none() | st.sampled_from((1, 2, -1, -2, 3)))
    return slice(draw(bound), draw(bound), step)


def both(theirs: Any, ours: Any, function: Any) -> tuple[Any, Any] | None:
    """Apply a function to both; the two must raise the same type, and then there is no result."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = function(*theirs)
    except Exception as error:
        with pytest.raises(type(error)):
            function(*ours)
        return None
    return expected, function(*ours)


def check(expected: Any, found: Any) -> None:
    assert found.shape == onp.shape(expected)
    assert found.dtype == expected.dtype
    onp.testing.assert_array_equal(onp.asarray(found), expected, strict=True)


class Programs(RuleBasedStateMachine):
    arrays: Any = Bundle("arrays")

    @rule(
        target=arrays,
        shape=st.sampled_from(SHAPES),
        dtype=st.sampled_from(DTYPES),
        seed=st.integers(0, 1000),
    )
    def create(self, shape: Any, dtype: str, seed: int) -> Any:
        source = onp.random.default_rng(seed).integers(-3, 9, shape).astype(dtype)
        return source.copy(), np.array(source)

    @rule(target=arrays, pair=arrays, parts=st.lists(slices() | st.integers(-3, 3), max_size=3))
    def index(self, pair: Any, parts: Any) -> Any:
        theirs, ours = pair
        key = tuple(parts) if len(parts) != 1 else parts[0]
        made = both((theirs,), (ours,), lambda x: x[key])
        return multiple() if made is None else self._kept(made)

    @rule(
        target=arrays, pair=arrays, axes=st.sampled_from(("T", "swap", "ravel", "reshape", "new"))
    )
    def view(self, pair: Any, axes: str) -> Any:
        functions = {
            "T": lambda x: x.T,
            "swap": lambda x: x.swapaxes(0, -1),
            "ravel": lambda x: x.ravel(),
            "reshape": lambda x: x.reshape(2, -1),
            "new": lambda x: x[..., None],
        }
        made = both(pair[:1], pair[1:], functions[axes])
        return multiple() if made is None else self._kept(made)

    @rule(target=arrays, a=arrays, b=arrays, name=st.sampled_from(sorted(OPERATORS)))
    def operate(self, a: Any, b: Any, name: str) -> Any:
        made = both((a[0], b[0]), (a[1], b[1]), OPERATORS[name])
        return multiple() if made is None else self._kept(made)

    @rule(
        target=arrays,
        a=arrays,
        number=st.sampled_from((2, 1.5, True, -1)),
        name=st.sampled_from(sorted(OPERATORS)),
    )
    def operate_number(self, a: Any, number: Any, name: str) -> Any:
        made = both((a[0], number), (a[1], number), OPERATORS[name])
        return multiple() if made is None else self._kept(made)

    @rule(a=arrays, b=arrays, name=st.sampled_from(sorted(UPDATES)))
    def update(self, a: Any, b: Any, name: str) -> None:
        if isinstance(a[0], onp.generic):
            return
        both((a[0], b[0]), (a[1], b[1]), UPDATES[name])

    @rule(a=arrays, b=arrays, parts=st.lists(slices() | st.integers(-3, 3), min_size=1, max_size=3))
    def assign(self, a: Any, b: Any, parts: Any) -> None:
        key = tuple(parts)
        if isinstance(a[0], onp.generic):
            return

        def write(x: Any, y: Any) -> None:
            x[key] = y

        both((a[0], b[0]), (a[1], b[1]), write)

    @rule(a=arrays, threshold=st.integers(-2, 4), number=st.sampled_from((1, 0)))
    def assign_masked(self, a: Any, threshold: int, number: int) -> None:
        if isinstance(a[0], onp.generic):
            return

        def write(x: Any) -> None:
            x[x > threshold] = number

        both(a[:1], a[1:], write)

    @rule(target=arrays, a=arrays, indices=st.lists(st.integers(-4, 3), max_size=4))
    def take(self, a: Any, indices: Any) -> Any:
        def read(x: Any) -> Any:
            found = x[indices]
            return found if isinstance(found, onp.ndarray) else _computed(found)

        made = both(a[:1], a[1:], read)
        return multiple() if made is None else self._kept(made)

    @rule(
        a=arrays,
        indices=st.lists(st.integers(-4, 3), min_size=1, max_size=4),
        number=st.integers(0, 5),
    )
    def put(self, a: Any, indices: Any, number: int) -> None:
        if isinstance(a[0], onp.generic):
            return

        def write(x: Any) -> None:
            x[indices] = number
            _computed(x)

        both(a[:1], a[1:], write)

    @rule(target=arrays, a=arrays)
    def copy(self, a: Any) -> Any:
        return a[0].copy(), a[1].copy()

    @rule(a=arrays)
    def read(self, a: Any) -> None:
        check(a[0], a[1])

    @rule(a=consumes(arrays))
    def drop(self, a: Any) -> None:
        pass

    @rule()
    def flush(self) -> None:
        np.flush()

    def _kept(self, made: tuple[Any, Any]) -> tuple[Any, Any]:
        expected, found = made
        assert found.shape == onp.shape(expected)
        assert found.dtype == expected.dtype
        assert isinstance(found, np.ndarray) == isinstance(expected, onp.ndarray)
        return expected, found

    def teardown(self) -> None:
        """Leave nothing pending for the next program."""
        with contextlib.suppress(IndexError):
            np.flush()
        assert not log.LOG

    @invariant()
    def log_is_bounded(self) -> None:
        assert len(log.LOG) <= log.LIMIT + 10


def _computed(x: Any) -> Any:
    """Errors of index arrays surface at a flush: NumPy's come at once."""
    if not isinstance(x, (onp.ndarray, onp.generic)):
        np.flush(x)
    return x


Programs.TestCase.settings = settings(
    max_examples=150,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestPrograms = Programs.TestCase
