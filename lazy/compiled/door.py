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
    return [Step(("build", "--emit", "shared-lib"), "vm/door.mojo", "door.so")]


DOOR = Artefact("the library of structured kernels", "door.so", "graph", _steps)


def blas_path() -> str:
    """Return where the library of BLAS and LAPACK is."""
    name = f"lib{scipy_openblas32.get_library()}.so"
    return os.path.join(scipy_openblas32.get_lib_dir(), name)


def door_path() -> Path:
    """Return where the library is; raises KernelBuildError if it cannot be built."""
    return Kernels(sources(), user_cache() / "kernels").path(DOOR)


@functools.cache
def open_door() -> ctypes.CDLL:
    """Load the library, and CBLAS for it, so that graphs find its functions.

    Raises KernelBuildError if it cannot be built.
    """
    ctypes.CDLL(blas_path(), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(door_path()), mode=ctypes.RTLD_GLOBAL)


@functools.cache
def kernel_numbers() -> dict[str, int]:
    """Return the numbers of the structured kernels by name."""
    names = ctypes.create_string_buffer(1 << 16)
    length = open_door().jujunp_kernel_names(names)
    return {name: number for number, name in enumerate(names.raw[:length].decode().split())}
