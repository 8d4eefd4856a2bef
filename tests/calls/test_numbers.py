"""Calls with numbers: of other numbers each time, they are recorded without Python all the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from jujunp.lazy.run import machine
from tests.calls.support import python_frames

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: dict[str, Callable[[Any, Any, int], Any]] = {
    "a float": lambda np, x, k: np.sqrt(k * 0.37),
    "an int": lambda np, x, k: np.sqrt(k),
    "the size of an int": lambda np, x, k: np.abs(-k),
    "a complex number": lambda np, x, k: np.exp(1j * k),
    "two floats": lambda np, x, k: np.subtract(k * 0.5, 2.25),
    "an int and a float": lambda np, x, k: np.maximum(k, 7.5),
    "two ints": lambda np, x, k: np.minimum(k, 3),
    "a list and a number": lambda np, x, k: np.add([1.5, k], k),
    "where": lambda np, x, k: np.where(x > 0.5, x, k),
    "where of two numbers": lambda np, x, k: np.where(x > 0.5, k, -k * 0.5),
    "clip": lambda np, x, k: np.clip(x, 0.01 * k, 0.02 * k),
    "clip by an int": lambda np, x, k: x.clip(0, k),
    "arange": lambda np, x, k: np.arange(k),
    "zeros": lambda np, x, k: np.zeros(k),
    "ones of a dtype": lambda np, x, k: np.ones(k, dtype=np.int8),
    "small integers": lambda np, x, k: np.where(x > 0.5, (x * 9).astype(np.uint8), k),
    "full": lambda np, x, k: np.full((2, 3), k),
    "full of floats": lambda np, x, k: np.full(5, k / 3),
    "full of a dtype": lambda np, x, k: np.full(5, k, np.float32),
    "full_like": lambda np, x, k: np.full_like(x, k),
    "searchsorted": lambda np, x, k: np.searchsorted(np.sort(x), k * 0.02),
    "interp": lambda np, x, k: np.interp(k * 0.1, [0.0, 1.0, 5.0], [3.0, 5.0, k]),
    "append": lambda np, x, k: np.append(x, k * 0.1),
    "round": lambda np, x, k: np.round(k * 0.123, 2),
    "mean of a list": lambda np, x, k: np.mean([k, 2.5, k + 1]),
    "dot of lists": lambda np, x, k: np.dot([k, 2.0], [k, 0.5]),
    "norm of a list": lambda np, x, k: np.linalg.norm([3.0 * k, 4.0 * k]),
    "polyval": lambda np, x, k: np.polyval([1.0, k, 3.0], 0.5 * k),
}


def _vector(namespace: Any) -> Any:
    return namespace.asarray(np.random.default_rng(1).random(9))


@pytest.fixture(autouse=True)
def nothing_is_known() -> None:
    machine.forget_calls()


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_other_numbers(name: str) -> None:
    call = CALLS[name]
    mine, theirs = _vector(jujunp), _vector(np)
    for k in range(2, 40):
        found, wanted = call(jujunp, mine, k), call(np, theirs, k)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-15)
    jujunp.flush()
    assert not python_frames(lambda: call(jujunp, mine, 77))
    assert not python_frames(lambda: call(jujunp, mine, 78))


@pytest.mark.parametrize("name", CALLS)
def test_numbers_that_are_odd(name: str) -> None:
    call = CALLS[name]
    mine, theirs = _vector(jujunp), _vector(np)
    for k in (0, 1, -3, 5, 130, 255, 256, 40000, 1 << 40, 3, 4, True):
        with np.errstate(all="ignore"), jujunp.errstate(all="ignore"):
            try:
                wanted = call(np, theirs, k)
            except MemoryError:
                continue  # ours is asked for later
            except (ValueError, TypeError, OverflowError) as error:
                with pytest.raises(type(error), match=re.escape(str(error))):
                    call(jujunp, mine, k)
                continue
            found = call(jujunp, mine, k)
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=2e-15)


def test_a_number_that_the_dtype_does_not_hold() -> None:
    small, numpys = jujunp.arange(6).astype(jujunp.uint8), np.arange(6, dtype=np.uint8)
    for k in (2, 3, 4, 5, 6, 200, 127, 128, 254, 255, 256, 300, 70000):
        for call in (
            lambda np, x, k=k: np.where(x > 2, x, k),
            lambda np, x, k=k: np.clip(x, 2, k),
            lambda np, x, k=k: np.full_like(x, k),
        ):
            try:
                wanted = call(np, numpys)
            except OverflowError as error:
                with pytest.raises(OverflowError, match=str(error)):
                    call(jujunp, small)
                continue
            np.testing.assert_array_equal(call(jujunp, small), wanted)


def test_infinite_numbers_and_nan() -> None:
    x, numpys = jujunp.linspace(0, 1, 7), np.linspace(0, 1, 7)
    for number in (0.5, 0.25, 0.75, 0.125, 0.3, np.inf, -np.inf, np.nan, 1e300, 65504.0, 65505.0):
        np.testing.assert_array_equal(
            jujunp.where(x > 0.4, x, number), np.where(numpys > 0.4, numpys, number)
        )
        np.testing.assert_array_equal(jujunp.clip(x, 0.2, number), np.clip(numpys, 0.2, number))
        np.testing.assert_array_equal(jujunp.full(3, number), np.full(3, number))


@pytest.mark.parametrize("power", [2, 0.5, -1, 1, 2.0, 3, -2, 0])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "uint8", "bool"])
def test_simple_powers(power: float, dtype: str) -> None:
    """What NumPy computes by another function is computed by that, in place, too."""
    for theirs in (np.arange(1, 5).astype(dtype), np.arange(1, 5).astype(dtype)[2]):
        mine = jujunp.asarray(theirs) if theirs.shape else jujunp.asarray(theirs)[()]
        try:
            wanted = theirs**power
        except (ValueError, OverflowError) as error:
            with pytest.raises(type(error), match=str(error)[:20]):
                mine**power
            continue
        found = mine**power
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-7)
        if wanted.dtype == theirs.dtype and theirs.shape:
            mine **= power
            np.testing.assert_array_equal(mine, found)


def test_what_is_recorded_again_has_numbers_as_python_has_them() -> None:
    for k in range(2, 20):
        found = jujunp.full(3, k, jujunp.float32)
        assert [(type(x), x) for x in found._value.inputs] == [(float, k)]
        found = jujunp.full(3, k)
        assert [(type(x), x) for x in found._value.inputs] == [(int, k)]


def test_known_integers_beside_floats() -> None:
    indices = jujunp.arange(5)
    jujunp.flush()
    for k in range(5):
        assert indices[k] * 0.5 + indices[k] / 4.0 == k * 0.75
    assert not python_frames(lambda: indices[3] * 0.25 + indices[2] / 7.0)


def test_scalars_of_ours_in_numpys_functions_are_read_at_once() -> None:
    x = jujunp.sqrt(2.5)
    assert np.asarray(x) == np.sqrt(2.5)
    assert x.hex() == np.sqrt(2.5).hex()
    assert not hasattr(jujunp.int64(3), "hex")
    assert "hex" in dir(x)
    with pytest.raises(AttributeError, match="nothing"):
        x.nothing  # noqa: B018
