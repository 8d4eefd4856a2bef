"""What stands on what: no import goes up, none is in a circle, none is hidden in a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.tree.imports import Import, circle_of, imports_of, modules_of
from tests.support.tree.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LAYERS = (
    "kernels",
    "lazy.loader",
    "lazy.blas",
    "lazy.library",
    "lazy.values",
    "lazy.run",
    "lazy.functions",
    "lazy.fused",
    "lazy.rules",
    "lazy.jaxprs",
    "lazy.transforms",
    "lazy.transforms.derivatives",
    "lazy.compiled.ir",
    "lazy.compiled.lower.support",
    "lazy.compiled.lower.rules",
    "lazy.compiled.lower",
    "lazy.compiled.read",
    "lazy.compiled.graphs",
    "lazy.compiled.store",
    "lazy.compiled.worker",
    "lazy.compiled",
    "lazy.policy",
    "lazy.users",
    "lazy",
    "_array",
    "_calls",
    "_ufuncs.table",
    "_ufuncs.arguments",
    "_ufuncs.kind",
    "_ufuncs.masking",
    "_ufuncs.ufunc",
    "_ufuncs",
    "_functions.sharing",
    "_functions.values",
    "_functions.host",
    "_functions.dtypes",
    "_functions.creation",
    "_functions.manipulation",
    "_functions.indexing",
    "_functions.reductions",
    "_functions.searching",
    "_functions.matrices",
    "_functions.statistics",
    "_functions.padding",
    "_functions.applying",
    "linalg",
    "fft",
    "lib",
    "_functions.mathematics",
    "_functions",
    "_members",
    "_inspection",
    "_adopted",
    "polynomial",
    "_transforms",
    "_extend",
    "_compile",
    "random",
    "matrixlib",
    "matlib",
    "testing",
    "ctypeslib",
    "",
)
"""Chapters and modules from the lowest to the highest, the package itself last.

A module belongs to the longest name that it begins with. It imports what is in its own chapter or
below.
"""

LATE = {
    "kernels.libraries": "reads and writes whole folders",
    "lazy.jaxprs": "imports JAX",
    "lazy.functions.building": "runs the compiler",
    "lazy.compiled.read": "imports JAX",
    "lazy.compiled": "takes 20 ms; its graphs import MAX",
    "lazy.users": "imports JAX and MAX",
    "_transforms": "imports JAX",
    "_extend.numpy_ufunc": "makes ufuncs of NumPy's, by ctypes",
    "_compile.procedures": "imports JAX",
    "_compile.dynamic_shapes": "imports JAX's symbolic shapes",
}
"""What may be imported inside functions: it is slow to import, and most programs do without it."""


def layer_of(module: str) -> str:
    """Return the longest name of a layer that a module's name begins with."""
    names = module.split(".")
    prefixes = (".".join(names[:count]) for count in range(len(names), 0, -1))
    return next((prefix for prefix in prefixes if prefix in LAYERS), "")


def breaches(imports: Sequence[Import]) -> list[str]:
    """Return what is wrong with imports, a line each."""
    found = []
    edges: dict[str, set[str]] = {}
    for source, target, line, late in imports:
        edges.setdefault(source, set()).add(target)
        above = LAYERS.index(layer_of(target)) > LAYERS.index(layer_of(source))
        if above:
            found.append(f"{source}, line {line}: imports {target}, which lies above it")
        names = target.split(".")
        if late and not any(".".join(names[:k]) in LATE for k in range(1, len(names) + 1)):
            found.append(f"{source}, line {line}: imports {target} inside a function")
    if circle := circle_of(edges):
        found.append(f"a circle of imports: {' -> '.join(circle)}")
    return found


def test_imports_go_down() -> None:
    assert breaches(imports_of(modules_of(ROOT))) == []


def test_every_layer_has_modules() -> None:
    layers = {layer_of(module) for module in modules_of(ROOT)}
    assert set(LAYERS) <= layers | {"_functions", "lazy", "lazy.compiled.lower"}


def test_chapters_have_a_dozen_modules_at_most() -> None:
    folders: dict[Path, int] = {}
    for path in modules_of(ROOT).values():
        if path.stem != "__init__":
            folders[path.parent] = folders.get(path.parent, 0) + 1
    assert {folder: count for folder, count in folders.items() if count > 12} == {}


@pytest.mark.parametrize(
    ("where", "text", "found"),
    [
        ("lazy/values/a.py", "from ..run import b", "lies above it"),
        ("lazy/values/a.py", "import jujunp", "lies above it"),
        ("lazy/values/a.py", "def f():\n    from jujunp._array import c", "lies above it"),
        ("lazy/run/a.py", "from . import b", "a circle of imports: lazy.run.a -> lazy.run.b"),
        ("lazy/run/a.py", "def f():\n    from ..values import a", "inside a function"),
        ("lazy/run/a.py", "if TYPE_CHECKING:\n    import jujunp", ""),
        ("lazy/run/a.py", "from ..values import a\nimport numpy", ""),
        ("jujunp/_array/a.py", "from jujunp.lazy.run.b import name", ""),
    ],
)
def test_breaches_are_found(tmp_path: Path, where: str, text: str, found: str) -> None:
    sources = {"lazy/run/b.py": "from .a import name", "lazy/values/a.py": "", where: text}
    for name in ("jujunp/__init__.py", "jujunp/_array/c.py", "lazy/run/a.py"):
        sources.setdefault(name, "")
    for name, content in sources.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    wrong = breaches(imports_of(modules_of(tmp_path)))
    assert len(wrong) == bool(found) or "inside a function" in " ".join(wrong)
    assert found in " ".join(wrong)
