"""Matrices by their diagonals and triangles."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import BOOL, FLOAT64, INT64, code_of

from ..._array.arguments import NUMPY, check_device, code_for, order_to_make
from ..._array.array_likes import as_array, as_handle, check_like, parsed
from ..._array.elementwise import pick
from ..._array.handle import Handle, header, ndarray, new_handle
from ..._array.index_keys import nonzero
from ..._array.making import as_code, filled, reshape, view
from ..._array.steps import kernel
from ..._ufuncs.ufunc import UFUNCS
from ..creation.ranges import along, arange, iota
from ..indexing.selection import check_target
from ..manipulation.rearranging import resize

__all__ = [
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "eye",
    "fill_diagonal",
    "identity",
    "mask_indices",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]


def eye(
    N: Any,
    M: Any = None,
    k: Any = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return an N x M matrix (N x N without M) with ones on its k-th diagonal."""
    check_like(like)
    room()
    check_device(device)
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    if order_to_make(order) == "F":
        return eye(columns, rows, -k, dtype).T
    found: Any = filled((max(rows, 0), max(columns, 0)), 0, code_for(dtype, FLOAT64))
    if rows < 0 or columns < 0:
        raise ValueError("negative dimensions are not allowed")
    line = _diagonal_of(found, max(-rows, min(operator.index(k), columns)))
    if line._shape[0]:
        line[...] = 1
    return found


def _diagonal_of(x: Any, k: int) -> Any:
    """Return the k-th diagonal of a matrix as a view that can be written."""
    return view(x, header(x).diagonal(k))


def identity(n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """Return the n x n matrix with ones on its main diagonal."""
    check_like(like)
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None) -> Any:
    """Return an N x M matrix with ones on its k-th diagonal and below."""
    check_like(like)
    room()
    code = code_for(dtype, FLOAT64)
    return as_code(_lower(N, N if M is None else M, k), code)


def _lower(rows: Any, columns: Any, k: Any) -> Any:
    """Return the mask of a lower triangle.

    Sizes and diagonals that are no integers are taken, which is deprecated in NumPy 2.5.
    """
    try:
        return _triangular(*map(operator.index, (rows, columns, k)))
    except TypeError:
        _warn_of_numbers(rows, columns, k)
    return UFUNCS["greater_equal"].outer(
        arange(rows, dtype=np.int64), arange(-k, columns - k, dtype=np.int64)
    )


def _warn_of_numbers(*given: Any) -> None:
    """Warn of the first that is no integer, where NumPy does."""
    for x in given if NUMPY >= (2, 5) else ():
        try:
            operator.index(x)
        except TypeError:
            warn_user(
                f"Cannot convert {type(x).__name__} safely to an integer. This will raise an "
                "error in future versions (Deprecated NumPy 2.5)",
                DeprecationWarning,
            )
            return


def _triangular(rows: int, columns: int, k: int) -> Any:
    """Return that mask of a diagonal and sizes that are integers."""
    k = max(-max(rows, 0), min(k, max(columns, 0)))
    return along(iota(max(rows, 0)) + k, 0, 2) >= along(iota(max(columns, 0)), 1, 2)


def tril(m: Any, k: Any = 0) -> Any:
    """Return a copy of a matrix, or of a stack of them, with zeros above its k-th diagonal."""
    room()
    x = as_handle(m)
    return pick(_triangle(x, k), x, _zero(x))


def triu(m: Any, k: Any = 0) -> Any:
    """Return a copy of a matrix, or of a stack of them, with zeros below its k-th diagonal."""
    room()
    x = as_handle(m)
    return pick(_triangle(x, k - 1), _zero(x), x)


def _triangle(x: Handle, k: Any) -> Any:
    """Return the mask of the lower triangle of a matrix; of a row, as if it were square."""
    if not x._shape:
        raise TypeError("an array without axes has no triangle")
    return _lower(x._shape[-2:][0], x._shape[-1], k)


def _zero(x: Handle) -> bool | int:
    return False if x._code == BOOL else 0


