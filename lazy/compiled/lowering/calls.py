"""Calls of structured kernels, written as the plans that `kernels/graph/door.mojo` carries out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ... import layout as layouts
from ...dtypes import CODES
from ..program import Spec
from .values import Placed, in_flat_memory, in_memory, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..maxapi import GraphBuilder, Tensor

ANCHOR = Spec((1,), "int64")
"""The input that keeps MAX from computing constants in advance; its value is 0."""

_ARITIES = frozenset({(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (3, 3)})
"""Numbers of results and inputs for which there is an op."""


@dataclass(frozen=True, eq=False)
class Move:
    """A shift of an operand at run time.

    It is `stride` bytes for each unit of the integer `index`, which counts as at least 0 and at
    most `most`.
    """

    index: Placed
    stride: int
    most: int


@dataclass(frozen=True, eq=False)
class Argument:
    """An operand of a kernel: where its elements are.

    `source` is a value, or the number of a result.
    """

    source: Placed | int
    layout: np.ndarray
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, eq=False)
class Call:
    """One run of a kernel: its outputs, then its inputs, and its parameters."""

    kernel: str
    arguments: Sequence[Argument]
    params: Sequence[int] = ()


class Caller:
    """Builds ops that run kernels; `numbers` are the opcodes of the kernels by name."""

    def __init__(
        self, graph: GraphBuilder, numbers: Mapping[str, int], anchor: Tensor | None = None
    ) -> None:
        self.graph = graph
        self._numbers = numbers
        self._anchor = anchor
        if anchor is None:
            self._anchor = graph.constant(np.zeros(ANCHOR.shape, ANCHOR.dtype))
        self._is_anchored = anchor is not None

    def __call__(
        self, results: Sequence[Spec], calls: Sequence[Call], *, anchored: bool = False
    ) -> list[Placed]:
        """Run the calls, in order, on new memory for the results.

        Calls without inputs are `anchored`: they depend on the anchor if the graph has one.
        """
        tensors = _Tensors(self.graph, len(results))
        words = [len(calls)]
        for call in calls:
            words += [self.number(call.kernel), len(call.arguments), len(call.params)]
            for argument in call.arguments:
                words += tensors.words(argument)
            words += call.params
        if anchored:
            tensors.add(self._anchor, ANCHOR)
        name = _op_name(len(results), [spec.dtype for spec in tensors.specs])
        flat = [Spec((spec.size,), spec.dtype) for spec in results]
        made = self.graph.custom(name, [self.words(words), *tensors.tensors], flat)
        return [in_flat_memory(new, spec) for new, spec in zip(made, results, strict=True)]

    def number(self, kernel: str) -> int:
        """Return the number of a kernel."""
        return self._numbers[kernel]

    def words(self, words: Sequence[int]) -> Tensor:
        """Return integers that tell an op what to do."""
        return self.graph.constant(np.array(words, dtype=np.int64))

    def one(
        self, kernel: str, result: Spec, inputs: Sequence[Placed], params: Sequence[int] = ()
    ) -> Placed:
        """Run one kernel that fills the result from the inputs."""
        arguments = [out(0, result), *map(read, inputs)]
        return self([result], [Call(kernel, arguments, params)])[0]

    def constant(self, array: np.ndarray, spec: Spec) -> Placed:
        """Return an array that is part of the graph."""
        tensor = self.graph.constant(np.ascontiguousarray(array).reshape(-1))
        if self._is_anchored:
            flat = Spec((spec.size,), spec.dtype)
            tensor = self.graph.custom("jj.anchor", [tensor, self._anchor], [flat])[0]
        return in_memory(self.graph.reshape(tensor, spec.shape), spec, owned=False)

    def copied(self, value: Placed) -> Placed:
        """Return the value in new memory, in C order."""
        return self.one("copy", value.spec, [value])


def out(number: int, spec: Spec) -> Argument:
    """Return the argument that is a whole result."""
    return Argument(number, whole(spec))


def read(value: Placed) -> Argument:
    """Return the argument that is a value."""
    return Argument(value, value.layout)


class _Tensors:
    """The tensors that an op reads, each once, and their numbers."""

    def __init__(self, graph: GraphBuilder, results: int) -> None:
        self._graph = graph
        self._results = results
        self._numbers: dict[int, int] = {}
        self.tensors: list[Tensor] = []
        self.specs: list[Spec] = []

    def words(self, argument: Argument) -> list[int]:
        """Return the words of a plan that stand for the argument."""
        number = (
            argument.source if isinstance(argument.source, int) else self._number(argument.source)
        )
        at = argument.layout
        code = CODES[at.dtype]
        moves = [word for move in argument.moves for word in self._move(move)]
        head = [number, layouts.offset(at), code, at.ndim, len(argument.moves)]
        return [*head, *at.shape, *at.strides, *moves]

    def _move(self, move: Move) -> list[int]:
        at = move.index.layout
        place = [self._number(move.index), layouts.offset(at), CODES[at.dtype]]
        return [*place, move.stride, move.most]

    def _number(self, value: Placed) -> int:
        memory = value.memory
        if id(memory) not in self._numbers:
            self._numbers[id(memory)] = self._results + len(self.tensors)
            self.add(self._graph.reshape(memory.tensor, (memory.spec.size,)), memory.spec)
        return self._numbers[id(memory)]

    def add(self, tensor: Tensor, spec: Spec) -> None:
        """Let the op depend on one more tensor."""
        self.tensors.append(tensor)
        self.specs.append(spec)


def _op_name(results: int, dtypes: Sequence[str]) -> str:
    if (results, len(dtypes)) in _ARITIES:
        return f"jj.call{results}_{len(dtypes)}"
    if results == 1 and len(set(dtypes)) == 1:
        return "jj.call1_n"
    raise NotImplementedError(f"a kernel with {results} results and inputs of {dtypes}")
