"""`vmap` against a loop in Python, whose results are stacked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jujunp
from tests.support.derivatives import Case, close
from tests.transforms.cases import CASES, TABLES
from tests.transforms.test_programs import KINDS, LEFT, RIGHT, _choose, _new, program

if TYPE_CHECKING:
    from collections.abc import Callable

EXACT = ("ufuncs", "aliases", "manipulation", "indexing")
"""Tables of cases whose results are the same bits."""
READING = """
np.piecewise(a, [a < 0, a >= 0], [lambda x: x * x, lambda x: np.exp(x)])
np.asarray_chkfinite(a)
np.linspace(s, 3 * s, 5)
np.linspace(a, b, 3, axis=1)
np.geomspace(p, q, 3)
np.logspace(a, b, 3)
np.extract(a > 0, a)
np.pad(a, 2, 'linear_ramp')
np.trim_zeros(np.where(np.abs(a) > 0.5, a, 0))
A[np.nonzero(A > 0)]
a[a > 0]
x = a.copy(); np.place(x, a > 0, b[:2]); x
np.histogram(a, 3, weights=b)[0]
np.unique(a)
np.unique_all(a)[0]
np.unique_counts(a)[0]
np.unique_inverse(a)[0]
np.union1d(a, b)
np.intersect1d(a, a) * 2
np.setdiff1d(a, b)
np.setxor1d(a, b)
b[np.flatnonzero(a > 0)]
A[tuple(np.argwhere(A > 1).T)]
np.poly(S @ S.T)
np.roots(a)
np.linalg.lstsq(C, c)[0]
""".strip().splitlines()
"""Cases that look at elements: for the shapes of their results, or to choose how to compute."""
TABLES_OF_NUMBERS = np.array([[0.1, 0.5, 0.5, 2.0], [-3.0, 0.0, 0.5, np.nan], [5.0, 6.0, 7.0, 8.0]])
NUMBERS = np.array([[0.5, 5.5, -1.0], [np.nan, 0.0, -0.0], [0.5, 7.0, 9.0]])
FACTORS = (1.0, 0.93, 1.04)
"""What an operand is multiplied with, for each element of a batch."""


def stacked(function: Callable[..., Any], batches: list[Any], axes: list[int | None]) -> Any:
    """Return the results of a function for each element, stacked along the first axis."""
    results = []
    for k in range(len(FACTORS)):
        given = [
            x if axis is None else jujunp.asarray(np.take(x, k, axis))
            for x, axis in zip(batches, axes, strict=True)
        ]
        results.append(jax.tree.map(np.asarray, function(*given)))
    return jax.tree.map(lambda *parts: np.stack(parts), *results)


def batches_of(case: Case) -> tuple[list[Any], list[int | None]]:
    """Return batches of a case's operands, along an axis that differs; the last is the same."""
    batches, axes = [], []
    for place, x in enumerate(case.operands):
        axis = (place + len(case.code)) % (np.ndim(x) + 1)
        batches.append(np.stack([x * factor for factor in FACTORS], axis))
        axes.append(axis)
    if len(axes) > 1:
        batches[-1], axes[-1] = case.operands[-1], None
    return batches, axes


def exact(case: Case) -> bool:
    """Whether a case computes each element by itself, or none at all."""
    return any(case.code in TABLES[name].splitlines() for name in EXACT)


@pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
def test_cases(case: Case) -> None:
    function = case.with_namespace(jujunp)
    batches, axes = batches_of(case)
    if case.code in READING:
        with pytest.raises(jax.errors.ConcretizationTypeError, match="where"):
            jujunp.vmap(function, tuple(axes))(*batches)
        return
    found = jujunp.vmap(function, tuple(axes))(*batches)
    wanted = stacked(function, batches, axes)
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        close(x, y, 0 if exact(case) else 1e-12)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_searchsorted(axes: tuple[int | None, int | None], side: str) -> None:
    tables = TABLES_OF_NUMBERS if axes[0] == 0 else TABLES_OF_NUMBERS[1]
    numbers = NUMBERS if axes[1] == 0 else NUMBERS[0]
    found = jujunp.vmap(lambda x, y: jujunp.searchsorted(x, y, side), axes)(tables, numbers)
    wanted = [
        np.searchsorted(x, y, side)
        for x, y in zip(
            np.broadcast_to(tables, (3, 4)), np.broadcast_to(numbers, (3, 3)), strict=True
        )
    ]
    np.testing.assert_array_equal(found, wanted)


