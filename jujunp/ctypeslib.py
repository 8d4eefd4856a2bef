"""`numpy.ctypeslib` for arrays of this module: C functions take them, and give them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy import ctypeslib as _numpy

from jujunp.lazy.values.dtypes import CODES

from ._array.handle import Array
from ._functions.creation.arrays import asarray
from ._members.flags import Flags, names_of

__all__ = ["as_array", "ndpointer"]


class _Taking:
    """What classes of `ndpointer` have that take arrays of ours, too."""

    @classmethod
    def from_param(cls: Any, obj: Any) -> Any:
        """Return what ctypes passes of an array, whose memory never moves from now on.

        TypeError if it is no array, or not as the class wants it.
        """
        if not isinstance(obj, Array):
            return super().from_param(obj)  # type: ignore[misc]
        flags: Any = obj.flags
        asked = cls._flags_ or 0
        wanted = (
            (cls._dtype_, obj.dtype, "data type {}"),
            (cls._ndim_, obj.ndim, "{} dimension(s)"),
            (cls._shape_, obj.shape, "shape {}"),
            (names_of(asked), names_of(flags.num & asked), "flags {}"),
        )
        for want, found, name in wanted:
            if want is not None and want != found:
                raise TypeError(f"array must have {name.format(want)}")
        return obj.ctypes

    @property
    def contents(self) -> Any:
        """An array over the memory that the pointer points to."""
        return _over(super().contents)  # type: ignore[misc]


def _over(array: np.ndarray) -> Any:
    """Return an array over the memory of one of NumPy's, which stays if its dtype is NumPy's."""
    return asarray(array) if array.dtype in CODES else array


@functools.cache
def _taking(theirs: Any) -> Any:
    return type(theirs)(theirs.__name__, (_Taking, theirs), {})


def ndpointer(dtype: Any = None, ndim: Any = None, shape: Any = None, flags: Any = None) -> Any:
    """Return a class for `argtypes` and `restype` of ctypes that stands for arrays of a kind.

    It takes arrays of the dtype, number of axes, shape and flags that are given, of this module or
    of NumPy's, and raises TypeError for others. With a dtype and a shape it gives arrays over the
    memory that a function returns; else pointers.
    """
    if isinstance(flags, Flags):
        flags = flags.num
    return _taking(_numpy.ndpointer(dtype, ndim, shape, flags))


def as_array(obj: Any, shape: Any = None) -> Any:
    """Return an array over the memory of an array of ctypes, or of what a pointer points to.

    TypeError for a pointer without a shape.
    """
    return _over(_numpy.as_array(obj, shape))


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
