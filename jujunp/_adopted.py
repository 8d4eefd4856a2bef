"""Modules of NumPy's that are Python over array functions, run over ours.

The code of such a module runs once more as that of a module of ours. Where it imports a public
module of NumPy's that we have, it gets ours, so that its functions take and give our arrays, and
are lazy.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
from importlib.abc import InspectLoader
from typing import TYPE_CHECKING, Any

import numpy as np

from ._array.array_likes import answers_itself
from ._array.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGE = __name__.partition(".")[0]
_OURS = {
    **{f"numpy.{name}": f"{_PACKAGE}.{name}" for name in ("linalg", "fft", "polynomial")},
    "numpy._core.overrides": __name__,
}


def adopt(namespace: dict[str, Any]) -> None:
    """Run the code of NumPy's module of the same name in the namespace of one of ours."""
    module = namespace["__name__"].replace(_PACKAGE, "numpy", 1)
    loader = getattr(importlib.util.find_spec(module), "loader", None)
    code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    if code is None:
        raise ImportError(f"{module} has no code in Python")
    namespace["__builtins__"] = _BUILTINS
    exec(code, namespace)


def array_function_dispatch(dispatcher: Callable[..., Any], **_: Any) -> Any:
    """Return a decorator that lets types with answers of their own answer a function."""

    def decorated(function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            kinds = {type(x): x for x in dispatcher(*args, **kwargs)}
            for kind, x in kinds.items():
                if answers_itself(kind) and not isinstance(x, Handle):
                    found = x.__array_function__(call, tuple(kinds), args, kwargs)
                    if found is not NotImplemented:
                        return found
            return function(*args, **kwargs)

        call._implementation = function  # type: ignore[attr-defined]
        return call

    return decorated


class _Changed:
    """A module in which some names mean something else."""

    def __init__(self, module: Any, **changed: Any) -> None:
        self.__dict__.update(changed)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@functools.cache
def _namespace() -> _Changed:
    """Return what adopted code gets as NumPy."""
    ours: Any = importlib.import_module(_PACKAGE)
    arrays = ours.ndarray, np.ndarray  # asked for by isinstance alone
    return _Changed(ours, ndarray=arrays)


def _imported(name: str, *given: Any, **named: Any) -> Any:
    """Import for adopted code, by the arguments of `__import__`: ours in the place of NumPy's."""
    if name == "numpy":
        return _namespace()
    return builtins.__import__(_OURS.get(name, name), *given, **named)


_BUILTINS = {**vars(builtins), "__import__": _imported}
