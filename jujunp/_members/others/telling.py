"""Telling other libraries of our types, once they are there: nobody waits for one not used."""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(name: str, tell: Callable[[], None]) -> None:
    """Call a function as soon as a module has been imported, which may never happen."""
    if name in sys.modules:
        tell()
    else:
        sys.meta_path.insert(0, _Waiting(name, tell))


class _ThenTell(Loader):
    """Loads a module, and tells it."""

    def __init__(self, loader: Loader, tell: Callable[[], None]) -> None:
        self._loader = loader
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._tell()


class _Waiting(MetaPathFinder):
    """Waits for a module to be imported."""

    def __init__(self, name: str, tell: Callable[[], None]) -> None:
        self._name = name
        self._tell = tell

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenTell(spec.loader, self._tell)
        return spec
