"""Quantiles and percentiles, by any of NumPy's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import CODES, DTYPES, is_complex

from ..._array.arguments import reduced_axes
from ..._array.array_likes import as_array, as_handle
from ..._array.elementwise import pick
from ..._array.handle import Handle, header, to_numpy
from ..._array.making import as_code, reshape, view, write
from ..._array.outputs import check_casting, check_written
from ..._ufuncs.ufunc import UFUNCS
from ..host import on_host
from ..indexing.taking import check_taken
from ..reductions.folds import count_nonzero
from ..searching.sorting import along_order, partitioned, sorted_along
from .averages import last_of, placed
from .nan_aware import ALL_NAN, nanmean, nans_of, warn_where

if TYPE_CHECKING:
    from collections.abc import Callable

    Places = Any
    """Places in a sorted axis, one for each quantile: float64, or integers for elements.

    They are NumPy's where they are those of all lines, else ours.
    """

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


def _fraction(alpha: float, beta: float) -> Callable[[Any, Places], Places]:
    """Return a rule of Hyndman and Fan's: where a quantile lies among n elements."""

    def place(n: Any, q: Places) -> Places:
        return n * q + (alpha + q * (1 - alpha - beta)) - 1

    return place


def _stepwise(shift: float, even: bool) -> Callable[[Any, Places], Places]:
    """Return a rule that takes one element: that below the place if it is hit, else that above.

    With `even`, a place that is hit counts only if its number is odd, counted from zero.
    """

    def place(n: Any, q: Places) -> Places:
        at = n * q - 1 - shift
        below = np.floor(at)
        hit = (at == below) & ((below % 2 == 1) if even else True)
        return np.maximum(np.where(hit, below, below + 1), 0).astype(np.intp)

    return place


