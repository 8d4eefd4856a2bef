"""The user's line: the nearest frame outside of this package."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType, FrameType, ModuleType

    from jax.extend.core import JaxprEqn


def package() -> ModuleType:
    """Return the top package, which is loaded, if not yet wholly, when a module of it is."""
    return sys.modules[__name__.partition(".")[0]]


@functools.cache
def roots() -> tuple[str, ...]:
    """Return the folders of the package: one when installed, two from the sources."""
    lazy = os.path.dirname(os.path.dirname(__file__))
    return tuple(os.path.abspath(folder) + os.sep for folder in (lazy, *package().__path__))


class Site(NamedTuple):
    """Where a step was recorded; `axes` are those of the user's array that its indices are for."""

    file: str
    line: int
    axes: tuple[int, ...]


def user_line(axes: tuple[int, ...] = ()) -> Site | None:
    """Return the line of the nearest caller outside of the package, with the axes indexed there."""
    frame = user_frame()
    return None if frame is None else Site(frame.f_code.co_filename, frame.f_lineno, axes)


def user_frame() -> FrameType | None:
    """Return the frame of the nearest caller outside of the package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(roots()):
        frame = frame.f_back
    return frame


def line_of(equation: JaxprEqn) -> str:
    """Return the user's line that made an equation of a Jaxpr.

    It is "" for an equation inside a function of JAX's own; the equation that calls that has one.
    """
    from jax.extend import source_info_util

    return source_info_util.summarize(equation.source_info)


_warned = 0


def warned() -> int:
    """Return how many warnings were given."""
    return _warned


def note_warning() -> None:
    """Note that a warning is given, so that no call learns to do without it."""
    global _warned
    _warned += 1


def warn_user(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn of the line of the nearest caller outside of the package."""
    note_warning()
    depth = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(roots()):
        depth += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=depth)


def from_user_line(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Call a function of NumPy's from the user's line, so that its warnings name that.

    NumPy warns of the line that calls it. So a frame that says it is there makes the call: filters
    and threads need nothing of us.
    """
    frame = user_frame()
    if frame is None:
        return function(*args, **kwargs)
    code = _calling(frame.f_code.co_filename, frame.f_lineno or 1)
    return FunctionType(code, frame.f_globals)(function, args, kwargs)


@functools.lru_cache(1000)
def _calling(file: str, line: int) -> CodeType:
    """Return code that makes a call and is in a line of a file; tracebacks show it as `numpy`."""
    code = _call.__code__
    lines = _ONE_LINE * (len(code.co_code) // _COVERED + 1)
    return code.replace(co_filename=file, co_firstlineno=line, co_name="numpy", co_linetable=lines)


def _call(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Any:
    return function(*args, **kwargs)


_ONE_LINE = bytes((0x80 | 13 << 3 | 7, 0))
"""In a code's table of lines: eight instructions are in the same line, at columns not known."""
_COVERED = 16
"""The bytes of eight instructions."""
