"""Arrays as sets: unique elements, membership, and set operations."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.watching import is_computed, is_made_once
from jujunp.lazy.values.dtypes import BOOL, DTYPES, INT64, UINT64, is_integer

from ..._array.arguments import axis_of
from ..._array.array_likes import as_array, as_handle
from ..._array.handle import NUMBERS, Handle, header, value_of
from ..._array.index_keys import flat_nonzero
from ..._array.indexing import picked, scatter
from ..._array.making import convert, filled, view
from ..._array.promotion import result_code
from ..._calls.functions import function
from ..._calls.traits import at_once
from ..._ufuncs.ufunc import UFUNCS
from ..manipulation.joining import concatenate
from ..reductions.folds import max as largest
from ..reductions.folds import min as smallest
from ..reductions.scans import cumsum
from .sorting import counting, lexicographic, order_along, searchsorted, sorted_along

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

_SCATTER = OPCODES["scatter"]
_DIFFERENT = UFUNCS["not_equal"]
_AND = UFUNCS["logical_and"]
_NOT = UFUNCS["logical_not"]
_OR = UFUNCS["logical_or"]
_FEW = 12
"""Elements that are rather compared with than sorted and searched."""
_MANY = 1 << 14
"""Elements of which so many are looked up that a table pays, whose bounds are computed first."""
_SPARSE = 6
"""Places of a table for each element that is entered or looked up, at most."""


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Any
    inverse_indices: Any


def flat(x: Any) -> Any:
    """Return the elements of an array_like in one dimension."""
    return as_handle(x).reshape(-1)


def part(x: Handle, start: int | None, end: int | None) -> Any:
    """Return a view of a range of the first axis."""
    return view(x, header(x)[start:end])


def _starts(ordered: Any, equal_nan: bool) -> Any:
    """Return where a sorted array of one dimension has an element unlike the one before."""
    count = ordered._shape[0]
    mask: Any = filled((count,), True, BOOL)
    if count > 1:
        here, before = part(ordered, 1, None), part(ordered, None, -1)
        new = _DIFFERENT(here, before)
        if equal_nan and DTYPES[ordered._code].kind in "fc":
            new = _AND(new, _NOT(_AND(UFUNCS["isnan"](here), UFUNCS["isnan"](before))))
        mask[1:] = new
    return mask


def _row_starts(rows: Any) -> Any:
    """Return where sorted rows of a matrix differ from the row before."""
    mask: Any = filled((rows._shape[0],), True, BOOL)
    mask[1:] = _DIFFERENT(part(rows, 1, None), part(rows, None, -1)).any(1)
    return mask


@at_once("distinct elements")
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the sorted unique elements, or the unique parts along an axis; computes their number.

    Args:
        ar: array_like.
        return_index: Also return where each first occurs.
        return_inverse: Also return which of them each element is, in the shape of `ar`.
        return_counts: Also return how often each occurs.
        axis: Axis whose parts are compared; None for the elements of `ar` in one dimension.
        equal_nan: Whether nan is equal to nan; not for parts of more than one element.
        sorted: Has no effect: the result is sorted.
    """
    room()
    x: Any = as_handle(ar)
    wanted = (return_index, return_inverse, return_counts)
    at = None if axis is None else axis_of(axis, len(x._shape))
    if at is None or len(x._shape) == 1:
        found = _unique_elements(x, wanted, equal_nan)
    else:
        found = _unique_parts(x, wanted, at)
    return found[0] if len(found) == 1 else found


# the same, without Python where that can be
_distinct: Any = function(unique)
_joined: Any = function(concatenate)


def _elements(x: Handle) -> Any:
    """Return the distinct elements of an array, for a call that is not recorded again.

    Their number differs from call to call, and to find them costs less than to record how.
    """
    is_made_once()
    return _distinct(x)


def _unique_elements(x: Any, wanted: tuple[bool, bool, bool], equal_nan: bool) -> tuple[Any, ...]:
    line = flat(x)
    if wanted[0] or wanted[1]:
        order: Any = order_along(line, 0)
        ordered: Any = picked(line, order)
    else:
        order, ordered = None, sorted_along(line, 0)
    mask = _starts(ordered, equal_nan)
    extra = _extras(mask, order, wanted, x._shape)
    return (ordered[mask], *extra)


