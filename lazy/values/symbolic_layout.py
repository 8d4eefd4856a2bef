"""Layouts whose sizes are known at run time only: what `layout` has NumPy work out, in symbols.

They take part in those of NumPy's functions that rules call on layouts. Sizes are integers, or
objects with their arithmetic: JAX's dimensions, or texts (lazy/compiled/ir/sizes.py). A
`ValueError` says, as NumPy's does, that elements would have to be moved.
"""

from __future__ import annotations

import functools
import operator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .address_space import offset

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SymbolicLayout:
    """Shape, dtype, and where the elements lie: an offset and strides in bytes."""

    def __init__(
        self, shape: Sequence[Any], dtype: np.dtype, offset: Any, strides: Sequence[Any]
    ) -> None:
        self.shape = tuple(shape)
        self.dtype = dtype
        self.offset = offset
        self.strides = tuple(strides)

    @classmethod
    def whole(cls, shape: Sequence[Any], dtype: np.dtype) -> SymbolicLayout:
        """Return the layout of an array in C order."""
        return cls(shape, dtype, 0, _in_order(shape, dtype.itemsize))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """The bytes of all elements."""
        return _product((self.itemsize, *self.shape))

    @property
    def flags(self) -> SimpleNamespace:
        """Whether the elements lie in C order without gaps, as far as one can tell."""
        wanted = _in_order(self.shape, self.itemsize)
        triples = zip(self.shape, self.strides, wanted, strict=True)
        return SimpleNamespace(c_contiguous=all(n == 1 or x == y for n, x, y in triples))

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in _FUNCTIONS:
            return NotImplemented
        return _FUNCTIONS[function](*args, **kwargs)

    def __getitem__(self, index: Any) -> SymbolicLayout:
        """Index by whole numbers, slices with steps of one sign, None and one Ellipsis."""
        index = index if isinstance(index, tuple) else (index,)
        if Ellipsis not in index:
            index = (*index, Ellipsis)
        at = index.index(Ellipsis)
        taken = sum(part is not None for part in index) - 1
        rest = (slice(None),) * (self.ndim - taken)
        offset, extents, axis = self.offset, [], 0
        for part in (*index[:at], *rest, *index[at + 1 :]):
            if part is None:
                extents.append((1, 0))
                continue
            length, stride = self.shape[axis], self.strides[axis]
            axis += 1
            if isinstance(part, slice):
                start, length, step = _bounds(part, length)
                extents.append((length, stride * step))
            else:
                start = part
            offset = offset + stride * start
        shape, strides = zip(*extents, strict=True) if extents else ((), ())
        return SymbolicLayout(shape, self.dtype, offset, strides)

    def transpose(self, *axes: Any) -> SymbolicLayout:
        """Return the layout with its axes in another order."""
        order = axes[0] if len(axes) == 1 and np.iterable(axes[0]) else axes
        picked = [(self.shape[axis], self.strides[axis]) for axis in map(int, order)]
        shape, strides = zip(*picked, strict=True) if picked else ((), ())
        return SymbolicLayout(shape, self.dtype, self.offset, strides)

    def squeeze(self, axes: Sequence[int]) -> SymbolicLayout:
        """Return the layout without axes of length 1."""
        gone = {axis % self.ndim for axis in axes}
        return self.transpose([axis for axis in range(self.ndim) if axis not in gone])

    def reshape(self, *shape: Any) -> SymbolicLayout:
        """Return the layout of the same elements in C order; ValueError if they are not in order.

        Axes of length 1 come and go in any layout.
        """
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        kept = [k for k, n in enumerate(self.shape) if n != 1]
        if [self.shape[k] for k in kept] == [n for n in wanted if n != 1]:
            left = iter(kept)
            strides = [0 if n == 1 else self.strides[next(left)] for n in wanted]
            return SymbolicLayout(wanted, self.dtype, self.offset, strides)
        if not self.flags.c_contiguous:
            raise ValueError("the elements do not lie in C order")
        if list(wanted) == [-1]:
            wanted = (_product(self.shape),)
        return SymbolicLayout(wanted, self.dtype, self.offset, _in_order(wanted, self.itemsize))

    def view(self, dtype: np.dtype) -> SymbolicLayout:
        """Return the layout, in C order, as that of elements of another dtype."""
        own, other = self.itemsize, dtype.itemsize
        if own == other:
            return SymbolicLayout(self.shape, dtype, self.offset, self.strides)
        if not self.flags.c_contiguous:
            raise ValueError("the elements do not lie in C order")
        *first, last = self.shape
        last = last * (own // other) if own > other else last // (other // own)
        shape = (*first, last)
        return SymbolicLayout(shape, dtype, self.offset, _in_order(shape, other))


def _product(lengths: Sequence[Any]) -> Any:
    return functools.reduce(operator.mul, lengths)


def _in_order(shape: Sequence[Any], itemsize: int) -> list[Any]:
    strides: list[Any] = []
    stride: Any = itemsize
    for length in reversed(shape):
        strides.append(stride)
        stride = stride * length
    return strides[::-1]


def _bounds(part: slice, length: Any) -> tuple[Any, Any, int]:
    """Return the first index of a slice, its length and its step."""
    step = 1 if part.step is None else part.step
    start = 0 if part.start is None else part.start
    stop = length if part.stop is None else part.stop
    return start, stop - start if step == 1 else -((start - stop) // step), step


def symbolic(layout: np.ndarray | SymbolicLayout) -> SymbolicLayout:
    """Return a layout of known sizes as one of these."""
    if isinstance(layout, SymbolicLayout):
        return layout
    return SymbolicLayout(layout.shape, layout.dtype, offset(layout), layout.strides)


def broadcast(layout: np.ndarray | SymbolicLayout, shape: Sequence[Any]) -> SymbolicLayout:
    """Return a layout repeated along axes of length 1, and along new first axes."""
    own = symbolic(layout)
    added = len(shape) - own.ndim
    unit = zip((1,) * added + own.shape, (0,) * added + own.strides, shape, strict=True)
    strides = [0 if n == 1 and length != 1 else stride for n, stride, length in unit]
    return SymbolicLayout(shape, own.dtype, own.offset, strides)


def _moveaxis(layout: SymbolicLayout, source: Any, destination: Any) -> SymbolicLayout:
    sources, targets = ([k % layout.ndim for k in np.atleast_1d(x)] for x in (source, destination))
    order = [k for k in range(layout.ndim) if k not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return layout.transpose(order)


def _expand_dims(layout: SymbolicLayout, axis: Any) -> SymbolicLayout:
    axes = (axis,) if isinstance(axis, int) else axis
    rank = layout.ndim + len(axes)
    new = {k % rank for k in axes}
    return layout[tuple(None if k in new else slice(None) for k in range(rank))]


def _flip(layout: SymbolicLayout, axes: Sequence[int]) -> SymbolicLayout:
    offset, strides = layout.offset, list(layout.strides)
    for axis in axes:
        offset = offset + strides[axis] * (layout.shape[axis] - 1)
        strides[axis] = strides[axis] * -1
    return SymbolicLayout(layout.shape, layout.dtype, offset, strides)


_FUNCTIONS: dict[Any, Callable[..., SymbolicLayout]] = {
    np.broadcast_to: broadcast,
    np.expand_dims: _expand_dims,
    np.flip: _flip,
    np.moveaxis: _moveaxis,
    np.reshape: lambda layout, shape, copy=None: layout.reshape(shape),
    np.squeeze: lambda layout, axes: layout.squeeze(axes),
}
