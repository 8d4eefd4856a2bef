"""Functions of few known elements: computed when they are called, after many such steps."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import machine
from jujunp.lazy.values.value import LOG
from tests.calls.support import python_frames

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = ["?", "b", "H", "i", "l", "Q", "e", "f", "d", "F", "D"]
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY = ("neg", "pos", "abs", "invert")
FUNCTIONS = ("sin", "sqrt", "exp", "square", "isnan", "sign", "floor", "conj", "logical_not")
VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "row": lambda x: x[1],
    "column": lambda x: x[:, 2:3],
    "part": lambda x: x[1:, 1:-1],
    "reversed": lambda x: x[::-1, ::2],
    "transposed": lambda x: x.T,
    "one element": lambda x: x[1:2, 1:2],
    "without axes": lambda x: x[1, 1, ...],
    "spread": lambda x: x[:, None, 1:2],
    "empty": lambda x: x[:0],
    "five axes": lambda x: x[:, None, None, None, :],
    "a scalar": lambda x: x[1, 2],
}


@pytest.fixture
def many() -> None:
    """Begin as a program that has made many steps of few elements."""
    _make_many()


def _make_many() -> None:
    x = jj.ones(3)
    for k in range(400):  # one by one: many that are pending may be run by a plan
        (x + k).tolist()
    found = x + 1
    assert not LOG
    del found


def _outcome(
    call: Callable[..., Any], library: Any, given: tuple[Any, ...]
) -> tuple[Any, list[str]]:
    """Return what a call of known operands gives, or the error it raises, and its warnings."""
    operands = [library.array(x) if isinstance(x, np.ndarray) else x for x in given]
    jj.flush()
    states = np.errstate(all="warn"), jj.errstate(all="warn")
    with states[0], states[1], warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call(library, *operands)
            made: Any = found.dtype, found.shape, found.strides if found.size else ()
            made = *made, np.asarray(found).tobytes()
        except (TypeError, ValueError, OverflowError) as error:
            made = type(error)
    return made, sorted(str(each.message) for each in caught)


Case = tuple["Callable[..., Any]", tuple[Any, ...]]


def _check(cases: list[Case]) -> None:
    """Assert that calls give and warn the same whether they are recorded or not, and as NumPy's."""
    _make_many()
    at_once = [_outcome(call, jj, given) for call, given in cases]
    for (call, given), found in zip(cases, at_once, strict=True):
        machine.forget_habits()
        assert found == _outcome(call, jj, given)
        wanted = _outcome(call, np, given)[0]
        if isinstance(wanted, tuple) and wanted[1]:  # scalars have their own tests
            assert found[0][:3] == wanted[:3]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_operators(name: str, dtype: str) -> None:
    call = getattr(operator, name)
    given = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    other = (np.arange(12, 0, -1).reshape(3, 4) % 4).astype(dtype)
    cases: list[Case] = []
    for seen in VIEWS.values():
        for beside in (other, given[1], 0, True):
            cases.append((lambda xp, x, y, seen=seen: call(seen(x), y), (given, beside)))
        for beside in (2, 1.5):
            cases.append((lambda xp, x, y, seen=seen: call(y, seen(x)), (given, beside)))
    _check(cases)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*BINARY[:6], *BINARY[7:], *COMPARISONS])
def test_operators_of_two_dtypes(name: str, dtype: str) -> None:
    call = getattr(operator, name)
    given = (np.arange(12).reshape(3, 4) * 37 % 300).astype(dtype)
    cases: list[Case] = []
    for other in DTYPES:
        beside = (np.arange(12, 0, -1).reshape(3, 4) * 53 % 4000 - 2).astype(other)
        for seen in (VIEWS["whole"], VIEWS["part"], VIEWS["reversed"], VIEWS["a scalar"]):
            pair = given, beside
            cases.append((lambda xp, x, y, seen=seen: call(seen(x), seen(y)), pair))
            cases.append((lambda xp, x, y, seen=seen: call(x[1, :2], seen(y)), pair))
    with np.errstate(all="ignore"):
        _check(cases)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ifloordiv"])
