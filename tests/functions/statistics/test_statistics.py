"""Means, variances, medians, quantiles, averages and covariances, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, FLOATS, INTEGERS, check, sample

METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]
NAN_REDUCTIONS = [
    "nansum",
    "nanprod",
    "nanmax",
    "nanmin",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanmedian",
    "nancumsum",
    "nancumprod",
]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_degrees_of_freedom(dtype):
    data = sample((4, 6), dtype)
    for ddof in (0, 1, 2.5):
        for name in ("var", "std"):
            check(lambda xp, f=name, d=ddof: getattr(xp, f)(xp.asarray(data), 1, ddof=d))
            check(lambda xp, f=name, d=ddof: getattr(xp, f)(xp.asarray(data), 0, correction=d))
            check(lambda xp, f=name, d=ddof: getattr(xp.asarray(data), f)(0, ddof=d))
    check(lambda xp: xp.var(xp.asarray(data), 0, mean=xp.asarray(data).mean(0, keepdims=True)))
    check(lambda xp: xp.var(xp.asarray(data), ddof=1, correction=1))


@pytest.mark.parametrize("name", ["mean", "var", "std", "median"])
def test_warnings(name):
    for data in (np.zeros(0), np.zeros((0, 3))):
        with pytest.warns(RuntimeWarning) as expected:
            getattr(np, name)(data)
        with pytest.warns(RuntimeWarning) as found:
            getattr(jujunp, name)(jujunp.asarray(data))
        assert str(found[0].message) == str(expected[0].message)
        assert found[0].filename == __file__


def test_mean_of_many_float32():
    data = np.ones(1 << 24, np.float32)
    check(lambda xp: xp.mean(xp.asarray(data)))
    check(lambda xp: xp.mean(xp.broadcast_to(xp.asarray(data), (2, 1 << 24))))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore")
def test_median(dtype):
    for shape in ((1,), (6,), (7,), (4, 5, 3), (0,), (0, 3), (3, 0)):
        data = sample(shape, dtype)
        for axis in (None, *range(len(shape)), *([(0, 2), (1, 0)] if len(shape) == 3 else [])):
            check(lambda xp, a=axis, d=data: xp.median(xp.asarray(d), axis=a))
            check(lambda xp, a=axis, d=data: xp.median(xp.asarray(d), axis=a, keepdims=True))


def test_median_with_nan():
    data = sample((5, 4), "float64")
    data[2, 1] = np.nan
    for axis in (None, 0, 1):
        check(lambda xp, a=axis: xp.median(xp.asarray(data), axis=a))
    check(lambda xp: xp.median(xp.asarray(data), axis=0, out=xp.zeros(4)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64"])
def test_quantiles(dtype, method):
    data = sample((4, 5, 6), dtype)
    for q in (0.3, 0, 1, [0.0, 0.25, 0.5, 1], [[0.1, 0.9]], np.float32(0.4)):
        for axis in (None, 0, -1, (0, 1)):
            check(
                lambda xp, q=q, a=axis: xp.quantile(xp.asarray(data), q, axis=a, method=method),
                rtol=1e-6,
            )
    check(
        lambda xp: xp.percentile(xp.asarray(data), [5, 50], 1, method=method, keepdims=True),
        rtol=1e-6,
    )


def test_quantiles_with_nan_and_of_nothing():
    check(lambda xp: xp.quantile([[1.0, np.nan], [2.0, 3.0]], [0.5, 0.9], axis=1))
    check(lambda xp: xp.quantile([[1.0, np.nan], [2.0, 3.0]], 0.5))
    check(lambda xp: xp.quantile([], 0.5))
    check(lambda xp: xp.quantile([1], 2))
    check(lambda xp: xp.percentile([1], -2))
    check(lambda xp: xp.quantile([1], 0.5, method="no such method"))


def test_weighted_quantiles_are_numpys(monkeypatch):
    weighted = {"weights": [1, 2, 3], "method": "inverted_cdf"}
    monkeypatch.setenv("JUJUNP_STRICT", "0")
    check(lambda xp: xp.percentile([3, 1, 2], [20, 60], **weighted))
    monkeypatch.setenv("JUJUNP_STRICT", "1")
    with pytest.raises(jujunp.HostFallbackError, match="quantile"):
        jujunp.quantile([3, 1, 2], 0.5, **weighted)


@pytest.mark.parametrize("name", NAN_REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.filterwarnings("ignore")
def test_without_nan(dtype, name):
    data = sample((4, 5, 6), dtype)
    if dtype in FLOATS:
        data[sample(data.shape, "float64", 1) > 5] = np.nan
        data[0, :, 1] = np.nan
    for axis in (None, 0, 1, 2):
        check(lambda xp, a=axis: getattr(xp, name)(xp.asarray(data), axis=a), rtol=1e-5)
    if "cum" not in name:
        check(lambda xp: getattr(xp, name)(xp.asarray(data), axis=(0, 2)), rtol=1e-5)
        check(lambda xp: getattr(xp, name)(xp.asarray(data), 1, keepdims=True), rtol=1e-5)


def test_places_without_nan():
    data = [[np.nan, 2.0, 5.0], [7.0, np.nan, np.nan]]
    for name in ("nanargmax", "nanargmin"):
        for axis in (None, 0, 1):
            check(lambda xp, f=name, a=axis: getattr(xp, f)(data, axis=a))
        check(lambda xp, f=name: getattr(xp, f)([[np.nan], [1.0]], axis=1))


def test_average():
    data = sample((3, 4, 2), "float64")
    weights = abs(sample((3, 4), "float64", 1))
    check(lambda xp: xp.average(xp.asarray(data)))
    check(lambda xp: xp.average(xp.asarray(data), axis=1, weights=[1, 2, 3, 4]), rtol=1e-12)
    check(lambda xp: xp.average(xp.asarray(data), axis=(0, 1), weights=weights), rtol=1e-12)
    check(lambda xp: xp.average(xp.asarray(data), axis=(1, 0), weights=weights.T), rtol=1e-12)
    check(lambda xp: xp.average([1, 2], weights=[3, 4], returned=True))
    check(lambda xp: xp.average(xp.asarray(data), axis=0, returned=True))
    check(lambda xp: xp.average([1, 2], weights=[1, -1]))
    check(lambda xp: xp.average([1, 2], weights=[1, 2, 3]))
    check(lambda xp: xp.average([[1, 2]], axis=1, weights=[1, 2, 3]))


COVARIANCES = [
    {},
    {"rowvar": False},
    {"bias": True},
    {"ddof": 3},
    {"ddof": 1.5},
    {"aweights": [0.5, 1, 2, 3, 4]},
    {"fweights": [1, 2, 3, 4, 5]},
    {"fweights": [1, 2, 3, 4, 5], "aweights": [0.5, 1, 2, 3, 4]},
    {"fweights": [0.5, 1, 1, 1, 1]},
    {"aweights": [-1, 1, 1, 1, 1]},
    {"aweights": [1, 2]},
    {"dtype": "float32"},
]


@pytest.mark.parametrize("arguments", COVARIANCES, ids=str)
def test_cov(arguments):
    data = sample((3, 5), "float64")
    check(lambda xp: xp.cov(xp.asarray(data), **arguments), rtol=1e-4)


def test_cov_of_other_shapes():
    data = sample((3, 5), "float64")
    check(lambda xp: xp.cov(data[0]), rtol=1e-12)
    check(lambda xp: xp.cov(xp.asarray(data), data[:2] * 2), rtol=1e-12)
    check(lambda xp: xp.cov((data * 10).astype(int)), rtol=1e-12)
    check(lambda xp: xp.cov(np.zeros((2, 2, 2))))
    check(lambda xp: xp.corrcoef(xp.asarray(data)), rtol=1e-12)
    check(lambda xp: xp.corrcoef(xp.asarray(data), data[1]), rtol=1e-12)
    check(lambda xp: xp.corrcoef(data[0]), rtol=1e-12)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        jujunp.cov(data[:, :1])


def test_trapezoid():
    data = sample((3, 4, 5), "float64")
    check(lambda xp: xp.trapezoid(xp.asarray(data)))
    check(lambda xp: xp.trapezoid(xp.asarray(data), [1, 2, 4, 8], axis=1))
    check(lambda xp: xp.trapezoid(xp.asarray(data), data * 2, axis=0))
    check(lambda xp: xp.trapezoid([1, 2, 3], dx=3))


@pytest.mark.parametrize("name", ["mean", "var", "std", "median", "nanmedian"])
def test_without_axes_there_is_none_to_reduce(name):
    for axis in (0, -1, (), None):
        check(lambda xp, a=axis: getattr(xp, name)(xp.asarray(3.0), axis=a))
    check(lambda xp: getattr(xp, name)(xp.asarray(3.0), keepdims=True))


def test_standard_deviations_in_integers():
    check(lambda xp: xp.std(xp.arange(6), dtype="int64"))
    check(lambda xp: xp.std(xp.arange(6).reshape(2, 3), 0, dtype="int64"))


def test_averages_of_nothing():
    check(lambda xp: xp.average(xp.zeros((0, 2)), axis=1))
    check(lambda xp: xp.average(xp.arange(4), returned=True))


def test_quantiles_are_spread_over_out():
    def program(xp):
        out = xp.zeros((2, 3))
        assert xp.percentile(xp.array([[1.0, 2, 5], [3, 4, 6]]), 50, axis=0, out=out) is out
        return out

    check(program)
    check(lambda xp: xp.quantile(xp.arange(5.0), 0.3, out=xp.zeros(1)))
    check(lambda xp: xp.quantile(xp.arange(6.0).reshape(2, 3), 0.3, axis=0, out=xp.zeros(2)))
