"""Values: immutable, either with a buffer or pending, and the log of those that are pending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from ..run.sites import Site
    from .types import Scalar, Shape

LIMIT = 1000
"""Pending values past which a flush happens by itself."""


class Value:
    """An array that does not change: computed (it has a buffer) or pending (it has inputs).

    `code` packs the opcode (16 bits), the dtype code of the operands and that of the result (8 bits
    each). Each input is a Value or a Python number; `layouts`, unless it is None, holds for each
    input None or the layout through which it is read. The planner reads these fields in place
    (kernels/vm/plan/planner.mojo), and decides by the reference count whether anyone still wants
    the value.
    """

    __slots__ = ("buffer", "code", "inputs", "layouts", "params", "shape", "site")

    site: Site | None
    """File and line that recorded a step that can fail; not set for others."""

    def __init__(
        self,
        code: int,
        shape: Shape,
        inputs: tuple[Value | Scalar, ...],
        layouts: tuple[np.ndarray | None, ...] | None = None,
        params: tuple[int, ...] | None = None,
    ) -> None:
        self.code = code
        self.shape = shape
        self.inputs = inputs
        self.layouts = layouts
        self.params = params
        self.buffer: Any = None
        log_append(self)


LOG: list[Value] = []
"""All pending values in recording order."""
log_append = LOG.append


def leaf(code: int, shape: Shape, buffer: object) -> Value:
    """Return a value that has its buffer; `code` is a dtype code."""
    value = Value.__new__(Value)
    value.code = code << 24
    value.shape = shape
    value.inputs = ()
    value.layouts = None
    value.params = None
    value.buffer = buffer
    return value


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
