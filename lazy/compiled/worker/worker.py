"""The compile worker: a process that turns graphs into MEFs until its parent goes away.

A crash of the compiler, or the memory it takes, does not touch the process that records. The parent
starts it by `command`; they talk over its standard input and output.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from typing import TYPE_CHECKING

from jujunp import kernels

from . import wire

if TYPE_CHECKING:
    from typing import IO

# The parent's packages are named but not run: the worker needs this one only, and JAX where it is
# given steps to trace.
# First of all Linux is asked to kill it with the thread that started it, which stops it before it
# ends: a worker that gives way may need long to see the end of the pipe.
_START = """
import ctypes, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() != int(sys.argv[1]):
    os._exit(0)  # it has ended before
import importlib, json, types
sys.path[:], packages, worker = json.loads(sys.argv[2])
for name, folders in packages:
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = folders
raise SystemExit(importlib.import_module(worker).main())
"""


def command() -> list[str]:
    """Return the command that starts a worker which finds what this process finds."""
    top, engine, *_ = __name__.split(".")
    names = (top, f"{top}.{engine}", kernels.__name__)
    packages = [(name, list(sys.modules[name].__path__)) for name in names]
    given = json.dumps([sys.path, packages, __name__])
    return [sys.executable, "-P", "-c", _START, str(os.getpid()), given]


def main() -> int:
    """Serve the parent; returns the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    requests, replies = _take_over_standard_files()
    batches: queue.SimpleQueue[wire.Batch] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, batches), daemon=True).start()
    while True:
        try:
            wire.send(replies, _serve(batches.get()))
        except OSError:
            return 0


def _take_over_standard_files() -> tuple[IO[bytes], IO[bytes]]:
    """Return files for messages; what the compiler prints goes to standard error."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    return open(requests, "rb"), open(replies, "wb")


def _read(requests: IO[bytes], batches: queue.SimpleQueue[wire.Batch]) -> None:
    """Queue what the parent sends; when the parent is gone, end the process at once."""
    while True:
        try:
            message = wire.receive(requests)
        except (EOFError, OSError):
            os._exit(0)
        assert isinstance(message, wire.Batch)
        batches.put(message)


def _serve(batch: wire.Batch) -> wire.Reply:
    try:
        from . import batches  # imports MAX, which may not be there
    except ImportError as error:
        return wire.Unable(f"{error}")
    return batches.build(batch)
