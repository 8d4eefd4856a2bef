"""Lowering an IR whose sizes are known at run time only.

Elementwise steps are fused as in other IRs. Views are ops of MAX on whole tensors. A kernel
runs on whole tensors in C order, and reads their shapes when it runs (`jj.dense`). Branches, loops,
and elementwise steps that MAX does not fuse are routines, whose words are expressions of the sizes.
What has no symbolic size is lowered as it is in other IRs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jujunp.kernels.facts import DENSE, numbers
from jujunp.kernels.generate import MOST_DENSE_INPUTS, MOST_DENSE_RESULTS

from ...values.dtypes import NAMED
from ..ir import sizes
from ..ir.graph_ir import GraphIR, Step, TensorSpec
from ..ir.writer import renumbered
from . import expand
from .constant_folding import fold_constants
from .lower import LARGEST_FOLDED, inlined, part_copied, routine_of
from .regions import Region, regions
from .rules import custom, elementwise
from .support.calls import Caller
from .support.values import in_memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from ..graphs.maxapi import GraphBuilder, SymbolicGraph, Tensor

AS_THEY_ARE, FLAT, IN_PLACE, AS_A_ROUTINE = (
    numbers(DENSE)[name] for name in ("AS_THEY_ARE", "FLAT", "IN_PLACE", "AS_A_ROUTINE")
)
"""How a kernel sees its tensors, or that a routine runs (kernels/vm/routines/dense.mojo)."""

_COPY = Step("jj_dense", (), (("kernel", "copy"), ("seen", FLAT), ("words", ())), ())


class SymbolicLowering:
    """How one IR with symbolic sizes becomes a graph."""

    def __init__(self, ir: GraphIR) -> None:
        self._ir = ir
        self.inputs = list(ir.specs[: ir.inputs])

    def build(self, graph: GraphBuilder, kernels: Mapping[str, int]) -> None:
        """Build the graph, which was begun with these inputs; `kernels` are kernels' numbers."""
        build = _Build(self._ir, graph.with_symbols(), kernels)
        graph.output(build.run())


