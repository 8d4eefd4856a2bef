"""Steps of structured kernels that a graph for a GPU runs there, and those that it does not."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ...ir.graph_ir import GraphIR, TensorSpec
from ..support.gpu import PRODUCTS, reduces, runs
from ..support.values import in_memory
from ..support.views import VIEWS
from . import elementwise
from .custom import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import Step
    from ..support.calls import Caller
    from ..support.types import Specs
    from ..support.values import Placed

_REGIONS = frozenset({"jj_cond", "jj_while"})


def kernel(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed] | None:
    """Return the results of a kernel's counterpart on the GPU, None if there is none."""
    if not call.graph.on_gpu:
        return None
    if step.param("kernel") == "dot_general":
        return _product(call, step, operands, results[0])
    if _reduces(step, operands[0].spec if operands else None):
        return _reduction(call, step, operands[0], results[0])
    return None


def _product(
    call: Caller, step: Step, operands: Sequence[Placed], result: TensorSpec
) -> Sequence[Placed] | None:
    if result.dtype not in PRODUCTS:
        return None
    a, b = operands
    (a_batch, a_contract), (b_batch, b_contract) = _dimensions(step.param("words"))
    a_free, b_free = _others(a, a_batch, a_contract), _others(b, b_batch, b_contract)
    stack = _size(a, a_batch), _size(a, a_free), _size(a, a_contract), _size(b, b_free)
    stacks, rows, depth, columns = stack
    left = _ordered(call, a, (*a_batch, *a_free, *a_contract), (stacks, rows, depth))
    right = _ordered(call, b, (*b_batch, *b_contract, *b_free), (stacks, depth, columns))
    made = call.graph.product(left, right, TensorSpec((stacks, rows, columns), result.dtype))
    return [in_memory(call.graph.reshape(made, result.shape), result, owned=True)]


def _dimensions(
    words: Sequence[int],
) -> tuple[tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]]:
    """Return the axes of a stack and those that are summed over, of both operands."""
    batch, contract, *axes = words
    ends = [0, batch, 2 * batch, 2 * batch + contract, 2 * batch + 2 * contract]
    a_batch, b_batch, a_contract, b_contract = (axes[start:end] for start, end in pairwise(ends))
    return (a_batch, a_contract), (b_batch, b_contract)


def _others(x: Placed, *taken: Sequence[int]) -> list[int]:
    return [axis for axis in range(len(x.spec.shape)) if not any(axis in part for part in taken)]


def _size(x: Placed, axes: Sequence[int]) -> int:
    size = 1
    for axis in axes:
        size *= x.spec.shape[axis]
    return size


def _ordered(call: Caller, x: Placed, axes: Sequence[int], shape: Sequence[int]) -> object:
    tensor = x.tensor(call.graph)
    if list(axes) != sorted(axes):
        tensor = call.graph.transpose(tensor, axes)
    return call.graph.reshape(tensor, shape)


def _reduces(step: Step, operand: TensorSpec | None) -> bool:
    return operand is not None and reduces(step.param("kernel"), operand.dtype, operand.size)


def _reduction(
    call: Caller, step: Step, operand: Placed, result: TensorSpec
) -> Sequence[Placed] | None:
    axes = step.param("words")
    if not axes or result.dtype != operand.spec.dtype:
        return None
    made = call.graph.reduced(step.param("kernel"), operand.tensor(call.graph), axes)
    if made is None:
        return None
    return [in_memory(call.graph.reshape(made, result.shape), result, owned=True)]


def cpu_kernels(ir: GraphIR) -> Counter[str]:
    """Return what an IR, which is expanded, runs on the CPU where its graph is for a GPU.

    The names are those of kernels, or of primitives, with the number of steps.
    """
    found: Counter[str] = Counter()
    for step in ir.steps:
        for _, param in step.params:
            for part in param if isinstance(param, tuple) else (param,):
                if isinstance(part, GraphIR):
                    found += cpu_kernels(part)
        if name := _on_cpu(step, ir.specs):
            found[name] += 1
    return found


def _on_cpu(step: Step, specs: Sequence[TensorSpec]) -> str:
    """Return the name of what a step runs on the CPU, "" if it runs nothing there."""
    if step.name in VIEWS or step.name in _REGIONS:
        return ""
    if elementwise.is_elementwise(step.name):
        fused = elementwise.is_fused(step, specs)
        there = fused and (step.name == "jj_select" or runs(step.name))
        return "" if there else step.name.removeprefix("jj_")
    if step.name == "mojo_call":
        return str(step.param("kernel"))
    if step.name == "jj_view":
        return "copy"  # of a view that MAX has no op for
    if step.name == STEP:
        return "lowering rule"
    if step.name in ("jj_kernel", "jj_in_place"):
        kernel, operands = str(step.param("kernel")), [specs[value] for value in step.operands]
        result = specs[step.results[0]]
        if kernel == "dot_general" and result.dtype in PRODUCTS:
            return ""
        there = step.name == "jj_kernel" and _reduces(step, operands[0] if operands else None)
        return "" if there and step.param("words") else kernel
    return step.name.removeprefix("jj_")