_PLACES: dict[str, Callable[[Any, Places], Places]] = {
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


def _between(method: str, at: Places, count: Any) -> Between:
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
    return _quantile(_QUANTILE, a, q, axis, out, method, keepdims, weights)


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
    return _quantile(_PERCENTILE, a, q, axis, out, method, keepdims, weights)


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
    """Return quantiles over axes of the elements that are not nan, as `quantile`.

    nan where there is no element, and a RuntimeWarning: their number is computed at once.
    """
    return _quantile(_NAN_QUANTILE, a, q, axis, out, method, keepdims, weights)


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
    return _quantile(_NAN_PERCENTILE, a, q, axis, out, method, keepdims, weights)


class _Function(NamedTuple):
    """One of the four: its name, what `q` is divided by, whether it leaves nan out."""

    name: str
    scale: int
    leaves_nan: bool

    @property
    def error(self) -> str:
        """What is wrong with a `q` that is out of bounds."""
        noun = "Quantiles" if self.scale == 1 else "Percentiles"
        return f"{noun} must be in the range [0, {self.scale}]"


_QUANTILE = _Function("quantile", 1, leaves_nan=False)
_PERCENTILE = _Function("percentile", 100, leaves_nan=False)
_NAN_QUANTILE = _Function("nanquantile", 1, leaves_nan=True)
_NAN_PERCENTILE = _Function("nanpercentile", 100, leaves_nan=True)


def _quantile(
    function: _Function,
    a: Any,
    q: Any,
    axis: Any,
    out: Any,
    method: str,
    keepdims: bool,
    weights: Any,
) -> Any:
    room()
    if weights is not None:
        more = {"axis": axis, "out": out, "method": method, "keepdims": keepdims}
        theirs = getattr(np, function.name)
        return on_host(function.name, theirs, (a, q), {**more, "weights": weights})
    asked = to_numpy(q) if isinstance(q, Handle) else np.asarray(q)
    asked = asked if function.scale == 1 else np.true_divide(asked, function.scale)
    if not np.all((asked >= 0) & (asked <= 1)):
        raise ValueError(function.error)
    if asked.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    np.floor(asked)  # TypeError for complex numbers
    if method not in _PLACES:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {_PLACES.keys()}")
    x: Any = as_handle(a)
    if is_complex(x._code):
        raise TypeError("a must be an array of real numbers")
    if function.leaves_nan and 0 in x._shape:
        return nanmean(x, axis, out=out, keepdims=keepdims)
    axes = reduced_axes(axis, len(x._shape))
    along = _along_present if function.leaves_nan else _along_last
    found = along(last_of(x, axes), asked, method, type(q) in (int, float))
    ndim = asked.ndim
    shifted = tuple(axis + ndim for axis in axes)
    found = placed(found, (*asked.shape, *x._shape), shifted, None, keepdims)
    if out is None:
        return found
    taken = method in _ELEMENTS and (method != "linear" or asked.dtype.kind != "f")
    check_written(out)
    if taken and not function.leaves_nan:
        check_taken(x._code, out._code)
    elif not function.leaves_nan:
        check_casting(UFUNCS["add"], found._code, out._code)
    return _spread_to(out, found)


def _spread_to(out: Any, found: Any) -> Any:
    """Write quantiles to an array that they broadcast to; ValueError for others."""
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
    shape = (*between.share.shape, *(1,) * (len(front._shape) - 1))
    share = float(between.share) if weak else reshape(as_array(between.share), shape)
    found = _interpolated(front[between.lower], front[between.upper], share)
    return _nan_like(found, front)


def _along_present(x: Any, q: np.ndarray, method: str, weak: bool) -> Any:
    """Return the same of the elements that are not nan, which come first when sorted.

    Their number is that of each line, and so are the places.
    """
    nans = nans_of(x)
    if nans is None:
        return _along_last(x, q, method, weak)
    last = len(x._shape) - 1
    ordered = sorted_along(x, last)
    present: Any = x._shape[-1] - count_nonzero(nans, -1, keepdims=True)
    warn_where(present <= 0, ALL_NAN, each=True)
    count = as_code(present, CODES[q.dtype]) if q.dtype.kind == "f" else present
    at: Any = _PLACES[method](count, q.reshape(-1))
    if at.dtype.kind == "i" and method in _ELEMENTS:
        found = along_order(ordered, at, last)
    else:
        at = at if at.dtype.kind == "f" else at.astype(np.float64)
        between = _between(method, at, count)
        lower, upper = (along_order(ordered, places, last) for places in between[:2])
        found = _interpolated(lower, upper, between.share, weak)
    found = pick(present <= 0, float("nan"), found)
    front = view(found, np.moveaxis(header(found), -1, 0))
    found = reshape(front, (*q.shape, *x._shape[:-1]))
    return found if found._shape else found[()]


def _with_places(x: Any, *places: Places) -> Any:
    """Return the last axis first, with its sorted elements at these places and in the end."""
    wanted = {place % x._shape[-1] for part in places for place in part.ravel().tolist()}
    ordered = partitioned(x, len(x._shape) - 1, {-1 % x._shape[-1], *wanted})
    return view(ordered, np.moveaxis(header(ordered), -1, 0))


def _interpolated(lower: Any, upper: Any, share: Any, weak: bool = False) -> Any:
    """Return values between two elements each, from the nearer of them on.

    A share that is a number, or weak, takes the dtype of the elements.
    """
    width: Any = UFUNCS["subtract"](upper, lower)
    near, far = share, 1 - share
    if weak and not isinstance(share, float):
        near, far = as_code(share, width._code), as_code(far, width._code)
    from_lower: Any = UFUNCS["add"](lower, UFUNCS["multiply"](width, near))
    from_upper: Any = UFUNCS["subtract"](upper, UFUNCS["multiply"](width, far))
    if isinstance(share, float):
        return from_upper if share >= 0.5 else from_lower
    return pick(UFUNCS["greater_equal"](share, 0.5), from_upper, from_lower)


def _nan_like(found: Any, front: Any) -> Any:
    """Return quantiles, or nan where the sorted elements end in nan."""
    if DTYPES[front._code].kind == "f":
        last = front[-1]
        found = pick(UFUNCS["isnan"](last), last, found)
    return found if found._shape else found[()]
