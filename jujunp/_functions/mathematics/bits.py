"""Truth values as the bits of bytes: packbits and unpackbits."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import BOOL, DTYPES, UINT8

from ..._array.array_likes import as_array
from ..._array.making import reshape, wrap
from ..._array.steps import kernel
from ..._ufuncs.ufunc import UFUNCS

if TYPE_CHECKING:
    from ..._array.handle import Handle

__all__ = [
    "packbits",
    "unpackbits",
]

_BITS = 8


def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> Any:
    """Return whether elements are true as the bits of uint8; zeros fill the last one.

    Args:
        a: Integers or bool.
        axis: Along which eight elements each are one; None for all in one dimension.
        bitorder: Whether the first element is the highest bit ("big") or the lowest ("little").
    """
    room()
    x: Any = as_array(a)
    np.packbits(_stand_in(x), axis, bitorder)  # type: ignore[call-overload]  # its errors are NumPy's
    x, along = _line(x, axis)
    truth = x if x._code == BOOL else UFUNCS["not_equal"](x, 0)
    size = -(-x._shape[along] // _BITS)
    return _recorded("packbits", truth, BOOL, along, size, bitorder)


def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Any:
    """Return the bits of uint8, each as a uint8.

    Args:
        a: uint8.
        axis: Along which eight bits each come from one element; None for one dimension.
        count: How many there shall be, with zeros behind; if negative, how many are left out.
        bitorder: Whether the highest bit is the first ("big") or the lowest ("little").
    """
    room()
    x: Any = as_array(a)
    known = 0 if type(count) is int else count
    np.unpackbits(_stand_in(x), axis, known, bitorder)  # type: ignore[call-overload]
    x, along = _line(x, axis)
    size = _BITS * x._shape[along]
    if count is not None:
        wanted = operator.index(count)
        if wanted < -size:
            raise ValueError("-count larger than number of elements")
        size = wanted if wanted >= 0 else size + wanted
    return _recorded("unpackbits", x, UINT8, along, size, bitorder)


def _stand_in(x: Handle) -> np.ndarray:
    return np.zeros((1,) * len(x._shape), DTYPES[x._code])


def _line(x: Any, axis: Any) -> tuple[Any, int]:
    """Return an array and the axis that is meant: its elements in one dimension for None."""
    rank = len(x._shape)
    if rank == 1:
        return x, 0
    if axis is None or not rank:
        return reshape(x, (-1,)), 0
    return x, operator.index(axis) % rank


def _recorded(name: str, x: Any, code: int, axis: int, size: int, order: str) -> Any:
    shape = (*x._shape[:axis], size, *x._shape[axis + 1 :])
    params = (axis, int(order == "big"))
    return wrap(kernel(name, [x], shape, code, params, result=UINT8), shape, UINT8)
