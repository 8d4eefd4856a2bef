"""Between NumPy's arrays and values: what is imported, exported, and given over without a copy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values.dtypes import BOOL, DTYPES
from ..values.value import LOG, Value, dtype_code, leaf
from .flush import flush
from .machine import Sharing, allocate, array_over, buffer_over, imported

if TYPE_CHECKING:
    from ..values.types import Shape

LARGEST_IMPORTS = 1 << 30
"""Bytes imported since the last flush past which an import flushes: pending work keeps them."""
_imported = 0


def view_of(buffer: object, code: int, shape: Shape, *, writeable: bool = False) -> np.ndarray:
    """Return a NumPy array over a buffer's memory, in C order."""
    return array_over(buffer, None, shape, code, writeable)  # type: ignore[no-any-return]


def nbytes(value: Value) -> int:
    """Return the bytes of a value's elements."""
    return math.prod(value.shape) * DTYPES[dtype_code(value)].itemsize


def import_array(array: np.ndarray, code: int) -> Value:
    """Return a leaf with a copy of a NumPy array of the code's dtype.

    Flushes first when pending work may keep more than LARGEST_IMPORTS bytes of earlier ones.
    """
    _bound_imports(array.nbytes)
    if code == BOOL and is_loose(array):
        array = array.view(np.uint8) != 0
    buffer = imported(array, code, array.nbytes)
    if buffer is None:
        buffer = allocate(array.nbytes)
        view_of(buffer, code, array.shape, writeable=True)[...] = array
    return leaf(code, array.shape, buffer)


def is_loose(array: np.ndarray) -> bool:
    """Whether truth values of NumPy's are other bytes than 0 and 1, which NumPy takes for true.

    They can be so only in memory that is seen with another dtype than its own.
    """
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if root.base is None and root.dtype == array.dtype:
        return False
    return bool(array.view(np.uint8).max(initial=0) > 1)


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


def shared(array: np.ndarray, code: int) -> Value:
    """Return a leaf over the memory of such an array that others read, and nobody may write."""
    buffer = buffer_over(array.ctypes.data, array.nbytes, array, Sharing.READERS)
    return leaf(code, array.shape, buffer)


def seen(value: Value, layout: np.ndarray) -> np.ndarray:
    """Return the elements of a computed value that a layout sees, as `export` does."""
    if not layout.size:  # NumPy lets the offset of such a view lie anywhere
        return np.broadcast_to(np.empty((), layout.dtype), layout.shape)
    return array_over(  # type: ignore[no-any-return]
        value.buffer, layout, layout.shape, dtype_code(value), False
    )
