"""Making handles: of values, views of others, copies and conversions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import BOOL, DTYPES, is_complex, is_integer
from jujunp.lazy.values.value import Value, pack, record

from .broadcasting import in_c_order, memory_order
from .handle import COPY, Handle, assign, header, ndarray, new_handle, scalar, value_of, whole_value
from .promotion import convert_code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jujunp.lazy.values.types import Scalar, Shape


def wrap(value: Value, shape: Shape, code: int) -> Any:
    """Return a handle of a new value: an array, or a scalar when there are no axes."""
    return new_handle(ndarray if shape else scalar, value, None, None, shape, code)


def scalar_if_0d(x: Handle) -> Any:
    """Return a handle as NumPy's functions do: a scalar of one without axes."""
    return x if x._shape else wrap(whole_value(x), (), x._code)


def new_array(value: Value, shape: Shape, code: int) -> ndarray:
    """Return an array of a new value, also when it has no axes."""
    return new_handle(ndarray, value, None, None, shape, code)


def filled(shape: Shape, number: Scalar, code: int) -> ndarray:
    """Return an array of one number, which must fit the dtype; raises when it is too large."""
    whole = layouts.whole(shape, DTYPES[code])
    found = new_array(record(pack(COPY, code, code), shape, (number,)), shape, code)
    found._header = whole
    return found


def view(x: Handle, layout: np.ndarray, code: int | None = None) -> ndarray:
    """Return a view of the memory of `x`, given the layout that NumPy worked out for it."""
    if isinstance(x, scalar):
        if not layout.shape and code is None:
            return x  # type: ignore[return-value]
        x = new_handle(ndarray, whole_value(x), None, None, (), x._code)
    owner = x if x._base is None else x._base
    result = new_handle(
        ndarray, None, owner, layout, layout.shape, x._code if code is None else code
    )
    result._readonly = x._readonly
    return result


def reshape(x: Handle, shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """Return the elements of a handle in another shape; a view where NumPy gives one."""
    seen = header(x)
    if copy is not True:
        try:
            return view(x, seen.reshape(shape, order=order, copy=False))  # type: ignore[call-overload]
        except ValueError:
            if copy is False or size_mismatch(seen, shape):
                raise
    target = _resolved(seen, shape)
    if order == "F":
        source = new_array(whole_value(x.transpose()), x._shape[::-1], x._code)
        return reshape(source, target[::-1]).transpose()
    value = record(pack(COPY, x._code, x._code), x._shape, (value_of(x),), (x._layout,))
    owner = new_array(value, x._shape, x._code)
    found = view(owner, header(owner).reshape(target))
    return found


def _resolved(seen: np.ndarray, shape: Any) -> Shape:
    """Return the new shape with -1 worked out."""
    compact = np.broadcast_to(np.empty((), seen.dtype), seen.shape)
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    wanted = tuple(int(n) for n in sizes)
    if -1 in wanted:
        known = math.prod(n for n in wanted if n != -1)
        if wanted.count(-1) > 1 or not known or compact.size % known:
            raise ValueError(f"cannot reshape array of size {compact.size} into shape {shape}")
        wanted = tuple(compact.size // known if n == -1 else n for n in wanted)
    if math.prod(wanted) != compact.size:
        raise ValueError(f"cannot reshape array of size {compact.size} into shape {shape}")
    return wanted


def size_mismatch(seen: np.ndarray, shape: Any) -> bool:
    """Whether a layout's elements are not as many as a shape wants."""
    try:
        _resolved(seen, shape)
    except ValueError:
        return True
    return False


def copy(x: Handle) -> ndarray:
    """Return a copy. Values do not change, so a whole array's copy shares its value."""
    if isinstance(x, scalar):
        return x  # type: ignore[return-value]
    room()
    return new_handle(ndarray, whole_value(x), None, None, x._shape, x._code)


def warn_of_cast(source: int, target: int) -> None:
    """Warn as NumPy does when complex numbers are made real."""
    if is_complex(source) and target > BOOL and not is_complex(target):
        message = "Casting complex values to real discards the imaginary part"
        warn_user(message, np.exceptions.ComplexWarning)


def convert(x: Handle, code: int) -> Any:
    """Return the elements converted to a dtype code."""
    warn_of_cast(x._code, code)
    layouts = None if x._layout is None else (x._layout,)
    value = record(convert_code(x._code, code), x._shape, (value_of(x),), layouts)
    return new_handle(type(x), value, None, None, x._shape, code)


def fitted(source: Handle, shape: Shape, code: int) -> Value:
    """Return a whole value with the source's elements converted and broadcast to a shape."""
    if source._code == code and source._shape == shape:
        return whole_value(source)
    layout = source._layout
    value = value_of(source)
    if source._code != code:
        warn_of_cast(source._code, code)
        layouts = None if layout is None else (layout,)
        value = record(convert_code(source._code, code), source._shape, (value,), layouts)
        layout = None
    if source._shape == shape and layout is None:
        return value
    # copying into the shape broadcasts
    return record(pack(COPY, code, code), shape, (value,), None if layout is None else (layout,))


def write(x: ndarray, source: Handle) -> None:
    """Replace all elements of an array by those of a handle, converted and broadcast."""
    assign(x, fitted(source, x._shape, x._code))


def as_code(x: Handle, code: int) -> Any:
    """Return a handle's elements in a dtype: the handle itself if it has that."""
    return x if x._code == code else convert(x, code)


def as_copied(x: Any, code: int) -> Any:
    """Return what is copied into an array of a dtype: an integer wraps, which no element does."""
    return as_code(x, code) if isinstance(x, scalar) and is_integer(code) else x


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
