"""Sorting and searching: sort, argsort, lexsort, partition and searchsorted."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.settling import deferring, first_outside
from jujunp.lazy.values.dtypes import DTYPES, INT64

from ..._array.arguments import axis_of
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header, ndarray, value_of
from ..._array.indexing import picked
from ..._array.making import axes_in_memory, convert, new_array, unturned, view, write
from ..._array.promotion import result_code
from ..._array.steps import kernel, project, result
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS
from ..creation.ranges import along, iota

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jujunp.lazy.values.types import Shape

__all__ = [
    "argpartition",
    "argsort",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
]


_FEW_PLACES = 16
"""A partition at more places is a sort."""


def counting(shape: Shape, axis: int) -> Handle:
    """Return int64 positions along one axis, the same along the others: 0, 1, 2, .."""
    line = iota(shape[axis])
    if len(shape) == 1:
        return line  # type: ignore[no-any-return]
    spread = along(line, axis, len(shape))
    return view(spread, np.broadcast_to(header(spread), shape))


def sorted_together(
    arrays: Sequence[Handle], axis: int, keys: int, places: Sequence[int] = ()
) -> list[Any]:
    """Sort arrays of one shape along an axis, in the order of the first `keys` of them.

    The first decides most. The sort is stable, and nan comes last. Where places along the axis are
    given, one array alone need only have its sorted elements there, and others on their side.
    """
    shape = arrays[0]._shape
    params = (axis, len(arrays), keys, *places)
    first = kernel("sort", arrays, shape, arrays[0]._code, params)
    values = [first]
    values += [project(first, k, shape, x._code) for k, x in enumerate(arrays) if k]
    pairs = zip(values, arrays, strict=True)
    return [new_array(value, shape, x._code) for value, x in pairs]


def _turned(x: Handle) -> Any:
    """Return elements whose order is the opposite one, but for nan; done twice, the same ones."""
    return UFUNCS["negative" if DTYPES[x._code].kind in "fc" else "invert"](x)


def sorted_along(
    x: Handle, axis: int, descending: Any = False, places: Sequence[int] = ()
) -> ndarray:
    """Return a sorted copy of an array with axes, which lie in memory as they do there.

    Where places are given, as in `sorted_together`; for the first order alone.
    """
    if descending:
        return _turned(sorted_along(_turned(x), axis))  # type: ignore[no-any-return]
    order = axes_in_memory(x, "K")
    if order is not None:
        x, axis = view(x, header(x).transpose(order)), order.index(axis)
    return unturned(sorted_together([x], axis, 1, places)[0], order)


def order_along(x: Handle, axis: int, descending: Any = False) -> ndarray:
    """Return the int64 positions along an axis that sort an array; equal elements keep order."""
    x = _turned(x) if descending else x
    return sorted_together([x, counting(x._shape, axis)], axis, 1)[1]  # type: ignore[no-any-return]


def _sort_axis(x: Handle, axis: Any, kind: Any, order: Any, *keywords: bool | None) -> int:
    """Return the axis to sort along; raises what NumPy's sort raises for the arguments."""
    stable = next((given for given in keywords if given is not None), None)
    if kind is not None or order is not None or stable is not None:
        np.sort(np.zeros(1, DTYPES[x._code]), kind=kind, order=order, stable=stable)
    return axis_of(operator.index(axis), len(x._shape))


def _in_one_dimension(x: Handle) -> Any:
    return x.reshape(-1)


