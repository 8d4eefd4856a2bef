"""NumPy's functions for tests, which compare the elements of arrays of this module.

Functions and blocks that look for warnings compute what was recorded in them.
"""

from __future__ import annotations

import functools
from typing import Any

from numpy import testing as _numpy

from jujunp.lazy.run.flush import flush

from ._functions.host import comparing


class suppress_warnings(_numpy.suppress_warnings):
    """NumPy's block that filters warnings; what is recorded in it is computed before it ends."""

    def __exit__(self, *error: Any) -> None:
        try:
            if not any(error):
                flush()
        finally:
            super().__exit__(*error)


def _computing(x: Any) -> Any:
    """Return a function that also computes what the given one records; what is none as it is."""
    if isinstance(x, type) or not callable(x):
        return x

    @functools.wraps(x)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = x(*args, **kwargs)
        flush()
        return made

    return call


_WARNINGS = ("assert_warns", "assert_no_warnings")
_CALLING = frozenset(
    (
        *("assert_raises", "assert_raises_regex", "assert_no_gc_cycles", "break_cycles"),
        *("rundocs", "run_threaded"),
    )
)
"""Functions that call what they are given, with the arrays that they are given."""


def __getattr__(name: str) -> Any:
    """Return what NumPy has; a function that compares takes arrays of this module."""
    found = getattr(_numpy, name)
    if name in _CALLING:
        return found
    made = _of_computed(found) if name in _WARNINGS else comparing(found)
    return globals().setdefault(name, made)


def _of_computed(found: Any) -> Any:
    """Return a function that looks for warnings of a call, of which what it records is computed."""

    @functools.wraps(found)
    def check(*args: Any, **kwargs: Any) -> Any:
        return found(*map(_computing, args), **kwargs)

    return check


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
