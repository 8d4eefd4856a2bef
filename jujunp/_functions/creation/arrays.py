"""New arrays: from other data, filled with a number, or from a function."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import transfer
from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import holds_handles
from jujunp.lazy.values.dtypes import CODES, DTYPES, FLOAT64, SUPPORTED, Foreign, code_of
from jujunp.lazy.values.layout import MAX_RANK

from ..._array.arguments import (
    check_device,
    check_order,
    code_for,
    order_to_make,
    shape_of,
    whether_to_copy,
)
from ..._array.array_likes import (
    as_array,
    as_handle,
    check_like,
    check_memory,
    check_own,
    check_scalars,
    is_jaxs,
    made_by_itself,
    made_by_numpy,
    of_numbers,
)
from ..._array.handle import NATIVE, NUMBERS, Array, Handle, header, is_number, ndarray, to_numpy
from ..._array.making import (
    as_code,
    as_copied,
    axes_in_memory,
    filled,
    laid_out,
    new_array,
    unturned,
    view,
)
from ..._calls.traits import at_once, uniform
from ..._ufuncs.ufunc import UFUNCS
from ..sharing import sharing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jujunp.lazy.values.types import Scalar

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "empty",
    "empty_like",
    "from_dlpack",
    "frombuffer",
    "fromiter",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

_NO_COPY = (
    "Unable to avoid copy while creating an array as requested.\n"
    "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when "
    "needed (no behavior change in NumPy 1.x).\n"
    "For more details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html"
    "#adapting-to-changes-in-the-copy-keyword."
)


# -- from other data


@at_once("an array")
@uniform
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

    With `copy=None` an array that fits already is returned itself, and the memory of NumPy's and of
    other libraries' arrays that fit is shared: what is written to one of the two is seen by the
    other. ValueError where `copy=False` cannot be had, and for nested sequences that are not
    regular. With `subok`, an array of a class derived from ours stays one. A type that is
    named by `like`, and makes arrays itself, does.
    """
    check_like(like)
    room()
    order = check_order(order)
    copy = whether_to_copy(copy)
    if ndmin:
        _check_ranks(ndmin, ndmax)
    if isinstance(object, Array):
        if type(object) is not ndarray:  # of a class that is derived from ours
            if subok:
                return _of_derived(object, dtype, copy, order)
            object = view(object, header(object))
        found = _of_array(object, dtype, copy, order)
    else:
        try:
            shared, given = (None, object) if copy else _shared(object, dtype, order)
            if shared is None and copy is False:
                if dtype is None and isinstance(given, np.ndarray) and given.dtype not in CODES:
                    raise Foreign(f"jujunp arrays of dtype {given.dtype} are not supported")
                raise ValueError(_NO_COPY)
            found = _imported(given, dtype, ndmax) if shared is None else shared
        except ValueError as error:
            shared, found = None, _made(object, error, dtype, copy, order)
        if shared is None and not _lies_in(found, order):
            found = laid_out(found, order)
    missing = ndmin - len(found._shape)
    if missing > 0:
        found = view(found, header(found)[(None,) * missing])
    return found


def _check_ranks(ndmin: int, ndmax: int) -> None:
    if ndmin > (ndmax or MAX_RANK):
        raise ValueError(f"ndmin must be <= ndmax ({ndmax or MAX_RANK})")


def _made(x: Any, error: ValueError, dtype: Any, copy: bool | None, order: str) -> ndarray:
    """Return the array of ours that an object makes, which may be one that it keeps."""
    made, copies = made_by_itself(x, error, copy, dtype)
    if not copies and copy is False:
        raise ValueError(_NO_COPY)
    return _of_array(as_array(made), dtype, None if copies and copy else copy, order)


def _of_derived(x: Any, dtype: Any, copy: bool | None, order: str) -> ndarray:
    """Return the same of an array of a class that is derived from ours: one of the class."""
    found: ndarray = x if dtype is None else x.astype(dtype, copy=False)
    if found is not x and copy is False:
        raise ValueError(_NO_COPY)
    return x.copy(order) if copy and found is x else found


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
    return _lies_so(header(x), order)


