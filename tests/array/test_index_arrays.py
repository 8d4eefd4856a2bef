"""Keys of several index arrays, writes of numbers to what they pick: random ones, as in NumPy."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import machine
from tests.calls.support import python_frames
from tests.support.differential import check


class Case:
    """An array, and index arrays for its first axes, of both libraries; some are out of bounds."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        shape = tuple(self.rng.integers(1, 9, self.chance.randint(1, 3)))
        self.dtype = self.chance.choice(["f8", "i8", "f4", "?", "c16", "i2"])
        self.theirs = self.rng.integers(0, 50, shape).astype(self.dtype)
        self.ours: Any = jj.asarray(self.theirs.copy())
        if self.chance.random() < 0.3:
            self.theirs, self.ours = self.theirs.T, self.ours.T
        of_index = (700,) if self.chance.random() < 0.3 else (self.chance.randint(1, 4), 3)
        count = self.chance.randint(1, self.theirs.ndim)
        beyond = int(self.chance.random() < 0.1)
        places = [
            self.rng.integers(-extent - beyond, extent + beyond, of_index)
            for extent in self.theirs.shape[:count]
        ]
        self.their_key: Any = tuple(places)
        self.our_key: Any = tuple(self._index(place) for place in places)
        if count == 1 and self.chance.random() < 0.5:
            (self.their_key,), (self.our_key,) = self.their_key, self.our_key

    def _index(self, places: np.ndarray) -> Any:
        """Return an index array that is computed, pending, or picked by another one."""
        index: Any = jj.asarray(places.copy())
        how = self.chance.randrange(3)
        return index if how == 0 else index + 0 if how == 1 else index[jj.arange(len(index))]

    def written(self) -> tuple[Any, Any]:
        """Return what is written: a number, an element, or an array that fits."""
        shape = self.theirs[self.their_key].shape
        kind = self.chance.randrange(5)
        if kind < 3:
            return ((3, 2.5, True)[kind],) * 2
        if kind == 3:
            return self.theirs.ravel()[0], self.ours.ravel()[0]
        values = self.rng.integers(0, 9, shape).astype(self.chance.choice([self.dtype, "i8"]))
        return values, jj.asarray(values)


def _outcome(run: Any) -> Any:
    try:
        return np.asarray(run())
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize("seed", range(300))
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_reads_and_writes(seed: int) -> None:
    case = Case(seed)
    wanted = _outcome(lambda: case.theirs[case.their_key])
    found = _outcome(lambda: case.ours[case.our_key])
    if isinstance(wanted, str):
        assert found == wanted
        return
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted)
    theirs, ours = case.written()
    case.theirs[case.their_key] = theirs
    case.ours[case.our_key] = ours
    assert np.array_equal(np.asarray(case.ours), case.theirs)


class _Tuple(tuple):
    pass


class _Index:
    def __index__(self) -> int:
        return 1


_RARE: dict[str, Any] = {
    "derived tuple": lambda xp, x: x[_Tuple(([1], [2]))],
    "derived tuple of integers": lambda xp, x: x[_Tuple((1, 2))],
    "object": lambda xp, x: x[_Index()],
    "object and array": lambda xp, x: x[_Index(), [0, 1]],
    "slice of objects": lambda xp, x: x[[0, 1], : _Index()],
    "slice of floats": lambda xp, x: x[[0, 1], 0.0:],
    "slice of floats and a float": lambda xp, x: x[0.0:, 0.0],
    "63 arrays": lambda xp, x: xp.ones((1,) * 64)[([0],) * 63].shape,
    "no places": lambda xp, x: xp.ravel_multi_index((xp.array(-1), xp.zeros((0, 1), int)), (3, 4)),
}


@pytest.mark.parametrize("name", _RARE)
def test_rare_keys(name: str) -> None:
    check(lambda xp: _RARE[name](xp, xp.arange(12).reshape(3, 4)))


def test_writing_by_a_derived_tuple() -> None:
    def program(xp: Any) -> Any:
        x = xp.arange(12).reshape(3, 4)
        x[_Tuple(([1], [2]))] = 70
        x[_Tuple((0, 1))] = 80
        x[_Index()] = 90
        return x

    check(program)


