"""Calls that are seldom made in this form: values, dtypes, errors and warnings are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import jujunp
from tests.support.differential import told


class _Reflected:
    """What only answers where it stands on the right."""

    def __radd__(self, other: Any) -> str:
        return "answer"


class _WithoutUfuncs(_Reflected):
    __array_ufunc__ = None


def _added(np: Any, y: Any) -> Any:
    x = np.arange(3)
    same = x
    x += y
    return x, same


def _resized(np: Any) -> Any:
    x = np.arange(4)
    x.resize(np.array([2, 3]))
    return x


def _written_flat(np: Any, number: int) -> Any:
    x = np.ones(2, "u1")
    x.flat[0] = number
    return x


def _day(number: int) -> numpy.datetime64:
    return numpy.datetime64("2020-01-01") + number


CALLS: dict[str, Callable[[Any], Any]] = {
    **{
        f"astype {dtype}": lambda np, dtype=dtype: np.arange(2).astype(dtype=dtype)
        for dtype in ("object", "str", "M8[s]", ">i4", "f4")
    },
    "astype casting": lambda np: np.arange(2).astype("U", casting="unsafe"),
    "astype subok": lambda np: np.arange(2).astype(object, subok=False),
    "where else None": lambda np: np.where(np.arange(3) > 1, np.arange(3), None),
    "where None": lambda np: np.where(np.arange(3) > 1, None, 1),
    "where both None": lambda np: np.where(np.arange(3) > 1, None, None),
    "where without else": lambda np: np.where(np.arange(3) > 1, 1),
    "where alone": lambda np: np.where(np.arange(3) > 1),
    "dates": lambda np: np.arange(_day(0), _day(3)),
    "every other date": lambda np: np.arange(_day(0), _day(5), numpy.timedelta64(2, "D")),
    "power where": lambda np: np.power(
        np.array([2, 3]), np.array([2, -1]), where=np.array([True, False]), out=np.zeros(2, int)
    ),
    "power nowhere left out": lambda np: np.power(
        np.array([2, 3]), np.array([2, -1]), where=np.array([True, True]), out=np.zeros(2, int)
    ),
    "add masked in place": lambda np: _added(np, numpy.ma.array([1, 2, 3], mask=[0, 1, 0])),
    "add objects in place": lambda np: _added(np, numpy.array([1, 2, 3], object)),
    "add a reflected one in place": lambda np: _added(np, _Reflected()),
    "add one without ufuncs in place": lambda np: _added(np, _WithoutUfuncs()),
    "add one without ufuncs": lambda np: np.arange(2) + _WithoutUfuncs(),
    "add a list in place": lambda np: _added(np, [1, 2, 3]),
    "add objects to out": lambda np: np.add(
        np.arange(2), numpy.array([1, 2], object), out=np.zeros(2, int), casting="unsafe"
    ),
    "log to integers": lambda np: np.log(np.array([0]), out=np.zeros(1, int)),
    "log to integers in place": lambda np: np.log(np.array([0]), np.zeros(1, int)),
    "divide to float32": lambda np: np.divide(np.ones(2), np.zeros(2), out=np.zeros(2, "f4")),
    **{
        f"pad {number}": lambda np, number=number: np.pad(
            np.array([1, 2], "u1"), 1, constant_values=number
        )
        for number in (-1, 256, 3, 2.7)
    },
    **{
        f"{name} {order}": lambda np, name=name, order=order: getattr(
            np.arange(4).reshape(2, 2).T, name
        )(order=order)
        for name in ("ravel", "flatten", "copy")
        for order in (None, "C", "K", "F")
    },
    "ravel of a list": lambda np: np.ravel([[1, 2], [3, 4]], order=None),
    "flat": lambda np: _written_flat(np, 300),
    "flat that fits": lambda np: _written_flat(np, 200),
    "std about a mean": lambda np: np.std(np.ones(3, "f4"), mean=0.5),
    "var about means": lambda np: np.var(np.ones(3, "f4"), mean=np.ones(1, "f8")),
    "average": lambda np: np.average(np.arange(6.0).reshape(2, 3), axis=[0]),
    "average of no axis": lambda np: np.average(np.arange(6.0), axis=3),
    "as_strided": lambda np: np.lib.stride_tricks.as_strided(np.arange(6), shape=(2, 3)),
    "resize": _resized,
    "flags": lambda np: str(np.arange(6).reshape(2, 3).T.flags),
}


def _outcome(call: Callable[[Any], Any], np: Any) -> Any:
    return told(
        call,
        np,
        lambda x: (x.dtype, x.shape, x.strides, numpy.asarray(x).tolist()),
        lambda error: (type(error), str(error)),
    )


@pytest.mark.parametrize("name", CALLS)
def test_odd_calls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    assert _outcome(CALLS[name], jujunp) == _outcome(CALLS[name], numpy)


def test_all_names_of_numpy_are_imported() -> None:
    names: dict[str, Any] = {}
    exec("from jujunp import *", names)
    assert set(numpy.__all__) <= set(names)
    assert names["add"] is jujunp.add
    assert names["datetime64"] is numpy.datetime64
