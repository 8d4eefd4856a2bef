"""Calls with `where=` warn of what the mask takes, and of nothing that it leaves out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.warned import warned

LINES = [
    "np.divide(x, y, out=o, where=m)",
    "np.divide(1, y, out=o, where=m)",
    "np.divide(x, 0, out=o, where=m)",
    "np.divide(x, 0.0, out=o, where=[True, False, False, False])",
    "np.add(x, x, out=o, where=m)",
    "np.add(x, 1e308, out=o, where=m)",
    "np.multiply(x, x, out=o, where=m)",
    "np.remainder(x, y, out=o, where=m)",
    "np.floor_divide(x[:1], y[:1], out=o[:1], where=m[:1])",
    "np.power(y, -1.0, out=o, where=m)",
    "np.log(z, out=o, where=m)",
    "np.log(-1, out=o, where=m)",
    "np.sqrt(z, out=o, where=m)",
    "np.exp(x, out=o, where=m)",
    "np.arctanh(z, out=o, where=m)",
    "np.arccosh(z, out=o, where=m)",
    "np.hypot(x, x, out=o, where=m)",
    "np.log(z, out=np.zeros((2, 4)), where=np.array([[False], [True]]))",
    "np.divide(y, 0, out=o, where=m, dtype='float32')",
    "np.divide(i, j, out=o, where=m)",
    "np.floor_divide(i, j, out=k, where=m)",
    "np.floor_divide(i, 0, out=k, where=m)",
    "np.remainder(i, j, out=k, where=m)",
    "np.floor_divide(7, j, out=k, where=m)",
    "np.divmod(i, j, out=(k, k.copy()), where=m)",
    "np.divmod(x, y, out=(o, o.copy()), where=m)",
    "np.multiply(c, c, out=o * 1j, where=m)",
    "np.divide(c[:2], y[:2], out=o[:2] * 1j, where=m[:2])",
]
MASKS = [[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]


def _operands(namespace: Any, mask: list[int]) -> dict[str, Any]:
    given = {
        "x": np.array([1.0, 1.5e308, np.inf, 3.0]),
        "y": np.array([0.0, 0.5, 2.0, np.nan]),
        "z": np.array([-1.0, 0.0, 1.0, 2.0]),
        "i": np.array([1, 2, 3, 4]),
        "j": np.array([0, 1, 0, 2]),
        "c": np.array([1.0, 1e200 * 1j, np.inf + 1j, 1.0]),
        "m": np.array(mask, bool),
        "o": np.zeros(4),
        "k": np.zeros(4, int),
    }
    return {name: namespace.array(x) for name, x in given.items()}


@pytest.mark.parametrize("line", LINES)
def test_what_is_left_out_does_not_warn(line: str) -> None:
    wrong = {}
    for mask in MASKS:
        theirs, ours = (warned(lib, line, _operands(lib, mask)) for lib in (np, jj))
        assert theirs is not None
        if ours != theirs:
            wrong[tuple(mask)] = ours, theirs
    assert not wrong


def test_calls_that_are_recorded_again_are_as_loud() -> None:
    x, out = jj.array([0.0, 2.0]), jj.zeros(2)
    for mask, expected in ([False, True], []), ([True, False], ["divide by zero"]):
        where = jj.array(mask)
        for _ in range(50):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                jj.divide(1.0, x, out=out, where=where)
                jj.flush()
            assert [str(item.message).partition(" enc")[0] for item in found] == expected


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
def test_fractions_of_infinities_do_not_warn(dtype: str) -> None:
    given = np.array([np.inf, -np.inf, np.nan, -0.0, 1.5, -2.25], dtype)
    x = jj.array(given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(50):
            for ours, theirs in zip(jj.modf(x), np.modf(given), strict=True):
                np.testing.assert_array_equal(ours, theirs)
                np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def test_results_where_the_mask_is_false() -> None:
    mask = np.array([True, False, True])
    cases: list[list[Any]] = [[1.0, 2.0, 3.0], [1, 2, 3], [1j, 2.0, 3.0], [True, False, True]]
    for given in cases:
        for name in ("add", "divide", "power", "arctan2", "logaddexp"):
            function = getattr(np, name)
            try:
                expected = function(given, 2, out=np.full(3, 7.0 + 0j), where=mask)
            except TypeError:
                continue
            out = jj.full(3, 7.0 + 0j)
            found = getattr(jj, name)(jj.array(given), 2, out=out, where=jj.array(mask))
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)


@pytest.mark.parametrize("out", [None, (4,)])
@pytest.mark.parametrize("shape", [(2,), (3, 4), (4, 1, 5)])
def test_masks_that_do_not_fit_are_refused(shape: Any, out: Any) -> None:
    if out is None and shape == (3, 4):
        assert jj.divide(jj.ones(4), 2, out=None, where=jj.ones(shape, bool)).shape == shape
        return
    with pytest.raises(ValueError, match="broadcast"):
        jj.divide(
            jj.ones(4),
            jj.zeros(4),
            out=None if out is None else jj.zeros(out),
            where=jj.ones(shape, bool),
        )