def test_no_python_for_several_index_arrays() -> None:
    """They are recorded by Mojo, whatever their lengths, and so is a number that is written."""
    x = jj.zeros((50, 60))
    rows, columns = jj.arange(700) % 50 + 0, jj.arange(700) % 60 + 0
    jj.flush(rows * 2 - rows)  # the operators have learnt their loops
    seen: list[str] = []

    def watch(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and "jujunp" in frame.f_code.co_filename:
            seen.append(frame.f_code.co_name)

    machine.forget_calls()
    sys.setprofile(watch)
    try:
        x[rows, columns] = 2.0
        picked = x[rows, columns]
        x[rows, columns] = picked
        pending = x[rows * 2 - rows, columns + 0]
    finally:
        sys.setprofile(None)
    assert seen == []
    assert float(picked.sum()) == float(pending.sum()) == 1400.0


MANY: dict[str, tuple[int, Any]] = {
    "63 arrays": (64, lambda lib: (lib.array([0]),) * 63),
    "64 arrays": (64, lambda lib: (lib.array([0]),) * 64),
    "64 lists": (64, lambda lib: ([0],) * 64),
    "a number and 63 arrays": (64, lambda lib: (0, *(lib.array([0]),) * 63)),
    "64 arrays of an array of one axis": (1, lambda lib: (lib.array([0]),) * 64),
    "64 truth values": (1, lambda lib: (True,) * 64),
    "63 truth values": (1, lambda lib: (True,) * 63),
    "masks": (64, lambda lib: (lib.ones((1, 1), bool),) * 32),
    "fewer masks": (64, lambda lib: (lib.ones((1, 1), bool),) * 31),
    "64 numbers": (64, lambda lib: (0,) * 64),
}


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("writes", [False, True])
def test_too_many_index_arrays(name: str, writes: bool) -> None:
    rank, key = MANY[name]
    answers = []
    for lib in (np, jj):
        x: Any = lib.ones((1,) * rank)
        try:
            if writes:
                x[key(lib)] = 7.0
                answers.append(float(x.sum()))
            else:
                answers.append(x[key(lib)].shape)
        except IndexError as error:
            answers.append(str(error))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
def test_what_is_selected_lies_as_the_index_arrays_do(
    axes: tuple[int, ...], is_known: bool
) -> None:
    """That is so for indices of all axes; no slice may be among them."""

    def program(xp: Any) -> list[Any]:
        places = xp.arange(24).reshape(2, 3, 4).transpose(axes)
        x = xp.arange(30.0) * 2
        if is_known:
            float(x[0] + places[0, 0, 0])
        A = x.reshape(-1, 1)
        C = x.reshape(5, 3, 2)
        found = [
            x[places],
            A[places, 0],
            A[places, places % 1],
            C[places % 5, places % 3, places % 2],
            C[places % 5, places[:1] % 3, 1],
            C[places % 5, 1],
            C[1, places % 3],
        ]
        return [*found, *([n // one.itemsize for n in one.strides] for one in found[:4])]

    check(program)


LISTS: list[Any] = [
    np.s_[:, [0, 2]],
    np.s_[[0, 2], :],
    np.s_[[2, -1, 0], 1:],
    np.s_[..., [1]],
    np.s_[[0, 1], [1, 2]],
    np.s_[[[0], [1]], [1, 2]],
    np.s_[:, [True, False, True, True]],
    np.s_[:, []],
    np.s_[[0, 9], :],
    np.s_[:, [-5]],
    np.s_[:, [1.0, 2.0]],
    np.s_[:, (1.0, 2.0)],
    np.s_[:, np.array([1.0])],
    np.s_[:, [0, True]],
    np.s_[:, [2**70]],
    np.s_[None, [1, 0]],
    np.s_[[1, 0], None],
    np.s_[[1, 0], 1],
    np.s_[1, [1, 0]],
    np.s_[[], []],
    np.s_[[0, 1], [0, 1, 2]],
    np.s_[[None], 0],
    np.s_[["a"], 0],
]


@pytest.mark.parametrize("key", LISTS, ids=repr)
def test_lists_in_keys(key: Any) -> None:
    def outcome(call: Any) -> Any:
        try:
            return call()
        except Exception as error:
            return type(error), str(error)

    for _ in range(6):  # Python answers, and then what it has taught
        results = []
        for xp in (np, jj):
            x = xp.asarray(np.arange(12.0).reshape(3, 4).copy())
            found = outcome(lambda x=x: np.asarray(x[key]).tolist())
            written = outcome(lambda x=x: x.__setitem__(key, -1.0))
            results.append((found, written, np.asarray(x).tolist()))
        assert results[0] == results[1]


def test_lists_of_other_numbers_are_recorded_alike() -> None:
    x = jj.asarray(np.arange(81.0).reshape(9, 9).copy())
    for k in range(7):
        x[:, [k, 8]] = x[:, [8, k]] + 1
    jj.flush()
    for k in range(200):  # other tests have cost the function its credit
        x[:, [k % 7, 8]]
    assert python_frames(lambda: x[:, [7, 8]]) == []
    assert x[:, [7, 1]].tolist() == np.asarray(x)[:, [7, 1]].tolist()
