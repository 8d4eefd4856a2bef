"""Random orders: the places are drawn, and the elements moved to them."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._array.handle import Handle, header, to_numpy
from ..._functions.creation.ranges import arange
from ..._functions.indexing.taking import take, take_along_axis
from ..._functions.manipulation.shapes import moveaxis
from .filling import is_writeable
from .library import KINDS
from .state import Source, batch_sizes, element_of_batches

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence


def places(source: Source, *shape: int) -> Any:
    """Return rows of the integers below the last length, each in a random order."""
    sizes = batch_sizes()
    found = source.places(KINDS["shuffled"], (*sizes, *shape), shape[-1], True)
    return element_of_batches(found) if sizes else found


def chosen(source: Source, count: int, population: int, shuffled: bool) -> Any:
    """Return different integers below a number."""
    sizes = batch_sizes()
    found = source.places(KINDS["chosen"], (*sizes, count), population, shuffled)
    return element_of_batches(found) if sizes else found


def shuffle_array(order_of: Callable[[int], Any], x: Any, axis: int) -> None:
    """Shuffle an array, ours or NumPy's, in place along an axis, given what draws orders."""
    if not x.size:
        return
    if isinstance(x, Handle):
        order = order_of(x.shape[axis])
        x[...] = take(x, order, axis) if axis else x[order]
    else:
        x[...] = x.take(to_numpy(order_of(x.shape[axis])), axis)


def shuffle_sequence(order_of: Callable[[int], Any], x: MutableSequence[Any]) -> None:
    """Shuffle a list, or what is like one, in place."""
    order = order_of(len(x)).tolist()
    if type(x) is list and len(x) > 1:
        x[:] = itemgetter(*order)(x)
        return
    elements = [x[place] for place in order]
    for place, element in enumerate(elements):
        x[place] = element


def permuted(source: Source, x: Any, axis: int | None) -> Any:
    """Return an array with all elements shuffled, or those of each line along an axis."""
    if not isinstance(x, Handle):  # text, objects: an array of NumPy's
        order = permuted(source, arange(x.size).reshape(x.shape), axis)
        return x.reshape(-1)[to_numpy(order)]
    moved = x if axis is None else moveaxis(x, axis, -1)
    if not x.size:
        return x.copy()
    if axis is None:
        return take(x.reshape(-1), places(source, x.size)).reshape(x.shape)
    return moveaxis(take_along_axis(moved, places(source, *moved.shape), -1), -1, axis)


def are_turned(x: Any, out: Any) -> bool:
    """Whether all elements of an array are shuffled in F order: that of `out`, or of a copy."""
    given = x if out is None else out
    held = header(given) if isinstance(given, Handle) else given
    flags = (np.empty_like(held) if out is None else held).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def check_target(x: Any, out: Any) -> None:
    """Check an array that elements of another one are to be written to, as NumPy does."""
    if not isinstance(out, (Handle, np.ndarray)):
        raise TypeError("out must be a numpy array")
    if out.shape != x.shape:
        raise ValueError("out must have the same shape as x")
    if not is_writeable(out):
        raise ValueError("out is read-only")
    np.copyto(np.empty(0, out.dtype), np.empty(0, x.dtype), casting="safe")
