"""What an array is: shape, dtype, strides and the like, and views that are attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from jujunp.lazy.library import TYPES
from jujunp.lazy.run.machine import COPIES, is_pinned
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import CODES, DTYPES, code_of, is_complex
from jujunp.lazy.values.value import Value, dtype_code, leaf, pack, record

from .._array.arguments import NUMPY
from .._array.handle import (
    COPY,
    Array,
    Handle,
    header,
    is_derived,
    ndarray,
    new_handle,
    scalar,
    whole_value,
)
from .._array.making import size_mismatch, view, wrap
from .._array.native import Recorder
from .._array.outputs import written_as
from .._functions.sharing import giver
from .derived import origin
from .flags import Flags

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape


def itemsize(self: Handle) -> int:
    """Bytes of one element."""
    return DTYPES[self._code].itemsize


def nbytes(self: Handle) -> int:
    """Bytes of all elements."""
    return self.size * itemsize(self)


def strides(self: Handle) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis, as NumPy would have them."""
    return header(self).strides


def base(self: Handle) -> Any:
    """The array that owns the memory of a view; None for an owner.

    Of memory that was given, what has given it; of an array of a derived class, the array that it
    was seen from.
    """
    if self._base is None and isinstance(self, Array):
        return giver(self)
    return origin(self)


def flags(self: Handle) -> Flags:
    """Contiguity and writeability, as NumPy's."""
    return Flags(self)


def device(self: Handle) -> str:
    """Where the elements are: "cpu"."""
    return "cpu"


def _set_device(self: Any, value: Any) -> None:
    raise AttributeError("attribute 'device' of 'ndarray' objects is not writable")


def T(self: Handle) -> Any:
    """The array with its axes in reverse order; a view."""
    return view(self, header(self).T)


def mT(self: Handle) -> Any:
    """The array with its last two axes swapped; a view."""
    return view(self, header(self).mT)


def _deprecated(name: str, since: tuple[int, int], advice: str) -> None:
    """Warn that an attribute is set, where NumPy of that version does."""
    if since <= NUMPY:
        warn_user(
            f"Setting the {name} on a NumPy array has been deprecated in NumPy "
            f"{since[0]}.{since[1]}.\n{advice}",
            DeprecationWarning,
        )


def _set_shape(self: Any, value: Any) -> None:
    _deprecated(
        "shape",
        (2, 5),
        "As an alternative, you can create a new view using np.reshape "
        "(with copy=False if needed).",
    )
    set_shape(self, value)


def set_shape(self: Any, value: Any) -> None:
    """Give an array another shape, with its elements where they are."""
    seen = header(self)
    if is_derived(self):  # a class may have shapes of its own
        value = self.reshape(value).shape
    try:
        layout = seen.reshape(value, copy=False)
    except ValueError:
        if size_mismatch(seen, value):
            raise
        message = (
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
            "with the desired shape."
        )
        raise AttributeError(message) from None
    if self._base is None:  # views see its memory, which stays as it is
        self._value = _reshaped(self._value, layout.shape)
        self._header = None
    else:
        self._layout = self._header = layout
    self._shape = layout.shape
    self._key = None


def _set_strides(self: Any, value: Any) -> None:
    _deprecated(
        "strides",
        (2, 4),
        "As an alternative, you can create a new view using np.lib.stride_tricks.as_strided.",
    )
    seen = header(self)
    owner = seen if self._base is None else header(self._base)
    layout = as_strided(seen, seen.shape, (value,) if isinstance(value, int) else tuple(value))
    low, high = byte_bounds(layout)
    first, last = byte_bounds(owner)
    if layout.size and not first <= low <= high <= last:
        raise ValueError("strides is not compatible with available memory")
    if layout.strides == seen.strides:
        return
    if self._base is None:
        _make_view(self)
    self._layout = self._header = layout
    self._readonly = self._readonly is True or written_as(layout)
    self._key = None


