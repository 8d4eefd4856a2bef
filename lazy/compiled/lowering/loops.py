"""Loops over small arrays, as one op whose plan repeats the calls of a turn.

MAX takes about 10 us for every op in a turn of a loop of its own, which is longer than most kernels
need for a few thousand elements.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from ... import layout as layouts
from ...function_sources import PREFIX
from ..program import Program, Spec
from . import custom
from .calls import (
    MOST_INPUTS,
    MOST_RESULTS,
    Argument,
    Call,
    Caller,
    Group,
    Move,
    Tensors,
    out,
    read,
    result_parts,
)
from .values import Memory, Placed, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..maxapi import GraphBuilder, Tensor
    from ..program import Step
    from .types import Specs

    Rule = Callable[["Turns", Step, Sequence[Placed], Sequence[Placed]], None]

LARGEST = 1 << 16
"""Elements of a value at most: above that, MAX's loops take no longer."""
LARGEST_TOGETHER = 1 << 22
"""Bytes of all values of a turn at most, so that they stay in cache."""

LOCALS_CALL, LOOP_CALL, BRANCH_CALL = -2, -3, -4
"""What stands for the number of a kernel where a plan has something else (vm/plans.mojo)."""
_FIRST_CONSTANT = 4
"""The word of a plan where its constants begin."""
_COUNTER = Spec((), "int64")
_FLAG = Spec((), "bool")


def lowered(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed] | None:
    """Return the results of a loop as those of one op; None if MAX should repeat ops.

    A choice is lowered so only in such a loop.
    """
    if isinstance(call, Turns):
        targets = list(map(call.local, results))
        _STEPS[step.name](call, step, operands, targets)
        return targets
    if step.name == "jj_cond" or call.graph.on_gpu or not _is_small(step):
        return None
    if len({id(x.memory) for x in operands}) >= MOST_INPUTS:
        return None
    if len(results) > MOST_RESULTS:
        outputs, parts = result_parts(results)
    else:
        outputs, parts = list(results), [whole(spec) for spec in results]
    turns = Turns(call, outputs, operands)
    memories = [turns.result(number) for number in range(len(outputs))]
    memories *= len(results) // len(memories)
    targets = list(map(_placed, results, memories, parts))
    _STEPS[step.name](turns, step, operands, targets)
    made = turns.finished()
    if len(made) == len(results):
        return made
    return [
        call.copied(_placed(spec, made[0].memory, at))
        for spec, at in zip(results, parts, strict=True)
    ]


def _is_small(step: Step) -> bool:
    """Whether all that a step holds are kernels on little memory."""
    programs = step.programs
    specs = [spec for program in programs for spec in _values(program)]
    few = all(spec.size <= LARGEST for spec in specs)
    return (
        few
        and sum(spec.nbytes for spec in specs) <= LARGEST_TOGETHER
        and all(map(_has_kernels_only, programs))
    )


def _values(program: Program) -> list[Spec]:
    inner = [part for step in program.steps for part in step.programs]
    return [*program.specs, *(spec for part in inner for spec in _values(part))]


def _has_kernels_only(program: Program) -> bool:
    return all(
        step.name not in custom.KERNELS
        and not step.name.startswith(PREFIX)
        and all(map(_has_kernels_only, step.programs))
        for step in program.steps
    )


def _placed(spec: Spec, memory: Memory, layout: np.ndarray) -> Placed:
    return Placed(spec, memory, layout, lambda graph: memory.tensor)


class Turns(Caller):
    """Writes calls into a plan, where a `Caller` builds ops; tensors are their numbers.

    `operands` are all values of the graph that the plan may read.
    """

    fuses = False
    most_inputs = 32

    def __init__(self, outer: Caller, results: Specs, operands: Sequence[Placed]) -> None:
        self.graph: GraphBuilder = _Numbers()  # type: ignore[assignment]
        self.build = outer.build
        self._outer = outer
        self._results = results
        self._inputs = Tensors(outer.graph, len(results))
        self._places = {id(x.memory): self._inputs.number(x) for x in operands}
        self._kept = [x.memory for x in operands]  # so that no other gets one of these ids
        outer.anchor(self._inputs)
        self._given = len(results) + len(self._inputs.tensors)
        self._sizes: list[int] = []
        self._constants: list[int] = []
        self._calls: list[list[int]] = []

    def result(self, number: int) -> Memory:
        """Return the memory of a result of the op."""
        return self._memory(number, self._results[number])

    def local(self, spec: Spec) -> Placed:
        """Return new memory that lasts as long as the op."""
        number = self._given + 1 + len(self._sizes)
        self._sizes.append(spec.nbytes)
        return _placed(spec, self._memory(number, Spec((spec.size,), spec.dtype)), whole(spec))

    def _memory(self, number: int, spec: Spec) -> Memory:
        memory = Memory(number, spec, owned=True)
        self._places[id(memory)] = number
        self._kept.append(memory)
        return memory

    def __call__(
        self, results: Sequence[Spec], calls: Sequence[Call], *, anchored: bool = False
    ) -> list[Placed]:
        """Write the calls, in order, on new memory for the results."""
        made = [self.local(spec) for spec in results]
        for call in calls:
            self.call(made, call)
        return made

    def call(self, results: Sequence[Placed], call: Call) -> None:
        """Write a call whose results have memory."""
        words = _Words(self._places, results)
        head = [self._outer.number(call.kernel), len(call.arguments), len(call.params)]
        operands = [word for argument in call.arguments for word in words.words(argument)]
        self._calls.append([*head, *operands, *call.params])

    def group(self, result: Spec, group: Group) -> Placed:
        """Write a group of steps on new memory for the result."""
        made = self.local(result)
        count = self._given + 1 + len(self._sizes)
        self._calls.append(group.words(result, _Words(self._places, [made]), count))
        return made

    def number(self, kernel: str) -> int:
        """Return the number of a kernel."""
        return self._outer.number(kernel)

    def constant(self, array: np.ndarray, spec: Spec) -> Placed:
        """Return an array that is part of the plan."""
        stored = np.ascontiguousarray(array, np.dtype(spec.dtype)).tobytes()
        start = 8 * (_FIRST_CONSTANT + len(self._constants))
        padded = stored + bytes(-len(stored) % 8)
        self._constants += np.frombuffer(padded, np.int64).tolist()
        like = whole(spec)
        at = layouts.seen(spec.shape, like.dtype, start, like.strides)
        everything = self._memory(self._given, Spec((1 << 40,), "uint8"))
        return _placed(spec, everything, at)

    def copy(self, target: Placed, source: Placed) -> None:
        """Write a copy into memory that there is."""
        self.call([target], Call("copy", [_into(target), read(source)]))

    def written(self, write: Callable[[], None]) -> list[int]:
        """Return the plan of the calls that a function writes."""
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
        """Write a loop, see vm/plans.mojo; without end for `turns` below 0."""
        counter = -1 if place is None else self._places[id(place.memory)]
        flag, tested = (-1, []) if test is None else (self._places[id(test[0].memory)], test[1])
        head = [LOOP_CALL, turns, int(backwards), counter, flag]
        self._calls.append([*head, len(tested), *tested, len(body), *body])

    def choose(self, flag: Placed, on_false: list[int], on_true: list[int]) -> None:
        """Write a choice between two plans."""
        number = self._places[id(flag.memory)]
        plans = [len(on_false), *on_false, len(on_true), *on_true]
        self._calls.append([BRANCH_CALL, number, *plans])

    def finished(self) -> list[Placed]:
        """Build the op that carries out what was written; returns its results."""
        constants = [len(self._constants), *self._constants]
        head = [LOCALS_CALL, self._given, *constants, len(self._sizes), *self._sizes]
        return self._outer.run(self._results, _plan([head, *self._calls]), self._inputs)


