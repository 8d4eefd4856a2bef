"""Solutions of linear systems, inverses and determinants."""

from __future__ import annotations

import functools
import struct
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import LinAlgFailure, room
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import DTYPES, INT32

from .._array.array_likes import as_array, as_handle
from .._array.broadcasting import broadcast
from .._array.elementwise import pick
from .._array.handle import Handle, header
from .._array.making import as_code, filled, reshape, scalar_if_0d, view
from .._functions.matrices.building import eye
from .._functions.matrices.products import matmul, raise_as_numpy, spread
from .._functions.reductions.folds import count_nonzero
from .._ufuncs.ufunc import UFUNCS, conjugated
from ._common import (
    LinAlgError,
    as_result,
    check_matrix,
    codes,
    factored,
    real_code,
    recorded,
    square,
)
from ._factorizations import singular_values, svd

_NO_VALUE: Any = np._NoValue
SlogdetResult: Any = type(np.linalg.slogdet(np.empty((0, 0))))
_SMALL = 32
"""Rows up to which identities are kept."""


# -- square systems


def solve(a: Any, b: Any) -> Any:
    """Return the solution x of a x = b.

    LinAlgError unless `a` holds square matrices, or if one is singular; ValueError when the shapes
    do not fit.

    Args:
        a: (..., m, m)
        b: (m,), or (..., m, k); the axes before the last two broadcast with those of `a`.

    Returns:
        (..., m) if `b` is (m,), else (..., m, k).
    """
    room()
    x, y = square(a), as_array(b)
    work, code = codes(x, y)
    size, vector = x._shape[-1], len(y._shape) == 1
    right: Any = view(y, header(y)[:, None]) if vector else y
    if len(right._shape) < 2 or right._shape[-2] != size:
        raise_as_numpy(np.linalg.solve, x, y)
    try:
        batch = broadcast(x._shape[:-2], right._shape[:-2])
    except ValueError:
        raise_as_numpy(np.linalg.solve, x, y)
    shape = (*batch, size, right._shape[-1])
    left = spread(as_code(x, work), (*batch, size, size))
    right = spread(as_code(right, work), shape)
    (found,) = factored("solve", [left, right], [(shape, work)], None, LinAlgFailure.SINGULAR)
    return as_code(reshape(found, shape[:-1]) if vector else found, code)


def inv(a: Any) -> Any:
    """Return the inverses of square matrices (..., m, m).

    LinAlgError for others, and if a matrix is singular.
    """
    room()
    x = square(a)
    work, code = codes(x)
    operands = _with_identity(as_code(x, work))
    (found,) = factored("solve", operands, [(x._shape, work)], None, LinAlgFailure.SINGULAR)
    return as_code(found, code)


def inverse_or_nan(x: Handle) -> Any:
    """Record the inverses of square matrices, in double precision; nan of singular ones."""
    work, _ = codes(x)
    specs = [(x._shape, work), (x._shape[:-2], INT32)]
    return recorded("solve", _with_identity(as_code(x, work)), specs)[0]


def _with_identity(x: Handle) -> list[Handle]:
    size = x._shape[-1]
    identity = _small_identity if size <= _SMALL else _identity
    return [x, spread(identity(size, x._code), x._shape)]


def _identity(size: int, code: int) -> Handle:
    found: Handle = eye(size, dtype=DTYPES[code])
    return found


@functools.lru_cache(_SMALL)
def _small_identity(size: int, code: int) -> Handle:
    """Return an identity that is kept: recording one takes longer than inverting as much."""
    return as_handle(np.eye(size, dtype=DTYPES[code]))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Return the solution x of tensordot(a, x, x.ndim) = b.

    Args:
        a: Its first axes are those of `b`, the others those of `x`, of as many elements;
            LinAlgError if these are not.
        b: array_like.
        axes: Axes of `a` to move to its end first.

    Errors of the computation are those of `solve`.
    """
    room()
    x: Any = as_array(a)
    y: Any = as_array(b)
    rank = len(x._shape)
    if axes is not None:
        order = list(range(rank))
        for axis in axes:
            order.remove(axis)
            order.insert(rank, axis)
        x = x.transpose(order)
    shape = x._shape[-(rank - len(y._shape)) :]
    extent = int(np.prod(shape, dtype=int))
    if x.size != extent**2:
        raise_as_numpy(np.linalg.tensorsolve, x, y)
    return solve(x.reshape(extent, extent), y.ravel()).reshape(shape)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """Return the inverse of a tensor as `tensordot` multiplies: over its first `ind` axes.

    ValueError unless ind > 0; errors are those of `inv` otherwise. The result's shape is that of
    `a` with the first `ind` axes last.
    """
    room()
    x: Any = as_array(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = x._shape
    extent = int(np.prod(shape[ind:], dtype=int))
    return inv(x.reshape(extent, -1)).reshape(shape[ind:] + shape[:ind])


# -- least squares


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Return the x of least norm for which the norm of b - a x is least, and more.

    The rank of a tall `a` is computed at once: the residuals are none unless it is full.

    Args:
        a: (m, n)
        b: (m,) or (m, k)
        rcond: Singular values that are at most this times the largest one count as 0; None for the
            machine's precision times max(m, n), a number outside of (0, 1) for the precision.

    Returns:
        x (n,) or (n, k); the sums of the squares of b - a x, (k,), or (0,) if m <= n or the rank is
        not n; the rank; the singular values (min(m, n),), descending.

    LinAlgError for other shapes, and if elements of `a` are not finite or the singular values do
    not converge.
    """
    room()
    x, y = as_array(a), as_array(b)
    vector = len(y._shape) == 1
    right: Any = view(y, header(y)[:, None]) if vector else y
    check_matrix(x)
    check_matrix(right)
    rows, columns = x._shape
    if rows != right._shape[0]:
        raise LinAlgError("Incompatible dimensions")
    work, code = codes(x, y)
    x, right = as_code(x, work), as_code(right, work)
    cut = _cut(rcond, x)
    found, values, rank, sums = _least(x, right, cut)
    if any(watch.size for watch in WATCHES):  # a batch, which may be of right sides alone
        values = singular_values(x, LinAlgFailure.LEAST_SQUARES)
        rank = as_code(count_nonzero(values > values[:1] * cut), INT32)
    if rows <= columns or int(rank) < columns:
        sums = filled((0,), 0, real_code(work))
    sums = as_code(sums, real_code(code))
    if vector:
        found = reshape(found, (columns,))
    return as_code(found, code), sums, scalar_if_0d(rank), as_code(values, real_code(code))


