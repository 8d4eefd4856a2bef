"""Steps that users define: kernels of their own, and what their lowering rules have built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..support.values import in_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax.extend.core import Primitive

    from ...ir.graph_ir import Plain, Step, TensorSpec
    from ..support.calls import Caller
    from ..support.types import KernelRule, Specs
    from ..support.values import Placed

STEP = "max_graph"
"""The name of the step that a primitive with a lowering rule of a user's becomes."""


class UserRule(Protocol):
    """A user's lowering rule: lazy/users/rules.py has those that there are."""

    def params(
        self, operands: Sequence[TensorSpec], results: Sequence[TensorSpec], given: dict[str, Any]
    ) -> dict[str, Plain]:
        """Return the parameters of the step for one use; raises Unsupported if the rule fails."""


USER_RULES: dict[Primitive, UserRule] = {}
"""Users' lowering rules by primitive."""


def _mojo_call(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    """Apply a kernel; MAX hands it its operands whole and in C order, whatever view they are."""
    tensors = [value.tensor(call.graph) for value in operands]
    made = call.graph.kernel(step.param("kernel"), tensors, results, step.param("attributes"))
    return [in_memory(new, spec, owned=True) for new, spec in zip(made, results, strict=True)]


def _max_graph(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    """Insert what a rule has built; its results may be its operands or views of them."""
    tensors = [value.tensor(call.graph) for value in operands]
    made = call.graph.inline(step.param("bytecode"), tensors)
    return [in_memory(new, spec, owned=False) for new, spec in zip(made, results, strict=True)]


KERNELS: dict[str, KernelRule] = {"mojo_call": _mojo_call, STEP: _max_graph}


def is_users(primitive: Primitive) -> bool:
    """Whether a primitive has a lowering rule of a user's, or is a user's kernel."""
    return primitive in USER_RULES or primitive.name in KERNELS
