"""Views that are worked out without NumPy: NumPy's layouts, for random arrays and keys."""

from __future__ import annotations

import collections
import ctypes
import os
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp._array.handle import header
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.value import LOG
from tests.calls.support import python_frames
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = int(os.environ.get("JUJUNP_RANDOM_STEPS", 2_000))
DTYPES = ["?", "b", "h", "i", "l", "f", "d", "F", "D"]
LIMITS = [None, None, None, 0, 1, 2, 3, 5, 100, -1, -2, -3, -100, 2**70, -(2**70)]
ODD = [True, 1.5, "a", np.int64(1), [0], slice(None, np.int64(2))]


def random_part(chance: random.Random) -> Any:
    kind = chance.randrange(20)
    if kind < 7:
        return chance.randrange(-4, 5)
    if kind < 15:
        step = chance.choice([None, None, 1, 2, 3, -1, -2, 7, 2**70, -(2**70)])
        return slice(chance.choice(LIMITS), chance.choice(LIMITS), step)
    if kind < 17:
        return ...
    return None if kind < 19 else chance.choice(ODD)


def random_key(chance: random.Random) -> Any:
    if chance.random() < 0.3:
        return random_part(chance)
    return tuple(random_part(chance) for _ in range(chance.randrange(5)))


def answer(function: Any, *args: Any) -> Any:
    """Return what a function answers, or its error."""
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def assert_alike(ours: Any, theirs: np.ndarray) -> None:
    """Compare a handle's layout with an array of NumPy's that was made in the same way."""
    seen = header(ours)
    assert ours.shape == theirs.shape == seen.shape
    assert seen.strides == theirs.strides
    assert seen.dtype == theirs.dtype
    assert layouts.offset(seen) == layouts.offset(theirs)
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "ALIGNED", "WRITEABLE", "WRITEBACKIFCOPY"):
        assert seen.flags[flag] == theirs.flags[flag], flag
    assert not seen.flags.owndata


def test_random_views() -> None:
    chance = random.Random(7)
    made = 0
    while made < STEPS:
        dtype = np.dtype(chance.choice(DTYPES))
        shape = tuple(chance.choice([0, 1, 2, 3, 3, 4]) for _ in range(chance.randrange(5)))
        ours: Any = jj.zeros(shape, dtype)
        theirs = layouts.whole(shape, dtype)
        if chance.random() < 0.5:
            header(ours)
        for _ in range(4):
            made += 1
            if chance.random() < 0.2:
                ours, theirs = ours.T, theirs.T
                assert_alike(ours, theirs)
                continue
            key = random_key(chance)
            expected = answer(seen_through, theirs, key)
            found = answer(ours.__getitem__, key)
            if isinstance(expected, tuple):
                assert isinstance(found, tuple), key
                assert found[0] is expected[0]
                continue
            owner = ours if ours.base is None else ours.base
            if type(found) is not jj.ndarray or found.base is not owner:
                continue  # an element, or a copy
            assert_alike(found, expected)
            ours, theirs = found, expected
        if len(LOG) > 500:
            jj.flush()


def seen_through(layout: np.ndarray, key: Any) -> np.ndarray:
    """Return a part of a layout as an array, of one element, too."""
    whole = key if isinstance(key, tuple) else (key,)
    if any(part is ... for part in whole):
        return layout[key]
    return layout[(*whole, ...)]


