"""Arrays in the other byte order than the machine's are NumPy's; what they give is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

MAKERS: dict[str, Callable[[Any], Any]] = {
    "array": lambda np: np.array([1.0, 2.0], ">f8"),
    "a copy": lambda np: np.array(_swapped()),
    "asarray": lambda np: np.asarray(_swapped()),
    "asarray of a list": lambda np: np.asarray([1, 2], dtype=">i4"),
    "zeros": lambda np: np.zeros(3, ">f8"),
    "ones": lambda np: np.ones(3, dtype=">c8"),
    "full": lambda np: np.full((2, 2), 7, ">u2"),
    "arange": lambda np: np.arange(3, dtype=">i8"),
    "linspace": lambda np: np.linspace(0.0, 1.0, 3, dtype=">f4"),
    "frombuffer": lambda np: np.frombuffer(b"\0\1\2\3", ">u2"),
    "fromiter": lambda np: np.fromiter([1, 2], ">i4"),
    "astype": lambda np: np.arange(4.0).astype(">i4"),
    "view": lambda np: np.arange(4).view(">i8"),
}
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sin": lambda np, x: np.sin(x),
    "sum": lambda np, x: np.sum(x),
    "an operand": lambda np, x: np.arange(4) + x,
    "a first operand": lambda np, x: x * np.arange(4),
    "where": lambda np, x: np.where(x > 1, x, 0),
    "indices": lambda np, x: np.arange(4)[x],
    "concatenate": lambda np, x: np.concatenate([x, np.arange(2)]),
    "asarray with a dtype": lambda np, x: np.asarray(x, dtype=np.float32),
}


def _swapped() -> np.ndarray:
    return np.array([3, 1, 2, 0], ">i4")


@pytest.mark.parametrize("name", MAKERS)
def test_what_makes_such_arrays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match=r"JUJUNP_STRICT|not supported"):
        MAKERS[name](jujunp)
    monkeypatch.delenv("JUJUNP_STRICT")
    found, wanted = MAKERS[name](jujunp), MAKERS[name](np)
    assert type(found) is np.ndarray
    assert found.dtype.str == wanted.dtype.str
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_computed_of_them(name: str) -> None:
    found, wanted = FUNCTIONS[name](jujunp, _swapped()), FUNCTIONS[name](np, _swapped())
    assert type(found) is jujunp.ndarray or isinstance(found, np.generic)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_outputs_in_the_other_order() -> None:
    out = np.zeros(3, ">f8")
    assert jujunp.add(jujunp.arange(3.0), 1.0, out=out) is out
    np.testing.assert_array_equal(out, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "given", [np.arange(3, dtype=">i4"), memoryview(b"ab").cast("c")], ids=["swapped", "bytes"]
)
def test_memory_that_is_not_ours_is_shared_without_a_copy(
    given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUJUNP_STRICT")
    found, wanted = jujunp.array(given, copy=False), np.array(given, copy=False)
    assert type(found) is np.ndarray
    assert found.dtype == wanted.dtype
    assert np.shares_memory(found, wanted)
