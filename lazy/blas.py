"""The library of BLAS and LAPACK, whose functions the kernels find by name."""

from __future__ import annotations

import ctypes
import importlib.util
import os

from .loader import BLAS_NAME, brief_waits


def _folder() -> str:
    """Return where the library is, whose package is not imported: that takes 20 ms."""
    found = importlib.util.find_spec("scipy_openblas32")
    if found is None or found.submodule_search_locations is None:
        raise ImportError("jujunp needs the package scipy-openblas32, which is not here")
    return os.path.join(found.submodule_search_locations[0], "lib")


def blas_path() -> str:
    """Return the path of the library."""
    return os.path.join(_folder(), BLAS_NAME)


def needed_paths() -> list[str]:
    """Return where libraries are that it needs and brings along, in the order to load them."""
    folder = _folder()
    names = (name for name in os.listdir(folder) if ".so" in name)
    return [
        os.path.join(folder, name)
        for name in sorted(names, key=lambda name: not name.startswith("libquadmath"))
        if not name.startswith(BLAS_NAME.removesuffix("so"))
    ]


def load_blas() -> None:
    """Load it, for the kernels alone.

    Were its functions known to the whole process, another OpenBLAS that is loaded later would call
    them in the place of its own.
    """
    with brief_waits():
        ctypes.CDLL(blas_path())
