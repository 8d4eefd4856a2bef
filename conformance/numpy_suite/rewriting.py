"""Loads NumPy's test files with other imports: of jujunp, where they import NumPy."""

from __future__ import annotations

import ast
import importlib.util
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

LIBRARY = "jujunp"
NUMPY = Path(numpy.__file__).parent


def ours(module: str) -> str:
    """Return the module that stands for one of NumPy's; the same if that stays.

    What is private stays, as do test files (`numpy.ma.tests...`), whose own imports are changed.
    """
    parts = module.split(".")
    if parts[0] != "numpy" or "tests" in parts or module == "numpy.conftest":
        return module
    if any(part.startswith("_") for part in parts):
        return module
    found = ".".join([LIBRARY, *parts[1:]])
    return found if len(parts) == 1 or _exists(found) else module


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


class Imports(ast.NodeTransformer):
    """Changes the import statements of a file."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """`import numpy as np`, `import numpy.linalg as la`, `import numpy.random`."""
        return [ast.copy_location(each, node) for one in node.names for each in self._import(one)]

    def _import(self, one: ast.alias) -> list[ast.stmt]:
        module = ours(one.name)
        if module == one.name:
            return [ast.Import([one])]
        if one.asname is not None:
            return [ast.Import([ast.alias(module, one.asname)])]
        loaded: list[ast.stmt] = [ast.Import([ast.alias(LIBRARY, "numpy")])]
        if "." in module:
            loaded.insert(0, ast.Import([ast.alias(module, "_loaded")]))
        return loaded

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """`from numpy import array, _core`: each name from where it belongs."""
        if node.level or node.module is None:
            return [node]
        found: dict[str, list[ast.alias]] = {}
        for one in node.names:
            found.setdefault(self._home(node.module, one.name), []).append(one)
        return [
            ast.copy_location(ast.ImportFrom(module, names, 0), node)
            for module, names in found.items()
        ]

    def _home(self, module: str, name: str) -> str:
        if name.startswith("_") and not name.startswith("__"):
            return module
        return ours(module)


def changed(source: bytes, path: str) -> CodeType:
    """Return the code of a test file with its imports changed."""
    tree = ast.fix_missing_locations(Imports().visit(ast.parse(source, path)))
    found: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return found


class Loader(SourceFileLoader):
    """Loads a test file; never from the bytecode of the file as it is."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the changed file."""
        path = self.get_filename(fullname)
        return changed(self.get_data(path), path)


class Finder:
    """Finds NumPy's test files before others do."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a test file is; None for all other modules."""
        last = name.rpartition(".")[2]
        if not last.startswith("test_") and ".tests." not in name:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            place = Path(spec.loader.path)
            if NUMPY in place.parents and place.parent.name == "tests":
                spec.loader = Loader(name, spec.loader.path)
                return spec
        return None