@uniform
def sort(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> Any:
    """Return a sorted copy along an axis, or of all elements in one dimension for None.

    nan comes last, also in descending order. Every sort is stable, whatever `kind` says.
    """
    room()
    x = as_handle(a)
    if axis is None:
        x, axis = _in_one_dimension(x), 0
    return sorted_along(x, _sort_axis(x, axis, kind, order, stable, descending), descending)


def _sort_in_place(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> None:
    """Sort the array itself along an axis."""
    room()
    at = _sort_axis(a, axis, kind, order, stable, descending)
    if a._readonly:
        raise ValueError("sort array is read-only")
    write(a, sorted_along(a, at, descending))


@uniform
def argsort(
    a: Any,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool | None = None,
) -> Any:
    """Return the indices that sort an array along an axis; equal elements keep their order."""
    room()
    x = as_handle(a)
    if axis is None or not x._shape:
        x = _in_one_dimension(x)
        axis = 0 if axis is None else axis
    at = _sort_axis(x, axis, kind, order, stable, descending)
    return _within(order_along(x, at, descending), x._shape[at])


@uniform
def lexsort(keys: Any, axis: int = -1) -> Any:
    """Return the indices that sort by several keys, the last of which decides most.

    Args:
        keys: Sequence of arrays of one shape, or an array whose first axis counts the keys.
        axis: Axis to sort along.
    """
    room()
    listed = [as_handle(key) for key in keys]
    if not listed:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    shape = listed[0]._shape
    if any(key._shape != shape for key in listed):
        raise ValueError("all keys need to be the same shape")
    if not shape:
        axis_of(axis, 1)
        return as_handle(np.int64(0))
    at = axis_of(axis, len(shape))
    return _within(lexicographic(listed[::-1], at), shape[at])


def _within(places: Any, extent: int) -> Any:
    """Return places along an axis, of which is noted that they are: they are indices most often."""
    if places._layout is not None or places._base is not None:
        return places
    places._value.within = 0, extent
    return places


MAX_KEYS = 16
"""Keys that one kernel call sorts by."""


def lexicographic(keys: list[Handle], axis: int) -> ndarray:
    """Return the positions that sort by keys, the first of which decides most."""
    shape = keys[0]._shape
    order: Any = counting(shape, axis)
    for start in reversed(range(0, len(keys), MAX_KEYS)):
        part = keys[start : start + MAX_KEYS]
        if start + MAX_KEYS < len(keys):
            part = [along_order(key, order, axis) for key in part]
        order = sorted_together([*part, order], axis, len(part))[-1]
    return order  # type: ignore[no-any-return]


def along_order(x: Handle, order: Handle, axis: int) -> Any:
    """Return the elements at int64 positions along an axis; all other axes agree."""
    if len(x._shape) == 1:
        return picked(x, order)
    shape = order._shape
    key = [order if at == axis else counting(shape, at) for at in range(len(shape))]
    return picked(x, *key)


def _places(kth: Any, x: Any, axis: int, kind: Any) -> list[int]:
    """Return an int, or ints, as places in an axis; raises as NumPy's partition does."""
    count = x._shape[axis] if x._shape else 1
    places = np.asarray(kth)
    np.partition(np.zeros(1), places - places if places.dtype.kind in "iu" else kth, kind=kind)
    found = [place + count if place < 0 else place for place in places.ravel().tolist()]
    for place in found:
        if x.size and not 0 <= place < count:
            raise ValueError(f"kth(={place}) out of bounds ({count})")
    return found


def partitioned(x: Handle, axis: int, places: Iterable[int]) -> ndarray:
    """Return a copy with the elements at some places of an axis where they are in sorted order.

    Those before such a place are no larger, those behind it no smaller. Many places: all sorted.
    """
    wanted = sorted(set(places))
    return sorted_along(x, axis, places=wanted if len(wanted) <= _FEW_PLACES else ())


def partition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """Return a copy with the elements at `kth` in their sorted places.

    Those before such a place are no larger, those behind it no smaller, and nan comes last.
    """
    x = as_handle(a)
    if axis is None:
        x, axis = _in_one_dimension(x), 0
    at = axis_of(operator.index(axis), len(x._shape))
    return partitioned(x, _sort_axis(x, at, None, order), _places(kth, x, at, kind))


def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """Return indices that partition an array as `partition` does."""
    x = as_handle(a)
    if axis is None or not x._shape:
        x = _in_one_dimension(x)
        axis = 0 if axis is None else axis
    at = axis_of(operator.index(axis), len(x._shape))
    _places(kth, x, at, kind)
    return argsort(x, at, order=order)


def _partition_in_place(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> None:
    """Partition the array itself along an axis."""
    at = axis_of(operator.index(axis), len(a._shape))
    places = _places(kth, a, at, kind)
    if a._readonly:
        raise ValueError("partition array is read-only")
    write(a, partitioned(a, _sort_axis(a, at, None, order), places))


@uniform
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return where values belong in a sorted array of one dimension.

    Args:
        a: The array; sorted, or put in order by `sorter`.
        v: The values; the result has their shape. Both are promoted to one dtype.
        side: "left" for the place before equal elements, "right" for that behind them.
        sorter: Integers that put `a` in order. ValueError when one is out of range.
    """
    room()
    x = as_handle(a)
    values = as_handle(v)
    if len(x._shape) != 1 or side not in ("left", "right"):
        np.searchsorted(np.zeros((1,) * len(x._shape)), 0, side)  # type: ignore[call-overload]
    if sorter is not None:
        x = _in_order(x, as_handle(sorter))
    code = result_code(x._code, values._code)
    x, values = (y if y._code == code else convert(y, code) for y in (x, values))
    found = kernel(
        "searchsorted", [x, values], values._shape, code, (int(side == "right"),), result=INT64
    )
    return result(found, INT64)


def _in_order(x: Handle, sorter: Handle) -> Any:
    if not np.can_cast(DTYPES[sorter._code], np.int64):
        raise TypeError("sorter must only contain integers")
    if len(sorter._shape) != 1:
        raise TypeError("could not parse sorter argument")
    if sorter._shape != x._shape:
        raise ValueError("sorter.size must equal a.size")
    if not deferring():
        bad = first_outside(value_of(sorter), sorter._layout, sorter._code, 0, x._shape[0])
        if bad is not None:
            raise ValueError("Sorter index out of range.")
    return picked(x, sorter)


METHODS = {
    "argsort": argsort,
    "argpartition": argpartition,
    "searchsorted": searchsorted,
}
OF_ARRAYS = {"sort": _sort_in_place, "partition": _partition_in_place}
"""Those that change an array: scalars lack them."""