def _shared(x: Any, dtype: Any, order: str) -> tuple[ndarray | None, Any]:
    """Return an array over the memory of one of another library, None where that does not fit.

    And what is to be copied then: `x`, as an array of NumPy's if it has been made one.
    """
    if isinstance(x, (Handle, list, tuple, range, *NUMBERS)) or is_jaxs(x):
        return None, x
    given = made_by_numpy(x)
    fits = dtype is None or np.dtype(dtype) == given.dtype
    # what was made for this call has no base, and no other name
    others = given is x or given.base is not None or sys.getrefcount(given) > 2
    found = sharing(given) if fits and others and _lies_so(given, order) else None
    if found is not None and type(x) is memoryview:  # of one of our arrays, maybe
        found = view(found, header(found))
    return found, given


def _lies_so(x: np.ndarray, order: str) -> bool:
    """Whether a NumPy array's elements lie in memory as an order wants them."""
    return order in "KA" or (x.flags.c_contiguous if order == "C" else x.flags.f_contiguous)


def _imported(x: Any, dtype: Any, ndmax: int = 0) -> ndarray:
    """Return anything but an array as an array of its own."""
    known = isinstance(x, np.ndarray) and CODES.get(x.dtype) in SUPPORTED
    ours = isinstance(x, Handle) or is_jaxs(x)
    # before the items are looked at: arrays of other dtypes are NumPy's, whatever these are
    code = None if dtype is None else code_for(dtype, 0)
    if known or ours or (isinstance(x, (list, tuple)) and holds_handles(x)):
        if code is not None and not (known or ours):
            check_scalars(x, code)
        found = as_array(np.asarray(x) if known else x)  # a subclass gives its elements
        return found if code is None else as_code(found, code)
    check_memory(x)
    wanted = None if code is None else DTYPES[code]
    limit = {"ndmax": ndmax} if ndmax else {}
    given = _of_numpys_arrays(x) if isinstance(x, np.ndarray) and x.dtype == object else x
    return _of_host(
        of_numbers(lambda dtype: np.array(given, dtype, copy=None, **limit), wanted)  # type: ignore[call-overload]
    )


def _of_numpys_arrays(x: np.ndarray) -> np.ndarray:
    """Return an array of objects with NumPy's arrays in the place of ours, of which it knows."""
    found = np.empty(x.shape, object)
    for place in np.ndindex(x.shape):
        item: Any = x[place]
        found[place] = to_numpy(item) if isinstance(item, Handle) else item
    return found


def _of_host(x: np.ndarray) -> ndarray:
    """Return a copy of a NumPy array."""
    code = code_of(x.dtype)
    return new_array(transfer.import_array(x, code), x.shape, code)


