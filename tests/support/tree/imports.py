"""Which module imports which, read from the sources: what tests/test_layers.py checks.

Names of modules are those of the installed package, without its first part: `lazy.run.flush`,
`_array.handle`, `` for the package itself.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

TOP = "jujunp"


class Import(NamedTuple):
    """One import of a module by another; `late` if it is inside a function."""

    source: str
    target: str
    line: int
    late: bool


def modules_of(root: Path) -> dict[str, Path]:
    """Return the modules below a folder, which has the folders jujunp, lazy and kernels."""
    found = {}
    for folder in (TOP, "lazy", "kernels"):
        for path in sorted((root / folder).rglob("*.py")):
            parts = list(path.relative_to(root).with_suffix("").parts)
            if parts[-1] == "__init__":
                parts.pop()
            found[".".join(parts[1:] if folder == TOP else parts)] = path
    return found


def imports_of(modules: Mapping[str, Path]) -> list[Import]:
    """Return all imports of modules by one another, but those for type checkers only."""
    return [found for name, path in modules.items() for found in _imports(name, path, modules)]


def _imports(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[Import]:
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node, late in _statements(ast.parse(path.read_text(encoding="utf-8")), late=False):
        for target in _targets(node, package):
            while target not in modules and target:
                target = target.rpartition(".")[0]
            if target != name:
                yield Import(name, target, node.lineno, late)


def _statements(tree: ast.AST, *, late: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, late
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for otherwise in node.orelse:
                yield from _statements(otherwise, late=late)
        else:
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from _statements(node, late=late or function)


def _targets(node: ast.Import | ast.ImportFrom, package: str) -> list[str]:
    """Return the modules that a statement may mean, of this package only, without its name."""
    if isinstance(node, ast.Import):
        given = [alias.name for alias in node.names]
    elif node.level:
        parts = [TOP, *package.split(".")] if package else [TOP]
        kept = parts[: len(parts) - node.level + 1]
        base = ".".join([*kept, *([node.module] if node.module else [])])
        given = [f"{base}.{alias.name}" for alias in node.names]
    else:
        given = [f"{node.module}.{alias.name}" for alias in node.names]
    return [name.partition(".")[2] for name in given if name.partition(".")[0] == TOP]


def circle_of(edges: Mapping[str, set[str]]) -> list[str]:
    """Return the nodes of a circle in a graph, in order; none if there is none."""
    done: set[str] = set()
    for start in edges:
        path: list[str] = []
        if found := _search(start, edges, path, done):
            return found
    return []


def _search(node: str, edges: Mapping[str, set[str]], path: list[str], done: set[str]) -> list[str]:
    if node in path:
        return path[path.index(node) :]
    if node in done:
        return []
    path.append(node)
    for following in sorted(edges.get(node, ())):
        if found := _search(following, edges, path, done):
            return found
    path.pop()
    done.add(node)
    return []
