"""Layouts: how a view's elements lie in its base's memory, as NumPy itself works it out.

A layout is a NumPy array in address space that is reserved and never touched (`address_space`).
Indexing, transposing and reshaping it gives NumPy's own shapes, strides, flags and error messages
at C speed; where it begins there is the view's offset. For the usual keys the immediate library
makes the same (kernels/vm/record/layouts.mojo). Bases lie in C order. Where sizes are symbols, a
`SymbolicLayout` takes its place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.kernels.facts import OPERAND, numbers

from . import address_space
from .address_space import MEMORY
from .symbolic_layout import SymbolicLayout, broadcast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .types import Shape

MAX_RANK = numbers(OPERAND)["MAX_RANK"]
"""Axes of an array at most: the kernels', and once NumPy's."""


_TOO_BIG = (
    "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
)


def whole(shape: Shape, dtype: np.dtype) -> np.ndarray:
    """Return the layout of an array in C order; with symbols in the shape, a symbolic one."""
    try:
        return np.ndarray(shape, dtype, MEMORY)
    except TypeError as error:
        if _has_symbols(shape):
            return SymbolicLayout.whole(shape, dtype)  # type: ignore[return-value]
        if math.prod(shape) * dtype.itemsize > len(MEMORY):
            if math.prod(shape) * dtype.itemsize >= 1 << 63:
                raise ValueError(_TOO_BIG) from error
            raise np._core._exceptions._ArrayMemoryError(shape, dtype) from error  # type: ignore
        raise


def seen(shape: Shape, dtype: np.dtype, offset: int, strides: Shape) -> np.ndarray:
    """Return the layout of a view: `offset` and `strides` are in bytes."""
    if _has_symbols((*shape, offset, *strides)):
        return SymbolicLayout(shape, dtype, offset, strides)  # type: ignore[return-value]
    if 0 in shape:
        return whole(shape, dtype)
    # NumPy checks that the elements lie in the address space, so that the last ones of a view that
    # runs backwards must not come before its start.
    return np.ndarray(shape, dtype, MEMORY, offset, strides)


def offset(layout: np.ndarray) -> int:
    """Return the byte offset of a layout's first element."""
    if is_symbolic(layout):
        return layout.offset  # type: ignore[attr-defined,no-any-return]
    return address_space.offset(layout)


def repeats(layout: np.ndarray) -> bool:
    """Whether a layout has elements at several places along an axis."""
    pairs = zip(layout.strides, layout.shape, strict=True)
    return any(type(step) is int and step == 0 and n > 1 for step, n in pairs)


def last_places(layout: np.ndarray) -> tuple[Any, ...]:
    """Return the index of the last place of each element along such axes."""
    found = (
        slice(-1, None) if step == 0 and n > 1 else slice(None)
        for step, n in zip(layout.strides, layout.shape, strict=True)
    )
    return (*found, ...)  # of what has no axes, too, it gives a layout


def is_symbolic(layout: object) -> bool:
    """Whether a layout is one in symbols."""
    return isinstance(layout, SymbolicLayout)


def broadcast_to(layout: np.ndarray, shape: Shape) -> np.ndarray:
    """Return a layout repeated along axes of length 1, and along new first axes."""
    if _has_symbols(shape):
        return broadcast(layout, shape)  # type: ignore[return-value]
    return np.broadcast_to(layout, shape)


def _has_symbols(sizes: Iterable[object]) -> bool:
    return not all(isinstance(size, (int, np.integer)) for size in sizes)
