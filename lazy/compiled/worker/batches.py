"""Compiles one batch, in the worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels import build as kernels

from ..graphs import maxapi
from ..graphs.building import fill, new_module
from ..graphs.door import open_door
from ..ir.graph_ir import GraphIR, Unsupported
from ..lower import reason
from . import wire
from .snapshots import restore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .snapshot import Snapshot


def build(batch: wire.Batch) -> wire.Reply:
    """Compile the graphs of a batch into one module."""
    try:
        open_door()  # MAX runs what depends on no input while it compiles
        wanted, refused, unsupported = _irs(batch.graphs)
        refused |= without_libraries(wanted)
        while wanted:
            module = new_module(wanted, batch.device)
            bad = fill(module, wanted)
            if bad is None:
                return wire.Compiled(module.compile(), tuple(wanted), refused, unsupported)
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
    return wire.Compiled(b"", (), refused, unsupported)


def _irs(
    graphs: Sequence[GraphIR | Snapshot],
) -> tuple[dict[int, GraphIR], dict[int, str], dict[int, str]]:
    """Return the IRs by number, and of others why they are refused, or are no graph's steps."""
    irs, refused, unsupported = {}, {}, {}
    for number, given in enumerate(graphs):
        try:
            irs[number] = given if isinstance(given, GraphIR) else _traced(given)
        except Unsupported as error:
            unsupported[number] = str(error)
        except Exception as error:  # whatever JAX raises here concerns these steps alone
            refused[number] = f"{type(error).__name__}: {error}"
    return irs, refused, unsupported


def _traced(steps: Snapshot) -> GraphIR:
    """Return the IR of recorded steps; raises Unsupported where there is none to be compiled."""
    from ...jaxprs.from_values import trace
    from ..read import reader

    ir: GraphIR = reader.from_jaxpr(trace(*restore(steps), checked=True)[0])
    if why := reason(ir):
        raise Unsupported(why)
    return ir


def without_libraries(wanted: dict[int, GraphIR]) -> dict[int, str]:
    """Take out the IRs whose packages are gone, and say so; MAX would refuse all."""
    refused = {}
    for number, ir in list(wanted.items()):
        missing = sorted(path for path in ir.libraries if not Path(path).is_file())
        if missing:
            refused[number] = f"the package {missing[0]} is missing"
            del wanted[number]
    return refused
