"""diff, gradient, cross, interp and unwrap, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.differential import DTYPES, check


def data(xp, dtype="int64", shape=(3, 4)):
    size = int(np.prod(shape))
    return xp.asarray(((np.arange(size) * 7) % 11).astype(dtype).reshape(shape))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_diff(dtype, axis, n):
    check(lambda xp: xp.diff(data(xp, dtype), n, axis))
    check(lambda xp: xp.diff(data(xp, dtype).T, n, axis))


def test_diff_arguments():
    check(lambda xp: xp.diff(5))
    check(lambda xp: xp.diff([1, 2], -1))
    check(lambda xp: xp.diff([1, 2], axis=3))
    check(lambda xp: xp.diff([]))
    check(lambda xp: xp.diff([1, 5, 2], prepend=0))
    check(lambda xp: xp.diff([1, 5, 2], append=[2.5, 3]))
    check(lambda xp: xp.diff(data(xp), axis=0, prepend=7, append=[[1, 2, 3, 4]]))
    check(lambda xp: xp.diff(data(xp), axis=0, prepend=[1, 2]))


def test_ediff1d():
    check(lambda xp: xp.ediff1d([1, 5, 2]))
    check(lambda xp: xp.ediff1d(data(xp).T, to_end=[1, 2]))
    check(lambda xp: xp.ediff1d([1, 5, 2], to_begin=-1, to_end=[[7], [8]]))
    check(lambda xp: xp.ediff1d([1, 5, 2], to_begin=1.5))
    check(lambda xp: xp.ediff1d([1, 5, 2], to_end=1.5))
    check(lambda xp: xp.ediff1d([]))
    check(lambda xp: xp.ediff1d([], to_end=[1.0]))


SPACINGS = [
    (),
    (2,),
    (0.5,),
    (2.0, 3.0),
    ([0, 1, 3], [0, 1, 2, 5]),
    ([0, 1, 2], [0.0, 0.5, 1, 1.5]),
    (1, [0.0, 1, 4, 9]),
    (1, 2, 3),
    ([1, 2],),
    ([[1]], 1),
]


@pytest.mark.parametrize("spacing", SPACINGS, ids=repr)
@pytest.mark.parametrize("edge_order", [1, 2, 3])
def test_gradient(spacing, edge_order):
    for dtype in ("int64", "float64", "uint8"):
        check(
            lambda xp, d=dtype: xp.gradient(data(xp, d), *spacing, edge_order=edge_order),
            rtol=1e-13,
        )
    check(lambda xp: xp.gradient(data(xp).T * 1.5, *spacing, edge_order=edge_order), rtol=1e-13)


def test_gradient_arguments():
    check(lambda xp: xp.gradient(data(xp, "float32")))
    check(lambda xp: xp.gradient(data(xp), axis=1))
    check(lambda xp: xp.gradient(data(xp), axis=(1, 0)))
    check(lambda xp: xp.gradient(data(xp), [0, 1, 5], axis=0), rtol=1e-13)
    check(lambda xp: xp.gradient(data(xp), axis=5))
    check(lambda xp: xp.gradient([1.0]))
    check(lambda xp: xp.gradient([1.0, 2.0], edge_order=2))
    check(lambda xp: xp.gradient([True, False, True]))


@pytest.mark.filterwarnings("ignore:.*2-dimensional vectors:DeprecationWarning")
def test_cross():
    for a, b in (
        ([1, 2, 3], [4, 5, 6]),
        ([1, 2], [4, 5]),
        ([1, 2], [4, 5, 6]),
        ([1.5, 2, 3], [4, 5]),
        ([[1, 2, 3], [4, 5, 6]], [7, 8, 9]),
        ([1, 2, 3, 4], [1, 2, 3]),
        (1, [1, 2, 3]),
        (np.uint8([200, 100, 3]), np.uint8([4, 5, 6])),
    ):
        check(lambda xp, a=a, b=b: xp.cross(a, b))
    check(lambda xp: xp.cross(data(xp, shape=(3, 5)), data(xp, shape=(3, 5))[::-1], axis=0))
    check(lambda xp: xp.cross(data(xp, shape=(3, 5)), data(xp, shape=(5, 3)), 0, 1, 0))
    check(lambda xp: xp.cross(data(xp, shape=(3, 5)), data(xp, shape=(5, 3)), axis=7))


PLACES = [0.5, [-1.0, 0, 0.25, 1, 2.5, 3, 4, np.nan, np.inf, -np.inf], [[1, 2]], []]


@pytest.mark.parametrize("places", PLACES, ids=repr)
@pytest.mark.parametrize(
    ("xp_", "fp"),
    [
        ([0, 1, 3], [5.0, -2, 8]),
        ([0, 1, 1, 3], [5, 6, 7, 8]),
        ([1.0], [5.0]),
        ([0, 1, 2], [1, np.inf, 3]),
        ([0, 1, 2], [np.inf, np.inf, 3]),
        ([], []),
        ([1, 2], [3]),
        ([[1]], [3]),
    ],
)
def test_interp(places, xp_, fp):
    check(lambda xp: xp.interp(xp.asarray(places), xp_, fp))
    check(lambda xp: xp.interp(places, xp.asarray(xp_), fp, -100, 100))


SAMPLE_COUNTS = (1, 2, 3, 5, 16, 17, 40, 700)


@pytest.mark.parametrize("count", SAMPLE_COUNTS)
@pytest.mark.parametrize("kind", ["random", "even", "equal places", "complex", "odd values"])
def test_interp_between_many_samples(kind, count):
    rng = np.random.default_rng(count)
    places = np.sort(rng.random(count)) if kind != "even" else np.linspace(0, 1, count)
    if kind == "equal places":
        places = np.sort(rng.integers(0, 3, count) / 2)
    values = rng.random(count) + (1j * rng.random(count) if kind == "complex" else 0)
    if kind == "odd values":
        values[rng.random(count) < 0.4] = np.inf
        values[rng.random(count) < 0.2] = np.nan
    x = np.concatenate([places, rng.uniform(-0.1, 1.1, 1200), [np.nan, np.inf, -np.inf, 0.0]])
    for at in (x, np.sort(x), x[:1], np.sort(x)[::-1], x.repeat(2)[::2], x[:1200].reshape(3, -1)):
        check(lambda xp, at=at: xp.interp(xp.asarray(at), xp.asarray(places), xp.asarray(values)))
    check(lambda xp: xp.interp(xp.asarray(x[::-2]), xp.asarray(places), values, -1, 3.5))
    check(lambda xp: xp.interp(x, xp.asarray(places)[::-1][::-1], xp.asarray(values), right=2))


ENDS = [2.5, 7, True, np.float32(2), 1 + 2j, [1.0], [1, 2], "a", np.array(1j), np.array([1, 2])]


@pytest.mark.parametrize("end", ENDS, ids=repr)
@pytest.mark.parametrize("values", [[1.0, 2.0], [1j, 2.0]], ids=repr)
def test_interp_with_what_is_given_at_an_end(values, end):
    check(lambda xp: xp.interp([0.5, 3.0], [1, 2], xp.asarray(values), left=end))
    check(lambda xp: xp.interp([0.5, 3.0], [1, 2], xp.asarray(values), right=end))
    if not isinstance(end, (list, str)):
        check(lambda xp: xp.interp(0.5, [1, 2], xp.asarray(values), left=xp.asarray(end)))


def test_interp_with_a_period():
    check(lambda xp: xp.interp([-180, -5, 200, 365], [190, 10, 350], [5, 10, 3], period=360))
    check(lambda xp: xp.interp([1], [1, 2], [3, 4], period=0))
    check(lambda xp: xp.interp([1], [1, 2], [3], period=5))


def test_unwrap():
    check(lambda xp: xp.unwrap([0.0, 3.5, 7, -1, 0.5]))
    check(lambda xp: xp.unwrap([0, 1, 2, -1, 0], period=4))
    check(lambda xp: xp.unwrap([0, 1, 2, -1, 0], period=5))
    check(lambda xp: xp.unwrap(data(xp), axis=0, discont=5))
    check(lambda xp: xp.unwrap(data(xp, "float32") * 2, discont=1), rtol=1e-6)
