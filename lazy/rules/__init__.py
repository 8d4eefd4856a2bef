"""How each JAX primitive is recorded: a rule by name.

A primitive without a rule is recorded as the elementwise operation of its own name.
"""

from __future__ import annotations

from . import (
    control,
    elementwise,
    fourier,
    indexing,
    kernels,
    linalg,
    reductions,
    views,
)
from . import (
    random_keys as keys,
)
from .operand import Operand, Rule, Spec, Unrecordable, constant, node, number

RULES: dict[str, Rule] = {
    **views.RULES,
    **elementwise.RULES,
    **kernels.RULES,
    **indexing.RULES,
    **reductions.RULES,
    **control.RULES,
    **keys.RULES,
    **fourier.RULES,
    **linalg.RULES,
}

__all__ = ["RULES", "Operand", "Rule", "Spec", "Unrecordable", "constant", "node", "number"]
