"""A line on a terminal that shows that something long is under way."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_TICK_SECONDS = 0.1
_CLEAR_LINE = "\r\x1b[K"


@contextmanager
def progress(text: str, *, keep: bool = True) -> Iterator[None]:
    """Show `text` and the seconds so far on standard error while the body runs.

    Nothing is written unless standard error is a terminal. When the body succeeds the line stays,
    with the time it took, if `keep`; when the body raises it disappears.
    """
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield
        return
    started = time.monotonic()
    done = threading.Event()
    thread = threading.Thread(target=_spin, args=(stream, text, started, done), daemon=True)
    thread.start()
    last_line = _CLEAR_LINE
    try:
        yield
        if keep:
            last_line = f"{_CLEAR_LINE}{text}: {time.monotonic() - started:.0f} s\n"
    finally:
        done.set()
        thread.join()
        stream.write(last_line)
        stream.flush()


def _spin(stream: TextIO, text: str, started: float, done: threading.Event) -> None:
    for wheel in itertools.cycle("|/-\\"):
        stream.write(f"{_CLEAR_LINE}{text} {wheel} {time.monotonic() - started:.0f} s")
        stream.flush()
        if done.wait(_TICK_SECONDS):
            return
