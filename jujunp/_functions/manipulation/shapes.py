"""Other shapes, axes and directions of the same elements: views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.layout import repeats

from ..._array.arguments import order_to_reshape, shape_of
from ..._array.array_likes import as_array, as_handle
from ..._array.handle import header, is_number, ndarray, whole_value
from ..._array.making import reshape as _reshape
from ..._array.making import view, wrap
from ..._array.outputs import Writable
from ..._calls.traits import uniform

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.values.types import Shape

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "diagonal",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "reshape",
    "rollaxis",
    "rot90",
    "squeeze",
    "swapaxes",
    "transpose",
]


def _backwards(layout: np.ndarray) -> Any:
    """`np.flip` along all axes, in less time."""
    return layout[(slice(None, None, -1),) * layout.ndim]


def _seen(x: Any, function: Callable[..., np.ndarray], *args: Any) -> Any:
    """Return the view of an array_like that a function of NumPy's makes of its layout."""
    found = as_array(x) if is_number(x) else as_handle(x)
    layout: Any = function(header(found), *args)
    if not isinstance(layout, np.ndarray):  # NumPy gives an element, not a view
        return wrap(whole_value(found), (), found._code)
    return view(found, layout)


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    """Return the elements in another shape: a view where NumPy gives one, else a copy.

    One length may be -1. ValueError when the sizes differ, or when `copy=False` and a copy would be
    needed.
    """
    room()
    return _reshape(as_handle(a), shape, order_to_reshape(order), copy)


@uniform
def ravel(a: Any, order: str = "C") -> Any:
    """Return the elements in one dimension, in C, Fortran or memory order; a view if possible."""
    room()
    return as_array(a).ravel(order)


@uniform
def transpose(a: Any, axes: Any = None) -> Any:
    """Return a view with the axes permuted as `axes` says, or reversed."""
    return _seen(a, np.transpose, axes)


permute_dims = transpose


@uniform
def matrix_transpose(x: Any, /) -> Any:
    """Return a view with the last two axes swapped. ValueError when there are fewer."""
    return _seen(x, np.matrix_transpose)


@uniform
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Return a view with two axes interchanged."""
    return _seen(a, np.swapaxes, axis1, axis2)


@uniform
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Return a view with some axes at other places; the rest keep their order."""
    return _seen(a, np.moveaxis, source, destination)


@uniform
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    """Return a view with one axis moved before the axis `start`."""
    return _seen(a, np.rollaxis, axis, start)


@uniform
def expand_dims(a: Any, axis: Any) -> Any:
    """Return a view with new axes of length one at the given places of the result."""
    return _seen(a, np.expand_dims, axis)


@uniform
def squeeze(a: Any, axis: Any = None) -> Any:
    """Return a view without the axes of length one, or without those named.

    ValueError when one that is named has another length.
    """
    found: Any = as_array(a) if is_number(a) else as_handle(a)
    return found.squeeze(axis)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a read-only view of the diagonals over two axes; they come last."""
    return as_array(a).diagonal(offset, axis1, axis2)


@uniform
def flip(m: Any, axis: Any = None) -> Any:
    """Return a view with the elements in reverse order along some axes, or along all of them."""
    return _seen(m, _backwards) if axis is None else _seen(m, np.flip, axis)


@uniform
def fliplr(m: Any) -> Any:
    """Return a view with the second axis reversed."""
    return _seen(m, np.fliplr)


@uniform
def flipud(m: Any) -> Any:
    """Return a view with the first axis reversed."""
    return _seen(m, np.flipud)


@uniform
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Return a view turned k times by 90 degrees, from the first of two axes to the second."""
    return _seen(m, np.rot90, k, axes)


def _at_least(count: int, function: Callable[..., np.ndarray], arrays: tuple[Any, ...]) -> Any:
    """Return arrays with new axes where they lack some; those that have enough as they are."""
    if all(type(x) is ndarray and len(x._shape) >= count for x in arrays):
        return arrays[0] if len(arrays) == 1 else arrays
    found = [as_array(x) for x in arrays]
    seen = [function(header(x)) for x in found]
    done = tuple(
        x if layout.ndim == len(x._shape) else view(x, layout)
        for x, layout in zip(found, seen, strict=True)
    )
    return done[0] if len(done) == 1 else done


@uniform
def atleast_1d(*arys: Any) -> Any:
    """Return arrays with at least one axis, a tuple of them unless one is given."""
    return _at_least(1, np.atleast_1d, arys)


@uniform
def atleast_2d(*arys: Any) -> Any:
    """Return arrays with at least two axes, new ones in front; a tuple unless one is given."""
    return _at_least(2, np.atleast_2d, arys)


@uniform
def atleast_3d(*arys: Any) -> Any:
    """Return arrays with at least three axes; the new ones are on both sides of a row's."""
    return _at_least(3, np.atleast_3d, arys)


# -- broadcasting


def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """Return a read-only view of another shape, in which elements repeat.

    ValueError when the array does not broadcast to the shape.
    """
    shape = shape_of(shape)
    found = as_handle(array) if shape else as_array(array)
    result = view(found, np.broadcast_to(header(found), shape))
    result._readonly = True
    return result


@uniform
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Return arrays as views of the shape that they broadcast to.

    Those that have this shape are returned as they are. Who writes to another gets a
    DeprecationWarning: it shows elements at several places.
    """
    arrays = [as_array(x) for x in args]
    shape = broadcast_shapes(*(x._shape for x in arrays))
    return tuple(x if x._shape == shape else _spread(x, shape) for x in arrays)


def _spread(x: Any, shape: Shape) -> Any:
    found = broadcast_to(x, shape)
    if x._readonly is not True:
        found._readonly = Writable.WARNING if repeats(header(found)) else False
    return found


def broadcast_shapes(*args: Any) -> Shape:
    """Return the shape that shapes broadcast to; ValueError when they do not."""
    return np.broadcast_shapes(*(shape_of(shape) for shape in args))
