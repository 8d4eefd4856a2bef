"""Windows, and the Bessel function that the last of them is made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jujunp.lazy.dtypes import DTYPES, FLOAT64

from ._creation import empty, ones
from ._ndarray import as_handle, convert
from ._ranges import arange
from ._record import room
from ._selection import where
from ._ufunc import UFUNCS

if TYPE_CHECKING:
    from collections.abc import Callable

_NEAR = 8.0
_SERIES = tuple(1 / (4**k * math.factorial(k) ** 2) for k in range(24))
"""I0 as a power series of x squared: all that counts in float64 up to 8."""
_TAIL = (
    *(0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06),
    *(2.0489185894690638e-07, 2.266668990498178e-08, 3.3962320257083865e-09),
    *(4.94060238822497e-10, 1.1889147107846439e-11, -3.1499165279632416e-11),
    *(-1.3215811840447713e-11, -1.7941785315068062e-12, 7.180124451383666e-13),
    *(3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14),
    *(-9.554846698828307e-15, 3.8116806693526224e-15, 1.7725601330565263e-15),
    *(-3.425485619677219e-16, -2.8276239805165836e-16, 3.461222867697461e-17),
    4.46562142029676e-17,
)
"""Chebyshev series of exp(-x) sqrt(x) I0(x) in 16 / x - 1, for x of 8 and more.

Interpolated in 80 points with 50 digits.
"""


def i0(x: Any) -> Any:
    """Return the modified Bessel function of the first kind and order 0 of an array_like.

    Floats keep their dtype, others become float64. At most 5 ulp off in float64.
    """
    room()
    found: Any = as_handle(x)
    if DTYPES[found._code].kind != "f":
        found = convert(found, FLOAT64)
    size = UFUNCS["absolute"](found)
    near, far = UFUNCS["minimum"](size, _NEAR), UFUNCS["maximum"](size, _NEAR)
    return where(UFUNCS["less_equal"](size, _NEAR), _i0_near(near), _i0_far(far))


def _i0_near(x: Any) -> Any:
    square = x * x
    found = square * _SERIES[-1]
    for coefficient in _SERIES[-2:0:-1]:
        found = (found + coefficient) * square
    return found + _SERIES[0]


def _i0_far(x: Any) -> Any:
    t = 16.0 / x - 1.0
    twice = t + t
    older: Any = 0.0
    newer = twice * 0.0 + _TAIL[-1]
    for coefficient in _TAIL[-2:0:-1]:  # Clenshaw's recurrence
        newer, older = twice * newer - older + coefficient, newer
    return UFUNCS["exp"](x) * (t * newer - older + _TAIL[0]) / UFUNCS["sqrt"](x)


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


PUBLIC = ("bartlett", "blackman", "hamming", "hanning", "i0", "kaiser")
