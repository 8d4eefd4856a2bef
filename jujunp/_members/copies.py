"""Methods that give copies and conversions: to other dtypes, Python, NumPy, other libraries."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import code_of

from .._array.arguments import NUMPY, check_order, whether_to_copy
from .._array.array_likes import converted
from .._array.handle import (
    NATIVE,
    Handle,
    element,
    float_scalar,
    is_derived,
    ndarray,
    new_handle,
    scalar,
    to_numpy,
)
from .._array.making import convert, laid_out
from .._array.making import copy as copied
from .._array.native import Recorder
from .._calls.traits import uniform
from .._functions.sharing import shared_with_numpy, sharing
from .._functions.values import check_values, kept

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""Versions of the Array API that the namespace follows; the last one is its own."""


@uniform
def copy(self: Any, order: str = "C") -> Any:
    """Return a copy; elements are copied only when one of the two is written."""
    return copied(self) if order in ("C", None) else _in_order(self, order)


def __copy__(self: Any) -> Any:
    return self[None][0] if type(self) is float_scalar else _in_order(self, "K")


def __deepcopy__(self: Any, memo: Any) -> Any:
    return __copy__(self)


def __reduce__(self: Any) -> Any:
    if is_derived(self) and _has_states(type(self)):
        return _made_empty, (type(self),), np.array(shared_with_numpy(self)).__reduce__()[2]
    kind = None if type(self) in NATIVE else type(self)  # pickle does not find ours
    alone = isinstance(self, scalar)
    parts = np.array(to_numpy(self)) if alone else shared_with_numpy(self), alone, kind
    restore = _restore_element if type(self) is float_scalar else _restore
    return restore, parts, getattr(self, "__dict__", None)


def _has_states(kind: type[Handle]) -> bool:
    """Whether a class adds to what is pickled, in the form of NumPy's states."""
    return any(getattr(kind, name) is not getattr(ndarray, name) for name in _STATES)


_STATES = ("__reduce__", "__setstate__")


def _made_empty(kind: type[ndarray]) -> ndarray:
    """Return an array of a class that `__setstate__` fills."""
    make: Any = ndarray.__new__
    return make(kind, (0,), "b")  # type: ignore[no-any-return]


def _restore(array: np.ndarray, is_scalar: bool, kind: type[Handle] | None = None) -> Handle:
    found: Any = None if is_scalar else sharing(array)
    if found is None:
        found = converted(array)
    kind = kind or (scalar if is_scalar else ndarray)
    if kind is ndarray:
        return found  # type: ignore[no-any-return]
    made = new_handle(kind, found._value, found._base, found._layout, found._shape, found._code)
    made._readonly = found._readonly
    return made


def _restore_element(array: np.ndarray, *_: Any) -> Any:
    return converted(array[None])[0]


