"""Recording one elementwise step: operands that broadcast, and the memory order of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.value import Value, pack

from .broadcasting import broadcast, in_c_order, memory_order
from .handle import Handle, header, value_of
from .making import new_array, unturned
from .promotion import convert_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Scalar, Shape

    Frame = tuple[Shape, Shape, tuple[int, ...] | None]
    """The shape of a result; the same with its axes as they lie in memory; their order there."""

SELECT = OPCODES["select_n"]
"""Its first operand is a mask, whatever the dtype of the others."""


def frame_of(handles: Sequence[Handle]) -> Frame:
    """Return the frame of what handles broadcast to; ValueError as NumPy's when they do not.

    The axes of the result lie in memory as NumPy's would. None stands for C order.
    """
    shape: Shape = ()
    for x in handles:
        shape = broadcast(shape, x._shape)
    if len(shape) > 1 and not all(in_c_order(x._layout) for x in handles):
        order = memory_order(handles, shape)
        if order is not None:
            return shape, tuple([shape[axis] for axis in order]), order
    return shape, shape, None


def step(
    code: int, operands: Sequence[Handle | Scalar], dtypes: Sequence[int | None], frame: Frame
) -> Value:
    """Record a step with this code; its value has the frame's axes as they lie in memory.

    Each handle is converted to its dtype code, unless that is None; numbers must fit.
    """
    inputs = [_input(x, dtype, frame) for x, dtype in zip(operands, dtypes, strict=True)]
    layouts = tuple([layout for _, layout in inputs])
    return Value(
        code,
        frame[1],
        tuple([found for found, _ in inputs]),
        None if all(layout is None for layout in layouts) else layouts,
    )


def _input(
    x: Handle | Scalar, dtype: int | None, frame: Frame
) -> tuple[Value | Scalar, np.ndarray | None]:
    if not isinstance(x, Handle):
        return x, None
    shape, _, order = frame
    layout = x._layout
    if order is not None:
        layout = np.broadcast_to(header(x), shape).transpose(order)
    if dtype is None or x._code == dtype:
        return value_of(x), layout
    target = x._shape if layout is None else layout.shape
    layouts = None if layout is None else (layout,)
    return Value(convert_code(x._code, dtype), target, (value_of(x),), layouts), None


def elementwise(opcode: int, code: int, operands: Sequence[Any]) -> Any:
    """Record an operation on operands that broadcast, at least one of them a handle.

    Handles are converted to the dtype code, all but the mask of a selection; numbers must fit it.
    """
    frame = frame_of([x for x in operands if isinstance(x, Handle)])
    dtypes: list[int | None] = [code] * len(operands)
    if opcode == SELECT:
        dtypes[0] = None
    value = step(pack(opcode, code, code), operands, dtypes, frame)
    return unturned(new_array(value, frame[1], code), frame[2])
