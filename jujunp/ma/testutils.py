"""`numpy.ma.testutils`, whose functions compare arrays of this module, too."""

from __future__ import annotations

from typing import Any

from numpy.ma import testutils as _numpy

from .._functions.host import comparing


def __getattr__(name: str) -> Any:
    """Return what NumPy has; a function that compares takes arrays of this module."""
    found = getattr(_numpy, name)
    made = found if name == "assert_raises" else comparing(found)
    return globals().setdefault(name, made)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
