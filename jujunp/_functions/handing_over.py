"""Calls with arguments that NumPy alone has are handed to NumPy at once, if they are simple.

The library finds such calls by their arguments (kernels/vm/calls/handing_over.mojo): arrays of
text, of objects, of dates, structures, lists of such, names of their dtypes, and objects of types
that answer NumPy's functions. What is not simple is left to the function, which finds out by
itself: `host.py` then makes the same call, with more ado.
"""

from __future__ import annotations

import datetime
import functools
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.run.sites import from_user_line
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import CODES

from .._array.array_likes import answers_itself, gives_ours, wraps_results
from .._array.handle import NATIVE, Handle
from .._ufuncs.kind import Recorded
from .host import NAMES_OF_DTYPES, counterpart, exported, imported, is_strict
from .host import count as count_of

if TYPE_CHECKING:
    from collections.abc import Iterable

# what arguments of a type are: the numbers of kernels/vm/calls/handing_over.mojo
_OURS, _NUMPYS, _NUMPYS_IN_LISTS, _NAMES, _DTYPES = range(5)

_KINDS: dict[type, int] = {
    np.ndarray: _OURS,  # whose dtype is looked at
    **dict.fromkeys((bool, int, float, complex, range, slice, type(...), dict, set), _OURS),
    **dict.fromkeys((FunctionType, BuiltinFunctionType, MethodType, np.ufunc), _OURS),
    **dict.fromkeys((datetime.date, datetime.datetime, datetime.timedelta), _NUMPYS),
    **dict.fromkeys((str, bytes, type), _NAMES),
}
NAMES_OF_DTYPES.update(
    dict.fromkeys(
        (
            *(object, str, bytes, datetime.datetime, datetime.timedelta, np.object_, np.str_),
            *(np.bytes_, np.void, np.datetime64, np.timedelta64, np.longdouble, np.clongdouble),
            *("O", "object", "U", "str", "S", "bytes", "longdouble"),
        )
    )
)
_LONG = (np.longdouble, np.clongdouble)


def _kind_of(kind: Any) -> int:
    """Return what an argument of a type says that is not known yet."""
    if issubclass(kind, np.dtype):
        return _DTYPES
    if issubclass(kind, Handle):
        return _OURS
    if issubclass(kind, np.generic):
        return _OURS if issubclass(kind, (np.number, np.bool)) and kind not in _LONG else _NUMPYS
    if answers_itself(kind):
        return _NUMPYS
    return _NUMPYS_IN_LISTS if _is_plain(kind) else _OURS


_PROTOCOLS = (
    *("__array__", "__array_interface__", "__array_struct__", "__dlpack__"),
    *("__jax_array__", "__cuda_array_interface__"),
)


_HOLDERS = (list, tuple, dict, set, np.poly1d)
"""Types of objects that may hold arrays of ours."""


@functools.lru_cache(1000)
def _is_plain(kind: Any) -> bool:
    """Whether NumPy does with objects of a type what we are to do: it finds no array of ours."""
    if issubclass(kind, (np.ndarray, np.generic)):
        return not issubclass(kind, Handle)
    if issubclass(kind, (Handle, Recorded, *_HOLDERS)) or wraps_results(kind):
        return False
    return answers_itself(kind) or not any(hasattr(kind, name) for name in _PROTOCOLS)


def _are_plain(items: Iterable[Any]) -> bool:
    """Whether NumPy may have all that is in nested sequences as it is."""
    for kind in set(map(type, items)):
        if kind is list or kind is tuple:
            if not all(_are_plain(item) for item in items if type(item) is kind):
                return False
        elif not _is_plain(kind):
            return False
    return True


@functools.lru_cache(1000)
def _counterpart(function: Any, first: Any) -> Any:
    """Return NumPy's function in place of one of ours; None for protocols, which have their own."""
    return None if function.__name__.startswith("__") else counterpart(function, first)


_MADE = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
"""Functions that compute nothing: an array of ours that they make is none of NumPy's work."""


_MOST_KINDS = 1000


def _is_new(x: Any) -> bool:
    """Whether the type of an argument, or of the first item of a list, was not known; it is now."""
    while type(x) is list or type(x) is tuple:
        if not x:
            return False
        x = x[0]
    kind: Any = type(x)
    if kind in _KINDS:
        return False
    if len(_KINDS) < _MOST_KINDS:
        _KINDS[kind] = _kind_of(kind)
    return True


def _has_objects(x: Any) -> bool:
    """Whether this is an array of objects, among which there may be arrays of ours."""
    return type(x) is np.ndarray and x.dtype == object


def made_at_once(function: Any, args: tuple[Any, ...], names: tuple[str, ...] | None) -> Any:
    """Make a call with an argument of NumPy's by NumPy; NotImplemented for what is not simple."""
    if True in map(_is_new, args):
        return NotImplemented  # the library can tell from the next call on
    ours = False
    for x in args:
        kind: Any = type(x)
        if kind in NATIVE:
            ours = True
        elif not (_are_plain(x) if kind is list or kind is tuple else _is_plain(kind)):
            return NotImplemented
    if WATCHES or is_strict() or (names and not _HERE.isdisjoint(names)):
        return NotImplemented
    first: Any = type(args[0]) if args else None
    made = _counterpart(function, first)
    if made is None or (len(args) > 1 and made.__name__ in _MADE and _has_objects(args[0])):
        return NotImplemented
    count = len(args) - len(names or ())
    given = tuple(map(exported, args)) if ours else args
    named = dict(zip(names, given[count:], strict=True)) if names else {}
    try:
        found = from_user_line(made, given[:count], named)
    except ValueError as error:
        if gives_ours(error):
            return NotImplemented
        raise
    if made.__name__ in _MADE and type(found) is np.ndarray and found.dtype in CODES:
        return NotImplemented  # an array of ours, which may share the memory
    result = imported(found)
    if result is found or made.__name__ not in _MADE:
        count_of(made.__name__, args)
    return result


_HERE = frozenset(("like", "out", "device"))
"""Arguments that NumPy does not have, or not as we do."""
machine.set_host(made_at_once, _KINDS, NAMES_OF_DTYPES)
