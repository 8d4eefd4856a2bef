"""Values between samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import COMPLEX128, DTYPES, FLOAT64, is_complex

from ..._array.arguments import NUMPY
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header, scalar
from ..._array.making import as_code, filled, wrap
from ..._array.outputs import check_cast
from ..._array.steps import kernel
from ..._calls.traits import uniform
from ..manipulation.joining import concatenate
from ..searching.sorting import argsort

__all__ = [
    "interp",
]


@uniform
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
    are complex, of which the real parts are taken where there is a period.
    """
    room()
    if period == 0:
        raise ValueError("period must be a non-zero value")
    given = as_handle(x), as_handle(xp)
    if period is None:
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
    ends = [_end(values, 0, left), _end(values, -1, right)]
    operands = [at, places, values, *(end for end, _ in ends)]
    layouts = [x._layout for x in operands[:3]] + [layout for _, layout in ends]
    found = kernel("interp", operands, at._shape, FLOAT64, result=code, layouts=layouts)
    return wrap(found, at._shape, code)


def _end(values: Any, place: int, given: Any) -> tuple[Any, np.ndarray | None]:
    """Return what is given at an end, or the value there, and how it is read."""
    if given is None:
        return values, header(values)[place, ...]
    if values._code == FLOAT64 and type(given) is float:
        return given, None
    end: Any = as_handle(given)
    known = given
    if isinstance(given, Handle):
        known = np.zeros(end._shape, DTYPES[end._code])
        known = known[()] if isinstance(given, scalar) else known
    np.interp(0, [0], np.zeros(1, DTYPES[values._code]), known)  # its errors are NumPy's
    end = as_code(end, values._code)
    return end, header(end).reshape(()) if end._shape else end._layout


def _periodic(x: Any, places: Any, values: Any, period: Any) -> tuple[Any, Any, Any]:
    """Return everything within one period, sorted, with a sample from either neighbour."""
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
