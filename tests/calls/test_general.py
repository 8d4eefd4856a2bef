"""General transcripts: a uniform function is recorded again for arrays of any extents."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from jujunp._calls.functions import function
from jujunp._calls.learning import learn
from jujunp._calls.traits import uniform
from jujunp.lazy.run import machine, settling, watching
from tests.calls.support import python_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _places(namespace: Any, x: Any) -> Any:
    """Return the index of each element; known, as indices are looked at."""
    return namespace.asarray(np.arange(len(x)))


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda np, x, A: np.sum(x),
    "sum of a view": lambda np, x, A: x[1:].sum(),
    "sum along an axis": lambda np, x, A: A.sum(axis=1),
    "sum of integers": lambda np, x, A: (x > 0.5).sum(),
    "max": lambda np, x, A: A.max(),
    "min along an axis": lambda np, x, A: np.min(A[:, 1:], 0),
    "mean": lambda np, x, A: np.mean(x),
    "mean along an axis": lambda np, x, A: A.mean(0),
    "mean of a part": lambda np, x, A: np.mean(A[1:, ::2]),
    "any": lambda np, x, A: np.any(x > 2.0),
    "argmax": lambda np, x, A: x[::-1].argmax(),
    "dot": lambda np, x, A: np.dot(x, x[::-1]),
    "dot of itself": lambda np, x, A: np.dot(x, x),
    "matrix and vector": lambda np, x, A: A @ A[0],
    "vector and matrix": lambda np, x, A: A[:, 1] @ A,
    "matrices": lambda np, x, A: np.matmul(A[:2], A),
    "dtypes that differ": lambda np, x, A: np.dot(x, (x * 8).astype(np.int32)),
    "product with a transposed matrix": lambda np, x, A: A @ A.T,
    "product of a transposed part": lambda np, x, A: A[:, 1:].T @ A,
    "product of a transposed matrix and a vector": lambda np, x, A: A.T @ A[:, 0],
    "sum of a transposed matrix": lambda np, x, A: A.T.sum(axis=0),
    "mean of a transposed part": lambda np, x, A: A[::2, 1:].T.mean(axis=1),
    "transposed matrices side by side": lambda np, x, A: np.concatenate([A.T, A.T[1:]]),
    "transposed matrices in a stack": lambda np, x, A: np.stack([A.T, A.T]),
    "where of a transposed matrix": lambda np, x, A: np.where(A.T > 0.5, A.T, 0.0),
    "turned axes of a stack": lambda np, x, A: np.stack([A, A]).T.sum(axis=1),
    "norm of a transposed matrix": lambda np, x, A: np.linalg.norm(A.T, axis=1),
    "transposed operands of other dtypes": lambda np, x, A: A.T * (A.T > 0.5),
    "copy of a transposed matrix": lambda np, x, A: A.T.copy(),
    "cumsum of a transposed matrix": lambda np, x, A: np.cumsum(A.T, axis=1),
    "sort of a transposed matrix": lambda np, x, A: np.sort(A.T, axis=0),
    "inner": lambda np, x, A: np.inner(A, A),
    "where": lambda np, x, A: np.where(x > 0.5, x, 0.0),
    "clip": lambda np, x, A: np.clip(A, 0.2, 0.8),
    "cumsum": lambda np, x, A: np.cumsum(A, axis=1),
    "sort": lambda np, x, A: np.sort(x),
    "indices": lambda np, x, A: np.argsort(x),
    "astype": lambda np, x, A: A.astype(np.float32),
    "zeros_like": lambda np, x, A: np.zeros_like(A),
    "converted operands": lambda np, x, A: x + (x > 0.5),
    "broadcast": lambda np, x, A: np.multiply(A, A[:1] > 0.5),
    "concatenate": lambda np, x, A: np.concatenate([x, A[0], x]),
    "concatenate along an axis": lambda np, x, A: np.concatenate([A, A[:, 1:]], axis=1),
    "append": lambda np, x, A: np.append(x, 1.5),
    "hstack": lambda np, x, A: np.hstack([A, x[:, None]]),
    "vstack": lambda np, x, A: np.vstack([A, x]),
    "dstack": lambda np, x, A: np.dstack([A, A[::-1]]),
    "stack": lambda np, x, A: np.stack([x, A[1], A[:, 0]], axis=-1),
    "column_stack": lambda np, x, A: np.column_stack([x[::-1], A]),
    "array of arrays": lambda np, x, A: np.array([x, A[:, 1]]),
    "array": lambda np, x, A: np.array(A[:, ::-1]),
    "flip": lambda np, x, A: np.flip(x[1:]),
    "flip of rows": lambda np, x, A: np.fliplr(A[::2]),
    "rot90": lambda np, x, A: np.rot90(A[1:]),
    "ravel": lambda np, x, A: np.ravel(A[:-1]),
    "ravel of parts of rows": lambda np, x, A: A[:, 1:].ravel(),
    "flatten": lambda np, x, A: A[1:, ::2].flatten(),
    "expand_dims": lambda np, x, A: np.expand_dims(A[1:], 1),
    "atleast_3d": lambda np, x, A: np.atleast_3d(A),
    "swapaxes": lambda np, x, A: np.swapaxes(A[:, 1:], 0, 1),
    "moveaxis": lambda np, x, A: np.moveaxis(A[None], 0, -1),
    "squeeze": lambda np, x, A: np.squeeze(A[1:2]),
    "broadcast_arrays": lambda np, x, A: np.broadcast_arrays(A, x)[1],
    "meshgrid": lambda np, x, A: np.meshgrid(x, A[0, 1:])[0],
    "diff": lambda np, x, A: np.diff(x[::-1]),
    "diff of order two": lambda np, x, A: np.diff(A, 2, axis=0),
    "diff with more": lambda np, x, A: np.diff(A, prepend=0.0, append=A[:, :1]),
    "ediff1d": lambda np, x, A: np.ediff1d(A),
    "gradient": lambda np, x, A: np.gradient(A[:, :] if len(x) > 2 else np.ones((3, 3)), axis=1),
    "trapezoid": lambda np, x, A: np.trapezoid(A, x, axis=0),
    "var": lambda np, x, A: np.var(A[:, 1:], axis=0, ddof=1) if len(x) > 2 else x.var(),
    "std": lambda np, x, A: A.std(axis=1),
    "cov": lambda np, x, A: np.cov(A if len(x) > 2 else np.ones((2, 9))),
    "corrcoef": lambda np, x, A: np.corrcoef(np.cumsum(x), x * x) if len(x) > 4 else x,
    "nansum": lambda np, x, A: np.nansum(A[::2], axis=0),
    "isclose": lambda np, x, A: np.isclose(A, x),
    "round": lambda np, x, A: np.round(A[1:], 2),
    "nan_to_num": lambda np, x, A: np.nan_to_num(x[1:], nan=2.0),
    "interp": lambda np, x, A: np.interp(x[1:], np.sort(x), A[0]),
    "searchsorted": lambda np, x, A: np.searchsorted(np.sort(x), A),
    "lexsort": lambda np, x, A: np.lexsort((x, A[:, 0] > 0.5)),
    "norm": lambda np, x, A: np.linalg.norm(x[::2]),
    "norm along an axis": lambda np, x, A: np.linalg.norm(A, axis=0),
    "select": lambda np, x, A: np.select([x > 0.7, x > 0.2], [x, A[0]], 2.0),
    "take": lambda np, x, A: np.take(A, _places(np, x), axis=1),
    "take of one": lambda np, x, A: np.take(x, 1),
    "take_along_axis": lambda np, x, A: np.take_along_axis(
        A, np.array(list(range(len(x))))[None], 1
    ),
    "unravel_index": lambda np, x, A: np.unravel_index(_places(np, x), (7, 20))[1],
    "angle": lambda np, x, A: np.angle(A + 1j * x),
    "tile": lambda np, x, A: np.tile(A[1:], (2, 3)),
    "outer": lambda np, x, A: np.outer(A[1:], x),
    "einsum": lambda np, x, A: np.einsum("ij,j->i", A[1:], x),
    "einsum of a diagonal": lambda np, x, A: np.einsum("ii,i,k->k", A, x, x[1:]),
    "reduce": lambda np, x, A: np.maximum.reduce(A[1:], axis=1),
    "accumulate": lambda np, x, A: np.multiply.accumulate(x[1:]),
    "outer of a ufunc": lambda np, x, A: np.subtract.outer(x, A[0, 1:]),
    "matrix times list": lambda np, x, A: A[:, :2] @ [0.5, 2.0],
    "tensordot": lambda np, x, A: np.tensordot(A, A[:, 1:], axes=(0, 0)),
    "vdot": lambda np, x, A: np.vdot(x, A[:, 1]),
    "convolve": lambda np, x, A: np.convolve(x, A[1:, 0] if len(x) > 3 else x),
    "convolve with less": lambda np, x, A: np.convolve(x[:2], x, "valid"),
    "correlate": lambda np, x, A: np.correlate(x, [0.5, 1.0, 2.0], "full"),
    "repeat": lambda np, x, A: np.repeat(x[1:], 3),
    "repeat along an axis": lambda np, x, A: A.repeat(2, axis=0),
    "zeros": lambda np, x, A: np.zeros((len(x), 3, x.size + 2)),
    "full": lambda np, x, A: np.full((2, len(x)), len(x) * 0.5),
}

LIMITED = ("take_along_axis",)
"""Which look at indices of their own that are pending: Python says what limits these have."""
_LIMITS = {
    *("first_outside", "is_sampling", "_first_outside", "_limits"),
    *("opcode", "_counted", "dtype_code"),
}


def _bound(name: str) -> float:
    """Return how much a result may differ: covariances are differences of sums."""
    return 1e-11 if name == "cov" else 1e-13


def _arrays(namespace: Any, seed: int) -> tuple[Any, Any]:
    """Return a vector and a matrix, of another length for each seed."""
    rng = np.random.default_rng(seed)
    n = 2 + seed * 7 % 97
    return namespace.asarray(rng.random(n)), namespace.asarray(rng.random((n, n)))


@pytest.fixture(autouse=True)
def nothing_is_known() -> None:
    machine.forget_calls()


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_other_extents(name: str) -> None:
    call = CALLS[name]
    for seed in range(20):
        ours, theirs = call(jujunp, *_arrays(jujunp, seed)), call(np, *_arrays(np, seed))
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=_bound(name))
        if name.startswith(("dot", "sum", "max")):
            jujunp.flush()
    x, A = _arrays(jujunp, 91)
    jujunp.flush()
    frames = python_frames(lambda: call(jujunp, x, A))
    assert set(frames) <= _LIMITS if name in LIMITED else not frames


def test_extents_of_one_and_none() -> None:
    for n in (5, 1, 0, 7, 2, 1, 0, 9) * 3:
        theirs = np.arange(float(n))
        ours = jujunp.asarray(theirs)
        assert float(ours.sum()) == theirs.sum()
        assert ours.sum(keepdims=True).tolist() == theirs.sum(keepdims=True).tolist()
        assert (ours * (ours > 0)).tolist() == (theirs * (theirs > 0)).tolist()
        assert (ours[:, None] + (ours > 0)).shape == (n, n)
        if n:
            assert float(ours.max()) == theirs.max()
        else:
            with pytest.raises(ValueError, match="zero-size array"):
                ours.max()


def test_lengths_that_do_not_fit() -> None:
    for n in range(2, 12):
        x, y = jujunp.ones(n), jujunp.ones(n + 1)
        assert float(jujunp.dot(x, jujunp.ones(n))) == n
        assert jujunp.add(x, jujunp.ones(n) > 0).shape == (n,)
        with pytest.raises(ValueError, match="not aligned"):
            jujunp.dot(x, y)
        with pytest.raises(ValueError, match="broadcast"):
            jujunp.add(x, y > 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, i: np.arange(80, 125, 5),
        lambda np, i: np.arange(i, 50),
        lambda np, i: np.arange(i, 50, 100),
        lambda np, i: np.arange(i + 66, 120, 200),
        lambda np, i: np.arange(2, i),
        lambda np, i: np.arange(i + 0.5, 50),
        lambda np, i: np.full(i, i),
        lambda np, i: np.zeros((i, 3, 2 * i)),
        lambda np, i: np.ones([i, 2]),
        lambda np, i: np.eye(i, 7, i % 5),
        lambda np, i: np.repeat(np.ones(i), i % 4),
        lambda np, i: np.diff(np.arange(i), i % 3),
        lambda np, i: np.diff(np.arange(i), 3),
        lambda np, i: np.take(np.arange(i), [1, -2]) if i > 1 else 0,
        lambda np, i: np.take(np.arange(i), i // 2),
        lambda np, i: np.roll(np.arange(i), 3),
        lambda np, i: np.cov(np.arange(i) ** 2, ddof=1) if i > 1 else 0,
        lambda np, i: np.convolve(np.arange(i), np.arange(30 - i // 2)),
        lambda np, i: np.convolve(np.arange(7), np.arange(i), "same"),
    ],
)
def test_numbers_beside_extents(call: Callable[[Any, int], Any]) -> None:
    for i in (*range(1, 58), 4, 3, 2, 1, 200, 300):
        if i < 58 or "convolve" not in call.__code__.co_names:
            found, wanted = call(jujunp, i), call(np, i)
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-14)
            assert np.asarray(found).dtype == np.asarray(wanted).dtype


def test_an_index_that_is_out_of_bounds_for_fewer_elements() -> None:
    for n in (9, 8, 7, 6, 5, 9, 6, 12):
        assert int(jujunp.take(jujunp.arange(n), 4)) == 4
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 3"):
        jujunp.take(jujunp.arange(3), 4)


def test_samples_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of arrays with four axes would fill the memory."""
    checked: list[int] = []
    first_outside = settling._first_outside

    def noted(value: Any, *args: Any) -> Any:
        checked.append(math.prod(value.shape))
        return first_outside(value, *args)

    monkeypatch.setattr(settling, "_first_outside", noted)
    rng = np.random.default_rng(1)
    for n in range(2, 9):
        theirs = rng.random((n + 3, 2, 3, n + 1))
        ours = jujunp.asarray(theirs)
        order = jujunp.argsort(ours, axis=-1)
        found = jujunp.take_along_axis(ours, order, axis=-1)
        ranks = jujunp.broadcast_to(jujunp.arange(1.0, n + 2), ours.shape) * 1.0
        ranks = jujunp.take_along_axis(ranks, jujunp.argsort(order, axis=-1), axis=-1)
        assert np.array_equal(np.asarray(ranks), np.argsort(np.argsort(theirs)) + 1.0)
        assert np.array_equal(np.asarray(found), np.sort(theirs))
    assert checked
    assert max(checked) <= 12 * 2 * 3 * 10


