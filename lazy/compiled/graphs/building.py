"""Builds IRs as graphs, one or many in a module."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jujunp.kernels import build as kernels

from ..ir.devices import CPU
from ..lower import lowering_of
from . import maxapi
from .door import kernel_numbers, open_door
from .placement import GpuGraphBuilder

if TYPE_CHECKING:
    from ..ir.devices import Device
    from ..ir.graph_ir import GraphIR


def graph_of(ir: GraphIR, device: Device = CPU) -> Any:
    """Return the graph of one IR, for whoever wants to look at it."""
    open_door()
    module = new_module({0: ir}, device)
    lowering = lowering_of(ir)
    with module.graph(lowering.inputs) as graph:
        lowering.build(graph, kernel_numbers())
    return graph.whole


def new_module(irs: dict[int, GraphIR], device: Device) -> maxapi.ModuleBuilder:
    """Return an empty module for IRs; raises CompileFailed if users' kernels are no use."""
    builder = maxapi.GraphBuilder if device.is_cpu else GpuGraphBuilder
    own = [kernels.graph_package()]
    users = sorted(frozenset[str]().union(*(ir.libraries for ir in irs.values())))
    try:
        return maxapi.ModuleBuilder([*own, *map(Path, users)], device, builder)
    except (OSError, RuntimeError, ValueError) as error:
        if not users:
            raise
        raise maxapi.CompileFailed(f"the kernels of {users} cannot be loaded: {error}") from error


def fill(module: maxapi.ModuleBuilder, irs: dict[int, GraphIR]) -> tuple[int, str] | None:
    """Add the IRs to a module; returns the number of one that cannot be added, and why."""
    for number, ir in irs.items():
        try:
            lowering = lowering_of(ir)
            with module.graph(lowering.inputs) as graph:
                lowering.build(graph, kernel_numbers())
        except Exception as error:  # whatever MAX raises here concerns this IR alone
            return number, f"{type(error).__name__}: {error}"
    return None
