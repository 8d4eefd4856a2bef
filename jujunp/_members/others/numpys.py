"""NumPy's in the place of ours, for libraries whose C code asks for the types of NumPy."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

import numpy as np

from jujunp.lazy.run.machine import holds_handles

from ..._array.handle import Array, Handle, scalar, to_numpy
from ..._functions.sharing import shared_with_numpy
from .telling import when_imported


def number(x: Any) -> Any:
    """Return NumPy's scalar for one of ours; anything else as it is."""
    return to_numpy(x)[()] if isinstance(x, scalar) else x


def numpys(x: Any) -> Any:
    """Return an argument with what is NumPy's in the place of what is ours."""
    kind = type(x)
    if kind is slice:
        return slice(number(x.start), number(x.stop), number(x.step))
    if kind is tuple or (kind is list and holds_handles(x)):
        return kind(map(numpys, x))
    if kind is list and x and type(x[0]) is dict:
        return list(map(numpys, x))
    if kind is dict and holds_handles(list(x.values())):
        return {key: numpys(item) for key, item in x.items()}
    if isinstance(x, Handle):
        return shared_with_numpy(x) if isinstance(x, Array) else number(x)
    return x


def objects(x: Any) -> Any:
    """Return objects, in an array or a list, with NumPy's scalars in the place of ours."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        items = x.ravel().tolist()
        if holds_handles(items):
            x = x.copy()
            flat = x.reshape(-1)
            for place, item in enumerate(items):
                if isinstance(item, scalar):
                    flat[place] = number(item)
    elif isinstance(x, list) and holds_handles(x):
        x = [number(item) for item in x]
    return x


def replace(library: str, changed: dict[Any, Any]) -> None:
    """Put functions in the place of others in all modules of a library that have these."""
    others = {id(function): other for function, other in changed.items()}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == library:
            for member, value in list(vars(module).items()):
                if id(value) in others:
                    setattr(module, member, others[id(value)])


def given_numpys(function: Any) -> Any:
    """Return a function that is given what is NumPy's in the place of what is ours."""

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        return _with_numpys(function, args, named)

    return called


def _with_numpys(function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return function(*map(numpys, args), **{name: numpys(x) for name, x in named.items()})


class Given:
    # A function of another library's that is given what is NumPy's in the place of what is ours.
    # All else is asked of the function, its documentation too, and told it.

    _function: Any

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._function.__doc__  # type: ignore[no-any-return]

    def __init__(self, function: Any) -> None:
        object.__setattr__(self, "_function", function)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return _with_numpys(self._function, args, named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._function, name, value)

    def __repr__(self) -> str:
        return repr(self._function)


def methods_given_numpys(table: dict[str, str]) -> None:
    """Change methods of classes, which are named by their paths, once these have been imported.

    What a release of a library lacks is left out.
    """
    for path, names in table.items():
        when_imported(path.rpartition(".")[0], functools.partial(_change_class, path, names))


def _change_class(path: str, names: str) -> None:
    module, _, name = path.rpartition(".")
    kind: Any = getattr(importlib.import_module(module), name, None)
    for method in names.split() if kind is not None else ():
        if hasattr(kind, method):
            setattr(kind, method, given_numpys(getattr(kind, method)))


def functions_given_numpys(table: dict[str, str]) -> None:
    """Change functions of modules in all modules of their libraries, as those of classes."""
    for name, names in table.items():
        when_imported(name, functools.partial(_change_module, name, names))


def _change_module(name: str, names: str) -> None:
    module: Any = importlib.import_module(name)
    found = [vars(module)[member] for member in names.split() if member in vars(module)]
    replace(name.partition(".")[0], {function: given_numpys(function) for function in found})
