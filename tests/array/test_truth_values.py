"""Truth values whose bytes are not 0 and 1: integers seen as bool, or written through a view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check

SIZES = (6, 64, 1000, 100_002)


def truths(xp: Any, size: int, *, written: bool) -> Any:
    rng = np.random.default_rng(size)
    made = (rng.integers(0, 256, size) * (rng.random(size) < 0.5)).astype("uint8")
    made[:5] = [0, 2, 4, 255, 1]
    if not written:
        return xp.array(made).view(bool)
    found = xp.zeros(size, bool)
    found.view("uint8")[...] = xp.array(made)
    return found


def changed(xp: Any, change: Any, size: int) -> Any:
    x = xp.arange(size)
    change(x)
    return x


USES = {
    "count": lambda xp, m: xp.count_nonzero(m),
    "count along axes": lambda xp, m: [xp.count_nonzero(m.reshape(2, -1), axis) for axis in (0, 1)],
    "count with gaps": lambda xp, m: [m[::2].sum(), m[1::3].sum(), m.reshape(-1, 2)[:, 0].sum(0)],
    "sum": lambda xp, m: [m.sum(), m.sum(dtype="float32"), m.mean(), m[:5].prod(), m[1:5].prod()],
    "running sum": lambda xp, m: [xp.cumsum(m), xp.add.reduceat(m, [0, 3])],
    "any": lambda xp, m: [m.any(), m[1:2].any(), m[:1].any(), m.reshape(2, -1).any(0)],
    "all": lambda xp, m: [m.all(), m[1:3].all(), m[1:5].all(), m.reshape(2, -1).all(1)],
    "all along columns": lambda xp, m: m.reshape(2, -1).all(0),
    "of none": lambda xp, m: [m[:0].all(), m[:0].any(), m[:0].sum()],
    "of results": lambda xp, m: [m.reshape(2, -1).any(0).sum(), m.reshape(2, -1).all(0).sum()],
    "where": lambda xp, m: [xp.where(m, 1, 2), *xp.where(m)],
    "indices": lambda xp, m: [xp.arange(m.size)[m], xp.arange(m.size)[~m], xp.compress(m, m)],
    "written": lambda xp, m: changed(xp, lambda x: x.__setitem__(m, 7), m.size),
    "put": lambda xp, m: changed(xp, lambda x: xp.putmask(x, m, 7), m.size),
    "masked": lambda xp, m: xp.arange(m.size).sum(where=m),
    "operators": lambda xp, m: [
        ~m,
        m & m[::-1],
        m | m[::-1],
        m ^ m[::-1],
        m == m[::-1],
        m < m[::-1],
    ],
    "numbers": lambda xp, m: [m + 1, m * 2.5, m.astype("int8"), m.astype("float32"), m.dot(m)],
    "largest": lambda xp, m: [m.max(), m.min(), xp.maximum(m, m[::-1])],
    "elements": lambda xp, m: [int(m[1]), float(m[2]), complex(m[3]), bool(m[0]), m[1] + 1],
    "lists": lambda xp, m: [m.tolist(), m[3].item(), repr(m[:5])],
    "copies": lambda xp, m: [xp.concatenate([m, m]).sum(), m.copy().sum(), xp.sort(m).sum()],
}


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("size", SIZES)
def test_every_byte_but_zero_is_true(size: int, use: str, written: bool) -> None:
    check(lambda xp: USES[use](xp, truths(xp, size, written=written)))


def test_bytes_stay_as_they_are_written() -> None:
    def program(xp: Any) -> list[Any]:
        x = xp.array([True, False, True, True])
        seen = x.view("uint8")
        counts = []
        for factor in (3, 4, 0):
            seen *= factor
            counts.append(xp.count_nonzero(x))
        return [*counts, seen, x]

    before = jj.stats()["host fallbacks"].get("count_nonzero", 0)
    check(program)
    assert jj.stats()["host fallbacks"].get("count_nonzero", 0) == before
