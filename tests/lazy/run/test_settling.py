"""Errors come where NumPy raises them: each call of docs/errors.md, and blocks that defer them."""

from __future__ import annotations

import re
import threading
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import settling
from jujunp.lazy.values.value import LOG
from tests.support.tree.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., Any]

GRID = np.arange(12.0).reshape(3, 4)
LINE = np.arange(5)
ONES = np.ones((2, 2))
NAN = np.array([[np.nan, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 9.0]])
FAR = np.array([0, 2, 7, -9])
SMALL = np.array([1, -5, 3], np.int8)
HUGE = np.array([0, 2**63 + 5], np.uint64)


def _set(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def _set_flat(x: Any, key: Any, value: Any) -> None:
    x.flat[key] = value


def _of(name: str, *arguments: Any, **keywords: Any) -> Call:
    """Return a call of a function of linear algebra, with arguments after the array."""
    return lambda xp, x: getattr(xp.linalg, name)(x, *arguments, **keywords)


INDEXING: dict[str, list[tuple[Call, tuple[np.ndarray, ...]]]] = {
    "x[index]": [
        (lambda xp, x, i: x[i], (GRID, FAR)),
        (lambda xp, x, i: x[i], (GRID, SMALL)),
        (lambda xp, x, i: x[i], (GRID, HUGE)),
        (lambda xp, x, i: x[:, i], (GRID, FAR)),
        (lambda xp, x, i: x[1:, i[::-1]], (GRID, FAR)),
        (lambda xp, x, i: x[0, i], (GRID, FAR)),
        (lambda xp, x, i: x[i, ..., None], (GRID, FAR.reshape(2, 2).T)),
        (lambda xp, x, i, j: x[i, j], (GRID, LINE[:2], FAR[2:])),
        (lambda xp, x, i, j: x[i, j], (GRID, FAR, FAR)),
        (lambda xp, x, i: x[i], (np.zeros((3, 0)), FAR)),
        (lambda xp, x, i: x[i], (np.zeros((0, 3)), FAR)),
        (lambda xp, x, i: x[i], (GRID, np.full((2, 1), 3))),
        (lambda xp, x, i: x[i], (GRID, np.broadcast_to(np.int64(-4), (2, 3)))),
    ],
    "x[index] = v": [
        (lambda xp, x, i: _set(x, i, 1.0), (GRID, FAR)),
        (lambda xp, x, i: _set(x, i, 1.0), (GRID, SMALL)),
        (lambda xp, x, i: _set(x, (slice(None), i), 1.0), (GRID, FAR)),
        (lambda xp, x, i: _set(x[1:], i, 1.0), (GRID, FAR)),
        (lambda xp, x, i: _set(x.view("int64"), i, 1), (GRID, FAR)),
        (lambda xp, x, i, v: _set(x, i, v), (GRID, FAR, GRID[0])),
    ],
    "x.flat[index]": [(lambda xp, x, i: x.flat[i], (GRID, np.array([3, -77])))],
    "x.flat[index] = v": [(lambda xp, x, i: _set_flat(x, i, 1.0), (GRID, np.array([-77, 3])))],
    "take": [
        (lambda xp, x, i: xp.take(x, i), (GRID, FAR * 3)),
        (lambda xp, x, i: xp.take(x, i, axis=1), (GRID, FAR)),
        (lambda xp, x, i: x.take(i, 0), (GRID, SMALL)),
        (lambda xp, x, i: xp.take(x, [0, 7, 9], 0), (GRID, FAR)),
    ],
    "put": [
        (lambda xp, x, i: xp.put(x, i, 1.0), (GRID, FAR * 3)),
        (lambda xp, x, i: xp.put(x, i, [1.0, 2.0]), (GRID, FAR * 3)),
        (lambda xp, x, i: xp.put(x.T, i, 1.0), (GRID, FAR * 3)),
        (lambda xp, x, i: xp.put(x, [99], 1.0), (GRID, FAR)),
    ],
    "take_along_axis": [
        (lambda xp, x, i: xp.take_along_axis(x, i, 0), (GRID, FAR[None])),
        (lambda xp, x, i: xp.take_along_axis(x, i, None), (GRID, FAR * 3)),
    ],
    "put_along_axis": [
        (lambda xp, x, i: xp.put_along_axis(x, i, 1.0, 0), (GRID, FAR[None])),
        (lambda xp, x, i: xp.put_along_axis(x, i, 1.0, None), (GRID, FAR * 3)),
    ],
    "compress": [(lambda xp, x, c: xp.compress(c, x, 0), (GRID, np.array([0, 1, 0, 1]) > 0))],
    "extract": [(lambda xp, x, c: xp.extract(c, x), (GRID, np.arange(15) > 1))],
    "ufunc.at": [
        (lambda xp, x, i: xp.add.at(x, i, 1.0), (GRID[0], FAR)),
        (lambda xp, x, i: xp.power.at(x, i, 2.0), (GRID[0], FAR)),
        (lambda xp, x, i: xp.negative.at(x, i), (GRID[0], FAR)),
    ],
    "unravel_index": [
        (lambda xp, i: xp.unravel_index(i, (2, 3)), (FAR,)),
        (lambda xp, i: xp.unravel_index(i, (2, 3)), (SMALL,)),
    ],
    "searchsorted": [
        (lambda xp, x, i: xp.searchsorted(x, x, sorter=i), (LINE, np.array([0, 9, 9, 9, 1]))),
    ],
}
RUN: dict[str, list[tuple[Call, tuple[np.ndarray, ...]]]] = {
    "cholesky": [
        (_of("cholesky"), (-ONES,)),
        (_of("cholesky"), (np.stack([np.eye(2), -ONES]),)),
    ],
    "inv": [(_of("inv"), (ONES,)), (_of("inv"), (np.stack([np.eye(2), ONES]),))],
    "solve": [(lambda xp, a, b: xp.linalg.solve(a, b), (ONES, ONES[0]))],
    "tensorinv": [(_of("tensorinv", 1), (ONES,))],
    "tensorsolve": [(lambda xp, a, b: xp.linalg.tensorsolve(a, b), (ONES, ONES[0]))],
    "matrix_power": [(_of("matrix_power", -2), (ONES,))],
    "eig": [(_of("eig"), (NAN,))],
    "eigvals": [(_of("eigvals"), (NAN / NAN,))],
    "eigh": [(_of("eigh"), (NAN,))],
    "eigvalsh": [(_of("eigvalsh"), (NAN,))],
    "svd": [(_of("svd"), (NAN,)), (_of("svd", compute_uv=False), (NAN,))],
    "svdvals": [(_of("svdvals"), (NAN,))],
    "pinv": [(_of("pinv"), (NAN,))],
    "matrix_rank": [(_of("matrix_rank"), (NAN,))],
    "norm": [(_of("norm", 2), (NAN,)), (_of("norm", "nuc"), (NAN,))],
    "matrix_norm": [(_of("matrix_norm", ord=-2), (NAN,))],
    "lstsq": [(lambda xp, a, b: xp.linalg.lstsq(a, b, None), (NAN, NAN[1]))],
    "roots": [(lambda xp, x: xp.roots(x), (NAN[0][::-1],))],
    "poly": [(lambda xp, x: xp.poly(x), (NAN,))],
    "polyfit": [(lambda xp, x, y: xp.polyfit(x, y, 1), (NAN[0], NAN[1]))],
}
COMPUTED: dict[str, list[tuple[Call, tuple[np.ndarray, ...]]]] = {
    "choose": [(lambda xp, i: xp.choose(i, [1, 2, 3, 4]), (FAR,))],
    "ravel_multi_index": [(lambda xp, i: xp.ravel_multi_index((i, i), (3, 3)), (FAR,))],
    "ufunc.reduceat": [(lambda xp, x, i: xp.add.reduceat(x, i), (GRID[0], FAR))],
    "delete": [
        (lambda xp, x, i: xp.delete(x, i), (LINE, FAR)),
        (lambda xp, x, i: xp.delete(x, i), (LINE, FAR[2:3])),
    ],
    "insert": [(lambda xp, x, i: xp.insert(x, i, 1), (LINE, FAR * 5))],
    "place": [(lambda xp, x, m: xp.place(x, m, []), (LINE, LINE > 2))],
    "repeat": [(lambda xp, x, n: xp.repeat(x, n), (LINE, LINE - 1))],
    "bincount": [(lambda xp, x: xp.bincount(x), (FAR,))],
    "digitize": [(lambda xp, x, b: xp.digitize(x, b), (LINE, np.array([1, 3, 2])))],
    "histogram": [(lambda xp, x: xp.histogram(x), (NAN,))],
    "partition": [(lambda xp, x: xp.partition(x, 9), (LINE,))],
    "argpartition": [(lambda xp, x: xp.argpartition(x, 9), (LINE,))],
    "quantile": [(lambda xp, x, q: xp.quantile(x, q), (GRID, np.array([0.5, 3.0])))],
    "percentile": [(lambda xp, x, q: xp.percentile(x, q), (GRID, np.array([50, 300.0])))],
    "average": [(lambda xp, x, w: xp.average(x, weights=w), (LINE, LINE * 0))],
    "cov": [(lambda xp, x, w: xp.cov(x, fweights=w), (LINE * 1.0, LINE - 1))],
    "nanargmin": [(lambda xp, x: xp.nanargmin(x), (NAN[0][:1],))],
    "nanargmax": [(lambda xp, x: xp.nanargmax(x), (NAN[0][:1],))],
    "asarray_chkfinite": [(lambda xp, x: xp.asarray_chkfinite(x), (NAN,))],
    "geomspace": [(lambda xp, a, b: xp.geomspace(a, b), (LINE * 1.0, LINE + 1.0))],
    'astype(casting="same_value")': [
        (lambda xp, x: xp.asarray(x).astype("i4", casting="same_value"), (GRID + 0.5,))
    ],
    "x ** n": [(lambda xp, x, n: x**n, (LINE, LINE - 1))],
}
if np.lib.NumpyVersion(np.__version__) < "2.5.0":
    RUN["cond"] = [(_of("cond"), (NAN,)), (_of("cond", "nuc"), (NAN,))]
CASES = [
    pytest.param(call, operands, id=f"{name} {place}")
    for name, calls in (INDEXING | RUN | COMPUTED).items()
    for place, (call, operands) in enumerate(calls)
]


def _raised(call: Call, operands: tuple[np.ndarray, ...]) -> Exception:
    """Return what NumPy raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(np, *(x.copy() for x in operands))
        except Exception as error:
            return error
    pytest.fail("NumPy raises nothing")


def _given(operands: tuple[np.ndarray, ...], state: str) -> list[Any]:
    """Return operands that are computed, or pending as the result of a step."""
    arrays: list[Any] = [jj.array(x) for x in operands]
    if state == "pending":
        return [x.copy() if x.dtype == bool else x + x.dtype.type(0) for x in arrays]
    jj.flush()
    return arrays


@pytest.mark.parametrize("state", ["computed", "pending"])
@pytest.mark.parametrize(("call", "operands"), CASES)
def test_a_call_raises_what_numpy_raises(call: Call, operands: Any, state: str) -> None:
    wanted = _raised(call, operands)
    given = _given(operands, state)
    with pytest.raises(type(wanted)) as found:
        call(jj, *given)
    assert type(found.value) is type(wanted)
    assert str(found.value) == str(wanted)
    jj.flush()  # nothing is left that raises again
    for x, before in zip(given, operands, strict=True):
        np.testing.assert_array_equal(np.asarray(x), before, strict=True)


def test_each_call_of_the_page_is_tried() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for cases, how in ((INDEXING, "checked"), (RUN, "run"), (COMPUTED, "computed")):
        rows = re.findall(rf"^\| (`.*) \| .* \| {how} \|$", page, re.MULTILINE)
        named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
        assert named - {"sorter"} == cases.keys() | ({"cond"} if how == "run" else set())


# -- deferred errors


@pytest.mark.parametrize(("call", "operands"), [case.values for case in CASES])
def test_a_block_defers_or_raises_the_same(call: Call, operands: Any) -> None:
    kinds = type(_raised(call, operands)), IndexError
    given = _given(operands, "computed")
    with pytest.raises(kinds):
        _deferred(call, given)
    jj.flush()


def _deferred(call: Call, given: list[Any]) -> Any:
    with jj.deferred_errors():
        return call(jj, *given)


@pytest.mark.parametrize("name", [*INDEXING, *RUN])
def test_a_deferred_error_names_the_line(name: str) -> None:
    call, operands = (INDEXING | RUN)[name][0]
    if name in ("unravel_index", "roots", "poly", "polyfit"):
        pytest.skip("which computes what it must know")
    given = _given(operands, "computed")
    with jj.deferred_errors():
        kept = call(jj, *given)
        with pytest.raises((IndexError, np.linalg.LinAlgError), match=r"\(recorded at .*settling"):
            jj.flush()
    del kept


def test_the_end_of_a_block_computes_what_was_deferred() -> None:
    x = jj.array(GRID)
    kept = []
    text = r"index 7 .* \(recorded at .*test_settling.py, line"
    with pytest.raises(IndexError, match=text), jj.deferred_errors():
        kept.append(x[jj.array(FAR)])
    with pytest.raises(IndexError, match=text):
        kept[0].tolist()
    jj.flush()


def test_blocks_can_be_nested_and_end_with_errors_of_their_own() -> None:
    x, far = jj.array(GRID), jj.array(FAR)
    with jj.deferred_errors():
        with jj.deferred_errors():
            kept = x[far]
        assert settling.deferring()
        assert jj.stats()["pending"]
        del kept
    with pytest.raises(ZeroDivisionError), jj.deferred_errors():
        x[far + 1 // 0]
    with pytest.raises(IndexError, match=r"size 3$"):
        x[far]


def test_a_block_is_of_its_thread() -> None:
    seen: list[bool] = []
    with jj.deferred_errors():
        thread = threading.Thread(target=lambda: seen.append(settling.deferring()))
        thread.start()
        thread.join()
        assert settling.deferring()
    assert seen == [False]
    assert not settling.deferring()


# -- what is not computed for it


def _pending_after(call: Callable[[], Any]) -> int:
    """Return how many flushes a call took."""
    jj.flush()
    before = jj.stats()["flushes"]
    kept = call()
    found = jj.stats()["flushes"] - before
    del kept
    return int(found)


X = np.array([3.0, -1.0, 2.0, 0.0])
LONG = np.tile(X, 600)
"""So long that indices are not computed because they are few."""
CERTAIN: dict[str, Call] = {
    "argsort": lambda x: x[jj.argsort(x)],
    "argsort along an axis": lambda x: jj.take_along_axis(
        x.reshape(2, -1), jj.argsort(x.reshape(2, -1), axis=1), 1
    ),
    "argmax": lambda x: x.reshape(2, -1)[jj.argmax(x.reshape(2, -1), 0), jj.arange(1200)],
    "remainder": lambda x: x[x.astype("int64") % 2400],
    "a view": lambda x: x[jj.argsort(x)[::-1]],
    "converted": lambda x: x[jj.argsort(x).astype("int32")],
    "argsort, take": lambda x: jj.take(x, jj.argsort(x)),
    "clip": lambda x: jj.take(x, x.astype("int64"), mode="clip"),
    "interp": lambda x: jj.interp(x, jj.sort(x), x),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_places_that_were_found_are_not_computed(name: str) -> None:
    x = jj.array(LONG)
    assert _pending_after(lambda: CERTAIN[name](x + 0)) == 0


def test_few_indices_are_computed_and_followed_at_once() -> None:
    x = jj.array(X)
    assert _pending_after(lambda: x[jj.argsort(x + 0)]) == 1
    x[(jj.arange(6) + 1) % 4] = 5.0
    assert x.tolist() == [5.0] * 4


def test_places_of_true_elements_take_the_flush_that_counts_them() -> None:
    x = jj.array(X).reshape(2, 2)
    for call in (
        lambda: x[jj.nonzero(x + 0)],
        lambda: x[x > 0],
        lambda: x.ravel()[jj.flatnonzero(x + 0)],
    ):
        assert _pending_after(call) == 1


UNCERTAIN: dict[str, Call] = {
    "a longer array's argsort": lambda x: x[jj.argsort(jj.concatenate((-x, x)))],
    "argmax of all": lambda x: x[jj.argmax(jj.concatenate((x, -x, x, x + 9)), keepdims=True)],
    "a remainder too large": lambda x: x[(x.astype("int64") + 9) % 20],
    "a float's remainder": lambda x: x[((x + jj.nan) % 4.0).astype("int64")],
    "bits of other numbers": lambda x: x[jj.arange(1.0, 5.0).view("int64").copy()],
    "bits of places": lambda x: x[jj.argsort(jj.zeros(400)).view("int8").copy()],
    "sorted numbers": lambda x: x[jj.sort(x.astype("int64") * 9)],
    "narrowed": lambda x: x[jj.arange(300).astype("int8")],
    "nonzero of a longer one": lambda x: x[jj.flatnonzero(jj.concatenate((x, x)))],
}


@pytest.mark.parametrize("name", UNCERTAIN)
def test_other_places_are_checked(name: str) -> None:
    x = jj.array(X)
    with pytest.raises(IndexError, match=r"^index -?\d+ is out of bounds for axis 0 with size 4$"):
        UNCERTAIN[name](x + 0)
    jj.flush()


@pytest.mark.parametrize(("dtype", "looks"), [("int64", 0), ("int32", 1)])
def test_what_was_checked_is_not_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, dtype: str, looks: int
) -> None:
    """Mojo looks at whole arrays of int64, Python's function at all others."""
    x, index = jj.array(X), jj.array([0, 3, -4], dtype)
    jj.flush()
    looked = []
    outside = settling.machine.outside
    monkeypatch.setattr(
        settling.machine, "outside", lambda *given: looked.append(1) or outside(*given)
    )
    for _ in range(3):
        (x * 1.0)[index]
        jj.concatenate((x, x))[index[::-1]]
    assert len(looked) == looks
    assert index._value.within == (-4, 4)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        x[:3][index]
    index[1] = 4  # another value
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        x[index]
    assert x[index - 1 + 1 * (index < 0)].shape == (3,)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"])
def test_the_first_index_out_of_bounds_is_named(dtype: str) -> None:
    """Of many, by several threads, in rows and across memory: the one that NumPy names."""
    indices = np.zeros((600, 300), dtype)
    indices[311, 17], indices[311, 299], indices[599, 0] = 101, 102, 103
    x = jj.zeros(100)
    for turn in (lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[3:, ::2]):
        own = turn(jj.array(indices))
        jj.flush()
        with pytest.raises(IndexError) as theirs:
            np.zeros(100)[turn(indices)]
        with pytest.raises(IndexError, match=str(theirs.value)):
            x[own]
    jj.flush()
    assert not LOG
