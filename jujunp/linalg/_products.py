"""Products, powers and parts of matrices: what the main namespace has, with other arguments."""

from __future__ import annotations

import operator
from typing import Any

from jujunp.lazy.run.flush import room

from .._array.arguments import NUMPY
from .._array.array_likes import as_array
from .._array.making import filled
from .._functions.manipulation import shapes as _manipulation
from .._functions.matrices import products as _linear
from .._functions.matrices.building import eye
from .._functions.matrices.cross import cross as _cross
from ._common import check_matrix, square
from ._solutions import inv


def matmul(x1: Any, x2: Any, /) -> Any:
    """Return the matrix product over the last axis of `x1` and the last but one of `x2`.

    A vector is a row on the left and a column on the right. Other axes broadcast. ValueError when
    shapes do not fit.
    """
    return _linear.matmul(x1, x2)


def outer(x1: Any, x2: Any, /) -> Any:
    """Return the products (m, n) of the elements of two vectors; ValueError for other ranks."""
    x, y = as_array(x1), as_array(x2)
    if len(x._shape) != 1 or len(y._shape) != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={len(x._shape)!r} and x2.ndim={len(y._shape)!r}."
        )
    return _linear.outer(x, y)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Return the sum of products over some axes; what is left of `x1` comes first.

    `axes` is how many of the last axes of `x1` and the first of `x2`, or the axes of both.
    """
    return _linear.tensordot(x1, x2, axes=axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the sums of products along an axis, those of `x1` conjugated; other axes broadcast."""
    return _linear.vecdot(x1, x2, axis=axis)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Return the cross products of vectors of three elements; ValueError for other lengths."""
    x, y = as_array(x1), as_array(x2)
    if NUMPY < (2, 5):
        lengths = x._shape[axis], y._shape[axis]
        if lengths != (3, 3):
            raise ValueError(
                "Both input arrays must be (arrays of) 3-dimensional vectors, "
                f"but they are {lengths[0]} and {lengths[1]} dimensional instead."
            )
    return _cross(x, y, axis=axis)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """Return the diagonals of matrices (..., m, n), a read-only view; ValueError for vectors."""
    return _manipulation.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """Return the sums (...) of diagonals of matrices (..., m, n); ValueError for vectors."""
    return _linear.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


def matrix_transpose(x: Any, /) -> Any:
    """Return matrices with their two axes swapped: a view; ValueError for vectors."""
    return _manipulation.matrix_transpose(x)


def matrix_power(a: Any, n: Any) -> Any:
    """Return the n-th powers of square matrices (..., m, m), of their inverses if n < 0.

    LinAlgError for other matrices, TypeError unless n is an integer; errors are those of `inv` for
    n < 0.
    """
    room()
    x = square(a)
    try:
        count = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if not count:
        found: Any = filled(x._shape, 0, x._code)
        found[...] = eye(x._shape[-1], dtype=x.dtype)
        return found
    factor: Any = inv(x) if count < 0 else x
    return _power(factor, abs(count))


def _power(factor: Any, count: int) -> Any:
    """Return a positive power, by squaring."""
    if count == 3:  # one product less of large numbers than squaring has
        return _linear.matmul(_linear.matmul(factor, factor), factor)
    found = None
    while True:
        if count & 1:
            found = factor if found is None else _linear.matmul(found, factor)
        count >>= 1
        if not count:
            return found
        factor = _linear.matmul(factor, factor)


# -- chains


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """Return the product of two or more matrices, in the order that takes the least work.

    The first and the last one may be vectors. ValueError for fewer than two or when the shapes do
    not fit, LinAlgError for other ranks. `out` is as that of `dot`.
    """
    room()
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(arrays) == 2:
        return _linear.dot(arrays[0], arrays[1], out=out)
    chain: list[Any] = [as_array(x) for x in arrays]
    ends = len(chain[0]._shape), len(chain[-1]._shape)
    if ends[0] == 1:
        chain[0] = chain[0].reshape((1, -1))
    if ends[1] == 1:
        chain[-1] = chain[-1].reshape((-1, 1))
    for x in chain:
        check_matrix(x)
    found = _multiplied(chain, _cuts(chain), 0, len(chain) - 1, out)
    if ends == (1, 1):
        return found[0, 0]
    return found.ravel() if 1 in ends else found


def _cuts(chain: list[Any]) -> dict[tuple[int, int], int]:
    """Return where to cut each part of a chain, named by its ends, for the least work."""
    extents = [x._shape[0] for x in chain] + [chain[-1]._shape[1]]
    count = len(chain)
    work = {(start, start): 0 for start in range(count)}
    cuts = {}
    for length in range(1, count):
        for start in range(count - length):
            stop = start + length
            choices = [
                work[start, cut]
                + work[cut + 1, stop]
                + extents[start] * extents[cut + 1] * extents[stop + 1]
                for cut in range(start, stop)
            ]
            work[start, stop] = min(choices)
            cuts[start, stop] = start + choices.index(min(choices))
    return cuts


def _multiplied(
    chain: list[Any], cuts: dict[tuple[int, int], int], start: int, stop: int, out: Any = None
) -> Any:
    """Return the product of a part of a chain."""
    if start == stop:
        return chain[start]
    cut = cuts[start, stop]
    left = _multiplied(chain, cuts, start, cut)
    right = _multiplied(chain, cuts, cut + 1, stop)
    return _linear.dot(left, right, out=out)