def test_random_elements_and_writes() -> None:
    chance = random.Random(8)
    for _ in range(max(STEPS // 4, 1)):
        dtype = chance.choice("ldf")
        shape = tuple(chance.choice([1, 2, 3, 4]) for _ in range(chance.randrange(1, 4)))
        theirs = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
        ours: Any = jj.asarray(theirs).copy()
        if chance.random() < 0.5:
            jj.flush()
        first, second = random_key(chance), random_key(chance)
        expected, found = answer(theirs.__getitem__, first), answer(ours.__getitem__, first)
        if isinstance(expected, tuple):
            assert found[0] is expected[0]
            continue
        assert np.array_equal(np.asarray(found), expected), first
        if isinstance(expected, np.ndarray):
            for a in (expected, found):
                answer(a.__setitem__, second, 7)
            assert np.array_equal(np.asarray(found), expected), (first, second)
        answer(theirs.__setitem__, first, 5)
        answer(ours.__setitem__, first, 5)
        assert np.array_equal(np.asarray(ours), theirs), first


@pytest.mark.parametrize("index", [-3, -1, 0, 2, 5])
def test_rows_and_iteration(index: int) -> None:
    x = jj.arange(24.0).reshape(6, 4)
    assert_alike(x[index], header(x)[index])
    assert [row.tolist() for row in x[:, ::2]] == np.arange(24.0).reshape(6, 4)[:, ::2].tolist()
    assert [v.tolist() for v in x[index]] == x[index].tolist()
    y = x + 1  # pending
    assert [float(v) for v in y[index]] == y[index].tolist()


def test_the_end_of_an_iteration() -> None:
    """Each ends with an IndexError, which is made without Python."""
    for x in (jj.arange(6.0).reshape(3, 2) + 0.0, jj.arange(3.0), jj.zeros((0, 2))):
        jj.flush()
        assert python_frames(lambda x=x: collections.deque(x, 0)) == []
        theirs = np.asarray(x)
        item = ctypes.pythonapi.PySequence_GetItem
        item.argtypes, item.restype = (ctypes.py_object, ctypes.c_ssize_t), ctypes.py_object
        for index in (len(x), 1 << 40):
            found, expected = answer(item, x, index), answer(item, theirs, index)
            assert found == expected
            assert found[0] is IndexError


def test_what_is_derived_of_views() -> None:
    x: Any = jj.arange(24.0).reshape(2, 3, 4)
    part = x.T[1:, ::-1, 0]
    assert part.base is x.base
    assert not np.shares_memory(header(part), header(x)[0, 0, 0])
    x.flags.writeable = False
    assert not x.T.flags.writeable
    assert not x[0].flags.writeable
    assert jj.float64(3.0).T.shape == ()
    assert jj.asarray(3.0).T.shape == ()


def test_layouts_that_are_too_large() -> None:
    x = jj.broadcast_to(jj.zeros(1), (1 << 21, 1 << 21))
    assert x[5, 1:].shape == ((1 << 21) - 1,)
    y = jj.zeros((1 << 22, 1)) + jj.zeros((1, 1 << 22))
    with pytest.raises(MemoryError):
        y[1:]
    with pytest.raises(MemoryError):
        y.T.ravel()


@pytest.mark.parametrize(
    "key", [slice(1.5), (0, slice(None, "a")), (..., slice(None, None, 0)), 1.0]
)
def test_wrong_slices(key: Any) -> None:
    for xp in (jj, np):
        x: Any = xp.zeros((2, 3))
        with pytest.raises((TypeError, ValueError, IndexError)) as caught:
            x[key]
        if xp is jj:
            ours = caught.type
    assert caught.type is ours


def test_views_that_are_used_again() -> None:
    """Objects of views that are gone become others: of other arrays, dtypes and shapes."""
    arrays: list[Any] = [
        jj.asarray(np.arange(24).reshape(shape).astype(dtype)).copy()
        for shape in ((4, 6), (24,), (2, 3, 4), (6, 4))
        for dtype in ("d", "i", "?")
    ]
    arrays[0].flags.writeable = False
    kept = []
    for turn in range(200):
        for x in arrays:
            part = x[turn % 2 :].T[..., ::-1]
            whole = np.asarray(x)[turn % 2 :].T[..., ::-1]
            assert_alike(part, whole_layout(x)[turn % 2 :].T[..., ::-1])
            assert part.base is x
            assert part.flags.writeable is (x is not arrays[0])
            if turn % 20 == 0:
                kept.append((part, part + 0, whole))
                assert part._key is None
            assert x._views == sum(part.base is x for part, _, _ in kept) + (turn % 20 != 0)
            del part
            if turn == 100:
                jj.flush()
    assert all(np.array_equal(a, c) and np.array_equal(b, c) for a, b, c in kept)


def whole_layout(x: Any) -> np.ndarray:
    return layouts.whole(x.shape, x.dtype)


def test_layouts_of_pending_steps_stay() -> None:
    x: Any = jj.arange(64.0).reshape(8, 8).copy()
    found = [x[k, : k + 1] * 2.0 for k in range(8)]
    seen = [header(x[k : k + 2]) for k in range(6)]
    for k in range(8):
        x[k, 1:], x[:, k], x[k:3], x[:2, k:]
    assert [a.tolist() for a in found] == [
        (np.arange(64.0).reshape(8, 8)[k, : k + 1] * 2).tolist() for k in range(8)
    ]
    assert [layouts.offset(layout) for layout in seen] == [64 * k for k in range(6)]


INDICES: list[Callable[[Any], Any]] = [
    lambda xp: xp.asarray([1, 2, 0])[1],
    lambda xp: xp.asarray([1, 2, 0]).sum() - 1,
    lambda xp: xp.asarray(np.array([-1, 5], np.int8))[0],
    lambda xp: xp.asarray(np.array([2, 9], np.uint32))[0],
    lambda xp: np.int64(-2),
    lambda xp: np.uint8(1),
]
KEYS: list[Callable[[Any], Any]] = [
    lambda i: i,
    lambda i: (i, 1),
    lambda i: (..., i),
    lambda i: (None, i),
    lambda i: slice(i, None),
    lambda i: (slice(None, i), 0),
    lambda i: (slice(None, None, i), slice(i)),
    lambda i: (i, i),
]


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("pending", [False, True])
def test_scalars_as_indices(
    index: Callable[[Any], Any], key: Callable[[Any], Any], pending: bool
) -> None:
    def program(xp: Any) -> Any:
        made = []
        for _ in range(2):
            x = xp.asarray(np.arange(12.0).reshape(3, 4))
            if pending:
                x = x + 1.0
            made.append(x[key(index(xp))])
            x[key(index(xp))] = -1.0
            x[key(index(xp))] += xp.asarray(0.5)
            made.append(x)
        return made

    check(program)


def test_scalars_that_are_no_indices() -> None:
    for xp in (jj, np):
        x = xp.asarray(np.arange(3.0))
        for wrong in (xp.asarray([1.0])[0], xp.asarray([3])[0], np.int64(-4)):
            for _ in range(2):
                with pytest.raises(IndexError):
                    x[wrong]
                with pytest.raises(IndexError):
                    x[wrong] = 1.0
        with pytest.raises(TypeError):
            x[xp.asarray([1.0])[0] :]
        assert x[xp.asarray([True])[0]].shape == (1, 3)
