"""The library of the kernels, whose functions compiled graphs call by name."""

from __future__ import annotations

import ctypes
import functools

from jujunp.kernels import build

from ...blas import load_blas


@functools.cache
def open_door() -> ctypes.CDLL:
    """Make the functions of the library known to the whole process, and load BLAS for it.

    The immediate tier may have loaded it, for itself alone. Raises KernelBuildError if it cannot be
    built.
    """
    load_blas()
    return ctypes.CDLL(str(build.library()), mode=ctypes.RTLD_GLOBAL)


@functools.cache
def kernel_numbers() -> dict[str, int]:
    """Return the numbers of the structured kernels by name."""
    names = ctypes.create_string_buffer(1 << 16)
    length = open_door().jujunp_kernel_names(names)
    return {name: number for number, name in enumerate(names.raw[:length].decode().split())}
