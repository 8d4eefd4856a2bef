"""unique and the set operations, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jujunp
from jujunp._functions.searching.sets import _MANY
from tests.support.differential import DTYPES, check, few

ALL = {"return_index": True, "return_inverse": True, "return_counts": True}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(20,), (3, 4, 5), (0,), (1,), ()], ids=str)
def test_unique(dtype, shape):
    data = few(shape, dtype)
    for wanted in itertools.product((False, True), repeat=3):
        check(lambda xp, w=wanted: xp.unique(xp.asarray(data), *w))
    check(lambda xp: tuple(xp.unique_all(xp.asarray(data))))
    check(lambda xp: tuple(xp.unique_counts(xp.asarray(data))))
    check(lambda xp: tuple(xp.unique_inverse(xp.asarray(data))))
    assert np.array_equal(jujunp.unique_values(data), np.unique(data))
    assert jujunp.unique_counts(data).counts.dtype == np.int64


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_along_an_axis(dtype):
    data = np.clip(few((6, 3, 2), dtype), 0, 1) if dtype != "bool" else few((6, 3, 2), dtype)
    for axis in (0, 1, -1):
        check(lambda xp, a=axis: xp.unique(xp.asarray(data), axis=a, **ALL))
    check(lambda xp: xp.unique(xp.asarray(data), axis=3))
    check(lambda xp: xp.unique(xp.zeros((0, 3)), axis=0))
    wide = few((40, 30), "int64") % 2
    check(lambda xp: xp.unique(np.concatenate((wide, wide)), axis=0, **ALL))


def test_unique_special_values():
    data = [np.nan, 1.0, np.nan, 0.0, -0.0, np.inf]
    check(lambda xp: xp.unique(data, return_counts=True)[1])
    check(lambda xp: xp.unique(data, equal_nan=False) + 0.0)
    check(lambda xp: xp.unique(data, **ALL)[2])
    check(lambda xp: xp.unique([np.nan, np.nan], return_inverse=True))


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_set_operations(dtype, name):
    for first, second in itertools.product(((20,), (3, 4), (0,)), repeat=2):
        x, y = few(first, dtype), few(second, "int64", 1)
        check(lambda xp, x=x, y=y: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))
    if name != "union1d":
        check(lambda xp: getattr(xp, name)([3, 1, 2], [2, 5], assume_unique=True))


def test_intersection_with_indices():
    x, y = few(20, "int32"), few(15, "float64", 1).round()
    check(lambda xp: xp.intersect1d(xp.asarray(x), y, return_indices=True))
    check(lambda xp: xp.intersect1d([3, 1, 2], [2, 5, 1], assume_unique=True, return_indices=True))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_isin(dtype, invert):
    for shape in ((4, 5), (), (0,)):
        for others in (few(7, "int64", 1), few(30, "int64", 1), [], 3, [[1.0, 2.0]]):
            check(
                lambda xp, s=shape, o=others: xp.isin(
                    xp.asarray(few(s, dtype)), xp.asarray(o), invert=invert
                )
            )


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize(
    ("dtype", "other"),
    [
        (x, y)
        for x, y in itertools.product(DTYPES, ("int8", "uint8", "int64", "uint64"))
        if np.dtype(x).kind in "iu" and np.result_type(x, y).kind in "iu"
    ],
)
def test_isin_of_integers_at_the_ends_of_their_range(dtype, other, invert):
    """A table begins at the least integer, from which the difference may overflow."""
    info, limits = np.iinfo(dtype), np.iinfo(other)
    ends = [info.min, info.min + 1, info.max - 60, info.max - 1, info.max]
    middle = range(max(info.min, -128), min(info.max, 255) + 1)
    x = np.resize(np.array([*ends, *middle], dtype), (2, _MANY))
    steps = range(0, 229, 12)
    for start in (limits.min, max(limits.min, -101), limits.max - steps[-1]):
        others = np.array([start + step for step in steps], other)
        for kind in (None, "sort"):
            check(lambda xp, o=others, k=kind: xp.isin(x, xp.asarray(o), invert=invert, kind=k))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("count", [1, 30])
@pytest.mark.parametrize(
    ("dtype", "other"), [("uint64", "int64"), ("int64", "uint64"), ("int8", "uint64")]
)
def test_isin_of_both_signs_is_exact(dtype, other, count, invert):
    """Against Python's integers: NumPy itself finds some by their bits, with kind="sort"."""
    info, limits = np.iinfo(dtype), np.iinfo(other)
    ends = [info.min, 0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, info.max - 1, info.max]
    x = np.array([n for n in ends if info.min <= n <= info.max], dtype)
    for start in (0, 2**53, 2**63 - count, limits.min, limits.max - count + 1):
        others = [start + k for k in range(count)]
        wanted = [(int(n) in others) != invert for n in x]
        found = jujunp.isin(jujunp.asarray(x), np.array(others, other), invert=invert)
        assert found.dtype == bool
        assert found.tolist() == wanted


def test_isin_leaves_integers_pending_that_are():
    x, others = jujunp.arange(_MANY) * 3, jujunp.arange(50) * 2
    found = jujunp.isin(x, others)
    assert others._value.buffer is None
    assert np.array_equal(found.to_numpy(), np.isin(np.arange(_MANY) * 3, np.arange(50) * 2))


def test_isin_special_values_and_errors():
    check(lambda xp: xp.isin([1.0, np.nan, np.inf], [np.nan, np.inf]))
    check(lambda xp: xp.isin([1.0, np.nan, np.inf], [np.nan, np.inf] * 20))
    check(lambda xp: xp.isin([-0.0], [0.0]))
    check(lambda xp: xp.isin([1], [1], kind="x"))
    check(lambda xp: xp.isin([1.5], [1], kind="table"))
    check(lambda xp: xp.isin([1], [1, 2], kind="table"))


@pytest.mark.parametrize("number", [2**64 - 1, 2**63, 2**63 - 1, -1])
def test_large_integers_are_unsigned(number):
    data = np.array([1, 5, 2**63, 2**64 - 1], np.uint64)
    check(lambda xp: xp.isin(number, xp.asarray(data)))
    check(lambda xp: xp.isin(xp.asarray(data), number))
    check(lambda xp: (xp.ravel(xp.max(number)), xp.stack([number, number]), xp.ravel(number)))


def test_unique_knows_nan_in_complex_numbers_and_along_the_axis_of_a_vector():
    nan = float("nan")
    x = [1, complex(nan, 0), 2, complex(0, nan), complex(nan, nan), 1]
    for more in ({}, {"equal_nan": False}, {"return_counts": True, "return_inverse": True}):
        check(lambda xp, more=more: xp.unique(xp.array(x), **more))
    for axis in (0, -1, 1):
        check(lambda xp, axis=axis: xp.unique(xp.array([nan, 0, 0, nan]), axis=axis))


def test_isin_refuses_tables_beyond_the_dtype():
    x = [0, 1, 5]
    for dtype in ("int8", "int16", "uint8"):
        others = np.array([-128, 0, 127]).astype(dtype)
        check(lambda xp, y=others: xp.isin(xp.array(x), xp.array(y), kind="table"))
