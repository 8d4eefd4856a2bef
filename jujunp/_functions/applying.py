"""Applying Python functions to parts of arrays: along axes, over axes, where conditions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import package

from .._array.arguments import axis_of
from .._array.array_likes import as_array
from .._array.handle import NATIVE, Array, Handle, header, is_derived, ndarray
from .._array.making import reshape, view
from .._ufuncs.ufunc import UFUNCS
from .creation.arrays import asarray, zeros_like
from .dtypes import isscalar
from .host import on_host
from .manipulation.shapes import expand_dims

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "piecewise",
    "vectorize",
]


class vectorize(np.vectorize):
    """A Python function for each element, as NumPy calls it; results are arrays of ours.

    They are of the class of an operand, if that is derived from our array.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = on_host("vectorize", super().__call__, args, kwargs)
        derived = [x for x in (*args, *kwargs.values()) if is_derived(x)]
        if not derived:
            return found
        wrap = max(derived, key=lambda x: x.__array_priority__).__array_wrap__
        return tuple(map(wrap, found)) if isinstance(found, tuple) else wrap(found)


def _plain(x: Any) -> ndarray:
    """Return an array_like as an array, one of a derived class as a plain one over its memory."""
    return view(x, header(x)) if is_derived(x) else as_array(x)


def apply_along_axis(
    func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """Return what a function gives for the lines of an array along an axis.

    The axes of its results, which have one shape and get the dtype of the first, stand where the
    axis was. ValueError when there is no line. Lines are of the array's class, and what is made
    of results of that of the first.
    """
    answer = vars(Handle)["__array_function__"]
    own = is_derived(arr) and type(arr).__array_function__ is answer
    x: Any = arr if own else as_array(arr)
    at = axis_of(axis, len(x._shape))
    order = [*(k for k in range(len(x._shape)) if k != at), at]
    lines = x.transpose(order)
    places = list(np.ndindex(lines._shape[:-1]))
    if not places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = [func1d(lines[place], *args, **kwargs) for place in places]
    results: list[Any] = [x if type(x) in NATIVE else _plain(x) for x in made]
    first = results[0]
    code = first._code
    found = package().stack([x if x._code == code else x.astype(first.dtype) for x in results])
    found = reshape(found, (*lines._shape[:-1], *first._shape))
    source = range(len(lines._shape) - 1, len(found._shape))
    seen = np.moveaxis(header(found), tuple(source), tuple(range(at, at + len(source))))
    found = view(found, seen)
    return made[0].__array_wrap__(found) if is_derived(made[0]) else found


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """Return what is left when a function of an array and an axis is applied for several axes.

    Axes that it takes away come back with length one; ValueError when it takes more than one.
    """
    value: Any = as_array(a)
    ndim = len(value._shape)
    for axis in np.atleast_1d(axes).tolist():
        axis = axis + ndim if axis < 0 else axis
        found = func(value, axis)
        if found.ndim != ndim:
            found = expand_dims(found, axis)
        if found.ndim != ndim:
            raise ValueError("function is not returning an array of the correct shape")
        value = found
    return value


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> ndarray:
    """Return, for each element, what the last of some functions whose condition holds gives.

    Args:
        x: array_like; the result has its shape and dtype.
        condlist: Conditions of the shape of `x`; how many elements meet them is computed.
        funclist: As many functions of an array of elements, or numbers; a further one is for
            elements that meet no condition, which else become zero. ValueError for another length.
        *args: Further arguments of the functions.
        **kw: Further keyword arguments of the functions.
    """
    room()
    given = as_array(x)
    masks = _masks(condlist, len(given._shape))
    conditions = [*masks]
    if len(funclist) == len(conditions) + 1:
        conditions.append(UFUNCS["logical_not"](masks.any(0)))
    if len(funclist) != len(conditions):
        count = len(conditions)
        raise ValueError(
            f"with {count} condition(s), either {count} or {count + 1} functions are expected"
        )
    found: Any = zeros_like(given)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            found[condition] = function
            continue
        chosen = given[condition]
        if chosen.size:
            found[condition] = function(chosen, *args, **kw)
    return found  # type: ignore[no-any-return]


def _masks(condlist: Any, ndim: int) -> Any:
    """Return conditions as a bool array; one that stands alone is a list of one."""
    single = isscalar(condlist) or (
        ndim > 0 and not isinstance(condlist[0], (list, Array, np.ndarray))
    )
    return asarray([condlist] if single else condlist, np.bool)
