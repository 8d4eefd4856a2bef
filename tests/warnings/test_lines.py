"""Each public function on special numbers warns of what NumPy warns of, and of nothing else."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jujunp as jj
from tests.support.warned import KINDS, LINES, special_operands, warned

DTYPES = ["float64", "float32", "float16"]

SILENT = {
    "fft.": "the transforms are kernels whose flags are not looked at",
    "linalg.": "factorizations and determinants are kernels, or composed in another way",
    "floor_divide": "infinite quotients are the Array API's",
    "//": "infinite quotients are the Array API's",
    "divmod": "infinite quotients are the Array API's",
    "logaddexp": "NumPy finds nan invalid here, and sums of the largest numbers to overflow",
    "spacing": "next numbers are made of bits",
    "nextafter": "next numbers are made of bits, which do not underflow",
    "np.fix": "NumPy 2.5 deprecates it, which is not told",
    "i0": "one kernel, which NumPy composes",
    "sinc": "one step, which NumPy composes",
    "unwrap": "composed in another way",
    "nanstd": "composed in another way",
    "nanvar": "composed in another way",
    "nanmean": "sums of float16 are rounded once",
    "percentile": "composed in another way",
    "average": "composed in another way",
    "close": "the difference is not what is computed",
    "polyder": "composed in another way",
    "cov": "composed in another way",
    "corrcoef": "composed in another way",
    "@": "terms are in another order, so that another sum overflows",
    "dot": "terms are in another order, so that another sum overflows",
    "vec": "terms are in another order, so that another sum overflows",
}
"""By a part of a line, why less may be warned of than in NumPy."""
RENAMED = {"add.at": ("in add", "in at")}
"""By a part of a line, what NumPy calls otherwise: a method by its ufunc."""


def _may_be_silent(line: str) -> bool:
    return any(part in line for part in SILENT)


def _renamed(line: str, theirs: tuple[str, ...]) -> tuple[str, ...]:
    for part, names in RENAMED.items():
        if part in line:
            return tuple(text.replace(*names) for text in theirs)
    return theirs


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_lines_warn_as_in_numpy(kind: str, dtype: str) -> None:
    wrong = {}
    for line in LINES:
        theirs, ours = (
            warned(namespace, line, special_operands(namespace, kind, np.dtype(dtype)))
            for namespace in (np, jj)
        )
        if theirs is None or ours is None or ours == _renamed(line, theirs):
            continue
        if not (_may_be_silent(line) and set(ours) < set(theirs)):
            wrong[line] = ours, theirs
    assert not wrong


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_said_where_all_is_ignored(kind: str) -> None:
    with np.errstate(all="ignore"), jj.errstate(all="ignore"):
        for line in LINES:
            given = special_operands(jj, kind, np.dtype("float64"))
            found = warned(jj, line, given)
            assert not [text for text in found or () if "encountered" in text], line


OPERATIONS = {
    "x / y": [(1, 0), (0, 0), (0, 1)],
    "x // y": [(1, 0), (-128, -1)],
    "x % y": [(1, 0), (-128, -1)],
    "np.divmod(x, y)": [(1, 0), (-128, -1)],
    "np.fmod(x, y)": [(1, 0)],
    "x + y": [(100, 100), (1, 2)],
    "x - y": [(-100, 100)],
    "x * y": [(100, 100), (3, 2)],
    "-x": [(-128, 0), (1, 0)],
    "abs(x)": [(-128, 0), (1, 0)],
    "x ** y": [(100, 3), (2, 3)],
    "np.add(x, y)": [(100, 100)],
}


@pytest.mark.parametrize("code", ["b", "B", "q", "Q", "f", "d", "D"])
@pytest.mark.parametrize("line", OPERATIONS)
@pytest.mark.parametrize("shape", [(), (3,)])
def test_integers_and_scalars(line: str, code: str, shape: tuple[int, ...]) -> None:
    for given in OPERATIONS[line]:
        if code in "BQ" and min(given) < 0:
            continue
        factor = 1 if code in "bBfdD" else np.iinfo(code).max // 127
        x, y = (
            np.full((1, *shape), number * (factor if abs(number) > 9 else 1)) for number in given
        )
        try:
            x, y = x.astype(code), y.astype(code)
        except OverflowError:
            continue
        # of an array without axes an element is a scalar
        own = [jj.asarray(x)[0], jj.asarray(y)[0]]
        ours = warned(jj, line, dict(zip("xy", own, strict=True)))
        theirs = warned(np, line, {"x": x[0], "y": y[0]})
        assert ours == theirs, given


CASTS = ["b", "h", "i", "q", "B", "H", "I", "Q", "e", "f", "d", "?"]


@pytest.mark.parametrize("target", CASTS)
@pytest.mark.parametrize("source", ["e", "f", "d", "F", "D", "h", "H", "i", "I", "q", "Q"])
def test_casts(source: str, target: str) -> None:
    for number in (1.5, -1.0, 200.0, 65519, 7e4, 3e9, 1e19, -1e19, 1e30, np.nan, np.inf, -np.inf):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = np.full(3, number).astype(source)
        theirs = warned(np, f"x.astype('{target}')", {"x": x})
        ours = warned(jj, f"x.astype('{target}')", {"x": jj.asarray(x)})
        assert ours == theirs, number
