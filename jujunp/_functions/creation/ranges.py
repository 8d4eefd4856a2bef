"""Evenly spaced numbers, and grids of them."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import (
    BOOL,
    DTYPES,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
    code_of,
    is_complex,
    is_integer,
)

from ..._array.arguments import check_device, code_for, shape_of
from ..._array.array_likes import as_handle, check_like
from ..._array.handle import NUMBERS, Handle, header, is_number, ndarray
from ..._array.indexing import setitem
from ..._array.making import convert, filled, new_array, view
from ..._array.steps import kernel
from ..._calls.traits import at_once, uniform
from ..._ufuncs.arguments import NO_VALUE
from ..._ufuncs.ufunc import UFUNCS
from .arrays import array, asarray, empty

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.values.types import Shape

__all__ = [
    "arange",
    "fromfunction",
    "geomspace",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
]

_LONGEST = float(1 << 62)


def iota(count: int, code: int = INT64) -> Any:
    """Return 0, 1, .. count - 1 in a dtype other than bool."""
    if is_complex(code):
        return convert(iota(count, FLOAT64), code)
    return new_array(kernel("iota", (), (count,), code, (0,)), (count,), code)


def along(x: Any, axis: int, ndim: int) -> Any:
    """Return a one-dimensional array as a view that varies along one axis of `ndim`."""
    key: list[Any] = [None] * ndim
    key[axis] = slice(None)
    return view(x, header(x)[tuple(key)])


# -- arange


@at_once("a range")
@uniform
def arange(
    start_or_stop: Any = NO_VALUE,
    /,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    start: Any = NO_VALUE,
    device: Any = None,
    like: Any = None,
) -> ndarray:
    """Return the numbers from start (0 if one number is given) to stop, which is excluded.

    They are `start + i * delta` in the dtype, where `delta` is the difference of the first two,
    each converted to the dtype first.
    """
    check_like(like)
    room()
    check_device(device)
    plain = type(start_or_stop) is type(step) is int and stop is dtype is None
    if plain and step == 1 and start_or_stop > 1:  # the usual call
        return iota(_length(start_or_stop))  # type: ignore[no-any-return]
    if start is NO_VALUE:
        start, stop = (0, start_or_stop) if stop is None else (start_or_stop, stop)
        start = 0 if start is NO_VALUE else start
    elif start_or_stop is not NO_VALUE:
        message = "argument for arange() given by name ('start') and position (position 0)"
        raise TypeError(message)
    if stop is None or stop is NO_VALUE:
        raise TypeError("arange() requires stop to be specified.")
    start, stop, step = (_host_number(x) for x in (start, stop, 1 if step is None else step))
    code = _range_code(start, stop, step) if dtype is None else code_for(dtype, INT64)
    count, second = _count(start, stop, step, is_complex(code))
    if code == BOOL:
        return asarray(np.arange(start, stop, step, dtype=bool))
    if count < 2:
        return filled((count,), _as_element(start, code) if count else 0, code)
    return _ramp(count, _as_element(start, code), _as_element(second, code), code)


def _host_number(x: Any) -> Any:
    """Return an end or step as a number: Python's, or NumPy's of its dtype (computes a handle)."""
    if isinstance(x, (Handle, np.ndarray)):
        if x.size != 1:
            raise ValueError("The truth value of an array with other than one element is ambiguous")
        return np.asarray(x).reshape(())[()]
    return x


def _range_code(*numbers: Any) -> int:
    """Return the dtype code of a range: int64 promoted with the dtype of each number."""
    codes = [code_of(np.asarray(x).dtype) for x in numbers]  # dates are NumPy's
    return code_of(np.result_type(np.int64, *(DTYPES[code] for code in codes)))


def _count(start: Any, stop: Any, step: Any, of_complex: bool) -> tuple[int, Any]:
    """Return the number of elements of a range, and the second of them.

    ZeroDivisionError for a step of zero, ValueError when there are too many, TypeError for complex
    Python numbers in a range of real ones.
    """
    with np.errstate(all="ignore"):
        span = stop - start
        quotient = span / step
        second = start + step
    if type(quotient) is complex and not of_complex:
        raise TypeError("must be real number, not complex")
    # as NumPy: what the lesser part gives; of its own complex64 scalars it takes the real part
    if isinstance(quotient, complex):
        return min(_length(part) for part in (quotient.real, quotient.imag)), second
    quotient = float(quotient)
    if quotient == 0 and span != 0:  # it was too small for a float
        return int(math.copysign(1, quotient) > 0), second
    return _length(quotient), second


def _length(quotient: float) -> int:
    """Return how many elements a range has, given how often the step fits into it."""
    if math.isnan(quotient):
        raise ValueError("arange: cannot compute length")
    if abs(quotient) > _LONGEST:
        raise ValueError("Maximum allowed size exceeded")
    return max(math.ceil(quotient), 0)


def _as_element(number: Any, code: int) -> Any:
    """Return a number as an array of the dtype would hold it; OverflowError if it does not fit."""
    place = np.empty((), DTYPES[code])
    place[()] = number
    return place.item()


def _ramp(count: int, first: Any, second: Any, code: int) -> ndarray:
    """Return `first + i * (second - first)` in a dtype; the first two elements are as given."""
    if code == FLOAT16:  # as NumPy: only the sum is rounded to it
        return convert(_ramp(count, first, second, FLOAT32), code)  # type: ignore[no-any-return]
    delta = _wrapped(second - first, code)
    found = iota(count, code)
    if delta != 1:
        found = found * delta
    if first != 0:
        found = found + first
    if not is_integer(code):
        _settle(found, first, second, delta)
    return found  # type: ignore[no-any-return]


def _wrapped(delta: Any, code: int) -> Any:
    """Return the difference of two elements as the dtype's own subtraction gives it."""
    if not is_integer(code):
        return DTYPES[code].type(delta).item()
    bits = 8 * DTYPES[code].itemsize
    delta %= 1 << bits
    return delta - (1 << bits) if DTYPES[code].kind == "i" and delta >> (bits - 1) else delta


