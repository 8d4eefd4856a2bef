"""The life of fused loops: told of as hot, looked for on disk, compiled in the background, in use.

One thread writes the texts and has one process of the compiler at a time, which gives way to all
other work. What waits is compiled together, since nearly all the time is the compiler's start.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import os
import threading
import time
import weakref
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels import build
from jujunp.kernels.cache import find, provide, user_cache
from jujunp.kernels.progress import progress

from ..run import machine
from .text import Group, NoText, Text, text_of, whole

if TYPE_CHECKING:
    import logging
    import subprocess
    from collections.abc import Sequence


@functools.cache
def _logger() -> logging.Logger:
    import logging

    return logging.getLogger("jujunp.loops")


GATHER_SECONDS = 0.2
"""How long the first text waits for others."""
MOST_TOGETHER = 32
KEPT = 1024
"""Loops that are kept on disk; beyond, those used longest ago go."""
_NICENESS = 10
_LIBRARY, _REFUSED = "loops.so", "refused.txt"
_STEP = build.Step(
    ("build", "-j", "1", *build.EXACT, "--emit", "shared-lib"),
    "loops.mojo",
    _LIBRARY,
)


@dataclass(frozen=True)
class Loop:
    """A loop to be looked for or compiled: the group's place, its name, its text and its key."""

    place: int
    name: str
    text: Text
    key: str


