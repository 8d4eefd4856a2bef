"""Operands and outputs that wrap what ufuncs give: `__array_wrap__`, asked as NumPy asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.library import TYPES
from jujunp.lazy.run.sites import warn_user

from ..._array.array_likes import wraps_results
from ..._array.handle import Handle, is_derived, ndarray, scalar
from ..._functions.host import exported
from ..._functions.sharing import shared_with_numpy
from ..._ufuncs.ufunc import UFUNCS
from .overriding import overriding, the_one_asked

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


_PLAIN_RANK = 0.0, False
"""That of plain arrays."""


def _rank(x: Any) -> tuple[float, bool]:
    found = 0.0 if type(x) in _ARRAYS else getattr(x, "__array_priority__", 0.0)
    return (0.0 if found == ndarray.__array_priority__ else found), _wraps(x)


if TYPE_CHECKING:

    def plain_view(x: ndarray, /) -> ndarray:
        """Return an array of a derived class as a plain one (kernels/vm/record/derived.mojo)."""

else:
    plain_view = TYPES.get("plain_view")


def wrapped_by_one(function: Any, args: tuple[Any, ...], *, in_place: bool = False) -> Any:
    """Return the result of a plain call where one class derived from ours wraps results.

    NotImplemented where operands are of other classes, or the class answers ufuncs itself, and for
    functions that are none of our ufuncs with one result, which ask by themselves.
    `in_place` says that the first operand is the output.
    """
    source = the_one_asked(args) if UFUNCS.get(function.__name__) is function else None
    if source is None or overriding(type(source)) or _rank(source) < _PLAIN_RANK:
        return NotImplemented
    given = [plain_view(x) if type(x) is type(source) else x for x in args]
    if not in_place:
        return wrapped(source, function(*given), (function, args, 0))
    if type(args[0]) is not type(source):
        return NotImplemented
    function(*given, out=given[0])
    return wrapped(args[0], given[0], (function, (*args, args[0]), 0))


def reduced_by_one(function: Any, x: Any, *args: Any) -> Any:
    """Return a reduction of an array whose class wraps results; NotImplemented as above."""
    if the_one_asked((x,)) is None or overriding(type(x)) or _rank(x) < _PLAIN_RANK:
        return NotImplemented
    return wrapped(x, function.reduce(plain_view(x), *args), None)


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
