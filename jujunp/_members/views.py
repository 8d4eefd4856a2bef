"""Methods that give views: other shapes and orders of the axes, other dtypes of the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import DTYPES, code_of

from .._array.arguments import NUMPY, check_order, order_to_reshape
from .._array.handle import Array, Handle, header, ndarray, scalar, whole_value
from .._array.making import axes_in_memory, copy, wrap
from .._array.making import reshape as reshaped
from .._array.making import view as seen_through
from .._array.native import Recorder
from .._calls.traits import at_once, uniform
from .._functions.sharing import shared_with_numpy
from .derived import as_class
from .properties import set_dtype


@uniform
def transpose(self: Any, *axes: Any) -> Any:
    """Return a view with the axes permuted: in the order given, or reversed."""
    return seen_through(self, header(self).transpose(*axes))


@uniform
def swapaxes(self: Any, axis1: int, axis2: int) -> Any:
    """Return a view with two axes interchanged."""
    return seen_through(self, header(self).swapaxes(axis1, axis2))


@uniform
def squeeze(self: Any, axis: Any = None) -> Any:
    """Return a view without the axes of length one, or without those named."""
    seen = header(self)
    found = seen.squeeze(axis)
    return self if found.ndim == seen.ndim else seen_through(self, found)


def reshape(self: Any, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """Return the elements in another shape: a view where NumPy gives one, else a copy.

    ValueError when the sizes differ, or when `copy=False` and a copy would be needed.
    """
    if not shape:
        raise TypeError("reshape() takes exactly 1 argument (0 given)")
    return reshaped(self, shape[0] if len(shape) == 1 else shape, order_to_reshape(order), copy)


@uniform
def ravel(self: Any, order: str = "C") -> Any:
    """Return the elements in one dimension; a view where NumPy gives one.

    It is one of an array without gaps, and in memory order (K) of one whose elements follow each
    other in memory.
    """
    found, order = _in_line(self, order)
    if found._base is not (self if self._base is None else self._base):
        return copy(found)
    flags, lined = header(self).flags, header(found).flags.c_contiguous
    kept = {"C": flags.c_contiguous, "F": flags.f_contiguous, "A": flags.forc, "K": lined}
    return found if kept[order] else copy(found)


@uniform
def flatten(self: Any, order: str = "C") -> Any:
    """Return a copy of the elements in one dimension."""
    return copy(_in_line(self, order)[0])


def _in_line(self: Any, order: str) -> tuple[Any, str]:
    """Return the elements in one dimension, a view where a layout can say so; and the order."""
    order = "C" if order is None else check_order(order)
    axes = axes_in_memory(self, order)
    return reshaped(self if axes is None else self.transpose(axes), (-1,)), order


def view(self: Any, dtype: Any = None, type: Any = None) -> Any:
    """Return a view of the same memory, with another dtype or class if one is given.

    A class may be derived from our array's, or from NumPy's, of which it is one then.
    """
    is_ours: bool = isinstance(self, Handle)
    if not is_ours:  # of `ndarray.view(x)`
        given = {"dtype": dtype, "type": type}
        return np.ndarray.view(self, **{name: x for name, x in given.items() if x is not None})
    if isinstance(dtype, _Class) and issubclass(dtype, (Array, np.ndarray)):
        dtype, type = None, dtype
    kind, found = type or _Class(self), self
    if kind is np.ndarray:
        kind = ndarray  # which is what `x.__class__` says
    if dtype is not None and kind is not ndarray and issubclass(kind, Array):
        return _with_dtype(self, kind, np.dtype(dtype))
    if dtype is not None:
        code = code_of(np.dtype(dtype))
        found = seen_through(self, header(self).view(DTYPES[code]), code)
    if isinstance(self, scalar):
        return self if dtype is None else wrap(whole_value(found), (), found._code)
    if found is self and _Class(self) is kind:
        found = seen_through(self, header(self))
    if issubclass(kind, Array):
        return as_class(found, kind, self)
    return shared_with_numpy(found).view(kind)


_Class = type


def _with_dtype(x: Any, kind: Any, dtype: np.dtype) -> Any:
    """Return a view as an array of a derived class, which may see to its dtypes itself."""
    if getattr(kind, "_set_dtype", ...) is None:  # `__array_finalize__` is to see the dtype
        code = code_of(dtype)
        return as_class(seen_through(x, header(x).view(DTYPES[code]), code), kind, x)
    found = as_class(seen_through(x, header(x)), kind, x)
    by = next(name for cls in kind.__mro__ for name in _BY if name in vars(cls))
    if getattr(ndarray, by) is getattr(kind, by):
        set_dtype(found, dtype)
    elif by == "_set_dtype":
        found._set_dtype(dtype)
    else:
        found.dtype = dtype
        if "_set_dtype" in _BY:
            warn_user(
                "numpy.ndarray.view() used a custom `dtype` setter to change the dtype of the "
                "view.  Subclasses should implement `_set_dtype` instead. (Deprecated NumPy 2.5)",
                DeprecationWarning,
            )
    return found


_BY = ("_set_dtype", "dtype") if NUMPY >= (2, 5) else ("dtype",)
"""What sets a dtype, in NumPy's order; what a class has of its own goes before ours."""


def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a read-only view of the diagonal(s)."""
    result = seen_through(self, header(self).diagonal(offset, axis1, axis2))
    result._readonly = True
    return result


METHODS: dict[str, Any] = {
    "transpose": Recorder().operator(transpose),
    "swapaxes": Recorder().operator(swapaxes),
    "squeeze": Recorder().operator(squeeze),
    "reshape": Recorder().operator(reshape),
    "ravel": Recorder().operator(ravel),
    "flatten": Recorder().operator(flatten),
    "view": at_once("a view as a class")(view),
    "diagonal": diagonal,
}
