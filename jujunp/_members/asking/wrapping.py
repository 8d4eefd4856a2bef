"""Operands and outputs that wrap what ufuncs give: `__array_wrap__`, asked as NumPy asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.sites import warn_user

from ..._array.array_likes import wraps_results
from ..._array.handle import Handle, is_derived, ndarray, scalar
from ..._functions.host import exported
from ..._functions.sharing import shared_with_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ARRAYS = (ndarray, np.ndarray)


def wrapping(operands: Iterable[Any]) -> Any:
    """Return the operand that wraps the results of a ufunc; None where these are plain.

    It is the first of the highest priority. Before a plain array, of priority 0, goes what wraps.
    """
    asked = [x for x in operands if type(x) in _ARRAYS or _wraps(x)]
    return max(asked, key=_rank, default=None) if any(map(_wraps, asked)) else None


def _wraps(x: Any) -> bool:
    return is_derived(x) or wraps_results(type(x))


def _rank(x: Any) -> tuple[float, bool]:
    found = 0.0 if type(x) in _ARRAYS else getattr(x, "__array_priority__", 0.0)
    return (0.0 if found == ndarray.__array_priority__ else found), _wraps(x)


def wrapped(x: Any, result: Any, call: tuple[Any, tuple[Any, ...], int] | None) -> Any:
    """Return what an object makes of a ufunc's result, given the ufunc, its arguments, and which.

    Types that are none of ours are given NumPy's arrays, and are told of NumPy's ufunc.
    """
    is_scalar = isinstance(result, scalar)
    given = result[...] if is_scalar else result
    if isinstance(x, Handle):
        return _asked(x.__array_wrap__, given, call, is_scalar)
    array = shared_with_numpy(given)
    if call is not None:
        call = (call[0].numpy, exported(call[1]), call[2])
    found = _asked(x.__array_wrap__, array, call, is_scalar)
    return given if found is array else found


def _asked(wrap: Callable[..., Any], array: Any, call: Any, is_scalar: bool) -> Any:
    """Call `__array_wrap__`: with fewer arguments, and a warning, if it does not take all."""
    try:
        return wrap(array, call, is_scalar)
    except TypeError:
        for fewer in ((array, call), (array,)):
            try:
                found = wrap(*fewer)
            except TypeError:
                continue
            warn_user(
                "__array_wrap__ must accept context and return_scalar arguments (positionally) "
                "in the future. (Deprecated NumPy 2.0)",
                DeprecationWarning,
            )
            return found
        raise
