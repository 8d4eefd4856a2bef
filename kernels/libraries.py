"""Kernel libraries of users: folders of Mojo sources, built by themselves and kept.

A library is one Mojo package. It is built under a name that its content decides, since the graph
compiler takes packages of one name for the same, and `graph` is one of ours.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .build import KernelBuildError, Step, compiler, run_mojo, written
from .cache import provide, user_cache
from .progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Sources = dict[str, str]
    """Texts by path in the folder."""

_OPS = "ops.json"
_INIT = "__init__.mojo"


@dataclass(frozen=True)
class KernelLibrary:
    """A built folder of Mojo kernels.

    Attributes:
        folder: The sources.
        path: The package made of them, for `custom_extensions=` of MAX.
        ops: The names under which its kernels are registered, sorted.
    """

    folder: Path
    path: Path
    ops: tuple[str, ...]


def build_library(
    folder: Path, registered: Callable[[Path], Sequence[str]], cache: Path | None = None
) -> KernelLibrary:
    """Return the library of a folder, built if this state of it never was.

    Args:
        folder: Holds Mojo sources, also in folders below; an empty `__init__.mojo` is supplied
            where there is none.
        registered: Tells the names of the ops in a package.
        cache: Where builds are kept; the user's cache if it is not given.

    Raises KernelBuildError with the compiler's message, NotADirectoryError, and ValueError for a
    folder without sources.
    """
    sources = _sources(folder)
    name = _package_name(folder, sources)

    def make(made: Path) -> None:
        with progress(f"jujunp: building the kernels in {folder.name}, once"):
            package = _precompile(sources, name, made, folder)
            (made / _OPS).write_text(json.dumps(sorted(_names(registered, package))))

    entry = provide(cache or user_cache() / "kernels", name.replace("_", "-"), make)
    ops = json.loads((entry / _OPS).read_text())
    # Resolved, so that the names of graphs do not depend on links to the cache.
    return KernelLibrary(folder, (entry / f"{name}.mojoc").resolve(), tuple(ops))


def _sources(folder: Path) -> Sources:
    if not folder.is_dir():
        raise NotADirectoryError(f"a kernel library is a folder of Mojo sources, not {folder}")
    found = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.mojo"))
    }
    if not found:
        raise ValueError(f"there are no .mojo files in {folder}")
    return {_INIT: "", **found}


def _package_name(folder: Path, sources: Sources) -> str:
    """Return a name that stands for the content, and shows the folder's."""
    content = json.dumps([compiler(), sources])
    digest = hashlib.sha256(content.encode()).hexdigest()
    readable = re.sub("[^a-z0-9]", "", folder.name.lower())
    return f"library_{readable}_{digest[:32]}"


def _precompile(sources: Sources, name: str, made: Path, folder: Path) -> Path:
    output = f"{name}.mojoc"
    with written({f"{name}/{path}": text for path, text in sources.items()}) as parent:
        try:
            run_mojo([Step(("precompile",), name, output)], parent, made)
        except KernelBuildError as error:
            raise KernelBuildError(f"{error}".replace(f"{name}/", f"{folder}/")) from None
    return made / output


def _names(registered: Callable[[Path], Sequence[str]], package: Path) -> Sequence[str]:
    try:
        return registered(package)
    except (RuntimeError, ValueError) as error:
        raise KernelBuildError(f"MAX cannot load the kernels: {error}") from error
