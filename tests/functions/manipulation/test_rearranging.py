"""roll, tile, repeat, resize, insert and delete, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.calls.support import python_frames
from tests.support.differential import DTYPES, check

SHAPES = [(), (1,), (5,), (0,), (2, 3), (2, 0, 3), (2, 3, 4)]


def grid(xp, *shape):
    return xp.arange(int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("shift", "axis"),
    [
        *((0, None), (2, None), (-7, None), (1, 0), (-1, -1), (5, 1), ((1, 2), (0, 1))),
        *(((1, 1), 0), (2, (0, 1)), ((1, 2), (0, 0)), ((1, 2), None), (1, 9), (1.5, 0)),
        ([[1]], 0),
    ],
)
def test_roll(shape, shift, axis):
    check(lambda xp: xp.roll(grid(xp, *shape), shift, axis))
    check(lambda xp: xp.roll(grid(xp, *shape).T, shift, axis))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "shift", [(1, -1), (np.int64(2), 1), (-7, 0), (2**70, 1), (1,), (1.0, 2), (True, 2)]
)
@pytest.mark.parametrize("axis", [(0, 1), (1, 1), (-1, 0), (0, 9), (1.0, 0), (0,), 0])
def test_roll_along_several_axes(shape, shift, axis):
    check(lambda xp: xp.roll(grid(xp, *shape), shift, axis))
    check(lambda xp: xp.roll(grid(xp, *shape)[::-1], shift, axis=axis))


def test_roll_without_python():
    """Whatever the distances are, also those that are elements; views and pending arrays, too."""
    x = jujunp.arange(24.0).reshape(4, 6)
    distances = jujunp.asarray([3, -2])

    def rolled(distance):
        jujunp.roll(x, distance, axis=1)
        jujunp.roll(x.T, -distance, 0)
        jujunp.roll(x * 2, distances[0], axis=1)
        jujunp.roll(x, (distances[0], distance), axis=(0, 1))

    rolled(1)
    assert python_frames(lambda: rolled(5)) == []


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "reps", [0, 1, 2, (), (2,), (1, 1), (2, 3), (2, 1, 2), (1, 0), (1, 1, 1, 2), 1.5, [2, 2]]
)
def test_tile(shape, reps):
    check(lambda xp: xp.tile(grid(xp, *shape), reps))
    check(lambda xp: xp.tile(grid(xp, *shape).T, reps))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 5])
@pytest.mark.parametrize(
    "repeats", [0, 1, 3, [2], [1, 2], [1, 2, 0], [0, 1, 2, 3, 4], -1, [1, -1], 1.5, [[1]], [], True]
)
def test_repeat(shape, axis, repeats):
    check(lambda xp: xp.repeat(grid(xp, *shape), repeats, axis))


def test_repeat_by_an_array():
    check(lambda xp: xp.repeat(xp.arange(3), xp.arange(3)))
    check(lambda xp: xp.arange(6).reshape(2, 3).repeat(xp.asarray([2, 1], "int8"), axis=0))
    check(lambda xp: xp.repeat([1, 2], xp.asarray([1.0, 2.0])))
    check(lambda xp: xp.repeat(xp.arange(300), xp.arange(300) % 3))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("target", [0, 3, 7, (2, 2), (3, 5), (), (0, 3), (2, 13), -1, (2, -1), 24])
def test_resize(shape, target):
    check(lambda xp: xp.resize(grid(xp, *shape), target))
    check(lambda xp: xp.resize(grid(xp, *shape).T, target))


PLACES = {
    "int": 1,
    "negative": -1,
    "end": 5,
    "outside": 9,
    "list": [1, 3],
    "repeated": [1, 1, 0],
    "one": [2],
    "unsorted": [4, -5, 2],
    "slice": slice(1, 4),
    "step": slice(None, None, 2),
    "backwards": slice(4, 0, -2),
    "nothing": [],
    "empty_slice": slice(3, 3),
    "mask": np.array([True, False, True, False, False]),
    "short_mask": np.array([True, False]),
    "array": np.array([0, 2]),
    "floats": [1.0, 2.0],
    "matrix": [[1, 2]],
    "outside_list": [0, 12],
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 7])
def test_delete(place, axis):
    for shape in ((5,), (5, 5), (2, 5), (1,)):
        check(lambda xp, s=shape: xp.delete(grid(xp, *s), PLACES[place], axis))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "values", [7, [7], [7, 8], [7, 8, 9], 2.5, [[1], [2]], [[1, 2, 3, 4, 5]]], ids=repr
)
def test_insert(place, axis, values):
    for shape in ((5,), (5, 5), (2, 5)):
        check(lambda xp, s=shape: xp.insert(grid(xp, *s), PLACES[place], values, axis))


def test_insert_and_delete_at_places_of_an_array():
    check(lambda xp: xp.delete(xp.arange(6), xp.asarray([1, 4])))
    check(lambda xp: xp.delete(xp.arange(6), xp.arange(6) > 3))
    check(lambda xp: xp.insert(xp.arange(6), xp.asarray([1, 4]), xp.asarray([-1.5, -2.5])))
    check(lambda xp: xp.delete(xp.arange(400), xp.arange(0, 400, 2)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_stay(dtype):
    check(lambda xp: xp.roll(xp.arange(5).astype(dtype), 2))
    check(lambda xp: xp.tile(xp.arange(3).astype(dtype), (2, 2)))
    check(lambda xp: xp.repeat(xp.arange(3).astype(dtype), [0, 2, 1]))
    check(lambda xp: xp.resize(xp.arange(3).astype(dtype), (2, 4)))
    check(lambda xp: xp.delete(xp.arange(5).astype(dtype), [0, 3]))
    check(lambda xp: xp.insert(xp.arange(5).astype(dtype), [0, 3], 1))


def test_fortran_order_stays():
    for change in (
        lambda xp, x: xp.delete(x, 1, 0),
        lambda xp, x: xp.insert(x, 1, 7, 1),
        lambda xp, x: xp.insert(x, [0, 1], 7, 1),
    ):
        check(lambda xp, c=change: c(xp, xp.array(grid(xp, 3, 4), order="F")))
        assert change(jujunp, jujunp.ones((3, 4), order="F")).flags.f_contiguous
