"""Computes in advance what depends on constants alone.

MAX would do so, too, and first compile the kernels that it needs for that: a graph would take twice
as long to compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph_ir import GraphIR, KernelFailed
from ..ir.sizes import is_symbolic
from ..ir.writer import Writer, renumbered
from .lower import LARGEST_FOLDED, check, routine_of
from .routine import KERNELS, AtOnce
from .rules import elementwise, loops

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from ..ir.graph_ir import Step, TensorSpec


def fold_constants(ir: GraphIR) -> GraphIR:
    """Return an equal IR where small values that depend on no input are constants."""
    held = dict(enumerate(ir.constants, ir.inputs))
    fixed, steps = set(held), []
    for step in ir.steps:
        if _is_folded(step, fixed, ir.specs):
            fixed.update(step.results)
        else:
            step = _with_folded_parts(step, held)
        steps.append(step)
    wanted = dict.fromkeys(_wanted(steps, fixed, ir.outputs))
    made = [value for value in wanted if value not in held]
    part = renumbered([], held, steps, ir.specs, made)
    try:
        results = AtOnce(routine_of(part, KERNELS)[0], [ir.specs[value] for value in made])([])
    except (IndexError, KernelFailed, MemoryError):
        return ir  # it fails where it is used, and says so
    held.update(zip(made, results, strict=True))
    rest = [step for step in steps if held.keys().isdisjoint(step.results)]
    return renumbered(range(ir.inputs), held, rest, ir.specs, ir.outputs)


def _is_folded(step: Step, fixed: set[int], specs: Sequence[TensorSpec]) -> bool:
    """Whether a step computes small values from others that depend on no input."""
    operands = [specs[value] for value in step.operands]
    results = [specs[value] for value in step.results]
    return (
        fixed.issuperset(step.operands)
        and step.name != "jj_size"
        and not step.irs  # a loop may never end
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
    """Return a step with its IRs folded: branches, and bodies of loops."""
    # Branches read what they close over as operands.
    known = [held.get(value) for value in step.operands[1:]] if step.name == "jj_cond" else []

    def folded(ir: GraphIR) -> GraphIR:
        return fold_constants(_with_known(ir, known) if known else ir)

    return step.with_irs(folded)


def _with_known(ir: GraphIR, known: Sequence[np.ndarray | None]) -> GraphIR:
    """Return an equal IR that does not read the inputs that are known."""
    writer = Writer(ir.specs[: ir.inputs])
    given = [number if x is None else writer.constant(x) for number, x in enumerate(known)]
    return writer.ir(writer.inline(ir, given))
