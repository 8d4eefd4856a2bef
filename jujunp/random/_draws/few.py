"""Methods that draw a few numbers without a Python frame (kernels/vm/calls/drawing.mojo)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from jujunp.lazy import library

from .library import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

Method = TypeVar("Method", bound="Callable[..., Any]")
ADDRESS = sys.intern("_address")
"""The attribute of a generator that has the address of its source."""
_FAMILIES, _CHECKS = map(str.split, library.VM.drawing_names())
_TYPE = library.VM.drawing_type()
_ATTRIBUTES = ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__")


def few(
    name: str, family: str = "floats", check: str = "none", whole: int = 0
) -> Callable[[Method], Method]:
    """Return what has a method of generators draw a few numbers of a distribution at once.

    Args:
        name: The distribution.
        family: How the method takes its arguments, and what it gives: see
            kernels/vm/calls/drawing.mojo.
        check: By which numbers are known to be allowed: see kernels/vm/calls/parameters.mojo.
        whole: A bit for each parameter that must be an int.
    """
    kinds = KINDS[name], KINDS.get(f"older_{name}", KINDS[name])

    def decorate(method: Method) -> Method:
        code = method.__code__
        names = tuple(map(sys.intern, code.co_varnames[1 : code.co_argcount]))
        defaults = method.__defaults__ or ()
        every = (*[None] * (len(names) - len(defaults)), *defaults)
        count = names.index("size") if "size" in names else 0
        numbers = (_FAMILIES.index(family), _CHECKS.index(check), whole)
        facts = (names, every[:count], *kinds, *numbers, ADDRESS)
        made = library.VM.drawing(library.STATE, method, facts, _TYPE)
        for attribute in _ATTRIBUTES:
            setattr(made, attribute, getattr(method, attribute))
        made.__wrapped__ = method
        return made  # type: ignore[no-any-return]

    return decorate


def _represented(self: Any) -> str:
    return f"<function {self.__qualname__}>"


def _reduced(self: Any) -> str:
    """Return the name under which pickle finds the function in its module."""
    return str(self.__qualname__)


_TYPE.__repr__ = _represented
_TYPE.__reduce__ = _reduced
