"""Loops over small arrays, as one op whose routine repeats the calls of a turn.

MAX takes about 10 us for every op in a turn of a loop of its own, which is longer than most kernels
need for a few thousand elements.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from jujunp.kernels.generate import MOST_INPUTS, MOST_RESULTS

from ....functions.sources import PREFIX
from ...ir.graph_ir import GraphIR, TensorSpec
from ..support.calls import (
    Argument,
    Call,
    Caller,
    Move,
    Tensors,
    out,
    read,
    shared,
)
from ..support.in_place import IN_PLACE, ends, updating_in_place
from ..support.routine_writer import RoutineWriter, placed
from ..support.values import Placed
from ..support.views import VIEWS
from . import custom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...ir.graph_ir import Step
    from ..support.types import Specs

    Rule = Callable[["RoutineWriter", Step, Sequence[Placed], Sequence[Placed]], None]

LARGEST = 1 << 16
"""Elements of a value at most: above that, MAX's loops take no longer."""
LARGEST_TOGETHER = 1 << 22
"""Bytes of all values of a turn at most, so that they stay in cache."""

_COUNTER = TensorSpec((), "int64")
_FLAG = TensorSpec((), "bool")


def lowered(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed] | None:
    """Return the results of a loop as those of one op; None if MAX should repeat ops.

    A choice is lowered so only in a routine.
    """
    step = updating_in_place(step)
    if isinstance(call, RoutineWriter):
        targets = list(map(call.local, results))
        _STEPS[step.name](call, step, operands, targets)
        return targets
    if step.name == "jj_cond" or call.graph.on_gpu or not _is_small(step):
        return None
    if len({id(x.memory) for x in operands}) >= MOST_INPUTS:
        return None
    outputs, parts = shared(results, MOST_RESULTS)
    inputs = Tensors(call.graph, len(outputs))
    numbers = [inputs.number(x) for x in operands]
    call.anchor(inputs)
    routine = RoutineWriter(call.numbers, call.build, len(outputs) + len(inputs.tensors))
    for x, number in zip(operands, numbers, strict=True):
        routine.holds(x.memory, number)
    _STEPS[step.name](routine, step, operands, routine.targets(results, outputs, parts))
    made = call.run(outputs, routine.words_of_all(), inputs)
    if len(made) == len(results):
        return made
    return [
        call.copied(placed(spec, made[0].memory, at))
        for spec, at in zip(results, parts, strict=True)
    ]


def is_small(ir: GraphIR) -> bool:
    """Whether all that an expanded IR computes are kernels on little memory.

    It may read more, and loops may write parts of more.
    """
    return makes_little(ir) and all(map(_is_small, map(updating_in_place, ir.steps)))


def makes_little(ir: GraphIR) -> bool:
    """Whether what an IR computes outside of its loops are kernels on little memory."""
    others = (step for step in ir.steps if step.name not in ("jj_scan", "jj_while"))
    made = [ir.specs[value] for step in others for value in step.results]
    held = sum(constant.nbytes for constant in ir.constants)
    return held <= LARGEST and _are_small(made) and has_kernels_only(ir)


def _is_small(step: Step) -> bool:
    """Whether all that a step holds are kernels on little memory, or on little of a large one."""
    specs = [spec for ir in step.irs for spec in _worked_on(ir)]
    return _are_small([*specs, *_carried(step)]) and all(map(has_kernels_only, step.irs))


def _are_small(specs: Specs) -> bool:
    largest = max((spec.size for spec in specs), default=0)
    return largest <= LARGEST and sum(spec.nbytes for spec in specs) <= LARGEST_TOGETHER


def _worked_on(ir: GraphIR) -> Iterator[TensorSpec]:
    """Yield what an IR reads and makes as a whole."""
    for step in ir.steps:
        values = (*step.operands, *step.results)
        if step.name in VIEWS or step.name == "jj_view":
            values = ()  # who reads the view is looked at
        elif step.name == "jj_slice" or dict(step.params).get("kernel") == "gather":
            values = (*step.operands[1:], *step.results)
        elif step.name == IN_PLACE:
            values = step.operands[1:]
        elif step.name == "jj_scan":
            values = (*step.operands[slice(*ends(step))], *step.results)
        elif step.name == "jj_while":
            values = step.results
        yield from (ir.specs[value] for value in values)
        for part in step.irs:
            yield from _worked_on(part)
        yield from _carried(step)


