"""Lowering a program: views are followed, regions fused, kernels called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import layout as layouts
from ...dtypes import NAMES
from ..program import Spec
from . import elementwise, expand
from .calls import ANCHOR, Caller
from .kernels import KERNELS
from .regions import Fold, Region, regions
from .values import Placed, in_flat_memory, in_memory
from .views import VIEWS, check_view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..maxapi import GraphBuilder, Tensor
    from ..program import Program, Step

MAX_RANK = 8
LARGEST_CONSTANT = 1 << 24
"""Bytes of a constant at most: constants are part of what is kept on disk."""

LARGEST_FOLDED = 1024
"""Elements at most of what MAX may compute in advance."""

_DTYPES = frozenset(NAMES) - {"float16", "bfloat16", "complex64", "complex128"}


def reason(program: Program) -> str:
    """Return why a program cannot be lowered, or "" if it can."""
    for spec in program.specs:
        if spec.dtype not in _DTYPES:
            return f"dtype {spec.dtype}"
        if len(spec.shape) > MAX_RANK:
            return f"{len(spec.shape)} dimensions"
    if any(constant.nbytes > LARGEST_CONSTANT for constant in program.constants):
        return "a constant that is too large to keep"
    for step in program.steps:
        operands = [program.specs[value] for value in step.operands]
        results = [program.specs[value] for value in step.results]
        if why := expand.check(step, operands, results):
            return why
    expanded = expand.expand(program)
    for step in expanded.steps:
        operands = [expanded.specs[value] for value in step.operands]
        results = [expanded.specs[value] for value in step.results]
        if why := _check(step, operands, results):
            return why
    return ""


def _check(step: Step, operands: Sequence[Spec], results: Sequence[Spec]) -> str:
    if elementwise.rule(step.name) is not None:
        return elementwise.check(step, operands, results)
    if step.name in VIEWS:
        return check_view(step, operands, results)
    if step.name in KERNELS:
        return ""
    return f"primitive {step.name} has no lowering rule"


class Lowering:
    """How one program, for which `reason` found none, becomes a graph.

    `inputs` describes the graph's inputs: those of the program and perhaps the anchor, an array
    that holds a single 0. MAX evaluates what depends on no input while it compiles, and keeps the
    result with the code; where that would be large, it is made to depend on the anchor.
    """

    def __init__(self, program: Program) -> None:
        self._program = expand.expand(program)
        self.inputs = list(self._program.specs[: program.inputs])
        if _has_large_constant_part(self._program):
            self.inputs.append(ANCHOR)

    def build(self, graph: GraphBuilder, kernels: Mapping[str, int]) -> None:
        """Build the graph, which was begun with these inputs; `kernels` are kernels' numbers."""
        anchor = graph.inputs[-1] if len(self.inputs) > self._program.inputs else None
        _Build(self._program, graph, Caller(graph, kernels, anchor)).run()


def _has_large_constant_part(program: Program) -> bool:
    varying = set(range(program.inputs))
    for step in program.steps:
        if not varying.isdisjoint(step.operands):
            varying.update(step.results)
    made = [value for step in program.steps for value in step.results]
    return any(
        value not in varying and program.specs[value].size > LARGEST_FOLDED
        for value in (*made, *program.outputs)
    )


