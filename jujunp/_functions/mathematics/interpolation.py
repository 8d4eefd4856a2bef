"""Values between samples."""

from __future__ import annotations

import math
from typing import Any

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import COMPLEX128, FLOAT64, INT64, is_complex

from ..._array.arguments import NUMPY
from ..._array.array_likes import as_handle
from ..._array.elementwise import elementwise, pick
from ..._array.indexing import getitem
from ..._array.making import as_code, filled, scalar_if_0d
from ..._array.outputs import check_cast
from ..._ufuncs.ufunc import UFUNCS
from ..indexing.taking import gathered
from ..manipulation.joining import concatenate
from ..searching.sorting import argsort, searchsorted

__all__ = [
    "interp",
]


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Return values between samples, on straight lines from each to the next, in float64.

    Args:
        x: Where to interpolate.
        xp: Places of the samples, rising unless there is a period; one-dimensional.
        fp: Values of the samples.
        left: The result before the first sample; its value, if None.
        right: The result behind the last.
        period: Distance after which the samples come again.

    ValueError when there are no samples, or not as many places as values; TypeError for places that
    are complex.
    """
    room()
    given = as_handle(x), as_handle(xp)
    for place in given:
        check_cast(place._code, FLOAT64, "safe")
    at, places = (as_code(place, FLOAT64) for place in given)
    values: Any = as_handle(fp)
    code = COMPLEX128 if is_complex(values._code) else FLOAT64
    values = as_code(values, code)
    if period is not None:
        at, places, values = _periodic(at, places, values, period)
        left = right = None
    if len(places._shape) != 1 or len(values._shape) != 1:
        raise ValueError("Data points must be 1-D sequences")
    count = places._shape[0]
    # from NumPy 2.5 on nothing may be interpolated between no samples
    if not count and (NUMPY < (2, 5) or math.prod(at._shape)):
        raise ValueError("array of sample points is empty")
    if values._shape[0] != count:
        raise ValueError("fp and xp are not of the same length.")
    if not count:
        return filled(at._shape, 0, code)
    # unlike `x[k]`, this never computes what is pending
    first = getitem(places, 0)
    low, high = (
        getitem(values, end) if given is None else given for given, end in ((left, 0), (right, -1))
    )
    if count == 1:
        found = pick(at > first, high, getitem(values, 0))
        found = pick(at < first, low, found)
    else:
        found = _between(at, places, values)
        found = pick(at > getitem(places, -1), high, found)
        found = pick(at < first, low, found)
        found = pick(UFUNCS["isnan"](at), at, found)
    return scalar_if_0d(found)


def _periodic(x: Any, places: Any, values: Any, period: Any) -> tuple[Any, Any, Any]:
    """Return everything within one period, sorted, with a sample from either neighbour."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if len(places._shape) != 1 or len(values._shape) != 1:
        raise ValueError("Data points must be 1-D sequences")
    if places._shape != values._shape:
        raise ValueError("fp and xp are not of the same length")
    period = abs(period)
    places = places % period
    order = argsort(places)
    places, values = places[order], values[order]
    places = concatenate((places[-1:] - period, places, places[:1] + period))
    return x % period, places, concatenate((values[-1:], values, values[:1]))


def _between(x: Any, places: Any, values: Any) -> Any:
    """Return values on the lines between samples, of which there are two or more."""
    last = places._shape[0] - 2
    first = elementwise(OPCODES["clamp"], INT64, (0, searchsorted(places, x, "right") - 1, last))
    x0, y0 = gathered(places, first), gathered(values, first)
    x1, y1 = gathered(places, first + 1), gathered(values, first + 1)
    slope = (y1 - y0) / (x1 - x0)
    isnan = UFUNCS["isnan"]
    found: Any = slope * (x - x0) + y0
    found = pick(isnan(found), slope * (x - x1) + y1, found)
    found = pick(isnan(found) & (y0 == y1), y0, found)
    return pick(x == x0, y0, pick(x == x1, y1, found))
