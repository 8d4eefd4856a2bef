"""Random orders and samples."""

from __future__ import annotations

import array
import collections
from typing import Any

import numpy as np
import pytest

import jujunp

from .cases import GENERATORS, assert_same, assert_same_state, check_call, pair

WEIGHTS = np.arange(1.0, 13.0) / np.arange(1.0, 13.0).sum()


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("name", GENERATORS)
def test_permutation_and_shuffle(name: str, older: bool) -> None:
    for count in (0, 1, 5, 600):
        ours, theirs = pair(name, older=older)
        check_call(ours, theirs, "permutation", count)
        x = np.arange(2.0 * count).reshape(count, 2)
        check_call(ours, theirs, "permutation", x)
        assert_same(ours.permutation(jujunp.asarray(x)), theirs.permutation(x))
        for library in (jujunp, np):
            found, wanted = library.asarray(x.copy()), x.copy()
            ours.shuffle(found)
            theirs.shuffle(wanted)
            np.testing.assert_array_equal(np.asarray(found), wanted)
        numbers, same = list(range(count)), list(range(count))
        ours.shuffle(numbers)
        theirs.shuffle(same)
        assert numbers == same
        assert_same_state(ours, theirs)


def test_axes() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    ours, theirs = pair("PCG64")
    for axis in (0, 1, -1):
        check_call(ours, theirs, "permutation", x, axis=axis)
        check_call(ours, theirs, "permuted", x, axis=axis)
        found, wanted = jujunp.asarray(x), x.copy()
        ours.shuffle(found, axis=axis)
        theirs.shuffle(wanted, axis=axis)
        np.testing.assert_array_equal(np.asarray(found), wanted)
    check_call(ours, theirs, "permuted", x)
    words = np.array(["a", "b", "c"])
    np.testing.assert_array_equal(ours.permuted(words), theirs.permuted(words))
    out, same = jujunp.empty_like(x), np.empty_like(x)
    assert ours.permuted(jujunp.asarray(x), axis=1, out=out) is out
    theirs.permuted(x, axis=1, out=same)
    np.testing.assert_array_equal(np.asarray(out), same)
    assert_same_state(ours, theirs)
    check_call(ours, theirs, "permutation", x, axis=3)


@pytest.mark.parametrize("dtype", [float, object])
def test_permuted_elements_in_the_order_of_memory(dtype: Any) -> None:
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    ours, theirs = pair("PCG64")
    for turned in (x.T, x[:, ::2], x.transpose(1, 0, 2), x.T[::2]):
        for axis in (None, 0, -1):
            wanted = theirs.permuted(turned, axis=axis)
            np.testing.assert_array_equal(np.asarray(ours.permuted(turned, axis=axis)), wanted)
            for library in (jujunp, np) if dtype is float else (np,):
                for shape, order in ((turned.shape, "C"), (turned.shape[::-1], "F")):
                    held, same = (x.empty(shape, dtype) for x in (library, np))
                    if order == "F":
                        held, same = held.T, same.T
                    assert ours.permuted(turned, axis=axis, out=held) is held
                    theirs.permuted(turned, axis=axis, out=same)
                    np.testing.assert_array_equal(np.asarray(held), same)
        assert_same_state(ours, theirs)
    if dtype is float:
        mine, other = jujunp.asarray(x.T.copy()).T, np.asfortranarray(x)
        np.testing.assert_array_equal(np.asarray(ours.permuted(mine)), theirs.permuted(other))


def test_what_permuted_refuses() -> None:
    ours, theirs = pair("PCG64")
    x = np.arange(6.0).reshape(2, 3)
    closed = x.copy()
    closed.flags.writeable = False
    for out in (np.empty(6), np.empty((2, 3), np.int32), closed):
        check_call(ours, theirs, "permuted", x, axis=1, out=out)
    for out in (jujunp.empty(6), jujunp.empty((2, 3), "int32"), x.tolist()):
        with pytest.raises((TypeError, ValueError)):
            ours.permuted(x, axis=1, out=out)
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("older", [False, True])
def test_sequences_and_arrays_of_others_are_shuffled(older: bool) -> None:
    class Numbers(list[int]):
        pass

    ours, theirs = pair("PCG64", older=older)
    for make in (
        lambda: Numbers(range(9)),
        lambda: collections.deque(range(9)),
        lambda: array.array("i", range(9)),
        lambda: bytearray(range(9)),
        lambda: np.arange(9).view(np.matrix).T,
        lambda: np.array([(k, str(k)) for k in range(9)], [("a", int), ("b", "U2")]),
        lambda: np.array([{k} for k in range(9)]),
    ):
        mine, other = make(), make()
        ours.shuffle(mine)
        theirs.shuffle(other)
        assert list(np.asarray(mine).ravel()) == list(np.asarray(other).ravel())
        assert list(mine) != list(make()) or isinstance(mine, np.ndarray)
    masked, same = (np.ma.masked_values(np.arange(9.0), 4.0) for _ in range(2))
    ours.shuffle(masked)
    theirs.shuffle(same)
    np.testing.assert_array_equal(masked.mask, same.mask)
    assert_same_state(ours, theirs)
    with pytest.raises(ValueError, match="read-only"):
        ours.shuffle(np.broadcast_to(1, 4))
    assert_same_state(ours, theirs)


