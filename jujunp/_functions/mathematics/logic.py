"""What holds of elements, and whether arrays are equal or close."""

from __future__ import annotations

import math
from typing import Any

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import DTYPES, is_complex

from ..._array.arguments import common_code
from ..._array.array_likes import as_handle, operand
from ..._array.broadcasting import broadcast
from ..._array.handle import Handle
from ..._array.making import as_code
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS
from .complex_parts import imag

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
]


@uniform
def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> Any:
    """Return where `|a - b| <= atol + rtol * |b|`, or both are the same infinity.

    nan is close to nothing, or with `equal_nan` to nan. RuntimeWarning for tolerances that are not
    finite.
    """
    room()
    x, y, atol, rtol = (operand(number) for number in (a, b, atol, rtol))
    if isinstance(y, Handle):
        y = as_code(y, common_code((y, 1.0)))
    else:
        y = float(y) if isinstance(y, int) else y
        y = y if isinstance(x, Handle) else as_handle(y)
    _check_tolerances(atol, rtol)
    absolute, isfinite = UFUNCS["absolute"], UFUNCS["isfinite"]
    size = absolute(y) if isinstance(y, Handle) else abs(y)  # a number takes the others' dtype
    near = absolute(x - y) <= atol + rtol * size
    found = near & isfinite(y) | (x == y)
    if equal_nan:
        found = found | (UFUNCS["isnan"](x) & UFUNCS["isnan"](y))
    return found


def _check_tolerances(atol: Any, rtol: Any) -> None:
    """Warn when a tolerance is not finite; computes those of an array."""
    finite = (
        bool(UFUNCS["isfinite"](x).all()) if isinstance(x, Handle) else math.isfinite(x)
        for x in (atol, rtol)
    )
    if not all(finite):
        message = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
        warn_user(message)


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    """Return whether all elements are close, as `isclose` says; computes it."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two array_likes have one shape and equal elements; computes it."""
    room()
    if a1 is None or a2 is None:
        return a1 is a2
    x, y = as_handle(a1), as_handle(a2)
    if x._shape != y._shape:
        return False
    found: Any = UFUNCS["equal"](x, y)
    if equal_nan and all(DTYPES[z._code].kind in "fc" for z in (x, y)):
        found = found | (UFUNCS["isnan"](x) & UFUNCS["isnan"](y))
    return bool(found.all())


def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two array_likes broadcast and their elements are equal; computes it."""
    room()
    x, y = as_handle(a1), as_handle(a2)
    try:
        broadcast(x._shape, y._shape)
    except ValueError:
        return False
    return bool(UFUNCS["equal"](x, y).all())


def isposinf(x: Any, out: Any = None) -> Any:
    """Return where the elements are positive infinity; TypeError for complex numbers."""
    return UFUNCS["equal"](_ordered(x), math.inf, out=out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Return where the elements are negative infinity; TypeError for complex numbers."""
    return UFUNCS["equal"](_ordered(x), -math.inf, out=out)


def _ordered(x: Any) -> Handle:
    found = as_handle(x)
    if is_complex(found._code):
        name = DTYPES[found._code]
        raise TypeError(
            f"This operation is not supported for {name} values because it would be ambiguous."
        )
    return found


def isreal(x: Any) -> Any:
    """Return where the imaginary part is zero: everywhere in a real array."""
    return UFUNCS["equal"](imag(x), 0)


def iscomplex(x: Any) -> Any:
    """Return where the imaginary part is not zero: nowhere in a real array."""
    return UFUNCS["not_equal"](imag(x), 0)
