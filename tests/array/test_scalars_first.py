"""Scalars of NumPy's own before arrays and scalars of ours: `np.float64(2) * x`."""

from __future__ import annotations

import contextlib
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check, compare, settled
from tests.support.tree.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor"),
        *("lshift", "rshift", "lt", "le", "eq", "ne", "gt", "ge"),
    )
}
BINARY["divmod"] = divmod
FIRST = (
    *(np.bool_(True), np.int8(-7), np.int16(300), np.int32(-5), np.int64(2), np.uint8(200)),
    *(np.uint16(9), np.uint32(4), np.uint64(2**63 + 5), np.float16(0.5), np.float32(1.25)),
    *(np.float64(-2.5), np.float64("nan"), np.complex64(1 + 2j), np.complex128(2 - 1j)),
)
KINDS = ("?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "F", "D")
FORMS: dict[str, Callable[[Any], Any]] = {
    "an array": lambda x: x,
    "an element": lambda x: x[1],
    "zero axes": lambda x: x[1].reshape(()),
    "something computed": lambda x: (x + x)[2:].sum(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_operators(kind: str, form: str) -> None:
    numbers = np.array([1, 0, 3, 2], kind)
    for first in FIRST:
        for name, function in BINARY.items():
            if name == "pow" and first.dtype.char + kind in ("he", "le"):
                continue  # whose last bits differ

            def program(library: Any, first: Any = first, function: Any = function) -> Any:
                return function(first, FORMS[form](library.asarray(numbers)))

            check(program)
            if first == first or kind not in "FD":  # NumPy warns of nan beside complex numbers
                found, wanted = _warned(program, jj), _warned(program, np)
                if isinstance(first, np.bool_):  # of which NumPy has no scalar operators
                    found -= {"overflow encountered in subtract"}
                    found -= {"divide by zero encountered in remainder"} if kind == "e" else set()
                assert found == wanted, (name, first)


def _warned(program: Callable[[Any], Any], library: Any) -> set[str]:
    """Return what is warned of; NumPy calls only some operators on two dtypes those of scalars."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with contextlib.suppress(TypeError, ValueError):
            settled(program(library))
    return {str(warning.message).replace("scalar ", "") for warning in given}


class Mine(np.float64):
    """A class that Python code has derived from one of NumPy's."""

    def __add__(self, other: Any) -> Any:
        return "mine", super().__add__(other)


class Both(np.float64, np.integer):  # type: ignore[misc]
    """One of two of them."""


@pytest.mark.parametrize("name", BINARY)
def test_derived_classes_have_the_operators(name: str) -> None:
    function = BINARY[name]
    for x in (Mine(2.5), Both(2.5)):
        for other in (3.0, np.float32(2), np.float64(7), np.int16(3), [1.0, 2.0], np.arange(3.0)):
            with np.errstate(all="ignore"), contextlib.suppress(TypeError):
                wanted = function(np.float64(2.5), other)
                found = function(x, other)
                compare(found[1] if name == "add" and type(x) is Mine else found, wanted)
                compare(function(other, x), function(other, np.float64(2.5)))
    assert (Mine(2.0) + jj.arange(3.0))[0] == "mine"
    assert (Both(2.0) * jj.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize("name", BINARY)
def test_numpys_own_operands_are_left_to_numpy(name: str, run_python: Any) -> None:
    """They give what they give in a process without this package."""
    results = {}
    for package in ("numpy", "jujunp"):
        done = run_python(OWN.format(name=name, package=package), PYTHONPATH=str(ROOT))
        results[package] = done.stdout
    assert results["jujunp"] == results["numpy"]
    assert len(results["numpy"].splitlines()) == 22**2


OWN = """
import operator
import numpy as np
import {package}
function = divmod if "{name}" == "divmod" else operator.{name}
numbers = [np.array(x)[()] for x in (True, 2, 2.5, 1j)]
numbers += [np.dtype(char).type(3) for char in "bhiBHILefFdD"]
numbers += [2, 0.5, np.float64("nan"), np.longdouble(2), np.str_("a"), np.datetime64("2020-01-01")]
np.seterr(all="ignore")
for x in numbers:
    for y in numbers:
        try:
            print(repr(function(x, y)))
        except Exception as error:
            print(repr(error))
"""


def test_derived_arrays_and_others_are_answered_as_by_numpy() -> None:
    def products(library: Any) -> list[Any]:
        class Named(library.ndarray):
            def __rmul__(self, other: Any) -> Any:
                return "named"

        class Refusing:
            __array_ufunc__ = None

            def __rmul__(self, other: Any) -> str:
                return "refusing"

        mine = library.arange(3.0).view(Named)
        masked = library.ma.masked_array([1.0, 2.0], [False, True])
        found = np.float64(2) * mine
        others = [(np.float64(2) * masked).tolist(), np.float64(2) * Refusing()]
        return [type(found).__name__, found.tolist(), (np.float64(1) < mine).tolist(), *others]

    assert products(jj) == products(np)


def test_nothing_is_computed_by_numpy() -> None:
    before = jj.stats()["host fallbacks"]
    x = jj.arange(5.0)
    total = np.float32(2) * x[1:] - np.int64(3)
    assert type(total) is jj.ndarray
    assert total.tolist() == [-1.0, 1.0, 3.0, 5.0]
    assert jj.stats()["host fallbacks"] == before
