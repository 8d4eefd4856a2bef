"""Views as JAX operations: reading and writing the elements that a layout describes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jax import lax

from ..values.layout import offset

if TYPE_CHECKING:
    from jax import Array

    from ..values.types import Shape


class Box(NamedTuple):
    """A view as slices of its base: along base axis k from `starts` by `steps`, `counts` elements.

    `axes` names for each axis of the view its base axis, or -1 for a broadcast (or new) axis.
    """

    starts: tuple[int, ...]
    steps: tuple[int, ...]
    counts: tuple[int, ...]
    axes: tuple[int, ...]


def box_of(base: Shape, layout: np.ndarray) -> Box | None:
    """Return a view of a base in C order as slices, None when it is not of that kind."""
    if layout.size == 0:
        return None
    position = offset(layout) // layout.itemsize
    sizes = [math.prod(base[axis + 1 :]) for axis in range(len(base))]
    starts = []
    for size in sizes:
        starts.append(position // size)
        position -= starts[-1] * size
    steps, counts = [1] * len(base), [1] * len(base)
    axes = []
    for extent, stride in zip(layout.shape, layout.strides, strict=True):
        axis = _axis_of(base, sizes, starts, counts, extent, stride // layout.itemsize)
        if axis is None:
            return None
        axes.append(axis)
        if axis >= 0:
            steps[axis] = stride // layout.itemsize // sizes[axis]
            counts[axis] = extent
    return Box(tuple(starts), tuple(steps), tuple(counts), tuple(axes))


def _axis_of(
    base: Shape, sizes: list[int], starts: list[int], counts: list[int], extent: int, stride: int
) -> int | None:
    """Return the base axis that a view's axis runs along; -1 for none, None if it has no such."""
    if extent == 1 or stride == 0:
        return -1
    for axis, size in enumerate(sizes):
        if counts[axis] != 1 or base[axis] == 1 or stride % size:
            continue
        last = starts[axis] + stride // size * (extent - 1)
        if 0 <= last < base[axis]:
            return axis
    return None


def read(x: Array, layout: np.ndarray) -> Array:
    """Return the elements of `x` (in C order) that the layout describes."""
    if layout.dtype != x.dtype:
        x = _reinterpret(x, layout.dtype)
    box = box_of(x.shape, layout)
    if box is None:
        if layout.size == 0:
            return lax.full(layout.shape, 0, x.dtype)
        return lax.reshape(x, (x.size,))[_flat_indices(layout)]
    lows, highs, strides, flipped = [], [], [], []
    for axis, (start, step, count) in enumerate(
        zip(box.starts, box.steps, box.counts, strict=True)
    ):
        last = start + step * (count - 1)
        lows.append(min(start, last))
        highs.append(max(start, last) + 1)
        strides.append(abs(step))
        if step < 0 and count > 1:
            flipped.append(axis)
    if (tuple(lows), tuple(highs)) != ((0,) * x.ndim, x.shape) or any(s != 1 for s in strides):
        x = lax.slice(x, lows, highs, strides)
    if flipped:
        x = lax.rev(x, flipped)
    used = [axis for axis in box.axes if axis >= 0]
    unused = tuple(axis for axis in range(x.ndim) if axis not in used)
    if unused:
        x = lax.squeeze(x, unused)
    order = [sorted(used).index(axis) for axis in used]
    if order != sorted(order):
        x = lax.transpose(x, order)
    places = tuple(k for k, axis in enumerate(box.axes) if axis >= 0)
    if x.shape != layout.shape:
        x = lax.broadcast_in_dim(x, layout.shape, places)
    return x


def write(x: Array, new: Array, layout: np.ndarray) -> Array:
    """Return `x` with the elements that the layout describes replaced by those of `new`."""
    if layout.size == 0:
        return x
    box = box_of(x.shape, layout) if layout.dtype == x.dtype else None
    if box is not None and all(step == 1 for step in box.steps):
        return lax.dynamic_update_slice(x, _boxed(new, box), box.starts)
    flat = _reinterpret(x, layout.dtype)
    indices = lax.reshape(_flat_indices(layout), (layout.size, 1))
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    written = lax.scatter(
        flat, indices, lax.reshape(new, (layout.size,)), numbers, mode="promise_in_bounds"
    )
    return lax.reshape(_reinterpret(written, x.dtype), x.shape)


def _boxed(new: Array, box: Box) -> Array:
    """Return the elements to write in the axes of the base."""
    kept = [k for k, axis in enumerate(box.axes) if axis >= 0]
    dropped = tuple(k for k, axis in enumerate(box.axes) if axis < 0)
    if dropped:
        new = lax.squeeze(new, dropped)
    order = sorted(range(len(kept)), key=lambda k: box.axes[kept[k]])
    if order != sorted(order):
        new = lax.transpose(new, order)
    return lax.reshape(new, box.counts)


def _flat_indices(layout: np.ndarray) -> Array:
    """Return the position in the base of each element of a view, computed from iotas."""
    indices = lax.full(layout.shape, offset(layout) // layout.itemsize, np.int64)
    for axis, stride in enumerate(layout.strides):
        if stride and layout.shape[axis] > 1:
            steps = lax.broadcasted_iota(np.int64, layout.shape, axis)
            indices = lax.add(indices, lax.mul(steps, np.int64(stride // layout.itemsize)))
    return indices


def _reinterpret(x: Array, dtype: np.dtype) -> Array:
    """Return the memory of an array as a flat one of another dtype.

    JAX has no such view of complex numbers, which are seen as pairs of their parts.
    """
    if x.dtype == dtype:
        return lax.reshape(x, (x.size,))
    if np.issubdtype(x.dtype, np.complexfloating):
        flat = lax.reshape(x, (x.size, 1))
        return _reinterpret(lax.concatenate([lax.real(flat), lax.imag(flat)], 1), dtype)
    before, after = x.dtype.itemsize, dtype.itemsize
    if dtype.kind == "c":
        parts = _reinterpret(x, np.dtype(f"f{after // 2}"))
        pairs = lax.reshape(parts, (parts.size // 2, 2))
        return lax.complex(pairs[:, 0], pairs[:, 1])
    flat = lax.reshape(x, (x.size,))
    if after > before:
        flat = lax.reshape(flat, (x.size * before // after, after // before))
    found = lax.bitcast_convert_type(flat, dtype)
    return lax.reshape(found, (x.size * before // after,))
