"""Methods that give views with the axes in another order, or with fewer, against NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check


def parts(xp: Any, shape: tuple[int, ...], steps: list[slice]) -> Any:
    """Return a part of a new array."""
    size = int(np.prod(shape, dtype=int))
    return xp.arange(float(size)).reshape(shape)[(*steps, ...)]


def seen(x: Any) -> Any:
    """Return the elements and how they lie, if there are any."""
    return x.shape, x.strides if x.size else None, x.flags.writeable, np.asarray(x).tolist()


@pytest.mark.parametrize("seed", range(300))
def test_random_views(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(0, 6))
    shape = tuple(rng.choice([0, 1, 1, 2, 3], rank, p=[0.05, 0.3, 0.15, 0.25, 0.25]).tolist())
    steps = [slice(None, None, int(rng.choice([1, 1, -1, 2]))) for _ in shape]
    order = rng.permutation(rank).tolist()
    axes = [axis - rank * int(rng.integers(2)) for axis in order]
    i, j = (int(axis) for axis in rng.integers(-max(rank, 1), max(rank, 1), 2))
    outcomes = []
    for xp in (jj, np):
        x = parts(xp, shape, steps)
        found = [seen(y) for y in (x.transpose(), x.transpose(axes), x.squeeze())]
        found += [seen(y) for y in (x.transpose(*axes), x.transpose(None))]
        if rank:
            found.append(seen(x.swapaxes(i, j)))
        turned = x.transpose(axes).squeeze()
        turned[...] = 7
        outcomes.append([*found, x.tolist(), turned.base is not None])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "line",
    [
        *("x.transpose(0, 0)", "x.transpose(0)", "x.transpose(0, 2)", "x.transpose(0, -3)"),
        *("x.transpose([0, 1.0])", "x.swapaxes(0, 2)", "x.swapaxes(-3, 0)", "x.swapaxes(0, 1.0)"),
        *("x.squeeze(0)", "x.squeeze(2)", "x.transpose((0, 1), 1)", "x.swapaxes(0)"),
        "x.transpose(axes=(0, 1))",
    ],
)
def test_what_is_refused(line: str) -> None:
    errors = []
    for xp in (jj, np):
        with pytest.raises((TypeError, ValueError)) as caught:
            eval(line, {"x": xp.ones((2, 3))})
        errors.append(caught.type)
    assert issubclass(*errors)


def test_an_array_without_axes_of_length_one_is_itself() -> None:
    x = jj.ones((2, 3))
    assert x.squeeze() is x
    assert x[None].squeeze() is not x


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(5, 7, 3), (60, 70, 4), (3, 90, 80), (300, 2, 2), (9, 80, 80)])
def test_copies_of_turned_arrays(shape, dtype):
    """In every order of the axes, each of them reversed or with gaps; alone and with a step."""
    given = (np.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)
    for axes in itertools.permutations(range(3)):
        for part in (np.s_[:], np.s_[::-1], np.s_[:, ::-1], np.s_[..., ::-1], np.s_[::2, 1::2]):
            check(lambda xp, k=part, a=axes: xp.asarray(given).transpose(a)[k].copy())
            check(lambda xp, k=part, a=axes: xp.asarray(given).transpose(a)[k].ravel("F"))
            check(lambda xp, k=part, a=axes: xp.asarray(given).transpose(a)[k] + given[0, 0, 1])

            def written(xp, k=part, a=axes):
                target = xp.zeros(shape, dtype).transpose(a)
                target[k] = xp.asarray(given).transpose(a)[k]
                return target

            check(written)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "complex64"])
@pytest.mark.parametrize("width", [3, 63, 64, 100, 130, 600, 1100])
def test_operands_along_short_rows(width, dtype):
    """One for each row, one for each column, and parts of rows."""
    given = (np.arange(90 * width) % 13).astype(dtype).reshape(90, width)
    check(lambda xp: xp.asarray(given) * xp.asarray(given)[0])
    check(lambda xp: xp.asarray(given) + xp.asarray(given)[:, :1])
    check(lambda xp: xp.asarray(given)[1:, 1:] - xp.asarray(given)[:-1, :-1])
    check(lambda xp: xp.asarray(given)[::3, ::-1] * 2 + xp.asarray(given)[5])
    check(lambda xp: xp.asarray(given).T + xp.asarray(given)[:, 0])
