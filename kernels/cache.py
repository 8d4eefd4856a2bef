"""Keeps what was built in a folder of the user, safe among processes.

An entry is a folder, named by its key, that holds files and a list of them with the digests of
their contents. Entries appear by one rename, so that a reader sees a whole one or none. Whoever
makes an entry holds the lock of the cache, so that two processes never make the same one.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import os
import re
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

KEPT_BUILDS = 8
"""How many entries of one kind (the part of the key before the last '-') a cache keeps."""

KEPT_LINES = 64
"""How many digests of contents are kept."""
_SETTLED_SECONDS = 2.0
_LINE = re.compile(r"([0-9a-f]{64})\n")
_DIGESTS_FILE = "sha256"
_NEW_PREFIX = ".new-"
_warned: set[Path] = set()


def user_cache() -> Path:
    """Return the folder for everything that jujunp keeps for this user; it may not exist yet."""
    if chosen := os.environ.get("JUJUNP_CACHE_DIR"):
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base, "jujunp")
    try:
        return Path.home() / ".cache" / "jujunp"
    except RuntimeError:
        # A user without a home can keep nothing, and the warning of `provide` will say so.
        return Path(os.devnull, "jujunp")


def files_below(folder: Path, suffix: str) -> list[str]:
    """Return the paths of files below a folder, relative to it and in order, by their suffix."""
    root = str(folder)
    found = [
        f"{parent}{os.sep}{name}"[len(root) + 1 :]
        for parent, _, names in os.walk(root)
        for name in names
        if name.endswith(suffix)
    ]
    return sorted(found)


def content_of(folder: Path, files: Sequence[str], root: Path) -> str:
    """Return a digest of the names and contents of files in a folder, kept below `root`.

    It is known again by the sizes and times of the files, without reading them. Files that have
    just been written are not trusted, as they may be written again at the same time.
    """
    states = [(name, os.stat(os.path.join(folder, name))) for name in files]

    def compute() -> str:
        content = hashlib.sha256()
        for name in files:
            text = Path(folder, name).read_bytes()
            content.update(f"{name}\0{len(text)}\0".encode() + text)
        return content.hexdigest()

    if any(time.time() - state.st_mtime < _SETTLED_SECONDS for _, state in states):
        return compute()
    facts = [(name, state.st_ino, state.st_size, state.st_mtime_ns) for name, state in states]
    kept = root / hashlib.sha256(repr((str(folder), facts)).encode()).hexdigest()
    try:
        match = _LINE.fullmatch(kept.read_text(encoding="ascii"))
        if match is not None:
            return match[1]
    except (OSError, UnicodeDecodeError):
        pass
    found = compute()
    with contextlib.suppress(OSError):  # it is computed again next time
        write_whole(kept, f"{found}\n".encode())
        for old in sorted(root.iterdir(), key=os.path.getmtime)[:-KEPT_LINES]:
            old.unlink()
    return found


def write_whole(path: Path, content: bytes, prefix: str = ".tmp-") -> None:
    """Write a file below a folder of the user's so that a reader sees all of it, or what was there.

    It is written beside it, under a name that begins with the prefix. OSError if that fails.
    """
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, temporary = tempfile.mkstemp(prefix=prefix, dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def find(root: Path, key: str) -> Path | None:
    """Return the folder of the entry `key` below the folder `root`; None if none is whole."""
    entry = root / key
    if not _is_whole(entry):
        return None
    _mark_used(entry)
    return entry


def provide(
    root: Path,
    key: str,
    make: Callable[[Path], None],
    *,
    again: bool = False,
    kept: int | None = None,
) -> Path:
    """Return the folder of the entry `key` below the folder `root`, made when it is missing.

    `make(folder)` fills an empty folder with files, or raises something else than OSError. It runs
    once for all processes. Of each kind `kept` entries stay, KEPT_BUILDS if it is not given. A
    damaged entry counts as missing; with `again` the entry is replaced whatever its state. Where
    `root` cannot be written (or is full), a warning says so, and the files stay in a temporary
    folder that goes when the process ends.
    """
    entry = root / key
    if not again and (found := find(root, key)):
        return found
    import shutil
    import tempfile

    made = Path(tempfile.mkdtemp(prefix="jujunp-"))
    folder = entry
    try:
        try:
            with _locked(root):
                if again or not _is_whole(entry):
                    make(made)
                    _publish(made, entry)
                    _prune(root, key, KEPT_BUILDS if kept is None else kept)
        except OSError as error:
            _warn_once(root, error)
            if not any(made.iterdir()):
                make(made)
            atexit.register(shutil.rmtree, made, ignore_errors=True)
            folder = made
    finally:
        if folder is not made:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def _is_whole(entry: Path) -> bool:
    """Whether an entry holds the files that were put there.

    Those that were not written since are not read.
    """
    try:
        lines = (entry / _DIGESTS_FILE).read_text(encoding="utf-8").splitlines()
        paths = [entry / name for name in _names(entry)]
        return len(lines) == len(paths) and all(map(_is_as_listed, paths, lines))
    except (OSError, UnicodeDecodeError):
        return False


def _is_as_listed(path: Path, line: str) -> bool:
    digest = line.partition(" ")[0]
    if line == _line(path, digest):
        return True
    return line.endswith(f" {path.name}") and digest == _digest(path)


def _digests(folder: Path) -> str:
    """Return a line for each file of the folder, see `_line`."""
    paths = [folder / name for name in _names(folder)]
    return "".join(f"{_line(path, _digest(path))}\n" for path in paths)


def _names(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name != _DIGESTS_FILE)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _line(path: Path, digest: str) -> str:
    """Describe a file: the digest of its content, its size, time of writing, and name."""
    state = path.stat()
    return f"{digest} {state.st_size} {state.st_mtime_ns} {path.name}"


def _mark_used(entry: Path) -> None:
    """Set the time by which `_prune` finds the oldest; a read-only cache needs no pruning."""
    try:
        os.utime(entry)
    except OSError:
        return


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Hold the lock of the cache `root`, against other processes and other threads."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress("jujunp: waiting for another process that builds the kernels"):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _publish(made: Path, entry: Path) -> None:
    """Put a copy of the folder `made`, with its digests, where the entry belongs, in one step."""
    import shutil

    new = entry.with_name(f"{_NEW_PREFIX}{os.getpid()}")
    shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir()
        for path in made.iterdir():
            shutil.copy(path, new)
        (new / _DIGESTS_FILE).write_text(_digests(new), encoding="utf-8")
        if entry.exists():
            shutil.rmtree(entry)
        new.replace(entry)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _prune(root: Path, key: str, kept: int) -> None:
    """Remove the entries used longest ago, and what processes that were killed left behind."""
    import shutil

    kind = key.rpartition("-")[0]
    entries = sorted(root.glob(f"{kind}-*"), key=lambda entry: entry.stat().st_mtime)
    for old in [*entries[:-kept], *root.glob(f"{_NEW_PREFIX}*")]:
        shutil.rmtree(old, ignore_errors=True)


def _warn_once(root: Path, error: OSError) -> None:
    if root in _warned:
        return
    _warned.add(root)
    warnings.warn(
        f"jujunp cannot keep built kernels in {root} ({error}), so each process builds its own;"
        " JUJUNP_CACHE_DIR names another folder",
        RuntimeWarning,
        stacklevel=2,
    )
