"""Address space without memory: what layouts lie in, so that NumPy works them out.

It is reserved once and never touched. A layout's place in it says where its first element is.
"""

from __future__ import annotations

import mmap

import numpy as np

_NORESERVE = 0x4000


def _reserve() -> mmap.mmap:
    """Reserve address space, as much as the system grants: no memory stands behind it."""
    for power in range(42, 29, -2):
        try:
            return mmap.mmap(
                -1,
                1 << power,
                flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE,
                prot=mmap.PROT_READ,
            )
        except OSError:
            continue
    raise MemoryError("no address space is left to describe arrays in")


MEMORY = _reserve()
"""What NumPy makes layouts over."""
ADDRESS: int = np.ndarray((1,), np.uint8, MEMORY).ctypes.data
"""Where it begins."""


def offset(layout: np.ndarray) -> int:
    """Return the byte offset of the first element of an array there."""
    return int(layout.__array_interface__["data"][0]) - ADDRESS