def test_nothing_is_computed_for_a_sample() -> None:
    x = jujunp.arange(3.0) + 1
    with watching.sampling():
        with pytest.raises(RuntimeError, match="sample"):
            jujunp.flush()
        y = x * 2
    assert y.tolist() == [2, 4, 6]


def test_arrays_in_another_order() -> None:
    for n in range(2, 14):
        theirs = np.arange(n * (n + 1) * 1.0).reshape(n, n + 1)
        ours = jujunp.asarray(theirs)
        for of in (lambda x: x.T, lambda x: x, lambda x: x[:, ::-1].T):
            for axis in (None, 0, 1):
                assert of(ours).sum(axis).tolist() == of(theirs).sum(axis).tolist()
            assert (of(ours) * (of(ours) > 3)).strides == (of(theirs) * (of(theirs) > 3)).strides


TOGETHER: dict[str, Callable[[Any, Any, Any], Any]] = {
    "difference": lambda np, x, A: x - A,
    "comparison": lambda np, x, A: x <= A,
    "hypot": lambda np, x, A: np.hypot(A, x),
    "where": lambda np, x, A: np.where(A > 0.5, x, A),
    "isclose": lambda np, x, A: np.isclose(x, A),
    "sum of products": lambda np, x, A: (x * A).sum(axis=0),
}