def _unique_parts(x: Any, wanted: tuple[bool, bool, bool], axis: int) -> tuple[Any, ...]:
    moved = view(x, np.moveaxis(header(x), axis, 0))
    count = moved._shape[0]
    rows: Any = moved.reshape(count, math.prod(moved._shape[1:]))
    columns: list[Handle] = [view(rows, header(rows)[:, k]) for k in range(rows._shape[1])]
    order: Any = lexicographic(columns, 0) if columns else counting((count,), 0)
    ordered = picked(rows, order)
    mask = _row_starts(ordered) if count else filled((0,), True, BOOL)
    found = ordered[mask]
    parts = found.reshape(found._shape[0], *moved._shape[1:])
    values = view(parts, np.moveaxis(header(parts), 0, axis))
    return (values, *_extras(mask, order, wanted, (count,)))


def _extras(
    mask: Any, order: Any, wanted: tuple[bool, bool, bool], shape: tuple[int, ...]
) -> list[Any]:
    """Return indices, inverse and counts, those that are wanted, of elements in sorted order."""
    index, inverse, counts = wanted
    extra = []
    if index:
        extra.append(order[mask])
    if inverse:
        numbers: Any = filled(mask._shape, 0, INT64)
        scatter(numbers, (order,), cumsum(mask) - 1, _SCATTER, inside=True)
        extra.append(numbers.reshape(shape))
    if counts:
        extra.append(_run_lengths(mask))
    return extra


def _run_lengths(mask: Any) -> Any:
    """Return the distances between true elements, and of the last one to the end."""
    places: Any = flat_nonzero(mask)
    count = places._shape[0]
    lengths: Any = filled((count,), mask._shape[0], INT64)
    lengths[:-1] = part(places, 1, None)
    lengths -= places
    return lengths


def unique_values(x: Any, /) -> Any:
    """Return the unique elements; nan is not equal to nan."""
    return unique(x, equal_nan=False)


