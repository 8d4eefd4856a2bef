"""Routines of many calls, which kernels/vm/routines/routines.mojo carries out without MAX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jujunp.kernels.facts import ROUTINES, numbers

from ....values import layout as layouts
from ...ir.graph_ir import TensorSpec
from ...ir.sizes import size_of
from .calls import Argument, Call, Caller, Group, Tensors, read
from .values import Memory, Placed, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...graphs.maxapi import GraphBuilder, Tensor
    from .calls import Build

LOCALS_CALL, LOOP_CALL, BRANCH_CALL = (
    numbers(ROUTINES)[f"{name}_CALL"] for name in ("LOCALS", "LOOP", "BRANCH")
)
"""What stands for the number of a kernel where a routine has something else."""
_FIRST_CONSTANT = 4
"""The word of a routine where its constants begin."""


def placed(spec: TensorSpec, memory: Memory, layout: np.ndarray) -> Placed:
    """Return the value that lies in a memory where its layout says."""
    return Placed(spec, memory, layout, lambda graph: memory.tensor)


class RoutineWriter(Caller):
    """Writes calls into a routine, where a `Caller` builds ops; tensors are their numbers.

    `kernels` are the numbers of the kernels. The routine is given as many tensors as `given` says,
    whose numbers come first.
    """

    fuses = False
    most_inputs = 32

    def __init__(self, kernels: Mapping[str, int], build: Build, given: int) -> None:
        self.graph: GraphBuilder = _Numbers()  # type: ignore[assignment]
        self.build = build
        self.numbers = kernels
        self._given = given
        self._places: dict[int, int] = {}
        self._kept: list[Memory] = []  # so that no other gets one of their ids
        self._sizes: list[int] = []
        self._constants: list[int] = []
        self._calls: list[list[int]] = []

    def holds(self, memory: Memory, number: int) -> None:
        """Say which tensor a memory is."""
        self._places[id(memory)] = number
        self._kept.append(memory)

    def memory(self, number: int, spec: TensorSpec) -> Memory:
        """Return the memory of a tensor that the routine is given."""
        memory = Memory(number, spec, owned=True)
        self.holds(memory, number)
        return memory

    def targets(
        self,
        results: Sequence[TensorSpec],
        memories: Sequence[TensorSpec],
        parts: Sequence[np.ndarray],
    ) -> list[Placed]:
        """Return results as parts of the first tensors that the routine is given: see `shared`."""
        own = [self.memory(number, spec) for number, spec in enumerate(memories)]
        own *= len(results) // max(len(own), 1)
        return list(map(placed, results, own, parts))

    def local(self, spec: TensorSpec) -> Placed:
        """Return new memory that lasts as long as the op."""
        number = self._given + 1 + len(self._sizes)
        self._sizes.append(spec.nbytes)
        return placed(spec, self.memory(number, TensorSpec((spec.size,), spec.dtype)), whole(spec))

    def __call__(
        self, results: Sequence[TensorSpec], calls: Sequence[Call], *, anchored: bool = False
    ) -> list[Placed]:
        """Write the calls, in order, on new memory for the results."""
        made = [self.local(spec) for spec in results]
        for call in calls:
            self.call(made, call)
        return made

    def call(self, results: Sequence[Placed], call: Call) -> None:
        """Write a call whose results have memory."""
        words = _Words(self._places, results)
        head = [self.number(call.kernel), len(call.arguments), len(call.params)]
        operands = [word for argument in call.arguments for word in words.words(argument)]
        self._calls.append([*head, *operands, *call.params])

    def group(self, result: TensorSpec, group: Group) -> Placed:
        """Write a group of steps on new memory for the result."""
        made = self.local(result)
        count = self._given + 1 + len(self._sizes)
        self._calls.append(group.words(result, _Words(self._places, [made]), count))
        return made

    def number(self, kernel: str) -> int:
        """Return the number of a kernel."""
        return self.numbers[kernel]

    def constant(self, array: np.ndarray, spec: TensorSpec) -> Placed:
        """Return an array that is part of the routine."""
        stored = np.ascontiguousarray(array, np.dtype(spec.dtype)).tobytes()
        start = 8 * (_FIRST_CONSTANT + len(self._constants))
        padded = stored + bytes(-len(stored) % 8)
        self._constants += np.frombuffer(padded, np.int64).tolist()
        like = whole(spec)
        at = layouts.seen(spec.shape, like.dtype, start, like.strides)
        everything = self.memory(self._given, TensorSpec((1 << 40,), "uint8"))
        return placed(spec, everything, at)

    def size(self, expression: str) -> Placed:
        """Return the value of an expression of sizes: a constant that is known when it runs."""
        found = self.constant(np.zeros((), np.int64), TensorSpec((), "int64"))
        self._constants[-1] = size_of(expression)  # type: ignore[assignment]
        return found

    def copy(self, target: Placed, source: Placed) -> None:
        """Write a copy into memory that there is."""
        self.call([target], Call("copy", [_into(target), read(source)]))

    def written(self, write: Callable[[], None]) -> list[int]:
        """Return the routine of the calls that a function writes."""
        calls, self._calls = self._calls, []
        write()
        calls, self._calls = self._calls, calls
        return _plan(calls)

    def repeat(
        self,
        turns: int,
        body: list[int],
        *,
        place: Placed | None = None,
        backwards: bool = False,
        test: tuple[Placed, list[int]] | None = None,
    ) -> None:
        """Write a loop, see vm/routines/routines.mojo; without end for `turns` below 0."""
        counter = -1 if place is None else self._places[id(place.memory)]
        flag, tested = (-1, []) if test is None else (self._places[id(test[0].memory)], test[1])
        head = [LOOP_CALL, turns, int(backwards), counter, flag]
        self._calls.append([*head, len(tested), *tested, len(body), *body])

    def choose(self, flag: Placed, on_false: list[int], on_true: list[int]) -> None:
        """Write a choice between two routines."""
        number = self._places[id(flag.memory)]
        routines = [len(on_false), *on_false, len(on_true), *on_true]
        self._calls.append([BRANCH_CALL, number, *routines])

    def words_of_all(self) -> list[int]:
        """Return the words of the routine."""
        constants = [len(self._constants), *self._constants]
        head = [LOCALS_CALL, self._given, *constants, len(self._sizes), *self._sizes]
        return _plan([head, *self._calls])


def _plan(calls: Sequence[Sequence[int]]) -> list[int]:
    return [len(calls), *(word for call in calls for word in call)]


def _into(target: Placed) -> Argument:
    """Return the argument that is the memory of a call's result."""
    return Argument(0, target.layout)


class _Words(Tensors):
    """The numbers of a routine's tensors; those of a call's results are given."""

    def __init__(self, numbers: dict[int, int], results: Sequence[Placed]) -> None:
        self._known = numbers
        self._targets = [numbers[id(x.memory)] for x in results]

    def result(self, number: int) -> int:
        """Return the number of the tensor of a result."""
        return self._targets[number]

    def number(self, value: Placed) -> int:
        """Return the number of the tensor where a value is."""
        return self._known[id(value.memory)]


class _Numbers:
    """Stands for the graph where tensors are numbers."""

    on_gpu = False

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Return the tensor: its shape does not matter."""
        return tensor