@pytest.mark.parametrize("name", TOGETHER)
@pytest.mark.parametrize("shares", [True, False])
def test_strides_that_are_equal_in_some_calls(name: str, shares: bool) -> None:
    """A vector's stride is no function of a matrix's, although they are one in the first call."""
    function = TOGETHER[name]
    for step, other in [(2, 2), (2, 10), (3, 3), (5, 2), (2, 5), (4, 7), (1, 3)]:
        results = []
        for xp in (np, jujunp):
            memory = xp.asarray(np.arange(50.0 * step) % 11 / 5)
            A = memory.reshape(10, 5 * step)[:5, ::step].T
            more = xp.asarray(np.arange(5.0 * other) % 7)
            jujunp.flush()
            x = A[0] if shares else more[::other]
            results.append([np.asarray(function(xp, x, A)) for _ in range(2)])
        np.testing.assert_allclose(*results, rtol=1e-15)


def test_calls_within_one_that_is_learnt() -> None:
    """Its transcript has nothing of the calls that are made for samples."""
    recorded = function(lambda x: x[:2] * x.sum() if bool((x > 2.0).any()) else x[:2])
    for n in range(2, 9):
        for _ in range(6):
            theirs = np.arange(n * 1.0)
            expected = theirs[:2] * (theirs.sum() if n > 3 else 1)
            assert recorded(jujunp.asarray(theirs)).tolist() == expected.tolist()


