"""Whether an array may be written: what `_readonly` of a handle says."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import numpy as np

from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.layout import repeats

from .handle import header

if TYPE_CHECKING:
    from .handle import Handle

_OVERLAPPING = (
    "Numpy has detected that you (may be) writing to an array with\n"
    "overlapping memory from np.broadcast_arrays. If this is intentional\n"
    "set the WRITEABLE flag True or make a copy immediately before writing."
)


class Writable(enum.Enum):
    """Of an array that may be written, but not as others are; False stands for these."""

    SPREAD = enum.auto()
    """It shows elements at several places, of which the last one's stays."""
    WARNING = enum.auto()
    """Who writes to it first is warned."""


def written_as(layout: np.ndarray) -> Writable | bool:
    """Return what `_readonly` is of an array that may be written."""
    return Writable.SPREAD if repeats(layout) else False


def check_writeable(x: Handle, message: str) -> None:
    """Raise ValueError for an array that is read-only; DeprecationWarning where one is to come."""
    if x._readonly is True:
        raise ValueError(message)
    if x._readonly is Writable.WARNING:
        warn_user(_OVERLAPPING, DeprecationWarning)
        x._readonly = written_as(header(x))