class _Build:
    """The state while a graph is built."""

    def __init__(self, program: Program, graph: GraphBuilder, call: Caller) -> None:
        self._program = program
        self._graph = graph
        self._call = call
        self._regions = regions(program)
        self._values: dict[int, Placed] = {}

    def run(self) -> None:
        """Build every step, and say what the graph returns."""
        specs = self._program.specs
        for value in range(self._program.inputs):
            self._values[value] = in_memory(self._graph.inputs[value], specs[value], owned=False)
        for number, constant in enumerate(self._program.constants, self._program.inputs):
            self._values[number] = self._call.constant(constant, specs[number])
        for step in self._program.steps:
            self._step(step)
        self._graph.output(self._outputs())

    def _step(self, step: Step) -> None:
        if (region := self._regions.get(step.results[0])) is not None:
            self._values[region.result] = self._region(region)
        elif elementwise.rule(step.name) is not None:
            return  # a step of a region that ends further on
        elif step.name in VIEWS:
            self._values[step.results[0]] = self._view(step)
        else:
            operands = [self._values[value] for value in step.operands]
            results = [self._program.specs[value] for value in step.results]
            made = KERNELS[step.name](self._call, step, operands, results)
            self._values.update(zip(step.results, made, strict=True))

    def _view(self, step: Step) -> Placed:
        operand = self._values[step.operands[0]]
        result = self._program.specs[step.results[0]]
        view = VIEWS[step.name]
        try:
            layout = view.layout(operand.layout, step)
        except ValueError:
            operand = self._call.copied(operand)
            layout = view.layout(operand.layout, step)

        def build(graph: GraphBuilder) -> Tensor:
            return view.tensor(graph, operand.tensor(graph), step, result)

        return Placed(result, operand.memory, layout, build)

    def _region(self, region: Region) -> Placed:
        """Compute a region along one axis where its operands allow it, else in its own shape."""
        spec = self._program.specs[region.root]
        inside = {step.results[0] for step in region.steps}
        outside = {v for step in region.steps for v in step.operands if v not in inside}
        leaves = {value: self._values[value].broadcast(spec.shape) for value in outside}
        flat = all(leaf.in_order or leaf.single for leaf in leaves.values())
        if region.fold is not None:
            shape: tuple[int, ...] = (region.fold.rows, region.fold.columns)
            return self._folded(region, region.fold, self._fused(region, leaves, shape))
        shape = (spec.size,) if flat or not spec.shape else spec.shape
        stored = Spec(shape, spec.dtype)
        expression = self._fused(region, leaves, shape)
        tensor = self._graph.custom("jj.store", [expression], [stored])[0]
        return in_flat_memory(tensor, spec) if flat else in_memory(tensor, spec, owned=True)

    def _folded(self, region: Region, fold: Fold, expression: Tensor) -> Placed:
        result = self._program.specs[region.result]
        plan = self._call.words([self._call.number(fold.kernel), int(fold.along_rows)])
        flat = Spec((result.size,), result.dtype)
        return in_flat_memory(self._graph.custom("jj.fold", [plan, expression], [flat])[0], result)

    def _fused(self, region: Region, leaves: dict[int, Placed], shape: tuple[int, ...]) -> Tensor:
        """Return the root of a region, computed in another shape of as many elements."""
        tensors = {value: self._leaf(leaf, shape) for value, leaf in leaves.items()}
        for step in region.steps:
            rule = elementwise.rule(step.name)
            assert rule is not None
            result = Spec(shape, self._program.specs[step.results[0]].dtype)
            operands = [tensors[value] for value in step.operands]
            tensors[step.results[0]] = rule(self._graph, step, operands, result)
        return tensors[region.root]

    def _leaf(self, leaf: Placed, shape: tuple[int, ...]) -> Tensor:
        """Return an operand of a region in the shape in which the region is computed."""
        if leaf.single:
            element = self._element(leaf)
            return self._graph.broadcast(self._graph.reshape(element, (1,) * len(shape)), shape)
        if leaf.in_order:
            return self._graph.reshape(leaf.memory.tensor, shape)
        return self._graph.reshape(leaf.tensor(self._graph), shape)

    def _element(self, leaf: Placed) -> Tensor:
        """Return the one element of memory that all elements of a value are."""
        size = leaf.memory.spec.size
        if size == 1:
            return leaf.memory.tensor
        first = layouts.offset(leaf.layout) // leaf.layout.itemsize
        flat = self._graph.reshape(leaf.memory.tensor, (size,))
        return self._graph.slice(flat, (first,), (first + 1,), (1,))

    def _outputs(self) -> list[Tensor]:
        """Return the results, each in memory of its own."""
        taken: set[int] = set()
        tensors = []
        for number in self._program.outputs:
            value = self._values[number]
            if not (value.in_order and value.memory.owned) or id(value.memory) in taken:
                value = self._call.copied(value)
            taken.add(id(value.memory))
            tensors.append(self._graph.reshape(value.memory.tensor, value.spec.shape))
        return tensors
