"""Views in which elements overlap or repeat."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib import array_utils
from numpy.lib import stride_tricks as _numpy

from .._array.arguments import shape_of
from .._array.array_likes import as_array
from .._array.handle import header, ndarray
from .._array.making import view
from .._array.outputs import written_as
from .._calls.functions import functions
from .._functions.manipulation.shapes import broadcast_arrays, broadcast_shapes, broadcast_to


def as_strided(
    x: Any,
    shape: Any = None,
    strides: Any = None,
    subok: bool = False,
    writeable: bool = True,
    *,
    check_bounds: Any = None,
) -> ndarray:
    """Return a view of the memory of an array, given its shape and its strides in bytes.

    ValueError where NumPy would leave the memory that `x` is part of: bounds are always checked.
    """
    array = as_array(x)
    seen = header(array)
    extents = array._shape if shape is None else shape_of(shape)
    steps = None if strides is None else tuple(strides)
    layout = _numpy.as_strided(seen, extents, steps)
    owner = header(array if array._base is None else array._base)
    low, high = array_utils.byte_bounds(layout)
    first, last = array_utils.byte_bounds(owner)
    if layout.size and not first <= low <= high <= last:
        raise ValueError("the strides lead out of the array's memory")
    return _marked(array, layout, writeable)


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> ndarray:
    """Return a view of all windows of a shape, whose axes come last.

    ValueError for a window larger than the array or another number of axes.
    """
    array = as_array(x)
    window = window_shape if np.iterable(window_shape) else (window_shape,)
    if min(map(operator.index, window), default=0) < 0:
        raise ValueError("window_shape cannot contain negative values")
    layout = _numpy.sliding_window_view(header(array), shape_of(window), axis)
    return _marked(array, layout, writeable)


def _marked(array: ndarray, layout: np.ndarray, writeable: bool) -> ndarray:
    result = view(array, layout)
    readonly = array._readonly is True or not writeable
    result._readonly = readonly or written_as(layout)
    return result


__all__ = [
    "as_strided",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "sliding_window_view",
]

functions(globals())
