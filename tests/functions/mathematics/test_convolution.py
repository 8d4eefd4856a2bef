"""convolve and correlate, against NumPy."""

from __future__ import annotations

import pytest

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
