"""The name under which a compiled graph is kept: everything that decides what its code is."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ...kernels import build

if TYPE_CHECKING:
    from .program import Program


def digest(program: Program) -> str:
    """Return the digest of a program, for this version of everything and this CPU."""
    return hashlib.sha256(_environment() + program.canonical()).hexdigest()


def name_of(key: bytes) -> str:
    """Return the name of the executable for a key that says all that its program does."""
    return hashlib.sha256(_environment() + key).hexdigest()


@functools.cache
def _environment() -> bytes:
    """Name the versions of MAX, the kernels and this package, and the CPU."""
    parts = [importlib.metadata.version("max"), _kernels(), _package()]
    return "\n".join([*parts, ""]).encode()


def _kernels() -> str:
    """Name the Mojo sources, the compiler and the CPU, as the build of the kernels does."""
    return build._own()._key(build.GRAPH_PACKAGE)


def _package() -> str:
    """Return the digest of the Python sources that write graphs."""
    folder = Path(__file__).parent
    content = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        content.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return content.hexdigest()
