"""Shapes of results, and the memory order NumPy would choose for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .handle import header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

    from .handle import Handle


def shown(shape: tuple[int, ...]) -> str:
    """Return a shape as NumPy's messages have it, without spaces."""
    return str(shape).replace(" ", "")


def broadcast(a: Shape, b: Shape) -> Shape:
    """Return the shape that two shapes broadcast to; ValueError as NumPy's when they do not."""
    if not a:
        return b
    if not b:
        return a
    if len(a) < len(b):
        longer, shorter = b, a
    else:
        longer, shorter = a, b
    shape = list(longer)
    start = len(longer) - len(shorter)
    for axis, extent in enumerate(shorter, start):
        other = shape[axis]
        if other == 1:
            shape[axis] = extent
        elif extent not in (1, other):
            raise _mismatch(a, b)
    return tuple(shape)


def _mismatch(*shapes: Shape) -> ValueError:
    listed = " ".join(map(shown, shapes))
    return ValueError(f"operands could not be broadcast together with shapes {listed} ")


def in_c_order(layout: np.ndarray | None) -> bool:
    """Whether a view's axes run from the largest stride to the smallest, so that K means C."""
    if layout is None:
        return True
    before = None
    for extent, stride in zip(layout.shape, layout.strides, strict=True):
        if extent > 1 and stride:
            size = abs(stride)
            if before is not None and size > before:
                return False
            before = size
    return True


def memory_order(operands: Sequence[Handle], shape: Shape) -> tuple[int, ...] | None:
    """Return the axes of a new array from outermost to innermost in memory; None for C order.

    NumPy's nditer decides (order='K'); it reads strides, not elements.
    """
    headers: list[Any] = [header(x) for x in operands]
    make: Any = np.nditer
    iterator = make(
        [*headers, None],
        flags=["zerosize_ok", "refs_ok"],
        order="K",
        op_flags=[["readonly"]] * len(headers) + [["writeonly", "allocate"]],
        op_dtypes=[h.dtype for h in headers] + [np.dtype("u1")],
        casting="unsafe",
    )
    strides = iterator.operands[-1].strides
    order = tuple(sorted(range(len(shape)), key=lambda axis: -strides[axis]))
    return None if order == tuple(range(len(shape))) else order
