"""Transcripts of earlier processes, so that the first call of a signature needs no Python.

The loops of ufuncs, by the dtypes of operands, are kept beside them.

Transcripts lie in one file of the user's cache for each state of the package: its sources (by their
sizes and times, as Python tells its own compiled files), the library, Python and NumPy. A process
that has written new ones adds them when it ends.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.kernels import build
from jujunp.kernels.cache import user_cache, write_whole
from jujunp.lazy import library
from jujunp.lazy.run import machine, sites

from .._array.native import LEARNT, RECORDERS
from .codec import Unkeepable, packed, packed_key, unpacked
from .entries import Entries, as_file, entry, hash_of

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_BYTES = 16 << 20
"""Bytes of a file to which nothing more is added."""
MOST_SINGLE = 1024
"""Transcripts for one set of extents that a process adds: it must not take long to end."""
MOST_MISSES = 16
"""Signatures of a function that are looked for in vain before no more are."""
MOST_LOOPS = 4096
"""Loops of ufuncs that are kept: those learnt last."""
MOST_FILES = 8
"""Files that are kept: those written last."""

_LOOPS = b"loops"
_REHEARSED = b"rehearsed"
"""Keys of what is no transcript."""

_names: dict[int, str] = {}
"""Names of functions, by their identity."""
_counts: dict[str, int] = {}


def name(function: Any, otherwise: Any, *, member: bool) -> None:
    """Give a function of the package a name that it has in every process."""
    text = f"{otherwise.__module__}.{otherwise.__qualname__}{'.' * member}"
    _counts[text] = count = _counts.get(text, 0) + 1
    _names[id(function)] = f"{text} {count}"


@dataclass
class _Asked:
    """How often transcripts of a function were looked for."""

    name: bytes | None
    """None if none is known."""
    hits: int = 0
    misses: int = 0


class Kept:
    """The transcripts in one file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._names = dict(_names)  # later functions are users'
        self._asked: dict[int, _Asked] = {}
        """Functions whose transcripts were looked for, by the first words of signatures."""
        self._used: set[tuple[int, ...]] = set()
        """The signatures of those that came from the file."""
        self._entries = Entries(file)

    def learn_again(self) -> None:
        """Let ufuncs know the loops for operands that they had in other processes."""
        for name, *learnt in self._loops():
            RECORDERS[name].take(*learnt)

    def _loops(self) -> list[tuple[Any, ...]]:
        found = self._entries.find(_LOOPS)
        return [] if found is None else found[0]

    def find(self, key: tuple[int, ...], objects: tuple[Any, ...]) -> Any:
        """Return the parts of the transcript of a signature; None if there is none.

        False says that it is not worthwhile to look for more of its function and kind.
        """
        asked = self._asked.get(key[0])
        if asked is None:
            name = self._name(key)
            is_known = name is not None and self._entries.has(name)
            asked = self._asked[key[0]] = _Asked(name if is_known else None)
        if asked.name is None or (asked.misses >= MOST_MISSES and asked.misses > asked.hits):
            return False
        with contextlib.suppress(Unkeepable):
            found = self._entries.find(asked.name + packed_key(key, objects))
            if found is not None:
                asked.hits += 1
                self._used.add(key)
                return [_part(*one) for one in found[0]]
        asked.misses += 1
        return None

    def _name(self, key: tuple[int, ...]) -> bytes | None:
        """Return the name of a signature's function, and whether it is general; None for users'."""
        name, is_general = self._names.get(key[0] & ~1), key[0] & 1
        return None if name is None else f"{name} {is_general} ".encode()

    def is_rehearsed(self) -> bool:
        """Whether common calls are known (jujunp/_rehearsal.py)."""
        return self._entries.has(_REHEARSED)

    def save(self, *, rehearsed: bool = False) -> None:
        """Add what this process has written, and whether common calls are among it."""
        new: dict[bytes, Any] = {_REHEARSED: None} if rehearsed else {}
        calls = [call for call in machine.known_calls() if call[0] not in self._used]
        general = [call for call in calls if call[0][0] & 1]
        single = [call for call in calls if not call[0][0] & 1]
        for key, objects, parts in general + single[:MOST_SINGLE]:
            name = self._name(key)
            if name is None:
                continue
            with contextlib.suppress(Unkeepable):
                data = [_packed_part(*part) for part in parts]
                new[name + packed_key(key, objects)] = data
                new[name] = None
        known = {one[:3]: one for one in self._loops()}
        if any(one[:3] not in known for one in LEARNT):
            known |= {one[:3]: one for one in LEARNT}
            new[_LOOPS] = list(known.values())[-MOST_LOOPS:]
        if new:
            # a cache that cannot be written keeps nothing; whoever built the kernels was told so
            with contextlib.suppress(OSError):
                self._write(new)

    def _write(self, new: dict[bytes, Any]) -> None:
        entries = Entries(self.file).all()
        if sum(map(len, entries.values())) > MOST_BYTES:
            return
        entries |= {hash_of(key): entry(key, data) for key, data in new.items()}
        write_whole(self.file, as_file(entries))
        for old in sorted(self.file.parent.iterdir(), key=os.path.getmtime)[:-MOST_FILES]:
            old.unlink()


def _packed_part(
    words: tuple[int, ...], before: int, element: int, fingerprint: int, objects: tuple[Any, ...]
) -> tuple[Any, ...]:
    return packed(words, objects), before, element, fingerprint


def _part(packed: tuple[Any, ...], before: int, element: int, fingerprint: int) -> tuple[Any, ...]:
    words, objects = unpacked(packed)
    return words, before, element, fingerprint, objects


def _sources(folder: str) -> Iterable[tuple[str, int, int]]:
    """Yield the Python files below a folder, with their sizes and times."""
    with os.scandir(folder) as entries:
        for one in entries:
            if one.name.endswith(".py"):
                state = one.stat()
                yield one.path, state.st_size, state.st_mtime_ns
            elif one.is_dir() and one.name != "__pycache__":
                yield from _sources(one.path)


def _state() -> str:
    """Return a digest of all that decides what calls record."""
    package = sites.package()
    folders = {Path(str(file)).parent for file in (package.__file__, library.__file__)}
    sources = sorted(one for folder in folders for one in _sources(str(folder)))
    versions = sys.version, np.__version__, Path(library.VM.__file__).parent.name
    return hashlib.blake2b(repr((sources, versions)).encode(), digest_size=16).hexdigest()


def file() -> Path:
    """Return the file for this state of the package; it may not exist yet."""
    return user_cache() / "calls" / _state()


def begin() -> None:
    """Look for transcripts from now on, and keep new ones when the process ends."""
    try:
        place = file()
    except OSError:  # sources that lie in no folders
        return
    kept = Kept(place)
    if build.is_new() and not kept.is_rehearsed():
        _rehearse()
        kept = Kept(place)
    kept.learn_again()
    machine.set_keeper(kept.find)
    atexit.register(kept.save)


_REHEARSE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from {package}._rehearsal import main
raise SystemExit(main())
"""


def _rehearse() -> None:
    """Let another process make common calls: this one must not have made any."""
    import subprocess

    text = _REHEARSE.format(package=sites.package().__name__)
    command = [sys.executable, "-P", "-c", text, json.dumps(sys.path)]
    if subprocess.run(command, check=False).returncode:
        warnings.warn(
            "jujunp could not rehearse common calls, whose first times in a process take longer",
            RuntimeWarning,
            stacklevel=2,
        )
