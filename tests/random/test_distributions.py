"""Every distribution of every generator has NumPy's bits, and leaves NumPy's state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp
from jujunp.lazy.library import THREADS
from jujunp.lazy.run import machine

from .cases import ALL, GENERATORS, ROWS, assert_same, assert_same_state, check_call, pair

SIZES = (None, 0, 1, 7, (3, 5), 600, 20_001)
STANDARD = ("random", "standard_normal", "standard_exponential")
INTEGERS = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("name", GENERATORS)
def test_distributions(name: str, older: bool) -> None:
    for method, calls in ALL.items():
        for args in calls:
            for size in SIZES:
                ours, theirs = pair(name, older=older)
                check_call(ours, theirs, method, *args, size=size)
                assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", GENERATORS)
def test_many_numbers_are_drawn_by_several_threads(name: str) -> None:
    machine.set_threads(3)
    try:
        for method, calls in ALL.items():
            for args in calls:
                ours, theirs = pair(name)
                check_call(ours, theirs, method, *args, size=150_001)
                assert_same_state(ours, theirs)
        for dtype, high in (
            *(("uint32", 1000), ("int64", 2**40), ("int64", 2**62 + 7), ("int8", 9)),
            *(("int64", 2**31), ("uint32", 2**32), ("uint64", 2**32), ("uint64", 2**32 + 1)),
            *(("uint64", 2**63), ("uint64", 2**64), ("uint64", 2**64 - 1), ("int64", 3 * 2**30)),
        ):
            ours, theirs = pair(name)
            check_call(ours, theirs, "integers", 0, high, 150_001, dtype)
            check_call(ours, theirs, "random", 150_000, "float32")
            check_call(ours, theirs, "standard_normal", 150_001, "float32")
            check_call(ours, theirs, "random", 150_000)  # with half of a word left
            assert_same_state(ours, theirs)
    finally:
        machine.set_threads(THREADS)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_standard_distributions_have_dtypes_and_fill_arrays(name: str, dtype: str) -> None:
    for method in STANDARD:
        for size in SIZES:
            ours, theirs = pair(name)
            check_call(ours, theirs, method, size=size, dtype=dtype)
            assert_same_state(ours, theirs)
        for library in (jujunp, np):
            ours, theirs = pair(name)
            wanted = np.empty((3, 400), dtype)
            found = library.empty((3, 400), dtype)
            assert getattr(ours, method)(out=found, dtype=dtype) is found
            getattr(theirs, method)(out=wanted, dtype=dtype)
            np.testing.assert_array_equal(np.asarray(found), wanted)
            getattr(ours, method)(out=found.T, dtype=dtype, size=(400, 3))
            getattr(theirs, method)(out=wanted.T, dtype=dtype, size=(400, 3))
            np.testing.assert_array_equal(np.asarray(found), wanted)
            assert_same_state(ours, theirs)
    for shape in (0.5, 1.0, 2.5, [0.5, 2.5]):
        ours, theirs = pair(name)
        check_call(ours, theirs, "standard_gamma", shape, dtype=dtype)
        check_call(ours, theirs, "standard_gamma", shape, size=(3, 2), dtype=dtype)
        found, wanted = jujunp.empty((3, 2), dtype), np.empty((3, 2), dtype)
        assert ours.standard_gamma(shape, dtype=dtype, out=found) is found
        theirs.standard_gamma(shape, dtype=dtype, out=wanted)
        np.testing.assert_array_equal(np.asarray(found), wanted)
        check_call(ours, theirs, "standard_exponential", 1000, dtype=dtype, method="inv")
        assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("older", [False, True])
def test_integers(name: str, older: bool) -> None:
    method = "randint" if older else "integers"
    for dtype in INTEGERS:
        least, end = (0, 2) if dtype == "bool" else _limits(dtype)
        highs = {1, 2, 10, 200, 255, 256, end, end - 1, 2**31 + 5, 2**32, 2**40, 2**62 + 7}
        for low, high in ((least, end), (least, end - 1), *((0, x) for x in highs if x <= end)):
            for size in (None, 1, 7, 600, 5001):
                ours, theirs = pair(name, older=older)
                check_call(ours, theirs, method, low, high, size, dtype)
                assert_same_state(ours, theirs)


def _limits(dtype: str) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max) + 1


@pytest.mark.parametrize("older", [False, True])
def test_integers_between_arrays_of_bounds(older: bool) -> None:
    method = "randint" if older else "integers"
    for dtype in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"):
        least, end = _limits(dtype)
        for low, high in (
            ([0, 1, 2], [5, 6, 100]),
            (0, [[5], [6]]),
            ([least, least], [end, end - 1]),
            ([0, 3], 20),
            ([1, 5], None),
            ([0.5, 1.0], [2.5, 3.0]),
        ):
            for size in (None, (4, 2, 3), (2, 2, 2), 0, (0, 2)):
                ours, theirs = pair("PCG64", older=older)
                check_call(ours, theirs, method, low, high, size, dtype)
                assert_same_state(ours, theirs)


@pytest.mark.parametrize("older", [False, True])
def test_parameters_broadcast(older: bool) -> None:
    for method, calls in ALL.items():
        for args in calls:
            if not args:
                continue
            ours, theirs = pair("PCG64", older=older)
            arrays = [np.full((2, 1), x) if k else np.full(3, x) for k, x in enumerate(args)]
            check_call(ours, theirs, method, *arrays)
            check_call(ours, theirs, method, *arrays, size=(5, 2, 3))
            check_call(ours, theirs, method, *arrays, size=(5, 2))
            check_call(ours, theirs, method, *(x.tolist() for x in arrays), size=(200, 2, 3))
            assert_same_state(ours, theirs)
            found = getattr(ours, method)(*map(jujunp.asarray, arrays), size=(2, 2, 3))
            assert_same(found, getattr(theirs, method)(*arrays, size=(2, 2, 3)))


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("name", GENERATORS)
def test_rows(name: str, older: bool) -> None:
    for method, calls in ROWS.items():
        for args in calls:
            for size in (None, 0, 3, (2, 2), 700):
                ours, theirs = pair(name, older=older)
                check_call(ours, theirs, method, *args, size=size)
                assert_same_state(ours, theirs)
    if older:
        return
    ours, theirs = pair(name)
    check_call(ours, theirs, "multinomial", [[3], [40]], [0.2, 0.3, 0.5])
    check_call(ours, theirs, "multinomial", [3, 40], [[0.2, 0.8], [0.5, 0.5]], size=(4, 2))
    for how in ("marginals", "count"):
        for sample in (0, 3, 30, 55):
            for size in (None, 4, (2, 3)):
                colors = [10, 20, 30]
                check_call(ours, theirs, "multivariate_hypergeometric", colors, sample, size, how)
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_normal_numbers_of_several_variables(method: str) -> None:
    cov = [[2.0, 0.3], [0.3, 0.5]]
    ours, theirs = pair("PCG64")
    for size in (None, 5, (2, 3)):
        found = ours.multivariate_normal([1.0, 2.0], cov, size, method=method)
        wanted = theirs.multivariate_normal([1.0, 2.0], cov, size, method=method)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12)
    assert_same_state(ours, theirs)
    older, their_older = pair("MT19937", older=True)
    found = older.multivariate_normal([1.0, 2.0], cov, 4)
    np.testing.assert_allclose(
        np.asarray(found), their_older.multivariate_normal([1.0, 2.0], cov, 4), rtol=1e-12
    )
    with pytest.warns(RuntimeWarning, match="positive-semidefinite"):
        ours.multivariate_normal([0, 0], [[1, 2], [2, 1]])


def test_raw_numbers_and_bytes() -> None:
    for name in GENERATORS:
        for older in (False, True):
            ours, theirs = pair(name, older=older)
            for count in (0, 1, 4, 7, 3000):
                assert ours.bytes(count) == theirs.bytes(count)
            if older:
                assert_same(ours.tomaxint(), theirs.tomaxint())
                assert_same(ours.tomaxint((2, 300)), theirs.tomaxint((2, 300)))
            assert_same_state(ours, theirs)
        mine, other = (getattr(x.random, name)(4) for x in (jujunp, np))
        assert mine.random_raw() == other.random_raw()
        for size in (3, (2, 400)):
            assert_same(mine.random_raw(size), other.random_raw(size))
        assert mine.random_raw(5, output=False) is None
        other.random_raw(5, output=False)
        np.testing.assert_equal(mine.state, other.state)


def test_older_functions_have_older_names() -> None:
    ours, theirs = pair("MT19937", older=True)
    for name in ("rand", "randn"):
        for args in ((), (3,), (2, 400)):
            assert_same(getattr(ours, name)(*args), getattr(theirs, name)(*args))
    for args in ((5,), (3, 9)):
        with pytest.warns(DeprecationWarning, match="randint"):
            found: Any = ours.random_integers(*args, size=4)
        with pytest.warns(DeprecationWarning, match="randint"):
            assert_same(found, theirs.random_integers(*args, size=4))
    assert_same(ours.random_sample(3), theirs.random_sample(3))
    assert_same(ours.random(3), theirs.random(3))
    assert_same_state(ours, theirs)


def test_binomial_numbers_are_those_of_the_installed_numpy() -> None:
    # NumPy 2.5 has corrected a series that decides about one number in some ten thousand
    for older in (False, True):
        ours, theirs = pair("PCG64", older=older)
        check_call(ours, theirs, "binomial", 500, 0.5, size=1_000_000)
        check_call(ours, theirs, "multinomial", 500, [0.5, 0.5], size=1_000_000)
        assert_same_state(ours, theirs)
