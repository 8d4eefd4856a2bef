"""Sums of one array at several places of another, as stencils have them in their derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...jaxprs.strided import box_of
from ...rules.operand import Operand, elementwise, node, number, seen_through
from ..templates import layout_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ...values.types import Shape

LEAST = 3
"""Places from which on it pays to lay zeros around the array: the sum is one group of steps."""


def start_of(base: Shape, layout: np.ndarray) -> Shape | None:
    """Return where a rectangle of a base begins that a layout describes; None for no such."""
    if len(layout.shape) != len(base):
        return None
    box = box_of(base, layout)
    if box is None or any(step != 1 for step in box.steps):
        return None
    axes = zip(box.axes, layout.shape, strict=True)
    if any(axis != k and extent != 1 for k, (axis, extent) in enumerate(axes)):
        return None
    return box.starts


def total(x: Operand, starts: Sequence[Shape], base: Shape) -> Operand:
    """Return the sum of an array at several places of a base that is zero elsewhere."""
    last = [max(axis) for axis in zip(*starts, strict=True)]
    first = [min(axis) for axis in zip(*starts, strict=True)]
    shape = tuple(n + high - low for n, high, low in zip(base, last, first, strict=True))
    params: list[int] = []
    for high, extent, whole in zip(last, x.shape, shape, strict=True):
        params += [high, whole - high - extent, 0]
    wide = node("pad", [x, number(0.0, x.code)], shape, x.code, params)
    seen = layout_of(wide)
    shifted = [
        seen_through(
            wide,
            seen[
                tuple(
                    slice(high - start, high - start + extent)
                    for high, start, extent in zip(last, place, base, strict=True)
                )
            ],
        )
        for place in starts
    ]
    found = shifted[0]
    for part in shifted[1:]:
        found = elementwise("add", found, part)
    return found
