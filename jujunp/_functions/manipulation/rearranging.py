"""Copies with elements shifted, repeated, left out or put in."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import INT64
from jujunp.lazy.values.value import pack, record

from ..._array.arguments import axes_of, axis_of, shape_of
from ..._array.array_likes import as_array, as_handle, concatenated
from ..._array.handle import COPY, Handle, header, ndarray, value_of
from ..._array.indexing import picked
from ..._array.making import as_code, filled, new_array, reshape, view
from ..._array.outputs import check_cast
from ..._array.steps import kernel
from ..._calls.traits import at_once, uniform
from ..creation.arrays import array, asarray
from ..creation.ranges import iota

__all__ = [
    "delete",
    "insert",
    "repeat",
    "resize",
    "roll",
    "tile",
]

_FEW_COPIES = 16
"""Up to so many copies, interleaving whole arrays is fastest."""


def spread(x: Handle, layout: np.ndarray) -> ndarray:
    """Return a new array with what a layout of the handle's memory shows."""
    value = record(pack(COPY, x._code, x._code), layout.shape, (value_of(x),), (layout,))
    return new_array(value, layout.shape, x._code)


def _slice(x: Handle, axis: int, start: int | None, stop: int | None) -> ndarray:
    """Return a view of a range along an axis."""
    return view(x, header(x)[(slice(None),) * axis + (slice(start, stop),)])


def _chosen(x: Handle, index: Handle, axis: int) -> Any:
    """Return a copy of what is at some places along an axis, which has all of them."""
    return picked(x, *[slice(None)] * axis, index)


@at_once("what is rolled")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Return a copy with the elements moved along axes; those pushed out come in again.

    Without an axis the array is taken as one-dimensional. Several shifts or axes go together.
    """
    room()
    x: Any = as_array(a)
    if axis is None:
        return reshape(roll(reshape(x, (-1,)), shift, 0), x._shape)
    shifts = dict.fromkeys(range(len(x._shape)), 0)
    pairs = np.broadcast(_host(shift), axes_of(axis, len(x._shape), repeats=True))
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    for distance, at in pairs:
        shifts[at] += int(distance)
    found = x
    for at, distance in shifts.items():
        extent = x._shape[at]
        distance = distance % extent if extent else 0
        if distance:
            found = concatenated(
                [_slice(found, at, -distance, None), _slice(found, at, None, -distance)],
                at,
                x._code,
            )
    return x.copy() if found is x else found


def _host(x: Any) -> Any:
    """Return integers that describe what to do as NumPy holds them; computes a handle."""
    if isinstance(x, Handle):
        return np.asarray(x)[()]
    return x


@uniform
def tile(A: Any, reps: Any) -> Any:
    """Return an array repeated along each axis, as often as `reps` says for it."""
    room()
    x: Any = as_array(A)
    reps = _host(reps)
    times = (operator.index(reps),) if np.ndim(reps) == 0 else shape_of(reps)
    if min(times, default=0) < 0:
        raise ValueError("negative dimensions are not allowed")
    rank = max(len(times), len(x._shape))
    times = (1,) * (rank - len(times)) + tuple(times)
    shape = (1,) * (rank - len(x._shape)) + x._shape
    if all(count == 1 for count in times):
        return array(x, ndmin=rank)
    seen = header(x)[(None,) * (rank - len(x._shape))]
    doubled = seen[tuple(part for _ in range(rank) for part in (None, slice(None)))]
    pairs = [n for pair in zip(times, shape, strict=True) for n in pair]
    found = spread(x, np.broadcast_to(doubled, pairs))
    return view(found, header(found).reshape([n * m for n, m in zip(times, shape, strict=True)]))


@at_once("repeated rows")
@uniform
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Return an array with each element repeated, as often as an int or an array of counts says.

    The counts are for the elements along the axis, or for all of them in one dimension. Those of an
    array are summed at once. ValueError for negative counts or a wrong number of them.
    """
    room()
    x: Any = as_array(a)
    if type(repeats) is int and abs(repeats) < 1 << 63:
        x = reshape(x, (-1,)) if axis is None or not x._shape else x
        return _repeated(x, repeats, axis_of(0 if axis is None else axis, len(x._shape)))
    if not isinstance(repeats, (Handle, np.ndarray)):
        repeats = np.array(repeats, np.int64)
    counts: Any = as_handle(repeats)
    check_cast(counts._code, INT64, "safe")
    if len(counts._shape) > 1:
        raise ValueError("object too deep for desired array")
    if axis is None or not x._shape:
        x = reshape(x, (-1,))
    at = axis_of(0 if axis is None else axis, len(x._shape))
    if counts._shape in ((), (1,)):
        return _repeated(x, int(counts.item()), at)
    if counts._shape[0] != x._shape[at]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({x._shape[at]},) {counts._shape}"
        )
    return _repeated_by(x, as_code(counts, INT64), at)


