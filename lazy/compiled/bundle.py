"""Writes programs as bundles, which `lazy/loader.py` describes and reads."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jujunp.kernels import build
from jujunp.kernels.facts import sources

from .. import loader
from ..blas import blas_path, needed_paths
from .graphs.door import open_door
from .ir.devices import CPU
from .ir.graph_ir import GraphIR

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np

    from .graph import Graph
    from .ir.devices import Device
    from .ir.graph_ir import Plain

_IN_BLAS = frozenset(
    (
        *("dot_general", "conv_general_dilated", "cholesky", "lu", "geqrf", "geqp3", "ormqr"),
        *("det", "slogdet"),
        *("householder_product", "hessenberg", "tridiagonal", "triangular_solve", "solve"),
        *("tridiagonal_solve", "eigh", "svd", "eig", "schur", "qr", "cholesky_update"),
        "least_squares",
    )
)
"""Primitives and kernels that call BLAS or LAPACK."""


def save(
    path: str | os.PathLike[str],
    interface: loader.Interface,
    state: Sequence[np.ndarray],
    graphs: Mapping[str, Graph],
    device: Device = CPU,
) -> None:
    """Write a bundle.

    `graphs` holds the graph of each procedure that has one; they have been compiled for the device.
    Raises CompileError for one that the store has lost, and OSError if the path cannot be written.
    """
    code, modules = {}, {}
    for procedure, graph in graphs.items():
        mef, position = graph.module()
        member = f"modules/{hashlib.sha256(mef).hexdigest()}.mef"
        modules[member] = mef
        code[procedure] = loader.Code(member, position)
    members = {
        loader.LOADER: Path(loader.__file__).read_bytes(),
        **modules,
        **loader.state_members(state),
        **_libraries(graph.ir for graph in graphs.values()),
    }
    versions = {name: importlib.metadata.version(name) for name in ("jujunp", "max")}
    gpu = None if device.is_cpu else loader.Gpu(device.number, device.architecture)
    manifest = loader.manifest_of(interface, code, versions, kernels(), gpu)
    loader.write(path, manifest, members)


def load(path: str | os.PathLike[str], adopt: Callable[[np.ndarray], Any]) -> loader.LoadedProgram:
    """Return the program in a bundle, on the kernels of this process; raises BundleError.

    `adopt` makes what users get of an array that nobody else has.
    """
    found = loader.Bundle(path)
    if any(name.startswith("modules/") for name in found.members):
        open_door()
        loader.kernels_are_loaded(kernels())
    return loader.LoadedProgram(found, adopt)


@functools.cache
def kernels() -> str:
    """Return the digest of the sources of the structured kernels: what their numbers mean."""
    content = hashlib.sha256()
    for file in sorted(sources().rglob("*.mojo")):
        content.update(file.relative_to(sources()).as_posix().encode() + b"\0" + file.read_bytes())
    return content.hexdigest()


def _libraries(irs: Iterable[GraphIR]) -> dict[str, bytes]:
    libraries = {loader.KERNELS: build.library().read_bytes()}
    if any(map(_calls_blas, irs)):
        libraries[loader.BLAS] = Path(blas_path()).read_bytes()
        for number, path in enumerate(needed_paths()):
            libraries[f"{loader.BLAS_NEEDS}{number}"] = Path(path).read_bytes()
    return libraries


def _calls_blas(ir: GraphIR) -> bool:
    return any(
        step.name in _IN_BLAS or any(_names_blas(value) for _, value in step.params)
        for step in ir.steps
    )


def _names_blas(value: Plain) -> bool:
    """Whether a parameter holds an IR, or the name of a kernel, that calls BLAS."""
    if isinstance(value, GraphIR):
        return _calls_blas(value)
    if isinstance(value, tuple):
        return any(map(_names_blas, value))
    return value in _IN_BLAS
