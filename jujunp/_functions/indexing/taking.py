"""Reading and writing elements by their indices: take, put and their relatives."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.settling import first_outside
from jujunp.lazy.run.sites import user_line, warn_user
from jujunp.lazy.values.dtypes import BOOL, DTYPES, INT64, is_integer
from jujunp.lazy.values.value import pack, record

from ..._array.arguments import NUMPY, axis_of, order_to_make, shape_of
from ..._array.array_likes import as_array, as_handle, parsed
from ..._array.broadcasting import broadcast
from ..._array.elementwise import elementwise
from ..._array.handle import NUMBERS, Handle, header, rebind, value_of
from ..._array.index_keys import check_bounds, flat_nonzero
from ..._array.indexing import getitem, recast, setitem
from ..._array.making import as_code, convert, filled, reshape, view, wrap
from ..._array.outputs import check_cast, check_out, put_out
from ..._array.steps import kernel
from ..._calls.traits import at_once, uniform
from ..creation.arrays import asarray
from ..creation.ranges import along, iota
from .selection import MODES, check_target, truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

__all__ = [
    "compress",
    "ix_",
    "place",
    "put",
    "put_along_axis",
    "ravel_multi_index",
    "take",
    "take_along_axis",
    "unravel_index",
]

_CLAMP = OPCODES["clamp"]
_SCATTER = OPCODES["scatter"]


def _index(indices: Any, extent: int, axis: int, mode: str, *, check: bool = True) -> Any:
    """Return indices into an axis as an int64 handle, brought into bounds as a mode says.

    With `check`, IndexError for those that are out of bounds; TypeError for others than integers.
    """
    if mode not in MODES:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    found: Any = parsed(indices, INT64)
    check_cast(found._code, INT64, "same_kind")
    if not is_integer(found._code):
        found = as_code(found, INT64)
    if check and mode == "raise" and math.prod(found._shape):
        check_bounds(found, extent, axis, now=not isinstance(indices, Handle))
    found = as_code(found, INT64)
    if mode == "wrap":
        return found % extent
    if mode == "clip":
        return elementwise(_CLAMP, INT64, (0, found, extent - 1))
    return found


@at_once("elements at places")
@uniform
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """Return the elements at some indices along an axis, or of the array in one dimension.

    The axis is replaced by those of the indices. Negative indices count from the end. `mode` says
    what becomes of indices out of bounds: IndexError, or "wrap" around, or "clip", which also takes
    negative ones as 0.
    """
    room()
    x = as_array(a)
    if axis is None or not x._shape:
        at = 0 if axis is None else axis_of(axis, 1)
        x = reshape(x, (-1,))
    else:
        at = axis_of(axis, len(x._shape))
    extent = x._shape[at]
    check = extent > 0 and math.prod(x._shape[:at]) > 0
    index = _index(indices, extent, at, mode, check=check)
    lines = math.prod(x._shape[:at] + x._shape[at + 1 :])
    if not extent and lines * math.prod(index._shape):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    found = gathered(x, index, at)
    if out is not None:
        check_out(out, found._shape)
        check_taken(x._code, out._code)
    return put_out(found, out, "unsafe")


def check_taken(code: int, out: int) -> None:
    """Check dtypes as NumPy's `take` does for its `out`, whatever is cast in the end."""
    if NUMPY < (2, 5):
        check_cast(out, code, "safe")
    elif not np.can_cast(DTYPES[code], DTYPES[out], "same_kind"):
        warn_user(
            "Implicit casting of output to a different kind is deprecated. In a future version, "
            "this will result in an error. (Deprecated NumPy 2.5)",
            DeprecationWarning,
        )


def gathered(x: Handle, index: Handle, axis: int = 0) -> Any:
    """Record the elements at int64 indices along an axis, which are known to be in bounds."""
    layout = np.moveaxis(header(x), axis, 0)
    shape = index._shape + layout.shape[1:]
    if not math.prod(x._shape[:axis]):  # NumPy does not look at the indices either
        return filled((*x._shape[:axis], *index._shape, *x._shape[axis + 1 :]), 0, x._code)
    value = kernel("gather", (x, index), shape, x._code, (1,), layouts=(layout, index._layout))
    value.site = user_line((axis,))
    found = wrap(value, shape, x._code)
    if not axis or not index._shape:
        return found
    count = len(index._shape)
    order = (
        *range(count, count + axis),
        *range(count),
        *range(count + axis, len(shape)),
    )
    return view(found, header(found).transpose(order))


