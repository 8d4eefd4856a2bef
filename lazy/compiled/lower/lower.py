"""Lowering an IR: views are followed, regions fused, kernels called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...values import layout as layouts
from ..ir.graph_ir import GraphIR, TensorSpec
from ..ir.sizes import is_symbolic
from . import expand
from .kernels import KERNELS
from .regions import Fold, Region, regions
from .rules import accelerated, elementwise, loops
from .support.calls import ANCHOR, Caller, Group, out, read, shared
from .support.routine_writer import RoutineWriter, placed
from .support.values import Placed, in_flat_memory, in_memory, lengths, whole
from .support.views import VIEWS, check_view

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from ..graphs.maxapi import GraphBuilder, Tensor
    from ..ir.graph_ir import Step

MAX_RANK = 8
LARGEST_CONSTANT = 1 << 24
"""Bytes of a constant at most: constants are part of what is kept on disk."""

LARGEST_FOLDED = 1024
"""Elements at most of what MAX may compute in advance."""

_MISSING = -1 - (1 << 20)
"""What a step of a group has for an operand that its operation does not take."""


def excess(ir: GraphIR) -> str:
    """Return what is too large for a graph, or ""."""
    for spec in ir.specs:
        if len(spec.stored.shape) > MAX_RANK:
            return f"{len(spec.shape)} dimensions"
    if any(constant.nbytes > LARGEST_CONSTANT for constant in ir.constants):
        return "a constant that is too large to keep"
    return ""


def reason(ir: GraphIR) -> str:
    """Return why an IR cannot be lowered, or "" if it can."""
    if why := excess(ir):
        return why
    for step in ir.steps:
        operands = [ir.specs[value] for value in step.operands]
        results = [ir.specs[value] for value in step.results]
        if why := expand.check(step, operands, results):
            return why
        if why := next(filter(None, map(reason, step.irs)), ""):
            return why
    expanded = expand.expand(ir)
    for step in expanded.steps:
        operands = [expanded.specs[value] for value in step.operands]
        results = [expanded.specs[value] for value in step.results]
        if why := _check(step, operands, results):
            return why
    return ""


def cpu_kernels(ir: GraphIR) -> Counter[str]:
    """Return what an IR runs on the CPU where its graph is for a GPU, with the numbers."""
    return accelerated.cpu_kernels(expand.expand(ir))


def check(step: Step, operands: Sequence[TensorSpec], results: Sequence[TensorSpec]) -> str:
    """Return why a step cannot be lowered, or "" if nothing in its specs and params forbids it."""
    if step.name in expand.EXPANSIONS:
        return expand.check(step, operands, results)
    return _check(step, operands, results)


def _check(step: Step, operands: Sequence[TensorSpec], results: Sequence[TensorSpec]) -> str:
    if elementwise.is_elementwise(step.name):
        return elementwise.check(step, operands, results)
    if step.name in VIEWS:
        return check_view(step, operands, results)
    if step.name in KERNELS or step.name == "jj_view":
        return ""
    return f"primitive {step.name} has no lowering rule"


class Lowering:
    """How one IR, which was expanded, becomes a graph.

    `inputs` describes the graph's inputs: those of the IR and perhaps the anchor, an array
    that holds a single 0. MAX evaluates what depends on no input while it compiles, and keeps the
    result with the code; where that would be large, or is an output, it is made to depend on the
    anchor.
    """

    def __init__(self, ir: GraphIR) -> None:
        self._ir = ir
        self.inputs = list(ir.specs[: ir.inputs])
        self._anchors_constants = _computes_constants(ir)
        if self._anchors_constants or _has_loops(ir):
            self.inputs.append(ANCHOR)

    def build(self, graph: GraphBuilder, kernels: Mapping[str, int]) -> None:
        """Build the graph, which was begun with these inputs; `kernels` are kernels' numbers."""
        anchor = graph.inputs[-1] if len(self.inputs) > self._ir.inputs else None
        call = Caller(graph, kernels, anchor, anchors_constants=self._anchors_constants)
        inputs = zip(graph.inputs, self._ir.specs[: self._ir.inputs], strict=False)
        values = [in_memory(tensor, spec, owned=False) for tensor, spec in inputs]
        graph.output(_apart(call, inlined(self._ir, call, values)))


def _computes_constants(ir: GraphIR) -> bool:
    """Whether there are large values, or outputs, that depend on no input."""
    varying = set(range(ir.inputs))
    for step in ir.steps:
        if not varying.isdisjoint(step.operands):
            varying.update(step.results)
    made = [value for step in ir.steps for value in step.results]
    return not varying.issuperset(ir.outputs) or any(
        value not in varying and ir.specs[value].size > LARGEST_FOLDED for value in made
    )


def _has_loops(ir: GraphIR) -> bool:
    """Whether there are loops: they fill memory, and MAX should not run them in advance."""
    return any(
        step.name in ("jj_scan", "jj_while") or any(map(_has_loops, step.irs)) for step in ir.steps
    )


