"""Large constants of a graph as its inputs: a graph then does not hold them.

What a graph holds is part of its name and of what is kept on disk. So a function with other weights
would be compiled again, and one with very large ones not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .writer import renumbered

if TYPE_CHECKING:
    import numpy as np

    from .graph_ir import GraphIR

LARGE = 1 << 16
"""Bytes of a constant from which on it becomes an input."""


def large_constants(ir: GraphIR) -> list[np.ndarray]:
    """Return the constants that become inputs."""
    return [constant for constant in ir.constants if constant.nbytes >= LARGE]


def lifted(ir: GraphIR) -> GraphIR:
    """Return an IR with its large constants as inputs, after its own."""
    values = range(ir.inputs, ir.inputs + len(ir.constants))
    constants = dict(zip(values, ir.constants, strict=True))
    large = [value for value, constant in constants.items() if constant.nbytes >= LARGE]
    small = {value: constant for value, constant in constants.items() if value not in large}
    inputs = [*range(ir.inputs), *large]
    return renumbered(inputs, small, ir.steps, ir.specs, ir.outputs)
