"""Polynomials as arrays of coefficients, the one of the highest degree first."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.settling import deferring
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.run.watching import is_followed, is_sampling
from jujunp.lazy.values.dtypes import DTYPES, FLOAT16, FLOAT64, is_complex

from ..._array.arguments import common_code
from ..._array.array_likes import as_handle, check_own
from ..._array.making import convert
from ..._ufuncs.ufunc import UFUNCS, conjugated
from ...linalg import eigvals, inv, lstsq
from ..creation.arrays import asarray, ones, zeros, zeros_like
from ..creation.ranges import arange
from ..indexing.selection import nonzero
from ..manipulation.joining import concatenate
from ..manipulation.shapes import atleast_1d
from ..matrices.building import diag, vander
from ..padding import trim_zeros
from ..searching.sorting import sort
from .convolution import convolve

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def polyval(p: Any, x: Any) -> Any:
    """Return a polynomial's values at the elements of `x`, by Horner's rule.

    Args:
        p: Coefficients, in one dimension.
        x: Where to evaluate it; the result has its shape.
    """
    room()
    coefficients, at = as_handle(p), as_handle(x)
    found: Any = zeros_like(at)
    for place in range(coefficients._shape[0]):
        found = found * at + coefficients[place]
    return found


def roots(p: Any) -> Any:
    """Return the roots of a polynomial: the eigenvalues of its companion matrix.

    ValueError unless the coefficients, which are computed, are one-dimensional.
    """
    room()
    given: Any = atleast_1d(p)
    if given.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = nonzero(given)[0]
    if not len(places):
        return asarray([])
    first, last = int(places[0]), int(places[-1])
    trailing = len(given) - last - 1
    kept = given[first : last + 1]
    if DTYPES[kept._code].kind not in "fc":
        kept = kept.astype("float64")
    code = kept._code
    if len(kept) < 2:
        return zeros(trailing, DTYPES[code])
    companion = diag(ones((len(kept) - 2,), DTYPES[code]), -1)
    companion[0] = -kept[1:] / kept[0]
    found: Any = eigvals(companion)
    if not is_complex(code) and is_complex(found._code) and bool((found.imag == 0).all()):
        found = found.real.copy()
    return concatenate((found, zeros(trailing, found.dtype)))


def poly(seq_of_zeros: Any) -> Any:
    """Return the coefficients of the polynomial with the given roots, or of a matrix's eigenvalues.

    ValueError for what is neither one-dimensional nor a square matrix.
    """
    room()
    given: Any = atleast_1d(seq_of_zeros)
    shape = given._shape
    if len(shape) == 2 and shape[0] == shape[1] != 0:
        given = eigvals(given)
    elif len(shape) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if not given._shape[0]:
        return 1.0
    if DTYPES[given._code].kind not in "fc" or given._code == FLOAT16:
        given = convert(given, FLOAT64)
    found: Any = ones(1, given.dtype)
    for place in range(given._shape[0]):
        found = convolve(found, concatenate((ones(1, found.dtype), -given[place : place + 1])))
    if is_complex(found._code) and _come_in_pairs(given):
        return found.real.copy()
    return found


def _come_in_pairs(given: Any) -> bool:
    """Whether with each root its conjugate is one, as for real polynomials; computes it."""
    return bool((sort(given) == sort(conjugated(given))).all())


def _padded(a: Any, b: Any) -> tuple[Any, Any]:
    """Return coefficients of two polynomials with leading zeros, so that there are as many."""
    x, y = atleast_1d(a), atleast_1d(b)
    if len(x) == len(y):
        return x, y
    count = max(x._shape[0], y._shape[0])
    both = (x, y)
    return tuple(concatenate((zeros(count - part._shape[0], part.dtype), part)) for part in both)


def polyadd(a1: Any, a2: Any) -> Any:
    """Return the sum of two polynomials."""
    x, y = _padded(a1, a2)
    return x + y


def polysub(a1: Any, a2: Any) -> Any:
    """Return the difference of two polynomials."""
    x, y = _padded(a1, a2)
    return x - y


def polymul(a1: Any, a2: Any) -> Any:
    """Return the product of two polynomials, whose leading zeros are left out.

    Where elements are not known, as in traces, zeros stay. ValueError for more than one axis.
    """
    return convolve(_without_zeros(a1), _without_zeros(a2))


def _without_zeros(p: Any) -> Any:
    """Return the coefficients of a polynomial without leading zeros, but for the last one."""
    found: Any = atleast_1d(p)
    if found.ndim != 1:
        raise ValueError("Polynomial must be 1d only.")
    if deferring() or is_followed() or is_sampling():
        return found if found.size else zeros(1)
    if not found.size or not found[0]:
        found = trim_zeros(found, "f")
    return found if found.size else zeros(1, found.dtype)


def polyder(p: Any, m: int = 1) -> Any:
    """Return the m-th derivative of a polynomial; ValueError for a negative `m`."""
    room()
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    check_own((p,))
    found: Any = asarray(p)
    for _ in range(m):
        found = found[:-1] * arange(len(found) - 1, 0, -1)
    return found


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Return the m-th integral of a polynomial, with the constants `k`, zeros unless given.

    ValueError for a negative `m`, or not as many constants.
    """
    room()
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants: Any = zeros(m) if k is None else atleast_1d(k)
    if len(constants) == 1 and m > 1:
        constants = constants * ones(m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    check_own((p,))
    found: Any = asarray(p)
    for place in range(m):
        found = found / arange(len(found), 0, -1)
        found = concatenate((found, constants[place : place + 1]))
    return found


def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: Any = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """Return the coefficients of the polynomial of degree `deg` that fits points best.

    Args:
        x: Places, in one dimension.
        y: Values, or columns of them.
        deg: Degree.
        rcond: Singular values below this part of the largest count as zero.
        full: Whether to return also residuals, rank, singular values and rcond.
        w: Weights of the points.
        cov: Whether to return also the covariance matrix of the coefficients, scaled by the
            residuals unless it is "unscaled".

    It computes the rank of the problem, for a RankWarning when that is not full, unless `full`.
    TypeError for shapes that do not fit, ValueError for a negative degree or too few points for a
    covariance.
    """
    room()
    degree = int(deg) + 1
    places, values = _points(x, y, degree)
    count = len(places)
    rcond = count * float(np.finfo(places.dtype).eps) if rcond is None else rcond
    matrix: Any = vander(places, degree)
    if w is not None:
        weights = _weights(w, count)
        matrix = matrix * weights[:, None]
        values = values * (weights if values.ndim == 1 else weights[:, None])
    scale: Any = UFUNCS["sqrt"]((matrix * matrix).sum(axis=0))
    found, residuals, rank, singular = lstsq(matrix / scale, values, rcond)
    found = (found.T / scale).T
    if full:
        return found, residuals, rank, singular, rcond
    if int(rank) != degree:
        warn_user("Polyfit may be poorly conditioned", np.exceptions.RankWarning)
    if not cov:
        return found
    base: Any = inv(matrix.T @ matrix)
    if cov == "unscaled":
        factor: Any = 1
    elif count <= degree:
        raise ValueError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    else:
        factor = residuals / (count - degree)
    return found, base * factor if values.ndim == 1 else base[:, :, None] * factor


def _points(x: Any, y: Any, degree: int) -> tuple[Any, Any]:
    places, values = (as_handle(part) for part in (x, y))
    if degree < 1:
        raise ValueError("expected deg >= 0")
    if len(places._shape) != 1:
        raise TypeError("expected 1D vector for x")
    if not places._shape[0]:
        raise TypeError("expected non-empty vector for x")
    if not 1 <= len(values._shape) <= 2:
        raise TypeError("expected 1D or 2D array for y")
    if places._shape[0] != values._shape[0]:
        raise TypeError("expected x and y to have same length")
    code = common_code((places, 0.0))
    return as_handle(places, code), as_handle(values, common_code((values, 0.0)))


def _weights(w: Any, count: int) -> Any:
    found = as_handle(w)
    found = as_handle(found, common_code((found, 0.0)))
    if len(found._shape) != 1:
        raise TypeError("expected a 1-d array for weights")
    if found._shape[0] != count:
        raise TypeError("expected w and y to have the same length")
    return found
