"""`numpy.ma`: masked arrays are NumPy's own, and take arrays of this module."""

from __future__ import annotations

from typing import Any

from numpy import ma as _numpy
from numpy.ma import *  # noqa: F403
from numpy.ma import __all__ as __all__


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)
