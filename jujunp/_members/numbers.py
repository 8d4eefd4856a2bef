"""Arrays as Python sees them: numbers, truth, sequences, text."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import Failure, flush
from jujunp.lazy.run.machine import PROBE
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT64
from jujunp.lazy.values.dtypes import is_integer as is_integer_code

from .._array.array_likes import converted
from .._array.handle import (
    NATIVE,
    Handle,
    assign,
    element,
    new_handle,
    scalar,
    to_numpy,
    value_of,
    whole_value,
)
from .._array.making import new_array, scalar_if_0d, warn_of_cast
from .._array.native import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator


def __float__(self: Any) -> float:
    return float(_single(self))


def __int__(self: Any) -> int:
    return int(_single(self))


def __bool__(self: Any) -> bool:
    if self._shape and self.size != 1:
        if not self.size:
            raise ValueError(
                "The truth value of an empty array is ambiguous. "
                "Use `array.size > 0` to check that an array is not empty."
            )
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )
    if value_of(self).buffer is None and sys._getframe(1).f_code.co_name == PROBE:
        return True
    return bool(element(self))


def __complex__(self: Any) -> complex:
    if self._shape:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return complex(element(self))


def __index__(self: Any) -> int:
    if self._shape or not 1 <= self._code <= 8:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    return int(element(self))


def _single(self: Any) -> Any:
    """Return the element, for a real number; the real part of a complex scalar."""
    if self._shape:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    found = element(self)
    if isinstance(found, complex) and isinstance(self, scalar):
        warn_of_cast(self._code, FLOAT64)
        return found.real
    return found


def __len__(self: Handle) -> int:
    raise TypeError("len() of unsized object")  # the library knows those of arrays with axes


def __iter__(self: Any) -> Iterator[Any]:
    # of arrays with axes the interpreter makes one that asks for self[0], self[1] and so on
    raise TypeError("iteration over a 0-d array")


def __str__(self: Any) -> str:
    return _described(self) or str(_printable(self))


def __repr__(self: Any) -> str:
    return _described(self) or repr(_of_class(_printable(self), type(self)))


def _of_class(x: Any, kind: type) -> Any:
    """Return an array of NumPy's as one of a class with the name of ours, which NumPy prints."""
    if kind in NATIVE:
        return x
    return x.view(type(kind.__name__, (np.ndarray,), {}))


def _described(x: Any) -> str:
    """Return what stands for an array that has no elements, as under `vmap`; else ''."""
    value = value_of(x)
    if value.buffer is None and WATCHES:
        flush()
    found = value.buffer
    if type(found) is not Failure or not found.stands_for:
        return ""
    return f"<{found.stands_for} of shape {x.shape}, {x.dtype}>"


def __format__(self: Any, spec: str) -> str:
    if spec and isinstance(self, scalar) and self._code in _FORMATTED and not WATCHES:
        return format(element(self), spec)
    described = "" if spec else _described(self)
    return described or format(_printable(self), spec)


_FORMATTED = frozenset((FLOAT64, *filter(is_integer_code, range(len(DTYPES)))))
"""Dtypes whose scalars are formatted as Python's numbers are."""


def _printable(self: Any) -> Any:
    found = to_numpy(self)
    return found[()] if isinstance(self, scalar) else found


# -- of scalars


def __trunc__(self: Any) -> int:
    whole: int = math.trunc(element(self))
    return whole


def __floor__(self: Any) -> int:
    whole: int = math.floor(element(self))
    return whole


def __ceil__(self: Any) -> int:
    whole: int = math.ceil(element(self))
    return whole


def as_integer_ratio(self: Any) -> tuple[int, int]:
    """Return the number as a quotient of two integers, the second positive."""
    numerator, denominator = element(self).as_integer_ratio()
    return numerator, denominator


def bit_count(self: Any) -> int:
    """Return the number of ones in the binary form of an integer's absolute value."""
    return int(element(self).bit_count())


def __hash__(self: Any) -> int:
    return hash(element(self))


def __round__(self: Any, ndigits: int | None = None) -> Any:
    if self._code == BOOL:
        raise TypeError("type numpy.bool doesn't define __round__ method")
    number = element(self)
    return round(number) if ndigits is None else _like(self, round(number, ndigits))


def _like(x: Any, number: Any) -> Any:
    """Return a number as a scalar of the same dtype."""
    return scalar_if_0d(converted(np.array(number, DTYPES[x._code])))


def numerator(self: Any) -> Any:
    """The number as a fraction's numerator: an integer itself."""
    _check_integer(self, "numerator")
    return self


def denominator(self: Any) -> int:
    """The same number's denominator: 1."""
    _check_integer(self, "denominator")
    return 1


def _check_integer(x: Any, name: str) -> None:
    if not is_integer_code(x._code):
        raise AttributeError(f"{DTYPES[x._code].type.__name__!r} object has no attribute {name!r}")


def new_scalar(cls: type[scalar], value: Any = 0.0, /) -> Any:
    """Return a number, or what NumPy's type of the dtype takes, as a scalar of a class's dtype.

    TypeError for what is no single number.
    """
    found = converted(cls.dtype.type(value))
    if found._shape:
        raise TypeError("only 0-dimensional arrays can be converted to scalars")
    return new_handle(scalar, whole_value(found), None, None, (), found._code)


def __setitem__(self: Any, key: Any, value: Any) -> None:
    """Write to a scalar as to an array without axes, which the Array API has in its place."""
    array = new_array(whole_value(self), (), self._code)
    try:
        array[key] = value
    except IndexError:
        kind = DTYPES[self._code].type
        message = f"{f'numpy.{kind.__name__}'!r} object does not support item assignment"
        raise TypeError(message) from None
    assign(self, whole_value(array))


def _of_numpy(name: str) -> property:
    """Return an attribute that is that of NumPy's scalar; some of its types lack it."""

    def get(self: Any) -> Any:
        kind = DTYPES[self._code].type
        if not hasattr(kind, name):
            raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        return getattr(to_numpy(self)[()], name)

    return property(get)


_ATTRIBUTES_OF_NUMPY = (
    *("byteswap", "data", "fill", "flat", "fromhex", "getfield", "hex", "put", "resize"),
    *("setfield", "setflags", "sort"),
)


def is_integer(self: Any) -> bool:
    """Whether the number has no fraction; AttributeError for a complex one."""
    found = element(self)
    if isinstance(found, complex):
        raise AttributeError("complex numbers have no attribute 'is_integer'")
    return float(found).is_integer()


METHODS: dict[str, Any] = {
    function.__name__: Recorder().operator(function)
    for function in (
        *(__float__, __int__, __complex__, __index__, __bool__, __iter__, __len__, __hash__),
        *(__str__, __repr__, __format__),
    )
}
OF_FLOATS: dict[str, Any] = {"__format__": float.__format__}
"""Of elements of float64, Python's floats; without a format they are asked for their text."""
OF_SCALARS: dict[str, Any] = {
    function.__name__: function
    for function in (
        *(__trunc__, __floor__, __ceil__, __round__),
        *(as_integer_ratio, bit_count, is_integer, __setitem__),
    )
}
OF_SCALARS |= {
    "numerator": property(numerator),
    "denominator": property(denominator),
    "__new__": staticmethod(new_scalar),
    **{name: _of_numpy(name) for name in _ATTRIBUTES_OF_NUMPY},
}
"""Those of scalars only; what stands for None they lack."""