def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Return the slices along an axis for which a condition holds; computes their number.

    The condition is one-dimensional and may be shorter than the axis. Without an axis the array is
    taken as one-dimensional.
    """
    room()
    mask = truth(condition)
    if len(mask._shape) != 1:
        raise ValueError("condition must be a 1-d array")
    x = as_handle(a)
    first = axis == 0 or (axis is None and len(x._shape) == 1)
    if first and out is None and mask._shape == x._shape[:1]:
        return x[mask]
    return take(a, flat_nonzero(mask), axis, out)


@at_once("a write at places")
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Write values at some indices of an array taken as one-dimensional.

    When there are fewer values than indices, they are repeated. `mode` is as for `take`.
    """
    room()
    check_target(a, "put")
    if recast(a, lambda copied: put(copied, ind, v, mode)):
        return
    size = math.prod(a._shape)
    source = reshape(asarray(v, DTYPES[a._code]), (-1,))
    check = size * source._shape[0] > 0
    index = reshape(_index(ind, max(size, 1), 0, mode, check=check), (-1,))
    count = index._shape[0]
    if count and not size:
        raise IndexError("cannot replace elements of an empty array")
    if not count or not source._shape[0]:
        return
    if source._shape[0] < count:
        source = gathered(source, iota(count) % source._shape[0], 0)
    elif source._shape[0] > count:
        source = source[:count]
    try:
        layout = header(a).reshape(-1, copy=False)
        indices = [index]
    except ValueError:
        layout = header(a)
        indices = _unraveled(index, a._shape)
    _scatter(a, layout, source, indices)


def _scatter(a: Any, layout: np.ndarray, source: Handle, indices: Sequence[Handle]) -> None:
    """Record a write at int64 indices into the first axes of a layout of the array's memory."""
    owner = a if a._base is None else a._base
    site = user_line()
    while True:
        old: Any = owner._value
        value = record(
            pack(_SCATTER, a._code, a._code),
            owner._shape,
            (old, value_of(source), *(value_of(index) for index in indices)),
            (layout, source._layout, *(index._layout for index in indices)),
            (len(indices),),
        )
        value.site = site
        if rebind(owner, old, value):
            return


# -- along an axis


def _along_axis_key(x: Handle, indices: Handle, axis: int) -> tuple[Handle, ...]:
    """Return index arrays that take `indices` along one axis and go along all others."""
    if not is_integer(indices._code):
        raise IndexError("`indices` must be an integer array")
    ndim = len(x._shape)
    if len(indices._shape) != ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return tuple(
        indices if at == axis else along(iota(x._shape[at]), at, ndim) for at in range(ndim)
    )


@uniform
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """Return the elements that an array of indices names along an axis, one line for another.

    Array and indices have as many axes and broadcast, but for the axis. For None both are
    one-dimensional.
    """
    room()
    x, at, index = _along(arr, indices, axis)
    return getitem(x, _along_axis_key(x, index, at))


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """Write values at the places that an array of indices names along an axis."""
    room()
    check_target(arr, "put_along_axis")
    if axis is None:
        _, _, index = _along(arr, indices, axis)
        target = arr if arr._shape else reshape(arr, (1,))
        if is_integer(index._code):
            check_bounds(index, math.prod(arr._shape), 0)
        setitem(target, tuple(_unraveled(index, target._shape)), values)
        return
    x, at, index = _along(arr, indices, axis)
    setitem(x, _along_axis_key(x, index, at), values)


def _along(arr: Any, indices: Any, axis: Any) -> tuple[Any, int, Handle]:
    x, index = as_array(arr), as_handle(indices)
    if axis is not None:
        return x, axis_of(axis, len(x._shape)), index
    if len(index._shape) != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    return reshape(x, (-1,)), 0, index


# -- conversions between kinds of indices


def ix_(*args: Any) -> tuple[Any, ...]:
    """Return sequences of indices, or masks, as arrays that index the grid of all combinations.

    ValueError for sequences that are not one-dimensional.
    """
    room()
    found = []
    for axis, part in enumerate(args):
        index = as_handle(part)
        if len(index._shape) != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if index._code == BOOL:
            index = flat_nonzero(index)
        elif not index._shape[0] and not isinstance(part, (Handle, np.ndarray)):
            index = convert(index, INT64)
        found.append(along(index, axis, len(args)))
    return tuple(found)


