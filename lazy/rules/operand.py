"""What rules take and give: operands, and the steps that are recorded for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dtypes import COMPLEX128, DTYPES, NAMES
from ..layout import whole
from ..machine import OPCODES, import_array, result_of
from ..value import Value, pack

if TYPE_CHECKING:
    from ..types import Shape


_FIRST_STEP, _LAST_STEP = OPCODES["convert_element_type"], OPCODES["project"]
"""Opcodes of the machine's own steps: below are elementwise operations, beyond are kernels."""


class Operand(NamedTuple):
    """A value or number, the layout through which it is seen, its shape and dtype code."""

    value: Value | complex
    layout: np.ndarray | None
    shape: Shape
    code: int

    def header(self) -> np.ndarray:
        """Return the layout, also of a whole value."""
        found = self.layout
        return whole(self.shape, DTYPES[self.code]) if found is None else found


class Spec(NamedTuple):
    """Shape and dtype code of a result."""

    shape: Shape
    code: int


Rule = Callable[[list[Operand], Any, list[Spec]], list[Operand]]
"""Records an equation, given its operands, its params and the specs of its results."""


class Unrecordable(NotImplementedError):
    """The traced function uses a primitive, or a form of one, that has no kernel."""


def constant(array: np.ndarray, code: int) -> Operand:
    """Return a NumPy array of the code's dtype as an operand."""
    return Operand(import_array(array, code), None, array.shape, code)


def number(value: complex, code: int) -> Operand:
    """Return a Python number as an operand without axes."""
    return Operand(value, None, (), code)


def node(
    name: str,
    operands: Sequence[Operand],
    shape: Shape,
    code: int,
    params: Sequence[int] | None = None,
    *,
    operand: int | None = None,
) -> Operand:
    """Record one step; `code` is the result's dtype code.

    `operand` is that of the operands, if not that of the last.
    """
    opcode = OPCODES[name]
    if operand is None:
        operand = operands[-1].code if operands else code
    if opcode > _LAST_STEP:
        operands = [_with_room(x) for x in operands]
    elif opcode < _FIRST_STEP and result_of(opcode, operand) != code:
        raise Unrecordable(f"{name} of {NAMES[operand]} has no kernel")
    layouts = tuple(x.layout for x in operands)
    value = Value(
        pack(opcode, operand, code),
        shape,
        tuple(x.value for x in operands),
        None if all(layout is None for layout in layouts) else layouts,
        None if params is None else tuple(params),
    )
    return Operand(value, None, shape, code)


def nodes(
    name: str,
    operands: Sequence[Operand],
    results: Sequence[Spec],
    params: Sequence[int] | None = None,
    *,
    operand: int | None = None,
) -> list[Operand]:
    """Record a kernel with several results."""
    first = node(name, operands, *results[0], params, operand=operand)
    found = [first]
    for index, (shape, code) in enumerate(results[1:], 1):
        value = Value(pack(OPCODES["project"], code, code), shape, (first.value,), None, (index,))
        found.append(Operand(value, None, shape, code))
    return found


def in_memory(x: Operand) -> Operand:
    """Return an operand that is a value, not a number."""
    return x if isinstance(x.value, Value) else node("copy", [x], x.shape, x.code)


def _with_room(x: Operand) -> Operand:
    """Return a kernel's operand; a complex128 number is larger than a word of a program."""
    return in_memory(x) if x.code == COMPLEX128 else x


def seen_through(x: Operand, layout: np.ndarray) -> Operand:
    """Return an operand through another layout of its memory."""
    return Operand(x.value, layout, layout.shape, x.code)


def converted(x: Operand, code: int) -> Operand:
    """Return an operand in another dtype."""
    return x if x.code == code else node("convert_element_type", [x], x.shape, code)


def elementwise(name: str, *operands: Operand, code: int | None = None) -> Operand:
    """Record an operation on operands of one dtype, all of one shape or without axes."""
    shape = max((x.shape for x in operands), key=len)
    return node(name, operands, shape, operands[-1].code if code is None else code)
