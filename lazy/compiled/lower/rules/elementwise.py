"""Elementwise primitives: as ops that MAX fuses, or as steps of the block-wise machine.

MAX fuses operations of one and two real operands. Complex numbers, half precision (whose steps are
computed in float32 and rounded) and operations of three operands are evaluated by the machine of
the immediate tier, block by block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jujunp.kernels.facts import BYTECODE, numbers
from jujunp.kernels.operations import operations

from ....functions.sources import PREFIX
from ....values.dtypes import NAMED, NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graphs.maxapi import GraphBuilder, Tensor
    from ...ir.graph_ir import Step, TensorSpec
    from ..support.types import Specs

FUSED_DTYPES = frozenset(NAMES) - {"float16", "bfloat16", "complex64", "complex128"}
_SELECT, _CONVERSION = "jj_select", "convert_element_type"
_OTHERS = frozenset({_SELECT, _CONVERSION})


def is_elementwise(name: str) -> bool:
    """Whether a primitive is elementwise."""
    return name in _OTHERS or name in operations() or name.startswith(PREFIX)


def is_fused(step: Step, specs: Sequence[TensorSpec]) -> bool:
    """Whether MAX fuses an elementwise step; `specs` are those of all values."""
    dtypes = (specs[value].dtype for value in (*step.operands, *step.results))
    known = operations().get(step.name)
    return FUSED_DTYPES.issuperset(dtypes) and (known is None or known.trait != "")


def fused(
    graph: GraphBuilder, step: Step, operands: Sequence[Tensor], result: TensorSpec
) -> Tensor:
    """Build a step; the operands have one shape, that of the result."""
    if step.name == _SELECT:
        condition, on_false, on_true = operands
        return graph.where(condition, on_true, on_false)
    return graph.custom(f"jj.{step.name}", operands, [result])[0]


def opcode(step: Step) -> int:
    """Return the machine's opcode of an elementwise step."""
    if step.name == _CONVERSION:
        return numbers(BYTECODE)["CONVERT"]
    return operations()["select_n" if step.name == _SELECT else step.name].opcode


def codes(step: Step, specs: Sequence[TensorSpec]) -> tuple[int, int]:
    """Return the dtype codes of the operands and of the result of an elementwise step."""
    return NAMED[specs[step.operands[-1]].dtype], NAMED[specs[step.results[0]].dtype]


def check(step: Step, operands: Specs, results: Specs) -> str:
    """Return why an elementwise step cannot be lowered, or ""."""
    shape = results[0].shape
    if not all(spec.shape == shape or _fits(spec.shape, shape) for spec in operands):
        return f"{step.name} of operands of different shapes"
    if step.name == "round" and dict(step.params).get("rounding_method") != "TO_NEAREST_EVEN":
        return "round half away from zero"
    if step.name in _OTHERS:
        return ""
    if step.name.startswith(PREFIX):
        return "" if operands[0].dtype in FUSED_DTYPES else f"{step.name} of {operands[0].dtype}"
    known = operations()[step.name]
    dtypes = {spec.dtype for spec in operands}
    if len(operands) != known.arity or len(dtypes) != 1 or not dtypes <= known.dtypes:
        return f"{step.name} of {', '.join(spec.dtype for spec in operands)}"
    if results[0].dtype != known.result(operands[0].dtype):
        return f"{step.name} with a result of {results[0].dtype}"
    return ""


def _fits(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    """Whether an operand has a shape that lax repeats to that of the result."""
    if not shape:
        return True
    pairs = zip(shape, result, strict=False)
    return len(shape) == len(result) and all(n in (1, length) for n, length in pairs)
