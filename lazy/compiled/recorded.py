"""Primitives written as the steps that the immediate tier records for them (lazy/rules).

So the rule of a primitive is in one place, and what runs at once can be compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import layout as layouts
from ..dtypes import CODES, DTYPES, NAMES
from ..machine import IN_PLACE, OPCODES, export
from ..rules import RULES, Operand
from ..rules import Spec as RuleSpec
from ..rules.operand import CALL, Unrecordable, aside
from ..sites import line_of
from ..value import Value, dtype_code, leaf, opcode, operand_dtype
from .lowering.expand import EXPANSIONS
from .program import Spec, Step, Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax.extend.core import JaxprEqn

    from .reader import Reader

_PROJECT = OPCODES["project"]
_OPERATIONS = {code: name for name, code in OPCODES.items()}
_CODES = {name: code for code, name in enumerate(NAMES)}


def write(
    reader: Reader, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    """Write an equation of a primitive that has a rule; returns its results.

    Raises Unsupported for a form of the primitive that has no kernel.
    """
    leaves = [_leaf(reader.writer.spec(value)) for value in operands]
    given = [Operand(x, None, x.shape, dtype_code(x)) for x in leaves]
    wanted = [RuleSpec(spec.shape, _CODES[spec.dtype]) for spec in results]
    try:
        with aside() as made:
            found = RULES[eqn.primitive.name](given, eqn.params, wanted)
    except Unrecordable as error:
        raise Unsupported(f"{error}, used at {line_of(eqn)}") from None
    steps = _Steps(reader, dict(zip(map(id, leaves), operands, strict=True)), made)
    return [steps.operand(x.value, x.layout, x.code, x.shape) for x in found]


def _leaf(spec: Spec) -> Value:
    return leaf(_CODES[spec.dtype], spec.shape, None)


class _Steps:
    """Recorded steps as values of a program; `numbers` has those of the operands by identity."""

    def __init__(self, reader: Reader, numbers: dict[int, int], steps: Sequence[Value]) -> None:
        self._reader = reader
        self._writer = reader.writer
        self._numbers = numbers
        self._others: dict[int, list[Value]] = {}
        for step in steps:
            if opcode(step) == _PROJECT:
                self._others.setdefault(id(step.inputs[0]), []).append(step)
        for step in steps:
            if opcode(step) != _PROJECT:
                self._write(step)

    def operand(self, value: Any, layout: Any, code: int, shape: tuple[int, ...]) -> int:
        """Return an operand of a step as a value."""
        if not isinstance(value, Value):
            number = self._writer.constant(np.array(value, DTYPES[code]))
            return self._writer.broadcast(number, shape, ())
        number = self._number(value)
        if layout is None:
            return number
        spec = Spec(tuple(layout.shape), NAMES[CODES[layout.dtype]])
        at = {"offset": layouts.offset(layout), "strides": tuple(layout.strides)}
        return self._writer.step("jj_view", [number], spec, **at)

    def _number(self, value: Value) -> int:
        if id(value) not in self._numbers:
            # What is not a step of the rule, nor an operand, is a constant that it has made.
            array = np.array(export(value, dtype_code(value)))
            self._numbers[id(value)] = self._writer.constant(array)
        return self._numbers[id(value)]

    def _write(self, step: Value) -> None:
        seen = step.layouts or (None,) * len(step.inputs)
        code = operand_dtype(step)
        operands = [
            self.operand(x, layout, code, ()) for x, layout in zip(step.inputs, seen, strict=True)
        ]
        if opcode(step) == CALL:
            self._call(step, operands)
            return
        name = _OPERATIONS[opcode(step)]
        if opcode(step) > _PROJECT:
            self._kernel(name, step, operands)
        else:
            self._numbers[id(step)] = self._elementwise(name, operands, _spec(step))

    def _call(self, step: Value, operands: list[int]) -> None:
        jaxpr: Any = step.params
        inputs = len(jaxpr.invars)
        found = self._reader.write(jaxpr, operands[inputs:], operands[:inputs])
        results = self._others.get(id(step), ())
        self._numbers.update(zip(map(id, results), found, strict=True))

    def _kernel(self, name: str, step: Value, operands: list[int]) -> None:
        all_results = [step, *self._others.get(id(step), ())]
        kind = "jj_in_place" if name in IN_PLACE else "jj_kernel"
        params = {"kernel": name, "words": tuple(map(int, step.params or ()))}
        numbers = self._writer.steps(kind, operands, [_spec(x) for x in all_results], params)
        self._numbers.update(zip(map(id, all_results), numbers, strict=True))

    def _elementwise(self, name: str, operands: list[int], result: Spec) -> int:
        if name == "copy":
            own = self._writer.spec(operands[0]).shape
            axes = range(len(result.shape)) if own else ()
            return self._writer.broadcast(operands[0], result.shape, axes)
        if name in EXPANSIONS:
            step = Step(name, tuple(operands), (), ())
            return EXPANSIONS[name](self._writer, step, operands, [result])[0]
        params = {"rounding_method": "TO_NEAREST_EVEN"} if name == "round" else {}
        return self._writer.step(name, operands, result, **params)


def _spec(value: Value) -> Spec:
    return Spec(tuple(value.shape), NAMES[dtype_code(value)])
