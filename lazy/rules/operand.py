"""What rules take and give: operands, and the steps that are recorded for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..run.machine import OPCODES, result_of
from ..run.transfer import import_array
from ..values.dtypes import COMPLEX128, DTYPES, NAMES
from ..values.layout import whole
from ..values.value import Value, leaf, pack, record
from .shape_code import ShapeCode, Unrecordable, shape_code

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

    from ..values.types import Shape


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


Rule = Callable[[list[Operand], Any, list[ShapeCode]], list[Operand]]
"""Records an equation, given its operands, its params and shape and dtype code of its results."""


class _Thread(threading.local):
    """What a thread does with the steps that rules make, and with Jaxprs that they record."""

    def __init__(self) -> None:
        self.step: Callable[..., Value] = record
        self.call: Callable[[Jaxpr, Sequence[Operand], Sequence[Operand]], list[Operand]] | None
        self.call = None

    @property
    def aside(self) -> bool:
        """Whether steps are kept out of the log, so that nothing can be computed."""
        return self.step is not record


thread = _Thread()
CALL = 0xFFFF
"""In place of an opcode: a Jaxpr, which is the params, is to be written here."""


@contextmanager
def aside(*, calls: bool = True) -> Iterator[list[Value]]:
    """Keep the steps that rules make out of the log: they are put into the list that is given.

    With `calls`, a Jaxpr that a rule records is one step, whose inputs are those of the Jaxpr and
    its constants.
    """
    made: list[Value] = []

    def step(
        code: int, shape: Shape, inputs: Any, layouts: Any = None, params: Any = None
    ) -> Value:
        value = leaf(0, shape, None)
        value.code, value.inputs, value.layouts, value.params = code, inputs, layouts, params
        made.append(value)
        return value

    def call(
        jaxpr: Jaxpr, constants: Sequence[Operand], operands: Sequence[Operand]
    ) -> list[Operand]:
        given = [in_memory(x) for x in (*operands, *constants)]
        values = tuple(x.value for x in given)
        results = [shape_code(atom) for atom in jaxpr.outvars]
        first = step(CALL, (), values, tuple(x.layout for x in given), jaxpr)
        return [
            Operand(
                step(pack(_LAST_STEP, code, code), shape, (first,), None, (k,)), None, shape, code
            )
            for k, (shape, code) in enumerate(results)
        ]

    before = thread.step, thread.call
    thread.step, thread.call = step, call if calls else None
    try:
        yield made
    finally:
        thread.step, thread.call = before


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
    elif opcode < _FIRST_STEP:
        alike = operands[1:] if name == "select_n" else operands
        if result_of(opcode, operand) != code or any(x.code != operand for x in alike):
            kinds = ", ".join(NAMES[x.code] for x in operands)
            raise Unrecordable(f"{name} of {kinds} has no kernel")
    layouts = tuple(x.layout for x in operands)
    value = thread.step(
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
    results: Sequence[ShapeCode],
    params: Sequence[int] | None = None,
    *,
    operand: int | None = None,
) -> list[Operand]:
    """Record a kernel with several results."""
    first = node(name, operands, *results[0], params, operand=operand)
    found = [first]
    for index, (shape, code) in enumerate(results[1:], 1):
        value = thread.step(
            pack(OPCODES["project"], code, code), shape, (first.value,), None, (index,)
        )
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
