"""Matrices, and comparing what linear algebra makes of them with NumPy."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("float32", "float64", "complex64", "complex128")
SHAPES = (
    *((0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (2, 3), (3, 2), (12, 7), (5, 5)),
    *((2, 3, 4), (2, 4, 3), (0, 2, 3), (2, 0, 3), (2, 1, 3, 2)),
)


def matrix(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    """Return numbers of both signs, complex ones where the dtype has them."""
    numbers = np.random.default_rng(seed).normal(size=(2, *shape))
    if np.dtype(dtype).kind == "c":
        return (numbers[0] + 1j * numbers[1]).astype(dtype)
    return numbers[0].astype(dtype)


def positive(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    """Return positive definite matrices."""
    x = matrix(shape, dtype, seed)
    return (x @ x.conj().mT + np.eye(shape[-1])).astype(dtype)


def close(found: Any, wanted: Any, scale: float | None = None) -> None:
    """Assert that two results are alike but for some hundred roundings of the largest number."""
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            close(one, other, scale)
        return
    if not isinstance(wanted, (np.ndarray, np.generic)):
        assert type(found) is type(wanted)
        assert found == wanted
        return
    assert (jujunp.ndarray in type(found).__mro__) == isinstance(wanted, np.ndarray)
    found = found.to_numpy()
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if not wanted.size:
        return
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, wanted)
        return
    eps = 500 * np.finfo(wanted.dtype).eps
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~finite], wanted[~finite])
    if finite.any():
        size = abs(wanted[finite]).max() if scale is None else scale
        assert abs(found[finite] - wanted[finite]).max() <= eps * max(size, 1e-30)


def same(program: Callable[..., Any], *arrays: Any, scale: float | None = None) -> None:
    """Assert that a program gives the same with NumPy and with jujunp, or an error of one type.

    The program gets the library and the arrays as the library has them.
    """
    outcomes = []
    for library in (np, jujunp):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                result = program(library, *(library.asarray(x) for x in arrays))
                jujunp.flush()
                outcomes.append(result)
            except Exception as error:
                outcomes.append(error)
    wanted, found = outcomes
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert type(found) is type(wanted), f"{found!r} instead of {wanted!r}"
        if not isinstance(wanted, np.linalg.LinAlgError) or "recorded" not in str(found):
            assert str(found) == str(wanted)
        return
    close(found, wanted, scale)


def equal(found: Any, wanted: Any) -> None:
    """Assert that products give back the matrices within the precision of their dtype."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    if wanted.size:
        bound = 300 * np.finfo(wanted.dtype).eps * max(abs(wanted).max(), 1)
        assert abs(found - wanted).max() <= bound
