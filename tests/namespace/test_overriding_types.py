"""Operands of types with answers of their own to NumPy's functions: they are asked, as in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj

if TYPE_CHECKING:
    from collections.abc import Callable

HANDLED: dict[str, Callable[..., Any]] = {}


class Length:
    """Numbers with a unit: answers ufuncs, and some functions."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        given = [x.value if isinstance(x, Length) else x for x in inputs]
        return Length(getattr(ufunc, method)(*given, **named))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ not in ("concatenate", "mean", "where"):
            return NotImplemented
        parts = [x.value if isinstance(x, Length) else x for x in _flat(args)]
        return f"{function.__name__} of {len(parts)}"

    def __add__(self, other: Any) -> Length:
        return Length(np.add(self.value, np.asarray(other)))

    __radd__ = __add__


class Refusing:
    """Takes no part in ufuncs."""

    __array_ufunc__ = None

    def __add__(self, other: Any) -> str:
        return "refusing + other"

    def __radd__(self, other: Any) -> str:
        return "other + refusing"

    def __rmatmul__(self, other: Any) -> str:
        return "other @ refusing"


def _flat(args: Any) -> list[Any]:
    return [x for arg in args for x in (arg if isinstance(arg, (list, tuple)) else [arg])]


def both(call: Callable[[Any, Any], Any]) -> None:
    """Compare what our module gives for our array with what NumPy gives for its own."""
    found, wanted = _outcome(call, jj), _outcome(call, np)
    known = type(found[0]) is jj.ndarray or isinstance(found[0], np.generic)
    assert known or type(found[0]) is type(wanted[0])
    np.testing.assert_array_equal(found[1], wanted[1])


def _outcome(call: Callable[[Any, Any], Any], xp: Any) -> tuple[Any, Any]:
    try:
        found = call(xp, xp.arange(3.0))
    except Exception as error:
        return error, None
    value = found.value if isinstance(found, Length) else found
    return found, value if isinstance(value, str) else np.array(value)


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "sin": lambda xp, x: xp.sin(Length([1.0, 2, 3])),
    "add": lambda xp, x: xp.add(x, Length([1.0, 2, 3])),
    "add, reflected": lambda xp, x: xp.add(Length([1.0, 2, 3]), x),
    "x + y": lambda xp, x: x + Length([1.0, 2, 3]),
    "y + x": lambda xp, x: Length([1.0, 2, 3]) + x,
    "x < y": lambda xp, x: x < Length([1.0, 0, 3]),
    "x == y": lambda xp, x: x == Length([1.0, 1, 3]),
    "x * y": lambda xp, x: x * Length([1.0, 2, 3]),
    "x ** y": lambda xp, x: x ** Length([1.0, 2, 3]),
    "x @ y": lambda xp, x: x @ Length([1.0, 2, 3]),
    "NumPy's": lambda xp, x: np.add(x, Length([1.0, 2, 3])),
    "reduce": lambda xp, x: xp.add.reduce(Length([1.0, 2, 3])),
    "accumulate": lambda xp, x: xp.multiply.accumulate(Length([1.0, 2, 3])),
    "outer": lambda xp, x: xp.multiply.outer(x, Length([1.0, 2, 3])),
    "matmul": lambda xp, x: xp.matmul(x, Length([1.0, 2, 3])),
    "concatenate": lambda xp, x: xp.concatenate([x, Length([1.0, 2, 3])]),
    "mean": lambda xp, x: xp.mean(Length([1.0, 2, 3])),
    "where": lambda xp, x: xp.where(x > 1, x, Length([1.0, 2, 3])),
    "asarray": lambda xp, x: xp.asarray(Length([1.0, 2, 3])),
    "array": lambda xp, x: xp.array([Length([1.0, 2, 3]), x]),
    "stack, refused": lambda xp, x: xp.stack([x, Length([1.0, 2, 3])]),
    "setitem": lambda xp, x: x.__setitem__(slice(None), Length([1.0, 2, 3])) or x,
    "key": lambda xp, x: x[Length([1, 2]).value],
    "+ refusing": lambda xp, x: x + Refusing(),
    "refusing +": lambda xp, x: Refusing() + x,
    "@ refusing": lambda xp, x: x @ Refusing(),
    "ufunc refused": lambda xp, x: xp.add(x, Refusing()),
    "matrix": lambda xp, x: xp.sqrt(np.matrix([[1.0, 4]])),
    "matrix product": lambda xp, x: np.matrix(np.eye(3)) * x.reshape(3, 1),
    "masked sqrt": lambda xp, x: xp.sqrt(np.ma.array([1.0, 4, 9], mask=[0, 1, 0])).filled(-1),
    "masked sum": lambda xp, x: xp.sum(np.ma.array([1.0, 4, 9], mask=[0, 1, 0])),
    "masked + x": lambda xp, x: (x + np.ma.array([1.0, 4, 9], mask=[0, 1, 0])).filled(-1),
    "asarray of masked": lambda xp, x: xp.asarray(np.ma.array([1.0, 4], mask=[0, 1])),
}


@pytest.mark.parametrize("name", CALLS)
def test_types_are_asked_as_in_numpy(name: str) -> None:
    both(CALLS[name])


def test_they_are_asked_in_strict_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", "1")
    found = jj.sin(Length([0.0, 1.0]))
    assert type(found) is Length
    assert isinstance(jj.sqrt(np.matrix([[4.0]])), np.matrix)


def test_they_are_counted() -> None:
    before = jj.stats()["host fallbacks"].get("sin", 0)
    jj.sin(Length([0.0, 1.0]))
    assert jj.stats()["host fallbacks"]["sin"] == before + 1


def test_arrays_that_they_get_are_written() -> None:
    x = jj.zeros(3)
    jj.add(Length([1.0, 2, 3]), 1, out=x)
    assert x.tolist() == [2, 3, 4]
