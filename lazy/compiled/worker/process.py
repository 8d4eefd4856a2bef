"""The worker as its parent sees it: a process that is started, asked and stopped."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from typing import IO, TYPE_CHECKING, Any

from jujunp.kernels.cache import user_cache

from . import wire, worker

if TYPE_CHECKING:
    from .wire import Batch, Reply

TIMEOUT_SECONDS = 1800.0
"""A batch takes half a minute; a compiler that needs this long hangs."""

LARGEST_MAX_CACHE = 512 << 20
"""Bytes that MAX may keep in its own cache; it never removes anything itself."""

_NICENESS = 10
"""How much nicer than its parent a worker is that has compiled what nobody waits for."""

_TAIL_BYTES = 4000


class WorkerDied(RuntimeError):
    """The worker ended while it was at work; the text is what it printed last."""


class WorkerProcess:
    """A running worker; OSError if none can be started."""

    def __init__(self) -> None:
        self._printed = _unnamed_file()
        try:
            self._process = subprocess.Popen(
                worker.command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed if self._printed is not None else subprocess.DEVNULL,
                env=_environment(),
                # Ctrl-C on the terminal is for the parent; its end is seen by the end of the pipe.
                # In a session of its own, Linux (autogroup) would share the cores equally between
                # the worker and all that the parent's session runs, however nice the worker is.
                process_group=0,
            )
        except OSError:
            if self._printed is not None:
                self._printed.close()
            raise

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def give_way(self) -> None:
        """Leave the cores to the parent, for good: only the system's administrator can undo it."""
        with contextlib.suppress(OSError):  # the process may have ended
            nicer = os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS
            os.setpriority(os.PRIO_PROCESS, self.pid, nicer)

    def ask(self, batch: Batch) -> Reply:
        """Send a batch and wait for the reply; raises WorkerDied."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        alarm = threading.Timer(TIMEOUT_SECONDS, self._process.kill)
        alarm.daemon = True
        alarm.start()
        before = self._printed_bytes()
        try:
            wire.send(self._process.stdin, batch)
            reply = wire.receive(self._process.stdout)
        except (OSError, EOFError, ValueError) as error:  # the last where `stop` has closed a file
            self._end()
            text = self._obituary()
            self.forget()
            raise WorkerDied(text) from error
        finally:
            alarm.cancel()
        assert not isinstance(reply, wire.Batch)
        if isinstance(reply, wire.Failed):
            # The graph compiler prints what is wrong with a kernel, and raises that something is.
            return wire.Failed(f"{reply.text}\n{self._tail(before)}".rstrip())
        return reply

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._end()
        self.forget()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """Let go of the files; a process forked from the parent must not keep the worker alive."""
        for file in (self._process.stdin, self._process.stdout, self._printed):
            if file is not None:
                # What is left in a buffer was for a process that is gone.
                _close_quietly(file)

    def _obituary(self) -> str:
        status = self._process.returncode
        return f"the compile worker ended with status {status}\n{self._tail(0)}".rstrip()

    def _printed_bytes(self) -> int:
        if self._printed is None or self._printed.closed:
            return 0
        return os.fstat(self._printed.fileno()).st_size

    def _tail(self, start: int) -> str:
        """Return the last of what the worker has printed, but nothing before a position."""
        end = self._printed_bytes()
        if self._printed is None or not end:
            return ""
        start = max(start, end - _TAIL_BYTES)
        return os.pread(self._printed.fileno(), end - start, start).decode(errors="replace")


def _close_quietly(file: IO[bytes]) -> None:
    try:
        file.close()
    except (OSError, ValueError):  # ValueError: another thread closes it just now
        return


def _unnamed_file() -> IO[Any] | None:
    """Return a file for what the compiler prints, None where there is no room for one."""
    try:
        return tempfile.TemporaryFile(prefix="jujunp-")
    except OSError:
        return None


def _environment() -> dict[str, str]:
    """Let MAX keep what it caches itself below the user's cache, within bounds.

    JAX, which only traces there, is to leave GPUs alone.
    """
    given = {**os.environ, "JAX_PLATFORMS": "cpu"}
    if "MODULAR_CACHE_DIR" in given:
        return given
    folder = user_cache() / "max"
    files = (os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
    if sum(map(_size, files)) > LARGEST_MAX_CACHE:
        shutil.rmtree(folder, ignore_errors=True)
    return {**given, "MODULAR_CACHE_DIR": str(folder)}


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:  # another process may remove it just now
        return 0
