"""Telling other libraries of our types, once they are there: nobody waits for one not used."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(name: str, tell: Callable[[], None]) -> None:
    """Call a function as soon as a module has been imported, which may never happen."""
    if name in sys.modules:
        tell()
    else:
        sys.meta_path.insert(0, _Waiting(name, lambda _: tell()))


def when_copies_are_imported(name: str, tell: Callable[[Any], None]) -> None:
    """Call a function with each module of a name, at the top or inside of any package."""
    for found, module in list(sys.modules.items()):
        if _is_copy(found, name):
            tell(module)
    sys.meta_path.insert(0, _WaitingForCopies(name, tell))


def _is_copy(found: str, name: str) -> bool:
    return found == name or found.endswith(f".{name}")


class _ThenTell:
    """Loads a module, and tells it."""

    def __init__(self, loader: Loader, tell: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._tell(module)


class _Waiting:
    """Waits for a module to be imported."""

    def __init__(self, name: str, tell: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._tell = tell

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        return _telling(importlib.util.find_spec(fullname), self._tell)


class _WaitingForCopies(_Waiting):
    """Waits for all modules of a name that are inside of packages."""

    _under_way = ""
    """The module that is being looked for by all finders but this one."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname == self._under_way or not _is_copy(fullname, self._name):
            return None
        self._under_way = fullname
        try:
            return _telling(importlib.util.find_spec(fullname), self._tell)
        finally:
            self._under_way = ""


def _telling(spec: ModuleSpec | None, tell: Callable[[ModuleType], None]) -> ModuleSpec | None:
    if spec is not None and spec.loader is not None:
        spec.loader = _ThenTell(spec.loader, tell)  # type: ignore[assignment]
    return spec
