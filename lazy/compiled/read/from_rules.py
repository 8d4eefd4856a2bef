"""Primitives written as the steps that the immediate tier records for them (lazy/rules).

So the rule of a primitive is in one place, and what runs at once can be compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...rules import RULES, Operand, ShapeCode, Unrecordable
from ...rules.operand import CALL, aside
from ...run.machine import IN_PLACE, OPCODES, OPERATIONS
from ...run.transfer import export
from ...values import layout as layouts
from ...values.dtypes import CODES, DTYPES, NAMED, NAMES
from ...values.value import Value, dtype_code, leaf, opcode, operand_dtype
from ..ir.graph_ir import Step, TensorSpec, Unsupported
from ..lower.expand import EXPANSIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax.extend.core import JaxprEqn

    from .reader import Reader

_PROJECT = OPCODES["project"]


def write(
    reader: Reader, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    """Write an equation of a primitive that has a rule; returns its results.

    Raises Unsupported for a form of the primitive that has no kernel.
    """
    leaves = [_leaf(reader.writer.spec(value)) for value in operands]
    given = [Operand(x, None, x.shape, dtype_code(x)) for x in leaves]
    wanted = [ShapeCode(spec.shape, NAMED[spec.dtype]) for spec in results]
    try:
        with aside() as made:
            found = RULES[eqn.primitive.name](given, eqn.params, wanted)
    except Unrecordable as error:
        raise Unsupported(str(error)) from None
    steps = Steps(reader, dict(zip(map(id, leaves), operands, strict=True)), made)
    return [steps.operand(x.value, x.layout, x.code, x.shape) for x in found]


def _leaf(spec: TensorSpec) -> Value:
    return leaf(NAMED[spec.dtype], spec.shape, None)


class Steps:
    """Recorded steps as values of an IR; `numbers` has those of the operands by identity."""

    def __init__(self, reader: Reader, numbers: dict[int, int], steps: Sequence[Value]) -> None:
        self.reader = reader
        self.writer = reader.writer
        self._numbers = numbers
        others: dict[int, list[Value]] = {}
        for step in steps:
            if opcode(step) == _PROJECT:
                others.setdefault(id(step.inputs[0]), []).append(step)
        for step in steps:
            if opcode(step) != _PROJECT:
                self._write(step, others.get(id(step), []))

    def plain(self, sizes: Any) -> Any:
        """Return sizes as an IR has them."""
        return sizes

    def scalar(self, number: Any, code: int) -> int:
        """Return a number as a value."""
        return self.writer.constant(np.array(number, DTYPES[code]))

    def view(self, number: int, layout: Any) -> int:
        """Return a value as a step sees it."""
        spec = TensorSpec(self.plain(tuple(layout.shape)), NAMES[CODES[layout.dtype]])
        offset, *strides = self.plain((layouts.offset(layout), *layout.strides))
        at = {"offset": offset, "strides": tuple(strides)}
        return self.writer.step("jj_view", [number], spec, **at)

    def call(self, jaxpr: Any, operands: list[int]) -> list[int]:
        """Write a step that holds a Jaxpr, whose constants come after its inputs."""
        inputs = len(jaxpr.invars)
        return self.reader.write(jaxpr, operands[inputs:], operands[:inputs])

    def operand(self, value: Any, layout: Any, code: int, shape: tuple[Any, ...]) -> int:
        """Return an operand of a step as a value."""
        if not isinstance(value, Value):
            number = self.scalar(value, code)
            return self.writer.broadcast(number, self.plain(shape), ())
        number = self._number(value)
        return number if layout is None else self.view(number, layout)

    def _number(self, value: Value) -> int:
        if id(value) not in self._numbers:
            # What is not a step of the rule, nor an operand, is a constant that it has made.
            array = np.array(export(value, dtype_code(value)))
            self._numbers[id(value)] = self.writer.constant(array)
        return self._numbers[id(value)]

    def _write(self, step: Value, others: list[Value]) -> None:
        seen = step.layouts or (None,) * len(step.inputs)
        code = operand_dtype(step)
        operands = [
            self.operand(x, layout, code, ()) for x, layout in zip(step.inputs, seen, strict=True)
        ]
        if opcode(step) == CALL:
            results, made = others, self.call(step.params, operands)
        else:
            results = [step, *others]
            specs = [TensorSpec(self.plain(tuple(x.shape)), NAMES[dtype_code(x)]) for x in results]
            made = self._operation(OPERATIONS[opcode(step)], step, operands, specs)
        self._numbers.update(zip(map(id, results), made, strict=True))

    def _operation(
        self, name: str, step: Value, operands: list[int], results: list[TensorSpec]
    ) -> list[int]:
        if opcode(step) > _PROJECT:
            kind = "jj_in_place" if name in IN_PLACE else "jj_kernel"
            words = self.plain(tuple(step.params or ()))
            return self.writer.steps(kind, operands, results, {"kernel": name, "words": words})
        if name == "copy":
            shape = results[0].shape
            axes = range(len(shape)) if self.writer.spec(operands[0]).shape else ()
            return [self.writer.broadcast(operands[0], shape, axes)]
        if name in EXPANSIONS:
            expanded = Step(name, tuple(operands), (), ())
            return list(EXPANSIONS[name](self.writer, expanded, operands, results))
        params = {"rounding_method": "TO_NEAREST_EVEN"} if name == "round" else {}
        return self.writer.steps(name, operands, results, params)
