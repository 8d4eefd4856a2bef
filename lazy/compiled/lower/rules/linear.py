"""Products of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import Step
    from ...ir.writer import Writer
    from ..support.types import Check, Expansion, Specs


def _dot_general(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    (a_contract, b_contract), (a_batch, b_batch) = step.param("dimension_numbers")
    lengths = [len(a_batch), len(a_contract)]
    words = [*lengths, *a_batch, *b_batch, *a_contract, *b_contract]
    same = [writer.convert(operand, results[0].dtype) for operand in operands]
    return [writer.kernel("dot_general", same, results[0], words)]


EXPANSIONS: dict[str, Expansion] = {"dot_general": _dot_general}
CHECKS: dict[str, Check] = {}