def _plan(calls: Sequence[Sequence[int]]) -> list[int]:
    return [len(calls), *(word for call in calls for word in call)]


def _into(target: Placed) -> Argument:
    """Return the argument that is the memory of a call's result."""
    return Argument(0, target.layout)


class _Words(Tensors):
    """The numbers of a plan's tensors; those of a call's results are given."""

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


def _carry(turns: Turns, made: Sequence[Placed], carried: Sequence[Placed]) -> None:
    """Write what a turn has made to the memory from which the next one reads."""
    own = {id(x.memory) for x in carried}
    pairs = [pair for pair in zip(made, carried, strict=True) if pair[0] is not pair[1]]
    # What is carried may go to another place: all of it is read before any is written.
    last = [(turns.copied(new) if id(new.memory) in own else new, old) for new, old in pairs]
    for new, old in last:
        turns.copy(old, new)


def _row(x: Placed) -> Spec:
    return Spec(x.spec.shape[1:], x.spec.dtype)


def _at(x: Placed, place: Placed, source: int | None = None) -> Argument:
    """Return the argument that is the row of an array, or of result `source`, of a number."""
    move = Move(place, x.layout.strides[0], x.spec.shape[0] - 1)
    return Argument(x if source is None else source, x.layout[0, ...], (move,))


# A step writes its results to memory that there is.


def _while(turns: Turns, step: Step, operands: Sequence[Placed], targets: Sequence[Placed]) -> None:
    first, second = step.param("constants")
    end = first + second
    for target, start in zip(targets, operands[end:], strict=True):
        turns.copy(target, start)
    flag = turns.local(_FLAG)

    def test() -> None:
        (going,) = turns.inline(step.param("cond"), [*operands[:first], *targets])
        turns.copy(flag, going)

    def body() -> None:
        made = turns.inline(step.param("body"), [*operands[first:end], *targets])
        _carry(turns, made, targets)

    turns.repeat(-1, turns.written(body), test=(flag, turns.written(test)))


def _scan(turns: Turns, step: Step, operands: Sequence[Placed], targets: Sequence[Placed]) -> None:
    constants, carried = step.param("counts")
    end = constants + carried
    length, arrays = step.param("length"), operands[end:]
    carry, stacks = targets[:carried], targets[carried:]
    for target, start in zip(carry, operands[constants:end], strict=True):
        turns.copy(target, start)
    place = turns.local(_COUNTER)

    def body() -> None:
        rows = [
            turns([_row(x)], [Call("copy", [out(0, _row(x)), _at(x, place)])])[0] for x in arrays
        ]
        made = turns.inline(step.param("body"), [*operands[:constants], *carry, *rows])
        for stack, row in zip(stacks, made[carried:], strict=True):
            turns.call([stack], Call("copy", [_at(stack, place, 0), read(row)]))
        _carry(turns, made[:carried], carry)

    turns.repeat(length, turns.written(body), place=place, backwards=step.param("reverse"))


def _cond(turns: Turns, step: Step, operands: Sequence[Placed], targets: Sequence[Placed]) -> None:
    condition, *given = operands
    flag = turns.local(_FLAG)
    turns.copy(flag, condition)

    def branch(program: Program) -> None:
        for target, made in zip(targets, turns.inline(program, given), strict=True):
            turns.copy(target, made)

    plans = [turns.written(functools.partial(branch, x)) for x in step.param("branches")]
    turns.choose(flag, *plans)


_STEPS: dict[str, Rule] = {"jj_cond": _cond, "jj_while": _while, "jj_scan": _scan}
