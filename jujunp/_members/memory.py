"""How arrays lie in memory: what is required of it, its flags, other sizes, addresses."""

from __future__ import annotations

import math
import sys
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import is_pinned, pin_for_good
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import DTYPES, Foreign

from .._array.arguments import shape_of
from .._array.array_likes import check_like
from .._array.handle import Array, header, ndarray, new_handle
from .._array.making import filled, view
from .._functions.creation.arrays import array, asanyarray, asarray
from .._functions.host import exported, made_like, on_host
from .._functions.sharing import shared_with_numpy

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape

__all__ = ["require"]


_REQUIREMENTS = {
    name: key
    for key, names in {
        "C": ("C", "CONTIGUOUS", "C_CONTIGUOUS"),
        "F": ("F", "FORTRAN", "F_CONTIGUOUS"),
        "A": ("A", "ALIGNED"),
        "W": ("W", "WRITEABLE"),
        "O": ("O", "OWNDATA"),
        "E": ("E", "ENSUREARRAY"),
    }.items()
    for name in names
}


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> ndarray:
    """Return an array_like as an array that meets requirements, copied only where needed.

    The requirements are names of flags: "C" or "F" order, "W" writeable, "O" owning its memory,
    "A" aligned and "E" an array of our own class, not of one that is derived from it. ValueError
    for "C" and "F" together, KeyError for other names.
    """
    if like is not None:
        made = made_like(require, (a, dtype, requirements), {"like": like})
        if made is not NotImplemented:
            return made  # type: ignore[no-any-return]
        check_like(like)
    try:
        return _required(a, dtype, requirements)
    except Foreign:
        return on_host("require", np.require, (a, dtype, requirements), {})  # type: ignore[no-any-return]


def _required(a: Any, dtype: Any, requirements: Any) -> ndarray:
    if not requirements:
        return asanyarray(a, dtype)
    wanted = {_REQUIREMENTS[name.upper()] for name in requirements}
    if {"C", "F"} <= wanted:
        raise ValueError("Cannot specify both 'C' and 'F' order")
    order = next(iter(wanted & {"C", "F"}), "A")
    found: Any = array(a, dtype, copy=None, order=order, subok="E" not in wanted)
    if not all(found.flags[name] for name in wanted - {"A", "E"}):
        found = found.copy(order)
    return found  # type: ignore[no-any-return]


def setflags(
    self: Any, write: bool | None = None, align: bool | None = None, uic: bool | None = None
) -> None:
    """Set whether the array can be written. ValueError where that, or `uic`, cannot be."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        self.flags.writeable = bool(write)


def resize(self: Any, *new_shape: Any, refcheck: bool = True) -> None:
    """Give the array another shape in place: its elements in C order, then zeros.

    ValueError for a view, and for an array that has views, or whose memory others hold, whatever
    `refcheck` says; and, unless that is false, for an array that has other names.
    """
    if not isinstance(refcheck, (int, np.bool_)):
        raise TypeError(f"'{type(refcheck).__name__}' object cannot be interpreted as an integer")
    if not new_shape or (len(new_shape) == 1 and new_shape[0] is None):
        return
    shape = shape_of(new_shape[0] if len(new_shape) == 1 else new_shape)
    if self._base is not None and math.prod(shape) == self.size and self.flags.c_contiguous:
        self.shape = shape  # it keeps its memory
        return
    if self._base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    named = refcheck and (sys.getrefcount(self) > _ONE_NAME or weakref.getweakrefcount(self))
    if named or self._views or is_pinned(self._value):
        raise ValueError(
            "cannot resize an array that references or is referenced\n"
            "by another array in this way.\n"
            f"Use the np.resize function{' or refcheck=False' if named else ''}"
        )
    if self._readonly:
        raise ValueError("cannot resize this array: it is read-only")
    room()
    found = _zero_padded(self, shape)
    self._value, self._shape, self._header = found._value, shape, None


_ONE_NAME = 4
"""References to an array in a method that is called by its only name: that name, the bound method,
the method's own name, and the argument."""


