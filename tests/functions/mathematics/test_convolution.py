"""convolve and correlate, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check, check_error, sample


@pytest.mark.parametrize("mode", ["full", "same", "valid", 0, 1, 2])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64"])
def test_lengths(dtype, mode):
    rtol = 1e-4 if dtype == "float32" else 1e-10 if dtype == "float64" else 0
    for first in (1, 2, 3, 7, 300):
        for second in (1, 2, 5, 200):
            x, y = abs(sample(first, dtype)), abs(sample(second, dtype, 1))
            for name in ("convolve", "correlate"):
                check(
                    lambda xp, f=name, x=x, y=y: getattr(xp, f)(xp.asarray(x), xp.asarray(y), mode),
                    rtol=rtol,
                )


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_few_products_are_added_in_order(dtype, mode):
    x = sample(200, dtype)[::2] * 1.1
    for length in range(1, 12):
        y = sample(length, dtype, 1) * 0.7
        inside = slice(length // 2, -(length // 2) or None) if mode == "same" else slice(None)
        inside = slice(length - 1, 1 - length or None) if mode == "full" else inside
        for name in ("convolve", "correlate"):
            ours, numpys = (
                np.asarray(getattr(xp, name)(xp.asarray(x), xp.asarray(y), mode))[inside]
                for xp in (jj, np)
            )
            np.testing.assert_array_equal(ours, numpys, strict=True)
            assert len(ours) >= 90


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_what_is_outside_adds_nothing(dtype, mode, special, quiet):
    for first in (1, 2, 5, 40):
        for second in (1, 2, 11, 13, 60):
            x, y = sample(first, dtype), sample(second, dtype, 1)
            y[second // 3] = special
            for name in ("convolve", "correlate"):
                check(
                    lambda xp, f=name, x=x, y=y: getattr(xp, f)(xp.asarray(x), xp.asarray(y), mode),
                    rtol=1e-2 if dtype == "float16" else 1e-4,
                )


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("length", [3, 11, 12])
def test_long_sequences(name, length):
    """They are shared among threads, and of any strides."""
    line = sample(600_000, "float64")
    y = sample(length, "float64", 1)
    for x in (line, line[::-2]):
        found, expected = (getattr(xp, name)(xp.asarray(x), xp.asarray(y)) for xp in (jj, np))
        inside = slice(length - 1, 1 - length)
        if length == 12:
            np.testing.assert_allclose(found, expected, 1e-12, 1e-12)
        else:
            np.testing.assert_array_equal(np.asarray(found)[inside], expected[inside])
            np.testing.assert_allclose(found, expected, 1e-12, 1e-12)


def test_promotion_and_numbers():
    check(lambda xp: xp.convolve([1, 2, 3], [0, 1, 0.5]))
    check(lambda xp: xp.correlate([1, 2, 3], [0, 1, 0.5]))
    check(lambda xp: xp.convolve(3, [1, 2]))
    check(lambda xp: xp.convolve([True, False, True], [True, True]))


ERRORS = [
    lambda xp: xp.convolve([], [1]),
    lambda xp: xp.convolve([1], []),
    lambda xp: xp.convolve([1], [1], "x"),
    lambda xp: xp.convolve([1], [1], 5),
    lambda xp: xp.convolve(xp.asarray([[1]]), [1]),
    lambda xp: xp.correlate([], [1]),
    lambda xp: xp.correlate([1], []),
    lambda xp: xp.correlate(1, [1]),
    lambda xp: xp.correlate([1], [1], "x"),
]


@pytest.mark.parametrize("program", ERRORS, ids=range(len(ERRORS)))
def test_errors(program):
    check_error(program)
