"""The name under which a compiled graph is kept: everything that decides what its code is."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels import build
from jujunp.kernels.cache import content_of, files_below, user_cache

from ..ir.devices import CPU

if TYPE_CHECKING:
    from ..ir.devices import Device
    from ..ir.graph_ir import GraphIR


def digest(ir: GraphIR, device: Device = CPU) -> str:
    """Return the digest of an IR, for this version of everything, this CPU and a device."""
    return name_of(ir.canonical(), device)


def name_of(key: bytes, device: Device = CPU) -> str:
    """Return the name of the executable for a key that says all that its IR does."""
    return hashlib.sha256(_environment() + device.key + key).hexdigest()


@functools.cache
def _environment() -> bytes:
    """Name the versions of MAX, the kernels and this package, and the CPU."""
    parts = [importlib.metadata.version("max"), _kernels(), _package()]
    return "\n".join([*parts, ""]).encode()


def _kernels() -> str:
    """Name the Mojo sources, the compiler and the CPU, as the build of the kernels does."""
    return "\n".join(build.keys())


def _package() -> str:
    """Return the digest of the Python sources that decide what a graph is."""
    folder = Path(__file__).parents[2]
    return content_of(folder, files_below(folder, ".py"), user_cache() / "names")