def test_an_argument_that_is_the_same_for_all() -> None:
    def program(x: jujunp.ndarray, same: jujunp.ndarray) -> jujunp.ndarray:
        same[1:] *= x
        return same

    x, numbers = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    for same in (numbers, jujunp.asarray(numbers)):
        found = jujunp.vmap(program, (0, None))(x, same)
        np.testing.assert_array_equal(found, [[3, 4, 5], [3, 8, 10]])
        np.testing.assert_array_equal(same, [3, 4, 5])


def test_the_cases_that_read_are_cases() -> None:
    assert {case.code for case in CASES} >= set(READING)


X = np.arange(24.0).reshape(2, 3, 4) / 7 - 1.3


@pytest.mark.parametrize("out_axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_axes(axis: int, out_axis: int) -> None:
    def program(x: Any) -> Any:
        return jujunp.sin(x) * x.sum(0)

    found = jujunp.vmap(program, axis, out_axis)(X)
    parts = [np.sin(x) * x.sum(0) for x in np.moveaxis(X, axis, 0)]
    close(found, np.stack(parts, out_axis), 1e-15)


def test_trees() -> None:
    def program(pair: tuple[Any, dict[str, Any]], *, scale: Any) -> dict[str, Any]:
        x, other = pair
        return {"sum": [x + other["y"], other["n"]], "scale": scale * x}

    x, y, scale = X[0], X[1].T, np.array([1.0, 2.0, 3.0])
    in_axes = ((0, {"y": 1, "n": None}),)
    found = jujunp.vmap(program, in_axes, {"sum": [1, None], "scale": 0})(
        (x, {"y": y, "n": 5}), scale=scale
    )
    np.testing.assert_array_equal(found["sum"][0], (x + y.T).T)
    assert found["sum"][1] == 5
    np.testing.assert_array_equal(found["scale"], x * scale[:, None])


def test_results_that_are_the_same_for_all() -> None:
    x, same = np.arange(3.0), np.arange(2.0)
    found = jujunp.vmap(lambda x, y: (y * 2, x, 7.0), (0, None), (1, 0, 0))(x, same)
    np.testing.assert_array_equal(found[0], np.stack([same * 2] * 3, 1))
    np.testing.assert_array_equal(found[1], x)
    np.testing.assert_array_equal(found[2], [7.0] * 3)
    alone = jujunp.vmap(lambda x, y: y * 2, (0, None), None)(x, same)
    np.testing.assert_array_equal(alone, same * 2)


def test_axis_size() -> None:
    found = jujunp.vmap(lambda x: x + 1, None, axis_size=3)(np.arange(2.0))
    np.testing.assert_array_equal(found, [[1.0, 2.0]] * 3)


def test_batches_of_no_elements_and_of_one() -> None:
    def program(x: Any) -> Any:
        x[1:] += jujunp.sort(x)[:-1]
        return x.sum(), x

    for count in (0, 1):
        found = jujunp.vmap(program)(X.reshape(-1, 4)[:count])
        assert (found[0].shape, found[1].shape) == ((count,), (count, 4))


def test_nested() -> None:
    def program(x: Any, y: Any) -> Any:
        x = x.copy()
        x[0] = y
        return x * jujunp.max(x)

    x, y = X, X[0, :, 0]
    found = jujunp.vmap(jujunp.vmap(program, (0, None)), (2, 0), 1)(x[..., :3], y)
    for k in range(3):
        for n in range(2):
            part = x[n, :, k].copy()
            part[0] = y[k]
            np.testing.assert_array_equal(found[n, k], part * part.max())


def test_a_batch_inside_of_a_batch_that_closes_over_it() -> None:
    found = jujunp.vmap(lambda x: jujunp.vmap(lambda y: x * y + x)(X[0, 0]))(X[0, 1])
    np.testing.assert_array_equal(found, np.outer(X[0, 1], X[0, 0]) + X[0, 1][:, None])


def _loss(x: Any, y: Any) -> Any:
    x = x.copy()
    x[1:] *= x[:-1]
    x[x > 0.4] = 0.1
    return (jujunp.tanh(x) @ y).sum() ** 2


def test_batches_of_gradients() -> None:
    x, y = X.reshape(6, 4), X[0, 0]
    found = jujunp.vmap(jujunp.grad(_loss, (0, 1)), (0, None))(x, y)
    wanted = [jujunp.grad(_loss, (0, 1))(row, y) for row in x]
    close(found[0], np.stack([part[0] for part in wanted]), 1e-14)
    close(found[1], np.stack([part[1] for part in wanted]), 1e-14)


def test_gradients_of_batches() -> None:
    x, y = X.reshape(6, 4), X[0, 0]
    found = jujunp.grad(lambda x, y: jujunp.vmap(_loss, (0, None))(x, y).sum(), (0, 1))(x, y)
    wanted = [jujunp.grad(_loss, (0, 1))(row, y) for row in x]
    close(found[0], np.stack([part[0] for part in wanted]), 1e-14)
    close(found[1], sum(np.asarray(part[1]) for part in wanted), 1e-13)


def test_batches_of_changes_and_changes_of_batches() -> None:
    x, t, y = X.reshape(6, 4), np.cos(X.reshape(6, 4)), X[0, 0]
    wanted = [
        jujunp.jvp(lambda x: _loss(x, y), (row,), (s,))[1] for row, s in zip(x, t, strict=True)
    ]
    inner = jujunp.vmap(lambda x, t: jujunp.jvp(lambda x: _loss(x, y), (x,), (t,))[1])(x, t)
    outer = jujunp.jvp(jujunp.vmap(lambda x: _loss(x, y)), (x,), (t,))[1]
    for found in (inner, outer):
        close(found, np.stack(list(map(np.asarray, wanted))), 1e-14)


def _reads(step: Any) -> bool:
    """Whether a step reads elements, as `x[x > 0]` does to know how many there are."""
    kind, _, _, k = step
    return (KINDS[kind], k % 14) in ((_new, 10), (_new, 11)) or (KINDS[kind], k % 8) == (_choose, 0)


WRITING = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(0, 9), st.integers(0, 13)).filter(
        lambda step: not _reads(step)
    ),
    min_size=1,
    max_size=9,
)


