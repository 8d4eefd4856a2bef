"""New arrays: from other data, filled with a number, or from a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import CODES, DTYPES, FLOAT64, SUPPORTED, code_of
from jujunp.lazy.values.value import Value, pack

from ..._array.arguments import (
    as_array,
    as_code,
    axes_in_memory,
    check_device,
    check_order,
    code_for,
    laid_out,
    shape_of,
    unturned,
)
from ..._array.handle import COPY, NUMBERS, Handle, header
from ..._array.making import _holds_handles, as_handle, ndarray, new_array, reshape, view
from ..._array.promotion import result_code
from ..._array.steps import kernel, room
from ..._ufuncs.ufunc import UFUNCS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jujunp.lazy.values.types import Scalar, Shape

_NO_COPY = "Unable to avoid copy while creating an array as requested."


# -- from other data


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
) -> ndarray:
    """Return an array of what an array_like holds: another array, a number, or nested sequences.

    With `copy=None` an array that fits already is returned itself. The elements of NumPy arrays and
    of other libraries' arrays are always copied, so that `copy=False` raises ValueError for them.
    Nested sequences that are not regular raise ValueError. `subok` and `like` have no effect.
    """
    room()
    order = check_order(order)
    if isinstance(object, ndarray):
        found = _of_array(object, dtype, copy, order)
    elif copy is False:
        raise ValueError(_NO_COPY)
    else:
        found = _imported(object, dtype, ndmax)
        if order == "F":
            found = laid_out(found, order)
    missing = ndmin - len(found._shape)
    if missing > 0:
        found = view(found, header(found)[(None,) * missing])
    return found


def _of_array(x: ndarray, dtype: Any, copy: bool | None, order: str) -> ndarray:
    """Return an array, or a copy of it where it is asked for or does not fit."""
    code = code_for(dtype, x._code)
    fits = code == x._code and _lies_in(x, order)
    if fits and not copy:
        return x
    if copy is False:
        raise ValueError(_NO_COPY)
    return laid_out(x, order, code)


def _lies_in(x: Handle, order: str) -> bool:
    """Whether a handle's elements lie in memory as an order wants them."""
    if order in "KA" or (x._layout is None and len(x._shape) < 2):
        return True
    flags = header(x).flags
    return flags.c_contiguous if order == "C" else flags.f_contiguous


def _imported(x: Any, dtype: Any, ndmax: int = 0) -> ndarray:
    """Return anything but an array as an array of its own."""
    known = isinstance(x, np.ndarray) and CODES.get(x.dtype) in SUPPORTED
    if known or isinstance(x, Handle) or (isinstance(x, (list, tuple)) and _holds_handles(x)):
        found = as_array(np.asarray(x) if known else x)  # a subclass gives its elements
        code = code_for(dtype, found._code)
        return as_code(found, code)  # type: ignore[no-any-return]
    wanted = None if dtype is None else DTYPES[code_for(dtype, 0)]
    limit = {"ndmax": ndmax} if ndmax else {}
    return _of_host(np.array(x, wanted, copy=None, **limit))  # type: ignore[call-overload]


def _of_host(x: np.ndarray) -> ndarray:
    """Return a copy of a NumPy array."""
    code = code_of(x.dtype)
    return new_array(machine.import_array(x, code), x.shape, code)


def asarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> ndarray:
    """Return an array_like as an array: the same object if it is one that fits.

    Otherwise as `array`.
    """
    check_device(device)
    return array(a, dtype, copy=copy, order=order)


def asanyarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> ndarray:
    """Return an array_like as an array, as `asarray`: there are no subclasses."""
    return asarray(a, dtype, order, device=device, copy=copy)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> ndarray:
    """Return an array of at least one dimension in C order, copied only where needed."""
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> ndarray:
    """Return an array in Fortran order, copied only where needed."""
    return array(a, dtype, copy=None, order="F")


def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> ndarray:
    """Return an array_like as an array; ValueError when it holds nan or infinity (computes it)."""
    found: Any = asarray(a, dtype, order)
    if found.dtype.kind == "f" and not UFUNCS["isfinite"](found).all():
        raise ValueError("array must not contain infs or NaNs")
    return found  # type: ignore[no-any-return]


def copy(a: Any, order: str = "K", subok: bool = False) -> ndarray:
    """Return a copy of an array_like; elements are copied only when one of the two is written."""
    return array(a, order=order, copy=True)


def stack_nested(items: list[Any] | tuple[Any, ...]) -> Handle:
    """Return nested sequences, some of whose items are handles, as one array.

    ValueError as NumPy's when the sequences are not regular.
    """
    leaves: list[Handle] = []
    shape = _collect(items, leaves)
    if shape is None:
        np.array(_stand_ins(items))
        raise ValueError("setting an array element with a sequence")
    code = result_code(*(leaf._code for leaf in leaves))
    parts = []
    for leaf in leaves:
        part = as_code(leaf, code)
        parts.append(reshape(part, (-1,)))
    size = sum(part._shape[0] for part in parts)
    joined = new_array(kernel("concatenate", parts, (size,), code, (0,)), (size,), code)
    return joined if shape == (size,) else view(joined, header(joined).reshape(shape))


