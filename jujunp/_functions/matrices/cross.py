"""Cross products of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import DTYPES, code_of

from ..._array.arguments import NUMPY, axis_of
from ..._array.array_likes import as_array, as_handle
from ..._array.handle import Handle, header
from ..._array.making import as_code, view
from ..manipulation.joining import stack

__all__ = [
    "cross",
]


def cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    """Return the cross products of vectors along an axis of two arrays.

    ValueError unless the vectors have three elements. Before NumPy 2.5 they may have two, with a
    DeprecationWarning; two vectors of two elements give the third element of the product alone.
    """
    room()
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = as_handle(a), as_handle(b)
    if not x._shape or not y._shape:
        raise ValueError("At least one array has zero dimension")
    code = code_of(np.promote_types(DTYPES[x._code], DTYPES[y._code]))
    left, right = _components(x, axisa, code), _components(y, axisb, code)
    if {len(left), len(right)} - {2, 3}:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if 2 in (len(left), len(right)):
        if NUMPY >= (2, 5):
            raise ValueError(
                "Both input arrays must be (arrays of) 3-dimensional vectors, "
                f"but they are {len(left)} and {len(right)} dimensional instead."
            )
        warn_user(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors "
            "instead. (deprecated in NumPy 2.0)",
            DeprecationWarning,
        )
    third = _minus(_times(left[0], right[1]), _times(left[1], right[0]))
    if len(left) == len(right) == 2:
        return as_array(third)
    x2, y2 = (part[2] if len(part) == 3 else None for part in (left, right))
    first = _minus(_times(left[1], y2), _times(x2, right[1]))
    second = _minus(_times(x2, right[0]), _times(left[0], y2))
    found = stack([first, second, third], -1)
    return view(found, np.moveaxis(header(found), -1, axis_of(axisc, len(found._shape))))


def _components(x: Handle, axis: Any, code: int) -> list[Any]:
    """Return the elements of the vectors along an axis, one array for each place."""
    at = axis_of(axis, len(x._shape))
    if x._shape[at] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    x = as_code(x, code)
    return [_part(x, at, place) for place in range(x._shape[at])]


def _times(x: Any, y: Any) -> Any:
    """Return a product as an array, as which it is computed on; None, which is zero, of None."""
    return None if x is None or y is None else as_array(x * y)


def _minus(x: Any, y: Any) -> Any:
    """Return a difference in which None is zero."""
    if x is None:
        return -y
    return x if y is None else x - y


def _part(x: Handle, axis: int, key: int | slice) -> Any:
    """Return a view at an index, or of a range, along an axis."""
    return view(x, header(x)[(slice(None),) * axis + (key, ...)])
