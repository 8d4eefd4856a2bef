"""Counting into bins: bincount, digitize and histograms."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.settling import first_outside
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT64, INT64, UINT8, is_complex

from ..._array.arguments import NUMPY
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header, ndarray, value_of
from ..._array.indexing import scatter
from ..._array.making import as_code, convert, filled, view, wrap
from ..._array.outputs import check_cast
from ..._array.promotion import result_code
from ..._array.steps import kernel
from ..._calls.traits import at_once
from ..._ufuncs.ufunc import UFUNCS
from ..creation.ranges import linspace
from ..host import on_host
from ..reductions.folds import max as largest
from ..reductions.folds import min as smallest
from .sets import flat, part
from .sorting import searchsorted

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "histogram_bin_edges",
]

_SCATTER_ADD = OPCODES["scatter_add"]


def counted(places: Handle, size: int, weights: Any) -> ndarray:
    """Return how often each of `size` int64 places occurs, or the sum of its weights.

    Of truth values it says whether any is true.
    """
    if weights is not None and weights._code == BOOL:
        found: Any = UFUNCS["not_equal"](counted(places, size, convert(weights, INT64)), 0)
        return found  # type: ignore[no-any-return]
    code = INT64 if weights is None else weights._code
    if weights is None or code == FLOAT64:
        given = [places] if weights is None else [places, weights]
        return wrap(kernel("bincount", given, (size,), INT64, result=code), (size,), code)  # type: ignore[no-any-return]
    counts = filled((size,), 0, code)
    scatter(counts, (places,), weights, _SCATTER_ADD, inside=True)
    return counts


@at_once("counts")
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> ndarray:
    """Return how often each non-negative integer occurs; computes the largest.

    Args:
        x: Integers, in one dimension. ValueError when one is negative.
        weights: What each counts, as float64; as many as there are integers.
        minlength: Least length of the result.
    """
    room()
    values = _integers(x)
    length = _length(minlength)
    if not values._shape[0]:
        return filled((length,), 0, INT64)
    heavy = None
    if weights is not None:
        heavy = as_handle(weights)
        check_cast(heavy._code, FLOAT64, "safe")
        heavy = as_code(heavy, FLOAT64)
    if heavy is not None and heavy._shape != values._shape:
        raise ValueError("The weights and list don't have the same length.")
    top = int(largest(values))
    negative = first_outside(value_of(values), values._layout, INT64, 0, top + 1)
    if negative is not None:
        raise ValueError("'list' argument must have no negative elements")
    return counted(values, max(length, top + 1), heavy)


_NO_INTEGERS = (
    "Non-integer input passed to bincount. In a future version of NumPy, this will be an error. "
    "(Deprecated NumPy 2.1)"
)


def _integers(x: Any) -> Handle:
    values = as_handle(x)
    if not isinstance(x, (Handle, np.ndarray)) and (NUMPY < (2, 5) or values._shape == (0,)):
        if values._shape != (0,) and not np.can_cast(DTYPES[values._code], np.int64):
            warn_user(_NO_INTEGERS, DeprecationWarning)
        values = convert(values, INT64)  # as NumPy takes lists
    if len(values._shape) != 1:
        np.bincount(np.zeros((1,) * len(values._shape), np.int64))
    source = DTYPES[values._code]
    if not np.can_cast(source, np.int64) and source != np.uint64:
        raise TypeError(
            f"Cannot cast array data from {source!r} to dtype('int64') according to the rule 'safe'"
        )
    return values if values._code == INT64 else convert(values, INT64)


def _length(minlength: Any) -> int:
    if minlength is None:
        raise TypeError("use 0 instead of None for minlength")
    length = operator.index(minlength)
    if length < 0:
        raise ValueError("'minlength' must not be negative")
    return length


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Return in which bin each value lies: the place of the first edge above it, or from below.

    Args:
        x: The values; the result has their shape.
        bins: Edges, in one dimension, rising or falling; they are computed to check that.
        right: Whether a bin contains its upper edge (its lower edge, where edges fall).
    """
    x, edges = as_handle(x), as_handle(bins)
    if is_complex(x._code):
        raise TypeError("x may not be complex")
    if is_complex(edges._code):
        check_cast(edges._code, FLOAT64, "safe")
    side = "left" if right else "right"
    direction = _monotonic(edges)
    if not direction:
        raise ValueError("bins must be monotonically increasing or decreasing")
    if direction > 0:
        return searchsorted(edges, x, side)
    rising = view(edges, header(edges)[::-1])
    count = edges._shape[0]
    return count - searchsorted(rising, x, side)


