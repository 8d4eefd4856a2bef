"""Arguments that many functions share, checked as NumPy checks them."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.values.dtypes import DTYPES, code_of

from .array_likes import as_handle
from .handle import Handle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))
"""The release of NumPy that is installed, whose ways are followed where releases differ."""

_ORDERS = frozenset("CFAKcfak")


MOST_AXES = 32
"""How many axes NumPy's older iterators take."""


def check_few_axes(rank: int) -> None:
    """Raise RuntimeError for more axes than NumPy's older iterators take."""
    if rank > MOST_AXES:
        raise RuntimeError(
            f"this function only supports up to {MOST_AXES} dimensions but the array has {rank}."
        )


def whether_to_copy(copy: Any) -> bool | None:
    """Return the argument `copy` as True, False or None, as which NumPy's marks may stand, too."""
    if type(copy) is bool or copy is None:
        return copy
    if isinstance(copy, np._CopyMode):
        return _COPY_MODES[copy.name]
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    return bool(copy)


_COPY_MODES = {"ALWAYS": True, "NEVER": False, "IF_NEEDED": None}


def shape_of(shape: Any) -> Shape:
    """Return a shape given as an int or a sequence of ints.

    TypeError for anything else, truth values among it, ValueError for negative lengths.
    """
    try:
        found: Shape = (_extent(shape),)
    except TypeError:
        try:
            found = tuple([_extent(extent) for extent in shape])
        except TypeError:
            np.empty(shape)  # raises in NumPy's words
            raise
    if found and min(found) < 0:
        raise ValueError("negative dimensions are not allowed")
    return found


def _extent(x: Any) -> int:
    if type(x) is bool:
        raise TypeError("an integer is required")
    return operator.index(x)


def code_for(dtype: Any, default: int) -> int:
    """Return the code of a dtype argument; None stands for the default, TypeError for arrays."""
    if isinstance(dtype, Handle):
        raise TypeError("Cannot construct a dtype from an array")
    if dtype is None:
        return default
    if type(dtype) is _DTYPE_CLASS:
        if dtype is np.dtype:
            raise TypeError("Cannot convert np.dtype into a dtype.")
        dtype = dtype.type  # numpy.dtypes.Int32DType, which numpy.dtype takes for an object's type
    return code_of(np.dtype(dtype))


_DTYPE_CLASS = type(np.dtypes.Int32DType)


def check_device(device: Any) -> None:
    """Raise ValueError for a device other than the only one, "cpu"."""
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


def check_order(order: str | None) -> str:
    """Return a memory order as a capital letter, K for None.

    ValueError for an unknown one, TypeError for what is no string.
    """
    if order is None:
        return "K"
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order not in _ORDERS:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order.upper()


def order_to_make(order: str | None) -> str:
    """Return the order of a new array, C for None; ValueError for any but C and F."""
    found = "C" if order is None else check_order(order)
    if found not in "CF":
        raise ValueError("only 'C' or 'F' order is permitted")
    return found


def order_to_reshape(order: str | None) -> str:
    """Return the order in which `reshape` takes elements, C for None; ValueError for K."""
    found = "C" if order is None else check_order(order)
    if found == "K":
        raise ValueError("order 'K' is not permitted for reshaping")
    return found


def axis_of(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front; AxisError when there is none."""
    return int(np.lib.array_utils.normalize_axis_index(axis, ndim))


def single_axis(axis: Any, ndim: int, name: str) -> int:
    """Return the one axis that a ufunc's method goes along: None is that of an array with one."""
    listed = tuple(range(ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = [axis_of(one, ndim) for one in listed]
    if len(found) != 1:
        raise ValueError(f"{name} does not allow multiple axes")
    return found[0]


def axes_of(axis: Any, ndim: int, *, repeats: bool = False) -> tuple[int, ...]:
    """Return axes, one or several, counted from the front.

    AxisError when there is no such axis, ValueError when one is given twice and must not be.
    """
    return np.lib.array_utils.normalize_axis_tuple(axis, ndim, allow_duplicate=repeats)


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes that are reduced, counted from the front: all of them for None."""
    return tuple(range(ndim)) if axis is None else axes_of(axis, ndim)


def handles_of(arrays: Any) -> list[Handle]:
    """Return a sequence of array_likes as handles; of an array, what iterating over it gives."""
    return [as_handle(x) for x in sequence_of(arrays)]


def sequence_of(arrays: Any) -> Sequence[Any]:
    """Return the items of a sequence argument; TypeError as NumPy's for a generator."""
    if not hasattr(arrays, "__getitem__"):
        raise TypeError(
            'arrays to stack must be passed as a "sequence" type such as list or tuple.'
        )
    return list(arrays)


def common_code(operands: Sequence[Any]) -> int:
    """Return the dtype code that handles and Python numbers promote to."""
    return _promoted(tuple([x._code if isinstance(x, Handle) else type(x) for x in operands]))


@functools.lru_cache(4096)
def _promoted(kinds: tuple[int | type, ...]) -> int:
    """Return the dtype code that dtype codes and the types of Python numbers promote to."""
    return code_of(np.result_type(*(DTYPES[k] if isinstance(k, int) else k(0) for k in kinds)))


def stand_in(x: Handle) -> np.ndarray:
    """Return a NumPy array of one element spread to the handle's shape, for NumPy to check.

    Its elements are zeros: only shape and dtype mean something.
    """
    return np.broadcast_to(np.zeros((), DTYPES[x._code]), x._shape)
