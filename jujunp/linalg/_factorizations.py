"""Factorizations of matrices: Cholesky, QR, singular values, eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.flush import LinAlgFailure, room
from jujunp.lazy.run.settling import deferring
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.run.watching import is_followed, is_sampling
from jujunp.lazy.values.dtypes import INT32, is_complex

from .._array.arguments import NUMPY
from .._array.making import as_code, filled
from .._functions.indexing.taking import take_along_axis
from .._functions.matrices.building import triu
from .._functions.searching.sorting import argsort, sort
from .._ufuncs.ufunc import UFUNCS, conjugated
from ._common import (
    codes,
    complex_code,
    factored,
    matrices,
    real_code,
    recorded,
    square,
)

_TRIANGLES = {"L": 1, "U": 0}
_NOTHING = np.empty((0, 0))
EigResult: Any = type(np.linalg.eig(_NOTHING))
EighResult: Any = type(np.linalg.eigh(_NOTHING))
QRResult: Any = type(np.linalg.qr(_NOTHING))
SVDResult: Any = type(np.linalg.svd(_NOTHING))
"""NumPy's named tuples, for which it has no public names."""


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """Return the triangular factor l of positive definite matrices a = l l^H.

    Only one triangle of `a` is read. LinAlgError unless the matrices are square and positive
    definite.

    Args:
        a: (..., m, m)
        upper: Whether to return u with a = u^H u, and to read the upper triangle.
    """
    room()
    x = square(a)
    work, code = codes(x)
    params, failure = [0 if upper else 1], LinAlgFailure.NOT_POSITIVE
    (found,) = factored("cholesky", [as_code(x, work)], [(x._shape, work)], params, failure)
    return as_code(found, code)


# -- QR


_DEPRECATED = {
    "f": ("reduced", "full"),
    "full": ("reduced", "full"),
    "e": ("economic", "economic"),
    "economic": ("economic", "economic"),
}
"""The mode that a deprecated one stands for, and its name in the warning."""
_HINTS = {
    "full": "The 'full' option is deprecated in favor of 'reduced'.\n"
    "For backward compatibility let mode default.",
    "economic": "The 'economic' option is deprecated.",
}


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return q with orthonormal columns and the upper triangular r of a = q r, for k = min(m, n).

    Args:
        a: (..., m, n)
        mode: "reduced" for q (..., m, k) and r (..., k, n), "complete" for q (..., m, m) and
            r (..., m, n), "r" for r (..., k, n) alone, "raw" for the reflections that make q and r
            as LAPACK has them: h (..., n, m), transposed, and taus (..., k).

    ValueError for another mode, LinAlgError for fewer than two axes.
    """
    room()
    if mode in _DEPRECATED:
        mode, name = _DEPRECATED[mode]
        warn_user(_HINTS[name], DeprecationWarning)
    elif mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    x = matrices(a)
    work, code = codes(x)
    *batch, rows, columns = x._shape
    least = min(rows, columns)
    specs = [(x._shape, work), ((*batch, least), work)]
    made, taus = recorded("geqrf", [as_code(x, work)], specs)
    if mode == "raw":
        return as_code(made.mT, code), as_code(taus, code)
    if mode == "economic":
        return as_code(made, code)
    if mode == "r":
        return as_code(triu(made[..., :least, :]), code)
    width = rows if mode == "complete" else least
    q = _basis(made, taus, width)
    return QRResult(as_code(q, code), as_code(triu(made[..., :width, :]), code))


def _basis(made: Any, taus: Any, width: int) -> Any:
    """Return the first columns of the q that reflections below the diagonal of `made` make."""
    *batch, rows, columns = made._shape
    shape = (*batch, rows, width)
    reflections = made[..., :width]
    if width > columns:  # the reflections make the other columns too
        wider: Any = filled(shape, 0, made._code)
        wider[..., :columns] = made
        reflections = wider
    return recorded("householder_product", [reflections, taus], [(shape, made._code)])[0]


# -- singular values


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return u, s and vh of a = u diag(s) vh, with s descending, for k = min(m, n).

    LinAlgError for fewer than two axes, and if elements are not finite or the singular values do
    not converge.

    Args:
        a: (..., m, n)
        full_matrices: Whether u is (..., m, m) and vh (..., n, n), not (..., m, k) and (..., k, n).
        compute_uv: Whether to return u and vh, not s (..., k) alone.
        hermitian: Whether to take the matrices for Hermitian and to read their lower triangles.
    """
    room()
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    x = matrices(a)
    if not compute_uv:
        return singular_values(x, LinAlgFailure.SVD)
    work, code = codes(x)
    u, s, vh = decomposed(as_code(x, work), bool(full_matrices), LinAlgFailure.SVD)
    return SVDResult(as_code(u, code), as_code(s, real_code(code)), as_code(vh, code))


