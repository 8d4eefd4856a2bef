"""Layouts: how a view's elements lie in its base's memory, as NumPy itself works it out.

A layout is a NumPy array over a region of memory that is reserved and never touched. Indexing,
transposing and reshaping it gives NumPy's own shapes, strides, flags and error messages at C speed;
its data pointer minus the region's start is the view's offset. Bases lie in C order.
"""

from __future__ import annotations

import math
import mmap
from typing import TYPE_CHECKING

import numpy as np

from jujunp.kernels.facts import OPERAND, numbers

from .symbolic_layout import SymbolicLayout, broadcast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .types import Shape

MAX_RANK = numbers(OPERAND)["MAX_RANK"]
"""Axes of an array at most: the kernels', and once NumPy's."""
_NORESERVE = 0x4000


def _reserve() -> mmap.mmap:
    """Reserve address space, as much as the system grants: no memory stands behind it."""
    for power in range(42, 29, -2):
        try:
            return mmap.mmap(
                -1,
                1 << power,
                flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE,
                prot=mmap.PROT_READ,
            )
        except OSError:
            continue
    raise MemoryError("no address space is left to describe arrays in")


_REGION = _reserve()
REGION_ADDRESS: int = np.ndarray((1,), np.uint8, _REGION).ctypes.data


def whole(shape: Shape, dtype: np.dtype) -> np.ndarray:
    """Return the layout of an array in C order; with symbols in the shape, a symbolic one."""
    try:
        return np.ndarray(shape, dtype, _REGION)
    except TypeError as error:
        if _has_symbols(shape):
            return SymbolicLayout.whole(shape, dtype)  # type: ignore[return-value]
        if math.prod(shape) * dtype.itemsize > len(_REGION):
            raise MemoryError(
                f"an array of shape {shape} and dtype {dtype} is too large"
            ) from error
        raise


def seen(shape: Shape, dtype: np.dtype, offset: int, strides: Shape) -> np.ndarray:
    """Return the layout of a view: `offset` and `strides` are in bytes."""
    if _has_symbols((*shape, offset, *strides)):
        return SymbolicLayout(shape, dtype, offset, strides)  # type: ignore[return-value]
    if 0 in shape:
        return whole(shape, dtype)
    # NumPy checks that the elements lie in the region, so that the last ones of a view that runs
    # backwards must not come before its start.
    return np.ndarray(shape, dtype, _REGION, offset, strides)


def offset(layout: np.ndarray) -> int:
    """Return the byte offset of a layout's first element."""
    if is_symbolic(layout):
        return layout.offset  # type: ignore[attr-defined,no-any-return]
    return int(layout.__array_interface__["data"][0]) - REGION_ADDRESS


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
