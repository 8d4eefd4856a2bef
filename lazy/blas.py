"""The library of BLAS and LAPACK, whose functions the kernels find by name."""

from __future__ import annotations

import ctypes
import os

from .loader import brief_waits

with brief_waits():
    import scipy_openblas32  # which loads it, for itself


def blas_path() -> str:
    """Return where the library is."""
    name = f"lib{scipy_openblas32.get_library()}.so"
    return os.path.join(scipy_openblas32.get_lib_dir(), name)


def needed_paths() -> list[str]:
    """Return where libraries are that it needs and brings along, in the order to load them."""
    folder = scipy_openblas32.get_lib_dir()
    names = (name for name in os.listdir(folder) if ".so" in name)
    return [
        os.path.join(folder, name)
        for name in sorted(names, key=lambda name: not name.startswith("libquadmath"))
        if not name.startswith(f"lib{scipy_openblas32.get_library()}.")
    ]


def load_blas() -> None:
    """Make its functions known to the whole process."""
    ctypes.CDLL(blas_path(), mode=ctypes.RTLD_GLOBAL)
