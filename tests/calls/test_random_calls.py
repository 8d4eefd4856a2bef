"""Random calls of uniform functions, of arrays of ever other extents that lie in all ways."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from jujunp._calls.functions import function
from jujunp.lazy.run import machine

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: dict[str, Callable[[Any, Any, int, int], Any]] = {
    "rollaxis": lambda xp, a, k, j: xp.rollaxis(a, k, j),
    "moveaxis": lambda xp, a, k, j: xp.moveaxis(a, k, j),
    "swapaxes": lambda xp, a, k, j: a.swapaxes(k, j),
    "transpose": lambda xp, a, k, j: xp.transpose(a),
    "flip": lambda xp, a, k, j: xp.flip(a, k),
    "expand_dims": lambda xp, a, k, j: xp.expand_dims(a, k),
    "ravel": lambda xp, a, k, j: xp.ravel(a),
    "flatten": lambda xp, a, k, j: a.flatten(),
    "reshape": lambda xp, a, k, j: a.reshape(-1),
    "squeeze": lambda xp, a, k, j: xp.squeeze(a),
    "take": lambda xp, a, k, j: xp.take(a, xp.array([0, 0]), axis=k),
    "take_along_axis": lambda xp, a, k, j: xp.take_along_axis(a, xp.argsort(a, axis=k), k),
    "stack": lambda xp, a, k, j: xp.stack([a, a], k),
    "concatenate": lambda xp, a, k, j: xp.concatenate([a, a], k),
    "column_stack": lambda xp, a, k, j: xp.column_stack([a.ravel(), a.ravel()]),
    "append": lambda xp, a, k, j: xp.append(a, [1]),
    "array": lambda xp, a, k, j: xp.array([a, a]),
    "tile": lambda xp, a, k, j: xp.tile(a, 2),
    "repeat": lambda xp, a, k, j: xp.repeat(a, 2, k),
    "diff": lambda xp, a, k, j: xp.diff(a, axis=k),
    "sum": lambda xp, a, k, j: xp.sum(a, k),
    "cumsum": lambda xp, a, k, j: xp.cumsum(a, k),
    "var": lambda xp, a, k, j: xp.var(a, k),
    "trapezoid": lambda xp, a, k, j: xp.trapezoid(a, axis=k),
    "norm": lambda xp, a, k, j: xp.linalg.norm(a, axis=k),
    "outer": lambda xp, a, k, j: xp.outer(a, a),
    "tensordot": lambda xp, a, k, j: xp.tensordot(a, a, axes=(k, k)),
    "broadcast_arrays": lambda xp, a, k, j: xp.broadcast_arrays(a, a[:1])[1],
    "select": lambda xp, a, k, j: xp.select([a > 3, a > 1], [a, 2 * a], 7),
    "searchsorted": lambda xp, a, k, j: xp.searchsorted(xp.sort(a.ravel()), a),
    "convolve": lambda xp, a, k, j: xp.convolve(a.ravel(), a.ravel()[:3]),
    "unravel_index": lambda xp, a, k, j: xp.unravel_index(a, (20, 50))[0],
    "index array": lambda xp, a, k, j: a[xp.arange(a.shape[0])[::-1]],
    "list": lambda xp, a, k, j: a[[0, -1]],
    "astype": lambda xp, a, k, j: xp.astype(a, a.dtype),
    "astype of others": lambda xp, a, k, j: xp.astype(a, xp.float32),
    "real": lambda xp, a, k, j: xp.real(a),
    "ascontiguousarray": lambda xp, a, k, j: xp.ascontiguousarray(a),
    "asfortranarray": lambda xp, a, k, j: xp.asfortranarray(a),
    "copy": lambda xp, a, k, j: xp.copy(a),
    "nan_to_num": lambda xp, a, k, j: xp.nan_to_num(a),
    "atleast_3d": lambda xp, a, k, j: xp.atleast_3d(a),
    "round": lambda xp, a, k, j: xp.round(a),
}
VIEWS: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: x[-3:],
    lambda x: x[..., ::-1],
    lambda x: x[..., ::2],
    lambda x: x[None],
    lambda x: x[:1],
    lambda x: x[::2],
    lambda x: x.T,
]


@pytest.mark.parametrize("name", CALLS)
def test_random_calls(name: str) -> None:
    machine.forget_calls()
    rng = np.random.default_rng(len(name))
    for _ in range(150):
        shape = tuple(rng.choice([1, 1, 2, 3, 4, 5, 6], rng.integers(1, 4)).tolist())
        whole = rng.integers(0, 900, shape)
        view = VIEWS[rng.integers(len(VIEWS))]
        theirs, ours = view(whole), view(jujunp.array(whole))
        k, j = rng.integers(0, theirs.ndim, 2).tolist()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = CALLS[name](np, theirs, k, j)
            found = np.asarray(CALLS[name](jujunp, ours, k, j))
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-13, err_msg=f"{shape} {theirs.strides}")


HOLDING: list[Callable[[Any], tuple[Any, Any]]] = [
    lambda x: (jujunp.asarray(x), x),
    lambda x: (jujunp.asarray(x.copy()), None),
    lambda x: (jujunp.array(x), None),
    lambda x: ((ours := jujunp.array(x)), np.asarray(ours)),
    lambda x: (jujunp.array(x) + 0, None),
]
"""Arrays, and what holds their memory meanwhile."""


@pytest.mark.parametrize("name", CALLS)
def test_random_calls_of_memory_that_others_may_hold(name: str) -> None:
    """What was learnt of some memory, also within a call, is not in the results of another."""

    def program(x: Any) -> Any:
        return CALLS[name](jujunp, x, 0, 1)

    machine.forget_calls()
    within = function(program)
    rng = np.random.default_rng(len(name))
    for shape in ((3, 4), (4, 1)):
        for turn in range(100):
            theirs = rng.integers(0, 900, shape)
            state = 0 if turn < 50 else rng.integers(len(HOLDING))
            ours, held = HOLDING[state](theirs.copy())
            wanted = CALLS[name](np, theirs, 0, 1)
            found = (within if turn % 4 else program)(ours)
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6)
            if held is not None:
                held[...] = 7
                assert (np.asarray(ours) == 7).all()


@pytest.mark.parametrize("shape", [(3,), (2, 4)])
@pytest.mark.parametrize("dtype", [np.dtype("f8"), np.dtype("f4")])
def test_copies_within_calls_that_are_learnt(shape: tuple[int, ...], dtype: np.dtype) -> None:
    """What is learnt of a copy that shares its value is done again of memory that others hold."""
    machine.forget_calls()
    for turn in range(60):
        x = jujunp.array(np.full(shape, turn, dtype))
        assert np.asarray(x.astype(dtype, copy=True)).max() == turn  # as the function calls it
    for turn in range(60):
        held = np.full(shape, turn, dtype)
        assert np.asarray(jujunp.astype(jujunp.asarray(held), dtype)).max() == turn
