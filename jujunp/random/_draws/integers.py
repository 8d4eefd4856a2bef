"""Integers between bounds, of all dtypes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import CODES, DTYPES

from ..._array.array_likes import as_handle
from ..._functions.creation.arrays import empty
from .arguments import exported, is_spread, refuse, shape_of
from .library import KINDS
from .state import Source, batch_sizes, element_of_batches, spread

_LIMITS = {
    dtype: (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for dtype in DTYPES
    if dtype.kind in "biu"
}
"""The least and the largest number of each dtype."""
_TYPES = {dtype.type: dtype for dtype in _LIMITS} | {int: np.dtype(np.int64), bool: np.dtype(bool)}
_MASK = (1 << 64) - 1
_PIECES = frozenset((np.dtype(bool), *(np.dtype(x) for x in ("int8", "uint8", "int16", "uint16"))))
"""Dtypes whose numbers share 32 bits within a call."""


def integers(
    source: Source, method: Any, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool
) -> Any:
    """Return integers from `low` to `high`, which is one of them with `endpoint`.

    Args:
        source: What is drawn from.
        method: NumPy's method, which says what it refuses.
        low: The least, or, if `high` is None, the end behind 0.
        high: The end.
        size: How many; None for one number of NumPy's.
        dtype: Their dtype.
        endpoint: Whether `high` is one of them.
    """
    wanted = _TYPES.get(dtype)
    names = {"endpoint": endpoint} if method.__name__ == "integers" else {}
    if wanted is None:
        wanted = np.dtype(dtype)
        if wanted not in _LIMITS or not wanted.isnative:
            refuse(method, exported(low), exported(high), size, dtype, **names)
    if size is not None and not (type(size) is int and size) and not math.prod(shape_of(size)):
        return empty(shape_of(size), wanted)
    if type(low) is not int or (type(high) is not int and high is not None):
        low, high = exported(low), exported(high)
        if np.ndim(low) or np.ndim(high):
            return _of_arrays(source, method, low, high, size, wanted, names)
    first, last = (0, low) if high is None else (low, high)
    first, last = int(first), int(last) - (not endpoint)
    least, most = _LIMITS[wanted]
    if not least <= first <= last <= most:
        refuse(method, low, high, size, dtype, **names)
    kind = KINDS["integers" if names else "older_integers"]
    code, bounds = CODES[wanted], (first & _MASK, last - first)
    if WATCHES and (sizes := batch_sizes()):
        return element_of_batches(_of_batches(source, kind, code, sizes, size, bounds))
    if size is None:
        found = source.one_integer(kind, wanted, *bounds)
        return dtype(found) if dtype is int or dtype is bool else found
    return source.integers(kind, code, shape_of(size), *bounds)


def _of_batches(
    source: Source,
    kind: int,
    code: int,
    sizes: tuple[int, ...],
    size: Any,
    bounds: tuple[int, int],
) -> Any:
    """Return integers for all elements of batches, as a call for each would give them."""
    shape = () if size is None else shape_of(size)
    if DTYPES[code] not in _PIECES:
        return source.integers(kind, code, (*sizes, *shape), *bounds)
    draws = [
        np.asarray(source.integers(kind, code, shape, *bounds)) for _ in range(math.prod(sizes))
    ]
    return as_handle(np.array(draws, DTYPES[code]).reshape(*sizes, *shape))


def _of_arrays(
    source: Source,
    method: Any,
    low: Any,
    high: Any,
    size: Any,
    dtype: np.dtype,
    names: dict[str, bool],
) -> Any:
    """Return integers between arrays of bounds."""
    first, last = (0, low) if high is None else (low, high)
    try:
        own = np.broadcast_shapes(np.shape(first), np.shape(last))
    except ValueError:
        refuse(method, low, high, size, dtype, **names)
    shape = own if size is None else shape_of(size)
    if not is_spread(own, shape):
        refuse(method, low, high, size, dtype, **names)
    if not _are_within(first, last, dtype, ends=not names.get("endpoint", False)):
        method(low, high, None, dtype, **names)  # which refuses them, or knows better
    start: Any = as_handle(_as_words(first))
    more = as_handle(_as_words(last)) - start - np.uint64(not names.get("endpoint", False))
    kind = KINDS["integers" if names else "older_integers"]
    sizes = batch_sizes()
    whole = (*sizes, *shape)
    given = [spread(x, whole) for x in (start, more)]
    found = source.numbers_of(kind, CODES[dtype], whole, given)
    return element_of_batches(found) if sizes else found


def _are_within(first: Any, last: Any, dtype: np.dtype, *, ends: bool) -> bool:
    """Whether arrays of bounds are surely allowed; `last` is an end, or the largest."""
    first, last = np.asarray(first), np.asarray(last)
    if not (_are_integers(first) and _are_integers(last)):
        return False
    least, most = _LIMITS[dtype]
    in_order = first < last if ends else first <= last
    return bool(in_order.all() and (first >= least).all() and (last <= most + ends).all())


def _are_integers(x: np.ndarray) -> bool:
    """Whether an array has integers, maybe Python's, since 2^64 is the end of uint64."""
    return x.dtype.kind in "biu" or (x.dtype.kind == "O" and all(type(n) is int for n in x.flat))


def _as_words(x: Any) -> np.ndarray:
    """Return integers as words of 64 bits; floats are rounded down as NumPy does it."""
    array = np.asarray(x)
    if array.dtype.kind in "biu":
        return np.asarray(array.astype(np.uint64))
    return np.array([int(n) & _MASK for n in array.flat], np.uint64).reshape(array.shape)
