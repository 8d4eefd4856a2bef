"""Sums, products, extremes and their places, truth of all or any, and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, INT64
from jujunp.lazy.values.value import pack

from ..._array.arguments import axis_of
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header, ndarray
from ..._array.making import view, write
from ..._array.outputs import output_of
from ..._array.steps import kernel, result
from ..._calls.traits import at_once, uniform
from ..._ufuncs.ufunc import UFUNCS
from .reduce import NO_VALUE, Fold, along, apply, fold_of, reduce, total

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
]

_ADD, _MULTIPLY = UFUNCS["add"], UFUNCS["multiply"]
_MAXIMUM, _MINIMUM = UFUNCS["maximum"], UFUNCS["minimum"]
_AND, _OR = UFUNCS["logical_and"], UFUNCS["logical_or"]
_BOOL_DTYPE = np.dtype(np.bool)
_sums: dict[int, Fold] = {}
_extremes: dict[tuple[str, int], Fold] = {}


@uniform
def sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the sum of the elements over axes: an int, a tuple of ints, or None for all.

    Small integers and bool are summed in 64 bits. The bits of float sums are NumPy's, except with
    `where` or `initial`, which change the order of NumPy's additions.
    """
    if (
        axis is None
        and type(a) is ndarray
        and dtype is None
        and out is None
        and keepdims is False
        and initial is NO_VALUE
        and where is True
    ):
        room()
        fold = _sums.get(a._code)
        if fold is None:
            fold = _sums[a._code] = fold_of("add", a._code)
        return total(a, fold)
    return reduce(_ADD, a, axis, dtype, out, keepdims, initial, where)


@uniform
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the product of the elements over axes; small integers are multiplied in 64 bits."""
    return reduce(_MULTIPLY, a, axis, dtype, out, keepdims, initial, where)


@uniform
def max(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the largest element over axes; nan if there is one.

    ValueError for empty axes without `initial`, and for `where` without `initial`.
    """
    return _extreme("maximum", a, axis, out, keepdims, initial, where)


@uniform
def min(
    a: Any,
    axis: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the smallest element over axes; nan if there is one. Errors as those of `max`."""
    return _extreme("minimum", a, axis, out, keepdims, initial, where)


def _extreme(
    name: str, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    if (
        axis is None
        and type(a) is ndarray
        and out is None
        and keepdims is False
        and initial is NO_VALUE
        and where is True
        and 0 not in a._shape
    ):
        room()
        key = (name, a._code)
        fold = _extremes.get(key)
        if fold is None:
            fold = _extremes[key] = fold_of(name, a._code)
        return total(a, fold)
    return reduce(UFUNCS[name], a, axis, None, out, keepdims, initial, where)


amax, amin = max, min


@uniform
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the largest minus the smallest element over axes; ValueError when they are empty."""
    x = as_handle(a)
    high = max(x, axis, None, keepdims)
    return UFUNCS["subtract"](high, min(x, axis, None, keepdims), out=out)


@uniform
def any(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """Return whether any element over axes is not zero; nan counts as true."""
    return _truth(_OR, a, axis, out, keepdims, where)


@uniform
def all(
    a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """Return whether all elements over axes differ from zero; nan counts as true."""
    return _truth(_AND, a, axis, out, keepdims, where)


def _truth(function: Any, a: Any, axis: Any, out: Any, keepdims: bool, where: Any) -> Any:
    return reduce(function, a, axis, _BOOL_DTYPE, out, keepdims, NO_VALUE, where)


@at_once("a count of places")
@uniform
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Return how many elements over axes differ from zero, as int64."""
    room()
    x = as_handle(a, BOOL)
    return apply(_ADD, x, fold_of("add", BOOL), axis, keepdims)


@uniform
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """Return the index of the first largest element along an axis, or in C order for None.

    The first nan counts as the largest. ValueError when there is no element to choose.
    """
    return _place("argmax", a, axis, out, keepdims)


@uniform
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
    """Return the index of the first smallest element along an axis; the rest is as in `argmax`."""
    return _place("argmin", a, axis, out, keepdims)


def _place(name: str, a: Any, axis: Any, out: Any, keepdims: bool) -> Any:
    room()
    x = as_handle(a)
    rank = len(x._shape)
    if axis is not None:
        axis = axis_of(axis, rank or 1)
    if 0 in (x._shape if axis is None else x._shape[axis : axis + 1]):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    if axis is None or not rank:
        found = result(kernel(name, [x], (), x._code, (-1,), result=INT64), INT64)
    else:
        code = pack(OPCODES[name], x._code, INT64)
        found = along(x, code, (axis,), False, INT64)
    if keepdims:
        added = tuple(range(rank)) if axis is None else axis
        found = view(found, np.expand_dims(header(found), added if rank else ()))
    return found if out is None else _write_places(name, found, out)


def _write_places(name: str, found: Handle, out: Any) -> Any:
    target = output_of(out)
    if target is None or target._shape != found._shape:
        raise ValueError(f"output array does not match result of np.{name}.")
    if not np.can_cast(target.dtype, np.int64, "safe"):
        raise TypeError(
            f"Cannot cast array data from {target.dtype!r} to dtype('int64') "
            "according to the rule 'safe'"
        )
    write(target, found)
    return target


METHODS = {
    "sum": sum,
    "prod": prod,
    "max": max,
    "min": min,
    "any": any,
    "all": all,
    "argmax": argmax,
    "argmin": argmin,
}
