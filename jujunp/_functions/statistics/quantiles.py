"""Quantiles and percentiles, by any of NumPy's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import DTYPES, is_complex

from ..._array.arguments import reduced_axes
from ..._array.array_likes import as_array, as_handle
from ..._array.elementwise import pick
from ..._array.handle import Handle, header, to_numpy
from ..._array.making import reshape, view, write
from ..._array.outputs import check_written
from ..._ufuncs.ufunc import UFUNCS
from ..host import on_host
from ..searching.sorting import partitioned
from .averages import last_of, placed

if TYPE_CHECKING:
    from collections.abc import Callable

    Places = np.ndarray
    """Places in a sorted axis, one for each quantile: float64, or integers for elements."""

__all__ = [
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]


class Between(NamedTuple):
    """Quantiles between two elements: the lower one's place, and how far to go to the next."""

    lower: Places
    upper: Places
    share: Places


def _fraction(alpha: float, beta: float) -> Callable[[int, Places], Places]:
    """Return a rule of Hyndman and Fan's: where a quantile lies among n elements."""

    def place(n: int, q: Places) -> Places:
        return n * q + (alpha + q * (1 - alpha - beta)) - 1

    return place


def _stepwise(shift: float, even: bool) -> Callable[[int, Places], Places]:
    """Return a rule that takes one element: that below the place if it is hit, else that above.

    With `even`, a place that is hit counts only if its number is odd, counted from zero.
    """

    def place(n: int, q: Places) -> Places:
        at = n * q - 1 - shift
        below = np.floor(at)
        hit = (at == below) & ((below % 2 == 1) if even else True)
        return np.maximum(np.where(hit, below, below + 1), 0).astype(np.intp)

    return place


