"""Methods of ufuncs warn, and so do NumPy's ufuncs on arrays of ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.warned import warned

OPERANDS = {
    "inf": np.array([np.inf, -np.inf, 1.0]),
    "huge": np.array([1e308, 1e308, 1e308]),
    "half": np.array([6e4, 6e4, 1.0], np.float16),
    "unlike": np.array([np.inf, -np.inf, 1.0], np.float16),
    "nan": np.array([np.nan, 1.0, np.inf]),
    "unknown": np.array([np.nan, 1.0, np.inf], np.float16),
    "plain": np.array([1.0, 2.0, 3.0]),
    "both": np.array([1e308 + 1j, 1e308, 1e308]),
    "zero": np.array([1.0, 0.0, 0.0]),
    "whole": np.array([3, 0, 0]),
}
LINES = [
    "np.add.reduceat(x, [0])",
    "np.add.reduceat(x, [0, 1])",
    "np.multiply.reduceat(x, [0, 2])",
    "np.maximum.reduceat(x, [0])",
    "np.hypot.reduceat(x, [0])",
    "np.divide.reduceat(x, [0])",
    "np.add.reduce(x)",
    "np.multiply.reduce(x)",
    "np.add.accumulate(x)",
    "np.multiply.accumulate(x)",
    "numpy.sqrt(-x)",
    "numpy.multiply(x, x)",
    "numpy.add.reduce(x)",
    "numpy.multiply.accumulate(x)",
    "numpy.float64(1e300) * x",
    "numpy.float32(0) / x",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("name", OPERANDS)
def test_methods_warn_as_in_numpy(name: str, line: str) -> None:
    given = OPERANDS[name]
    if given.dtype.kind != "f" and ("hypot" in line or "maximum" in line):
        return
    if given.dtype == np.float16 and "hypot" in line:
        return  # sums are rounded once
    theirs, ours = (warned(lib, line, {"x": lib.array(given), "numpy": np}) for lib in (np, jj))
    assert ours == theirs


AT = [
    ("add", [0], 1e308),
    ("add", [0, 0, 1], [1e308, 1.0, 1e308]),
    ("subtract", [0], np.inf),
    ("multiply", [1], 1e308),
    ("divide", [1], 0.0),
    ("floor_divide", [1], 0.0),
    ("power", [0, 0], 2.0),
    ("maximum", [1], np.nan),
    ("log", [2], None),
]


@pytest.mark.parametrize(("name", "places", "other"), AT)
@pytest.mark.parametrize("operand", ["inf", "huge", "nan", "plain", "zero"])
def test_at_warns_as_in_numpy(operand: str, name: str, places: Any, other: Any) -> None:
    if name == "maximum" or (name == "floor_divide" and operand not in ("plain", "zero")):
        return  # infinite quotients are the Array API's
    line = f"np.{name}.at(x, p)" if other is None else f"np.{name}.at(x, p, y)"
    theirs, ours = (
        warned(lib, line, {"x": lib.array(OPERANDS[operand]), "p": places, "y": other})
        for lib in (np, jj)
    )
    assert theirs is not None
    assert ours is not None
    # here all are named "at", in NumPy some by the ufunc
    assert [text.rpartition(" ")[0] for text in ours] == [
        text.rpartition(" ")[0] for text in theirs
    ]
    assert all(text.endswith(" in at") for text in ours)


def test_integers_that_overflow_half_precision() -> None:
    for number in (7, 65519, 65520, 70_000, -65520, 2**40):
        for size in (1, 3, 5000):
            given = np.full(size, number)
            for line in ("x.astype('e')", "np.array(x, 'e')", "np.add(x, h, dtype='e')"):
                operands = {"h": 1.0}
                theirs, ours = (
                    warned(lib, line, {"x": lib.array(given), **operands}) for lib in (np, jj)
                )
                assert ours == theirs, (number, size, line)


def test_the_number_next_to_the_largest() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        largest = np.finfo(dtype).max
        given = np.array([largest, -largest, 1.0, np.inf, np.nan], dtype)
        for to in (np.inf, -np.inf, 0.0, np.nan):
            theirs, ours = (
                warned(lib, "np.nextafter(x, y)", {"x": lib.array(given), "y": dtype(to)})
                for lib in (np, jj)
            )
            assert ours == theirs, (dtype, to)


NOTHING = [
    "np.median(x)",
    "np.median(x, axis=0)",
    "np.median(x.reshape(0, 3), axis=0)",
    "np.mean(x)",
    "np.mean(x.reshape(0, 3), axis=0)",
    "np.std(x[:0])",
]


@pytest.mark.parametrize("line", NOTHING)
@pytest.mark.parametrize("code", ["d", "f", "e", "i", "D"])
def test_statistics_of_nothing(line: str, code: str) -> None:
    theirs, ours = (warned(lib, line, {"x": lib.array([], code)}) for lib in (np, jj))
    assert ours == theirs


NORMS = [
    "np.linalg.norm(x)",
    "np.linalg.norm(x, 1)",
    "np.linalg.norm(x, 3)",
    "np.linalg.norm(x, -2)",
    "np.linalg.norm(x, axis=0)",
    "np.linalg.norm(x[None], axis=(0, 1))",
    "np.linalg.norm(x[None], 1)",
    "np.linalg.norm(x[None], np.inf)",
    "np.linalg.vector_norm(x)",
    "np.linalg.matrix_norm(x[None])",
    "np.vander(x, 4)",
]


@pytest.mark.parametrize("line", NORMS)
@pytest.mark.parametrize("name", ["huge", "plain", "zero", "both", "inf", "nan"])
def test_norms_warn_as_in_numpy(name: str, line: str) -> None:
    theirs, ours = (warned(lib, line, {"x": lib.array(OPERANDS[name])}) for lib in (np, jj))
    assert ours == theirs
