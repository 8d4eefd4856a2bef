"""Builds and compiles one batch; runs in the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...kernels import build as kernels
from . import maxapi, wire
from .door import kernel_numbers, open_door
from .lowering import Lowering

if TYPE_CHECKING:
    from .program import Program


def build(batch: wire.Batch) -> wire.Reply:
    """Compile the programs of a batch into one module."""
    wanted = dict(enumerate(batch.programs))
    refused: dict[int, str] = {}
    try:
        open_door()  # MAX runs what depends on no input while it compiles
        while wanted:
            module = maxapi.ModuleBuilder([kernels.graph_package()])
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
        return wire.Unable(f"{type(error).__name__}: {error}")
    return wire.Compiled(b"", (), refused)


def _fill(module: maxapi.ModuleBuilder, programs: dict[int, Program]) -> tuple[int, str] | None:
    """Add the programs to a module; returns the number of one that cannot be added, and why."""
    for number, program in programs.items():
        try:
            lowering = Lowering(program)
            with module.graph(lowering.inputs) as graph:
                lowering.build(graph, kernel_numbers())
        except Exception as error:  # whatever MAX raises here concerns this program alone
            return number, f"{type(error).__name__}: {error}"
    return None