class Fusing:
    """The queue, and the thread that serves it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._told: deque[machine.HotGroup] = deque()
        self._waiting: deque[Loop] = deque()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._closed = False
        self._process: subprocess.Popen[str] | None = None
        self._made: dict[str, Path] = {}
        """Where what was made just now is, by key."""
        self._why = "it cannot be kept"
        """What the system said when loops could not be compiled."""
        self._libraries: dict[str, ctypes.CDLL] = {}
        self.counts = {"compiled": 0, "found": 0, "failed": 0}

    def tell(self, groups: Sequence[machine.HotGroup]) -> None:
        """Take groups that have become hot; returns at once."""
        with self._changed:
            if self._closed:
                return
            self._told.extend(groups)
            if self._thread is None:
                _close_at_exit()
                self._thread = threading.Thread(target=self._run, name="jujunp-loops", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until nothing is queued or being compiled."""
        with self._changed:
            self._changed.wait_for(lambda: not self.pending())

    def pending(self) -> int:
        """Return how many groups wait, or are being looked for or compiled."""
        return len(self._told) + len(self._waiting) + self._busy

    def close(self) -> None:
        """End the compiler and the thread, before the interpreter does."""
        with self._changed:
            self._closed = True
            self._told.clear()
            self._waiting.clear()
            thread, process = self._thread, self._process
            self._changed.notify_all()
        if process is not None:
            process.kill()
        if thread is not None:
            thread.join(timeout=5)

    # What follows runs in the thread.

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or self._told or self._waiting)
                if self._closed:
                    return
                self._busy = True
                told = list(self._told)
                self._told.clear()
            try:
                self._serve(told)
            except Exception:  # what nobody has foreseen must not end the thread: somebody may wait
                _logger().exception("groups stay as blocks")

    def _serve(self, told: list[machine.HotGroup]) -> None:
        for group in told:
            self._look_for(group)
        if told:  # others may follow, to be compiled together
            time.sleep(GATHER_SECONDS if self._waiting else 0)
        elif self._waiting:
            self._compile_waiting()

    def _look_for(self, group: machine.HotGroup) -> None:
        """Use the loop of a group if it is on disk; else queue it when it is hot enough."""
        try:
            loop = self._loop_of(group)
        except NoText as why:
            _logger().debug("a group stays as blocks: %s", why)
            machine.set_fused(group.place, 0)
            return
        except (build.KernelBuildError, OSError) as error:
            self._fail(group.place, f"{error}")
            return
        folder = find(_root(), loop.key)
        if folder is not None:
            self.counts["found"] += 1
            self._use(loop, folder)
        elif group.told > 1:
            self._waiting.append(loop)

    def _loop_of(self, group: machine.HotGroup) -> Loop:
        read = Group.of_words(group.words)
        unnamed = whole([text_of(read, "name")])
        digest = hashlib.sha256(unnamed.encode()).hexdigest()[:16]
        name = f"jujunp_fused_{digest}"
        text = text_of(read, name)
        key = build.key_of("loop", {_STEP.source: whole([text])}, [_STEP])
        return Loop(group.place, name, text, key)

    def _compile_waiting(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(MOST_TOGETHER, len(self._waiting)))]
        unique = list({loop.name: loop for loop in batch}.values())
        self._compile(unique)
        for loop in batch:
            if folder := self._made.get(loop.key):
                self._use(loop, folder)
            else:
                self._fail(loop.place, self._why)
        self._made.clear()
        self._process = None

    def _compile(self, batch: list[Loop]) -> None:
        """Compile loops as one library, or halves of them where that is refused."""
        import tempfile

        if self._closed:
            return
        _logger().info("compiling %d loops", len(batch))
        try:
            # if it had to share its core, large steps would be slower for much longer
            lent = machine.core_lent(always=True)
            with lent, tempfile.TemporaryDirectory(prefix="jujunp-") as place:
                self._compile_in(Path(place), batch)
        except OSError as error:  # no disk has room
            self._why = f"{error}"

    def _compile_in(self, folder: Path, batch: list[Loop]) -> None:
        texts = [loop.text for loop in batch]
        try:
            build.compile_texts(
                {_STEP.source: whole(texts)},
                [_STEP],
                folder,
                {place for text in texts for place in text.folders},
                self._note,
            )
        except build.CompilerDied as error:
            self._why = f"{error}"
            return
        except build.KernelBuildError as error:
            if len(batch) > 1:
                middle = len(batch) // 2
                self._compile(batch[:middle])
                self._compile(batch[middle:])
            elif not self._closed:
                (folder / _REFUSED).write_text(f"{error}", encoding="utf-8")
                self._keep(batch[0], folder / _REFUSED)
            return
        for loop in batch:
            self.counts["compiled"] += 1
            self._keep(loop, folder / _LIBRARY)

    def _note(self, process: subprocess.Popen[str]) -> None:
        """Know the compiler's process, and let it give way to all others."""
        self._process = process
        with contextlib.suppress(OSError):  # it may have ended
            nicer = os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS
            os.setpriority(os.PRIO_PROCESS, process.pid, nicer)
        if self._closed:
            process.kill()

    def _keep(self, loop: Loop, file: Path) -> None:
        """Put what was made of a loop where other processes find it, if that can be written."""
        with contextlib.suppress(OSError):  # no disk has room
            made = provide(_root(), loop.key, lambda folder: _copy(file, folder), kept=KEPT)
            self._made[loop.key] = made

    def _use(self, loop: Loop, folder: Path) -> None:
        """Give a group the loop of a library."""
        path = folder / _LIBRARY
        if not path.exists():
            self._fail(loop.place, (folder / _REFUSED).read_text(encoding="utf-8"))
            return
        try:
            library = self._libraries.setdefault(str(path), ctypes.CDLL(str(path)))
            address = ctypes.cast(getattr(library, loop.name), ctypes.c_void_p).value or 0
        except (OSError, AttributeError) as error:
            self._fail(loop.place, f"{error}")
            return
        machine.set_fused(loop.place, address)

    def _fail(self, place: int, text: str) -> None:
        """Leave a group as it is, for good."""
        if self._closed:
            return  # the compiler was ended
        self.counts["failed"] += 1
        _logger().warning("a group could not be compiled and stays as blocks: %s", text)
        machine.set_fused(place, 0)


def _copy(file: Path, folder: Path) -> None:
    import shutil

    shutil.copy(file, folder)


def _root() -> Path:
    return user_cache() / "loops"


FUSING = Fusing()
"""That of this process."""


def fuse_hot() -> None:
    """Hand over the groups that have become hot; returns at once."""
    if groups := machine.hot_groups():
        FUSING.tell(groups)


def wait() -> None:
    """Hand them over, and wait for all loops; a terminal shows that it takes time."""
    fuse_hot()
    if FUSING.pending():
        with progress("jujunp: compiling loops (once)"):
            FUSING.wait()


def counts() -> dict[str, int]:
    """Return what became of hot groups in this process, and how often loops have run."""
    return {"waiting": FUSING.pending(), **FUSING.counts, **machine.fused_counts()}


def _forget() -> None:
    """In a forked process: the thread and its compiler are the parent's."""
    global FUSING
    FUSING = Fusing()


def _close() -> None:
    FUSING.close()


def _close_at_exit() -> None:
    """End the thread before temporary folders are taken away: what was registered last runs first.

    They are by the function of `weakref`, which is registered with the first of all finalizers.
    """
    weakref.finalize(_close, int).detach()
    atexit.unregister(_close)
    atexit.register(_close)


os.register_at_fork(after_in_child=_forget)
