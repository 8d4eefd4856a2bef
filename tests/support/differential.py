"""Comparing what a program gives with NumPy and with jujunp."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
HALF_AND_COMPLEX = ("float16", "complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS, *HALF_AND_COMPLEX)
VIEWS = {
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, :, ::-1],
    "strided": lambda x: x[:, ::3],
    "permuted": lambda x: x.transpose(1, 2, 0),
    "broadcast": lambda x: x[:, :1],
}


def rounding(dtype: str) -> float:
    """Return how far sums and products of half precision and complex numbers may be from NumPy's.

    NumPy rounds every partial sum of half precision; ours are float32 until the end.
    """
    return {"float16": 1e-2, "complex64": 1e-5, "complex128": 1e-13}.get(dtype, 0.0)


def sample(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Return numbers of both signs, some of them equal, as the dtype has them."""
    rng = np.random.default_rng(seed)
    numbers = np.asarray(rng.random(shape) * 20 - 5)
    if dtype.startswith("complex"):
        return (numbers + 1j * rng.random(shape)).astype(dtype)
    return numbers.astype(dtype)


def positive(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Return a sample, of real numbers its absolute values."""
    found = sample(shape, dtype, seed)
    return found if found.dtype.kind == "c" else abs(found)


def few(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Return numbers of which many are equal."""
    return np.asarray(np.random.default_rng(seed).random(shape) * 9).astype(dtype)


def check(program: Callable[[Any], Any], *, rtol: float = 0.0) -> None:
    """Run a program with both libraries as its argument; results or errors must be alike.

    Arrays must agree in shape, dtype and bits (in value within `rtol`, if that is given), and be an
    array or a scalar in both. Errors must be of one type.
    """
    wanted = _outcome(program, np)
    found = _outcome(program, jujunp)
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert type(found) is type(wanted), f"{found!r} instead of {wanted!r}"
        return
    compare(found, wanted, rtol)


def check_error(program: Callable[[Any], Any]) -> None:
    """Assert that a program gives the same, or an error of the same type and text."""
    check(program)
    texts = []
    for library in (np, jujunp):
        try:
            program(library)
            texts.append("")
        except Exception as error:  # whatever it raises
            texts.append(str(error))
    assert texts[1] == texts[0]


def _outcome(program: Callable[[Any], Any], library: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            return settled(program(library))
        except Exception as error:  # whatever it raises is the outcome
            return error


def told(
    call: Callable[[Any], Any],
    library: Any,
    read: Callable[[Any], Any],
    refused: Callable[[Exception], Any],
) -> tuple[Any, list[str]]:
    """Return what a call gives, array by array as it is read, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call(library)
        except Exception as error:  # whatever it raises is the outcome
            outcome = refused(error)
        else:
            parts = found if isinstance(found, tuple) else (found,)
            outcome = [x if isinstance(x, str) else read(x) for x in parts]
    return outcome, [str(one.message) for one in caught]


def floor_divide(x: Any, y: Any) -> Any:
    """NumPy's function, but of infinite floats what the Array API says."""
    found = np.asarray(np.floor_divide(x, y))
    if found.dtype.kind not in "fV":  # bfloat16 is of kind V
        return found[()]
    x, y = (np.asarray(z).astype(found.dtype) for z in (x, y))
    return np.where(np.isinf(x) | np.isinf(y), np.floor(x / y), found)[()]


def settled(result: Any) -> Any:
    """Return a result with all its arrays computed, so that errors are raised now."""
    if isinstance(result, (tuple, list)):
        return type(result)(settled(part) for part in result)
    if type(result) is jujunp.ndarray:
        return result.to_numpy()
    if hasattr(result, "to_numpy"):
        return result.to_numpy()[()]
    return result


def compare(found: Any, wanted: Any, rtol: float = 0.0) -> None:
    """Assert that two results with NumPy arrays in them are alike."""
    assert type(found) is type(wanted), f"{type(found)} instead of {type(wanted)}: {found!r}"
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for part, expected in zip(found, wanted, strict=True):
            compare(part, expected, rtol)
    elif isinstance(wanted, (np.ndarray, np.generic)):
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        if wanted.dtype.kind == "c":  # products and quotients are rounded in other ways
            rtol = max(rtol, 8 * float(np.finfo(wanted.dtype).eps))
        if rtol:
            np.testing.assert_allclose(found, wanted, rtol)
        else:
            np.testing.assert_array_equal(found, wanted)
            if wanted.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
    else:
        assert found == wanted or (found != found and wanted != wanted)
