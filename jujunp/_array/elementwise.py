"""Recording one elementwise step: operands that broadcast, and the memory order of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import DTYPES, is_integer
from jujunp.lazy.values.layout import offset
from jujunp.lazy.values.value import Value, dtype_code, pack, record

from .arguments import NUMPY, common_code
from .broadcasting import broadcast, in_c_order, memory_order
from .handle import Handle, header, value_of
from .making import new_array, unturned
from .promotion import as_number, convert_code

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
    shape = handles[0]._shape
    for x in handles[1:]:
        if x._shape != shape:
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
    inputs: list[Value | Scalar] = []
    layouts: list[np.ndarray | None] = []
    for x, dtype in zip(operands, dtypes, strict=True):
        if isinstance(x, Handle):
            value, layout = _read(x, dtype, frame)
            inputs.append(value)
            layouts.append(layout)
        else:
            inputs.append(x)
            layouts.append(None)
    whole = all(layout is None for layout in layouts)
    return record(code, frame[1], tuple(inputs), None if whole else tuple(layouts))


def _read(x: Handle, dtype: int | None, frame: Frame) -> tuple[Value, np.ndarray | None]:
    shape, _, order = frame
    layout, target = x._layout, x._shape
    if order is not None:
        layout = np.broadcast_to(header(x), shape).transpose(order)
    if layout is not None:
        target = layout.shape
        if order is not None and _is_whole(layout, value_of(x)):
            layout = None  # so that the planner sees steps on one and the same shape
    if dtype is None or x._code == dtype:
        return value_of(x), layout
    layouts = None if layout is None else (layout,)
    return record(convert_code(x._code, dtype), target, (value_of(x),), layouts), None


def _is_whole(layout: np.ndarray, value: Value) -> bool:
    """Whether a layout sees a value as it is."""
    return (
        layout.shape == value.shape
        and layout.flags.c_contiguous
        and layout.dtype == DTYPES[dtype_code(value)]
        and offset(layout) == 0
    )


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


def fitting(x: Any, code: int) -> Any:
    """Return an operand whose number is of a dtype; OverflowError for an integer that is not."""
    return x if isinstance(x, Handle) else as_number(x, code)


def wrapping(x: Any, code: int) -> Any:
    """Return an operand whose number is of a dtype.

    OverflowError for an integer that is not, which before NumPy 2.5 wraps around if it has 64 bits.
    """
    if type(x) is int and is_integer(code) and NUMPY < (2, 5):
        if not -(1 << 63) <= x < 1 << 64:
            raise OverflowError("Python int too large to convert to C long")
        bits = 8 * DTYPES[code].itemsize
        x &= (1 << bits) - 1
        return x - (1 << bits) if DTYPES[code].kind == "i" and x >> (bits - 1) else x
    return fitting(x, code)


def pick(mask: Handle, if_true: Any, if_false: Any) -> Any:
    """Record one of two operands for each element of a mask, promoted and broadcast."""
    operands = [if_true, if_false]
    code = common_code(operands)
    true, false = (wrapping(x, code) for x in operands)
    return elementwise(SELECT, code, (mask, false, true))
