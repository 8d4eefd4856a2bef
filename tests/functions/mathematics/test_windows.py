"""Windows against NumPy, and the Bessel function I0 against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check


def test_i0_is_accurate():
    x = np.concatenate([np.linspace(0, 20, 300), np.geomspace(1e-8, 700, 300), [8, 8 + 1e-14]])
    found = jujunp.i0(-x).to_numpy()
    with mpmath.workdps(40):
        exact = [mpmath.besseli(0, mpmath.mpf(float(value))) for value in x]
        errors = [abs(mpmath.mpf(float(f)) / e - 1) for f, e in zip(found, exact, strict=True)]
    assert max(errors) < 1e-15


@pytest.mark.parametrize("dtype", DTYPES)
def test_i0(dtype):
    data = np.array([0, 1, 3, 7, 8, 9, 50]).astype(dtype)
    rtol = {"float16": 2e-3, "float32": 1e-6}.get(dtype, 1e-14)
    check(lambda xp: xp.i0(xp.asarray(data)), rtol=rtol)
    check(lambda xp: xp.i0(xp.asarray(data[2:3])[:, None]), rtol=rtol)
    check(lambda xp: xp.i0(xp.asarray(data[:0])))


def test_i0_of_numbers():
    check(lambda xp: xp.i0(2.5), rtol=1e-15)
    check(lambda xp: xp.i0([np.nan, -1.0, 10.0]), rtol=1e-14)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("count", [-1, 0, 1, 2, 3, 12, 51, 4.5])
def test_windows(count, name):
    # the ends of a Blackman window are zero but for rounding
    check(lambda xp: getattr(xp, name)(count) + 1, rtol=1e-15)


@pytest.mark.parametrize("beta", [0, 5, 14.5])
def test_kaiser(beta):
    for count in (0, 1, 2, 3, 51):
        check(lambda xp, n=count: xp.kaiser(n, beta), rtol=1e-14)
