"""Memory that arrays share with NumPy's arrays and other libraries, in both directions.

What others hold is pinned (kernels/vm/base/pins.mojo): steps on it run at once. Given memory is so
until nobody but our arrays refers to the object that owns it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from jujunp.lazy.run.machine import (
    Sharing,
    address_of,
    buffer_over,
    holder_of,
    is_pinned,
    pin_for_good,
    sharing_of,
)
from jujunp.lazy.run.transfer import is_loose
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import CODES, DTYPES, UINT8
from jujunp.lazy.values.value import leaf

from .._array.handle import Array, header, ndarray, value_of
from .._array.making import new_array, view
from .._array.outputs import written_as

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape

_BFLOAT16 = next((dtype for dtype in DTYPES if dtype.type.__module__ != "numpy"), None)
"""The dtype that Python's buffers have no letters for."""


def shared_with_numpy(x: ndarray) -> np.ndarray:
    """Return a NumPy array over an array's memory, which is pinned as long as that lives."""
    if x.dtype == _BFLOAT16:
        words = view(x, header(x).view(np.uint16), CODES[np.dtype(np.uint16)])
        words._readonly = x._readonly
        return np.asarray(memoryview(words)).view(_BFLOAT16)
    return np.asarray(memoryview(x))


def sharing(array: np.ndarray) -> ndarray | None:
    """Return an array over the memory of one of NumPy's; None for memory that cannot be shared.

    That is memory whose elements are not aligned, or none, or truth values that are other bytes
    than 0 and 1. The array is of a dtype of ours.
    """
    if not array.size or not array.flags.aligned or array.dtype not in CODES:
        return None
    if array.dtype == bool and is_loose(array):
        return None
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    holder: Any = root.base
    exporter = holder.obj if isinstance(holder, memoryview) else holder
    if isinstance(exporter, Array) and is_pinned(value_of(exporter)):
        return _ours(array, exporter)
    owner, low = _owner(array, root)
    offset = array.__array_interface__["data"][0] - low
    return _seen(array, owner, offset)


def _ours(array: np.ndarray, exporter: ndarray) -> ndarray:
    """Return an array over memory that is ours, and was shared with NumPy."""
    owner: Any = exporter if exporter._base is None else exporter._base
    buffer = value_of(owner).buffer
    found = _seen(array, owner, array.__array_interface__["data"][0] - address_of(buffer))
    seen, known = header(found), header(exporter)
    same = (
        seen.shape == known.shape
        and seen.strides == known.strides
        and seen.dtype == known.dtype
        and layouts.offset(seen) == layouts.offset(known)
        and found._readonly == exporter._readonly
    )
    return exporter if same else found


def _owner(array: np.ndarray, root: np.ndarray) -> tuple[ndarray, int]:
    """Return an array that has all memory of one of NumPy's, and where that begins."""
    if array.flags.c_contiguous:
        code, shape = CODES[array.dtype], array.shape
        low, nbytes = array.__array_interface__["data"][0], array.nbytes
    else:
        low, high = byte_bounds(array)
        nbytes = high - low
        code, shape = _in_a_row(array, nbytes)
    kind = Sharing.WRITERS if root.flags.writeable else Sharing.FIXED
    owner = new_array(leaf(code, shape, buffer_over(low, nbytes, root, kind)), shape, code)
    # nobody can tell who holds memory that is no NumPy array's; bytes do not change
    if not root.flags.owndata and not isinstance(root.base, bytes):
        pin_for_good(owner, owner)
    owner._readonly = not _is_writeable(array)
    return owner, low


def giver(x: ndarray) -> Any:
    """Return what has given an array that is no view its memory; None if that is its own.

    It is an array of NumPy's, or what that has its memory from.
    """
    value = value_of(x)
    if sharing_of(value) == Sharing.NOBODY or not is_pinned(value):
        return None
    root = holder_of(value.buffer)
    given = getattr(root, "base", None)
    return root if given is None or type(root) is np.memmap else given


def _in_a_row(array: np.ndarray, nbytes: int) -> tuple[int, Shape]:
    """Return the dtype code and shape of an array over all bytes that an array lies in."""
    size = array.itemsize
    if nbytes % size or any(stride % size for stride in array.strides):
        return UINT8, (nbytes,)
    return CODES[array.dtype], (nbytes // size,)


def _is_writeable(array: np.ndarray) -> bool:
    """Return a flag that NumPy warns of where it is asked for by its name."""
    return bool(array.flags.num & _WRITEABLE)


_WRITEABLE = 0x400


def _seen(array: np.ndarray, owner: ndarray, offset: int) -> ndarray:
    """Return an owner as a NumPy array sees it, which begins at an offset."""
    code, readonly = CODES[array.dtype], not _is_writeable(array)
    whole = array.flags.c_contiguous and not offset and array.shape == owner._shape
    if whole and code == owner._code and readonly == owner._readonly:
        return owner
    layout = layouts.seen(array.shape, DTYPES[code], offset, array.strides)
    found: Any = view(owner, layout, code)
    found._readonly = readonly or written_as(layout)
    return found  # type: ignore[no-any-return]
