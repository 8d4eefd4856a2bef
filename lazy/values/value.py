"""Values: immutable, either with a buffer or pending, and the log of those that are pending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..library import TYPES

if TYPE_CHECKING:
    from types import CodeType

    import numpy as np

    from ..run.sites import Site
    from .types import Scalar, Shape

LIMIT = 1000
"""Pending values past which a flush happens by itself."""

if TYPE_CHECKING:

    class Value:
        """An array that does not change: computed (it has a buffer) or pending (it has inputs).

        `code` packs the opcode (16 bits), the dtype code of the operands and that of the result (8
        bits each). Each input is a Value or a Python number; `layouts`, unless it is None, holds
        for each input None or the layout through which it is read.

        Not all have what follows: `site` is the file and line that recorded a step that can fail,
        or the user's code whose line recorded one that can warn, `within` the limits that integers
        were found to lie in, the first and the first beyond, `mark` (0 for most) the number by
        which a transformation knows the value, `errors` the error state in which it was recorded
        (lazy/run/errors.py).

        The type is the immediate library's (kernels/vm/base/types.mojo). The planner reads its
        fields in place, and decides by the reference count whether anyone still wants the value.
        """

        code: int
        shape: Shape
        inputs: tuple[Value | Scalar, ...]
        layouts: tuple[np.ndarray | None, ...] | None
        params: tuple[int, ...] | None
        buffer: Any
        site: CodeType | Site | None
        within: tuple[int, int]
        mark: int
        errors: int

    def record(
        code: int,
        shape: Shape,
        inputs: tuple[Value | Scalar, ...],
        layouts: tuple[np.ndarray | None, ...] | None = None,
        params: tuple[int, ...] | None = None,
        /,
    ) -> Value:
        """Return a pending value, which is now the last of the log."""
        ...

    def leaf(code: int, shape: Shape, buffer: object, /) -> Value:
        """Return a value that has its buffer; `code` is a dtype code."""
        ...

else:
    Value, record, leaf = (TYPES[name] for name in ("Value", "record", "leaf"))

LOG: list[Value] = []
"""All pending values in recording order."""


def opcode(value: Value) -> int:
    """Return what operation computes a pending value."""
    return value.code & 0xFFFF


def operand_dtype(value: Value) -> int:
    """Return the dtype code of a pending value's operands."""
    return value.code >> 16 & 0xFF


def dtype_code(value: Value) -> int:
    """Return the dtype code of a value."""
    return value.code >> 24


def pack(operation: int, operands: int, result: int) -> int:
    """Return the `code` of an opcode with the dtype codes of its operands and result."""
    return operation | operands << 16 | result << 24