@given(WRITING, st.integers(0, 2))
def test_programs(steps: list[Any], which: int) -> None:
    x = np.stack([LEFT, LEFT[::-1] * 0.9, LEFT * -0.7])
    y = np.stack([RIGHT, RIGHT + 0.1, -RIGHT], 1)
    axes = [(0, 1), (None, 1), (0, None)][which]
    given = x[0] if axes[0] is None else x, y[:, 0] if axes[1] is None else y
    found = jujunp.vmap(lambda x, y: program(jujunp, steps, x, y), axes)(*given)
    wanted = []
    for k in range(3):
        first, second = (0 if axis is None else k for axis in axes)
        wanted.append(program(np, steps, x[first].copy(), y[:, second].copy()))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


def test_random_numbers_are_drawn_for_each_element() -> None:
    ours, theirs = jujunp.random.default_rng(3), np.random.default_rng(3)
    x = np.arange(6.0).reshape(3, 2)
    found = jujunp.vmap(lambda row: row + ours.normal(size=2))(x)
    np.testing.assert_array_equal(found, x + theirs.normal(size=(3, 2)))
    jujunp.random.seed(1)
    found = jujunp.vmap(jujunp.vmap(lambda e: e * jujunp.random.rand()))(x)
    np.testing.assert_array_equal(found, x * np.random.RandomState(1).rand(3, 2))
    found = jujunp.vmap(lambda row: row + ours.integers(0, 9, 3, "uint8"))(x[:, :1])
    wanted = [row + theirs.integers(0, 9, 3, "uint8") for row in x[:, :1]]
    np.testing.assert_array_equal(found, wanted)
    found = jujunp.vmap(lambda row: row + ours.permutation(3) + ours.choice(5, 3, False))(x[:, :1])
    orders = [theirs.permutation(3) for _ in range(3)]  # each call draws for the whole batch
    wanted = [x[k, 0] + orders[k] + theirs.choice(5, 3, False) for k in range(3)]
    np.testing.assert_array_equal(found, wanted)
    large = jujunp.vmap(lambda row: row[0] + ours.normal(0.0, [1.0, 2.0], size=(2000, 2)))(x)
    assert large.shape == (3, 2000, 2)
    assert type(ours.normal(size=2)) is jujunp.ndarray
