"""Arrays as iterators: `np.broadcast` goes through several arrays, `x.flat` through one."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.calls.support import python_frames
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


FLAT: dict[str, Any] = {
    "whole": lambda xp: xp.arange(12.0).reshape(3, 4),
    "a row": lambda xp: xp.arange(7, dtype="int8"),
    "every other one": lambda xp: xp.arange(12)[::2],
    "turned": lambda xp: xp.arange(12.0).reshape(3, 4).T,
    "rows of it": lambda xp: xp.arange(12, dtype="complex64").reshape(3, 4)[1:],
    "columns of it": lambda xp: xp.arange(12.0).reshape(3, 4)[:, 1:3],
    "truths": lambda xp: xp.arange(6).reshape(2, 3) > 2,
    "no elements": lambda xp: xp.zeros((2, 0)),
    "no axes": lambda xp: xp.array(5.0),
    "of a class": lambda xp: xp.arange(6.0).reshape(2, 3).view(type("derived", (xp.ndarray,), {})),
}
KEYS: list[Any] = [
    *(0, 3, -1, 40, -40, slice(None), slice(1, 6, 2), slice(None, None, 5), slice(4, 1, -1)),
    *(slice(9, 9), [0, 2], np.int64(1), ..., (1,), (), (0, 0), 1.5, None, "x"),
]
VALUES: list[Any] = [
    *(7, 2.5, -1, 300, True, [1, 2], [], [[1.5]], np.float32(3), np.arange(3), "a", 1j, 2**70),
]


def _outcome(call: Any) -> Any:
    try:
        found = call()
    except Exception as error:
        return type(error)
    array = np.asarray(found)
    return array.dtype, array.shape, array.tolist()


@pytest.mark.parametrize("name", FLAT)
def test_elements_by_keys(name: str) -> None:
    theirs, ours = FLAT[name](np), FLAT[name](jj)
    for _ in range(2):
        for key in KEYS:
            wanted = _outcome(lambda key=key: theirs.flat[key])
            assert _outcome(lambda key=key: ours.flat[key]) == wanted, key
        assert list(ours.flat) == list(theirs.flat)
        assert len(ours.flat) == len(theirs.flat)
    for key in KEYS:
        if name == "no axes" and isinstance(key, list):
            continue  # NumPy writes what comes before the bad place
        for value in VALUES if type(key) is int else VALUES[:-2]:
            if name == "truths" and isinstance(value, list):
                continue  # NumPy takes the truth of a list for an element
            wanted = _outcome(lambda key=key, value=value: theirs.flat.__setitem__(key, value))
            found = _outcome(lambda key=key, value=value: ours.flat.__setitem__(key, value))
            assert found == wanted, (key, value)
            assert _outcome(lambda: ours) == _outcome(lambda: theirs), (key, value)


def test_writes_by_slices_of_the_array_itself() -> None:
    def program(xp: Any) -> Any:
        x = xp.arange(16.0).reshape(4, 4)
        y = x.flat[::5]
        x.flat[::5] += 1.5
        x.flat[1:4] = x.flat[4:7]
        x.flat[3] = x[2, 2]
        x.flat[-4:] = x[0]
        pending = x * 2
        x.flat[0] = 99
        return [x, y, pending]

    check(program)


def test_an_iterator_that_was_not_begun_gives_errors() -> None:
    bare = jj.flatiter.__new__(jj.flatiter)
    for call in (lambda: bare[0], lambda: bare.__setitem__(0, 1), lambda: bare.base, bare.copy):
        with pytest.raises((AttributeError, IndexError)):
            call()
    assert len(bare) == 0
    assert next(bare, None) is None


def test_elements_need_no_python() -> None:
    x = jj.arange(16.0).reshape(4, 4) + 1
    jj.flush()

    def program() -> None:
        x.flat[3] = x.flat[2]
        x.flat[::5] = 2.5
        x.flat[1:3]
        sum(x.flat)

    program()
    assert python_frames(program) == []


@pytest.mark.parametrize("place", [12, -13, 40])
def test_places_out_of_bounds_are_named_as_numpy_names_them(place: int) -> None:
    check_error(lambda xp: xp.arange(12.0).reshape(3, 4).flat[place])
    check_error(lambda xp: xp.arange(12.0).flat.__setitem__(place, 1))
