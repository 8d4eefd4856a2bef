"""Calls of structured kernels, written as routines (`kernels/vm/routines/routines.mojo`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from jujunp.kernels.facts import BYTECODE, ROUTINES, numbers
from jujunp.kernels.generate import MOST_INPUTS, MOST_RESULTS

from ....values import layout as layouts
from ....values.dtypes import CODES
from ...ir.graph_ir import TensorSpec
from .values import Placed, in_flat_memory, in_memory, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...graphs.maxapi import GraphBuilder, Tensor
    from ...ir.graph_ir import GraphIR

ANCHOR = TensorSpec((1,), "int64")
"""The input that keeps MAX from computing constants in advance; its value is 0."""
ADDRESS = TensorSpec((1,), "int64")

_ALIGNMENT = 64
"""Bytes, of each of several results in one memory."""
GROUP_INSTRUCTION = numbers(BYTECODE)["GROUP"]
GROUP_CALL = numbers(ROUTINES)["GROUP_CALL"]
"""What stands for the number of a kernel where a routine has a group of steps."""


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


@dataclass(frozen=True, eq=False)
class Group:
    """One run of the machine's block-wise evaluation, over values of one shape.

    `arguments` are its output and inputs, `steps` words as in `kernels/vm/base/bytecode.mojo`.
    """

    arguments: Sequence[Argument]
    steps: Sequence[Sequence[int]]
    registers: int

    def words(self, result: TensorSpec, tensors: Tensors, count: int | None = None) -> list[int]:
        """Return the group as a call in a routine of `count` tensors, or of those named here."""
        operands = [
            word
            for number, argument in enumerate(self.arguments)
            for word in tensors.group_words(argument, writes=number == 0)
        ]
        rank = len(result.shape)
        head = [rank, len(self.arguments), len(self.steps), self.registers]
        steps = [word for step in self.steps for word in step]
        rest = [*head, *result.shape, *operands, *steps]
        if count is None:
            count = 1 + len(tensors.tensors)
        return [GROUP_CALL, count, GROUP_INSTRUCTION, len(rest) + 2, *rest]


Build: TypeAlias = "Callable[[Caller, GraphIR, Sequence[Placed]], list[Placed]]"
"""Builds an IR by means of a caller."""


class Caller:
    """Builds ops that run kernels; `numbers` are the opcodes of the kernels by name."""

    fuses = True
    """Whether MAX evaluates elementwise steps and what reduces them, where it can."""
    most_inputs = MOST_INPUTS
    """Places at most from which a group reads."""

    def __init__(
        self,
        graph: GraphBuilder,
        numbers: Mapping[str, int],
        anchor: Tensor | None = None,
        *,
        anchors_constants: bool = False,
    ) -> None:
        self.graph = graph
        self.numbers = numbers
        self._anchor = anchor
        self._anchors_constants = anchors_constants
        self._rooms = 0
        self.turn = self._anchor
        """The anchor, or the count of the innermost loop that is being built."""
        self.build: Build

    def inline(self, ir: GraphIR, inputs: Sequence[Placed]) -> list[Placed]:
        """Build an IR in the graph, or in the region of it that is being built."""
        return self.build(self, ir, inputs)

    def __call__(
        self, results: Sequence[TensorSpec], calls: Sequence[Call], *, anchored: bool = False
    ) -> list[Placed]:
        """Run the calls, in order, on new memory for the results.

        Calls without inputs are `anchored`.
        """
        tensors = Tensors(self.graph, len(results))
        words = [len(calls)]
        for call in calls:
            words += [self.number(call.kernel), len(call.arguments), len(call.params)]
            for argument in call.arguments:
                words += tensors.words(argument)
            words += call.params
        if anchored:
            self.anchor(tensors)
        return self.run(results, words, tensors)

    def anchor(self, tensors: Tensors) -> None:
        """Let an op depend on the anchor, if the graph has one."""
        if self._anchor is not None:
            tensors.add(self._anchor, ANCHOR)

    def group(self, result: TensorSpec, group: Group) -> Placed:
        """Evaluate a group of steps on new memory for the result."""
        tensors = Tensors(self.graph, 1)
        words = [1, *group.words(result, tensors)]
        return self.run([result], words, tensors)[0]

    def run(
        self, results: Sequence[TensorSpec], words: Sequence[int], tensors: Tensors
    ) -> list[Placed]:
        """Build the op that carries out a routine on tensors."""
        name = _op_name(len(results), [spec.stored.dtype for spec in tensors.specs])
        flat = [_flat(spec.stored) for spec in results]
        made = self.graph.custom(name, [self.words(words), *tensors.tensors], flat)
        return [in_flat_memory(new, spec) for new, spec in zip(made, results, strict=True)]

    def elementwise(self, name: str, operands: Sequence[Placed], result: TensorSpec) -> Placed:
        """Compute one operation on operands of one shape, stored by itself."""
        flat = _flat(result)
        tensors = [self.graph.reshape(self.dense(x), flat.shape) for x in operands]
        expression = self.graph.custom(f"jj.{name}", tensors, [flat])
        return in_flat_memory(self.graph.custom("jj.store", expression, [flat])[0], result)

    def number(self, kernel: str) -> int:
        """Return the number of a kernel."""
        return self.numbers[kernel]

    def words(self, words: Sequence[int]) -> Tensor:
        """Return integers that tell an op what to do."""
        return self.graph.constant(np.array(words, dtype=np.int64))

    def one(
        self, kernel: str, result: TensorSpec, inputs: Sequence[Placed], params: Sequence[int] = ()
    ) -> Placed:
        """Run one kernel that fills the result from the inputs."""
        arguments = [out(0, result), *map(read, inputs)]
        return self([result], [Call(kernel, arguments, params)])[0]

    def constant(self, array: np.ndarray, spec: TensorSpec) -> Placed:
        """Return an array that is part of the graph."""
        stored = np.ascontiguousarray(array).reshape(-1)
        if stored.dtype.kind == "c":
            stored = stored.view(spec.stored.dtype)
        tensor = self.graph.constant(stored)
        if self._anchors_constants:
            flat = _flat(spec.stored)
            tensor = self.graph.custom("jj.anchor", [tensor, self._anchor], [flat])[0]
        return in_memory(self.graph.reshape(tensor, spec.stored.shape), spec, owned=False)

    def dense(self, value: Placed) -> Tensor:
        """Return a tensor of one axis that holds just the value's elements."""
        if not value.in_order:
            value = self.copied(value)
        return self.graph.reshape(value.memory.tensor, _flat(value.spec.stored).shape)

    def room(self, spec: TensorSpec) -> tuple[Tensor, Tensor]:
        """Return new memory for a value that a loop fills row by row, and its address."""
        self._rooms += 1  # equal ops would be merged
        number = self.words([self._rooms])
        memory, address = self.graph.custom(
            "jj.room", [number, self.turn], [_flat(spec.stored), ADDRESS]
        )
        return memory, address

    def put(self, address: Tensor, spec: TensorSpec, row: Placed, place: Placed) -> Tensor:
        """Write one row of such memory; `place` is the row's number at run time."""
        if row.memory is place.memory:  # the op takes two tensors
            row = self.copied(row)
        layout = whole(spec)
        tensors = Tensors(self.graph, 1)
        move = Move(place, layout.strides[0], spec.shape[0] - 1)
        source = tensors.words(read(row))
        target = tensors.words(Argument(0, layout[0, ...], (move,)))
        words = [1, self.number("copy"), 2, 0, *target, *source]
        return self.graph.custom(
            "jj.put", [self.words(words), address, *tensors.tensors], [ADDRESS]
        )[0]

    def filled(self, memory: Tensor, address: Tensor, spec: TensorSpec) -> Tensor:
        """Return what such memory holds once a loop has given back its address."""
        return self.graph.custom("jj.filled", [memory, address], [_flat(spec.stored)])[0]

    def copied(self, value: Placed) -> Placed:
        """Return the value in C order, in new memory or on a GPU."""
        spec, memory = value.spec, value.memory.spec
        if self.graph.on_gpu and spec.dtype == memory.dtype and spec.stored == spec:
            made = self.graph.copied(value.tensor(self.graph))
            if made is not None:
                return in_memory(made, spec, owned=True)
        return self.gathered(value)

    def gathered(self, value: Placed) -> Placed:
        """Return the value in new memory, from wherever its layout says that its elements are."""
        return self.one("copy", value.spec, [value])


