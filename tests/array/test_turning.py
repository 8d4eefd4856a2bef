"""Methods that give views with the axes in another order, or with fewer, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp as jj


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
