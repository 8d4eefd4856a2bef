"""Compiles one batch, in the worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels import build as kernels

from ..graphs import maxapi
from ..graphs.building import fill, new_module
from ..graphs.door import open_door
from . import wire

if TYPE_CHECKING:
    from ..ir.graph_ir import GraphIR


def build(batch: wire.Batch) -> wire.Reply:
    """Compile the IRs of a batch into one module."""
    wanted = dict(enumerate(batch.irs))
    refused = without_libraries(wanted)
    try:
        open_door()  # MAX runs what depends on no input while it compiles
        while wanted:
            module = new_module(wanted, batch.device)
            bad = fill(module, wanted)
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


def without_libraries(wanted: dict[int, GraphIR]) -> dict[int, str]:
    """Take out the IRs whose packages are gone, and say so; MAX would refuse all."""
    refused = {}
    for number, ir in list(wanted.items()):
        missing = sorted(path for path in ir.libraries if not Path(path).is_file())
        if missing:
            refused[number] = f"the package {missing[0]} is missing"
            del wanted[number]
    return refused
