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
}


@pytest.mark.parametrize("name", [name for name in CORNERS if name != "accumulate"])
def test_corners(name: str) -> None:
    check(CORNERS[name])


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
