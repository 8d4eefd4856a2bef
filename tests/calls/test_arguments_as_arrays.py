"""Lists, numbers and odd things as arguments of functions that take arrays, once and again."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import compare, settled

CALLS: dict[str, tuple[tuple[Any, ...], ...]] = {
    **dict.fromkeys(("diff", "diag", "vander", "argwhere", "flatnonzero", "ravel", "flip"), ((),)),
    **dict.fromkeys(("tril", "triu", "atleast_1d", "atleast_2d", "atleast_3d", "meshgrid"), ((),)),
    **dict.fromkeys(("fft.fft", "fft.rfft", "linalg.qr", "linalg.matrix_rank"), ((),)),
    **dict.fromkeys(("transpose", "squeeze"), ((),)),
    **dict.fromkeys(("cov", "corrcoef"), ((), ([2, 1],))),
    **dict.fromkeys(("repeat", "tile", "linalg.matrix_power", "roll"), ((2,),)),
    "expand_dims": ((0,),),
    "broadcast_to": (((3, 2),), ((2,),), ((),)),
    "reshape": (((1, -1),),),
    "take": ((0,), ([0, 1],)),
    "clip": ((0, 1), (None, 2), ([0, 1], 2)),
    "matmul": (([1, 2],), ([[1, 2], [3, 4]],)),
    "array": ((), ("f4",), (int,), ("u1",), (bool,), ("f2",), (complex,)),
    "asarray": ((), ("f4",), ("i2",)),
}
GIVEN: tuple[Any, ...] = (
    *(7, 7.5, True, [1, 2], [1.5, 2], [[1, 2], [3, 4]], [[1.0, 2], [3, 4]], [], [[]], (1, 2)),
    *([True, False], [1 + 2j, 1], range(3), np.float32(2), [np.float32(1), 2], [np.float64(1), 2]),
    *(300, -5, [300, 1], [-1, 2], float("nan"), 1e300, [1e300, 1], [[1, 2], [3]]),
)


@pytest.mark.parametrize("name", CALLS)
def test_lists(name: str) -> None:
    for given in GIVEN:
        for rest in CALLS[name]:
            wanted = _outcome(np, name, (given, *rest))
            for _ in range(5):
                found = _outcome(jj, name, (given, *rest))
                assert found[1:] == wanted[1:], (given, rest)
                compare(found[0], wanted[0], 1e-14 if "." in name else 0)


def _outcome(library: Any, name: str, arguments: tuple[Any, ...]) -> tuple[Any, str, list[str]]:
    """Return what a call gives, the type of its error, and what is warned of."""
    result, error = None, ""
    function = library
    for part in name.split("."):
        function = getattr(function, part)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            result = settled(function(*arguments))
        except Exception as raised:  # whatever it raises is the outcome
            error = type(raised).__name__
    return result, error, sorted({str(one.message) for one in given})


@pytest.mark.parametrize("dtype", ["f4", "f2", "c8"])
@pytest.mark.parametrize(
    "call",
    [
        *(lambda x, dtype: jj.array(x, dtype), lambda x, dtype: jj.asarray([x, 1], dtype)),
        *(lambda x, dtype: jj.full(2, x, dtype), lambda x, dtype: jj.array(np.float64(x), dtype)),
        lambda x, dtype: jj.full_like(jj.ones(2, dtype), x),
    ],
)
def test_casts_of_numbers_warn_each_time_at_this_line(call: Any, dtype: str) -> None:
    for _ in range(40):
        for number, count in ((1e300, 1), (7.5, 0), (float("inf"), 0)):
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                jj.flush(call(number, dtype))
            assert [str(one.message) for one in given] == count * ["overflow encountered in cast"]
            assert all(one.filename == __file__ for one in given)