class _Build:
    """The state while an IR is built in a graph, or in a region of it: a branch, a loop."""

    def __init__(self, ir: GraphIR, call: Caller, inputs: Sequence[Placed]) -> None:
        self._ir = ir
        self._graph = call.graph
        self._call = call
        self._regions = regions(ir, fuse=call.fuses)
        self._values = dict(enumerate(inputs))

    def run(self) -> list[Placed]:
        """Build every step; returns the outputs."""
        for number, constant in enumerate(self._ir.constants, self._ir.inputs):
            self._values[number] = self._call.constant(constant, self._ir.specs[number])
        for step in self._ir.steps:
            self._step(step)
        return [self._values[number] for number in self._ir.outputs]

    def _step(self, step: Step) -> None:
        if (region := self._regions.get(step.results[0])) is not None:
            self._values[region.result] = self._region(region)
        elif elementwise.is_elementwise(step.name):
            return  # a step of a region that ends further on
        elif step.name in VIEWS:
            self._values[step.results[0]] = self._view(step)
        elif step.name == "jj_view":
            self._values[step.results[0]] = self._strided(step)
        else:
            operands = [self._values[value] for value in step.operands]
            results = [self._ir.specs[value] for value in step.results]
            made = KERNELS[step.name](self._call, step, operands, results)
            self._values.update(zip(step.results, made, strict=True))

    def _view(self, step: Step) -> Placed:
        operand = self._values[step.operands[0]]
        result = self._ir.specs[step.results[0]]
        view = VIEWS[step.name]
        try:
            layout = view.layout(operand.layout, step)
        except ValueError:
            operand = self._call.copied(operand)
            layout = view.layout(operand.layout, step)

        def build(graph: GraphBuilder) -> Tensor:
            return view.tensor(graph, operand.tensor(graph), step, result)

        return self._settled(Placed(result, operand.memory, layout, build))

    def _strided(self, step: Step) -> Placed:
        """A view that is given by offset and strides in an operand that lies in C order."""
        operand = self._values[step.operands[0]]
        result = self._ir.specs[step.results[0]]
        if not operand.in_order:
            operand = self._call.copied(operand)
        offset, *strides = lengths((step.param("offset"), *step.param("strides")))
        shape = lengths(result.shape)
        layout = layouts.seen(shape, np.dtype(result.dtype), offset, tuple(strides))

        def build(graph: GraphBuilder) -> Tensor:
            return self._call.gathered(view).tensor(graph)

        view = Placed(result, operand.memory, layout, build)
        return self._settled(view)

    def _settled(self, view: Placed) -> Placed:
        """Return a view whose layout has symbols only if its shape does, as rules rely on."""
        if layouts.is_symbolic(view.layout) and not is_symbolic(view.spec.shape):
            return self._call.copied(view)
        return view

    def _region(self, region: Region) -> Placed:
        """Compute a region along one axis where its operands allow it, else in its own shape."""
        spec = self._ir.specs[region.root]
        inside = {step.results[0] for step in region.steps}
        outside = {v: None for step in region.steps for v in step.operands if v not in inside}
        leaves = {value: self._values[value].broadcast(spec.shape) for value in outside}
        if not region.fused:
            return self._by_machine(region, leaves)
        flat = all(leaf.in_order or leaf.single for leaf in leaves.values())
        if region.fold is not None:
            shape = self._shape_of_fold(region.fold, spec, flat=flat)
            return self._folded(region, region.fold, self._fused(region, leaves, shape))
        shape = (spec.size,) if flat or not spec.shape else spec.shape
        stored = TensorSpec(shape, spec.dtype)
        expression = self._fused(region, leaves, shape)
        tensor = self._graph.custom("jj.store", [expression], [stored])[0]
        return in_flat_memory(tensor, spec) if flat else in_memory(tensor, spec, owned=True)

    def _by_machine(self, region: Region, leaves: dict[int, Placed]) -> Placed:
        """Evaluate a region block by block; step by step if it reads from too many places."""
        specs = self._ir.specs
        if len({id(leaf.memory) for leaf in leaves.values()}) <= self._call.most_inputs:
            return self._call.group(specs[region.root], _group(region.steps, leaves, specs))
        made = dict(leaves)
        for step in region.steps:
            own = {value: made[value] for value in step.operands}
            made[step.results[0]] = self._call.group(
                specs[step.results[0]], _group([step], own, specs)
            )
        return made[region.root]

    def _shape_of_fold(self, fold: Fold, spec: TensorSpec, *, flat: bool) -> tuple[int, ...]:
        """Return the shape of what is folded: its own if it repeats operands along its rows.

        As a matrix, where an operand's element is would have to be divided out for every vector.
        """
        if flat or not fold.along_rows or self._graph.on_gpu or len(spec.shape) < 2:
            return fold.rows, fold.columns
        return spec.shape if spec.shape[-1] == fold.columns else (fold.rows, fold.columns)

    def _folded(self, region: Region, fold: Fold, expression: Tensor) -> Placed:
        result = self._ir.specs[region.result]
        made = self._graph.reduced(fold.kernel, expression, [int(fold.along_rows)])
        if made is not None:
            return in_flat_memory(self._graph.reshape(made, (result.size,)), result)
        routine = self._call.words([self._call.number(fold.kernel), int(fold.along_rows)])
        flat = TensorSpec((result.size,), result.dtype)
        return in_flat_memory(
            self._graph.custom("jj.fold", [routine, expression], [flat])[0], result
        )

    def _fused(self, region: Region, leaves: dict[int, Placed], shape: tuple[int, ...]) -> Tensor:
        """Return the root of a region, computed in another shape of as many elements."""
        tensors = {value: self._leaf(leaf, shape) for value, leaf in leaves.items()}
        for step in region.steps:
            result = TensorSpec(shape, self._ir.specs[step.results[0]].dtype)
            operands = [tensors[value] for value in step.operands]
            tensors[step.results[0]] = elementwise.fused(self._graph, step, operands, result)
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


