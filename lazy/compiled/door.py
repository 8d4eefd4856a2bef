"""The library of the kernels, whose functions compiled graphs call by name."""

from __future__ import annotations

import ctypes
import functools
import os

import scipy_openblas32

from ...kernels import build


def blas_path() -> str:
    """Return where the library of BLAS and LAPACK is."""
    name = f"lib{scipy_openblas32.get_library()}.so"
    return os.path.join(scipy_openblas32.get_lib_dir(), name)


@functools.cache
def open_door() -> ctypes.CDLL:
    """Make the functions of the library, and of CBLAS for it, known to the whole process.

    The immediate tier may have loaded it, for itself alone. Raises KernelBuildError if it cannot be
    built.
    """
    ctypes.CDLL(blas_path(), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(build.library()), mode=ctypes.RTLD_GLOBAL)


@functools.cache
def kernel_numbers() -> dict[str, int]:
    """Return the numbers of the structured kernels by name."""
    names = ctypes.create_string_buffer(1 << 16)
    length = open_door().jujunp_kernel_names(names)
    return {name: number for number, name in enumerate(names.raw[:length].decode().split())}