_PLACES: dict[str, Callable[[int, Places], Places]] = {
    "inverted_cdf": _stepwise(0, even=False),
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": _stepwise(0.5, even=True),
    "interpolated_inverted_cdf": _fraction(0, 1),
    "hazen": _fraction(0.5, 0.5),
    "weibull": _fraction(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _fraction(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _fraction(3 / 8.0, 3 / 8.0),
    "lower": lambda n, q: np.floor((n - 1) * q).astype(np.intp),
    "higher": lambda n, q: np.ceil((n - 1) * q).astype(np.intp),
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "nearest": lambda n, q: np.around((n - 1) * q).astype(np.intp),
}
"""Where the quantiles lie in the sorted elements, by method: integers where they are elements."""

_ELEMENTS = frozenset(
    ("inverted_cdf", "closest_observation", "lower", "higher", "nearest", "linear")
)
"""Methods whose integer places are elements, which need no interpolation."""


def _between(method: str, at: Places, count: int) -> Between:
    lower = np.floor(at)
    upper = lower + 1
    share = at - lower
    above, below = at >= count - 1, at < 0
    lower = np.where(above, count - 1, np.where(below, 0, lower))
    upper = np.where(above, count - 1, np.where(below, 0, upper))
    share = np.where(above, at + 1, np.where(below, at, share))
    if method == "averaged_inverted_cdf":
        share = np.where(share == 0, 0.5, 1.0)
    elif method == "midpoint":
        share = np.where(at % 1 == 0, 0.0, 0.5)
    return Between(lower.astype(np.intp), upper.astype(np.intp), share.astype(at.dtype))


def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Return quantiles over axes; nan where there is a nan. The array is partitioned for them.

    Args:
        a: array_like.
        q: Quantiles from 0 to 1: a number, or an array whose axes come first in the result.
        axis: An int, a tuple of ints, or None for all axes.
        out: Array to write to.
        overwrite_input: Has no effect.
        method: One of NumPy's methods.
        keepdims: Whether reduced axes stay, with length one.
        weights: Weights of the elements; then NumPy computes.
    """
    return _quantile(
        a, q, 1, "Quantiles must be in the range [0, 1]", axis, out, method, keepdims, weights
    )


def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Return percentiles over axes: quantiles from 0 to 100, as `quantile` does."""
    return _quantile(
        a, q, 100, "Percentiles must be in the range [0, 100]", axis, out, method, keepdims, weights
    )


def nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Return quantiles over axes of the elements that are not nan, as `quantile`; NumPy computes.

    nan where there is no element, and a RuntimeWarning.
    """
    return _by_numpy("nanquantile", a, q, axis, out, method, keepdims, weights)


def nanpercentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Return percentiles over axes of the elements that are not nan, as `nanquantile`."""
    return _by_numpy("nanpercentile", a, q, axis, out, method, keepdims, weights)


def _by_numpy(
    name: str, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any
) -> Any:
    more = {"axis": axis, "out": out, "method": method, "keepdims": keepdims, "weights": weights}
    return on_host(name, getattr(np, name), (a, q), more)


def _quantile(
    a: Any,
    q: Any,
    scale: int,
    message: str,
    axis: Any,
    out: Any,
    method: str,
    keepdims: bool,
    weights: Any,
) -> Any:
    room()
    if weights is not None:
        name = "quantile" if scale == 1 else "percentile"
        return _by_numpy(name, a, q, axis, out, method, keepdims, weights)
    asked = to_numpy(q) if isinstance(q, Handle) else np.asarray(q)
    asked = asked if scale == 1 else np.true_divide(asked, scale)
    if not np.all((asked >= 0) & (asked <= 1)):
        raise ValueError(message)
    if asked.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if method not in _PLACES:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {_PLACES.keys()}")
    x: Any = as_handle(a)
    if is_complex(x._code):
        raise TypeError("a must be an array of real numbers")
    axes = reduced_axes(axis, len(x._shape))
    found = _along_last(last_of(x, axes), asked, method, type(q) in (int, float))
    ndim = asked.ndim
    shifted = tuple(axis + ndim for axis in axes)
    found = placed(found, (*asked.shape, *x._shape), shifted, None, keepdims)
    return found if out is None else _spread_to(out, found)


def _spread_to(out: Any, found: Any) -> Any:
    """Write quantiles to an array that they broadcast to; ValueError for others."""
    check_written(out)
    found = as_array(found)
    write(out, view(found, np.broadcast_to(header(found), out._shape)))
    return out


def _along_last(x: Any, q: Places, method: str, weak: bool) -> Any:
    """Return quantiles of the last axis: the axes of `q`, then the others."""
    count = x._shape[-1]
    if not count:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    at = np.asanyarray(_PLACES[method](count, q))
    if at.dtype.kind == "i" and method in _ELEMENTS:
        front = _with_places(x, at)
        return _nan_like(front[at], front)
    at = at if at.dtype.kind == "f" else at.astype(np.float64)
    between = _between(method, at, count)
    front = _with_places(x, between.lower, between.upper)
    return _nan_like(_interpolated(front, between, q.ndim, weak), front)


def _with_places(x: Any, *places: Places) -> Any:
    """Return the last axis first, with its sorted elements at these places and in the end."""
    wanted = {place % x._shape[-1] for part in places for place in part.ravel().tolist()}
    ordered = partitioned(x, len(x._shape) - 1, {-1 % x._shape[-1], *wanted})
    return view(ordered, np.moveaxis(header(ordered), -1, 0))


def _interpolated(front: Any, between: Between, ndim: int, weak: bool) -> Any:
    """Return values between two elements each, from the nearer of them on."""
    lower, upper = front[between.lower], front[between.upper]
    width = UFUNCS["subtract"](upper, lower)
    if weak:
        share: Any = float(between.share)
        near: Any = share >= 0.5
    else:
        shape = (*between.share.shape, *(1,) * (len(front._shape) - 1))
        share = reshape(as_array(between.share), shape)
        near = UFUNCS["greater_equal"](share, 0.5)
    from_lower: Any = UFUNCS["add"](lower, UFUNCS["multiply"](width, share))
    from_upper: Any = UFUNCS["subtract"](upper, UFUNCS["multiply"](width, 1 - share))
    if weak:
        return from_upper if near else from_lower
    return pick(near, from_upper, from_lower)


def _nan_like(found: Any, front: Any) -> Any:
    """Return quantiles, or nan where the sorted elements end in nan."""
    if DTYPES[front._code].kind == "f":
        last = front[-1]
        found = pick(UFUNCS["isnan"](last), last, found)
    return found if found._shape else found[()]
