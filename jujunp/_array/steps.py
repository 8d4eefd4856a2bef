"""Recording a kernel: one structured primitive with its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import COMPLEX128
from jujunp.lazy.values.value import Value, pack, record

from .array_likes import as_handle
from .handle import Handle, value_of
from .making import new_array, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from jujunp.lazy.values.types import Scalar, Shape

PROJECT = OPCODES["project"]


def kernel(
    name: str,
    operands: Sequence[Handle | Scalar],
    shape: Shape,
    code: int,
    params: Sequence[int] | None = None,
    *,
    result: int | None = None,
    layouts: Sequence[np.ndarray | None] | None = None,
) -> Value:
    """Record a kernel and return its (first) result.

    Args:
        name: The kernel.
        operands: Handles and numbers.
        shape: Shape of the result.
        code: Dtype code of the operands.
        params: Integer parameters.
        result: Dtype code of the result, if not `code`.
        layouts: How each operand is read, if not as its handle says.
    """
    seen = [x._layout if isinstance(x, Handle) else None for x in operands]
    if layouts is not None:
        seen = list(layouts)
    return record(
        pack(OPCODES[name], code, code if result is None else result),
        shape,
        tuple(_input(x, code) for x in operands),
        None if all(layout is None for layout in seen) else tuple(seen),
        None if params is None else tuple(params),
    )


def _input(x: Handle | Scalar, code: int) -> Value | Scalar:
    """Return a kernel's operand; a complex128 number is larger than a word of a program."""
    if isinstance(x, Handle):
        return value_of(x)
    return value_of(as_handle(x, code)) if code == COMPLEX128 else x


def project(value: Value, index: int, shape: Shape, code: int) -> Value:
    """Record a further result of a kernel; all of them, in order, right behind the kernel."""
    return record(pack(PROJECT, code, code), shape, (value,), None, (index,))


def result(value: Value, code: int) -> Any:
    """Return a handle of a recorded value: a scalar when it has no axes."""
    return wrap(value, value.shape, code)


def array_result(value: Value, code: int) -> Any:
    """Return an array of a recorded value, also when it has no axes."""
    return new_array(value, value.shape, code)
