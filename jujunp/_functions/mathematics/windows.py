"""Windows, and the Bessel function that the last of them is made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import DTYPES, FLOAT64, is_complex

from ..._array.array_likes import as_handle
from ..._array.elementwise import elementwise
from ..._array.making import convert
from ..._ufuncs.ufunc import UFUNCS
from ..creation.arrays import empty, ones
from ..creation.ranges import arange
from ..indexing.selection import where

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "bartlett",
    "blackman",
    "hamming",
    "hanning",
    "i0",
    "kaiser",
]


def i0(x: Any) -> Any:
    """Return the modified Bessel function of the first kind and order 0 of an array_like.

    Floats keep their dtype, others become float64; TypeError for complex numbers. At most 4 ulp
    off.
    """
    room()
    found = as_handle(x)
    if is_complex(found._code):
        raise TypeError("i0 not supported for complex values")
    if DTYPES[found._code].kind != "f":
        found = convert(found, FLOAT64)
    return elementwise(OPCODES["i0"], found._code, (found,))


def _window(shape: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """Return a window of M points, given its shape over -(M - 1), 2 - (M - 1) .. M - 1."""

    def window(M: Any) -> Any:
        points = float(M)
        if points < 1:
            return empty((0,))
        return ones(1) if points == 1 else shape(arange(1 - points, points, 2), points - 1)

    window.__name__ = window.__qualname__ = shape.__name__
    window.__doc__ = shape.__doc__
    return window


@_window
def bartlett(n: Any, last: Any) -> Any:
    """Return the triangular window of M points, zero at both ends, as float64; empty for none."""
    return where(n <= 0, 1 + n / last, 1 - n / last)


@_window
def blackman(n: Any, last: Any) -> Any:
    """Return the Blackman window of M points as float64; empty for none."""
    cos = UFUNCS["cos"]
    return 0.42 + 0.5 * cos(math.pi * n / last) + 0.08 * cos(2.0 * math.pi * n / last)


@_window
def hamming(n: Any, last: Any) -> Any:
    """Return the Hamming window of M points as float64; empty for none."""
    return 0.54 + 0.46 * UFUNCS["cos"](math.pi * n / last)


@_window
def hanning(n: Any, last: Any) -> Any:
    """Return the Hann window of M points, zero at both ends, as float64; empty for none."""
    return 0.5 + 0.5 * UFUNCS["cos"](math.pi * n / last)


def kaiser(M: Any, beta: Any) -> Any:
    """Return the Kaiser window of M points with shape parameter beta as float64."""
    points = float(M)
    if points == 1:
        return ones(1)
    half = (points - 1) / 2.0
    ramp: Any = arange(0, points)
    n = (ramp - half) / half
    return i0(float(beta) * UFUNCS["sqrt"](1 - n * n)) / i0(float(beta))
