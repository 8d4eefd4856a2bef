"""pad: an array with a border of constants, or of its own elements; trim_zeros takes one off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import is_integer

from .._array.arguments import axes_of
from .._array.array_likes import as_array, concatenated
from .._array.handle import Handle, header, is_number, ndarray
from .._array.making import as_code, convert, view
from .._array.promotion import as_number
from .._array.steps import array_result, kernel
from .._ufuncs.ufunc import UFUNCS
from .creation.arrays import asarray
from .creation.ranges import linspace
from .indexing.selection import argwhere
from .reductions import folds
from .statistics import averages

if TYPE_CHECKING:
    from collections.abc import Callable

    Width = tuple[int, int]

__all__ = [
    "pad",
    "trim_zeros",
]

_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": folds.max,
    "minimum": folds.min,
    "mean": averages.mean,
    "median": averages.median,
}
_OPTIONS = {
    "constant": "constant_values",
    "edge": "",
    "empty": "",
    "linear_ramp": "end_values",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    "wrap": "",
    **dict.fromkeys(_STATISTICS, "stat_length"),
}
"""The keyword argument that each mode takes."""


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Return an array with a border.

    Args:
        array: array_like.
        pad_width: How many elements are put before and behind along each axis: an int, a pair, a
            pair for each axis, or a dict of these by axis.
        mode: "constant" (of `constant_values`, 0), "edge", "reflect" or "symmetric" (with
            `reflect_type` "even" or "odd"), "wrap", "linear_ramp" (to `end_values`), "maximum",
            "minimum", "mean" or "median" (of `stat_length` elements), or "empty" (zeros); or a
            function that writes the border of a line, given the line, the two widths, the axis and
            `kwargs`.
        kwargs: The mode's argument.

    ValueError for unknown modes and arguments, negative widths, and empty axes that cannot be
    extended; TypeError for widths that are not integers. An array in Fortran order gives one.
    """
    room()
    x = as_array(array)
    widths = _widths(pad_width, len(x._shape))
    if callable(mode):
        found = _by_function(_constant(x, widths, 0), widths, mode, kwargs)
    else:
        found = _padded(x, widths, mode, _checked_option(mode, kwargs))
    return found.copy(order="F") if header(x).flags.fnc else found


def _by_function(found: Any, widths: list[Width], mode: Callable[..., Any], kwargs: Any) -> Any:
    """Let a function write the border of an array: of each line along each axis."""
    for axis, width in enumerate(widths):
        lines = view(found, np.moveaxis(header(found), axis, -1))
        for place in np.ndindex(lines._shape[:-1]):
            mode(lines[place], width, axis, kwargs)
    return found


def _padded(x: ndarray, widths: list[Width], mode: str, option: Any) -> Any:
    if mode in ("maximum", "minimum") and 0 in np.ravel(_pairs(option, len(x._shape))):
        raise ValueError("stat_length of 0 yields no value for padding")
    if mode in ("constant", "empty"):
        return _constant(x, widths, 0 if option is None else option)
    for axis, (extent, width) in enumerate(zip(x._shape, widths, strict=True)):
        if not extent and any(width):
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            )
    if not math.prod(x._shape):
        return _constant(x, widths, 0)
    found = x
    for axis, width in enumerate(widths):
        if any(width):
            found = _extended(found, axis, width, mode, option)
    return found.copy() if found is x else found


def _widths(pad_width: Any, ndim: int) -> list[Width]:
    """Return how many elements are put before and behind along each axis."""
    if isinstance(pad_width, dict):
        given: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            given[axis] = (width, width) if isinstance(width, int) else width
        pad_width = given
    host = np.asarray(pad_width)
    if host.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return [(int(low), int(high)) for low, high in _pairs(host, ndim, lengths=True)]


def _pairs(x: Any, ndim: int, *, lengths: bool = False) -> Any:
    """Return a pair for each axis from one number, a pair, or a pair for each axis."""
    if x is None:
        return [(None, None)] * ndim
    host = np.asarray(x)
    if lengths and host.size and host.min() < 0:
        raise ValueError("index can't contain negative values")
    return np.broadcast_to(host, (ndim, 2)).tolist()


def _checked_option(mode: str, kwargs: dict[str, Any]) -> Any:
    """Return the argument of a mode, None if it was not given."""
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unsupported = set(kwargs) - {_OPTIONS[mode]}
    if unsupported:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unsupported}")
    return kwargs.get(_OPTIONS[mode])


# -- constants


def _constant(x: ndarray, widths: list[Width], values: Any) -> Any:
    """Return an array with a border of constants, of one number in one step."""
    if not is_number(values):
        return _constants(x, widths, values)
    number = as_number(np.asarray(values).astype(x.dtype)[()], x._code)
    shape = tuple(extent + low + high for extent, (low, high) in zip(x._shape, widths, strict=True))
    params = [n for low, high in widths for n in (low, high, 0)]
    return array_result(kernel("pad", (x, number), shape, x._code, params), x._code)


def _constants(x: Any, widths: list[Width], values: Any) -> Any:
    """Return an array with borders of different constants."""
    numbers = asarray(values, x.dtype)
    pairs = view(numbers, np.broadcast_to(header(numbers), (len(widths), 2)))
    found = x
    for axis, width in enumerate(widths):
        ends = [_slab(pairs[axis, side], found, axis, n) for side, n in enumerate(width)]
        found = concatenated([ends[0], found, ends[1]], axis, x._code)
    return found.copy() if found is x else found


