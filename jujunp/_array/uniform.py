"""Functions that record the same steps for arrays of any extents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])

_UNIFORM: set[Any] = set()


def uniform(function: Function) -> Function:
    """Say that a function is uniform.

    Its calls record the same steps for arrays of all extents but 0 and 1, if the same extents are
    equal and none has more than 2**24 elements, of whatever strides in C order, and whether or not
    arrays share memory. Extents are in shapes and parameters as they are, and as numbers of
    elements. So one transcript is for all of them (jujunp/_calls/general.py).
    """
    _UNIFORM.add(function)
    return function


def is_uniform(function: Any) -> bool:
    """Whether a function is uniform."""
    return getattr(function, "__func__", function) in _UNIFORM
