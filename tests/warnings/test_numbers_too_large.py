"""Python numbers that are infinite in the dtype they get: NumPy warns of the cast."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest

import jujunp as jj

OPERATORS = [operator.add, operator.sub, operator.mul, operator.lt, operator.eq]
NUMBERS = [1e300, -1e39, 3.4e38, 1e5, 65504, 70000, 10**40, 2.5, float("inf"), 1e300 + 1j]


def _outcome(library: Any, call: Any, dtype: str, number: Any, has_axes: bool) -> Any:
    x = library.array([1.5, 2], dtype)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):  # what the first learns serves the others
            found = np.asarray(call(x if has_axes else x[1], number))
    told = [str(one.message) for one in caught if "in cast" in str(one.message)]
    return found.dtype, repr(found.tolist()), told


@pytest.mark.parametrize("dtype", [*"efFd"])
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("has_axes", [False, True])
def test_operators(dtype: str, number: Any, has_axes: bool) -> None:
    for call in OPERATORS:
        if isinstance(number, complex) and call is operator.lt:
            continue
        for one in (call, lambda x, y, call=call: call(y, x)):
            wanted = _outcome(np, one, dtype, number, has_axes)
            assert _outcome(jj, one, dtype, number, has_axes) == wanted, call


def test_ufuncs_and_states() -> None:
    for name in ("maximum", "add", "hypot", "greater"):
        wanted = _outcome(np, getattr(np, name), "f", 1e300, True)
        assert _outcome(jj, getattr(jj, name), "f", 1e300, True) == wanted
    x = jj.array([1.0], "f4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with jj.errstate(over="ignore"):
            assert (x + 1e300).tolist() == [np.inf]
        with jj.errstate(over="raise"), pytest.raises(FloatingPointError):
            x + 1e300