def _repeated(x: Handle, count: int, axis: int) -> ndarray:
    """Return each element along an axis repeated equally often."""
    if count < 0 and x._shape[axis]:
        raise ValueError("repeats may not contain negative values.")
    seen = np.expand_dims(header(x), axis + 1)
    count = max(count, 0)
    shape = (*seen.shape[: axis + 1], count, *seen.shape[axis + 2 :])
    if 1 < count <= _FEW_COPIES:
        found = concatenated([view(x, seen)] * count, axis + 1, x._code)
    else:
        found = spread(x, np.broadcast_to(seen, shape))
    merged = (*shape[:axis], shape[axis] * count, *shape[axis + 2 :])
    return view(found, header(found).reshape(merged))


def _repeated_by(x: Any, counts: Any, axis: int) -> Any:
    """Return each element along an axis repeated as often as its count says."""
    if bool((counts < 0).any()):
        raise ValueError("repeats may not contain negative values.")
    ends: Any = counts.cumsum()
    total = int(ends[-1]) if counts._shape[0] else 0
    places = kernel("searchsorted", (ends, iota(total)), (total,), INT64, (1,))
    return _chosen(x, new_array(places, (total,), INT64), axis)


def resize(a: Any, new_shape: Any) -> Any:
    """Return an array of another shape, its elements in C order and repeated when they run out.

    Of an empty array the result is zeros. ValueError for negative lengths.
    """
    room()
    x: Any = as_array(a)
    shape = shape_of(new_shape)
    size = math.prod(shape)
    flat = reshape(x, (-1,))
    count = flat._shape[0]
    if not count or not size:
        return filled(shape, 0, x._code)
    if size > count:
        times = -(-size // count)
        flat = _repeated(view(flat, header(flat)[None]), times, 0).reshape(-1)
    return reshape(_slice(flat, 0, None, size).copy(), shape)


# -- taking elements out and putting some in


def _one_axis(arr: Any, axis: Any) -> tuple[Any, int]:
    """Return an array and an axis of it; for None of the array in one dimension."""
    x: Any = as_array(arr)
    if axis is None:
        return reshape(x, (-1,)), 0
    return x, axis_of(axis, len(x._shape))


@at_once("what is left")
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """Return a copy without the elements at some places along an axis.

    `obj` is an int, a slice, a sequence of integers or a mask; a handle is computed. Without an
    axis the array is taken as one-dimensional. IndexError for places out of bounds.
    """
    room()
    x, at = _one_axis(arr, axis)
    extent = x._shape[at]
    if type(obj) is int and -extent <= obj < extent:
        place = obj % extent
        parts = [_slice(x, at, None, place), _slice(x, at, place + 1, None)]
        return _in_order_of(x, concatenated(parts, at, x._code))
    kept = _kept(_host(obj), extent, at)
    return _in_order_of(x, _taken(x, at, kept))


def _in_order_of(x: Any, found: Any) -> Any:
    """Return a result in Fortran order if the operand is so."""
    return found.copy(order="F") if header(x).flags.fnc else found


def _kept(obj: Any, extent: int, axis: int) -> np.ndarray:
    """Return which places along an axis are kept when some are deleted."""
    keep = np.ones(extent, np.bool)
    if isinstance(obj, slice):
        keep[list(range(*obj.indices(extent)))] = False
        return keep
    places = np.asarray(obj)
    if places.size == 0 and not isinstance(obj, np.ndarray):
        return keep
    if places.dtype == np.bool:
        if places.shape != (extent,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis "
                f"length of {extent}"
            )
        return ~places
    if places.size == 1 and places.dtype.kind in "iu":
        place = places.item()
        if not -extent <= place < extent:
            raise IndexError(f"index {place} is out of bounds for axis {axis} with size {extent}")
    keep[places,] = False
    return keep


def _taken(x: Any, axis: int, keep: np.ndarray) -> Any:
    """Return a copy with the places along an axis where a host mask is true."""
    edges = np.flatnonzero(np.diff(keep, prepend=False, append=False))
    runs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    if len(runs) <= _MANY_RUNS:
        parts = [_slice(x, axis, start, stop) for start, stop in runs]
        return concatenated(parts or [_slice(x, axis, 0, 0)], axis, x._code)
    return _chosen(x, as_handle(np.flatnonzero(keep)), axis)


_MANY_RUNS = 64
"""Runs of places above which they are gathered one by one."""


@at_once("what is longer")
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """Return a copy with values put in before some places along an axis.

    `obj` is an int, a slice, a sequence of integers or a mask; a handle is computed. One place
    takes any number of values, several take one each. Values are converted to the dtype of the
    array.
    Without an axis the array is taken as one-dimensional. IndexError for places out of bounds.
    """
    room()
    x, at = _one_axis(arr, axis)
    extent = x._shape[at]
    places, single = _insertion_places(_host(obj), extent)
    new = asarray(values, x.dtype)
    if places.size == 1:
        place = places.item()
        if not -extent <= place <= extent:
            raise IndexError(f"index {obj} is out of bounds for axis {at} with size {extent}")
        found = _insert_one(x, at, place + extent * (place < 0), new, single)
    else:
        found = _insert_many(x, at, places, new)
    return _in_order_of(x, found)


def _insertion_places(obj: Any, extent: int) -> tuple[np.ndarray, bool]:
    """Return the places to insert before, and whether one was given as an int."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(extent), dtype=np.intp), False
    places = np.array(obj)
    if places.dtype == np.bool:
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        return np.flatnonzero(places), False
    if places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if places.size == 0 and not isinstance(obj, np.ndarray):
        places = places.astype(np.intp)
    if places.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return places, places.ndim == 0


def _insert_one(x: Any, axis: int, place: int, values: Any, single: bool) -> Any:
    """Return a copy with values put in before one place."""
    seen = header(values)
    seen = seen[(None,) * (len(x._shape) - seen.ndim)]
    if single:
        seen = np.moveaxis(seen, 0, axis)
    shape = (*x._shape[:axis], seen.shape[axis], *x._shape[axis + 1 :])
    new = view(values, _broadcast_values(seen, shape))
    return concatenated(
        [_slice(x, axis, None, place), new, _slice(x, axis, place, None)], axis, x._code
    )


def _broadcast_values(seen: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    extra = seen.ndim - len(shape)
    if extra > 0 and seen.shape[:extra] == (1,) * extra:
        seen = seen.reshape(seen.shape[extra:])
    try:
        return np.broadcast_to(seen, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast input array from shape {seen.shape} into shape {shape}"
        ) from None


def _insert_many(x: Any, axis: int, places: np.ndarray, values: Any) -> Any:
    """Return a copy with one of the values put in before each of some places."""
    extent, count = x._shape[axis], places.size
    places = np.where(places < 0, places + extent, places)
    order = places.argsort(kind="stable")
    places[order] += np.arange(count)
    total = extent + count
    if count and not (places.min() >= -total and places.max() < total):
        bad = next(n for n in places.tolist() if not -total <= n < total)
        raise IndexError(f"index {bad} is out of bounds for axis 0 with size {total}")
    source = np.empty(total, np.intp)
    is_old = np.ones(total, np.bool)
    is_old[places] = False
    source[is_old] = np.arange(extent)
    source[places] = extent + np.arange(count)
    shape = (*x._shape[:axis], count, *x._shape[axis + 1 :])
    new = view(values, _broadcast_values(header(values), shape))
    return _chosen(concatenated([x, new], axis, x._code), as_handle(source), axis)


METHODS = {"repeat": repeat}
