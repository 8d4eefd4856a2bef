"""Few known elements that index arrays and masks pick: read and written at once."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.values.value import LOG
from tests.calls.support import python_frames

DTYPES = ["?", "b", "H", "l", "f", "d", "F", "D"]


def _views(x: Any) -> list[Any]:
    return [x, x[1:-1], x[::-2], x[3:4]]


def _keys(n: int, rng: np.random.Generator) -> list[np.ndarray]:
    return [
        rng.integers(-n, n, 4),
        rng.integers(0, n, (2, 3)),
        np.repeat(np.arange(n), 2)[::-1],
        rng.random(n) < 0.5,
        np.zeros(n, bool),
        np.arange(n + 1),
        np.array([-n - 1]),
        np.ones(n + 1, bool),
        rng.integers(0, n, 3).astype("int32"),
        rng.integers(-n, n, 3).astype("int8"),
        rng.integers(0, n, 3).astype("uint64"),
        np.array([n], "uint8"),
        np.array([-n - 1, 0], "int16"),
        np.arange(n, dtype="uint32")[::2],
        np.zeros(2, "float64"),
    ]


def _answer(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except (IndexError, ValueError, TypeError, OverflowError) as error:
        return type(error)


def _same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, type):
        assert ours is theirs
        return
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(np.asarray(ours), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pending", [False, True])
def test_elements_are_picked(dtype: str, pending: bool) -> None:
    rng = np.random.default_rng(5)
    whole = rng.integers(0, 99, 9).astype(dtype)
    for k in range(4):
        for key in _keys(len(_views(whole)[k]), rng):
            given = jj.asarray(whole)
            ours = _views(given * given.dtype.type(1) if pending else given)[k]
            index = jj.asarray(key)
            wanted = _answer(operator.getitem, _views(whole)[k], key)
            _same(_answer(operator.getitem, ours, index), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pending", [False, True])
def test_elements_are_written(dtype: str, pending: bool) -> None:
    rng = np.random.default_rng(6)
    for k in range(4):
        for key in _keys(len(_views(np.zeros(9))[k]), rng):
            count = key.sum() if key.dtype == bool else key.size
            row = rng.integers(0, 9, count).astype(dtype)
            for item in (
                1,
                1.5,
                300,
                row,
                row[:1],
                np.ones(3, dtype),
                row[::-1],
                -1,
                2j,
                row * 1.0,
            ):
                theirs = rng.integers(0, 99, 9).astype(dtype)
                ours = jj.asarray(theirs)
                if pending:
                    ours = ours * ours.dtype.type(1)
                index = jj.asarray(key)
                given = jj.asarray(item) if isinstance(item, np.ndarray) else item
                with np.errstate(all="ignore"):
                    wanted = _answer(operator.setitem, _views(theirs)[k], key, item)
                found = _answer(operator.setitem, _views(ours)[k], index, given)
                if np.iscomplexobj(item) and dtype not in "FD":
                    continue  # NumPy warns, or refuses
                if isinstance(wanted, type) or isinstance(found, type):
                    assert isinstance(wanted, type) == isinstance(found, type), (key, item)
                _same(ours, theirs)


def test_masks_of_several_axes() -> None:
    rng = np.random.default_rng(7)
    for shape in ((3, 4), (2, 2, 3), (1, 5)):
        theirs, mask = rng.random(shape), rng.random(shape) < 0.6
        ours, ours_mask = jj.asarray(theirs), jj.asarray(mask)
        for turn in (lambda x: x, lambda x: x.T, lambda x: x[:, 1:]):
            _same(turn(ours)[turn(ours_mask)], turn(theirs)[turn(mask)])
            turn(ours)[turn(ours_mask)] = -1.0
            turn(theirs)[turn(mask)] = -1.0
            _same(ours, theirs)
            turn(ours)[turn(ours_mask)] = turn(ours)[turn(ours_mask)] * 2.0
            turn(theirs)[turn(mask)] *= 2.0
            _same(ours, theirs)


@pytest.mark.parametrize("dtype", ["?", "h", "f", "d", "D"])
def test_few_rows_are_picked_at_once(dtype: str) -> None:
    theirs = (np.random.default_rng(5).random((9, 4, 3)) * 9).astype(dtype)
    ours = jj.array(theirs)  # asarray would share memory: all is computed at once there
    jj.flush()
    for view in (lambda x: x, lambda x: x[2:], lambda x: x[::-2], lambda x: x[:, 1], lambda x: x.T):
        for key in ([0], [2, -1, 2], [[0, 1], [-2, 0]], []):
            index = np.array(key, dtype=int)
            found = view(ours)[jj.array(index)]
            assert found.tobytes() == view(theirs)[index].tobytes()
            assert found.shape == view(theirs)[index].shape
        with pytest.raises(IndexError):
            view(ours)[jj.array([0, 40])]
    rows, index = ours[1:], jj.array([3, 1])
    jj.flush()
    wanted, picked = theirs[[4, 2]], rows[index]
    assert not LOG
    rows[3] = 0  # after it was picked
    assert picked.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["?", "h", "f", "d", "D"])
@pytest.mark.parametrize("shape", [(6, 5), (4, 3, 5), (30, 40)])
def test_masks_of_parts(dtype: str, shape: tuple[int, ...]) -> None:
    """Of few elements and of many, however they lie; masks of all axes and of the first ones."""
    rng = np.random.default_rng(11)
    theirs = (rng.random(shape) * 9).astype(dtype)
    ours = jj.asarray(theirs)
    for view in (
        *(lambda x: x[1:, 1:-1], lambda x: x[:, 1:2], lambda x: x[::-1, ::2], lambda x: x.T),
        *(lambda x: x[:1, 1:], lambda x: x[..., :0], lambda x: np.moveaxis(x, 0, -1)[1:]),
    ):
        wanted, found = view(theirs), view(ours)
        for axes in range(1, wanted.ndim + 1):
            mask = rng.random(wanted.shape[:axes]) < 0.5
            for turned in (mask, np.asfortranarray(mask)):
                key = jj.array(turned)
                _same(found[key], wanted[turned])
                _same(found[~key], wanted[~turned])
    if theirs.size < 100:
        part, mask = ours[1:, 1:-1], ours[1:, 1:-1] != 0
        jj.flush()
        assert not python_frames(lambda: part[mask])
        picked = part[mask]
        assert not LOG
        del picked


def test_what_others_see_stays() -> None:
    x = jj.arange(6.0) + 0.0
    index = jj.asarray([0, 2])
    exported, pending, copied = np.asarray(x), x * 1.0, x.copy()
    x[index] = -1.0
    x[x > 3] = 9.0
    assert pending.tolist() == copied.tolist() == [0, 1, 2, 3, 4, 5]
    assert exported.tolist() == x.tolist() == [-1, 1, -1, 3, 9, 9]
    for write in (
        lambda x: x.__setitem__(index, -1.0),
        lambda x: x.__setitem__(slice(1, 3), -1.0),
        lambda x: x.__setitem__(2, -1.0),
    ):
        x = jj.arange(6.0) + 0.0
        jj.flush()
        pending, copied = x * 1.0, x.copy()
        write(x)
        assert pending.tolist() == copied.tolist() == [0, 1, 2, 3, 4, 5]
        assert x.tolist().count(-1.0) in (1, 2)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[index] = 0.0


def test_an_index_array_written_by_itself() -> None:
    ours, theirs = jj.asarray([2, 0, 1, 1]), np.array([2, 0, 1, 1])
    for x in (ours, theirs):
        x[x] = 3
    assert ours.tolist() == theirs.tolist()


def test_nothing_of_it_is_python() -> None:
    x, index, mask = jj.arange(8.0), jj.asarray([1, -1]), jj.arange(8) > 5
    jj.flush()
    row = jj.asarray([5.0, 6.0])

    def call() -> None:
        x[index], x[mask]
        x[index] = 2.0
        x[mask] = row
        x[index] = row

    count = len(LOG)
    assert not python_frames(call)
    assert len(LOG) == count


def test_elements_of_an_array_written_to_itself() -> None:
    """What is written is what the array held before."""
    for place in ([1, 2, 3], [2, 1, 0]):
        theirs = np.arange(5.0)
        ours = jj.asarray(theirs)
        theirs[np.array(place)] = theirs[:3].copy()
        ours[jj.asarray(place)] = ours[:3]
        assert ours.tolist() == theirs.tolist()
    ours = jj.arange(6.0) + 0.0
    jj.flush()
    ours[1:] = ours[:-1]
    assert ours.tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
def test_runs_of_adjacent_elements(dtype: str) -> None:
    """Masks and index arrays whose places follow one another here and there, and repeat."""
    rng = np.random.default_rng(0)
    theirs = rng.integers(0, 100, 3000).astype(dtype)
    new = rng.integers(0, 100, 6000).astype(dtype)
    mask = np.repeat(rng.random(300) < 0.5, 10)
    nearly = [10, 3, 99, 13, 14, 15, 16, 17] * 3
    places = np.concatenate([nearly, np.arange(7, 1500), rng.integers(-3000, 3000, 700), [5] * 20])
    places = np.concatenate([places, np.arange(2999, 2000, -1), np.arange(-30, -1)])
    for key in (mask, places, places[::-1].copy()):
        ours, wanted = jj.asarray(theirs), theirs.copy()
        _same(ours[jj.asarray(key)], wanted[key])
        values = new[: wanted[key].size]
        ours[jj.asarray(key)] = jj.asarray(values)
        wanted[key] = values
        _same(ours, wanted)


_SHAPES = [(700,), (900, 3), (40, 2, 5)]
_PLACES = [(600,), (30, 40), (1,), (2, 3, 101)]


@pytest.mark.parametrize("dtype", ["bool", "int32", "float64", "complex128"])
@pytest.mark.parametrize("pending", [False, True])
def test_many_are_picked_and_written(dtype: str, pending: bool) -> None:
    """Of arrays of several axes, and parts of them; by index arrays and masks."""
    rng = np.random.default_rng(0)
    for shape in _SHAPES:
        for part in (slice(None), slice(None, None, -2), slice(3, -3)):
            keys = [rng.integers(-10, 10, places) for places in _PLACES]
            keys.append(rng.random(np.zeros(shape)[part].shape) < 0.5)
            for key in keys:
                theirs = rng.integers(0, 50, shape).astype(dtype)
                ours = jj.asarray(theirs) + (jj.zeros((), dtype) if pending else 0)
                if not pending:
                    ours = jj.asarray(theirs)
                known = jj.asarray(key)
                found = theirs[part][key]
                _same(ours[part][known], found)
                new = rng.integers(0, 50, found.shape).astype(dtype)
                ours[part][known], theirs[part][key] = jj.asarray(new)[::1], new
                _same(ours, theirs)
                ours[part][known], theirs[part][key] = ours[part][known], theirs[part][key]
                _same(ours, theirs)


def test_many_indices_are_recorded_without_python() -> None:
    x, index = jj.arange(900.0) + 0.0, jj.asarray(np.arange(-900, 900))
    y = jj.arange(1800.0) + 0.0
    jj.flush()
    assert python_frames(lambda: operator.getitem(x, index)) == []
    assert python_frames(lambda: operator.setitem(x, index, y)) == []
    assert x.tolist() == (np.arange(900.0) + 900).tolist()
    assert index._value.within == (-900, 900)


@pytest.mark.parametrize("bad", [900, -901, 1 << 40])
def test_an_index_of_many_is_out_of_bounds(bad: int) -> None:
    x = jj.arange(900.0)
    for place in (0, 777, 1799):
        key = np.arange(1800) % 900
        key[place] = bad
        index = jj.array(key)
        message = f"index {bad} is out of bounds for axis 0 with size 900"
        with pytest.raises(IndexError, match=message):
            x[index]
        with pytest.raises(IndexError, match=message):
            x[index] = jj.zeros(1800)
        with pytest.raises(ValueError, match="shape mismatch"):
            x[jj.asarray(np.arange(900))] = jj.zeros(1800)
        with jj.deferred_errors():
            found = x[index]
            with pytest.raises(IndexError, match=message):
                jj.flush()
        del found
    assert x.tolist() == list(range(900))


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_an_index_array_without_axes(shape: tuple[int, ...]) -> None:
    theirs, key = np.arange(float(np.prod(shape))).reshape(shape), np.array(1)
    ours, known = jj.asarray(theirs), jj.asarray(key)
    for one, its in ((known, key), ((known,), (key,))):
        _same(ours[one], theirs[its])
        assert type(ours[one]) is (jj.ndarray if len(shape) > 1 else type(ours[(1,) * len(shape)]))
        ours[one], theirs[its] = ours[2], theirs[2]
        _same(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pending", [False, True])
def test_numbers_are_written_where_a_mask_is_true(dtype: str, pending: bool) -> None:
    """On vectors, and what is left of them; beyond 8,192 elements by a step."""
    for size in (*range(1, 20), 31, 32, 33, 100, 8191, 8192, 8193, 17000):
        rng = np.random.default_rng(size)
        base = (rng.random(size) * 5).astype(dtype)
        picks = rng.random(size)
        for view in (lambda x: x, lambda x: x[1:], lambda x: x[::-1], lambda x: x[::2]):
            theirs, ours = base.copy(), jj.array(base)
            mask, own = view(picks) > 0.5, view(jj.array(picks)) > 0.5
            if not pending:
                jj.flush()
            for number in (1, True) if dtype == "?" else (1, 0, True):
                view(theirs)[mask] = number
                view(ours)[own] = number
            _same(ours, theirs)


def test_no_python_for_numbers_where_a_mask_is_pending() -> None:
    for size in (64, 8192):
        x, A = jj.zeros(size), jj.zeros((8, size // 8))
        for k in range(6):
            mask, grid = x < k, k > A

            def write(k: int = k, mask: Any = mask, grid: Any = grid) -> None:
                x[mask] = k  # noqa: B023
                A[grid] = 0.5  # noqa: B023

            assert not python_frames(write)
            jj.flush()


def test_an_array_of_truth_values_picks_its_own_elements() -> None:
    theirs, ours = np.arange(40) % 3 == 0, jj.arange(40) % 3 == 0
    for a in (theirs, ours):
        a[a] = False
        a[~a] = True
    _same(ours, theirs)


def test_nothing_is_written_where_a_mask_picks_nothing() -> None:
    nothing = jj.broadcast_to(jj.ones(1)[1:], (0,))
    x = jj.arange(32.0)
    x[x > 99] = nothing
    x[x > 99] = 5.0
    _same(x, np.arange(32.0))


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["l", "d", "i", "f", "?"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_elements_are_combined(name: str, dtype: str) -> None:
    rng = np.random.default_rng(8)
    whole = np.array([3, 0, -2, 5, 1, 7, -4, 2, 2]).astype(dtype)
    for key in _keys(9, rng):
        count = key.sum() if key.dtype == bool else key.size
        row = rng.integers(-9, 9, count).astype(dtype)
        items = [1, 2.5, True, row, row[:1], row[::-1], np.float64(0.5)]
        items += [float("nan"), 1e300, -np.inf, np.where(row > 2, np.nan, 1.0)]
        for item in items:
            for view in range(4):
                theirs, given = whole.copy(), jj.asarray(whole.copy())
                value = jj.asarray(item) if isinstance(item, np.ndarray) else item
                wanted = _answer(getattr(np, name).at, _views(theirs)[view], key, item)
                ours = _views(given)[view]
                found = _answer(getattr(jj, name).at, ours, jj.asarray(key), value)
                if wanted is not IndexError or found is not ValueError:  # of two errors one is told
                    assert found is wanted
                if wanted is None:
                    _same(given, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 63, 64, 65, 200, 20_000])
def test_masks_in_words(dtype: str, size: int) -> None:
    """All true, all false, few and many true, and runs: elements are moved by words of a mask."""
    rng = np.random.default_rng(size)
    theirs = rng.integers(0, 100, 3 * size).astype(dtype)
    runs = np.repeat(rng.random(size // 50 + 1) < 0.5, 50)[:size]
    masks = [rng.random(size) < share for share in (0, 0.02, 0.5, 0.98, 1)]
    for picks in (*masks, runs, ~runs):
        for view in (slice(size), slice(None, None, 3), slice(2 * size - 1, size - 1, -1)):
            ours = jj.array(theirs)
            mask = jj.array(picks)
            _same(ours[view][mask], theirs[view][picks])
            _same(mask.nonzero()[0], picks.nonzero()[0])
            wanted = theirs.copy()
            wanted[view][picks] = theirs[size:][: picks.sum()]
            ours[view][mask] = ours[size:][: picks.sum()].copy()
            _same(ours, wanted)
            ours[view][mask], wanted[view][picks] = 1, 1
            _same(ours, wanted)


@pytest.mark.parametrize("pending", ["x", "mask", "both", "none"])
def test_large_masks_of_pending_arrays(pending: str) -> None:
    rng = np.random.default_rng(1)
    theirs, row = rng.random((2, 30_000))
    x, y = jj.array(theirs), jj.array(row)
    if pending in ("x", "both"):
        x, theirs = x + 1, theirs + 1
    mask, picks = y > 0.3, row > 0.3
    if pending in ("x", "none"):
        assert mask.any()
    _same(x[mask], theirs[picks])
    x = x + 0 if pending in ("x", "both") else x
    x[mask], theirs[picks] = y[mask], row[picks]
    _same(x, theirs)
