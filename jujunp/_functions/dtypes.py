"""What is known of arrays and dtypes without their elements: NumPy's own answers."""

from __future__ import annotations

import math
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.machine import holds_handles
from jujunp.lazy.values.dtypes import Foreign, is_complex

from .._array.arguments import check_device
from .._array.array_likes import array_given, converted, made_by_itself
from .._array.handle import Array, Handle, header, scalar
from .._calls.traits import at_once, warning
from .host import exported
from .sharing import shared_with_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.values.types import Shape

__all__ = [
    "astype",
    "can_cast",
    "common_type",
    "finfo",
    "iinfo",
    "iscomplexobj",
    "isdtype",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "may_share_memory",
    "min_scalar_type",
    "ndim",
    "promote_types",
    "result_type",
    "shape",
    "shares_memory",
    "size",
]


def _dtype_or(x: Any) -> Any:
    """Return the dtype of a handle; what else promotion takes, as it is."""
    return x.dtype if isinstance(x, Handle) else x


def _own(x: Any) -> Handle | None:
    """Return an array_like in which there is an array of ours as a handle; None for others.

    So it is for what makes no array of ours, or answers NumPy's functions.
    """
    if not holds_handles([x]):
        return None
    try:
        return converted(x)
    except Foreign:
        return None


@at_once("a common dtype")
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the dtype that arrays, dtypes and Python numbers promote to together."""
    return np.result_type(*(_dtype_or(x) for x in arrays_and_dtypes))


def promote_types(type1: Any, type2: Any, /) -> np.dtype[Any]:
    """Return the smallest dtype to which both dtypes cast safely."""
    return np.promote_types(type1, type2)


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Return whether a dtype, or that of an array, casts to another by a rule.

    TypeError for Python numbers, whose dtype is not fixed.
    """
    return np.can_cast(_dtype_or(from_), to, casting)  # type: ignore[arg-type]


def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """Return the smallest dtype that holds a number; of an array, its own."""
    if isinstance(a, Handle):
        return np.min_scalar_type(a.item()) if not a._shape else a.dtype
    return np.min_scalar_type(a)


def common_type(*arrays: Any) -> type:
    """Return the inexact scalar type that holds the elements of all arrays."""
    given = [np.empty(0, x.dtype) if isinstance(x, Handle) else x for x in arrays]
    return np.common_type(*given)  # type: ignore[no-any-return]


def isdtype(dtype: Any, kind: Any) -> bool:
    """Return whether a dtype is of a kind, such as "integral", or one of several."""
    return np.isdtype(dtype, kind)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Return whether a dtype belongs to another or to an abstract one in NumPy's hierarchy."""
    return np.issubdtype(arg1, arg2)


_LIMITS: dict[np.dtype | type, finfo] = {}
"""By dtype, and by the types that were given for one."""


class finfo:
    """The limits of a float dtype, of the parts of a complex one, or of that of an array.

    Attributes are those of NumPy's `finfo`; numbers are Python's, as the Array API wants them.
    """

    __class_getitem__: Any = classmethod(GenericAlias)

    _limits: np.finfo[Any]

    def __new__(cls, dtype: Any) -> finfo:
        """Return the limits of a dtype: the same object each time, as in NumPy."""
        is_known = cls is finfo and isinstance(dtype, (np.dtype, type))
        if is_known and dtype in _LIMITS:
            return _LIMITS[dtype]
        limits: np.finfo[Any] = np.finfo(_dtype_or(dtype))
        made = super().__new__(cls)
        made._limits = limits
        if cls is finfo:
            made = _LIMITS.setdefault(limits.dtype, made)
        return _LIMITS.setdefault(dtype, made) if is_known else made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._limits.dtype,)

    def __getattr__(self, name: str) -> Any:
        if name == "_limits":  # before it is there, as when a copy is made
            raise AttributeError(name)
        found = getattr(self._limits, name)
        is_number = isinstance(found, np.floating) and not isinstance(found, np.longdouble)
        return self.__dict__.setdefault(name, float(found) if is_number else found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self._limits.dtype == other._limits.dtype

    def __hash__(self) -> int:
        return hash(self._limits.dtype)

    def __repr__(self) -> str:
        return repr(self._limits)

    def __str__(self) -> str:
        return str(self._limits)


class iinfo(np.iinfo):
    """The limits of an integer dtype, or of that of an array, with the attributes of NumPy's."""

    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self, int_type: Any) -> None:
        super().__init__(_dtype_or(int_type))


def ndim(a: Any) -> int:
    """Return the number of axes of an array_like."""
    own = _own(a)
    return np.ndim(exported(a)) if own is None else len(own._shape)


def shape(a: Any) -> Shape:
    """Return the lengths of the axes of an array_like."""
    own = _own(a)
    if own is not None:
        return own._shape
    try:
        return np.shape(exported(a))
    except ValueError as error:
        return made_by_itself(a, error)[0]._shape


def size(a: Any, axis: Any = None) -> int:
    """Return the number of elements of an array_like, or of those along an axis or several."""
    own = _own(a)
    if own is None:
        return np.size(exported(a), *(() if axis is None else (axis,)))
    if axis is None:
        return math.prod(own._shape)
    stand_in = np.broadcast_to(np.False_, own._shape)
    return int(np.size(stand_in, axis))


def isscalar(element: Any) -> bool:
    """Return whether something is a number, not an array."""
    return isinstance(element, scalar) or np.isscalar(element)


def iscomplexobj(x: Any) -> bool:
    """Return whether an array_like has a complex dtype, whatever its elements."""
    own = _own(x)
    return np.iscomplexobj(exported(x)) if own is None else is_complex(own._code)


def isrealobj(x: Any) -> bool:
    """Return whether an array_like has no complex dtype."""
    own = _own(x)
    return np.isrealobj(exported(x)) if own is None else not is_complex(own._code)


def may_share_memory(a: Any, b: Any, /, max_work: Any = 0) -> bool:
    """Return whether two arrays may be views of the same memory, judged by its bounds."""
    return _shared(np.may_share_memory, array_given(a), array_given(b), max_work)


def shares_memory(a: Any, b: Any, /, max_work: Any = -1) -> bool:
    """Return whether two arrays are views that have memory in common."""
    return _shared(np.shares_memory, array_given(a), array_given(b), max_work)


def _shared(function: Callable[..., bool], a: Any, b: Any, max_work: Any) -> bool:
    return _shares(a, b) and function(_seen(a, b), _seen(b, a), max_work)


def _shares(a: Any, b: Any) -> bool:
    """Whether two arguments may share memory: arrays of ours do if they have one owner."""
    if not isinstance(a, Handle) or not isinstance(b, Handle):
        return not isinstance(a, scalar) and not isinstance(b, scalar)
    return (a if a._base is None else a._base) is (b if b._base is None else b._base)


def _seen(x: Any, other: Any) -> Any:
    """Return an array by its layout if the other is ours, too, else as NumPy's."""
    if isinstance(x, Handle) and isinstance(other, Handle):
        return header(x)
    return shared_with_numpy(x) if isinstance(x, Array) else x


@warning
def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Return an array's elements converted to a dtype. TypeError for anything but an array."""
    check_device(device)
    if not isinstance(x, (Handle, np.ndarray, np.generic)):
        raise TypeError(f"Input should be a NumPy array or scalar. It is a {type(x)} instead.")
    return converted(x).astype(dtype, copy=copy)