def _cut(rcond: Any, x: Handle) -> float:
    """Return the part of the largest singular value up to which others count as 0."""
    precision = float(np.finfo(DTYPES[x._code]).eps)
    if rcond is None:
        return precision * max(x._shape)
    given = float(rcond)
    return given if 0 < given < 1 else precision / 2


def _least(x: Any, right: Any, cut: float) -> list[Any]:
    """Record the solution, the singular values, the rank, int32, and the sums of squares."""
    (rows, columns), count, real = x._shape, right._shape[1], real_code(x._code)
    results = [
        ((columns, count), x._code),
        ((min(rows, columns),), real),
        ((), INT32),
        ((count,), real),
    ]
    (bits,) = struct.unpack("<q", struct.pack("<d", cut))
    return factored("least_squares", [x, right], results, [bits], LinAlgFailure.LEAST_SQUARES)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NO_VALUE) -> Any:
    """Return the pseudo-inverses (..., n, m) of matrices (..., m, n).

    ValueError for both `rcond` and `rtol`; other errors are those of `svd`.

    Args:
        a: (..., m, n)
        rcond: Singular values that are at most this times the largest one count as 0; one number
            or one for each matrix. 1e-15 if not given.
        hermitian: Whether to take the matrices for Hermitian.
        rtol: The same as `rcond`; None for the precision of the dtype times max(m, n).
    """
    room()
    x: Any = as_array(a)
    cut = as_array(_tolerance(x, rcond, rtol))
    if not x.size and 0 in x._shape[-2:]:
        return filled((*x._shape[:-2], *x._shape[-2:][::-1]), 0, x._code)
    u, s, vh = svd(conjugated(x), full_matrices=False, hermitian=hermitian)
    large = s > view(cut, header(cut)[..., None]) * s.max(-1, keepdims=True)
    inverse = pick(large, UFUNCS["reciprocal"](s), 0)
    return matmul(vh.mT, inverse[..., None] * u.mT)


def _tolerance(x: Any, rcond: Any, rtol: Any) -> Any:
    """Return the part of the largest singular value up to which others count as 0."""
    if rcond is not None:
        if rtol is not _NO_VALUE:
            raise ValueError("`rtol` and `rcond` can't be both set.")
        return rcond
    if rtol is _NO_VALUE:
        return 1e-15
    return max(x._shape[-2:]) * np.finfo(x.dtype).eps if rtol is None else rtol


# -- determinants


def slogdet(a: Any) -> Any:
    """Return the signs and the logarithms of the absolute values of determinants.

    LinAlgError unless the matrices are square.

    Args:
        a: (..., m, m)

    Returns:
        Signs (...), of complex matrices numbers of absolute value 1, and logarithms (...), real;
        0 and -inf for singular matrices.
    """
    room()
    x = square(a)
    work, code = codes(x)
    shape = x._shape[:-2]
    results = [(shape, work), (shape, real_code(work))]
    sign, logarithm = recorded("slogdet", [as_code(x, work)], results)
    return SlogdetResult(as_result(sign, code), as_result(logarithm, real_code(code)))


def det(a: Any) -> Any:
    """Return the determinants (...) of matrices (..., m, m); LinAlgError unless they are square."""
    room()
    x = square(a)
    work, code = codes(x)
    (found,) = recorded("det", [as_code(x, work)], [(x._shape[:-2], work)])
    return as_result(found, code)