@uniform
def astype(
    self: Any,
    dtype: Any,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    """Return the elements converted to a dtype.

    ValueError where they must be of the same value (`casting="same_value"`, computed) and are not.
    """
    target = np.dtype(dtype)
    if copy is not True and isinstance(copy, np._CopyMode):
        raise ValueError(
            "_CopyMode enum is not allowed for astype function. Use true/false instead."
        )
    if casting == "same_value" and NUMPY >= (2, 4):
        found = astype(kept(self, code_of(target)), target, order, copy=copy)
        check_values(self, found)
        return found
    if not np.can_cast(self.dtype, target, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"Cannot cast array data from {self.dtype!r} to {target!r} "
            f"according to the rule '{casting}'"
        )
    code = code_of(target)
    if code == self._code:
        return _in_order(self, order) if copy else self
    room()
    return _in_order(self, order, code)


def _in_order(x: Handle, order: str, code: int | None = None) -> Any:
    """Return a copy, converted if a dtype code is given, whose axes lie in memory as is said."""
    if len(x._shape) > 1:
        return laid_out(x, check_order(order), code)
    check_order(order)
    return copied(x) if code is None else convert(x, code)


def item(self: Any, *args: Any) -> Any:
    """Return one element as a Python number; computes it.

    The element is named by an index for each axis, or by one in C order; ValueError when there
    is no index and not just one element, or another number of indices than axes.
    """
    if len(args) == 1 and isinstance(args[0], tuple):
        (args,) = args
    if not args:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return element(self)
    indices = [operator.index(index) for index in args]
    if len(indices) == 1 and len(self._shape) != 1:
        indices = _unraveled(self, indices[0])
    elif len(indices) != len(self._shape):
        raise ValueError("incorrect number of indices for array")
    return element(self[tuple(indices)])


def _unraveled(self: Any, index: int) -> list[int]:
    """Return the indices along the axes of an element in C order."""
    if not -self.size <= index < self.size:
        raise IndexError(f"index {index} is out of bounds for size {self.size}")
    return [int(k) for k in np.unravel_index(index % self.size, self._shape)]


def tolist(self: Any) -> Any:
    """Return the elements as nested lists of Python numbers; computes them."""
    return to_numpy(self).tolist()


def tobytes(self: Any, order: str = "C") -> bytes:
    """Return the elements' memory in C or Fortran order."""
    return to_numpy(self).tobytes(order)  # type: ignore[arg-type]


def tofile(self: Any, fid: Any, sep: str = "", format: str = "%s") -> None:
    """Write the elements to a file: their memory in C order, or text with separators."""
    to_numpy(self).tofile(fid, sep, format)


def _to_numpy_copy(self: Any) -> np.ndarray:
    """Return a NumPy copy of the elements; computes them."""
    return np.array(to_numpy(self))


def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
    """Return the array on a device, of which there is one: "cpu"."""
    if device != "cpu":
        raise ValueError(f"Unsupported device {device!r}")
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    return self


def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """Return a NumPy array over the same memory; a copy of a scalar, or if `copy` says so."""
    copy = whether_to_copy(copy)
    found = np.array(to_numpy(self)) if isinstance(self, scalar) else shared_with_numpy(self)
    if dtype is not None and np.dtype(dtype) != found.dtype:
        if copy is False:
            raise ValueError("a copy is needed to convert the dtype, and copy=False was given")
        return found.astype(dtype)
    return np.array(found) if copy else found


def __dlpack__(
    self: Any,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a capsule with the memory of the elements, or with a copy; computes them.

    Read-only memory is marked as such, and refused (BufferError) if the consumer's version of the
    protocol (`max_version`) is too old to know that.
    """
    found = __array__(self, copy=copy)
    return found.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


class Unmarked:
    """The memory of a read-only NumPy array without the mark."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array  # keeps the memory
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def __dlpack_device__(self: Any) -> tuple[int, int]:
    return 1, 0


def __array_namespace__(self: Any, *, api_version: str | None = None) -> Any:
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"jujunp does not implement version {api_version!r} of the Array API")
    return package()


def __sizeof__(self: Any) -> int:
    """Return the bytes of the object and its shape, and of the elements if it owns them."""
    size = object.__sizeof__(self) + tuple.__sizeof__(self._shape)
    return size if self._base is not None else size + self.nbytes


def fill(self: Any, value: Any) -> None:
    """Set all elements to one number; ValueError for a sequence."""
    if np.ndim(value):
        raise ValueError("setting an array element with a sequence.")
    self[...] = value


METHODS: dict[str, Any] = {
    function.__name__: function
    for function in (
        *(__reduce__, astype, tofile),
        *(to_device, __dlpack__, __dlpack_device__, __array_namespace__),
    )
} | {"to_numpy": _to_numpy_copy}
METHODS |= {
    function.__name__: Recorder().operator(function)
    for function in (item, tolist, __array__, fill, copy, tobytes, __copy__, __deepcopy__)
}
OF_ARRAYS = {"__sizeof__": __sizeof__}
"""Those of arrays only."""