def _make_view(x: Any) -> None:
    """Make a view of an owner: of a new one that has its value. AttributeError if it has views."""
    if x._views:
        raise AttributeError("the strides of an array that has views cannot be set")
    owner = new_handle(ndarray, x._value, None, None, x._shape, x._code)
    owner._readonly = x._readonly
    owner._views = 1
    x._value, x._base = None, owner


def _reshaped(value: Value, shape: Shape) -> Value:
    """Return the same elements with another shape, in the same memory if others hold that."""
    code = dtype_code(value)
    if is_pinned(value):
        return leaf(code, shape, value.buffer)
    return record(COPIES[code], shape, (value,), (layouts.whole(shape, DTYPES[code]),))


def _set_dtype(self: Any, value: Any) -> None:
    _deprecated(
        "dtype",
        (2, 5),
        "Instead of changing the dtype on an array x, create a new array with x.view(new_dtype)",
    )
    set_dtype(self, value)


def set_dtype(self: Any, value: Any) -> None:
    """Give an array another dtype, which its bytes are seen as."""
    code = code_of(np.dtype(value))
    layout = header(self).view(DTYPES[code])
    if self._base is None:  # views see its bytes, which stay as they are
        seen = view(self, layout, code)
        pinned = is_pinned(self._value)
        self._value = leaf(code, layout.shape, self._value.buffer) if pinned else whole_value(seen)
        self._header = None
    else:
        self._layout = self._header = layout
    self._shape, self._code = layout.shape, code
    self._key = None


def real(self: Handle) -> Any:
    """The real part, a view: of a real array, the array. That of an array may be assigned to."""
    return _part(self, "real") if is_complex(self._code) else self


def _set_real(self: Any, value: Any) -> None:
    real(self)[...] = value


def imag(self: Handle) -> Any:
    """The imaginary part, a view: of a real array, read-only zeros.

    That of an array may be assigned to; TypeError if the array is real.
    """
    if is_complex(self._code):
        return _part(self, "imag")
    zeros = record(pack(COPY, self._code, self._code), self._shape, (0,))
    result = new_handle(type(self), zeros, None, None, self._shape, self._code)
    result._readonly = True
    return result


def _set_imag(self: Any, value: Any) -> None:
    if not is_complex(self._code):
        raise TypeError("array does not have imaginary part to set")
    imag(self)[...] = value


def _part(x: Handle, name: str) -> Any:
    """Return a view of the real or imaginary parts of complex elements, by name."""
    layout = getattr(header(x), name)
    found = view(x, layout, CODES[layout.dtype])
    return wrap(whole_value(found), (), found._code) if isinstance(x, scalar) else found


_READ_OFTEN = {
    "shape": "Lengths of the axes.",
    "dtype": "NumPy dtype of the elements.",
    "ndim": "Number of axes.",
    "size": "Number of elements.",
}
"""What the immediate library reads (kernels/vm/record/attributes.mojo)."""
_PROPERTIES = {
    function.__name__: property(function)
    for function in (*(itemsize, nbytes, strides, base, flags, device, mT),)
}
_PROPERTIES |= {name: property(TYPES[name], doc=doc) for name, doc in _READ_OFTEN.items()}
METHODS: dict[str, Any] = {
    **_PROPERTIES,
    **{function.__name__: Recorder().operator(function) for function in (T, real, imag)},
}
"""By name, of arrays and scalars."""
OF_ARRAYS = {
    "shape": _PROPERTIES["shape"].setter(_set_shape),
    "dtype": _PROPERTIES["dtype"].setter(_set_dtype),
    "strides": _PROPERTIES["strides"].setter(_set_strides),
    "device": _PROPERTIES["device"].setter(_set_device),
    "real": property(real, _set_real),
    "imag": property(imag, _set_imag),
    **({"_set_shape": set_shape, "_set_dtype": set_dtype} if NUMPY >= (2, 5) else {}),
}
"""By name, of arrays: those that can be assigned to, and what NumPy 2.5 has for derived classes."""
