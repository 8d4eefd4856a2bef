"""How each JAX primitive is recorded: a rule by its name.

A rule is given the operands of an equation, its params, and shape and dtype of its results
(`shape_code`), and records steps by `operand.node`. The modules of rules are named after what their
primitives do; `template` replays a Jaxpr by them, which rules do, too, with what they trace.
"""

from __future__ import annotations

from . import control, elementwise, indexing, kernels, linalg, random_keys, reductions, views
from .operand import Operand, Rule, constant, node, number
from .shape_code import ShapeCode, Unrecordable
from .template import RULES

for _module in (
    views,
    elementwise,
    kernels,
    indexing,
    reductions,
    control,
    random_keys,
    linalg,
):
    RULES.update(_module.RULES)

__all__ = ["RULES", "Operand", "Rule", "ShapeCode", "Unrecordable", "constant", "node", "number"]