def _collect(item: Any, leaves: list[Handle]) -> Shape | None:
    """Append an item's handles in order; return its shape, None when it is not regular."""
    if isinstance(item, (list, tuple)) and _holds_handles(item):
        shapes = [_collect(part, leaves) for part in item]
        first = shapes[0]
        regular = first is not None and all(shape == first for shape in shapes)
        return (len(item), *first) if regular else None  # type: ignore[misc]
    leaf = as_handle(item)
    leaves.append(leaf)
    return leaf._shape


def _stand_ins(item: Any) -> Any:
    """Return nested sequences with NumPy arrays of the same shapes in place of handles."""
    if isinstance(item, (list, tuple)):
        return [_stand_ins(part) for part in item]
    return np.broadcast_to(np.False_, item._shape) if isinstance(item, Handle) else item


def frombuffer(
    buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0, *, like: Any = None
) -> ndarray:
    """Return the bytes of a buffer as a one-dimensional array: a copy, unlike NumPy's view."""
    return _of_host(np.frombuffer(buffer, dtype, count, offset))


def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1, *, like: Any = None) -> ndarray:
    """Return the numbers that an iterable gives as a one-dimensional array."""
    return _of_host(np.fromiter(iter, DTYPES[code_of(np.dtype(dtype))], count))


# -- filled


def filled(shape: Shape, number: Scalar, code: int) -> ndarray:
    """Return an array of one number, which must fit the dtype; raises when it is too large."""
    whole = layouts.whole(shape, DTYPES[code])
    found = new_array(Value(pack(COPY, code, code), shape, (number,)), shape, code)
    found._header = whole
    return found


def _new(shape: Any, number: Scalar, dtype: Any, order: str, device: Any) -> ndarray:
    room()
    check_device(device)
    code = code_for(dtype, FLOAT64)
    extents = shape_of(shape)
    if check_order(order) == "F":
        return filled(extents[::-1], number, code).T  # type: ignore[no-any-return]
    return filled(extents, number, code)


def zeros(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> ndarray:
    """Return an array of zeros, float64 unless a dtype is given."""
    return _new(shape, 0, dtype, order, device)


def ones(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> ndarray:
    """Return an array of ones, float64 unless a dtype is given."""
    return _new(shape, 1, dtype, order, device)


def empty(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> ndarray:
    """Return an array to be written to. Its elements are zeros, where NumPy's are arbitrary."""
    return _new(shape, 0, dtype, order, device)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> ndarray:
    """Return an array of one number, or of an array_like that is broadcast to the shape.

    The dtype is that of the value, unless one is given.
    """
    value = fill_value if isinstance(fill_value, NUMBERS) else as_handle(fill_value)
    code = as_handle(value)._code if dtype is None else code_for(dtype, FLOAT64)
    return _written(_new(shape, _number(value, code), DTYPES[code], order, device), value)


def _number(value: Any, code: int) -> Scalar:
    """Return a Python number as an element of a dtype; 0 for an array, which is written later."""
    if isinstance(value, Handle):
        return 0
    found: Scalar = np.full((), value, DTYPES[code]).item()
    return found


def _written(x: Any, value: Any) -> ndarray:
    """Write an array into another; a number is in it already."""
    if isinstance(value, Handle):
        x[...] = value
    return x  # type: ignore[no-any-return]


def _new_like(a: Any, number: Scalar, dtype: Any, order: str, shape: Any, device: Any) -> ndarray:
    room()
    check_device(device)
    model = as_handle(a)
    order = check_order(order)
    code = code_for(dtype, model._code)
    extents = model._shape if shape is None else shape_of(shape)
    if len(extents) == len(model._shape):
        axes = axes_in_memory(model, order)
    else:
        axes = tuple(range(len(extents)))[::-1] if order == "F" else None
    if axes is None:
        return filled(extents, number, code)
    return unturned(filled(tuple(extents[axis] for axis in axes), number, code), axes)


def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ndarray:
    """Return an array of zeros with the shape and dtype of another, unless they are given."""
    return _new_like(a, 0, dtype, order, shape, device)


def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ndarray:
    """Return an array of ones with the shape and dtype of another, unless they are given."""
    return _new_like(a, 1, dtype, order, shape, device)


def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ndarray:
    """Return an array to be written to, like another; its elements are zeros."""
    return _new_like(prototype, 0, dtype, order, shape, device)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ndarray:
    """Return an array of one number, or of a broadcast array_like, shaped like another."""
    model = as_handle(a)
    value = fill_value if isinstance(fill_value, NUMBERS) else as_handle(fill_value)
    number = _number(value, code_for(dtype, model._code))
    return _written(_new_like(model, number, dtype, order, shape, device), value)
