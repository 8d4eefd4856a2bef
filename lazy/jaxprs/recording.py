"""Recordings: the steps of a Jaxpr, recorded again and again without looking at the Jaxpr.

A recording is what the rules of the immediate tier make of a Jaxpr without branches and loops that
depend on values. Recording it costs about 0.4 us a step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..rules.operand import Operand, aside, in_memory, node
from ..rules.shape_code import Unrecordable, shape_code
from ..rules.template import closed_constants, replay
from ..run.machine import OPCODES
from ..values.value import Value, dtype_code, leaf, opcode, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from jax.extend.core import ClosedJaxpr

    from ..values.types import Scalar, Shape
_PRODUCT = OPCODES["dot_general"]


class _Step(NamedTuple):
    code: int
    shape: Shape
    places: tuple[int, ...]
    layouts: tuple[np.ndarray | None, ...] | None
    params: tuple[int, ...] | None


class Recording:
    """The steps of a Jaxpr. A value is named by its place: inputs, constants, then steps."""

    def __init__(
        self,
        constants: Sequence[Value | Scalar],
        steps: Sequence[_Step],
        outputs: Sequence[int],
        work: int,
    ) -> None:
        self._constants = tuple(constants)
        self._steps = tuple(steps)
        self._outputs = tuple(outputs)
        self.work = work
        """What the steps do, counted in elements that they read or make."""

    def __len__(self) -> int:
        return len(self._steps)

    def __call__(self, inputs: Sequence[Value]) -> list[Value]:
        """Record the steps on these inputs; returns the results, which may be inputs."""
        values: list[Any] = [*inputs, *self._constants]
        for code, shape, places, layouts, params in self._steps:
            given = tuple([values[place] for place in places])
            values.append(record(code, shape, given, layouts, params))
        return [values[place] for place in self._outputs]


def recording(closed: ClosedJaxpr) -> Recording | None:
    """Return the recording of a Jaxpr, None for one that has none.

    That is one with branches or long loops, or with a primitive that has no kernel.
    """
    inputs = []
    for var in closed.jaxpr.invars:
        shape, code = shape_code(var)
        inputs.append(leaf(code, shape, None))
    operands = [Operand(x, None, x.shape, dtype_code(x)) for x in inputs]
    try:
        with aside(calls=False) as made:
            results = replay(closed.jaxpr, closed_constants(closed), operands)
            outputs = [_whole(x) for x in results]
    except Unrecordable:
        return None
    return _numbered(inputs, made, outputs)


def _whole(x: Operand) -> Value:
    """Return a result as a value in C order."""
    if x.layout is not None:
        x = node("copy", [x], x.shape, x.code)
    value = in_memory(x).value
    assert isinstance(value, Value)
    return value


def _numbered(
    inputs: Sequence[Value], made: Sequence[Value], outputs: Sequence[Value]
) -> Recording:
    known = {id(value) for value in (*inputs, *made)}
    constants: dict[Any, Value | Scalar] = {}
    for value in (*made, *outputs):
        for x in (*value.inputs, value):
            if not (isinstance(x, Value) and id(x) in known):
                constants.setdefault(identity(x), x)
    order = [*map(id, inputs), *constants, *map(id, made)]
    places = {key: place for place, key in enumerate(order)}
    steps = [
        _Step(x.code, x.shape, tuple(places[identity(y)] for y in x.inputs), x.layouts, x.params)
        for x in made
    ]
    found = [places[id(x)] for x in outputs]
    return Recording(list(constants.values()), steps, found, sum(map(_work, made)))


def _work(step: Value) -> int:
    """Return the most elements that an operand or the result of a step has; products read many."""
    layouts = step.layouts or (None,) * len(step.inputs)
    seen = [
        x.shape if layout is None else layout.shape
        for x, layout in zip(step.inputs, layouts, strict=True)
        if isinstance(x, Value)
    ]
    sizes = list(map(math.prod, seen))
    made = math.prod(step.shape)
    if opcode(step) == _PRODUCT and made:
        # (m k) (k n) (m n) is the square of m k n; several products in one count for more.
        return math.isqrt(math.prod(sizes) * made)
    return max(made, *sizes, 0)


def identity(x: Value | Scalar) -> Any:
    """Return a key for a value or number; numbers that are equal may differ in their type."""
    return id(x) if isinstance(x, Value) else (type(x), repr(x))
