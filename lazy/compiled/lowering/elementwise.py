"""Elementwise primitives as fusable ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..operations import operations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..maxapi import GraphBuilder, Tensor
    from ..program import Spec, Step
    from .types import ElementwiseRule, Specs


def _operation(graph: GraphBuilder, step: Step, operands: Sequence[Tensor], result: Spec) -> Tensor:
    return graph.custom(f"jj.{step.name}", operands, [result])[0]


def _select(graph: GraphBuilder, step: Step, operands: Sequence[Tensor], result: Spec) -> Tensor:
    condition, on_false, on_true = operands
    return graph.where(condition, on_true, on_false)


_OTHERS: dict[str, ElementwiseRule] = {
    "convert_element_type": _operation,
    "jj_select": _select,
}


def rule(name: str) -> ElementwiseRule | None:
    """Return the rule of an elementwise primitive, None if it is not elementwise."""
    if name in _OTHERS:
        return _OTHERS[name]
    known = operations().get(name)
    return _operation if known is not None and known.trait else None


def check(step: Step, operands: Specs, results: Specs) -> str:
    """Return why an elementwise step cannot be lowered, or ""."""
    if not all(_fits(spec.shape, results[0].shape) for spec in operands):
        return f"{step.name} of operands of different shapes"
    if step.name == "round" and dict(step.params).get("rounding_method") != "TO_NEAREST_EVEN":
        return "round half away from zero"
    if step.name in _OTHERS:
        return ""
    known = operations()[step.name]
    dtypes = {spec.dtype for spec in operands}
    if len(operands) != known.arity or len(dtypes) != 1 or not dtypes <= known.dtypes:
        return f"{step.name} of {', '.join(spec.dtype for spec in operands)}"
    if results[0].dtype != ("bool" if known.predicate else operands[0].dtype):
        return f"{step.name} with a result of {results[0].dtype}"
    return ""


def _fits(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    """Whether an operand has the shape of the result, or one that lax repeats to it."""
    if not shape:
        return True
    pairs = zip(shape, result, strict=False)
    return len(shape) == len(result) and all(n in (1, length) for n, length in pairs)
