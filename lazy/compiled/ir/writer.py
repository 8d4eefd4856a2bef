"""Writes IRs step by step, merging equal steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...values.dtypes import name_of
from .graph_ir import GraphIR, Step, TensorSpec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from .graph_ir import Plain


class Writer:
    """Writes the steps of a new IR; values are the numbers that its methods return."""

    def __init__(self, inputs: Sequence[TensorSpec]) -> None:
        self._specs: list[TensorSpec] = list(inputs)
        self._inputs = len(inputs)
        self._steps: list[Step] = []
        self._constants: dict[int, np.ndarray] = {}
        self._known: dict[tuple[object, ...], list[int]] = {}
        self._makers: dict[int, Step] = {}

    def spec(self, value: int) -> TensorSpec:
        """Return the shape and dtype of a value."""
        return self._specs[value]

    def constant(self, array: np.ndarray) -> int:
        """Return an array as a value."""
        spec = TensorSpec(array.shape, name_of(array.dtype))
        key = ("constant", spec, array.tobytes())
        if key not in self._known:
            self._known[key] = self._new([spec])
            self._constants[self._known[key][0]] = array
        return self._known[key][0]

    def steps(
        self,
        name: str,
        operands: Sequence[int],
        results: Sequence[TensorSpec],
        params: Mapping[str, Plain],
    ) -> list[int]:
        """Add a step, or find the equal one that is there; returns its results."""
        ordered = tuple(sorted(params.items()))
        # By their text: as keys, 1 and True would be equal.
        key = (name, *operands, repr(ordered) if ordered else "", *results)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._new(results)
            made = tuple(known)
            step = Step(name, tuple(operands), ordered, made)
            self._steps.append(step)
            self._makers.update(dict.fromkeys(made, step))
        return known

    def step(self, name: str, operands: Sequence[int], result: TensorSpec, **params: Plain) -> int:
        """Add a step that has one result."""
        return self.steps(name, operands, [result], params)[0]

    def kernel(
        self, name: str, operands: Sequence[int], result: TensorSpec, words: Sequence[int] = ()
    ) -> int:
        """Add a run of the structured kernel `name` with integer parameters."""
        return self.step("jj_kernel", operands, result, kernel=name, words=tuple(words))

    def concatenated(self, values: Sequence[int], result: TensorSpec, axis: int) -> int:
        """Return values one behind the other along an axis."""
        return self.kernel("concatenate", values, result, [axis])

    def zeros(self, spec: TensorSpec) -> int:
        """Return an array of zeros."""
        return self.broadcast(self.scalar(0, spec.dtype), spec.shape, ())

    def inline(self, ir: GraphIR, operands: Sequence[int]) -> list[int]:
        """Write the steps of an IR with these values as its inputs; returns its outputs."""
        values = [*operands, *(self.constant(constant) for constant in ir.constants)]
        for step in ir.steps:
            specs = [ir.specs[value] for value in step.results]
            given = [values[value] for value in step.operands]
            values += self.steps(step.name, given, specs, dict(step.params))
        return [values[value] for value in ir.outputs]

    def count(self, length: int, dtype: str) -> int:
        """Return the value 0, 1, 2 ... of one axis."""
        counted = "int64" if dtype == "bool" or dtype.startswith("complex") else dtype
        return self.convert(self.step("jj_count", [], TensorSpec((length,), counted)), dtype)

    def same(self, name: str, *operands: int) -> int:
        """Add an elementwise step whose result is like its first operand."""
        return self.step(name, operands, self.spec(operands[0]))

    def compare(self, name: str, *operands: int) -> int:
        """Add an elementwise step whose result is bool."""
        return self.step(name, operands, TensorSpec(self.spec(operands[0]).shape, "bool"))

    def convert(self, value: int, dtype: str) -> int:
        """Return the value in another dtype."""
        spec = self.spec(value)
        if spec.dtype == dtype:
            return value
        return self.step(
            "convert_element_type", [value], TensorSpec(spec.shape, dtype), new_dtype=dtype
        )

    def scalar(self, number: float, dtype: str) -> int:
        """Return a number as a value without axes."""
        return self.constant(np.array(number, dtype))

    def reshape(self, value: int, shape: Sequence[int]) -> int:
        """Return the value's elements in C order in another shape."""
        spec = self.spec(value)
        if spec.shape == tuple(shape):
            return value
        return self.step(
            "reshape", [value], TensorSpec(tuple(shape), spec.dtype), new_sizes=tuple(shape)
        )

    def transpose(self, value: int, permutation: Sequence[int]) -> int:
        """Return the value with its axes in another order."""
        spec = self.spec(value)
        if list(permutation) == list(range(len(spec.shape))):
            return value
        result = TensorSpec(tuple(spec.shape[axis] for axis in permutation), spec.dtype)
        return self.step("transpose", [value], result, permutation=tuple(permutation))

    def broadcast(self, value: int, shape: Sequence[int], axes: Sequence[int]) -> int:
        """Return the value repeated: its axis k is axis `axes[k]` of the result."""
        spec = self.spec(value)
        if spec.shape == tuple(shape):
            return value
        result = TensorSpec(tuple(shape), spec.dtype)
        params = {"shape": tuple(shape), "broadcast_dimensions": tuple(axes)}
        return self.step("broadcast_in_dim", [value], result, **params)

    def slice(self, value: int, starts: Sequence[int], stops: Sequence[int]) -> int:
        """Return a part of the value; whole axes may have symbolic lengths."""
        spec = self.spec(value)
        axes = zip(spec.shape, starts, stops, strict=True)
        shape = tuple(n if (start, stop) == (0, n) else stop - start for n, start, stop in axes)
        if shape == spec.shape:
            return value
        bounds = {"start_indices": tuple(starts), "limit_indices": tuple(stops), "strides": None}
        return self.step("slice", [value], TensorSpec(shape, spec.dtype), **bounds)

    def along(self, value: int, axis: int, start: int, stop: int) -> int:
        """Return a part of the value along one axis."""
        shape = self.spec(value).shape
        starts = [0] * len(shape)
        stops = list(shape)
        starts[axis], stops[axis] = start, stop
        return self.slice(value, starts, stops)

    def together(self, values: Sequence[int]) -> list[int]:
        """Return values of one shape and dtype as parts of one, if they are more than two.

        A kernel's operands count by the memory in which they are.
        """
        if len(values) <= 2:
            return list(values)
        spec = self.spec(values[0])
        layers = [self.reshape(value, (1, *spec.shape)) for value in values]
        result = TensorSpec((len(values), *spec.shape), spec.dtype)
        stack = self.kernel("concatenate", layers, result, [0])
        parts = [self.along(stack, 0, at, at + 1) for at in range(len(values))]
        return [self.reshape(part, spec.shape) for part in parts]

    def maker_of(self, value: int) -> Step | None:
        """Return the step that a value is a result of, None for inputs and constants."""
        return self._makers.get(value)

    def value_of(self, value: int) -> np.ndarray | None:
        """Return the array that a value is if it is a constant."""
        return self._constants.get(value)

    def ir(self, outputs: Sequence[int]) -> GraphIR:
        """Return what was written, without what the outputs do not need."""
        return renumbered(range(self._inputs), self._constants, self._steps, self._specs, outputs)

    def _new(self, specs: Sequence[TensorSpec]) -> list[int]:
        first = len(self._specs)
        self._specs += specs
        return list(range(first, len(self._specs)))


