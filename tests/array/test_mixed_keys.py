"""Keys of index arrays or masks beside integers, slices and new axes: random ones, as in NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.calls.support import python_frames

Key = tuple[Any, ...]


class Case:
    """An array of both libraries, and a key with arrays of both."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        shape = tuple(self.rng.integers(1, 6, self.chance.randint(2, 4)))
        self.dtype = self.chance.choice(["f8", "f8", "i8", "f4", "?", "c16", "i2", "u1"])
        self.theirs: Any = self.rng.integers(0, 50, shape).astype(self.dtype)
        self.ours: Any = jj.asarray(self.theirs.copy())
        self._look_otherwise()
        self.their_key, self.our_key = self._key()

    def _look_otherwise(self) -> None:
        """Take a view of the array instead, now and then, or have it pending."""
        if self.chance.random() < 0.3:
            self.ours = self.ours | False if self.dtype == "?" else self.ours + 0
        kind = self.chance.randrange(5)
        if kind == 0:
            self.theirs, self.ours = self.theirs.T, self.ours.T
        elif kind == 1:
            self.theirs, self.ours = self.theirs[::-1], self.ours[::-1]
        elif kind == 2:
            self.theirs, self.ours = self.theirs[..., ::2], self.ours[..., ::2]

    def _key(self) -> tuple[Key, Key]:
        theirs: list[Any] = []
        ours: list[Any] = []
        axis = 0
        while axis < self.theirs.ndim:
            if self.chance.random() < 0.15:
                theirs.append(None)
                ours.append(None)
                continue
            their_part, our_part, width = self._part(axis)
            theirs.append(their_part)
            ours.append(our_part)
            axis += width
            if self.chance.random() < 0.15:
                break
        if axis < self.theirs.ndim and self.chance.random() < 0.5:
            place = self.chance.randint(0, len(theirs))
            if all(isinstance(part, (int, slice, type(None))) for part in theirs[place:]):
                theirs.insert(place, ...)
                ours.insert(place, ...)
        return tuple(theirs), tuple(ours)

    def _part(self, axis: int) -> tuple[Any, Any, int]:
        """Return a part of a key of both libraries, and how many axes it is for."""
        extent = self.theirs.shape[axis]
        kind = self.chance.randrange(9)
        if kind < 2:
            number = self.chance.randrange(-extent, extent)
            return number, jj.asarray(number)[()] if kind else number, 1
        if kind < 5:
            start, stop = self.chance.randint(0, 2), self.chance.choice([None, 3, -1])
            part = slice(start, stop, self.chance.choice([None, 1, 2, -1]))
            return part, part, 1
        if kind < 7:
            beyond = int(self.chance.random() < 0.05)
            places = self.rng.integers(-extent - beyond, extent, self.chance.choice([3, (2, 3)]))
            if kind == 5 and places.ndim == 1:
                return places.tolist(), places.tolist(), 1
            return places, jj.asarray(places) + 0, 1
        width = 2 if kind == 8 and axis + 2 <= self.theirs.ndim else 1
        mask = self.rng.random(self.theirs.shape[axis : axis + width]) > 0.5
        return mask, jj.asarray(mask.copy()), width

    def written(self, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Return what is written: a number, or an array that is as large, or is repeated."""
        kind = self.chance.randrange(4)
        if kind < 2:
            return (3, True)[kind], (3, True)[kind]
        if kind == 2:
            shape = shape[self.chance.randint(0, len(shape)) :]
        values = self.rng.integers(0, 9, shape).astype(self.dtype)
        return values, jj.asarray(values.copy())


def _outcome(run: Any) -> Any:
    try:
        return np.asarray(run())
    except (IndexError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(1500))
def test_reads_and_writes(seed: int) -> None:
    case = Case(seed)
    wanted = _outcome(lambda: case.theirs[case.their_key])
    found = _outcome(lambda: case.ours[case.our_key])
    if isinstance(wanted, tuple):
        assert found == wanted
        return
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted)
    theirs, ours = case.written(wanted.shape)
    case.theirs[case.their_key] = theirs
    case.ours[case.our_key] = ours
    assert np.array_equal(np.asarray(case.ours), case.theirs)


_READS: dict[str, Any] = {
    "row and mask": lambda x, i, places, mask: x[i, mask],
    "mask and column": lambda x, i, places, mask: x[mask, i],
    "row and places": lambda x, i, places, mask: x[i, places],
    "rows and places": lambda x, i, places, mask: x[:i, places],
    "places and columns": lambda x, i, places, mask: x[places, i:],
    "rows and mask": lambda x, i, places, mask: x[1:i, mask],
    "list and columns": lambda x, i, places, mask: x[[i, 0], 1:],
    "dots and places": lambda x, i, places, mask: x[..., places],
    "new axis": lambda x, i, places, mask: x[None, i, places],
}


@pytest.mark.parametrize("name", _READS)
def test_reads_without_python(name: str) -> None:
    """Whatever the numbers are: none of these is recorded again."""
    assert _frames(_READS[name]) == []


def _frames(program: Any) -> list[str]:
    """Return the Python functions of a program that has run with another number before."""
    x = jj.arange(100.0).reshape(10, 10) + 0
    places, mask = jj.arange(10) % 7, jj.arange(10) % 3 > 0
    jj.flush()
    program(x, 2, places, mask)
    return python_frames(lambda: program(x, 5, places, mask))


_WRITES: dict[str, Any] = {
    "row and mask": lambda x, i, places, mask: x.__setitem__((i, mask), 1.0),
    "mask and column": lambda x, i, places, mask: x.__setitem__((mask, i), x[mask, i - 1]),
    "rows and places": lambda x, i, places, mask: x.__setitem__(
        (slice(i), places), x[1 : i + 1, places]
    ),
    "list and columns": lambda x, i, places, mask: x.__setitem__(([i, 0], slice(1, None)), 2.0),
}


@pytest.mark.parametrize("name", _WRITES)
def test_writes_without_python(name: str) -> None:
    assert _frames(_WRITES[name]) == []


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_known_masks_of_pending_arrays(axes: int) -> None:
    """What they pick is recorded, and what is pending stays so."""
    theirs = np.arange(4.0 * 5 * 6).reshape(4, 5, 6)
    mask = np.random.default_rng(axes).random(theirs.shape[:axes]) > 0.5
    x: Any = jj.asarray(theirs.copy()) + 0.0
    ours = jj.asarray(mask.copy())
    runs = jj.stats()["immediate runs"]
    part = x[ours] * 2
    assert jj.stats()["immediate runs"] == runs
    x[ours] = part
    theirs[mask] *= 2
    assert np.array_equal(np.asarray(x), theirs)
    assert np.array_equal(np.asarray(part), theirs[mask])


def test_writes_of_parts_of_the_array_itself() -> None:
    for xp in (np, jj):
        x: Any = xp.arange(36.0).reshape(6, 6)
        places = xp.asarray([1, 3, 5])
        x[2, places] = x[3, :3]
        x[1:4, places] = x[2:5, 1:4]
        x[places, 2:] = x[:3, :4]
        x[:, xp.asarray([True, False] * 3)] = x[:, :3]
        if xp is np:
            wanted = x
    assert np.array_equal(np.asarray(x), wanted)


def test_a_read_is_a_copy() -> None:
    x = jj.arange(36.0).reshape(6, 6)
    for key in ((2, jj.asarray([1, 2])), (slice(2), jj.asarray([1, 2])), (2, jj.arange(6) > 3)):
        part: Any = x[key]
        before = np.asarray(part).copy()
        x[2] = -1.0
        x[0] = -2.0
        assert np.array_equal(np.asarray(part), before)
        part += 1.0
        assert not np.any(np.asarray(x) == before.ravel()[0] + 1.0)
        x[:] = jj.arange(36.0).reshape(6, 6)
