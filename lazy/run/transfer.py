"""Between NumPy's arrays and values: what is imported, exported, and given over without a copy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values.dtypes import DTYPES
from ..values.value import LOG, Value, dtype_code, leaf
from .flush import flush
from .machine import address_of, allocate, buffer_over

if TYPE_CHECKING:
    from ..values.types import Shape

LARGEST_IMPORTS = 1 << 30
"""Bytes imported since the last flush past which an import flushes: pending work keeps them."""
_imported = 0

_STORED = tuple("<u2" if dtype.kind == "V" else dtype.str for dtype in DTYPES)
"""What the array interface calls a dtype: it has no word for bfloat16."""


class _Memory:
    """A buffer seen through NumPy's array interface; the array keeps it alive."""

    __slots__ = ("__array_interface__", "_buffer")

    def __init__(self, buffer: object, code: int, shape: Shape, *, writeable: bool) -> None:
        self._buffer = buffer
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": _STORED[code],
            "data": (address_of(buffer), not writeable),
        }


def view_of(buffer: object, code: int, shape: Shape, *, writeable: bool = False) -> np.ndarray:
    """Return a NumPy array over a buffer's memory, in C order."""
    found = np.asarray(_Memory(buffer, code, shape, writeable=writeable))
    return found if found.dtype == DTYPES[code] else found.view(DTYPES[code])


def nbytes(value: Value) -> int:
    """Return the bytes of a value's elements."""
    return math.prod(value.shape) * DTYPES[dtype_code(value)].itemsize


def import_array(array: np.ndarray, code: int) -> Value:
    """Return a leaf with a copy of a NumPy array of the code's dtype.

    Flushes first when pending work may keep more than LARGEST_IMPORTS bytes of earlier ones.
    """
    _bound_imports(array.nbytes)
    buffer = allocate(array.nbytes)
    view_of(buffer, code, array.shape, writeable=True)[...] = array
    return leaf(code, array.shape, buffer)


def _bound_imports(nbytes: int) -> None:
    global _imported
    if LOG and _imported > LARGEST_IMPORTS:
        flush()
    _imported = _imported + nbytes if LOG else nbytes


def export(value: Value, code: int) -> np.ndarray:
    """Return a computed value's elements as a read-only NumPy array that shares its memory."""
    return view_of(value.buffer, code, value.shape)


def adopt(array: np.ndarray) -> Any:
    """Return a buffer over the memory of a C-contiguous array that nobody else writes."""
    if not array.size:
        return allocate(0)  # MAX gives such arrays no address
    return buffer_over(array.ctypes.data, array.nbytes, array)


def adopted(array: np.ndarray, code: int, shape: Shape) -> Value:
    """Return a leaf over the memory of such an array; complex numbers may come as their parts."""
    return leaf(code, shape, adopt(array))
