"""Where elements are not zero: listed by the library for usual arrays, as NumPy lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from tests.calls.support import python_frames
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "nonzero": lambda np, x: np.nonzero(x),
    "method": lambda np, x: x.nonzero(),
    "where": lambda np, x: np.where(x),
    "argwhere": lambda np, x: np.argwhere(x),
    "flatnonzero": lambda np, x: np.flatnonzero(x),
    "count_nonzero": lambda np, x: (np.count_nonzero(x),),
}
SHAPES = ((1,), (7,), (300,), (0,), (3, 5), (4, 1), (2, 0), (2, 3, 4), (1, 1, 1, 2), (130, 130))


def _arrays(shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return arrays with some zeros, of each kind that the library looks through."""
    rng = np.random.default_rng(len(shape))
    found = []
    for share in (0.0, 0.3, 1.0):
        mask = rng.random(shape) < share
        reals = np.where(mask, rng.choice([1.5, np.nan, -np.inf, 5e-324], shape), -0.0)
        found += [mask, reals, mask.astype(np.int64) << 40, mask.astype(np.float32), mask * 1j]
    return found


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", SHAPES)
def test_places(name: str, shape: tuple[int, ...]) -> None:
    call = CALLS[name]

    def program(xp: Any) -> list[Any]:
        found = []
        for one in _arrays(shape):
            x = xp.array(one)
            for view in (x, x[1:], x[::-1], x.T, x + 0):
                places = call(xp, view)
                several = places if isinstance(places, tuple) else (places,)
                assert all(part.dtype == np.int64 for part in several)
                found += several
                if name == "argwhere" and len(several[0]) > 1:
                    found.append(several[0].strides)
        return found

    check(program)


@pytest.mark.parametrize("name", CALLS)
def test_arrays_without_axes(name: str) -> None:
    for number in (0.0, 2.0):
        check(lambda xp, number=number: CALLS[name](xp, xp.array(number)))  # type: ignore[misc]


@pytest.mark.parametrize("name", [*CALLS][:-1])  # a count may stay pending
def test_no_python_however_many_there_are(name: str) -> None:
    x = jujunp.arange(40.0)
    for k in range(30):
        mask = x > k
        assert not python_frames(lambda mask=mask: CALLS[name](jujunp, mask))  # type: ignore[misc]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_written_before_is_seen_and_after_is_not(name: str) -> None:
    def program(xp: Any) -> list[Any]:
        x = xp.zeros((3, 4))
        x[1] = 2.0
        before = CALLS[name](xp, x)
        x[0, 1] = 1.0
        after = CALLS[name](xp, x)
        return [*before, *after]

    check(program)


def test_compress_takes_what_a_mask_picks() -> None:
    def program(xp: Any) -> list[Any]:
        x = xp.arange(12.0).reshape(3, 4)
        mask = xp.array([True, False, True])
        return [
            xp.compress(mask, x, axis=0),
            xp.compress(mask, x),
            xp.compress(mask, x[:, 1]),
            xp.compress([0, 1], x, axis=1),
            xp.compress(x[0] > 1, x, axis=1),
            xp.compress(mask, [1, 2, 3]),
            x[:, 1].compress(mask),
        ]

    check(program)