def _unraveled(flat: Any, shape: Shape) -> list[Any]:
    """Return the index along each axis of places in C order.

    For places out of bounds the first of them is so too, and so they may be negative once over.
    """
    indices: list[Any] = []
    for extent in reversed(shape[1:]):
        indices.append(flat % extent)
        flat = flat // extent
    return [flat, *reversed(indices)]


_MOST = (1 << 63) - 1
"""The most elements that an array can have."""


def _int_indices(x: Any) -> Any:
    """Return an array_like as a handle; TypeError unless its elements are integers or bools."""
    found = as_handle(x)
    if found._code == BOOL:
        return convert(found, INT64)
    if is_integer(found._code):
        return found
    if not isinstance(x, (Handle, np.ndarray)) and not math.prod(found._shape):
        raise TypeError(
            "indices must be integral: the provided empty sequence was inferred as float. Wrap it "
            "with 'np.array(indices, dtype=np.intp)'"
        )
    raise TypeError("only int indices permitted")


@uniform
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """Return the index along each axis of a shape of places in C or Fortran order.

    ValueError for places out of bounds, which computes them; TypeError for others than integers.
    """
    room()
    flat = _int_indices(indices)
    extents = shape_of(shape)
    size = math.prod(extents)
    if size > _MOST:
        raise ValueError(
            "dimensions are too large; arrays and shapes with a total size greater than 'intp' are "
            "not supported."
        )
    bad = first_outside(value_of(flat), flat._layout, flat._code, 0, size)
    if bad is not None:
        raise ValueError(f"index {bad} is out of bounds for array with size {size}")
    flat = as_code(flat, INT64)
    if not extents:
        if flat._shape:
            raise ValueError("multiple indices are not supported for 0d array")
        return ()
    if order_to_make(order) == "F":
        return tuple(reversed(_unraveled(flat, extents[::-1])))
    return tuple(_unraveled(flat, extents))


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """Return the places in C or Fortran order of indices along each axis of a shape.

    `mode`, one for all or one for each axis, is as for `take`; ValueError for indices out of
    bounds, which computes them.
    """
    room()
    extents = shape_of(dims)
    modes = (mode,) * len(extents) if isinstance(mode, str) else tuple(mode)
    parts = list(multi_index)
    if len(parts) != len(extents) or len(modes) != len(extents):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(extents)}")
    if math.prod(extents) > _MOST:
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        )
    given = list(map(_int_indices, parts))
    no_axes: Shape = ()
    spread = functools.reduce(broadcast, (index._shape for index in given), no_axes)
    if 0 in spread:
        return filled(spread, 0, INT64)  # no index is looked at
    bounded = [
        _coordinate(index, extent, how)
        for index, extent, how in zip(given, extents, modes, strict=True)
    ]
    pairs = list(zip(bounded, extents, strict=True))
    if order_to_make(order) == "F":
        pairs.reverse()
    flat: Any = pairs[0][0] if pairs else filled((), 0, INT64)[()]
    for part, extent in pairs[1:]:
        flat = flat * extent + part
    return flat


def _coordinate(index: Any, extent: int, mode: str) -> Any:
    """Return indices into one axis, brought into bounds or checked."""
    if not extent and math.prod(index._shape):
        raise ValueError("cannot unravel if shape has zero entries (is empty).")
    found = _index(index, extent, 0, mode, check=False)
    if mode == "raise" and bool(((found < 0) | (found >= extent)).any()):
        raise ValueError("invalid entry in coordinates array")
    return found


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Write values, in order and repeated when they run out, where a mask is true.

    ValueError when there are no values and the mask is true somewhere.
    """
    room()
    check_target(arr, "place")
    condition = truth(mask)
    if condition.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    source: Any = parsed(vals, arr._code)
    if not isinstance(vals, (list, tuple)):  # which are converted
        check_cast(source._code, arr._code, "safe")
    if isinstance(vals, NUMBERS) and condition.shape == arr.shape:
        arr[condition] = vals
        return
    places = flat_nonzero(condition)
    if not places._shape[0]:
        return
    if not source.size:
        raise ValueError("Cannot insert from an empty array!")
    put(arr, places, source)


METHODS = {
    "compress": lambda a, condition, axis=None, out=None: compress(condition, a, axis, out),
    "take": take,
}
OF_ARRAYS = {
    "put": at_once("a write at places")(
        lambda a, indices, values, mode="raise": put(a, indices, values, mode)
    )
}
"""Those that change an array: scalars lack them."""
