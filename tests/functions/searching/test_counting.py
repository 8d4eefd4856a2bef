"""bincount, digitize and histograms, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from jujunp._array.arguments import NUMPY
from tests.support.differential import FLOATS, INTEGERS, check, few, sample


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
def test_bincount(dtype):
    data = few(60, dtype)
    weights = sample(60, "float64")
    check(lambda xp: xp.bincount(xp.asarray(data)))
    check(lambda xp: xp.bincount(xp.asarray(data), minlength=20))
    check(lambda xp: xp.bincount(xp.asarray(data)[::-2], minlength=2))
    check(lambda xp: xp.bincount(xp.asarray(data), xp.asarray(weights)))
    check(lambda xp: xp.bincount(xp.asarray(data), weights.astype("float32"), 15))


BINCOUNTS = [
    lambda xp: xp.bincount([]),
    lambda xp: xp.bincount([], minlength=3),
    lambda xp: xp.bincount([1.0, 2]),
    lambda xp: xp.bincount([1, 2, -1]),
    lambda xp: xp.bincount(xp.asarray([1.0])),
    lambda xp: xp.bincount(xp.asarray([[1]])),
    lambda xp: xp.bincount(3),
    lambda xp: xp.bincount([1, 2], weights=[1, 2, 3]),
    lambda xp: xp.bincount([1], minlength=-1),
    lambda xp: xp.bincount([1], minlength=1.5),
    lambda xp: xp.bincount([1], minlength=None),
]


@pytest.mark.parametrize("program", BINCOUNTS, ids=range(len(BINCOUNTS)))
def test_bincount_of_odd_arguments(program):
    check(program)


@pytest.mark.skipif(NUMPY >= (2, 5), reason="NumPy has deprecated it in 2.4, and refuses it now")
@pytest.mark.filterwarnings("default")
def test_bincount_of_floats_in_lists():
    for xp in (np, jujunp):
        with pytest.warns(DeprecationWarning, match="Non-integer input passed to bincount"):
            assert xp.bincount([0.5, 2.5]).tolist() == [1, 0, 1]


def test_bincount_of_an_image():
    image = np.random.default_rng(0).integers(0, 256, (300, 200), "uint8")
    check(lambda xp: xp.bincount(xp.asarray(image).ravel(), minlength=256))
    check(lambda xp: xp.cumsum(xp.bincount(xp.asarray(image).ravel()))[image])


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[1, 3.0, 9], [9, 7, 7, 1], [4], [2, 2]], ids=str)
def test_digitize(bins, right):
    for dtype in (*INTEGERS, *FLOATS):
        data = few((4, 5), dtype)
        check(lambda xp, d=data: xp.digitize(xp.asarray(d), xp.asarray(bins), right=right))
    check(lambda xp: xp.digitize(3, bins, right))


def test_digitize_errors():
    check(lambda xp: xp.digitize([1], [2, 1, 3]))
    check(lambda xp: xp.digitize([1], [[1, 2]]))
    check(lambda xp: xp.digitize([1], 3))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("bins", [1, 3, 10, 77, [1.5, 3, 7, 9], [3, 7, 7, 20]], ids=str)
def test_histogram(dtype, bins):
    data = few((30, 20), dtype)
    weights = few((30, 20), "int64", 1)
    check(lambda xp: xp.histogram(xp.asarray(data), bins))
    check(lambda xp: xp.histogram(xp.asarray(data), bins, density=True))
    check(lambda xp: xp.histogram(xp.asarray(data), bins, weights=weights))
    check(lambda xp: xp.histogram_bin_edges(xp.asarray(data), bins))
    if isinstance(bins, int):
        check(lambda xp: xp.histogram(xp.asarray(data), bins, range=(2, 5)))


HISTOGRAMS = [
    lambda xp: xp.histogram([], 2),
    lambda xp: xp.histogram([1, 1], 2),
    lambda xp: xp.histogram([True, False], 2),
    lambda xp: xp.histogram([1.0, np.nan, 2.0], [0, 1, 3]),
    lambda xp: xp.histogram([1, 2], [0, 2, 1, 3]),
    lambda xp: xp.histogram([1, 2], 0),
    lambda xp: xp.histogram([1, 2], 1.5),
    lambda xp: xp.histogram([1, 2], [[1, 2]]),
    lambda xp: xp.histogram([1, 2], 2, range=(3, 1)),
    lambda xp: xp.histogram([1, 2], 2, range=(0, np.inf)),
    lambda xp: xp.histogram([1, np.nan]),
    lambda xp: xp.histogram([1, 2], weights=[1, 2, 3]),
]


@pytest.mark.parametrize("program", HISTOGRAMS, ids=range(len(HISTOGRAMS)))
def test_histogram_of_odd_arguments(program):
    check(program)


def test_edges_by_a_method_are_numpys(monkeypatch):
    monkeypatch.setenv("JUJUNP_STRICT", "0")
    check(lambda xp: xp.histogram([1.0, 2, 2, 5], bins="auto"))
    monkeypatch.setenv("JUJUNP_STRICT", "1")
    with pytest.raises(jujunp.HostFallbackError, match="histogram_bin_edges"):
        jujunp.histogram([1.0, 2.0], bins="auto")


def test_no_integers_count_as_int64():
    check(lambda xp: xp.bincount(xp.asarray([], "int64"), xp.asarray([]), minlength=2))


def test_histograms_that_are_refused():
    check(lambda xp: xp.histogram(xp.array([1, 1 + 2e-16] * 10), bins=10))
    check(lambda xp: xp.histogram(xp.array([1.0, 2]), bins=3, range=(1, 1 + 4e-16)))
    check(lambda xp: xp.histogram(xp.array([1, 2, 3]), "auto", weights=[1, 2, 3]))
    check(lambda xp: xp.histogram_bin_edges(xp.array([1, 2, 3]), "fd", weights=[1, 2, 3]))
    check(lambda xp: xp.digitize([1, 2, 3], xp.array([1, 2, 3 + 1j])))


def test_histograms_of_bool_warn():
    for xp in (np, jujunp):
        with pytest.warns(RuntimeWarning, match="Converting input from bool"):
            counts, _ = xp.histogram(xp.array([True, True, False]))
        assert counts.tolist() == [1, *[0] * 8, 2]


def test_array_likes_that_give_arrays_of_ours():
    class Like:
        def __init__(self, xp):
            self.x = xp.array([0, 1, 1, 3])

        def __array__(self, dtype=None, copy=None):
            return self.x

    check(lambda xp: xp.bincount(Like(xp)))
    check(lambda xp: xp.add(Like(xp), 1))


WEIGHTS = {
    "floats": lambda xp, n: xp.linspace(-1, 2, n) ** 3,
    "integers": lambda xp, n: xp.arange(n) - 3,
    "flags": lambda xp, n: xp.arange(n) % 2 == 0,
    "single precision": lambda xp, n: xp.arange(n, dtype="float32") / 7,
    "pending": lambda xp, n: (xp.arange(2 * n) * 0.3)[::2],
    "nan": lambda xp, n: xp.where(xp.arange(n) == 2, xp.nan, xp.inf),
    "too many": lambda xp, n: xp.arange(n + 1.0),
    "of two axes": lambda xp, n: xp.ones((1, n)),
    "a list": lambda xp, n: [0.5] * n,
    "none": lambda xp, n: None,
}


@pytest.mark.parametrize("weights", WEIGHTS)
def test_bincount_of_few_weights(weights):
    for places in ([3, 1, 1, 0, 3, 3, 7], [2], [], [0] * 40, [5000, 1]):
        if not places and weights in ("too many", "of two axes"):
            continue  # NumPy does not look at the weights of nothing
        for options in ({}, {"minlength": 12}):

            def program(xp, places=places, options=options):
                x = xp.array(places, dtype="int64")
                return xp.bincount(x, weights=WEIGHTS[weights](xp, len(places)), **options)

            def by_place(xp, places=places, options=options):
                x = xp.array(places, dtype="int64")
                return xp.bincount(x, WEIGHTS[weights](xp, len(places)), **options)

            check(program)
            check(by_place)