@at_once("an array over shared memory")
@uniform
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

    Otherwise as `array` with `copy=None`: memory of NumPy's arrays is shared.
    """
    check_like(like)
    check_device(device)
    return array(a, dtype, copy=copy, order=order)


@at_once("an array over shared memory")
def asanyarray(
    a: Any,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> ndarray:
    """Return an array_like as an array, as `asarray`, but of the class that it is of."""
    check_like(like)
    check_device(device)
    if not isinstance(a, Handle):
        check_own((a,))
    return array(a, dtype, copy=copy, order=order, subok=True)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> ndarray:
    """Return an array of at least one dimension in C order, copied only where needed."""
    check_like(like)
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> ndarray:
    """Return an array of at least one dimension in Fortran order, copied only where needed."""
    check_like(like)
    return array(a, dtype, copy=None, order="F", ndmin=1)


def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> ndarray:
    """Return an array_like as an array; ValueError when it holds nan or infinity (computes it)."""
    found: Any = asarray(a, dtype, order)
    if found.dtype.kind in "fc" and not UFUNCS["isfinite"](found).all():
        raise ValueError("array must not contain infs or NaNs")
    return found  # type: ignore[no-any-return]


@uniform
def copy(a: Any, order: str = "K", subok: bool = False) -> ndarray:
    """Return a copy of an array_like; elements are copied only when one of the two is written.

    With `subok`, types with answers of their own make it.
    """
    if subok:
        check_own((a,))
    return array(a, order=order, copy=True)


@at_once("an array over a buffer")
def frombuffer(
    buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0, *, like: Any = None
) -> ndarray:
    """Return the bytes of a buffer as a one-dimensional array, a view of its memory.

    It can be written if the buffer can. Memory that is not aligned for the dtype is copied.
    """
    check_like(like)
    given = np.frombuffer(buffer, dtype, count, offset)
    found: ndarray = asarray(given)
    if not given.size:  # no memory is shared
        found.flags.writeable = given.flags.writeable
    return found


def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1, *, like: Any = None) -> ndarray:
    """Return the numbers that an iterable gives as a one-dimensional array."""
    check_like(like)
    return _of_host(np.fromiter(iter, DTYPES[code_of(np.dtype(dtype))], count))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return an array over the memory of one of another library that offers `__dlpack__`.

    With copy=True, a copy. ValueError for devices but "cpu".
    """
    if device not in (None, "cpu"):
        raise ValueError(f"Unsupported device {device!r}")
    if type(x) in NATIVE:
        return x if copy is not True else x.copy()
    if is_jaxs(x) and not copy:
        return as_array(x)
    return array(np.from_dlpack(x), copy=copy)


# -- filled


def _new(shape: Any, number: Scalar, dtype: Any, order: str, device: Any) -> ndarray:
    room()
    check_device(device)
    code = code_for(dtype, FLOAT64)
    extents = shape_of(shape)
    if order_to_make(order) == "F":
        return filled(extents[::-1], number, code).T  # type: ignore[no-any-return]
    return filled(extents, number, code)


@at_once("zeros")
@uniform
def zeros(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> ndarray:
    """Return an array of zeros, float64 unless a dtype is given."""
    check_like(like)
    return _new(shape, 0, dtype, order, device)


@at_once("ones")
@uniform
def ones(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> ndarray:
    """Return an array of ones, float64 unless a dtype is given."""
    check_like(like)
    return _new(shape, 1, dtype, order, device)


@at_once("zeros")
@uniform
def empty(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> ndarray:
    """Return an array to be written to. Its elements are zeros, where NumPy's are arbitrary."""
    check_like(like)
    return _new(shape, 0, dtype, order, device)


@uniform
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
    check_like(like)
    value = fill_value if is_number(fill_value) else as_handle(fill_value)
    code = as_handle(value)._code if dtype is None else code_for(dtype, FLOAT64)
    return _written(_new(shape, _number(value, code), DTYPES[code], order, device), value)


def _number(value: Any, code: int) -> Scalar:
    """Return a Python number as an element of a dtype; 0 for an array, which is written later."""
    if isinstance(value, Handle):
        return 0
    found: Scalar = of_numbers(lambda dtype: np.full((), value, dtype), DTYPES[code]).item()
    return found


def _written(x: Any, value: Any) -> ndarray:
    """Write an array into another; a number is in it already."""
    if isinstance(value, Handle):
        x[...] = as_copied(value, x._code)
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
        turned = order == "F" or (order == "A" and header(model).flags.fnc)
        axes = tuple(range(len(extents)))[::-1] if turned else None
    if axes is None:
        return filled(extents, number, code)
    return unturned(filled(tuple(extents[axis] for axis in axes), number, code), axes)


@at_once("zeros like an array")
@uniform
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


@at_once("ones like an array")
@uniform
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


@at_once("zeros like an array")
@uniform
def empty_like(
    prototype: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ndarray:
    """Return an array to be written to, like another; its elements are zeros."""
    return _new_like(prototype, 0, dtype, order, shape, device)


@uniform
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
    value = fill_value if is_number(fill_value) else as_handle(fill_value)
    number = _number(value, code_for(dtype, model._code))
    return _written(_new_like(model, number, dtype, order, shape, device), value)
