"""Computes in advance what depends on constants alone.

MAX would do so, too, and first compile the kernels that it needs for that: a graph would take twice
as long to compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph_ir import KernelFailed, Program
from ..ir.sizes import is_symbolic
from ..ir.writer import Writer, renumbered
from .lower import LARGEST_FOLDED, check, planned
from .routine import KERNELS, AtOnce
from .rules import elementwise, loops

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from ..ir.graph_ir import Spec, Step


def fold_constants(program: Program) -> Program:
    """Return an equal program where small values that depend on no input are constants."""
    held = dict(enumerate(program.constants, program.inputs))
    fixed, steps = set(held), []
    for step in program.steps:
        if _is_folded(step, fixed, program.specs):
            fixed.update(step.results)
        else:
            step = _with_folded_parts(step, held)
        steps.append(step)
    wanted = dict.fromkeys(_wanted(steps, fixed, program.outputs))
    made = [value for value in wanted if value not in held]
    part = renumbered([], held, steps, program.specs, made)
    try:
        results = AtOnce(planned(part, KERNELS)[0], [program.specs[value] for value in made])([])
    except (IndexError, KernelFailed, MemoryError):
        return program  # it fails where it is used, and says so
    held.update(zip(made, results, strict=True))
    rest = [step for step in steps if held.keys().isdisjoint(step.results)]
    return renumbered(range(program.inputs), held, rest, program.specs, program.outputs)


def _is_folded(step: Step, fixed: set[int], specs: Sequence[Spec]) -> bool:
    """Whether a step computes small values from others that depend on no input."""
    operands = [specs[value] for value in step.operands]
    results = [specs[value] for value in step.results]
    return (
        fixed.issuperset(step.operands)
        and step.name != "jj_size"
        and not step.programs  # a loop may never end
        and loops.is_of_kernels(step)
        and not any(is_symbolic(spec.shape) for spec in results)
        and all(0 < spec.size <= LARGEST_FOLDED for spec in results)
        and check(step, operands, results) == ""
    )


def _wanted(steps: Sequence[Step], fixed: set[int], outputs: Sequence[int]) -> Iterator[int]:
    """Yield the fixed values that are outputs or that other steps read.

    An elementwise step repeats the elements of an operand itself.
    """
    makers = {value: step for step in steps for value in step.results}
    yield from (value for value in outputs if value in fixed)
    for step in steps:
        if fixed.issuperset(step.results):
            continue
        read = [value for value in step.operands if value in fixed]
        if elementwise.is_elementwise(step.name):
            read = [_repeated(value, makers) for value in read]
        yield from read


def _repeated(value: int, makers: Mapping[int, Step]) -> int:
    """Return the value whose elements a value repeats."""
    while value in makers and makers[value].name == "broadcast_in_dim":
        value = makers[value].operands[0]
    return value


def _with_folded_parts(step: Step, held: Mapping[int, np.ndarray]) -> Step:
    """Return a step with its programs folded: branches, and bodies of loops."""
    # Branches read what they close over as operands.
    known = [held.get(value) for value in step.operands[1:]] if step.name == "jj_cond" else []

    def folded(program: Program) -> Program:
        return fold_constants(_with_known(program, known) if known else program)

    return step.with_programs(folded)


def _with_known(program: Program, known: Sequence[np.ndarray | None]) -> Program:
    """Return an equal program that does not read the inputs that are known."""
    writer = Writer(program.specs[: program.inputs])
    given = [number if x is None else writer.constant(x) for number, x in enumerate(known)]
    return writer.program(writer.inline(program, given))
