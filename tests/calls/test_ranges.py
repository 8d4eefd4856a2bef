"""Small ranges of integers, made without Python: NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run.machine import LOG
from tests.calls.support import python_frames

ENDS: list[tuple[Any, ...]] = [
    *((0,), (1,), (7,), (512,), (513,), (-3,), (2, 9), (9, 2), (-4, 4), (3, 3)),
    *((0, 10, 3), (10, 0, -3), (0, 10, -1), (-7, 9, 5), (0, 1, 7), (5, -6, -11), (0, 5, 0)),
    *((2**60, 2**60 + 3), (2**62, 2**62 + 3), (-(2**63), -(2**63) + 2), (0, 2**62, 2**61)),
    *((0, 10, 2**62), (2**64,), (True,), (0, True), (np.int64(4),), (np.uint8(1), 5), (2.0,)),
    *((0, 5, 1.5), (0.5, 3), (None,), (0, None), (0, 5, None), ([3],), ("a",), (1j,)),
]


def _outcome(np: Any, ends: tuple[Any, ...]) -> Any:
    try:
        found = np.arange(*ends)
    except Exception as error:
        return type(error)
    return found.dtype, found.shape, found.tolist()


@pytest.mark.parametrize("ends", ENDS, ids=str)
def test_ranges(ends: tuple[Any, ...]) -> None:
    assert _outcome(jj, ends) == _outcome(np, ends)


@pytest.mark.parametrize("ends", [(7,), (512,), (-4, 4), (10, 0, -3)])
def test_small_ranges_need_no_python(ends: tuple[int, ...]) -> None:
    jj.flush()
    assert python_frames(lambda: jj.arange(*ends)) == []
    assert not LOG


def test_ranges_are_written() -> None:
    x, y = jj.arange(4), jj.arange(4)
    x += 1
    assert x.tolist() == [1, 2, 3, 4]
    assert y.tolist() == jj.arange(4).tolist() == [0, 1, 2, 3]