_OF_ONE: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda np, A: A.sum(axis=0),
    "mean": lambda np, A: np.mean(A, axis=1),
    "where": lambda np, A: np.where(A > 0.5, A, 0.0),
    "compared": lambda np, A: A > 0.5,
    "other dtypes": lambda np, A: A * (A > 0.5),
    "copy": lambda np, A: A.copy(),
    "like": lambda np, A: np.zeros_like(A),
    "converted": lambda np, A: A.astype(np.float32),
    "side by side": lambda np, A: np.concatenate([A, A[:1]]),
    "stack": lambda np, A: np.stack([A, A]),
    "scan": lambda np, A: np.cumsum(A, axis=1),
    "sorted": lambda np, A: np.sort(A, axis=0),
    "product": lambda np, A: A @ A[0],
    "in one dimension": lambda np, A: A.ravel(),
    "reverse": lambda np, A: np.flip(A, 0),
    "round": lambda np, A: np.round(A, 1),
    "clip": lambda np, A: np.clip(A, 0.2, 0.8),
}
_IN_ANOTHER_ORDER = ("side by side", "stack", "round")
"""Functions whose results lie in another way than NumPy's (docs/differences.md)."""
_LYING: list[Callable[[Any], Any]] = [
    lambda B: B[1:, :-1],
    lambda B: B[1:].T,
    lambda B: B.T,
    lambda B: B[:, 1:].T,
    lambda B: B[::2, ::2],
    lambda B: B[::2, ::2].T,
    lambda B: B[1:],
    lambda B: B,
]
"""Ways in which a matrix lies: whole, in part, with gaps, and each of them turned."""


