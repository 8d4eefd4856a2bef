"""Scalars in what looks for namespaces of arrays: array-api-compat, array-api-extra and SciPy.

An element of float64 is Python's `float`, too, as NumPy's is (`vm.record.floats`), and `isinstance`
takes other scalars for numbers. These libraries, and others' copies of them, ask for NumPy's
classes first, and then take numbers of Python's for such as have no namespace. They are shown the
class of all scalars, and told that none is a number of Python's.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from ..._array.handle import scalar
from .telling import when_copies_are_imported

if TYPE_CHECKING:
    from collections.abc import Callable

_BY_CLASS = {
    "array_api_compat.common._helpers": "_cls_to_namespace",
    "scipy._lib._array_api_override": "_validate_array_cls",
}
"""Modules that look at classes, and their functions that do."""
_BY_VALUE = ("array_api_extra._lib._utils._helpers", "array_api_extra._lib._helpers")
"""Modules that look at values, by a function `is_python_scalar`."""


def _showing_scalars(name: str) -> Callable[[Any], None]:
    """Return what lets a module's function of a class see that of scalars; older ones have none."""

    def tell(module: Any) -> None:
        looks = getattr(module, name, None)
        if looks is None:
            return

        @functools.wraps(looks)
        def looks_again(cls: Any, *args: Any, **kwargs: Any) -> Any:
            return looks(scalar if issubclass(cls, scalar) else cls, *args, **kwargs)

        setattr(module, name, looks_again)

    return tell


def _tell_extra(module: Any) -> None:
    """Let scalars be arrays without axes, also for who has imported the function."""
    asks = module.is_python_scalar

    @functools.wraps(asks)
    def is_python_scalar(x: Any) -> bool:
        return not isinstance(x, scalar) and asks(x)

    for other in (module, *list(sys.modules.values())):
        if getattr(other, "is_python_scalar", None) is asks:
            other.is_python_scalar = is_python_scalar


for _module, _name in _BY_CLASS.items():
    when_copies_are_imported(_module, _showing_scalars(_name))
for _module in _BY_VALUE:
    when_copies_are_imported(_module, _tell_extra)
