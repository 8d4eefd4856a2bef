"""Arguments that many functions share, checked as NumPy checks them."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.values.dtypes import DTYPES, code_of

from .broadcasting import in_c_order, memory_order
from .handle import NUMBERS, Handle, header, whole_value
from .making import _holds_handles, as_handle, convert, ndarray, new_array, view

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jujunp.lazy.values.types import Shape

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))
"""The release of NumPy that is installed, whose ways are followed where releases differ."""

_ORDERS = frozenset("CFAKcfak")


def shape_of(shape: Any) -> Shape:
    """Return a shape given as an int or a sequence of ints.

    TypeError for anything else, ValueError for negative lengths.
    """
    try:
        found: Shape = (operator.index(shape),)
    except TypeError:
        try:
            found = tuple([operator.index(extent) for extent in shape])
        except TypeError as error:
            raise TypeError(f"a shape is an integer or a sequence of them: {error}") from None
    if found and min(found) < 0:
        raise ValueError("negative dimensions are not allowed")
    return found


def code_for(dtype: Any, default: int) -> int:
    """Return the code of a dtype argument; None stands for the default, TypeError for arrays."""
    if isinstance(dtype, Handle):
        raise TypeError("Cannot construct a dtype from an array")
    return default if dtype is None else code_of(np.dtype(dtype))


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


def axis_of(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front; AxisError when there is none."""
    return int(np.lib.array_utils.normalize_axis_index(axis, ndim))


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


def operand(x: Any) -> Any:
    """Return a Python number as it is, which takes the others' dtype, else a handle."""
    return x if type(x) in NUMBERS else as_handle(x)


def common_code(operands: Sequence[Any]) -> int:
    """Return the dtype code that handles and Python numbers promote to."""
    return _promoted(tuple([x._code if isinstance(x, Handle) else type(x) for x in operands]))


@functools.lru_cache(4096)
def _promoted(kinds: tuple[int | type, ...]) -> int:
    """Return the dtype code that dtype codes and the types of Python numbers promote to."""
    return code_of(np.result_type(*(DTYPES[k] if isinstance(k, int) else k(0) for k in kinds)))


def as_code(x: Handle, code: int) -> Any:
    """Return a handle's elements in a dtype: the handle itself if it has that."""
    return x if x._code == code else convert(x, code)


def parsed(x: Any, code: int) -> Handle:
    """Return arrays as they are, and numbers and sequences of them converted to a dtype code.

    This is what NumPy does with arguments of one dtype: it is lenient with what is no array.
    """
    if isinstance(x, (Handle, np.ndarray)) or _holds_handles([x]):
        return as_handle(x)
    return as_handle(np.array(x, DTYPES[code]))


def as_array(x: Any) -> ndarray:
    """Return an array_like as an array: as it is if it is one, 0-d for a scalar or a number."""
    found = as_handle(x)
    if isinstance(found, ndarray):
        return found
    return new_array(whole_value(found), found._shape, found._code)


def stand_in(x: Handle) -> np.ndarray:
    """Return a NumPy array of one element spread to the handle's shape, for NumPy to check.

    Its elements are zeros: only shape and dtype mean something.
    """
    return np.broadcast_to(np.zeros((), DTYPES[x._code]), x._shape)


def laid_out(x: Handle, order: str, code: int | None = None) -> ndarray:
    """Return a copy of a handle whose axes lie in memory as an order says (K: as they do now).

    Its elements are converted if a dtype code is given.
    """
    axes = axes_in_memory(x, order)
    turned = x if axes is None else view(x, header(x).transpose(axes))
    converted = turned if code is None else as_code(turned, code)
    copied = new_array(whole_value(converted), converted._shape, converted._code)
    return unturned(copied, axes)


def axes_in_memory(x: Handle, order: str) -> tuple[int, ...] | None:
    """Return the axes from outermost to innermost of a new array like `x`; None for C order."""
    ndim = len(x._shape)
    if ndim < 2 or order == "C":
        return None
    if order == "F" or (order == "A" and header(x).flags.fnc):
        return tuple(range(ndim))[::-1]
    if order == "A" or in_c_order(x._layout):
        return None
    return memory_order([x], x._shape)


def unturned(x: ndarray, axes: Iterable[int] | None) -> ndarray:
    """Return a view of an array whose axes are `axes` of what is wanted, in the wanted order."""
    if axes is None:
        return x
    listed = list(axes)
    return view(x, header(x).transpose(sorted(range(len(listed)), key=listed.__getitem__)))


def put_out(result: Handle, out: Any, casting: str = "same_kind") -> Any:
    """Write a result to `out`, unless that is None, and return what the caller is to return.

    TypeError when `out` is no array or the dtypes do not cast, ValueError when it is read-only or
    of another shape.
    """
    if out is None:
        return result
    check_out(out, result._shape)
    check_cast(result._code, out._code, casting)
    out._write(result)
    return out


def check_written(out: Any) -> None:
    """Raise for an `out` that is no array, or cannot be written."""
    if not isinstance(out, ndarray):
        raise TypeError(f"return arrays must be of ArrayType, not {type(out).__name__}")
    if out._readonly:
        raise ValueError("output array is read-only")


def check_out(out: Any, shape: Shape) -> None:
    """Raise when an array cannot be written with elements of a shape."""
    check_written(out)
    if out._shape != shape:
        raise ValueError(f"output array has shape {out._shape}, but the result has shape {shape}")


def check_cast(source: int, target: int, casting: str) -> None:
    """Raise TypeError when dtype codes do not cast by a rule."""
    if source != target and not np.can_cast(DTYPES[source], DTYPES[target], casting):  # type: ignore[arg-type]
        raise TypeError(
            f"Cannot cast array data from {DTYPES[source]!r} to {DTYPES[target]!r} "
            f"according to the rule '{casting}'"
        )