def out(number: int, spec: TensorSpec) -> Argument:
    """Return the argument that is a whole result."""
    return Argument(number, whole(spec))


def read(value: Placed) -> Argument:
    """Return the argument that is a value."""
    return Argument(value, value.layout)


class Tensors:
    """The tensors that an op reads, each once, and their numbers."""

    def __init__(self, graph: GraphBuilder, results: int) -> None:
        self._graph = graph
        self._results = results
        self._numbers: dict[int, int] = {}
        self.tensors: list[Tensor] = []
        self.specs: list[TensorSpec] = []

    def words(self, argument: Argument) -> list[int]:
        """Return the words of a routine that stand for the argument."""
        number = self._source(argument)
        at = argument.layout
        code = CODES[at.dtype]
        moves = [word for move in argument.moves for word in self._move(move)]
        head = [number, layouts.offset(at), code, at.ndim, len(argument.moves)]
        return [*head, *at.shape, *at.strides, *moves]

    def group_words(self, argument: Argument, *, writes: bool) -> list[int]:
        """Return the words of an operand of a group."""
        number = self._source(argument)
        at = argument.layout
        return [number, layouts.offset(at), at.itemsize, int(writes), *at.strides]

    def _source(self, argument: Argument) -> int:
        source = argument.source
        return self.result(source) if isinstance(source, int) else self.number(source)

    def _move(self, move: Move) -> list[int]:
        at = move.index.layout
        place = [self.number(move.index), layouts.offset(at), CODES[at.dtype]]
        return [*place, move.stride, move.most]

    def result(self, number: int) -> int:
        """Return the number of the tensor of a result."""
        return number

    def number(self, value: Placed) -> int:
        """Return the number of the tensor where a value is."""
        memory = value.memory
        if id(memory) not in self._numbers:
            self._numbers[id(memory)] = self._results + len(self.tensors)
            flat = _flat(memory.spec.stored)
            self.add(self._graph.reshape(memory.tensor, flat.shape), memory.spec)
        return self._numbers[id(memory)]

    def add(self, tensor: Tensor, spec: TensorSpec) -> None:
        """Let the op depend on one more tensor."""
        self.tensors.append(tensor)
        self.specs.append(spec)


def result_parts(results: Sequence[TensorSpec]) -> tuple[list[TensorSpec], list[np.ndarray]]:
    """Return the spec of one memory for several results, and where in it they are."""
    parts, end = [], 0
    for spec in results:
        like = whole(spec)
        parts.append(layouts.seen(like.shape, like.dtype, end, like.strides))
        end += (like.nbytes + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
    return [TensorSpec((end,), "uint8")], parts


def shared(results: Sequence[TensorSpec], most: int) -> tuple[list[TensorSpec], list[np.ndarray]]:
    """Return the specs of the memory for results, one for more than `most`, and where each is."""
    if len(results) > most:
        return result_parts(results)
    return list(results), [whole(spec) for spec in results]


def _flat(spec: TensorSpec) -> TensorSpec:
    return TensorSpec((spec.size,), spec.dtype)


def _op_name(results: int, dtypes: Sequence[str]) -> str:
    if results <= MOST_RESULTS and len(dtypes) <= MOST_INPUTS:
        return f"jj.call{results}_{len(dtypes)}"
    if results == 1 and len(set(dtypes)) == 1:
        return "jj.call1_n"
    raise NotImplementedError(f"a kernel with {results} results and inputs of {dtypes}")
