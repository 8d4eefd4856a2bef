"""Large constants of a graph as its inputs: a graph then does not hold them.

What a graph holds is part of its name and of what is kept on disk. So a function with other weights
would be compiled again, and one with very large ones not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .writer import renumbered

if TYPE_CHECKING:
    import numpy as np
    from jax.extend.core import ClosedJaxpr

    from .graph_ir import Program

LARGE = 1 << 16
"""Bytes of a constant from which on it becomes an input."""


@dataclass(frozen=True, eq=False)
class Lifted:
    """A Jaxpr whose graph has its large constants as inputs, after its own."""

    closed: ClosedJaxpr


Graph: TypeAlias = "ClosedJaxpr | Lifted"


def large_constants(program: Program) -> list[np.ndarray]:
    """Return the constants that become inputs."""
    return [constant for constant in program.constants if constant.nbytes >= LARGE]


def lifted(program: Program) -> Program:
    """Return a program with its large constants as inputs, after its own."""
    values = range(program.inputs, program.inputs + len(program.constants))
    constants = dict(zip(values, program.constants, strict=True))
    large = [value for value, constant in constants.items() if constant.nbytes >= LARGE]
    small = {value: constant for value, constant in constants.items() if value not in large}
    inputs = [*range(program.inputs), *large]
    return renumbered(inputs, small, program.steps, program.specs, program.outputs)
