"""Steps that are runs of one structured kernel; the table of all steps that write new memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import indexing, movement, updates
from .calls import Call, Caller, out, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..program import Step
    from .types import KernelRule, Specs
    from .values import Placed


def _kernel(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    arguments = [*(out(n, spec) for n, spec in enumerate(results)), *map(read, operands)]
    return call(results, [Call(step.param("kernel"), arguments, step.param("words"))])


KERNELS: dict[str, KernelRule] = {
    "jj_kernel": _kernel,
    **indexing.KERNELS,
    **movement.KERNELS,
    **updates.KERNELS,
}
