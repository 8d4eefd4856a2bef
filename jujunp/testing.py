"""NumPy's functions for tests, which compare the elements of arrays of this module.

What is pending warns when it is computed. Blocks that look for warnings end before that, unless
they are in a block of `warnings_at_once`.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from typing import TYPE_CHECKING, Any

from numpy import testing as _numpy

from jujunp.lazy.run.flush import flush

from ._functions.host import exported

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def warnings_at_once() -> Iterator[None]:
    """For a block, compute what is pending before each `warnings.catch_warnings` in it ends.

    So it sees the warnings of what was recorded in it; `pytest.warns` and the like are made of it.
    Meanwhile Python's class has another `__exit__`: the block is for tests, and for all threads.
    """
    end = warnings.catch_warnings.__exit__

    @functools.wraps(end)
    def computed(self: Any, *error: Any) -> None:
        try:
            if not error or error[0] is None:
                flush()
        finally:
            end(self, *error)

    warnings.catch_warnings.__exit__ = computed  # type: ignore[method-assign]
    try:
        yield
    finally:
        warnings.catch_warnings.__exit__ = end  # type: ignore[method-assign]


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
    if isinstance(found, type) or not callable(found) or name in _CALLING:
        return found

    @functools.wraps(found)
    def check(*args: Any, **kwargs: Any) -> Any:
        if name in _WARNINGS:
            return found(*map(_computing, args), **kwargs)
        return found(*exported(args), **exported(kwargs))

    globals()[name] = check
    return check


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