def unique_counts(x: Any, /) -> UniqueCountsResult:
    """Return the unique elements and how often each occurs; nan is not equal to nan."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: Any, /) -> UniqueInverseResult:
    """Return the unique elements and which of them each element is; nan is not equal to nan."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_all(x: Any, /) -> UniqueAllResult:
    """Return the unique elements with indices, inverse and counts; nan is not equal to nan."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Any:
    """Return which elements are among others: bool, in their shape.

    Args:
        element: array_like.
        test_elements: array_like. Integers that are computed already, and whose range is not much
            larger than there are elements, are entered into a table when many are looked up;
            others are sorted.
        assume_unique: Changes nothing.
        invert: Whether those are found that are not among the others.
        kind: "sort" to use no table. ValueError for "table" unless all are integers or bool;
            RuntimeError where the range of the others, which is computed, is beyond their dtype.
            Where a table would be too large, they are sorted.
    """
    room()
    x, others = as_handle(element), flat(test_elements)
    _check_kind(kind, x, others)
    if kind == "table":
        _check_table(others)
    code = result_code(x._code, others._code)
    count = others._shape[0]
    if not count:
        return as_array(filled(x._shape, invert, BOOL))
    if not is_integer(code) and is_integer(x._code) and is_integer(others._code):
        return _is_one_of_other_sign(x, others, invert, kind)
    size = math.prod(x._shape)
    tabled = kind != "sort" and size >= _MANY and count > _FEW and is_integer(code)
    known = tabled and is_computed(value_of(others))
    bounds = _narrow_bounds(others, size + count) if known else None
    x, others = (y if y._code == code else convert(y, code) for y in (x, others))
    if count <= _FEW:
        return _is_one_of(x, others, invert)
    if bounds:
        return _is_in_table(x, others, *bounds, invert)
    ordered: Any = sorted_along(others, 0)
    places = UFUNCS["minimum"](searchsorted(ordered, x), count - 1)
    compare = _DIFFERENT if invert else UFUNCS["equal"]
    return as_array(compare(picked(ordered, places), x))


def _is_one_of(x: Any, others: Any, invert: bool) -> Any:
    """Return which elements are among a few others, compared with one after the other."""
    compare, join = (_DIFFERENT, _AND) if invert else (UFUNCS["equal"], _OR)
    found = compare(x, others[0])
    for k in range(1, others._shape[0]):
        found = join(found, compare(x, others[k]))
    return as_array(found)


def _is_one_of_other_sign(x: Any, others: Any, invert: bool, kind: str | None) -> Any:
    """Return which integers are among others where one side is uint64 and the other signed.

    Modulo 2**64 they differ, but for negative numbers and those from 2**63 on: none is on both
    sides.
    """
    found = isin(convert(x, UINT64), convert(others, UINT64), invert=invert, kind=kind)
    shared = UFUNCS["greater_equal"](convert(x, INT64), 0)
    return as_array(_OR(found, _NOT(shared)) if invert else _AND(found, shared))


def _check_table(others: Handle) -> None:
    dtype = DTYPES[others._code]
    if dtype.kind not in "iu" or not others._shape[0]:
        return
    if int(largest(others)) - int(smallest(others)) > np.iinfo(dtype).max:
        raise RuntimeError(
            "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed "
            "the maximum integer of the datatype. Please set `kind` to None or 'sort'."
        )


def _narrow_bounds(others: Handle, elements: int) -> tuple[int, int] | None:
    """Return the least and the largest of some integers, None where a table would be too large."""
    bounds = smallest(others), largest(others)
    low, high = map(int, bounds)
    return (low, high) if high - low < _SPARSE * elements else None


def _is_in_table(x: Any, others: Any, low: int, high: int, invert: bool) -> Any:
    """Return which integers are among others from `low` to `high`, looked up in a table."""

    def places(x: Any) -> Any:
        # Modulo 2**64, so that the difference of any two integers is right.
        unsigned: Any = convert(x, UINT64)
        return convert(unsigned - low % (1 << 64), INT64)

    table: Any = filled((high - low + 1,), invert, BOOL)
    table[places(others)] = not invert
    nearest: Any = UFUNCS["minimum"](UFUNCS["maximum"](x, low), high)
    found = table[places(nearest)]
    compare, join = (_DIFFERENT, _OR) if invert else (UFUNCS["equal"], _AND)
    return as_array(join(found, compare(nearest, x)))


def _check_kind(kind: str | None, *arrays: Handle) -> None:
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table" and not all(x._code == BOOL or is_integer(x._code) for x in arrays):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. "
            "Please select 'sort' or None for kind."
        )


def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the sorted unique elements of two arrays together; a number takes the dtype of one."""
    if type(ar1) in NUMBERS or type(ar2) in NUMBERS:
        return _elements(_joined((ar1, ar2), axis=None))
    return _elements(_joined((flat(ar1), flat(ar2))))


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the sorted elements that two arrays share, and with `return_indices` where they are.

    Args:
        ar1: array_like.
        ar2: array_like.
        assume_unique: Whether the elements of each are known to be unique.
        return_indices: Whether to return the places of the first of each in `ar1` and `ar2`.
    """
    x, y = flat(ar1), flat(ar2)
    if not return_indices:
        ordered: Any = _both_sorted(x, y, assume_unique)
        shared: Any = part(ordered, None, -1)
        return shared[UFUNCS["equal"](part(ordered, 1, None), shared)]
    first: Any = None
    if not assume_unique:
        x, first = unique(x, return_index=True)
        y, second = unique(y, return_index=True)
    both = concatenate((x, y))
    order: Any = order_along(both, 0)
    ordered = picked(both, order)
    mask = UFUNCS["equal"](part(ordered, 1, None), part(ordered, None, -1))
    shared = part(ordered, None, -1)[mask]
    at_x = part(order, None, -1)[mask]
    at_y = part(order, 1, None)[mask] - x._shape[0]
    return (
        (shared, at_x, at_y)
        if first is None
        else (shared, picked(first, at_x), picked(second, at_y))
    )


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the elements of one array that are not in another; unique and sorted, or as given."""
    x = flat(ar1) if assume_unique else unique(ar1)
    return x[isin(x, ar2, invert=True)]


def _both_sorted(ar1: Any, ar2: Any, assume_unique: bool) -> Any:
    """Return the elements of two arrays in order, those of each once."""
    x, y = (flat(ar) if assume_unique else _elements(flat(ar)) for ar in (ar1, ar2))
    return sorted_along(_joined((x, y)), 0)


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the sorted elements that are in just one of two arrays."""
    both = _both_sorted(ar1, ar2, assume_unique)
    count = both._shape[0]
    if not count:
        return both
    edges: Any = filled((count + 1,), True, BOOL)
    edges[1:-1] = _DIFFERENT(part(both, 1, None), part(both, None, -1))
    return both[_AND(part(edges, 1, None), part(edges, None, -1))]