def decomposed(x: Any, full: bool, failure: LinAlgFailure) -> tuple[Any, Any, Any]:
    """Record the singular value decomposition of matrices of a dtype that LAPACK computes in."""
    *batch, rows, columns = x._shape
    least = min(rows, columns)
    wide, high = (rows, columns) if full else (least, least)
    specs = [
        ((*batch, least), real_code(x._code)),
        ((*batch, rows, wide), x._code),
        ((*batch, high, columns), x._code),
    ]
    s, u, vh = factored("svd", [x], specs, [int(full), 1], failure)
    return u, s, vh


def singular_values(x: Any, failure: LinAlgFailure | None) -> Any:
    """Record the singular values of matrices; nan where they fail, unless a failure is named."""
    work, code = codes(x)
    operand, batch = as_code(x, work), x._shape[:-2]
    spec = ((*batch, min(x._shape[-2:])), real_code(work))
    if failure is None:
        s, _ = recorded("svd", [operand], [spec, (batch, INT32)], [0, 0])
    else:
        (s,) = factored("svd", [operand], [spec], [0, 0], failure)
    return as_code(s, real_code(code))


def _hermitian_svd(a: Any, vectors: bool) -> Any:
    """Return singular values, the absolute eigenvalues, and the vectors unless not wanted."""
    if not vectors:
        return sort(UFUNCS["absolute"](eigvalsh(a)))[..., ::-1]
    values, u = eigh(a)
    signs: Any = UFUNCS["copysign"](1.0, values)
    s: Any = UFUNCS["absolute"](values)
    order = argsort(s)[..., ::-1]
    signs = take_along_axis(signs, order, axis=-1)
    u = take_along_axis(u, order[..., None, :], axis=-1)
    vh = conjugated((u * signs[..., None, :]).mT)
    return SVDResult(u, take_along_axis(s, order, axis=-1), vh)


def svdvals(x: Any, /) -> Any:
    """Return the singular values (..., min(m, n)) of matrices (..., m, n), descending.

    Errors are those of `svd`.
    """
    return svd(x, compute_uv=False)


# -- eigenvalues


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues, ascending, and the eigenvectors of Hermitian matrices.

    ValueError for another triangle, LinAlgError unless the matrices are square, if elements are not
    finite or if the eigenvalues do not converge.

    Args:
        a: (..., m, m)
        UPLO: The triangle that is read: "L" or "U".

    Returns:
        Eigenvalues (..., m), real, and eigenvectors (..., m, m) in columns.
    """
    found, code = _hermitian(a, UPLO, True)
    return EighResult(as_code(found[0], real_code(code)), as_code(found[1], code))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues (..., m) of Hermitian matrices (..., m, m), as `eigh` does."""
    (found,), code = _hermitian(a, UPLO, False)
    return as_code(found, real_code(code))


def _hermitian(a: Any, triangle: str, vectors: bool) -> tuple[list[Any], int]:
    """Record eigenvalues, and eigenvectors if wanted; return them and the dtype code to give."""
    room()
    triangle = triangle.upper()
    if triangle not in _TRIANGLES:
        raise ValueError("UPLO argument must be 'L' or 'U'")
    x = square(a)
    work, code = codes(x)
    specs = [(x._shape[:-1], real_code(work)), (x._shape, work)][: 2 if vectors else 1]
    params = [_TRIANGLES[triangle], int(vectors)]
    return factored("eigh", [as_code(x, work)], specs, params, LinAlgFailure.EIGENVALUES), code


def eig(a: Any) -> Any:
    """Return the eigenvalues and the right eigenvectors of general matrices.

    LinAlgError unless the matrices are square, if elements are not finite or if the eigenvalues do
    not converge.

    The results are complex, as in the Array API and NumPy 2.5. Where an earlier NumPy is installed,
    they are real if all eigenvalues of real matrices are, but in transformations and within
    `deferred_errors`.

    Args:
        a: (..., m, m)

    Returns:
        Eigenvalues (..., m) and eigenvectors (..., m, m) in columns.
    """
    return EigResult(*_general(a, True))


def eigvals(a: Any) -> Any:
    """Return the eigenvalues (..., m) of general matrices (..., m, m), as `eig` does."""
    return _general(a, False)[0]


def _general(a: Any, vectors: bool) -> list[Any]:
    """Return the eigenvalues of general matrices, and the eigenvectors if wanted."""
    room()
    x = square(a)
    work, code = codes(x)
    given = complex_code(work)
    specs = [(x._shape[:-1], given), (x._shape, given)][: 2 if vectors else 1]
    params = [0, int(vectors)]
    failure = LinAlgFailure.EIGENVALUES
    found = factored("eig", [as_code(x, work)], specs, params, failure, finite=True)
    if not is_complex(code) and _are_real(found[0]):
        return [as_code(one.real, code).copy() for one in found]
    return [as_code(one, complex_code(code)) for one in found]


def _are_real(values: Any) -> bool:
    """Whether eigenvalues are to be real: NumPy before 2.5 looked at them."""
    if NUMPY >= (2, 5) or deferring() or is_followed() or is_sampling():
        return False
    return bool((values.imag == 0).all())
