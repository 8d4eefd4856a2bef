"""array-api-extra: functions that build on the standard's."""

import array_api_extra as xpx
import numpy
import pytest

import jujunp

REAL = numpy.asarray([[3.0, -1.5, 0.25], [numpy.nan, 2.0, 7.5]])
WHOLE = numpy.asarray([[5, 2, 2], [9, 0, 5]])
COMPLEX = numpy.asarray([1 + 1j, -2.0, 3j])


def _updated(operation, index, value, copy=None):
    """Return a call of `at(x, index).operation(value)`."""

    def call(xp):
        x = xp.asarray(WHOLE, dtype=xp.float64, copy=True)
        at = xpx.at(x)[index(xp)] if callable(index) else xpx.at(x)[index]
        result = getattr(at, operation)(value, copy=copy)
        return result, x

    return call


def _lazily(as_numpy):
    """Return a call of `lazy_apply` on a function of NumPy arrays or of the namespace's."""

    def call(xp):
        function = numpy.cumsum if as_numpy else lambda x: xp.cumsum(x, axis=-1) * 2.0
        x = xp.asarray(REAL[0])
        return xpx.lazy_apply(function, x, shape=x.shape, dtype=x.dtype, as_numpy=as_numpy)

    return call


CALLS = {
    "angle": lambda xp: xpx.angle(xp.asarray(COMPLEX)),
    "angle deg": lambda xp: xpx.angle(xp.asarray(COMPLEX), deg=True),
    "apply_where": lambda xp: xpx.apply_where(
        xp.asarray(REAL) > 0, xp.asarray(REAL), xp.sqrt, lambda x: x - 1.0
    ),
    "apply_where fill": lambda xp: xpx.apply_where(
        xp.asarray(WHOLE) > 2,
        (xp.asarray(REAL), xp.asarray(WHOLE)),
        lambda x, y: x / y,
        fill_value=-1.0,
    ),
    "argpartition": lambda xp: xp.take_along_axis(
        xp.asarray(WHOLE), xpx.argpartition(xp.asarray(WHOLE), 0, axis=1), axis=1
    )[:, 0],
    "at set": _updated("set", (0, slice(None)), 7.0),
    "at set in place": _updated("set", (0, slice(None)), 7.0, copy=False),
    "at set copy": _updated("set", (0, slice(None)), 7.0, copy=True),
    "at add": _updated("add", (slice(None), 1), 0.5),
    "at subtract mask": _updated("subtract", lambda xp: xp.asarray(WHOLE) > 2, 1.0, copy=True),
    "at multiply mask": _updated("multiply", lambda xp: xp.asarray(WHOLE) > 2, 3.0),
    "at divide indices": _updated("divide", lambda xp: xp.asarray([1, 0]), 2.0),
    "at power": _updated("power", (slice(None), slice(0, 2)), 2.0),
    "at min": _updated("min", (1, slice(None)), 4.0),
    "at max": _updated("max", (1, slice(None)), 4.0, copy=True),
    "atleast_nd": lambda xp: xpx.atleast_nd(xp.asarray(COMPLEX), ndim=3),
    "broadcast_shapes": lambda xp: xpx.broadcast_shapes(xp.asarray(REAL).shape, (4, 1, 1)),
    "cov": lambda xp: xpx.cov(xp.asarray(WHOLE)),
    "cov weights": lambda xp: xpx.cov(
        xp.asarray(WHOLE), fweights=xp.asarray([1, 2, 1]), correction=0
    ),
    "cov one variable": lambda xp: xpx.cov(xp.asarray(REAL[0])),
    "create_diagonal": lambda xp: xpx.create_diagonal(xp.asarray(COMPLEX), offset=1),
    "create_diagonal batch": lambda xp: xpx.create_diagonal(xp.asarray(REAL)),
    "default_dtype": lambda xp: xpx.default_dtype(xp) == xp.float64,
    "deg2rad": lambda xp: xpx.deg2rad(xp.asarray(REAL)),
    "rad2deg": lambda xp: xpx.rad2deg(xp.asarray(REAL)),
    "diag_indices": lambda xp: xpx.diag_indices(3, ndim=2, xp=xp),
    "expand_dims": lambda xp: xpx.expand_dims(xp.asarray(REAL), axis=(0, 2, -1)),
    "isclose": lambda xp: xpx.isclose(xp.asarray(REAL), xp.asarray(REAL) + 1e-9, equal_nan=True),
    "isclose integers": lambda xp: xpx.isclose(xp.asarray(WHOLE), 5, atol=1),
    "isin": lambda xp: xpx.isin(xp.asarray(WHOLE), xp.asarray([2, 9])),
    "isin invert": lambda xp: xpx.isin(xp.asarray(WHOLE), xp.asarray([2, 9]), invert=True),
    "kron": lambda xp: xpx.kron(xp.asarray(REAL), xp.asarray(WHOLE)),
    "kron ranks": lambda xp: xpx.kron(xp.asarray(COMPLEX), xp.asarray(WHOLE)),
    "lazy_apply": _lazily(False),
    "lazy_apply NumPy": _lazily(True),
    "nan_to_num": lambda xp: xpx.nan_to_num(xp.asarray(REAL), fill_value=-3.0),
    "nan_to_num inf": lambda xp: xpx.nan_to_num(xp.asarray(REAL) / 0.0),
    "nanmax": lambda xp: xpx.nanmax(xp.asarray(REAL), axis=0),
    "nanmin": lambda xp: xpx.nanmin(xp.asarray(REAL), axis=1),
    "nanmean": lambda xp: xpx.nanmean(xp.asarray(REAL), axis=1),
    "nansum": lambda xp: xpx.nansum(xp.asarray(REAL)),
    "nunique": lambda xp: xpx.nunique(xp.asarray(WHOLE)),
    "one_hot": lambda xp: xpx.one_hot(xp.asarray([2, 0, 1]), 4),
    "one_hot axis": lambda xp: xpx.one_hot(xp.asarray(WHOLE), 10, axis=0),
    "pad": lambda xp: xpx.pad(xp.asarray(WHOLE), ((1, 0), (2, 1)), constant_values=-1),
    "partition": lambda xp: xpx.partition(xp.asarray(WHOLE), 1, axis=None)[:2],
    "searchsorted": lambda xp: xpx.searchsorted(
        xp.asarray([[0.0, 1.0, 2.0], [1.0, 1.0, 3.0]]), xp.asarray([[0.5], [1.0]]), side="right"
    ),
    "setdiff1d": lambda xp: xpx.setdiff1d(xp.asarray(WHOLE), xp.asarray([2, 9])),
    "union1d": lambda xp: xpx.union1d(xp.asarray(WHOLE), xp.asarray([1, 9])),
    "sinc": lambda xp: xpx.sinc(xp.asarray(REAL)),
    "tril_indices": lambda xp: xpx.tril_indices(3, offset=1, xp=xp),
    "triu_indices": lambda xp: xpx.triu_indices(3, offset=-1, xp=xp),
    "unravel_index": lambda xp: xpx.unravel_index(xp.asarray([5, 0, 7]), (2, 4)),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name, same):
    """Each function gives what it gives for NumPy arrays, in our arrays."""
    same(CALLS[name])


def test_comparisons_for_tests():
    """The assertions that the library offers to tests accept our arrays, and tell them apart."""
    x = jujunp.asarray(WHOLE)
    xpx.testing.assert_equal(x + 0, x, check_device=True)
    with pytest.raises(AssertionError):
        xpx.testing.assert_equal(x + 1, x)
