"""What is no number, compared with arrays or beside them in operators: as with NumPy's arrays."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import jujunp as jj

OTHERS: dict[str, Any] = {
    "set": {1, 2},
    "dictionary": {"a": 1},
    "text": "a",
    "bytes": b"x",
    "None": None,
    "date": np.datetime64("2020"),
    "dates": np.array(["2020", "2021", "2022"], "M8[D]"),
}
REFUSED = ("text", "bytes")


@pytest.fixture(autouse=True)
def _lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", "0")  # dates are NumPy's to compare


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_equality(name: str, dtype: str) -> None:
    x = np.arange(3).astype(dtype)
    for compare in (operator.eq, operator.ne):
        for turned in (False, True):
            found, expected = (
                compare(*((OTHERS[name], y) if turned else (y, OTHERS[name])))
                for y in (jj.asarray(x), x)
            )
            assert isinstance(found, jj.ndarray)
            np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
    assert (OTHERS[name] in jj.asarray(x)) == (OTHERS[name] in x)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("operation", ["add", "mul", "lt", "mod"])
def test_text_is_refused(name: str, operation: str) -> None:
    call = getattr(operator, operation)
    for x in (np.arange(3), jj.arange(3)):
        with pytest.raises(TypeError):
            call(x, OTHERS[name])
    if operation in ("add", "lt"):  # text takes anything for its format, or is repeated
        for x in (np.arange(3), jj.arange(3)):
            with pytest.raises(TypeError):
                call(OTHERS[name], x)


@pytest.mark.parametrize("dtype", ["int64", "float64", "uint8"])
def test_objects_that_are_arrays_are_no_elements(dtype: str) -> None:
    for xp in (np, jj):
        objects = np.empty(2, object)
        objects[:] = [xp.arange(4), xp.arange(3)]
        with pytest.raises(ValueError, match="setting an array element with a sequence"):
            xp.array(objects, dtype=dtype)
        objects[:] = [xp.arange(4)[2], xp.arange(4.0)[3]]
        assert xp.array(objects, dtype=dtype).tolist() == [2, 3]


class Symbol:
    """Answers comparisons with what has no truth value."""

    def __lt__(self, other: Any) -> Any:
        return "less", other

    def __ge__(self, other: Any) -> Any:
        return "not less", other


def test_scalars_are_compared_by_the_object() -> None:
    """It is given a number, and what it answers is not looked at."""
    for x in (jj.arange(3.0)[2], jj.arange(3.0).sum() - 1, jj.arange(3)[2]):
        assert (x > Symbol()) == ("less", 2)
        assert (x <= Symbol()) == ("not less", 2)
        assert (Symbol() < x) == ("less", 2)
        with pytest.raises(TypeError):
            x > object()  # noqa: B015
