"""Keeps compiled modules on disk, for every process of the user.

A module is the MEF of one compilation and holds the executables of one graph or more. It lies in
`modules/<sha256 of its bytes>.mef`. `graphs/<digest of the graph>` is a line of text that names the
module and the position of the graph in it. Both are written under a temporary name and renamed, so
that a reader sees a whole file or none, and what a reader takes is checked against its name: a
damaged or foreign file counts as missing, is removed where that is possible, and is written again
after the next compilation. Nothing here raises for a directory that cannot be read or written.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import re
import threading
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels.cache import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_LIMIT = 2 << 30
"""Bytes of modules that a store keeps; beyond it, those used longest ago go."""

_ENTRY = re.compile(rb"jujunp graph 1 ([0-9a-f]{64}) ([0-9]{1,6})\n")
_TEMPORARY = ".tmp-"
_ABANDONED_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Found:
    """A module of the store, whole when it was found, and where in it the wanted graph is."""

    file: Path
    position: int

    @property
    def mef(self) -> bytes:
        """The bytes of the module; OSError if it is gone."""
        return self.file.read_bytes()


class Store:
    """The compiled modules in one directory, which need not exist yet."""

    def __init__(self, directory: Path, limit: int = DEFAULT_LIMIT) -> None:
        self._directory = directory
        self._limit = limit
        self._warned = False
        self._lock = threading.Lock()

    def get(self, digest: str) -> Found | None:
        """Return the module that holds the graph, or None."""
        entry = self._graph(digest)
        try:
            match = _ENTRY.fullmatch(entry.read_bytes())
            if match is None:
                self._remove(entry)
                return None
            name, position = match[1].decode(), int(match[2])
            module = self._module(name)
            whole = _digest(module) == name
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(error)
            return None
        if not whole:
            self._remove(module)
            return None
        with contextlib.suppress(OSError):  # a store that is only read needs no order of use
            os.utime(module)
        return Found(module, position)

    def put(self, mef: bytes, digests: Sequence[str]) -> None:
        """Keep a module; `digests` are those of its graphs, in its order."""
        name = hashlib.sha256(mef).hexdigest()
        try:
            write_whole(self._module(name), mef, _TEMPORARY)
            for position, digest in enumerate(digests):
                line = f"jujunp graph 1 {name} {position}\n"
                write_whole(self._graph(digest), line.encode(), _TEMPORARY)
            self._evict(name)
        except OSError as error:
            self._warn(error)

    def discard(self, digest: str) -> None:
        """Forget a graph whose module turned out to be unusable."""
        self._remove(self._graph(digest))

    def _graph(self, digest: str) -> Path:
        return self._directory / "graphs" / digest

    def _module(self, name: str) -> Path:
        return self._directory / "modules" / f"{name}.mef"

    def _remove(self, path: Path) -> None:
        # What cannot be removed is found damaged again next time, and never used.
        with contextlib.suppress(OSError):
            path.unlink()

    def _evict(self, newest: str) -> None:
        """Remove the modules used longest ago beyond the limit, and what refers to them."""
        modules = self._files("modules")
        total = sum(status.st_size for _, status in modules)
        if total <= self._limit:
            return
        for module, status in sorted(modules, key=lambda item: item[1].st_mtime):
            if total > self._limit and module.stem != newest:
                self._remove(module)
                total -= status.st_size
        for graph, _ in self._files("graphs"):
            with contextlib.suppress(FileNotFoundError):  # another process may do the same
                match = _ENTRY.fullmatch(graph.read_bytes())
                if match is None or not self._module(match[1].decode()).exists():
                    self._remove(graph)

    def _files(self, folder: str) -> list[tuple[Path, os.stat_result]]:
        """Return the files of a folder, and remove what writers that were killed left behind."""
        oldest = time.time() - _ABANDONED_SECONDS
        files = []
        for name in os.listdir(self._directory / folder):
            path = self._directory / folder / name
            with contextlib.suppress(FileNotFoundError):  # another process may remove it just now
                status = path.stat()
                if not name.startswith(_TEMPORARY):
                    files.append((path, status))
                elif status.st_mtime < oldest:
                    self._remove(path)
        return files

    def _warn(self, error: OSError) -> None:
        with self._lock:
            first, self._warned = not self._warned, True
        if first:
            warnings.warn(
                f"jujunp: compiled graphs cannot be kept in {self._directory}: {error}",
                RuntimeWarning,
                stacklevel=2,
            )


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, which is mapped: to read it takes half as long again."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return ""
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return hashlib.sha256(content).hexdigest()
