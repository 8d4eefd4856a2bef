"""`numpy.lib`, with views of memory for arrays of this module."""

from __future__ import annotations

from typing import Any

from numpy import lib as _numpy

from . import stride_tricks


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)


__all__ = ["stride_tricks"]
