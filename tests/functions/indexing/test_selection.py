"""where, select, choose, nonzero and writing through masks, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check


@pytest.mark.parametrize("left", [*DTYPES, 2, 2.5, True])
@pytest.mark.parametrize("right", [*DTYPES, 3, 1.5, False])
def test_where_promotes(left, right):
    def operand(xp, x):
        return xp.arange(4).astype(x) if isinstance(x, str) else x

    mask = np.array([True, False, True, False])
    check(lambda xp: xp.where(xp.asarray(mask), operand(xp, left), operand(xp, right)))


def test_where_broadcasts():
    check(lambda xp: xp.where(xp.arange(3) > 0, [[1], [2]], 5.0))
    check(lambda xp: xp.where([[0], [2]], xp.arange(3), -xp.arange(3.0)))
    check(lambda xp: xp.where(True, 1, 2))
    check(lambda xp: xp.where(xp.ones((2, 3)).T > 0, xp.arange(6).reshape(3, 2), 0))
    check(lambda xp: xp.where(xp.ones((2, 3)).T > 0, xp.ones((2, 3)).T, 0).strides)
    check(lambda xp: xp.where(xp.zeros((0, 3)), 1, xp.arange(3)))
    check(lambda xp: xp.where([np.nan, 0.0, -0.0], 1.5, [-0.0, np.inf, np.nan]))
    check(lambda xp: xp.where([True, False], xp.ones(3), 0))
    check(lambda xp: xp.where([True, False], xp.ones(2, "uint8"), 300))
    check(lambda xp: xp.where([True], 1))
    check(lambda xp: xp.where(xp.arange(6).reshape(2, 3) % 2))


CONDITIONS = [
    [True, False, True],
    [0, 3, -1],
    [[0.0, np.nan], [-0.0, 1]],
    [],
    [[[1, 0], [0, 0]], [[0, 1], [1, 1]]],
    7,
    0,
]


@pytest.mark.parametrize("data", CONDITIONS, ids=repr)
@pytest.mark.parametrize("name", ["nonzero", "flatnonzero", "argwhere", "where"])
def test_nonzero(name, data):
    check(lambda xp: getattr(xp, name)(data))
    check(lambda xp: getattr(xp, name)(xp.asarray(data).T))


def test_nonzero_of_every_dtype():
    for dtype in DTYPES:
        check(lambda xp, d=dtype: xp.nonzero(xp.arange(6).astype(d).reshape(2, 3)[:, ::-1]))
    check(lambda xp: xp.asarray([[1, 0], [0, 2]]).nonzero())


def test_select():
    def program(xp, default=0):
        x = xp.arange(10)
        return xp.select([x < 3, x > 5, x > 8], [x, x**2, -1.5], default)

    check(program)
    check(lambda xp: program(xp, 42))
    check(lambda xp: program(xp, np.nan))
    check(lambda xp: xp.select([[True, False], [False, False]], [1, 2], 3))
    check(lambda xp: xp.select([True, False], [1, 2]))
    check(lambda xp: xp.select([xp.ones((2, 1), bool)], [xp.arange(3)]))
    check(lambda xp: xp.select([], []))
    check(lambda xp: xp.select([[True]], [1, 2]))
    check(lambda xp: xp.select([[1, 0]], [[1, 2]]))
    check(lambda xp: xp.select([xp.ones(2, bool)], [xp.ones(2, "float32")], 7.5))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip", "other"])
def test_choose(mode):
    choices = [[0, 1, 2], [10, 11, 12], [20, 21, 22.5]]
    for index in ([2, 0, 1], [3, -1, 1], [[0], [2]], 1, [0.5], [True, False, True], []):
        check(lambda xp, i=index: xp.choose(i, choices, mode=mode))
        check(lambda xp, i=index: xp.choose(xp.asarray(i), xp.asarray(choices), mode=mode))
    check(lambda xp: xp.choose([0, 0], [[1, 2]], mode=mode))
    check(lambda xp: xp.choose([0, 0], [], mode=mode))


def test_choose_into_an_array():
    check(lambda xp: xp.choose([0, 1], [[1, 2], [3, 4]], xp.zeros(2, int)))
    check(lambda xp: xp.choose([0, 1], [[1, 2], [3, 4]], xp.zeros(3, int)))


def changed(xp, function, shape=(2, 3), dtype="int64", transposed=False):
    """Return an array after a function has written to it."""
    size = int(np.prod(shape))
    x = xp.arange(size).astype(dtype).reshape(shape)
    returned = function(xp, x.T if transposed else x)
    assert returned is None
    return x


MASKS = [True, False, [True, False, True], [[True], [False]], [1, 0, 1], [True, False]]
SOURCES = [7, -2.5, True, 300, [1, 2, 3], [[4], [5]], [1.5, 2.5, 3.5], np.float32(2), [1, 2]]


@pytest.mark.parametrize("source", SOURCES, ids=repr)
@pytest.mark.parametrize("mask", MASKS, ids=repr)
@pytest.mark.parametrize("dtype", ["bool", "int64", "uint8", "float32"])
def test_copyto(dtype, mask, source):
    for casting in ("same_kind", "unsafe", "no"):
        check(
            lambda xp, c=casting: changed(
                xp, lambda xp, x: xp.copyto(x, source, c, mask), dtype=dtype
            )
        )


@pytest.mark.parametrize("shape", [(3, 4), (4,), (3, 1), (), (5,)], ids=str)
def test_copyto_of_arrays(shape):
    """The same dtype, which needs no Python, and others."""
    for dtype in ("float64", "int8", "complex64"):
        source = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        check(lambda xp, s=source: changed(xp, lambda xp, x: xp.copyto(x, xp.asarray(s))))
        check(lambda xp, s=source: changed(xp, lambda xp, x: xp.copyto(x[::-1], xp.asarray(s))))


def test_copyto_writes_through_views():
    check(lambda xp: changed(xp, lambda xp, x: xp.copyto(x[:, 1:], [[1], [2]], where=x[:, :2] > 0)))
    check(lambda xp: changed(xp, lambda xp, x: xp.copyto(x, x[::-1]), transposed=True))
    check(lambda xp: xp.copyto([1, 2], 3))
    check(lambda xp: xp.copyto(xp.broadcast_to(1, (2,)), 3))


VALUES = [7, [7], [7, 8], [7, 8, 9, 10, 11, 12], [7.5, 8.5], [], np.arange(10)]


@pytest.mark.parametrize("values", VALUES, ids=repr)
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32"])
@pytest.mark.parametrize("transposed", [False, True])
def test_putmask_and_place(values, dtype, transposed):
    for name in ("putmask", "place"):
        for mask in ([[1, 0, 1], [1, 1, 0]], [[0] * 3] * 2, [True] * 6, [True, False]):
            if transposed and np.shape(mask) == (2, 3):
                mask = np.transpose(mask)
            check(
                lambda xp, n=name, m=mask: changed(
                    xp,
                    lambda xp, x: getattr(xp, n)(x, m, values),
                    dtype=dtype,
                    transposed=transposed,
                )
            )


def test_extract():
    check(lambda xp: xp.extract([True, False, True], [1, 2, 3]))
    check(lambda xp: xp.extract(xp.arange(6).reshape(2, 3) % 2, xp.arange(6).reshape(3, 2).T))
    check(lambda xp: xp.extract([0, 0], [1, 2]))
    check(lambda xp: xp.extract([True, False], [1, 2, 3]))
    check(lambda xp: xp.extract([True] * 4, [1, 2, 3]))


def test_nothing_is_computed_before_it_is_needed():
    before = jujunp.stats()["flushes"]
    x = jujunp.where(jujunp.arange(1000) > 3, jujunp.ones(1000), 0)
    jujunp.copyto(x[:5], 9, where=jujunp.ones(5, bool))
    assert jujunp.stats()["flushes"] == before
    assert float(x[0]) == 9


def test_choosing_a_number():
    check(lambda xp: xp.choose(xp.asarray(1), [2, 3.5]))


def test_choose_of_numbers():
    for choices in ([np.float32(1), 1.0], [np.int8(1), 2], [1, 2.0]):
        check(lambda xp, c=choices: xp.choose(1, c))


def test_choices_one_by_one():
    choices = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    check(lambda xp: xp.arange(3).choose(*choices))
    check(lambda xp: xp.arange(3).choose(choices))
    check(lambda xp: xp.arange(3).choose(*choices, out=xp.zeros(3, int)))
    check(lambda xp: xp.arange(3).choose(*choices[:2], mode="clip"))
    check(lambda xp: xp.arange(3).choose())
    check(lambda xp: xp.arange(3).choose([1] * 63))
    check(lambda xp: xp.arange(3).choose([1] * 64))