def _carried(step: Step) -> list[TensorSpec]:
    """Return what a loop copies from one turn to the next."""
    if step.name not in ("jj_scan", "jj_while"):
        return []
    body = step.param("body")
    first, end = ends(step)
    kept = {value for made in body.steps if made.name == IN_PLACE for value in made.results}
    kept.update(range(first, end))
    return [body.specs[k] for k in body.outputs[: end - first] if k not in kept]


def has_kernels_only(ir: GraphIR) -> bool:
    """Whether a routine can carry out an IR: nothing in it is a user's kernel or function."""
    return all(map(is_of_kernels, ir.steps))


def is_of_kernels(step: Step) -> bool:
    """Whether a routine can carry out a step."""
    own = step.name in custom.KERNELS or step.name.startswith(PREFIX)
    return not own and all(map(has_kernels_only, step.irs))


def _carry(routine: RoutineWriter, made: Sequence[Placed], carried: Sequence[Placed]) -> None:
    """Write what a turn has made to the memory from which the next one reads."""
    own = {id(x.memory) for x in carried}
    pairs = [pair for pair in zip(made, carried, strict=True) if pair[0] is not pair[1]]
    # What is carried may go to another place: all of it is read before any is written.
    last = [(routine.copied(new) if id(new.memory) in own else new, old) for new, old in pairs]
    for new, old in last:
        routine.copy(old, new)


def _row(x: Placed) -> TensorSpec:
    return TensorSpec(x.spec.shape[1:], x.spec.dtype)


def _at(x: Placed, place: Placed, source: int | None = None) -> Argument:
    """Return the argument that is the row of an array, or of result `source`, of a number."""
    move = Move(place, x.layout.strides[0], x.layout.shape[0] - 1)
    return Argument(x if source is None else source, x.layout[0, ...], (move,))


# A step writes its results to memory that there is.


def _while(
    routine: RoutineWriter, step: Step, operands: Sequence[Placed], targets: Sequence[Placed]
) -> None:
    first, second = step.param("constants")
    end = first + second
    for target, start in zip(targets, operands[end:], strict=True):
        routine.copy(target, start)
    flag = routine.local(_FLAG)

    def test() -> None:
        (going,) = routine.inline(step.param("cond"), [*operands[:first], *targets])
        routine.copy(flag, going)

    def body() -> None:
        made = routine.inline(step.param("body"), [*operands[first:end], *targets])
        _carry(routine, made, targets)

    routine.repeat(-1, routine.written(body), test=(flag, routine.written(test)))


def _scan(
    routine: RoutineWriter, step: Step, operands: Sequence[Placed], targets: Sequence[Placed]
) -> None:
    constants, carried = step.param("counts")
    end = constants + carried
    length, arrays = step.param("length"), operands[end:]
    carry, stacks = targets[:carried], targets[carried:]
    for target, start in zip(carry, operands[constants:end], strict=True):
        routine.copy(target, start)
    place = routine.local(_COUNTER)

    def body() -> None:
        rows = [
            routine([_row(x)], [Call("copy", [out(0, _row(x)), _at(x, place)])])[0] for x in arrays
        ]
        made = routine.inline(step.param("body"), [*operands[:constants], *carry, *rows])
        for stack, row in zip(stacks, made[carried:], strict=True):
            routine.call([stack], Call("copy", [_at(stack, place, 0), read(row)]))
        _carry(routine, made[:carried], carry)

    routine.repeat(length, routine.written(body), place=place, backwards=step.param("reverse"))


def _cond(
    routine: RoutineWriter, step: Step, operands: Sequence[Placed], targets: Sequence[Placed]
) -> None:
    condition, *given = operands
    flag = routine.local(_FLAG)
    routine.copy(flag, condition)

    def branch(ir: GraphIR) -> None:
        for target, made in zip(targets, routine.inline(ir, given), strict=True):
            routine.copy(target, made)

    routines = [routine.written(functools.partial(branch, x)) for x in step.param("branches")]
    routine.choose(flag, *routines)


_STEPS: dict[str, Rule] = {"jj_cond": _cond, "jj_while": _while, "jj_scan": _scan}
