"""`x += y` and `out=` of small known arrays: computed at once, as NumPy does."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.values.value import LOG
from tests.calls.support import python_frames

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = ["?", "b", "H", "i", "l", "Q", "e", "f", "d", "F", "D"]
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, f"i{name}")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "lshift")
}
VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "row": lambda x: x[1],
    "column": lambda x: x[:, 2],
    "part": lambda x: x[1:, 1:-1],
    "reversed": lambda x: x[::-1, ::2],
    "transposed": lambda x: x.T,
    "element": lambda x: x[1:2, 1:2],
    "empty": lambda x: x[:0],
}


def _outcome(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return what a call gives, or the error it raises, and the warnings that it gives."""
    states = np.errstate(all="warn"), jj.errstate(all="warn")
    with states[0], states[1], warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = np.array(call())
        except Exception as error:
            found = type(error)
    return found, [str(one.message) for one in caught]


def _same(found: Any, wanted: Any, units: int = 0) -> None:
    """Assert that two outcomes are alike, but for some units in the last place."""
    if isinstance(wanted[0], type):
        assert found[0] is wanted[0]
        return
    assert found[1] == wanted[1]
    assert found[0].dtype == wanted[0].dtype
    if units and wanted[0].dtype.kind in "fc":
        rtol = units * np.finfo(wanted[0].dtype).eps
        np.testing.assert_allclose(found[0], wanted[0], rtol=rtol)
    else:
        np.testing.assert_array_equal(found[0], wanted[0])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name: str, dtype: str, view: str) -> None:
    """By an array, a broadcast row, numbers that fit and that do not, and what overlaps."""
    rng = np.random.default_rng(3)
    update, see = OPERATIONS[name], VIEWS[view]
    theirs = rng.integers(0, 9, (5, 6)).astype(dtype)
    other = rng.integers(1, 4, (5, 6)).astype(dtype)
    operands: list[Callable[[Any, Any], Any]] = [
        lambda x, y: see(y),
        lambda x, y: see(y)[..., :1],
        lambda x, y: see(x)[::-1],
        lambda x, y: see(y).astype("float32"),
        *(lambda x, y, k=k: k for k in (2, 0, True, 1.5, 1j, 300, 1e300)),
    ]
    for operand in operands:
        outcomes = []
        for xp in (np, jj):
            x, y = xp.array(theirs), xp.array(other)

            def call(x: Any = x, y: Any = y) -> Any:
                target = see(x)
                target = update(target, operand(x, y))  # noqa: B023
                np.asarray(target)
                return x

            outcomes.append(_outcome(call))
        _same(outcomes[1], outcomes[0], units=1000 if name == "pow" else 0)


@pytest.mark.parametrize("function", ["add", "sin", "divide", "maximum", "sqrt", "less", "abs"])
def test_results_that_go_to_an_array(function: str) -> None:
    rng = np.random.default_rng(4)
    theirs = rng.random((2, 4, 5)) - 0.3
    outcomes = []
    for xp in (np, jj):
        x, y = (xp.array(one) for one in theirs)
        out = xp.zeros((4, 5), bool if function == "less" else float)
        call = getattr(xp, function)
        operands = (x, y) if call.nin == 2 else (x,)
        outcomes.append(_outcome(lambda: np.asarray(call(*operands, out=out))))  # noqa: B023
        outcomes.append(_outcome(lambda: np.asarray(call(*operands, out=out[::-1]))))  # noqa: B023
        outcomes.append(_outcome(lambda: np.asarray(call(*(o[0] for o in operands), out=out))))  # noqa: B023
        outcomes.append(_outcome(lambda: np.asarray(call(*operands, out=out[0]))))  # noqa: B023
    for found, wanted in zip(outcomes[4:], outcomes[:4], strict=True):
        _same(found, wanted)


def test_nothing_is_recorded() -> None:
    x, y = jj.array([1.0, 2.0, 4.0]), jj.array([3.0, 5.0, 7.0])
    grid = jj.zeros((3, 3))
    assert x[0] + y[0] + grid[0, 0] == 4

    def updates() -> None:
        nonlocal x
        x += y
        x *= 2.0
        grid[1] += x
        grid[:, 2] -= y
        jj.multiply(x, y, out=x)

    updates()  # the first call of each goes through Python
    x, grid = jj.array([1.0, 2.0, 4.0]), jj.zeros((3, 3))
    assert x[0] + grid[0, 0] == 1
    before = len(LOG)
    assert not python_frames(updates)
    assert len(LOG) == before
    assert x.tolist() == [24, 70, 154]
    assert grid.tolist() == [[0, 0, -3], [8, 14, 17], [0, 0, -7]]


def test_few_pending_operands_are_computed() -> None:
    x, y = jj.array([1.0, 2.0]), jj.array([3.0, 5.0])
    assert x[0] + y[0] == 4
    before = len(LOG)
    for _ in range(3):
        x += y * 2 - 1
        assert len(LOG) == before
    assert x.tolist() == [16, 29]
    y = jj.array([1.0, 1.0])
    for _ in range(20):
        y = y + 1  # these may be part of a long computation
    x -= y
    assert len(LOG) > before
    assert x.tolist() == [-5, 8]


def test_what_is_seen_or_pending_is_left_alone() -> None:
    """Pending steps and copies keep the old elements; who shares the memory sees the new ones."""
    x = jj.array([1.0, 2.0])
    assert x[0] == 1
    doubled, copied = x * 2, x.copy()
    x += 1
    assert (doubled.tolist(), copied.tolist(), x.tolist()) == ([2, 4], [1, 2], [2, 3])
    seen = np.asarray(x)
    x += seen[::-1]
    assert seen.tolist() == [5, 5]
    pending = x + 1
    x -= pending
    assert x.tolist() == [-1, -1]


def test_errors() -> None:
    x = jj.array([1.0, 0.0])
    assert x[0] == 1
    with jj.errstate(divide="raise"), pytest.raises(FloatingPointError):
        np.asarray(operator.itruediv(x, jj.array([0.0, 1.0])))
    frozen = jj.array([1.0])
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen += 1


@pytest.mark.parametrize("dtype", ["b", "d", "D"])
@pytest.mark.parametrize("size", [3, 100, 3000])
def test_writes_of_known_arrays(dtype: str, size: int) -> None:
    """To parts of known arrays, from arrays and parts that overlap with them, and from numbers."""
    theirs = np.arange(4 * size).reshape(4, size).astype(dtype)
    ours = jj.array(theirs)
    assert ours[0, 0] == 0
    for x in (theirs, ours):
        x[1:] = x[:-1]
        x[:, 1:] = x[:, :-1]
        x[0] = x[3, ::-1]
        x[::2, ::2] = 7
        x[1] = x[:, :1][2]
        x[2:] = x[:2, ::-1]
        x[3, 1:] = 5
    np.testing.assert_array_equal(np.asarray(ours), theirs)
