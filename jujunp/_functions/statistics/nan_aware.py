"""Reductions and scans that leave nan out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import DTYPES, FLOAT32, FLOAT64

from ..._array.arguments import reduced_axes
from ..._array.array_likes import as_handle
from ..._array.elementwise import pick
from ..._array.handle import Handle, value_of
from ..._array.making import convert, scalar_if_0d, wrap
from ..._array.outputs import put_out
from ..._ufuncs.ufunc import UFUNCS
from ..manipulation.joining import concatenate
from ..reductions.folds import all as all_true
from ..reductions.folds import argmax, argmin, count_nonzero, prod
from ..reductions.folds import max as largest
from ..reductions.folds import min as smallest
from ..reductions.folds import sum as added
from ..reductions.reduce import NO_VALUE, reduce
from ..reductions.scans import cumprod, cumsum
from ..searching.sorting import along_order, sorted_along
from .averages import count_of, degrees, last_of, mean, median, placed, var

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.values.types import Scalar

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]

_INFINITE = float("inf")


def _nans(x: Handle) -> Any:
    """Return where an array is nan; None where its dtype has no nan."""
    return UFUNCS["isnan"](x) if DTYPES[x._code].kind == "f" else None


def without_nan(x: Handle, number: Scalar) -> tuple[Any, Any]:
    """Return an array with a number in place of nan, and where it was nan (None: nowhere)."""
    nans = _nans(x)
    if nans is None:
        return x, None
    found = pick(nans, number, x)
    return wrap(value_of(found), (), found._code) if not found._shape else found, nans


def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the sum over axes with nan taken as zero."""
    x, _ = without_nan(as_handle(a), 0.0)
    return added(x, axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the product over axes with nan taken as one."""
    x, _ = without_nan(as_handle(a), 1.0)
    return prod(x, axis, dtype, out, keepdims, initial, where)


def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative sum along an axis with nan taken as zero."""
    return cumsum(without_nan(as_handle(a), 0.0)[0], axis, dtype, out)


def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Return the cumulative product along an axis with nan taken as one."""
    return cumprod(without_nan(as_handle(a), 1.0)[0], axis, dtype, out)


def nanmax(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the largest element over axes that is not nan; nan where there is none."""
    return _extreme("fmax", largest, -_INFINITE, a, axis, out, keepdims, initial, where)


def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the smallest element over axes that is not nan; nan where there is none."""
    return _extreme("fmin", smallest, _INFINITE, a, axis, out, keepdims, initial, where)


def _extreme(
    name: str,
    function: Callable[..., Any],
    worst: float,
    a: Any,
    axis: Any,
    out: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    handle = as_handle(a)
    if handle._code in (FLOAT32, FLOAT64) and initial is NO_VALUE and where is True:
        return reduce(UFUNCS[name], handle, axis, None, out, keepdims)
    x, nans = without_nan(handle, worst)
    found = function(x, axis, None, keepdims, initial, where)
    if nans is not None and initial is NO_VALUE:
        empty = all_true(nans, axis, None, keepdims, where=where)
        found = scalar_if_0d(pick(empty, float("nan"), found))
    return put_out(found, out, "unsafe")


def nanargmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """Return the index of the first largest element that is not nan, along an axis or of all.

    ValueError where all are nan, for which the array is computed at once.
    """
    return _place(argmax, -_INFINITE, a, axis, out, keepdims)


def nanargmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """Return the index of the first smallest element that is not nan; errors as `nanargmax`."""
    return _place(argmin, _INFINITE, a, axis, out, keepdims)


def _place(
    function: Callable[..., Any], worst: float, a: Any, axis: Any, out: Any, keepdims: bool
) -> Any:
    x, nans = without_nan(as_handle(a), worst)
    if nans is not None:
        empty: Any = all_true(nans, axis)
        if bool(empty.any()):
            raise ValueError("All-NaN slice encountered")
    return function(x, axis, out, keepdims=keepdims)


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    """Return the mean over axes of the elements that are not nan; nan where there is none."""
    return mean(a, axis, dtype, out, keepdims, where=_taken(a, where))


def _taken(a: Any, where: Any) -> Any:
    """Return a mask of the elements that are not nan, among those of a mask."""
    nans = _nans(as_handle(a))
    if nans is None:
        return where
    present = UFUNCS["logical_not"](nans)
    return present if where is True else UFUNCS["logical_and"](present, as_handle(where))


def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Return the variance over axes of the elements that are not nan.

    nan where there are not more of them than `ddof`. The arguments are those of `var`.
    """
    x = as_handle(a)
    ddof = degrees(ddof, correction)
    taken = _taken(x, where)
    found: Any = var(x, axis, dtype, None, ddof, keepdims, where=taken, mean=mean)
    if taken is not True:
        left = count_of(x, axis, keepdims, taken) - ddof
        found = scalar_if_0d(pick(left <= 0, float("nan"), found))
    return put_out(found, out, "unsafe")


def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """Return the standard deviation over axes of the elements that are not nan, as `nanvar`."""
    found = nanvar(
        a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction
    )
    root: Any = UFUNCS["sqrt"](found)
    return put_out(root if root._code == found._code else convert(root, found._code), out, "unsafe")


def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """Return the median over axes of the elements that are not nan; nan where there is none."""
    room()
    x: Any = as_handle(a)
    axes = reduced_axes(axis, len(x._shape))
    line = last_of(x, axes)
    if not line._shape[-1]:
        warn_user("Mean of empty slice")
    return placed(_median_present(line), x._shape, axes, out, keepdims)


def _median_present(x: Any) -> Any:
    """Return the medians along the last axis of the elements that are not nan.

    These come first when sorted; their number says which of them are in the middle.
    """
    nans = _nans(x)
    length = x._shape[-1]
    if nans is None or not length:
        return median(x, -1)
    last = len(x._shape) - 1
    ordered: Any = sorted_along(x, last)
    present: Any = length - count_nonzero(nans, -1, keepdims=True)
    places = UFUNCS["maximum"](concatenate((present - 1, present), -1) // 2, 0)
    return mean(along_order(ordered, places, last), -1)
