"""Functions of one element, mapped over an axis: `vmap`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jujunp.lazy.run.settling import unchecked
from jujunp.lazy.run.watching import watched
from jujunp.lazy.transforms.mapping import Batch
from jujunp.lazy.values.value import Value

from .._array.handle import Handle, ndarray, new_handle, scalar, whole_value
from .._array.making import new_array
from .._functions.manipulation.shapes import broadcast_to, moveaxis
from .traceable import for_tracers
from .trees import alias, flatten, own, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

__all__ = ["vmap"]

_WHY = (
    "the elements of a batch have no single value: vmap runs its function once, for all of them,"
    " so that they cannot be read or branched by; say it by where(), or loop in Python"
)


def vmap(
    function: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_name: Hashable | None = None,
    axis_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that does for each element along an axis what a function does for one.

    The function runs once, on arrays without that axis, and what it records is recorded for all
    elements together: writes and views inside, too. Their elements cannot be read: what asks for a
    value raises `jax.errors.ConcretizationTypeError`, which is a TypeError.

    Args:
        function: Takes and returns trees of arrays and numbers.
        in_axes: The axis of each positional argument, None for one that is the same for all; or a
            tree of such, as `jax.vmap` has it. Keyword arguments are mapped along their first.
        out_axes: The same of the results.
        axis_name: Must be None: names of axes are JAX's.
        axis_size: The number of elements, if no argument tells it.

    ValueError for axes that differ in length, or that an array has not.
    """
    if axis_name is not None:
        raise NotImplementedError("vmap has no names of axes")

    @for_tracers
    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten((args, kwargs))
        arrays = [own(x) for x in leaves]
        axes = _axes(in_axes, args, kwargs, arrays)
        size = _size(arrays, axes, axis_size)
        batches = [
            None if axis is None else moveaxis(x, axis, 0)
            for x, axis in zip(arrays, axes, strict=True)
        ]
        values = [whole_value(x) for x in batches if x is not None]
        specs = [(x._shape[1:], x._code) for x in batches if x is not None]
        with unchecked(), watched(lambda: Batch(specs, _WHY, size)) as batch:
            starts = iter(batch.starts)
            given = [
                _abstract(next(starts), x) if x is not None else _same(leaf)
                for x, leaf in zip(batches, leaves, strict=True)
            ]
            args, kwargs = unflatten(tree, given)
            outputs, out_tree = flatten(function(*args, **kwargs))
            handles = [own(x) for x in outputs]
            ends = [whole_value(x) for x in handles]
        found = batch.record(values, ends)
        batch.close()
        results = [
            _result(x, value, axis, size)
            for x, value, axis in zip(
                handles, found, _out_axes(out_axes, out_tree, len(handles)), strict=True
            )
        ]
        return unflatten(out_tree, results)

    return of


def _abstract(value: Value, batch: Handle) -> Any:
    shape = batch._shape[1:]
    return new_handle(ndarray if shape else scalar, value, None, None, shape, batch._code)


def _same(leaf: Any) -> Any:
    """Return an argument that is the same for all elements: of arrays one of the function's own."""
    return alias(own(leaf)) if isinstance(leaf, (Handle, np.ndarray)) else leaf


def _is_none(x: Any) -> bool:
    return x is None


def _axes(
    in_axes: Any, args: tuple[Any, ...], kwargs: dict[str, Any], arrays: Sequence[Handle]
) -> list[int | None]:
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ValueError(
            f"vmap in_axes has {len(in_axes)} entries, and the function {len(args)} arguments"
        )
    found = _spread(in_axes, args, "in_axes") + [0] * (len(arrays) - len(flatten(args)[0]))
    for x, axis in zip(arrays, found, strict=True):
        if axis is not None and not -len(x._shape) <= axis < len(x._shape):
            raise ValueError(f"vmap is to map axis {axis} of an array of shape {x._shape}")
    if all(axis is None for axis in found) and not arrays:
        raise ValueError("vmap must have at least one argument that it maps over")
    return found


def _spread(axes: Any, tree: Any, name: str) -> list[int | None]:
    """Return an axis for each leaf of a tree."""
    found: list[int | None] = []

    def spread(axis: Any, part: Any) -> None:
        found.extend([axis] * len(jax.tree.leaves(part)))

    try:
        jax.tree.map(spread, axes, tree, is_leaf=_is_none)
    except ValueError as error:
        raise ValueError(f"vmap {name} does not fit the tree: {error}") from None
    for axis in found:
        if axis is not None and not isinstance(axis, int):
            raise TypeError(f"vmap {name} must be ints and None, not {axis!r}")
    return found


def _out_axes(axes: Any, tree: Any, count: int) -> list[int | None]:
    return _spread(axes, unflatten(tree, [0] * count), "out_axes")


def _size(arrays: Sequence[Handle], axes: Sequence[int | None], given: int | None) -> int:
    sizes = {x._shape[axis] for x, axis in zip(arrays, axes, strict=True) if axis is not None}
    if given is not None:
        sizes.add(given)
    if not sizes:
        raise ValueError("vmap must have an argument that it maps over, or axis_size")
    if len(sizes) > 1:
        raise ValueError(f"vmap got axes of inconsistent sizes: {sorted(sizes)}")
    return sizes.pop()


def _result(x: Handle, value: Value | None, axis: int | None, size: int) -> Any:
    """Return a result for all elements, given that of the batch, or None if all have the same."""
    if value is None:
        if axis is None:
            return x
        shape = list(x._shape)
        place = axis % (len(shape) + 1)
        expanded = x.reshape((*shape[:place], 1, *shape[place:]))
        return broadcast_to(expanded, (*shape[:place], size, *shape[place:])).copy()
    if axis is None:
        raise ValueError("vmap has mapped a result whose out_axes is None")
    found = new_array(value, (size, *x._shape), x._code)
    return moveaxis(found, 0, axis) if axis else found