def test_updates_by_another_dtype(name: str, dtype: str) -> None:
    call = getattr(operator, name)
    given = (np.arange(12).reshape(3, 4) * 37 % 300).astype(dtype)

    def updated(x: Any, y: Any) -> Any:
        call(x[1:], y[:-1])
        call(x[0, ::2], y[1, 1])
        return x

    cases: list[Case] = []
    for other in DTYPES:
        beside = (np.arange(12, 0, -1).reshape(3, 4) * 53 % 4000 + 1).astype(other)
        cases.append((lambda xp, x, y: updated(x, y), (given, beside)))
    _check(cases)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_one_operand(dtype: str) -> None:
    given = (np.arange(12).reshape(3, 4) - 3).astype(dtype)
    calls: list[Any] = [lambda xp, x, name=name: getattr(operator, name)(x) for name in UNARY]
    calls += [lambda xp, x, name=name: getattr(xp, name)(x) for name in FUNCTIONS]
    _check(
        [
            (lambda xp, x, seen=seen, call=call: call(xp, seen(x)), (given,))
            for seen in VIEWS.values()
            for call in calls
        ]
    )


@pytest.mark.usefixtures("many")
def test_they_are_computed_without_python() -> None:
    x, y, i = jj.arange(8.0), jj.ones((4, 8)), jj.arange(8)
    jj.flush()
    calls: tuple[Callable[[], Any], ...] = (
        lambda: x + x,
        lambda: y[1] * x,
        lambda: 2.0 - y,
        lambda: jj.sin(x),
        lambda: x[::2] > 1,
        lambda: -y[:, 1:],
        lambda: y + x,
        lambda: y * i,
        lambda: i[::2] - x[::2],
        lambda: i * 0.5,
        lambda: x.__iadd__(i),
    )
    for call in calls:
        call()  # the first one of these dtypes in a process is recorded by Python
        jj.flush()
        assert not python_frames(call)
        found = call()
        assert not LOG
        del found


def test_first_steps_are_pending() -> None:
    x = jj.arange(8.0)
    jj.flush()
    found = x + 1
    assert [found._value] == LOG


@pytest.mark.usefixtures("many")
def test_whoever_wants_to_see_steps_sees_them() -> None:
    x = jj.arange(8.0)
    jj.flush()
    with jj.deferred_errors():
        deferred = x + 1
        assert len(LOG) == 1
    with jj.compile_policy("always"):
        asked = x + 2
        assert [asked._value] == LOG[-1:]
    assert not jj.jaxpr(x + 3).eqns  # it was computed
    names = [equation.primitive.name for equation in jj.jaxpr(x * 3).eqns]
    assert names[-1] == "mul"
    assert [deferred.tolist()[1], asked.tolist()[1]] == [2.0, 3.0]


@pytest.mark.usefixtures("many")
def test_transformations_follow_them() -> None:
    x = jj.arange(1.0, 5.0)
    jj.flush()
    slope = jj.grad(lambda x: (x * x + jj.sin(x) * 2).sum())(x)
    np.testing.assert_allclose(slope, 2 * x + 2 * jj.cos(x))
    rows = jj.vmap(lambda row: row * 2 + x)(jj.ones((3, 4)))
    np.testing.assert_array_equal(rows, np.ones((3, 4)) * 2 + np.arange(1.0, 5.0))


@pytest.mark.usefixtures("many")
def test_large_arrays_and_pending_operands_are_not() -> None:
    x, large = jj.arange(8.0), jj.ones(600)
    jj.flush()
    pending = large + 1
    assert len(LOG) == 1
    sums = pending[:8] + x
    assert len(LOG) == 2
    assert sums.tolist() == (np.arange(8.0) + 2).tolist()


