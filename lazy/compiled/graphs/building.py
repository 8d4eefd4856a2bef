"""Builds and compiles one batch; runs in the worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jujunp.kernels import build as kernels

from ..devices import CPU
from ..lower import lowering_of
from ..worker import wire
from . import maxapi
from .door import kernel_numbers, open_door
from .placement import GpuGraphBuilder

if TYPE_CHECKING:
    from ..devices import Device
    from ..ir.graph_ir import Program


def build(batch: wire.Batch) -> wire.Reply:
    """Compile the programs of a batch into one module."""
    wanted = dict(enumerate(batch.programs))
    refused = _without_libraries(wanted)
    try:
        open_door()  # MAX runs what depends on no input while it compiles
        while wanted:
            module = _new_module(wanted, batch.device)
            bad = _fill(module, wanted)
            if bad is None:
                return wire.Compiled(module.compile(), tuple(wanted), refused)
            # A graph that was given up stays in the module, so that a new one is begun.
            number, why = bad
            refused[number] = why
            del wanted[number]
    except maxapi.CompileFailed as error:
        return wire.Failed(f"{error}")
    except (kernels.KernelBuildError, OSError, RuntimeError, ValueError) as error:
        text = f"{type(error).__name__}: {error}"
        # A GPU that cannot be used does not keep graphs for the CPU from being compiled.
        return wire.Unable(text) if batch.device.is_cpu else wire.Failed(text)
    return wire.Compiled(b"", (), refused)


def graph_of(program: Program, device: Device = CPU) -> Any:
    """Return the graph of one program, for whoever wants to look at it."""
    open_door()
    module = _new_module({0: program}, device)
    lowering = lowering_of(program)
    with module.graph(lowering.inputs) as graph:
        lowering.build(graph, kernel_numbers())
    return graph.whole


def _without_libraries(wanted: dict[int, Program]) -> dict[int, str]:
    """Take out the programs whose packages are gone, and say so; MAX would refuse all."""
    refused = {}
    for number, program in list(wanted.items()):
        missing = sorted(path for path in program.libraries if not Path(path).is_file())
        if missing:
            refused[number] = f"the package {missing[0]} is missing"
            del wanted[number]
    return refused


def _new_module(programs: dict[int, Program], device: Device) -> maxapi.ModuleBuilder:
    builder = maxapi.GraphBuilder if device.is_cpu else GpuGraphBuilder
    own = [kernels.graph_package()]
    users = sorted(frozenset[str]().union(*(program.libraries for program in programs.values())))
    try:
        return maxapi.ModuleBuilder([*own, *map(Path, users)], device, builder)
    except (OSError, RuntimeError, ValueError) as error:
        if not users:
            raise
        raise maxapi.CompileFailed(f"the kernels of {users} cannot be loaded: {error}") from error


def _fill(module: maxapi.ModuleBuilder, programs: dict[int, Program]) -> tuple[int, str] | None:
    """Add the programs to a module; returns the number of one that cannot be added, and why."""
    for number, program in programs.items():
        try:
            lowering = lowering_of(program)
            with module.graph(lowering.inputs) as graph:
                lowering.build(graph, kernel_numbers())
        except Exception as error:  # whatever MAX raises here concerns this program alone
            return number, f"{type(error).__name__}: {error}"
    return None