@pytest.mark.parametrize("name", _OF_ONE)
def test_arrays_that_lie_in_other_ways_are_told_apart(name: str) -> None:
    """By turns, so that each finds the transcripts of all others."""
    machine.forget_calls()
    rng = np.random.default_rng(3)
    for shape in [(6, 5), (7, 8), (5, 9), (8, 8), (9, 6), (4, 11)] * 2:
        for lying in _LYING:
            theirs = lying(rng.random(shape))
            for _ in range(5):
                base = theirs if theirs.base is None else theirs.base
                given = lying(jujunp.array(base))
                np.asarray(given)
                ours, wanted = _OF_ONE[name](jujunp, given), _OF_ONE[name](np, theirs)
                np.testing.assert_allclose(np.asarray(ours), wanted, _bound(name))
                assert ours.dtype == wanted.dtype
                if name not in _IN_ANOTHER_ORDER:
                    assert ours.strides == wanted.strides


# -- the check of what is said to be uniform


@pytest.fixture
def checking() -> Iterator[None]:
    """Let each call be compared with its transcript."""
    machine.set_learner(functools.partial(learn, checking=True), settling.first_outside, True)
    yield
    machine.set_learner(functools.partial(learn, checking=False), settling.first_outside, False)


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize("name", CALLS)
def test_functions_are_uniform(name: str) -> None:
    for seed in range(25):
        CALLS[name](jujunp, *_arrays(jujunp, seed))


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize(
    "program",
    [
        lambda x: x + 1.0 if x.size > 500 else x - 1.0,
        lambda x: x * float(math.isqrt(x.size)) if x.size in (17, 91) else x * 1.0,
    ],
)
def test_a_function_that_is_not_uniform_is_found(program: Callable[[Any], Any]) -> None:
    recorded = function(uniform(program))
    refused = 0
    for n in (5, 17, 91, 600):
        try:
            recorded(jujunp.ones(n))
        except AssertionError as error:
            refused += "is not uniform" in str(error)
    assert refused


@pytest.mark.usefixtures("checking")
def test_a_function_that_asks_which_is_longer_is_found() -> None:
    recorded = function(uniform(lambda x, y: x + 1.0 if x.size > y.size else y * 2.0))
    recorded(jujunp.ones(4), jujunp.ones(9))
    with pytest.raises(AssertionError, match="is not uniform"):
        recorded(jujunp.ones(9), jujunp.ones(4))


def test_what_differs_and_is_no_extent_has_no_general_transcript() -> None:
    recorded = function(uniform(lambda x: x * float(math.isqrt(x.size))))
    for n in range(2, 40):
        assert recorded(jujunp.ones(n))[0] == math.isqrt(n)