def renumbered(
    inputs: Sequence[int],
    constants: Mapping[int, np.ndarray],
    steps: Sequence[Step],
    specs: Sequence[TensorSpec],
    outputs: Sequence[int],
) -> GraphIR:
    """Return the steps that the outputs need as an IR, its values numbered in order.

    `inputs` are the values that become inputs.
    """
    needed = set(outputs)
    kept = []
    for step in reversed(steps):
        if not needed.isdisjoint(step.results):
            found = _without_unused_stacks(step, needed) if step.name == "jj_scan" else step
            needed.update(found.operands)
            kept.append(found)
    kept.reverse()
    used = {value: array for value, array in constants.items() if value in needed}
    results = [value for step in kept for value in step.results]
    order = [*inputs, *used, *results]
    new = {old: number for number, old in enumerate(order)}
    return GraphIR(
        len(inputs),
        tuple(used.values()),
        tuple(_with_numbers(step, new) for step in kept),
        tuple(specs[old] for old in order),
        tuple(new[value] for value in outputs),
    )


def _without_unused_stacks(scan: Step, needed: Set[int]) -> Step:
    """Return a loop that fills only memory that is read: MAX frees other memory before it ends."""
    _, carried = scan.param("counts")
    kept = [k for k, x in enumerate(scan.results) if k < carried or x in needed]
    if len(kept) == len(scan.results):
        return scan
    body = scan.param("body")
    outputs = [body.outputs[k] for k in kept]
    constants = dict(enumerate(body.constants, body.inputs))
    smaller = renumbered(range(body.inputs), constants, body.steps, body.specs, outputs)
    return scan._replace(
        params=tuple((key, smaller if key == "body" else x) for key, x in scan.params),
        results=tuple(scan.results[k] for k in kept),
    )


def _with_numbers(step: Step, new: Mapping[int, int]) -> Step:
    operands = tuple(new[value] for value in step.operands)
    return Step(step.name, operands, step.params, tuple(new[value] for value in step.results))