def inlined(ir: GraphIR, call: Caller, inputs: Sequence[Placed]) -> list[Placed]:
    """Build an IR, which was expanded, in the graph of another; returns its outputs."""
    call.build = _build
    return call.inline(ir, inputs)


def _build(caller: Caller, ir: GraphIR, values: Sequence[Placed]) -> list[Placed]:
    return _Build(ir, caller, values).run()


def is_small(ir: GraphIR) -> bool:
    """Whether an IR can be a routine: it can be lowered, and works on little memory."""
    # Expanded, it makes what it makes now and more; most IRs are found to be large at once.
    return loops.makes_little(ir) and reason(ir) == "" and loops.is_small(expand.expand(ir))


def routine_of(
    ir: GraphIR, kernels: Mapping[str, int], most: int | None = None
) -> tuple[list[int], list[TensorSpec], list[np.ndarray]]:
    """Return an IR as the words of a routine, which is given its results, then its inputs.

    `kernels` are kernels' numbers. Also returns the specs of the results, and where in them each
    output lies: outputs beyond `most` share one.
    """
    ir = expand.expand(ir)
    outputs = [ir.specs[value] for value in ir.outputs]
    results, parts = shared(outputs, most or len(outputs))
    given = ir.specs[: ir.inputs]
    routine = RoutineWriter(kernels, _build, len(results) + len(given))
    targets = routine.targets(outputs, results, parts)
    inputs = [
        placed(spec, routine.memory(number, spec), whole(spec))
        for number, spec in enumerate(given, len(results))
    ]
    for target, source in zip(targets, routine.inline(ir, inputs), strict=True):
        routine.copy(target, source)
    return routine.words_of_all(), results, parts


def part_copied(
    kernels: Mapping[str, int], memory: TensorSpec, spec: TensorSpec, layout: np.ndarray
) -> list[int]:
    """Return the routine that copies a value from where it lies in a memory."""
    routine = RoutineWriter(kernels, _build, 2)
    target = placed(spec, routine.memory(0, spec), whole(spec))
    routine.copy(target, placed(spec, routine.memory(1, memory), layout))
    return routine.words_of_all()


def _apart(call: Caller, values: Sequence[Placed]) -> list[Tensor]:
    """Return values as tensors, each in memory of its own."""
    taken: set[int] = set()
    tensors = []
    for value in values:
        if not (value.in_order and value.memory.owned) or id(value.memory) in taken:
            value = call.copied(value)
        taken.add(id(value.memory))
        tensors.append(call.graph.reshape(value.memory.tensor, value.spec.stored.shape))
    return tensors


def _group(steps: Sequence[Step], leaves: dict[int, Placed], specs: Sequence[TensorSpec]) -> Group:
    """Return elementwise steps as the words of a group; the last one makes its output."""
    root = steps[-1].results[0]
    # Below 0 are operands, of which the first is the output; registers count from 0.
    places = {value: -2 - number for number, value in enumerate(leaves)}
    last_use = {value: at for at, step in enumerate(steps) for value in step.operands}
    free: list[int] = []
    registers = 0
    words = []
    for at, step in enumerate(steps):
        operands = [places[value] for value in step.operands]
        result = step.results[0]
        if result == root:
            places[result] = -1
        else:
            # Not one that the step reads: an operation may write before it has read all.
            places[result] = free.pop() if free else registers
            registers = max(registers, places[result] + 1)
        free += {places[v] for v in step.operands if last_use[v] == at and places[v] >= 0}
        source, target = elementwise.codes(step, specs)
        missing = [_MISSING] * (3 - len(operands))
        words.append(
            [elementwise.opcode(step), source, target, places[result], *operands, *missing]
        )
    arguments = [out(0, specs[root]), *map(read, leaves.values())]
    return Group(arguments, words, registers)
