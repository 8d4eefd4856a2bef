"""What transcripts and signatures refer to, as plain data that another process can read.

Words that are addresses become places in a list of such data. What has no such form (users'
functions) raises Unkeepable.
"""

from __future__ import annotations

import enum
import importlib
import marshal
import operator
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine, sites, transfer
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.address_space import MEMORY
from jujunp.lazy.values.dtypes import DTYPES, NAMED
from jujunp.lazy.values.value import Value, dtype_code

from .._array import handle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Data = Any
"""A plain object as it is; of another one a list, of its kind and what tells it from others."""

_PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None), type(...)))
_IDENTICAL = (None, True, False, ...)
"""Objects that signatures know by their addresses, besides those that they list."""
_OPCODES = frozenset(machine.OPERATIONS)
"""Operations that every process has, unlike those of users."""
_SMALL = 1 << 16
"""Opcodes are below this; a code has dtypes above."""


class Unkeepable(Exception):
    """Something that cannot be kept."""


def packed(words: Sequence[int], objects: Sequence[Any]) -> tuple[Any, ...]:
    """Return words and the objects to which they refer as plain data: words, places, objects.

    At these places, words are indices of objects.
    """
    known = {id(one): one for one in objects}
    places = [place for place, word in enumerate(words) if word in known]
    if not places:
        return tuple(words), (), ()
    found = list(words)
    indices: dict[int, int] = {}
    for place in places:
        found[place] = indices.setdefault(words[place], len(indices))
    return tuple(found), tuple(places), tuple([encoded(known[word]) for word in indices])


def unpacked(data: tuple[Any, ...]) -> tuple[list[int], tuple[Any, ...]]:
    """Return the words, with addresses, and the objects to which they refer."""
    words, places, kept = data
    objects = tuple([decoded(one) if type(one) is list else one for one in kept])
    found = list(words)
    for place in places:
        found[place] = id(objects[found[place]])
    return found, objects


def packed_key(words: Sequence[int], objects: Sequence[Any]) -> bytes:
    """Return the words of a signature, but for the function's, as bytes."""
    return marshal.dumps(packed(words[1:], (*_IDENTICAL, *objects)), 2)


def encoded(one: Any) -> Data:
    """Return an object as plain data."""
    kind = type(one)
    if kind in _PLAIN:
        if kind is int and one >= _SMALL and one % _SMALL not in _OPCODES:
            raise Unkeepable
        return one
    if kind is tuple:
        parts = [encoded(part) for part in one]
        return ["tuple", parts] if any(type(part) is list for part in parts) else one
    if kind is np.ndarray:
        place = layouts.offset(one)
        if one.size and not 0 <= place < len(MEMORY):
            raise Unkeepable
        return ["layout", one.shape, _named(one.dtype), place, one.strides]
    if kind is Value:
        elements = transfer.export(one, dtype_code(one))
        return ["value", one.shape, dtype_code(one), elements.tobytes()]
    if isinstance(one, np.dtype):
        return ["dtype", _named(one)]
    if any(one is type_ for type_ in handle.SCALARS):
        return ["scalar", one.__name__]
    if (
        isinstance(one, enum.Enum)
        and sys.modules[kind.__module__].__dict__.get(kind.__name__) is kind
    ):
        return ["name", kind.__module__, f"{kind.__name__}.{one.name}"]
    for module in (getattr(one, "__module__", None), sites.package().__name__, handle.__name__):
        name = getattr(one, "__name__", "")
        if getattr(sys.modules.get(module or ""), name, None) is one:
            return ["name", module, name]
    raise Unkeepable


def _named(dtype: np.dtype) -> str:
    if dtype not in DTYPES or np.dtype(dtype.str) is not dtype:
        raise Unkeepable
    return dtype.str


def decoded(data: Data) -> Any:
    """Return the object."""
    return _MAKERS[data[0]](*data[1:]) if type(data) is list else data


def _layout(shape: tuple[int, ...], dtype: str, place: int, strides: tuple[int, ...]) -> Any:
    return np.ndarray(shape, np.dtype(dtype), MEMORY, place, strides)


def _value(shape: tuple[int, ...], code: int, elements: bytes) -> Value:
    array = np.frombuffer(elements, DTYPES[code]).reshape(shape)
    return transfer.import_array(array, code)


_MAKERS: dict[str, Callable[..., Any]] = {
    "tuple": lambda parts: tuple([decoded(part) for part in parts]),
    "layout": _layout,
    "value": _value,
    "dtype": np.dtype,
    "scalar": lambda dtype: handle.SCALARS[NAMED[dtype]],
    "name": lambda module, name: operator.attrgetter(name)(importlib.import_module(module)),
}