def _settle(x: Any, first: complex, second: complex, delta: complex) -> None:
    """Write the first two elements of a float ramp where the formula misses them."""
    kind = x.dtype.type
    if not np.isfinite(delta) or (first == 0 and np.any(np.signbit([first.real, first.imag]))):
        setitem(x, 0, first)
    if kind(kind(first) + kind(delta)) != kind(second):
        setitem(x, 1, second)


# -- linspace and its relatives


@at_once("spaced numbers")
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Return `num` numbers evenly spaced from start to stop, along a new axis for arrays.

    The last number is `stop` itself, unless `endpoint` is false. With `retstep` the spacing is
    returned too. An integer dtype rounds down. ValueError for a negative `num`.
    """
    room()
    check_device(device)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    work = code_of(np.result_type(_weak(start), _weak(stop), 0.0))
    code = code_for(dtype, work)
    if type(start) in NUMBERS and type(stop) in NUMBERS:
        _check_ends(stop, start, DTYPES[work])
    number: Any = complex if is_complex(work) else float
    start, stop = (number(x) if is_number(x) else as_handle(x, work) for x in (start, stop))
    found, step = _spaced(start, stop, num, num - 1 if endpoint else num, work)
    if endpoint and num > 1:
        found[-1, ...] = stop
    if axis != 0:
        found = view(found, np.moveaxis(header(found), 0, axis))
    if is_integer(code):
        found = UFUNCS["floor"](found)
    found = asarray(found, DTYPES[code])
    if not retstep:
        return found
    return found, step if step is math.nan else as_handle(step)


def _check_ends(stop: Any, start: Any, dtype: np.dtype[Any]) -> None:
    """Raise NumPy's error for an end that is an integer of which it makes an object."""
    for place, end in enumerate((stop, start)):
        if type(end) is int and not -(1 << 63) <= end < 1 << 64:
            raise np._core._exceptions._UFuncInputCastingError(  # type: ignore[attr-defined]
                np.subtract, "same_kind", np.dtype(object), dtype, place
            )


def _weak(x: Any) -> Any:
    """Return what a number or array_like is to promotion: a Python number, or a dtype."""
    return x if is_number(x) else DTYPES[as_handle(x)._code]


