"""Norms, condition numbers and ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import LinAlgFailure, room
from jujunp.lazy.values.dtypes import FLOAT64, is_complex, is_float

from .._array.arguments import NUMPY, axes_of, axis_of
from .._array.array_likes import as_array
from .._array.elementwise import pick
from .._array.handle import Handle, header
from .._array.making import as_code, view
from .._calls.traits import uniform
from .._functions.matrices.products import dot
from .._functions.reductions.folds import count_nonzero
from .._ufuncs.ufunc import UFUNCS
from ._common import LinAlgError, as_result, codes, matrices, real_code, square
from ._factorizations import singular_values, svd
from ._solutions import inverse_or_nan

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT = UFUNCS["sqrt"]
_ABSOLUTE = UFUNCS["absolute"]


@uniform
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norms of vectors or matrices.

    Args:
        x: array_like; without `axis` and with `ord`, of one or two axes.
        ord: For vectors a number, inf or -inf; for matrices 1, -1, 2, -2, inf, -inf, "fro" or
            "nuc". None for the root of the sum of squares.
        axis: The axis of the vectors, or the two axes of the matrices; None for all axes.
        keepdims: Whether these axes stay, with length one.

    ValueError for other orders and numbers of axes, TypeError for another kind of axis. For the
    norms of matrices from singular values (2, -2, "nuc") also the errors of `svd`.
    """
    room()
    given: Any = as_array(x)
    if not (is_float(given._code) or is_complex(given._code)):
        given = as_code(given, FLOAT64)
    rank = len(given._shape)
    if axis is None:
        if ord is None or (ord in ("f", "fro") and rank == 2) or (ord == 2 and rank == 1):
            return _length(given, keepdims)
        axes: tuple[Any, ...] = tuple(range(rank))
    else:
        axes = axis if isinstance(axis, tuple) else (_whole_axis(axis),)
    if len(axes) == 1:
        return _of_vectors(given, ord, axes, keepdims)
    if len(axes) == 2:
        return _of_matrices(given, ord, axes, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


def _whole_axis(axis: Any) -> int:
    try:
        return int(axis)
    except Exception as error:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from error


def _length(x: Any, keepdims: bool) -> Any:
    """Return the root of the sum of the squares of all elements."""
    line = x.ravel("K")
    if is_complex(x._code):
        total = dot(line.real, line.real) + dot(line.imag, line.imag)
    else:
        total = dot(line, line)
    found = _ROOT(total)
    return as_array(found).reshape((1,) * len(x._shape)) if keepdims else found


def _squares(x: Any) -> Any:
    """Return the squared magnitudes, as products: so they are called where they overflow."""
    return x.real * x.real + x.imag * x.imag if is_complex(x._code) else x * x


def _of_vectors(x: Any, order: Any, axis: Any, keep: bool) -> Any:
    """Return the norms of the vectors along an axis, given in a tuple."""
    if order == np.inf:
        return _ABSOLUTE(x).max(axis, keepdims=keep, initial=0)
    if order == -np.inf:
        return _ABSOLUTE(x).min(axis, keepdims=keep)
    if order == 0:
        return as_code(x != 0, real_code(x._code)).sum(axis, keepdims=keep)
    if order == 1:
        return _ABSOLUTE(x).sum(axis, keepdims=keep)
    if order is None or order == 2:
        return _ROOT(_squares(x).sum(axis, keepdims=keep))
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    if isinstance(order, (np.generic, Handle)):  # which would not take the dtype of the elements
        order = order.item()
    return (_ABSOLUTE(x) ** order).sum(axis, keepdims=keep) ** (1 / order)


def _of_matrices(x: Any, order: Any, axes: tuple[Any, ...], keep: bool) -> Any:
    """Return the norms of the matrices over two axes."""
    rows, columns = (axis_of(axis, len(x._shape)) for axis in axes)
    if rows == columns:
        raise ValueError("Duplicate axes given.")
    if order is None or order in ("fro", "f"):
        found = _ROOT(_squares(x).sum((rows, columns)))
    elif order in _BY_VALUES:
        turned = view(x, np.moveaxis(header(x), (rows, columns), (-2, -1)))
        found = _BY_VALUES[order](singular_values(turned, LinAlgFailure.SVD))
    elif order in _BY_SUMS:
        summed, searched = (columns, rows) if abs(order) == np.inf else (rows, columns)
        sums = _ABSOLUTE(x).sum(summed)
        found = _BY_SUMS[order](sums, searched - (searched > summed))
    else:
        raise ValueError("Invalid norm order for matrices.")
    if not keep:
        return found
    shape = [1 if axis in (rows, columns) else n for axis, n in enumerate(x._shape)]
    return as_array(found).reshape(tuple(shape))


def _largest(x: Any, axis: int = -1) -> Any:
    return x.max(axis, initial=0)


def _smallest(x: Any, axis: int = -1) -> Any:
    return x.min(axis)


def _sum(x: Any) -> Any:
    return x.sum(-1)


_BY_VALUES: dict[Any, Callable[[Any], Any]] = {2: _largest, -2: _smallest, "nuc": _sum}
"""What singular values make of norms of matrices, by order."""
_BY_SUMS: dict[Any, Callable[[Any, int], Any]] = {
    1: _largest,
    -1: _smallest,
    np.inf: _largest,
    -np.inf: _smallest,
}
"""The same for sums of absolute values: of columns for 1 and -1, of rows for infinities."""


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Return the norms (...) of matrices (..., m, n): `norm` over the last two axes."""
    return norm(as_array(x), axis=(-2, -1), keepdims=keepdims, ord=ord)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """Return the norms of vectors: along an axis, over several axes, or of all elements.

    The orders and errors are those of `norm` for one axis.
    """
    room()
    given: Any = as_array(x)
    shape = given._shape
    along: Any = 0
    lines = given
    if axis is None:
        lines = given.ravel()
    elif isinstance(axis, tuple):
        over = axes_of(axis, len(shape))
        rest = tuple(one for one in range(len(shape)) if one not in over)
        left = [shape[one] for one in rest]
        extent = int(np.prod([shape[one] for one in over], dtype=int))
        lines = given.transpose(*over, *rest).reshape((extent, *left))
    else:
        along = axis
    found = norm(lines, axis=along, ord=ord)
    if not keepdims:
        return found
    gone = range(len(shape)) if axis is None else axes_of(axis, len(shape))
    kept = tuple(1 if one in gone else n for one, n in enumerate(shape))
    return as_array(found).reshape(kept)


def cond(x: Any, p: Any = None) -> Any:
    """Return the condition numbers of matrices: the norms times those of the inverses.

    LinAlgError for empty matrices, and unless the matrices are square if `p` is not 2 or -2. Of
    singular matrices it is inf. Elements that are not finite give nan from NumPy 2.5 on; before,
    LinAlgError if singular values are needed.

    Args:
        x: (..., m, n)
        p: Order of the norm, as of `norm` for matrices; None for 2.
    """
    room()
    given: Any = as_array(x)
    if not given.size and 0 in given._shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in {2, -2}:
        values = singular_values(matrices(given), _FAILURE)
        first, last = values[..., 0], values[..., -1]
        ratio = last / first if p == -2 else first / last
    else:
        ratio = _by_inverse(square(given), p)
    unknown = UFUNCS["isnan"](given).any((-2, -1))
    found = pick(UFUNCS["isnan"](ratio) & ~unknown, np.inf, ratio)
    return as_result(found, found._code)


_FAILURE = LinAlgFailure.SVD if NUMPY < (2, 5) else None
"""What fails when a condition number has no singular values."""


def _by_inverse(x: Any, order: Any) -> Any:
    """Return the condition numbers of square matrices for norms that need the inverse."""
    _, code = codes(x)
    inverse = inverse_or_nan(x)
    if order == "nuc":
        first, second = (singular_values(one, _FAILURE).sum(-1) for one in (x, inverse))
    else:
        first, second = (norm(one, order, axis=(-2, -1)) for one in (x, inverse))
    return as_code(first * second, real_code(code))


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Return the ranks (...) of matrices (..., m, n): how many singular values count.

    Of an array with fewer axes, 1 unless all elements are 0, then 0: a Python int, computed at
    once. ValueError for both `tol` and `rtol`; other errors are those of `svd`.

    Args:
        A: (..., m, n)
        tol: Singular values up to this do not count; one number or one for each matrix.
        hermitian: Whether to take the matrices for Hermitian.
        rtol: The same as a part of the largest singular value. If neither is given, the precision
            of the dtype times max(m, n).
    """
    room()
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    x: Any = as_array(A)
    if len(x._shape) < 2:
        return int(not bool((x == 0).all()))
    values = svd(x, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        return count_nonzero(values > _one_more(tol), axis=-1)
    if rtol is None:
        part: Any = float(max(x._shape[-2:]) * np.finfo(values.dtype).eps)
    else:
        part = _one_more(rtol)
    bound = values.max(axis=-1, keepdims=True, initial=0) * part
    return count_nonzero(values > bound, axis=-1)


def _one_more(tolerance: Any) -> Any:
    """Return numbers, one for each matrix, with an axis for the singular values."""
    found = as_array(tolerance)
    return view(found, header(found)[..., None])
