"""The kernels: what NPBench says of them, and their code with another array library."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy

INFORMATION = "bench_info"
CODE = "npbench/benchmarks"
_TOLERANCES = {"rtol": 1e-5, "atol": 1e-8, "norm_error": 1e-5}
"""NPBench's, for kernels that have none of their own."""


class Kernel(NamedTuple):
    """A kernel: its name, the path of its modules without their endings, and what NPBench says."""

    name: str
    path: Path
    facts: dict[str, Any]

    @property
    def tolerances(self) -> dict[str, float]:
        """What results may differ by."""
        return {name: self.facts.get(name, usual) for name, usual in _TOLERANCES.items()}


def kernels(root: Path) -> dict[str, Kernel]:
    """Return the kernels of a checkout by name, in the order of the names."""
    found = {}
    for path in sorted((root / INFORMATION).glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))["benchmark"]
        code = root / CODE / facts["relative_path"] / facts["module_name"]
        found[path.stem] = Kernel(path.stem, code, facts)
    return found


class _Renamed(ast.NodeTransformer):
    """Imports another library where NumPy is imported, under the same name."""

    def __init__(self, library: str) -> None:
        self.library = library

    def visit_Import(self, node: ast.Import) -> ast.Import:
        node.names = [
            ast.alias(self.library, each.asname or each.name) if each.name == "numpy" else each
            for each in node.names
        ]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.level == 0 and node.module == "numpy":
            node.module = self.library
        return node


def load(path: Path, library: str) -> ModuleType:
    """Return the module in a file, with a library in place of NumPy."""
    tree = _Renamed(library).visit(ast.parse(path.read_text(encoding="utf-8")))
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), vars(module))
    return module


def function_of(kernel: Kernel, library: str) -> Any:
    """Return the kernel's function, with a library in place of NumPy."""
    file = kernel.path.with_name(f"{kernel.path.name}_numpy.py")
    return getattr(load(file, library), kernel.facts["func_name"])


def arguments_of(kernel: Kernel, preset: str) -> dict[str, Any]:
    """Return the arguments by name, made by NPBench with NumPy; KeyError for an unknown preset.

    They are the same each time, also where NPBench takes random numbers without a seed.
    """
    numpy.random.seed(0)
    data = dict(kernel.facts["parameters"][preset])
    init = kernel.facts.get("init")
    if init:
        module = load(kernel.path.with_name(f"{kernel.path.name}.py"), "numpy")
        made = getattr(module, init["func_name"])(*(data[name] for name in init["input_args"]))
        names = init["output_args"]
        data.update(zip(names, made if len(names) > 1 else (made,), strict=True))
    return {name: data[name] for name in kernel.facts["input_args"]}
