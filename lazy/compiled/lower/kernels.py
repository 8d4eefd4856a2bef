"""Steps that are runs of one structured kernel; the table of all steps that write new memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jujunp.kernels.generate import MOST_RESULTS

from .rules import accelerated, control, custom, indexing, movement, updates
from .support.calls import Argument, Call, Caller, out, read, result_parts
from .support.routine_writer import RoutineWriter
from .support.values import Placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.graph_ir import Step
    from .support.types import KernelRule, Specs


def _kernel(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    if (made := accelerated.kernel(call, step, operands, results)) is not None:
        return made
    if len(results) > MOST_RESULTS:
        return _many_results(call, step, operands, results)
    arguments = [*(out(n, spec) for n, spec in enumerate(results)), *map(read, operands)]
    return call(results, [Call(step.param("kernel"), arguments, step.param("words"))])


def _many_results(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    """A kernel with more results than an op has: they are parts of one, and are copied."""
    outputs, layouts = result_parts(results)
    arguments = [*(Argument(0, layout) for layout in layouts), *map(read, operands)]
    routine = [Call(step.param("kernel"), arguments, step.param("words"))]
    (together,) = call(outputs, routine)
    pairs = zip(results, layouts, strict=True)
    parts = [Placed(spec, together.memory, layout, together.build) for spec, layout in pairs]
    return [call.copied(part) for part in parts]


def _size(call: Caller, step: Step, operands: Sequence[Placed], results: Specs) -> Sequence[Placed]:
    """The value of an expression, in a routine: elsewhere no size is symbolic."""
    assert isinstance(call, RoutineWriter)
    return [call.size(step.param("size"))]


def _in_place(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    """A kernel that changes a part of its first operand, here of a copy."""
    x, *others = operands
    copy = Call("copy", [out(0, results[0]), read(x)])
    arguments = [out(0, results[0]), *map(read, others)]
    return call(results, [copy, Call(step.param("kernel"), arguments, step.param("words"))])


KERNELS: dict[str, KernelRule] = {
    "jj_kernel": _kernel,
    "jj_in_place": _in_place,
    "jj_size": _size,
    **control.KERNELS,
    **indexing.KERNELS,
    **movement.KERNELS,
    **updates.KERNELS,
    **custom.KERNELS,
}
