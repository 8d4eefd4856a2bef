"""Reductions, scans, searches and sorting, along the lines of the structured kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.graph_ir import TensorSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import Step
    from ...ir.writer import Writer
    from ..support.types import Check, Expansion, Specs

_INDEX = "int64"
_REDUCTIONS = tuple(f"reduce_{name}" for name in ("sum", "prod", "max", "min", "and", "or", "xor"))
_SCANS = ("cumsum", "cumprod", "cummax", "cummin")
MOST_SORTED = 3
"""Arrays that can be sorted together."""


def _reduce(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    return [writer.kernel(step.name, operands, results[0], step.param("axes"))]


def _arg(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    (axis,) = step.param("axes")
    found = writer.kernel(step.name, operands, TensorSpec(results[0].shape, _INDEX), [axis])
    return [writer.convert(found, results[0].dtype)]


def _check_arg(step: Step, operands: Specs, results: Specs) -> str:
    if len(step.param("axes")) != 1:
        return f"{step.name} along several axes"
    return "" if operands[0].size else f"{step.name} of nothing"


def _scan(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    words = [step.param("axis"), int(step.param("reverse"))]
    return [writer.kernel(step.name, operands, results[0], words)]


def _sort(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    words = (step.param("dimension"), len(operands), step.param("num_keys"))
    return writer.steps("jj_kernel", operands, results, {"kernel": "sort", "words": words})


def _check_sort(step: Step, operands: Specs, results: Specs) -> str:
    return f"sort of {len(operands)} arrays" if len(operands) > MOST_SORTED else ""


def _searchsorted(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    return [writer.kernel("searchsorted", operands, results[0], [step.param("side")])]


def _reduceat(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    words = [step.param("axis"), step.param("operation")]
    return [writer.kernel("reduceat", operands, results[0], words)]


def _nonzero(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    return [writer.kernel("nonzero", operands, results[0])]


EXPANSIONS: dict[str, Expansion] = {
    **dict.fromkeys(_REDUCTIONS, _reduce),
    **dict.fromkeys(_SCANS, _scan),
    **dict.fromkeys(("argmax", "argmin"), _arg),
    "sort": _sort,
    "searchsorted": _searchsorted,
    "reduceat": _reduceat,
    "nonzero": _nonzero,
}
CHECKS: dict[str, Check] = {
    **dict.fromkeys(("argmax", "argmin"), _check_arg),
    "sort": _check_sort,
}
