"""Random orders: the places are drawn, and the elements moved to them."""

from __future__ import annotations

from typing import Any

from ..._array.handle import Handle, to_numpy
from ..._functions.indexing.taking import take, take_along_axis
from ..._functions.manipulation.shapes import moveaxis
from .library import KINDS
from .state import Source, batch_sizes, element_of_batches


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


def shuffle_array(source: Source, x: Any, axis: int) -> None:
    """Shuffle an array, ours or NumPy's, in place along an axis."""
    if not x.size:
        return
    if isinstance(x, Handle):
        x[...] = take(x, places(source, x.shape[axis]), axis)
    else:
        x[...] = x.take(to_numpy(places(source, x.shape[axis])), axis)


def shuffle_list(source: Source, x: list[Any]) -> None:
    """Shuffle a list in place."""
    x[:] = [x[place] for place in to_numpy(places(source, len(x))).tolist()]


def permuted(source: Source, x: Any, axis: int | None) -> Any:
    """Return an array of ours with all elements shuffled, or those of each line along an axis."""
    if axis is None:
        flat = x.reshape(-1)
        return take(flat, places(source, x.size)).reshape(x.shape) if x.size else x.copy()
    moved = moveaxis(x, axis, -1)
    if not x.size:
        return x.copy()
    return moveaxis(take_along_axis(moved, places(source, *moved.shape), -1), -1, axis)