@pytest.mark.usefixtures("many")
def test_writes_come_after_them() -> None:
    x = jj.arange(8.0)
    seen = np.asarray(x)
    before = x + 1
    seen[0] = 50
    after = x + 1
    x[1] = 60
    last = x + 1
    assert [y[:2].tolist() for y in (before, after, last)] == [[1, 2], [51, 2], [51, 61]]


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("step", [1, -1])
def test_what_is_assigned_to_a_part_is_computed_before(step: int) -> None:
    def made(xp: Any) -> Any:
        a, b = xp.arange(40.0).reshape(5, 8)[::step], xp.ones((5, 8))
        for k in range(4):
            a[k + 1] = a[k] + b[k] * 2
            a[:, k] = a[:, k + 1] - a[:, k + 2]
            a[1:, k:3] = a[:-1, k:3] * 0.5 + b[1:, k:3]
            b[k] = xp.sqrt(a[k]) + a[k + 1, ::-1]
            a[k, :4] = a[k, 1:5] + a[k, 2:6] - a[k, :4] * b[k, 0] + a[k, 0]
        return a, b

    with np.errstate(invalid="ignore"), jj.errstate(invalid="ignore"):
        for found, wanted in zip(made(jj), made(np), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-15)


@pytest.mark.usefixtures("many")
def test_assignments_of_few_leave_nothing_pending() -> None:
    a = jj.zeros((4, 8))
    jj.flush()
    a[1] = a[0] + 1
    assert not LOG
    a[2] = ((a[1] + 1) * 2 - a[0]) / 4
    assert not LOG
    assert a.tolist() == [[0] * 8, [1] * 8, [1] * 8, [0] * 8]
    long = jj.zeros(600)
    jj.flush()
    long[1:] = long[:-1] + 1
    assert LOG


def test_habits_are_forgotten() -> None:
    x = jj.arange(8.0)
    for _ in range(300):
        (x + 1).tolist()
    jj.flush()
    found = x + 1
    assert not LOG
    machine.forget_habits()
    found = x + 2
    assert LOG
    assert found.tolist()[0] == 2


def test_loops_that_read_nothing_leave_little_pending() -> None:
    """What is pending is computed where a small array is updated, and does not pile up."""

    def passes(library: Any, count: int) -> tuple[Any, list[int]]:
        rng = np.random.default_rng(2)
        X, y = library.array(rng.random((40, 3))), library.array(rng.random(40))
        w, b = library.zeros((3, 1)), library.zeros(1)
        pending = []
        for k in range(count):
            index = library.array([k % 40])
            errors = y[index] - (library.dot(X[index], w) + b).flatten()
            w += 0.01 * X[index].T.dot(errors).reshape(w.shape)
            b += 0.01 * errors.sum()
            pending.append(len(LOG))
        return np.asarray(w), pending

    found, pending = passes(jj, 400)
    assert found.tobytes() == passes(np, 400)[0].tobytes()
    assert max(pending[-40:]) <= 16


_ROWS = {
    "usual": [0, 1, 2, 3],
    "negative": [1.5, -2.5, -129, 256],
    "large": [3e9, -1, 70000, 65519],
    "too large": [1e300, -1e300, 1e10, 0],
    "none": [np.nan, np.inf, -np.inf, 0.0],
}
_PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "a row": lambda t, y: t.__setitem__(1, y),
    "columns": lambda t, y: t.__setitem__((slice(None), slice(1, None)), y[:3]),
    "all": lambda t, y: t.__setitem__(..., y),
    "backwards": lambda t, y: t.__setitem__((0, slice(None, None, -1)), y),
}


def _written(name: str, dtype: str, row: Any) -> Any:
    table = np.arange(12).reshape(3, 4).astype(dtype)

    def call(xp: Any, t: Any, y: Any) -> Any:
        _PLACES[name](t, y)
        return t

    return call, (table, row)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("row", _ROWS)
def test_elements_of_another_dtype_are_written(row: str, dtype: str) -> None:
    """As NumPy writes them, and with its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [np.array(_ROWS[row]).astype(other) for other in DTYPES]
    for given in rows:
        for name in _PLACES:
            call, operands = _written(name, dtype, given)
            found, wanted = (_outcome(call, xp, operands) for xp in (jj, np))
            if row in ("usual", "negative") or np.dtype(dtype).kind not in "iu":
                assert found == wanted
            else:  # which integers they are is left open
                assert (found[0][:3], found[1]) == (wanted[0][:3], wanted[1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_another_dtype_leave_nothing_pending(dtype: str) -> None:
    table, row = jj.zeros((3, 4), dtype), jj.arange(4, dtype="f4")
    jj.flush()
    table[1], table[:, 0], table[0] = row, row[:3], row[::-1]
    assert not LOG