def _monotonic(edges: Handle) -> int:
    """Return 1 for edges that never fall, -1 for those that never rise, 0 for others.

    Edges of which some are nan, and no others fall or rise, count as falling, as in NumPy; in which
    bin a value is found there is left open.
    """
    if len(edges._shape) != 1:
        raise ValueError("object of too small depth for desired array")
    if edges._shape[0] < 2:
        return 1
    pair = part(edges, 1, None), part(edges, None, -1)
    falls, rises = (bool(UFUNCS[name](*pair).any()) for name in ("less", "greater"))
    if falls or rises:
        return 0 if falls and rises else 1 if rises else -1
    return -1 if bool(UFUNCS["not_equal"](*pair).any()) else 1


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Return the edges of the bins that `histogram` uses."""
    room()
    return _edges(_counted_values(a), bins, range, weights)


def _counted_values(a: Any) -> Any:
    """Return elements in one dimension; bools are numbers, of which NumPy warns."""
    values = flat(a)
    if values._code != BOOL:
        return values
    warn_user(f"Converting input from bool to {np.uint8} for compatibility.")
    return convert(values, UINT8)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many elements lie in each bin, and the edges of the bins.

    A bin contains its lower edge, the last one also its upper edge. Elements outside are left out.

    Args:
        a: array_like, taken in one dimension.
        bins: Number of bins of equal width, or their edges, or a method by which NumPy
            chooses edges.
        range: First and last edge for a number of bins; else the extremes, which are computed.
        density: Whether to divide by the widths and the total, so that the integral is one.
        weights: What each element counts, in the shape of `a`.
    """
    room()
    values = _counted_values(a)
    heavy = None
    if weights is not None:
        if as_handle(weights)._shape != as_handle(a)._shape:
            raise ValueError("weights should have the same shape as a.")
        heavy = flat(weights)
    edges = _edges(values, bins, range, heavy)
    counts = _histogram(values, edges, heavy)
    if density:
        widths: Any = UFUNCS["subtract"](part(edges, 1, None), part(edges, None, -1))
        return counts / as_code(widths, FLOAT64) / counts.sum(), edges
    return counts, edges


def _histogram(values: Any, edges: Any, weights: Any) -> Any:
    """Return the counts in the bins: the first and last place counted are those outside."""
    bins = edges._shape[0] - 1
    code = result_code(values._code, edges._code)
    last = convert(part(edges, -1, None), code)
    places = searchsorted(edges, values, "right")
    places = places - UFUNCS["equal"](convert(values, code), last)
    return part(counted(places, bins + 2, weights), 1, -1).copy()


def _edges(values: Any, bins: Any, range: Any, weights: Any) -> Any:
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError(
                "Automated estimation of the number of bins is not supported for weighted data"
            )
        return on_host("histogram_bin_edges", np.histogram_bin_edges, (values, bins, range), {})
    if bins._shape if isinstance(bins, Handle) else np.ndim(bins):
        return _given_edges(as_handle(bins))
    try:
        count = operator.index(bins)
    except TypeError as error:
        raise TypeError("`bins` must be an integer, a string, or an array") from error
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last = _outer_edges(values, range)
    dtype = np.result_type(first, last, DTYPES[values._code])
    if dtype.kind in "iu":
        dtype = np.result_type(dtype, float)
    edges = linspace(first, last, count + 1, dtype=dtype)
    _check_bins(edges, first, last, count)
    return edges


def _check_bins(edges: Any, first: Any, last: Any, count: int) -> None:
    """Raise ValueError where edges are equal; they are computed if they may be."""
    dtype = edges.dtype
    if dtype.kind != "f":
        return
    step = 4 * float(np.spacing(np.abs(np.array([first, last], dtype))).max())
    if step < (float(last) - float(first)) / count < math.inf:
        return
    if bool(UFUNCS["greater_equal"](part(edges, None, -1), part(edges, 1, None)).any()):
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")


def _given_edges(edges: Any) -> Any:
    if not edges._shape:
        raise TypeError("`bins` must be an integer, a string, or an array")
    if len(edges._shape) != 1:
        raise ValueError("`bins` must be 1d, when an array")
    falls: Any = UFUNCS["greater"](part(edges, None, -1), part(edges, 1, None))
    if bool(falls.any()):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def _outer_edges(values: Any, range: Any) -> tuple[Any, Any]:
    """Return the first and the last edge of bins of equal width; computes the extremes."""
    if range is not None:
        first, last = range
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        source = "supplied"
    elif not values._shape[0]:
        first, last, source = 0, 1, "autodetected"
    else:
        low, high = smallest(values), largest(values)
        kind = DTYPES[values._code].type
        first, last, source = kind(low.item()), kind(high.item()), "autodetected"
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"{source} range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)
