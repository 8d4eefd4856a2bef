"""The library of structured kernels that compiled graphs call."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import TYPE_CHECKING

import scipy_openblas32

from ...kernels.build import Artefact, Kernels, Step
from ...kernels.cache import user_cache
from .operations import sources

if TYPE_CHECKING:
    from pathlib import Path


def _steps(_: Path) -> list[Step]:
    return [Step(("build", "--emit", "shared-lib"), "graph/door.mojo", "door.so")]


_DOOR = Artefact("the library of structured kernels", "door.so", "vm", _steps)


@functools.cache
def open_door() -> ctypes.CDLL:
    """Load the library, and CBLAS for it, so that graphs find its functions.

    Raises KernelBuildError if it cannot be built.
    """
    blas = f"lib{scipy_openblas32.get_library()}.so"
    ctypes.CDLL(os.path.join(scipy_openblas32.get_lib_dir(), blas), mode=ctypes.RTLD_GLOBAL)
    path = Kernels(sources(), user_cache() / "kernels").path(_DOOR)
    return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)


@functools.cache
def kernel_numbers() -> dict[str, int]:
    """Return the numbers of the structured kernels by name."""
    names = ctypes.create_string_buffer(1 << 16)
    length = open_door().jujunp_kernel_names(names)
    return {name: number for number, name in enumerate(names.raw[:length].decode().split())}
