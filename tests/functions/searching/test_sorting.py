"""sort, argsort, lexsort, partition and searchsorted, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jujunp
from tests.support.differential import DTYPES, FLOATS, VIEWS, check, check_error, sample

SHAPES = ((1,), (5,), (16,), (17,), (200,), (3000,), (4, 3), (3, 1, 70), (0,), (0, 3), (3, 0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_axis(dtype):
    for shape in SHAPES:
        data = sample(shape, dtype).round() if dtype in FLOATS else sample(shape, dtype)
        for axis in (None, *range(-len(shape), len(shape))):
            check(lambda xp, a=axis, d=data: xp.sort(xp.asarray(d), axis=a) + 0)
            check(lambda xp, a=axis, d=data: xp.argsort(xp.asarray(d), axis=a, stable=True))


@pytest.mark.parametrize("view", VIEWS)
def test_views(view):
    data = sample((6, 20, 5), "int16")
    for axis in (0, 1, 2):
        check(lambda xp, a=axis: xp.sort(VIEWS[view](xp.asarray(data)), axis=a))
        check(lambda xp, a=axis: xp.sort(VIEWS[view](xp.asarray(data)), axis=a).strides)
        check(lambda xp, a=axis: VIEWS[view](xp.asarray(data)).argsort(a, stable=True))


@given(
    st.lists(st.floats(width=32) | st.sampled_from([np.nan, -0.0, 0.0, np.inf])),
    st.sampled_from(FLOATS),
)
def test_special_values(numbers, dtype):
    data = np.asarray(numbers, dtype)
    data[np.isnan(data)] = np.nan  # NumPy's sort forgets the sign of nan
    check(lambda xp: xp.sort(xp.asarray(data)) + 0.0)
    check(lambda xp: xp.argsort(xp.asarray(data), kind="stable"))


def _falling(line: np.ndarray) -> list[int]:
    """Return the places in descending order, nan last, those of equal elements rising."""
    places = sorted(range(len(line)), key=line.__getitem__, reverse=True)
    return sorted(places, key=lambda place: line[place] != line[place])


@pytest.mark.parametrize("dtype", DTYPES)
def test_descending(dtype):
    data = sample((3, 200), dtype).round() if dtype in FLOATS else sample((3, 200), dtype)
    wanted = np.array([_falling(line) for line in data])
    found = jujunp.argsort(data, descending=True)
    assert found.tolist() == wanted.tolist()
    ordered = np.take_along_axis(data, wanted, 1)
    x = jujunp.asarray(data)
    assert x.dtype == data.dtype
    assert np.asarray(jujunp.sort(x, 1, descending=True)).tobytes() == ordered.tobytes()
    x.sort(descending=True)
    assert np.asarray(x).tobytes() == ordered.tobytes()
    assert jujunp.sort(x, 0, descending=False).tolist() == np.sort(ordered, 0).tolist()
    with pytest.raises(ValueError, match="kind"):
        jujunp.sort(x, kind="stable", descending=True)


def test_in_place():
    def program(xp, select, **more):
        x = xp.asarray([[3, 1, 2], [9, 7, 8]])
        result = select(x).sort(**more)
        return result, x

    check(lambda xp: program(xp, lambda x: x))
    check(lambda xp: program(xp, lambda x: x, axis=0))
    check(lambda xp: program(xp, lambda x: x[:, ::2]))
    check(lambda xp: program(xp, lambda x: x.T, axis=0))
    check(lambda xp: program(xp, lambda x: x[0]))
    check(lambda xp: xp.asarray(3).sort())
    frozen = jujunp.asarray([2, 1])
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen.sort()


def test_lexsort():
    keys = np.random.default_rng(0).integers(0, 3, (4, 50))
    check(lambda xp: xp.lexsort(xp.asarray(keys)))
    check(lambda xp: xp.lexsort((xp.asarray(keys[0]), keys[1].astype("float32"), keys[2] > 1)))
    check(lambda xp: xp.lexsort(keys.reshape(4, 10, 5), axis=0))
    check(lambda xp: xp.lexsort(keys.reshape(4, 10, 5), axis=-1))
    many = np.random.default_rng(0).integers(0, 2, (40, 300))
    check(lambda xp: xp.lexsort(many))
    check(lambda xp: xp.lexsort([1, 2]))


@pytest.mark.parametrize("kth", [0, -1, [1, 3]])
def test_partition(kth):
    data = sample((5, 6), "int32")
    places = np.atleast_1d(kth)
    expected = np.sort(data, axis=1)
    for axis, x, wanted in ((1, data, expected), (0, data.T, expected.T)):
        found = np.asarray(jujunp.partition(x, kth, axis=axis))
        assert np.array_equal(found.take(places, axis), wanted.take(places, axis))
        order = np.asarray(jujunp.argpartition(x, kth, axis=axis))
        found = np.take_along_axis(x, order, axis)
        assert np.array_equal(found.take(places, axis), wanted.take(places, axis))
    x = jujunp.asarray(data)
    x.partition(kth)
    assert np.array_equal(np.asarray(x).take(places, 1), expected.take(places, 1))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted(dtype, side):
    data = np.sort(sample(40, dtype))
    for other in ("float64", "int8", dtype):
        for shape in ((), (3, 4), (0,)):
            values = sample(shape, other, 1)
            check(lambda xp, v=values: xp.searchsorted(xp.asarray(data), xp.asarray(v), side))
    check(lambda xp: xp.asarray(data).searchsorted(2, side))
    check(lambda xp: xp.searchsorted(xp.asarray(data)[::-2][::-1], [0, 3], side))


def test_searchsorted_in_order():
    check(lambda xp: xp.searchsorted([3, 1, 2], [1.5, 2], sorter=[1, 2, 0]))
    check(lambda xp: xp.searchsorted(xp.asarray([1, 2], "int8"), 300))
    check(lambda xp: xp.searchsorted([], [1.0, 2.0]))
    check(lambda xp: xp.searchsorted([1.0, np.inf, np.nan], [np.nan, 0.0, np.inf]))


ERRORS = [
    lambda xp: xp.sort(3),
    lambda xp: xp.sort([1], axis=1),
    lambda xp: xp.sort([1], kind="x"),
    lambda xp: xp.sort([1], order="x"),
    lambda xp: xp.sort([1], kind="quick", stable=True),
    lambda xp: xp.argsort([1], axis=3),
    lambda xp: xp.partition([1, 2], 5),
    lambda xp: xp.partition([1, 2], [0, -4]),
    lambda xp: xp.partition([1, 2], 1.5),
    lambda xp: xp.partition([1, 2], True),
    lambda xp: xp.partition(3, 0),
    lambda xp: xp.lexsort(()),
    lambda xp: xp.lexsort(([1, 2], [1, 2, 3])),
    lambda xp: xp.lexsort([[1, 2]], axis=3),
    lambda xp: xp.searchsorted([[1]], 1),
    lambda xp: xp.searchsorted(3, 1),
    lambda xp: xp.searchsorted([1], 1, side="x"),
    lambda xp: xp.searchsorted([1, 2], 1, sorter=[0]),
    lambda xp: xp.searchsorted([1, 2], 1, sorter=[0.0, 1]),
    lambda xp: xp.searchsorted([1, 2], 1, sorter=[[0, 1]]),
]


@pytest.mark.parametrize("program", ERRORS, ids=range(len(ERRORS)))
def test_errors(program):
    check_error(program)


def test_argsort_without_axes():
    check(lambda xp: xp.argsort(3))
    check(lambda xp: xp.argsort(xp.asarray(3), axis=None))
    check(lambda xp: xp.sort(xp.asarray(3), axis=None))


@pytest.mark.parametrize("name", ["partition", "argpartition"])
@pytest.mark.parametrize("kind", [1, None, "nonsense", "ä", "introselect"])
def test_kinds_of_partitions(name, kind):
    check_error(lambda xp: getattr(xp, name)(xp.arange(3), 1, kind=kind))
    check_error(lambda xp: getattr(xp.arange(3), name)(1, kind=kind))


@pytest.mark.parametrize("dtype", ["uint8", "uint64", "int8", "bool", "float64"])
def test_dtypes_of_places(dtype):
    for place in (1, [1, 2], 9):
        kth = np.array(place, dtype)
        check_error(lambda xp, k=kth: xp.partition(xp.arange(3), k))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("turned", [True, False])
def test_rows_in_falling_order(dtype, turned):
    """Strictly falling rows, which are turned round, and rows that fall but for one pair."""
    count = 120 if dtype == "int8" else 500
    row = np.arange(count)[::-1].astype(dtype)
    if not turned:
        row[count // 2] = row[count // 2 - 1]
    for function in (np.sort, np.argsort):
        expected = function(row, kind="stable")
        found = getattr(jujunp, function.__name__)(jujunp.array(row), kind="stable")
        np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("length", [255, 256, 3001])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool"])
def test_bytes_are_counted(dtype, length):
    """Rows of bytes from a length on, alone, with their places, and among several keys."""
    random = np.random.RandomState(length)
    given = random.randint(-128, 128, 2 * length).astype(dtype)
    other = random.randint(0, 3, length).astype("uint8")
    for row in (given[:length], given[::-2], given.reshape(length, 2)[:, 1]):
        check(lambda xp, x=row: xp.sort(xp.asarray(x)))
        check(lambda xp, x=row: xp.argsort(xp.asarray(x), kind="stable"))
        check(lambda xp, x=row: xp.lexsort((xp.asarray(x), xp.asarray(other))))
        check(lambda xp, x=row: xp.lexsort((xp.asarray(other), xp.asarray(x), xp.asarray(other))))
        check(lambda xp, x=row: xp.unique(xp.asarray(x), return_index=True, return_inverse=True))
    for axis in (0, 1):
        plane = given.reshape(2, length) if axis else given.reshape(length, 2)
        check(lambda xp, x=plane, at=axis: xp.sort(xp.asarray(x), at))
        check(lambda xp, x=plane, at=axis: xp.argsort(xp.asarray(x), at, stable=True))