class _Build:
    """The state while a graph is built."""

    def __init__(self, ir: GraphIR, graph: SymbolicGraph, kernels: Mapping[str, int]) -> None:
        self._ir = ir
        self._graph = graph
        self._symbols = sizes.symbols_of(spec.shape for spec in ir.specs[: ir.inputs])
        self._sizes = graph.sizes(self._symbols)
        # What depends on the sizes is not computed while MAX compiles: they are an anchor.
        large = _has_large_constants(ir)
        anchor = self._sizes if large else None
        self._call = Caller(graph, kernels, anchor, anchors_constants=large)
        self._regions = regions(ir)
        self._tensors: dict[int, Tensor] = dict(enumerate(graph.inputs))
        self._owned: set[int] = set()

    def run(self) -> list[Tensor]:
        """Build every step; returns the outputs, each in memory of its own."""
        for number, constant in enumerate(self._ir.constants, self._ir.inputs):
            placed = self._call.constant(constant, self._ir.specs[number])
            self._tensors[number] = placed.memory.tensor
        for step in self._ir.steps:
            self._step(step)
        return [self._apart(value) for value in self._ir.outputs]

    def _apart(self, value: int) -> Tensor:
        if value in self._owned:
            self._owned.remove(value)
            return self._tensors[value]
        spec = self._ir.specs[value]
        return self._dense(_COPY, [value], [spec], [self._tensors[value]])[0]

    def _step(self, step: Step) -> None:
        region = self._regions.get(step.results[0])
        if region is not None and region.fused:
            self._tensors[region.result] = self._region(region)
            self._owned.add(region.result)
        elif region is not None:
            self._by_machine(region)
        elif elementwise.is_elementwise(step.name):
            return  # a step of a region that ends further on
        elif step.name == "jj_dense":
            self._kernel(step)
        elif step.name == "jj_size":
            self._tensors[step.results[0]] = self._size(step.param("size"))
        elif self._is_static(step):
            self._static(step)
        elif step.name in custom.KERNELS:
            self._custom(step)
        elif step.name in _VIEWS:
            self._tensors[step.results[0]] = self._view(step)
        else:
            self._routine([step], step.results)

    def _is_static(self, step: Step) -> bool:
        specs = [self._ir.specs[value] for value in (*step.operands, *step.results)]
        return not (
            any(sizes.is_symbolic(spec.shape) for spec in specs) or any(map(_knows, step.irs))
        )

    def _static(self, step: Step) -> None:
        """Lower a step without symbolic sizes as in an IR of its own."""
        specs = [self._ir.specs[value] for value in (*step.operands, *step.results)]
        count = len(step.operands)
        results = tuple(range(count, len(specs)))
        own = Step(step.name, tuple(range(count)), step.params, results)
        ir = fold_constants(expand.expand(GraphIR(count, (), (own,), tuple(specs), results)))
        given = zip(step.operands, specs[:count], strict=True)
        values = [in_memory(self._tensors[value], spec, owned=False) for value, spec in given]
        for value, made in zip(step.results, inlined(ir, self._call, values), strict=True):
            dense = self._call.dense(made)
            self._tensors[value] = self._graph.reshape(dense, made.spec.stored.shape)

    def _region(self, region: Region) -> Tensor:
        """Compute elementwise steps in the shape of the last."""
        specs = self._ir.specs
        spec = specs[region.root]
        shape = spec.shape or (1,)
        inside = {step.results[0] for step in region.steps}
        tensors = {
            value: self._leaf(value, shape)
            for step in region.steps
            for value in step.operands
            if value not in inside
        }
        for step in region.steps:
            operands = [tensors[value] for value in step.operands]
            result = TensorSpec(shape, specs[step.results[0]].dtype)
            tensors[step.results[0]] = elementwise.fused(self._graph, step, operands, result)
        expression = tensors[region.root]
        stored = self._graph.custom("jj.store", [expression], [TensorSpec(shape, spec.dtype)])[0]
        return self._graph.reshape(stored, spec.shape)

    def _custom(self, step: Step) -> None:
        """Apply a user's kernel, or insert what a user's rule has built."""
        specs = self._ir.specs
        values = [in_memory(self._tensors[k], specs[k], owned=False) for k in step.operands]
        results = [specs[value] for value in step.results]
        made = custom.KERNELS[step.name](self._call, step, values, results)
        self._tensors.update(
            (value, x.memory.tensor) for value, x in zip(step.results, made, strict=True)
        )

    def _by_machine(self, region: Region) -> None:
        """Compute elementwise steps that MAX does not fuse."""
        if not sizes.is_symbolic(self._ir.specs[region.root].shape):
            for inner in region.steps:
                self._static(inner)
            return
        inside = {step.results[0] for step in region.steps}
        read = {value for step in region.steps for value in step.operands} - inside
        if len(read) <= MOST_DENSE_INPUTS:
            self._routine(region.steps, [region.root])
        else:
            for inner in region.steps:
                self._routine([inner], inner.results)

    def _routine(self, steps: Sequence[Step], results: Sequence[int]) -> None:
        """Carry out steps as a routine."""
        inside = {value for step in steps for value in step.results}
        operands = [value for step in steps for value in step.operands if value not in inside]
        inputs = list(dict.fromkeys(operands))
        ir = renumbered(inputs, {}, steps, self._ir.specs, results)
        words, outputs, parts = routine_of(ir, self._call.numbers, MOST_DENSE_RESULTS)
        made = self._plan(words, outputs, [self._tensors[value] for value in inputs])
        if len(made) < len(results):
            specs = [self._ir.specs[value] for value in results]
            made = [self._part(made[0], outputs[0], *x) for x in zip(specs, parts, strict=True)]
        self._tensors.update(zip(results, made, strict=True))
        self._owned.update(results)

    def _part(
        self, tensor: Tensor, memory: TensorSpec, spec: TensorSpec, layout: np.ndarray
    ) -> Tensor:
        """Return a result that lies in a memory with others."""
        words = part_copied(self._call.numbers, memory, spec, layout)
        return self._plan(words, [spec], [tensor])[0]

    def _plan(
        self, words: Sequence[int], results: Sequence[TensorSpec], tensors: Sequence[Tensor]
    ) -> list[Tensor]:
        return self._op([0, AS_A_ROUTINE, 0], words, results, tensors)

    def _leaf(self, value: int, shape: tuple[int, ...]) -> Tensor:
        """Return an operand of a region in the shape in which the region is computed."""
        unit = self._ir.specs[value].shape or (1,) * len(shape)
        return self._graph.broadcast(self._graph.reshape(self._tensors[value], unit), shape)

    def _kernel(self, step: Step) -> None:
        results = [self._ir.specs[value] for value in step.results]
        operands = [self._tensors[value] for value in step.operands]
        made = self._dense(step, step.operands, results, operands)
        self._tensors.update(zip(step.results, made, strict=True))
        self._owned.update(step.results)

    def _dense(
        self,
        step: Step,
        operands: Sequence[int],
        results: Sequence[TensorSpec],
        tensors: Sequence[Tensor],
    ) -> list[Tensor]:
        """Run a kernel on whole tensors."""
        specs = [*results, *(self._ir.specs[value] for value in operands)]
        head = [self._call.number(step.param("kernel")), step.param("seen"), len(specs)]
        head += [n for spec in specs for n in (NAMED[spec.dtype], len(spec.shape))]
        return self._op(head, step.param("words"), results, tensors)

    def _op(
        self,
        head: Sequence[int],
        words: Sequence[int | str],
        results: Sequence[TensorSpec],
        tensors: Sequence[Tensor],
    ) -> list[Tensor]:
        """Build an op that reads a routine of a head and of words, which may be expressions."""
        terms = [term for word in words for term in sizes.postfix(word, self._symbols)]
        routine = self._call.words([*head, len(words), *terms])
        name = f"jj.dense{len(results)}_{len(tensors)}"
        stored = [spec.stored for spec in results]
        return self._graph.custom(name, [routine, self._sizes, *tensors], stored)

    def _size(self, size: str) -> Tensor:
        routine = self._call.words(sizes.postfix(size, self._symbols))
        value = self._graph.custom("jj.size", [routine, self._sizes], [TensorSpec((1,), "int64")])[
            0
        ]
        return self._graph.reshape(value, ())

    def _view(self, step: Step) -> Tensor:
        value = step.operands[0]
        made = _VIEWS[step.name](self, step, value, self._ir.specs[step.results[0]])
        return made

    def _parts(self, value: int) -> int:
        """The number of axes that a tensor has beyond those of its value: 1 for complex numbers."""
        spec = self._ir.specs[value]
        return len(spec.stored.shape) - len(spec.shape)

    def _broadcast(self, step: Step, value: int, result: TensorSpec) -> Tensor:
        spec = self._ir.specs[value]
        unit = [1] * len(result.shape)
        for length, axis in zip(spec.shape, step.param("broadcast_dimensions"), strict=True):
            unit[axis] = length
        stored = TensorSpec(tuple(unit), spec.dtype).stored.shape
        tensor = self._graph.reshape(self._tensors[value], stored)
        return self._graph.broadcast(tensor, result.stored.shape)

    def _reshape(self, step: Step, value: int, result: TensorSpec) -> Tensor:
        """Axes of length 1 come and go without a copy; MAX need not prove other sizes equal."""
        own, wanted = self._ir.specs[value].shape, result.shape
        tensor = self._tensors[value]
        if [n for n in own if n != 1] == [n for n in wanted if n != 1]:
            return self._graph.reshape(tensor, result.stored.shape)
        return self._dense(_COPY, [value], [result], [tensor])[0]

    def _transpose(self, step: Step, value: int, result: TensorSpec) -> Tensor:
        order = step.param("permutation")
        rest = range(len(order), len(order) + self._parts(value))
        return self._graph.transpose(self._tensors[value], [*order, *rest])

    def _slice(self, step: Step, value: int, result: TensorSpec) -> Tensor:
        starts, stops = step.param("start_indices"), step.param("limit_indices")
        strides = step.param("strides") or (1,) * len(starts)
        bounds = [
            (self._bound(start), self._bound(stop), stride)
            for start, stop, stride in zip(starts, stops, strides, strict=True)
        ]
        return self._graph.part(self._tensors[value], bounds, result.shape)

    def _bound(self, size: int | str) -> int | Tensor:
        return self._size(size) if isinstance(size, str) else size

    def _reverse(self, step: Step, value: int, result: TensorSpec) -> Tensor:
        return self._graph.reverse(self._tensors[value], step.param("dimensions"))


_VIEWS = {
    "broadcast_in_dim": _Build._broadcast,
    "reshape": _Build._reshape,
    "transpose": _Build._transpose,
    "slice": _Build._slice,
    "rev": _Build._reverse,
}


def _knows(ir: GraphIR) -> bool:
    """Whether an IR that a step holds knows symbolic sizes."""
    return any(
        step.name == "jj_size"
        or any(sizes.is_symbolic(ir.specs[value].shape) for value in step.results)
        or any(map(_knows, step.irs))
        for step in ir.steps
    )


def _has_large_constants(ir: GraphIR) -> bool:
    """Whether a step makes a large value that has no symbolic size: it may be a constant."""
    made = [ir.specs[value] for step in ir.steps for value in step.results]
    fixed = [spec for spec in made if not sizes.is_symbolic(spec.shape)]
    return any(spec.size > LARGEST_FOLDED for spec in fixed)
