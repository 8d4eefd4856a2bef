"""NumPy's functions for tests, which compare the elements of arrays of this module.

Functions and blocks that look for warnings compute what was recorded in them.
"""

from __future__ import annotations

import functools
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numpy import testing as _numpy

from jujunp.lazy.run.flush import flush

from ._functions.host import comparing

if TYPE_CHECKING:
    from collections.abc import Iterator


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


_WARNINGS = {"assert_warns": 1, "assert_no_warnings": 0}
"""Functions that look for warnings, and how many arguments they have where they begin a block."""
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
    made = _of_computed(found, _WARNINGS[name]) if name in _WARNINGS else comparing(found)
    return globals().setdefault(name, made)


def _of_computed(found: Any, alone: int) -> Any:
    """Return a function that looks for warnings of a call, of which what it records is computed.

    With just so many arguments alone it begins a block.
    """

    @functools.wraps(found)
    def check(*args: Any, **kwargs: Any) -> Any:
        made = found(*map(_computing, args), **kwargs)
        return _computed_block(made) if len(args) == alone and not kwargs else made

    return check


@contextmanager
def _computed_block(block: Any) -> Iterator[Any]:
    """Return a block in which all that it records is computed before it ends."""
    with block as entered:
        yield entered
        flush()


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
