"""`astype` with rules of casting, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from jujunp._array.arguments import NUMPY
from tests.support.differential import DTYPES, check

NUMBERS = (0, 1, -1, 1.5, 300, 70000, 2**24 + 1, 2**31, 2**53 + 1, 2**63, -(2**63), 2**64 - 1)
OTHERS = (float("nan"), float("inf"), 1e300, 2.0**64, -(2.0**63) - 2048, 1 + 2j, 1 + 0j, -0.0)

KINDS = [name for name in DTYPES if name != "float16"]
"""NumPy refuses some float16 that are whole, such as -0."""


@pytest.mark.skipif(NUMPY < (2, 4), reason="NumPy has the rule from 2.4 on")
@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_same_value(source, target):
    for number in (*NUMBERS, *OTHERS):
        x = _array(number, source)
        if x is not None:
            check(lambda xp, x=x: xp.asarray(x).astype(target, casting="same_value"))


@pytest.mark.skipif(NUMPY < (2, 4), reason="NumPy has the rule from 2.4 on")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e4])
def test_same_value_of_half_precision(number):
    x = np.array([number], "float16")
    for target in ("int8", "int64", "float32", "complex128"):
        check(lambda xp, target=target: xp.asarray(x).astype(target, casting="same_value"))


def _array(number, dtype):
    try:
        return np.array([number]).astype(dtype)
    except OverflowError:
        return None
