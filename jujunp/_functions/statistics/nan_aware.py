"""Reductions and scans that leave nan out.

Where nothing is left they warn as NumPy does, for which they compute at once whether it is so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import DTYPES, FLOAT64, code_of

from ..._array.arguments import reduced_axes
from ..._array.array_likes import as_handle
from ..._array.elementwise import pick
from ..._array.handle import Handle, value_of
from ..._array.making import convert, scalar_if_0d, wrap
from ..._array.outputs import put_out
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS
from ..manipulation.joining import concatenate
from ..reductions.folds import all as all_true
from ..reductions.folds import any as any_true
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
ALL_NAN = "All-NaN slice encountered"


def nans_of(x: Handle) -> Any:
    """Return where an array is nan; None where its dtype has no nan."""
    return UFUNCS["isnan"](x) if DTYPES[x._code].kind in "fc" else None


def warn_where(mask: Any, message: str, *, each: bool = False) -> None:
    """Warn if any element of a mask is true, or once for each, unless they have no values yet."""
    try:
        found = 0 if mask is None else int(count_nonzero(mask) if each else any_true(mask))
    except TypeError as error:
        if type(error).__name__ == "AbstractValueError":
            return
        raise
    for _ in range(found):
        warn_user(message)


def without_nan(x: Handle, number: Scalar) -> tuple[Any, Any]:
    """Return an array with a number in place of nan, and where it was nan (None: nowhere)."""
    nans = nans_of(x)
    if nans is None:
        return x, None
    found = pick(nans, number, x)
    return wrap(value_of(found), (), found._code) if not found._shape else found, nans


@uniform
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


@uniform
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
    return _extreme("fmax", largest, a, axis, out, keepdims, initial, where)


def nanmin(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the smallest element over axes that is not nan; nan where there is none."""
    return _extreme("fmin", smallest, a, axis, out, keepdims, initial, where)


def _extreme(
    name: str,
    function: Callable[..., Any],
    a: Any,
    axis: Any,
    out: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    x = as_handle(a)
    if DTYPES[x._code].kind not in "fc":
        return function(x, axis, out, keepdims, initial, where)
    found = reduce(UFUNCS[name], x, axis, None, out, keepdims, initial, where)
    warn_where(nans_of(found), ALL_NAN)
    return found


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
    found = function(x, axis, keepdims=keepdims)
    if nans is not None and bool(any_true(all_true(nans, axis))):
        raise ValueError(ALL_NAN)
    return found if out is None else function(x, axis, out, keepdims=keepdims)


def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Any:
    """Return the mean over axes of the elements that are not nan; nan where there is none.

    TypeError for a `dtype` or `out` of integers, if the elements are none.
    """
    x = as_handle(a)
    taken = _taken(x, where, dtype, out)
    if taken is not where:
        warn_where(UFUNCS["logical_not"](any_true(taken, axis)), "Mean of empty slice")
    return mean(x, axis, dtype, out, keepdims, where=taken)


def _taken(x: Handle, where: Any, dtype: Any, out: Any) -> Any:
    """Return a mask of the elements that are not nan, among those of a mask."""
    nans = nans_of(x)
    if nans is None:
        return where
    for name, code in (("dtype", _given_code(dtype)), ("out", getattr(out, "_code", FLOAT64))):
        if DTYPES[code].kind not in "fc":
            raise TypeError(f"If a is inexact, then {name} must be inexact")
    present = UFUNCS["logical_not"](nans)
    return present if where is True else UFUNCS["logical_and"](present, as_handle(where))


def _given_code(dtype: Any) -> int:
    return FLOAT64 if dtype is None else code_of(np.dtype(dtype))


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
    taken = _taken(x, where, dtype, out)
    found: Any = var(x, axis, dtype, None, ddof, keepdims, where=taken, mean=mean)
    if taken is not True:
        left = count_of(x, axis, keepdims, taken) - ddof
        warn_where(left <= 0, "Degrees of freedom <= 0 for slice.")
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
    _taken(as_handle(a), True, dtype, out)
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
    if 0 in x._shape:
        return nanmean(x, axis, out=out, keepdims=keepdims)
    line = last_of(x, axes)
    return placed(_median_present(line), x._shape, axes, out, keepdims)


def _median_present(x: Any) -> Any:
    """Return the medians along the last axis of the elements that are not nan.

    These come first when sorted; their number says which of them are in the middle.
    """
    nans = nans_of(x)
    length = x._shape[-1]
    if nans is None or not length:
        return median(x, -1)
    last = len(x._shape) - 1
    ordered: Any = sorted_along(x, last)
    present: Any = length - count_nonzero(nans, -1, keepdims=True)
    warn_where(present <= 0, ALL_NAN, each=True)
    places: Any = UFUNCS["maximum"](concatenate((present - 1, present), -1) // 2, 0)
    both = concatenate((places[..., :1] >= 0, present % 2 == 0), -1)
    return mean(along_order(ordered, places, last), -1, where=both)