def _zero_padded(x: Any, shape: Shape) -> Any:
    """Return a new array with the elements of an array in C order, then zeros."""
    count = min(x.size, math.prod(shape))
    found = filled(shape, 0, x._code)
    row = view(found, header(found).reshape(-1)[:count])
    row[...] = view(x, header(x).reshape(-1)[:count])
    return found


def new(
    cls: type[ndarray],
    shape: Any,
    dtype: Any = float,
    buffer: Any = None,
    offset: int = 0,
    strides: Any = None,
    order: Any = None,
) -> ndarray:
    """Return an array of the class: to be written to, as `empty`, or a view of a buffer's memory.

    `offset` (in bytes) says where the first element is, `strides` (in bytes) how far the next ones
    are. ValueError and TypeError as NumPy's, for buffers that are too small among others.
    """
    _check_class(cls)
    try:
        usual = strides is None and not offset and order in (None, "C")
        if usual and buffer is None:
            made: Any = package().empty(shape, dtype)
        elif usual and _is_all_of(buffer, shape, dtype):
            made = view(buffer, header(buffer))
        else:
            # NumPy looks at all of it, and makes the memory if there is none; ours does not move
            held = memoryview(buffer) if isinstance(buffer, Array) else buffer
            made = asarray(np.ndarray(shape, dtype, held, offset, strides, order))
            made = view(made, header(made)) if made is buffer else made
    except Foreign:
        if cls is not ndarray:
            raise
        given = exported((shape, dtype, buffer, offset, strides, order))
        return on_host("ndarray", np.ndarray, given, {})  # type: ignore[no-any-return]
    if cls is ndarray:
        return made  # type: ignore[no-any-return]
    fields = made._value, made._base, made._layout, made._shape, made._code
    found = new_handle(cls, *fields)
    found._readonly = made._readonly
    cls.__array_finalize__(found, None)  # type: ignore[attr-defined]
    return found


def _is_all_of(buffer: Any, shape: Any, dtype: Any) -> bool:
    """Whether an array of this shape and dtype has just the elements of another, in C order."""
    return (
        isinstance(buffer, Array)
        and (shape == buffer._shape or shape == len(buffer) == buffer.size)
        and dtype == DTYPES[buffer._code]
        and header(buffer).flags.c_contiguous
    )


def _check_class(cls: Any) -> None:
    """Raise TypeError, as Python's types do, unless arrays can be of a class."""
    if not isinstance(cls, type):
        kind = type(cls).__name__
        raise TypeError(f"numpy.ndarray.__new__(X): X is not a type object ({kind})")
    if Array not in cls.__mro__:
        name = cls.__name__
        raise TypeError(f"numpy.ndarray.__new__({name}): {name} is not a subtype of numpy.ndarray")


def data(self: Any) -> memoryview:
    """The memory, as Python's buffers show it: written to by both."""
    return memoryview(self)


def ctypes(self: Any) -> Any:
    """What `ctypes` needs to know of the memory, which is pinned for good."""
    return _with_address(self).ctypes


def __array_interface__(self: Any) -> dict[str, Any]:
    """NumPy's description of the memory, which is pinned for good."""
    return _described(self).__array_interface__


def __array_struct__(self: Any) -> Any:
    """The same as a C struct."""
    return _described(self).__array_struct__


def _with_address(x: Any) -> np.ndarray:
    """Return a NumPy array over the memory of an array, which never moves from now on."""
    pin_for_good(x if x._base is None else x._base, x)
    return shared_with_numpy(x)


def _described(x: Any) -> np.ndarray:
    """Return the same; AttributeError if its dtype is none of NumPy's own."""
    if x.dtype.kind == "V":
        raise AttributeError(f"NumPy has no letters for {x.dtype}")
    return _with_address(x)


OF_ARRAYS = {
    **{
        function.__name__: property(function, doc=function.__doc__)
        for function in (data, ctypes, __array_interface__, __array_struct__)
    },
    "__new__": staticmethod(new),
    "resize": resize,
    "setflags": setflags,
}
"""What arrays have, and scalars lack."""
