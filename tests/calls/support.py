"""Which Python functions a call goes through."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_TESTS = str(Path(__file__).parent.parent)


def python_frames(call: Callable[[], Any]) -> list[str]:
    """Return the functions in Python that a call goes through, but for those of the tests."""
    found: list[str] = []

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and not frame.f_code.co_filename.startswith(_TESTS):
            found.append(frame.f_code.co_name)

    collects = gc.isenabled()
    gc.disable()  # libraries are told of collections, by functions in Python
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        if collects:
            gc.enable()
    return found
