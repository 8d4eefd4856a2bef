"""The texts of scalars: NumPy's, for `str`, `repr` and `format`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.calls.support import python_frames

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]
TEXTS: dict[str, Callable[[Any], str]] = {
    "str": str,
    "repr": repr,
    "format": lambda x: f"{x}",
    "percent": lambda x: "%s" % x,  # noqa: UP031
    "wide": lambda x: f"{x:>9}",
    "fixed": lambda x: f"{x:.2f}",
    "hexadecimal": lambda x: f"{x:x}",
    "wide repr": lambda x: f"{x!r:>20}",
    "of two arguments": lambda x: x.__format__("", ""),
}
NUMBERS = [0.0, -0.0, 1.0, 100.0, 1e15, 9999999999999998.0, 1e16, 1e-4, 1e-5, 0.1, 1 / 3, 1e300]
NUMBERS += [5e-324, np.nan, np.inf, -np.inf, 123456789.0, 2.5e-7]


def _outcome(text: Callable[[Any], str], x: Any) -> Any:
    try:
        return text(x)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_numpys(text: str, dtype: str) -> None:
    with np.errstate(all="ignore"):
        numbers = np.array(NUMBERS).astype(dtype)
    ends = [] if numbers.dtype.kind not in "iu" else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for x in (numbers, np.array(ends, dtype)):
        for theirs, ours in zip(x, jj.asarray(x), strict=True):
            found, expected = (_outcome(TEXTS[text], one) for one in (ours, theirs))
            if isinstance(expected, tuple):  # the error's text names the class
                found, expected = found[0], expected[0]
            assert found == expected


@pytest.mark.parametrize("text", ["str", "repr", "format"])
def test_many_floats(text: str) -> None:
    bits = np.random.default_rng(0).integers(0, 1 << 64, 20000, dtype=np.uint64)
    x = bits.view(float)
    expected = list(map(TEXTS[text], x))
    assert list(map(TEXTS[text], jj.asarray(x))) == expected


@pytest.mark.parametrize("legacy", ["1.13", "1.21", "1.25", False])
@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_print_options(legacy: Any, dtype: str) -> None:
    x = np.array([1 / 3, 1e10]).astype(dtype)
    for options in ({"legacy": legacy}, {"precision": 3}):
        with jj.printoptions(**options):
            found = [(str(one), repr(one)) for one in jj.asarray(x)]
            assert found == [(str(one), repr(one)) for one in x]


def test_pending_scalars() -> None:
    x = jj.arange(4.0)
    assert f"{x.sum()} {x.max()!r} {(x * 2).astype(int)[1]}" == "6.0 np.float64(3.0) 2"


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "uint64", "float64"])
def test_no_python(dtype: str) -> None:
    x = jj.arange(4).astype(dtype)
    jj.flush()
    assert python_frames(lambda: [str(x[1]), repr(x[1])]) == []


def test_formats_of_integers_without_python() -> None:
    x = jj.arange(4)
    jj.flush()
    assert python_frames(lambda: f"{x[1]} {x[2]:5d}") == []
