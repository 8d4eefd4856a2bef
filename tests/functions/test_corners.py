"""Calls that random programs have found to be other than NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable


def _written(xp: Any, dtype: str, call: Callable[[Any], Any]) -> Any:
    x = xp.zeros((3, 3), dtype)
    call(x)
    return x


CORNERS: dict[str, Callable[[Any], Any]] = {
    "reshape K": lambda xp: xp.arange(6).reshape(2, 3, order="K"),
    "reshape f": lambda xp: xp.arange(6).reshape(2, 3).T.reshape(2, 3, order="f"),
    "reshape None": lambda xp: xp.arange(6).reshape((2, 3), order=None),
    "asfortranarray": lambda xp: xp.asfortranarray(xp.array(True)),
    "array_str": lambda xp: xp.array_str(xp.array(False)),
    "array_repr": lambda xp: xp.array_repr(xp.array(2.5)),
    "chkfinite": lambda xp: xp.asarray_chkfinite(xp.array([1 + 2j, complex(np.inf, 1)])),
    "round": lambda xp: xp.round(xp.array([7.25 + 0.15j, -2.55j], "complex64"), 1),
    "round out": lambda xp: xp.round(xp.array([7.25 + 0.15j]), 1, xp.zeros(1, complex)),
    "place": lambda xp: _written(xp, "u1", lambda x: xp.place(x, x == 0, [xp.float32(1.5)])),
    "place array": lambda xp: _written(xp, "u1", lambda x: xp.place(x, x == 0, xp.ones(2))),
    "select": lambda xp: xp.select([xp.array([True, False])], [xp.ones(2, "i1")], default=300),
    "select -1": lambda xp: xp.select([xp.array([True, False])], [xp.ones(2, "u1")], default=-1),
    "partition": lambda xp: xp.partition(xp.zeros((3, 0)), 5),
    "argpartition": lambda xp: xp.argpartition(xp.zeros(0), 1),
    "partition far": lambda xp: xp.partition(xp.zeros((3, 2)), 2),
    "diagonal": lambda xp: _written(xp, "i2", lambda x: xp.fill_diagonal(x, 1j)),
    "diagonal 300": lambda xp: _written(xp, "i1", lambda x: xp.fill_diagonal(x, [300, 1, 2])),
    "accumulate": lambda xp: xp.cumsum(xp.arange(3), out=xp.array(0)),
    "isclose -129": lambda xp: xp.isclose(xp.array([2], "u4"), -129),
    "isclose 300": lambda xp: xp.isclose(xp.array([2], "u1"), 300),
    "isclose least": lambda xp: xp.isclose(xp.array([0, 1]), -(2**63)),
    "isclose below 1": lambda xp: xp.isclose(xp.array([0, 3], "u8"), 1, rtol=0, atol=1),
    "isclose of integers": lambda xp: xp.isclose(2**62, 2**62 + 1, rtol=0, atol=0),
    "allclose of u1": lambda xp: xp.allclose(xp.array([100], "u1"), 101, atol=5),
    "nanmedian of the largest": lambda xp: xp.nanmedian(xp.array([1.7e308])),
    "nanmedian of odd": lambda xp: xp.nanmedian(xp.array([1.7e308, xp.nan, 1, 1.75e308])),
    "nanmedian of even": lambda xp: xp.nanmedian(xp.array([[4.0, xp.nan, 1], [1, 2, 3]]), axis=1),
    "poly of u1": lambda xp: xp.poly(xp.array([1, 2], "u1")),
    "poly of bools": lambda xp: xp.poly(xp.array([True, False])),
    "roots of bools": lambda xp: xp.roots(xp.array([True, True, False])),
    "trapezoid of bools": lambda xp: xp.trapezoid([1, 5, 2], x=xp.array([True, False, True])),
    "power of bools": lambda xp: xp.power(xp.array([True, False]), 2),
    "square of bools": lambda xp: xp.array([True, False]) ** 2,
    "histogram by bools": lambda xp: xp.histogram([1, 2, 1], weights=[True, False, True]),
    "histogram too wide": lambda xp: xp.histogram([1e308, -1e308], bins=4),
    "histogram of halves": lambda xp: xp.histogram(
        [0.5], xp.array([0, 1], "f4"), weights=xp.array([1], "f4"), density=True
    ),
    "histogram of infinity": lambda xp: xp.histogram([complex(0.5, -xp.inf)], bins=3),
    "digitize before nan": lambda xp: xp.digitize([0.5, 3], [0, 1, xp.nan]),
    "digitize equal": lambda xp: xp.digitize([0.5, 3], [1, 1]),
    "union with a number": lambda xp: xp.union1d(xp.arange(2, dtype="i4"), 2),
    "union with a float": lambda xp: xp.union1d(2.5, xp.ones((2, 2), "f4")),
    "union of numbers": lambda xp: xp.union1d(2, 1.5),
    "unravel bools": lambda xp: xp.unravel_index([True, False], (2, 3)),
    "ravel bools": lambda xp: xp.ravel_multi_index(([True, False], 0), (4, 4)),
    "ravel nothing": lambda xp: xp.ravel_multi_index((), ()),
    "ravel K": lambda xp: xp.ravel_multi_index((1, 1), (2, 3), order="K"),
    "zeros K": lambda xp: xp.zeros((2, 3), order="K"),
    "full A": lambda xp: xp.full((2, 3), 1, order="A"),
    "eye None": lambda xp: xp.eye(2, order=None),
    "trim_zeros of a table": lambda xp: xp.trim_zeros([[0, 0], [0, 1]]),
    "quantile of 1j": lambda xp: xp.quantile([1, 2, 3.0], 0.5j),
    "nanquantile f4": lambda xp: xp.nanquantile(xp.array([5, 1, xp.nan, 4], "f4"), 0.3),
    "nanquantile by f4": lambda xp: xp.nanquantile(xp.array([5, 1, 4, 4], "f4"), xp.float32(0.3)),
}


@pytest.mark.parametrize("name", [name for name in CORNERS if name != "accumulate"])
def test_corners(name: str) -> None:
    check(CORNERS[name])


def test_a_histogram_of_nothing_warns_of_its_density() -> None:
    with pytest.warns(RuntimeWarning, match="invalid value encountered in divide"):
        assert np.isnan(np.asarray(jj.histogram([], density=True)[0])).all()


def test_what_ends_numpys_process_is_an_error_here() -> None:
    with pytest.raises(ValueError, match="has no axes"):
        CORNERS["accumulate"](jj)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
def test_iteration_over_all_elements(shape: tuple[int, ...], order: Any) -> None:
    model = np.arange(float(np.prod(shape, dtype=int))).reshape(shape, order=order)

    def program(xp: Any) -> Any:
        x = xp.asarray(model, order=order)
        flat = x.flat
        places = [(flat.coords, flat.index, float(element)) for element in flat]
        pairs = [(place, float(element)) for place, element in xp.ndenumerate(x)]
        return places, pairs, flat.coords, len(flat)

    assert program(jj) == program(np)
    for _, element in jj.ndenumerate(jj.asarray(model)):
        assert isinstance(element, np.float64)
        assert type(element) is not np.float64


def test_edges_of_bools() -> None:
    with pytest.warns(RuntimeWarning, match="Converting input from bool"):
        edges = jj.histogram_bin_edges(jj.array([True, False]), bins=4)
    assert edges.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
