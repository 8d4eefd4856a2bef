"""NumPy's functions for tests, which compare the elements of arrays of this module."""

from __future__ import annotations

import functools
from typing import Any

from numpy import testing as _numpy

from ._functions.host import exported

_CALLING = frozenset(
    (
        *("assert_raises", "assert_raises_regex", "assert_warns", "assert_no_warnings"),
        *("assert_no_gc_cycles", "break_cycles", "rundocs", "run_threaded"),
    )
)
"""Functions that call what they are given, with the arrays that they are given."""


def __getattr__(name: str) -> Any:
    """Return what NumPy has; a function that compares takes arrays of this module."""
    found = getattr(_numpy, name)
    if isinstance(found, type) or not callable(found) or name in _CALLING:
        return found

    @functools.wraps(found)
    def check(*args: Any, **kwargs: Any) -> Any:
        return found(*exported(args), **exported(kwargs))

    globals()[name] = check
    return check


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
