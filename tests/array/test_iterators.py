"""Arrays as iterators: `np.broadcast` goes through several arrays, `x.flat` through one."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check, check_error

ARRAYS = {
    "a row and a column": lambda xp: ([1, 2, 3], [[4], [5]]),
    "of other dtypes": lambda xp: (xp.arange(6.0).reshape(2, 3).T, xp.ones(2, bool)),
    "a view": lambda xp: (xp.arange(8)[::-2], 5),
    "alone": lambda xp: (xp.arange(3),),
    "one more axis": lambda xp: (xp.ones(3), xp.ones((1, 3))),
    "without axes": lambda xp: (xp.float32(2), xp.array(3)),
    "without elements": lambda xp: (xp.ones((0, 3)), 1),
    "none": lambda xp: (),
}
NUMBERS = ("shape", "size", "nd", "ndim", "numiter", "index")


@pytest.mark.parametrize("name", ARRAYS)
def test_attributes_and_elements(name: str) -> None:
    def program(xp: Any) -> list[Any]:
        found = xp.broadcast(*ARRAYS[name](xp))
        begun = [getattr(found, number) for number in NUMBERS]
        elements = [tuple(map(float, items)) for items in found]
        with pytest.raises(StopIteration):
            next(found)
        ended = found.index
        found.reset()
        return [begun, elements, ended, found.index, next(found, None)]

    check(program)


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "without elements"])
def test_each_array_is_gone_through(name: str) -> None:
    def program(xp: Any) -> list[Any]:
        found = xp.broadcast(*ARRAYS[name](xp))
        assert all(isinstance(each, xp.flatiter) for each in found.iters)
        next(found)
        places = [(each.index, len(each)) for each in found.iters]
        rest = [list(map(float, each)) for each in found.iters]
        return [places, rest, *(each.base for each in found.iters)]

    check(program)


def test_nothing_of_numpy_is_held() -> None:
    x, y = jj.ones((2, 3)), jj.ones(3)
    found = jj.broadcast(x, y)
    assert found.iters[0].base is x
    assert found.iters[1].base is y
    x += 1  # what others hold would be computed at once
    y[0] = 5
    assert next(found) == (2, 5)
    assert not jj.stats()["host fallbacks"].get("broadcast")


def test_objects_among_the_arguments() -> None:
    def program(xp: Any) -> list[Any]:
        row, column, other = xp.arange(3), xp.arange(2)[:, None], xp.ones((4, 1, 1))
        pair = xp.broadcast(row, column)
        next(pair)
        found = xp.broadcast(other, pair, 7)
        return [found.shape, found.numiter, next(found), *(each.base for each in found.iters)]

    check(program)
    theirs = np.broadcast(np.arange(3), np.ones((2, 1)))
    assert jj.broadcast(theirs, 1).shape == (2, 3)


def test_errors() -> None:
    check_error(lambda xp: xp.broadcast(xp.ones((1, 3)), xp.ones(3), xp.ones(2)))
    check_error(lambda xp: xp.broadcast(1, x=1))
    check_error(lambda xp: xp.broadcast(*[1] * 65))
    check(lambda xp: xp.broadcast(*[1] * 64).numiter)


def test_signatures() -> None:
    for theirs, ours in ((np.broadcast, jj.broadcast), (np.broadcast.reset, jj.broadcast.reset)):
        wanted = inspect.signature(theirs).parameters.values()
        found = inspect.signature(ours).parameters.values()
        assert [(x.name, x.kind) for x in found] == [(x.name, x.kind) for x in wanted]


def test_arrays_of_text() -> None:
    found = jj.broadcast(np.array(["a", "b"]), jj.ones((2, 1)))
    assert [(str(a), float(b)) for a, b in found] == [("a", 1), ("b", 1), ("a", 1), ("b", 1)]


def test_elements_in_a_row_stay_those_of_the_array() -> None:
    def program(xp: Any) -> list[Any]:
        x = xp.arange(6).reshape(2, 3)
        each = xp.broadcast(x, 1).iters[0]
        each[1] = 9
        x.flat[4:] = 7
        return [x, each[1], each.copy(), x.T.flat[1:3], x.flat.base is x]

    check(program)
