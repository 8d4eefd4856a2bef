"""Cumulative sums and products, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.differential import DTYPES, FLOATS, VIEWS, check, rounding, sample

NAMES = ("cumsum", "cumprod")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_every_axis(name, dtype):
    for shape in ((), (1,), (1000,), (4, 3), (2, 70, 3), (0,), (0, 3), (3, 0)):
        data = sample(shape, dtype)
        rtol = 0.0
        if data.dtype.kind == "c":
            rtol = rounding(dtype)
            data /= 16  # products beyond the largest number are inf or nan, by the order
        for axis in (None, *range(-len(shape), len(shape))):
            check(lambda xp, a=axis, d=data: getattr(xp, name)(xp.asarray(d), axis=a), rtol=rtol)
            check(lambda xp, a=axis, d=data: getattr(xp.asarray(d), name)(a), rtol=rtol)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["float64", "uint8"])
def test_views(dtype, view):
    data = sample((6, 20, 5), dtype)
    for axis in (None, 0, 1, 2):
        check(lambda xp, a=axis: xp.cumsum(VIEWS[view](xp.asarray(data)), axis=a))
        check(lambda xp, a=axis: xp.cumsum(VIEWS[view](xp.asarray(data)), axis=a).strides)


@pytest.mark.parametrize("target", ["int16", "uint64", *FLOATS, "bool"])
@pytest.mark.parametrize("name", NAMES)
def test_dtype_and_out(name, target):
    data = sample((3, 4), "int32")

    def program(xp, shape, **more):
        out = xp.zeros(shape, target)
        result = getattr(xp, name)(xp.asarray(data), axis=0, out=out, **more)
        return result is out, out

    check(lambda xp: getattr(xp, name)(xp.asarray(data), axis=1, dtype=target))
    check(lambda xp: program(xp, (3, 4)))
    check(lambda xp: program(xp, (3, 4), dtype="float64"))
    check(lambda xp: program(xp, (4, 3)))
    check(lambda xp: program(xp, 12))


def test_special_values():
    for name in NAMES:
        check(lambda xp, f=name: getattr(xp, f)([1.0, np.inf, 2.0, -np.inf, 0.0, np.nan, 1.0]))
        check(lambda xp, f=name: getattr(xp, f)([-0.0, -0.0, 0.0]))


def test_array_api_scans():
    data = sample((3, 4), "float64")
    for name in ("cumulative_sum", "cumulative_prod"):
        for more in ({}, {"dtype": "float32"}, {"include_initial": True}):
            check(lambda xp, f=name, m=more: getattr(xp, f)(xp.asarray(data[0]), **m))
            check(lambda xp, f=name, m=more: getattr(xp, f)(xp.asarray(data), axis=0, **m))
        check(lambda xp, f=name: getattr(xp, f)(xp.asarray(data)))
        check(lambda xp, f=name: getattr(xp, f)(3.5, include_initial=True))
        check(
            lambda xp, f=name: getattr(xp, f)(
                xp.asarray(data), axis=1, include_initial=True, out=xp.zeros((3, 5))
            )
        )


def test_errors():
    check(lambda xp: xp.cumsum([1, 2], axis=1))
    check(lambda xp: xp.cumsum(3, axis=1))
    check(lambda xp: xp.cumsum([[1, 2]], axis=-3))