def diag(v: Any, k: int = 0) -> Any:
    """Return a matrix with a one-dimensional array on its k-th diagonal.

    Of a matrix, return its k-th diagonal: a read-only view. ValueError for other ranks.
    """
    room()
    x: Any = as_array(v)
    if len(x._shape) == 2:
        return x.diagonal(k)
    if len(x._shape) != 1:
        raise ValueError("Input must be 1- or 2-d.")
    k = operator.index(k)
    extent = x._shape[0] + abs(k)
    found = filled((extent, extent), 0, x._code)
    _diagonal_of(found, k)[...] = x
    return found


def diagflat(v: Any, k: int = 0) -> Any:
    """Return a matrix with all elements of an array_like, in C order, on its k-th diagonal."""
    return diag(reshape(as_array(v), (-1,)), k)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Return the matrix of the powers of a one-dimensional array, N of them in a row.

    The powers go down to 0 unless `increasing`; they are cumulative products, as in NumPy.
    """
    room()
    base: Any = as_handle(x)
    if len(base._shape) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    rows = base._shape[0]
    columns = rows if N is None else operator.index(N)
    code = code_of(np.promote_types(base.dtype, np.int64))
    found: Any = filled((rows, columns), 1, code)
    if columns > 1:
        base = as_code(base, code)
        layout = np.broadcast_to(header(base)[:, None], (rows, columns - 1))
        value = kernel("cumprod", (base,), layout.shape, code, (1, 0), layouts=(layout,))
        found[:, 1:] = new_handle(ndarray, value, None, None, layout.shape, code)
    return found if increasing else found[:, ::-1]


def tril_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[Any, ...]:
    """Return the row and column indices of the lower triangle of an n x m matrix."""
    return tuple(nonzero(tri(n, m, k, bool)))


def triu_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[Any, ...]:
    """Return the row and column indices of the upper triangle of an n x m matrix."""
    if not isinstance(k, type(k - 1)):  # which is an integer, of which nobody else would warn
        _warn_of_numbers(k)
    return tuple(nonzero(~tri(n, m, k - 1, bool)))


def _matrix_shape(arr: Any) -> tuple[int, int]:
    rows_columns = as_handle(arr)._shape
    if len(rows_columns) != 2:
        raise ValueError("input array must be 2-d")
    return rows_columns


def tril_indices_from(arr: Any, k: Any = 0) -> tuple[Any, ...]:
    """Return the row and column indices of the lower triangle of a matrix."""
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: Any = 0) -> tuple[Any, ...]:
    """Return the row and column indices of the upper triangle of a matrix."""
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


def mask_indices(n: Any, mask_func: Any, k: Any = 0) -> tuple[Any, ...]:
    """Return the indices where a function like `tril` or `triu` keeps an n x n matrix of ones."""
    kept: Any = mask_func(filled((operator.index(n),) * 2, 1, INT64), k)
    return tuple(nonzero(kept != 0))


def diag_indices(n: Any, ndim: int = 2) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of an array with `ndim` axes of length n."""
    return (iota(operator.index(n)),) * ndim


def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of an array whose axes have one length."""
    shape = as_handle(arr)._shape
    if len(shape) < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(shape[0], len(shape))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write a number, or the elements of an array_like in turn, on the main diagonal of an array.

    With `wrap` the diagonal of a tall matrix starts again below its end. ValueError for an array
    with fewer than two axes, or with axes of different lengths if they are more.
    """
    room()
    check_target(a, "fill_diagonal")
    if len(a._shape) < 2:
        raise ValueError("array must be at least 2-d")
    if len(a._shape) > 2 and len(set(a._shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    lines = _diagonal_layouts(header(a), wrap)
    total = sum(line.size for line in lines)
    source: Any = parsed(val, a._code)
    if source.size != 1:
        source = resize(source, (total,))
    start = 0
    for line in lines:
        part = source if source.size == 1 else source[start : start + line.size]
        view(a, line)[...] = part
        start += line.size


def _diagonal_layouts(seen: np.ndarray, wrap: bool) -> list[np.ndarray]:
    """Return the main diagonal of a layout; with `wrap` also those that follow below it."""
    if seen.ndim > 2:
        step = sum(seen.strides)
        return [np.lib.stride_tricks.as_strided(seen, seen.shape[:1], (step,))]
    rows, columns = seen.shape
    starts = range(0, rows, columns + 1) if wrap else (0,)
    return [seen[start:].diagonal() for start in starts]
