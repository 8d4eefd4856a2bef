"""The user's line: the nearest frame outside of this package."""

from __future__ import annotations

import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_ROOTS = (_PACKAGE + os.sep, os.path.join(os.path.dirname(_PACKAGE), "jujunp") + os.sep)


def user_line() -> tuple[str, int] | None:
    """Return file and line number of the nearest caller outside of the package."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_ROOTS):
            return name, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def warn_user(message: str) -> None:
    """Warn, with RuntimeWarning, of the line of the nearest caller outside of the package."""
    depth = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_ROOTS):
        depth += 1
        frame = frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=depth)