def _slab(number: Handle, x: Handle, axis: int, count: int) -> ndarray:
    """Return a number spread over `count` places along an axis of an array."""
    shape = (*x._shape[:axis], count, *x._shape[axis + 1 :])
    return view(number, np.broadcast_to(header(number), shape))


# -- an array's own elements


def _extended(x: Any, axis: int, width: Width, mode: str, option: Any) -> Any:
    """Return an array with a border along one axis."""
    if mode == "edge" or (mode in ("reflect", "symmetric") and x._shape[axis] == 1):
        edges = (_part(x, axis, 0, 1), _part(x, axis, -1, None))
        return _joined(x, axis, [_repeated(e, axis, n) for e, n in zip(edges, width, strict=True)])
    if mode == "linear_ramp":
        return _joined(x, axis, _ramps(x, axis, width, option))
    if mode in _STATISTICS:
        return _joined(x, axis, _statistics(x, axis, width, mode, option))
    return _mirrored(x, axis, width, mode, option == "odd")


def _part(x: Handle, axis: int, start: int | None, stop: int | None) -> Any:
    """Return a view of a range along an axis."""
    return view(x, header(x)[(slice(None),) * axis + (slice(start, stop),)])


def _repeated(x: Handle, axis: int, count: int) -> ndarray:
    """Return a view in which an axis of length one has another length."""
    return view(x, np.broadcast_to(header(x), (*x._shape[:axis], count, *x._shape[axis + 1 :])))


def _joined(x: Handle, axis: int, ends: Any) -> Any:
    return concatenated([ends[0], x, ends[1]], axis, x._code)


def _mirrored(x: Any, axis: int, width: Width, mode: str, odd: bool) -> Any:
    """Return an array continued by its own elements: at most doubled in each round."""
    low, high = width
    ends = _wrapped_ends if mode == "wrap" else _reflected_ends
    edge = int(mode == "reflect")  # whether the outermost element is not repeated
    period = x._shape[axis] - edge
    found = x
    while low or high:
        extent = found._shape[axis]
        reach = (extent - edge) // period * period
        now = min(low, reach), min(high, reach)
        before, behind = ends(found, axis, now, edge, reach)
        if odd and mode != "wrap":
            before = as_code(_part(found, axis, 0, 1) * 2 - before, x._code)
            behind = as_code(_part(found, axis, -1, None) * 2 - behind, x._code)
        found = _joined(found, axis, (before, behind))
        low, high = low - now[0], high - now[1]
    return found


def _reflected_ends(x: Handle, axis: int, width: Width, edge: int, reach: int) -> tuple[Any, Any]:
    extent = x._shape[axis]
    before = _part(x, axis, edge, edge + width[0])
    behind = _part(x, axis, extent - edge - width[1], extent - edge)
    return tuple(view(part, np.flip(header(part), axis)) for part in (before, behind))  # type: ignore[return-value]


def _wrapped_ends(x: Handle, axis: int, width: Width, edge: int, reach: int) -> tuple[Any, Any]:
    start = x._shape[axis] - reach
    return _part(x, axis, reach - width[0], reach), _part(x, axis, start, start + width[1])


def _ramps(x: Any, axis: int, width: Width, values: Any) -> list[Any]:
    """Return ramps from the edges of an array down, or up, to the end values."""
    ends = _pairs(0 if values is None else values, len(x._shape))[axis]
    edges = (_part(x, axis, 0, 1), _part(x, axis, -1, None))
    ramps = [
        linspace(end, edge.squeeze(axis), count, False, dtype=x.dtype, axis=axis)
        for end, edge, count in zip(ends, edges, width, strict=True)
    ]
    return [ramps[0], view(ramps[1], np.flip(header(ramps[1]), axis))]


def _statistics(x: Any, axis: int, width: Width, mode: str, lengths: Any) -> list[Any]:
    """Return a statistic of some elements from either end, spread over the border."""
    extent = x._shape[axis]
    counts = [
        extent if n is None or n > extent else int(n)
        for n in _pairs(lengths, len(x._shape), lengths=True)[axis]
    ]
    chunks = (_part(x, axis, 0, counts[0]), _part(x, axis, extent - counts[1], None))
    return [
        _repeated(_statistic(chunk, axis, mode, x._code), axis, count)
        for chunk, count in zip(chunks, width, strict=True)
    ]


def _statistic(x: Any, axis: int, mode: str, code: int) -> Any:
    """Return a statistic along an axis that stays; for integers it is rounded."""
    found = _STATISTICS[mode](x, axis=axis, keepdims=True)
    if found._code == code:
        return found
    return convert(UFUNCS["rint"](found) if is_integer(code) else found, code)


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """Return a view without the zeros at the front and back of an array; computes where they are.

    `trim` names the ends with "f" and "b". Of a sequence of numbers a part is returned. In more
    dimensions whole slices of zeros are left out.
    """
    room()
    x: Any = as_array(filt)
    ends = trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(len(x._shape)) if axis is None else axes_of(axis, len(x._shape))
    if not axes:
        return x
    places: Any = argwhere(x)
    if not places._shape[0]:
        bounds = [(0, 0)] * len(x._shape)
    else:
        first = places.min(0).tolist() if "f" in ends else [0] * len(x._shape)
        last = places.max(0).tolist() if "b" in ends else [extent - 1 for extent in x._shape]
        bounds = [(low, high + 1) for low, high in zip(first, last, strict=True)]
    key = tuple(slice(*bounds[at]) if at in axes else slice(None) for at in range(len(x._shape)))
    if isinstance(filt, (list, tuple)):
        part: Any = key[0] if len(key) == 1 else key  # which sequences refuse
        return filt[part]
    return view(x, header(x)[key])
