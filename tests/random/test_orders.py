"""Random orders and samples."""

from __future__ import annotations

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


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("name", GENERATORS)
def test_choice(name: str, older: bool) -> None:
    ours, theirs = pair(name, older=older)
    array = np.arange(12.0) * 2
    for a in (12, array):
        for p in (None, WEIGHTS):
            for size in (None, 1, 5, (2, 3)):
                for replace in (True, False):
                    check_call(ours, theirs, "choice", a, size, replace, p)
    assert_same_state(ours, theirs)
    for population, count in ((10, 10), (20_001, 20), (20_001, 2000), (20_001, 20_001)):
        check_call(ours, theirs, "choice", population, count, False)
    assert_same_state(ours, theirs)
    assert_same(ours.choice(jujunp.asarray(array), 3), theirs.choice(array, 3))
    words: Any = ["a", "b", "c"]
    assert ours.choice(words) == theirs.choice(words)
    if not older:
        check_call(ours, theirs, "choice", array.reshape(3, 4), 2, axis=1)
        check_call(ours, theirs, "choice", 100, 20, False, shuffle=False)
    assert_same_state(ours, theirs)


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
