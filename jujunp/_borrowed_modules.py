"""`import jujunp.typing`: public modules of NumPy's that we lack, under our name."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_PREFIX = f"{__name__.partition('.')[0]}."


class _Finder:
    """Is asked last, for what is no file of ours."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module; None if it is none of NumPy's, or private there."""
        if not name.startswith(_PREFIX) or "._" in name:
            return None
        try:
            known = importlib.util.find_spec(_counterpart(name))
        except ModuleNotFoundError:  # of a package that NumPy lacks
            return None
        return known and importlib.util.spec_from_loader(name, _Loader())  # type: ignore[arg-type]


class _Loader:
    """Puts NumPy's module where one of ours was about to be."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Have Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(_counterpart(module.__name__))


def _counterpart(name: str) -> str:
    return f"numpy.{name.removeprefix(_PREFIX)}"


sys.meta_path.append(_Finder)