def test_arrays_of_derived_classes() -> None:
    class Mine(jujunp.ndarray):
        pass

    ours, theirs = pair("PCG64")
    x = jujunp.arange(9).view(Mine)
    for method in ("permutation", "permuted", "choice"):
        check_call(ours, theirs, method, x)
    ours.shuffle(x)
    y = np.arange(9)
    theirs.shuffle(y)
    np.testing.assert_array_equal(np.asarray(x), y)
    held = jujunp.zeros(9, int).view(Mine)
    assert ours.permuted(x, out=held) is held
    np.testing.assert_array_equal(np.asarray(held), theirs.permuted(y))


def test_what_numpy_shuffles_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pair("PCG64")
    with pytest.raises(jujunp.HostFallbackError, match="shuffle"):
        ours.shuffle((1, 2, 3))
    monkeypatch.setenv("JUJUNP_STRICT", "0")
    before = jujunp.stats()["host fallbacks"].get("random.shuffle", 0)
    check_call(ours, theirs, "shuffle", (1, 2, 3))
    check_call(ours, theirs, "shuffle", [1, 2, 3], 1)
    assert jujunp.stats()["host fallbacks"]["random.shuffle"] == before + 2


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("name", GENERATORS)
def test_choice(name: str, older: bool) -> None:
    ours, theirs = pair(name, older=older)
    array = np.arange(12.0) * 2
    for a in (12, array, range(5, 17), array.tolist()):
        for p in (None, WEIGHTS):
            for size in (None, 1, 5, (2, 3)):
                for replace in (True, False):
                    check_call(ours, theirs, "choice", a, size, replace, p)
    assert_same_state(ours, theirs)
    for population, count in ((10, 10), (20_001, 20), (20_001, 2000), (20_001, 20_001)):
        check_call(ours, theirs, "choice", population, count, False)
    assert_same_state(ours, theirs)
    many = np.arange(1.0, 401.0) / np.arange(1.0, 401.0).sum()
    for size in (None, 3, 300):
        for replace in (True, False):
            check_call(ours, theirs, "choice", 400, size, replace, many)
    assert_same_state(ours, theirs)
    assert_same(ours.choice(jujunp.asarray(array), 3), theirs.choice(array, 3))
    words: Any = ["a", "b", "c"]
    assert ours.choice(words) == theirs.choice(words)
    if not older:
        check_call(ours, theirs, "choice", array.reshape(3, 4), 2, axis=1)
        check_call(ours, theirs, "choice", 100, 20, False, shuffle=False)
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("size", [3, (), (2,), [2, 1], np.int64(4), np.array(2)])
@pytest.mark.parametrize("population", [["a", "bc"], ["a"], 7, [1.5, 2.5], np.array(["x", "y"])])
def test_choice_with_sizes_of_all_kinds(size: Any, population: Any) -> None:
    own = jujunp.asarray([size])[0] if isinstance(size, int) else size
    found = jujunp.random.default_rng(3).choice(population, size=own)
    wanted = np.random.default_rng(3).choice(population, size=size)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert found.tolist() == wanted.tolist()


def test_what_choice_refuses() -> None:
    for older in (False, True):
        ours, theirs = pair("MT19937", older=older)
        for args in (
            (0,),
            (-3, 2),
            (1.5,),
            ([],),
            (3, 4, False),
            (3, 2, True, [0.5, 0.5]),
            (3, 2, True, [0.5, 0.5, 0.5]),
            (3, 2, True, [-0.5, 1.0, 0.5]),
            (3, 2, True, [np.nan, 1.0, 0.5]),
            (3, 3, False, [0.5, 0.5, 0.0]),
            (3, -1),
        ):
            check_call(ours, theirs, "choice", *args)


@pytest.mark.parametrize("older", [False, True])
def test_integers_of_ours_are_numbers(older: bool) -> None:
    made = []
    for library in (jujunp, np):
        generator = library.random.RandomState(5) if older else library.random.default_rng(5)
        given = (library.arange(9)[7], library.arange(4).sum())
        made.append([np.asarray(generator.permutation(one)).tolist() for one in given])
    assert made[0] == made[1]
