"""The kernel libraries that were opened in this process, by their folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels.libraries import KernelLibrary, build_library

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

_opened: dict[Path, KernelLibrary] = {}


def open_library(folder: str | os.PathLike[str]) -> KernelLibrary:
    """Return the library of a folder, built when it is new; errors are those of `build_library`.

    A folder that was edited and is opened again takes the place of what it was.
    """
    where = Path(folder).resolve()
    _opened[where] = build_library(where, _registered)
    return _opened[where]


def opened() -> tuple[KernelLibrary, ...]:
    """Return the libraries opened so far."""
    return tuple(_opened.values())


def library_of(op: str, chosen: KernelLibrary | None) -> KernelLibrary:
    """Return the library that has a kernel: the chosen one, else the one that was opened.

    Raises ValueError if there is none, or more than one.
    """
    among = opened() if chosen is None else (chosen,)
    found = [library for library in among if op in library.ops]
    if len(found) == 1:
        return found[0]
    folders = ", ".join(str(library.folder) for library in found or among) or "none"
    if found:
        raise ValueError(f"several kernel libraries have {op!r}, choose by kernels=: {folders}")
    raise ValueError(f"no kernel {op!r} in the kernel libraries: {folders}")


def _registered(package: Path) -> Sequence[str]:
    from ..compiled.graphs import (
        maxapi,  # takes as long as importing JAX, and only a build needs it
    )

    return maxapi.registered(package)