def _spaced(start: Any, stop: Any, num: int, parts: int, code: int) -> tuple[Any, Any]:
    """Return `num` numbers from start on, `(stop - start) / parts` apart, and this step."""
    delta = stop - start
    count = iota(num, code)
    if isinstance(delta, Handle) and delta._shape:
        count = view(count, header(count).reshape((num, *(1,) * len(delta._shape))))
    if parts <= 0:
        return count * delta + start, math.nan
    step = delta / parts
    if _has_zero(step):  # a tiny difference: divide the indices instead
        return count / parts * delta + start, step
    return count * step + start, step


def _has_zero(x: Any) -> bool:
    """Return whether a number is zero, or any element, which computes them."""
    found: Any = x == 0
    return bool(found.any() if isinstance(x, Handle) else found)


def logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> ndarray:
    """Return `base` to the power of the numbers that `linspace` returns."""
    if not is_number(base):
        start, stop, base = (as_handle(x) for x in (start, stop, base))
        if base._shape:
            rank = max(len(x._shape) for x in (start, stop, base))
            start, stop, base = (array(x, copy=None, ndmin=rank) for x in (start, stop, base))
            base = view(base, np.expand_dims(header(base), axis))
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    found = UFUNCS["power"](base, exponents)
    return asarray(found, dtype)


def geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> ndarray:
    """Return `num` numbers from start to stop whose successive ratios are equal.

    ValueError when start or stop holds a zero, which computes them.
    """
    first: Any = as_handle(start)
    last: Any = as_handle(stop)
    if bool(((first == 0) | (last == 0)).any()):
        raise ValueError("Geometric sequence cannot include zero")
    work = np.result_type(DTYPES[first._code], DTYPES[last._code], 0.0, np.dtype(dtype))
    sign = UFUNCS["sign"](as_handle(first, code_of(work)))
    ends = [UFUNCS["divide"](x, sign) for x in (first, last)]
    logs = [UFUNCS["log10"](x) for x in ends]
    found: Any = logspace(logs[0], logs[1], num, endpoint, dtype=work)
    if len(found):
        found[0] = ends[0]
        if endpoint and len(found) > 1:
            found[-1] = ends[1]
    found = asarray(found * sign, dtype)
    return view(found, np.moveaxis(header(found), 0, axis)) if axis else found


# -- grids


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """Return for each axis of a shape an array of the indices along it, stacked.

    With `sparse` they are not stacked nor spread: a tuple of arrays that broadcast.
    """
    room()
    shape = shape_of(tuple(dimensions))
    code = code_for(dtype, INT64 if sparse else FLOAT64)  # what NumPy makes of None
    ramps = (arange(extent, dtype=DTYPES[code]) for extent in shape)
    open_grid = [along(ramp, axis, len(shape)) for axis, ramp in enumerate(ramps)]
    if sparse:
        return tuple(open_grid)
    if not shape:
        return empty((0,), DTYPES[code])
    layouts = [np.broadcast_to(header(x), shape)[None] for x in open_grid]
    whole = (len(shape), *shape)
    value = kernel("concatenate", open_grid, whole, code, (0,), layouts=layouts)
    return new_array(value, whole, code)


def fromfunction(
    function: Callable[..., Any], shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    """Return what a function gives for the arrays of indices along each axis of a shape."""
    check_like(like)
    return function(*package().indices(shape, dtype), **kwargs)  # which learns


@uniform
def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Any, ...]:
    """Return the coordinates of a grid: each one-dimensional array spread over all other axes.

    With `indexing="xy"` the first two axes are swapped. With `sparse` the arrays are not spread.
    Without `copy` they are views, read-only where they are spread.
    """
    room()
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    axes = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        axes[:2] = 1, 0
    parts = [along(_flat(x), axis, ndim) for x, axis in zip(xi, axes, strict=True)]
    if not sparse:
        shape = np.broadcast_shapes(*(part._shape for part in parts))
        parts = [_spread(part, shape) for part in parts]
    return tuple(part.copy() for part in parts) if copy else tuple(parts)


def _flat(x: Any) -> Any:
    return asarray(x).ravel()


def _spread(x: Any, shape: Shape) -> Any:
    if x._shape == shape:
        return x
    found = view(x, np.broadcast_to(header(x), shape))
    found._readonly = True
    return found
