"""Files and texts: NumPy reads them, and numbers come as arrays of ours.

Nobody else holds the memory that NumPy has read into, so that it is taken over without a copy.
Reading is counted as what NumPy does for us, and never refused: it computes nothing of elements.
What is mapped (`mmap_mode=`), or no number, stays NumPy's.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.npyio import NpzFile

from jujunp.lazy.run.sites import from_user_line
from jujunp.lazy.values.dtypes import CODES, SUPPORTED

from .._array.array_likes import converted
from .host import answered_like, count, exported
from .sharing import sharing

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt"]


class _Archive(NpzFile):
    """An open file of arrays, which gives them as `load` does."""

    def __getitem__(self, key: str) -> Any:
        return _taken(super().__getitem__(key))


_Archive.__name__ = _Archive.__qualname__ = NpzFile.__name__  # as its repr has it


def _taken(x: Any) -> Any:
    """Return what NumPy has read, in which arrays are ours."""
    if isinstance(x, list):  # of columns
        return [_taken(column) for column in x]
    if isinstance(x, NpzFile):
        x.__class__ = _Archive
    if type(x) is not np.ndarray or CODES.get(x.dtype) not in SUPPORTED:
        return x
    found = sharing(x)
    return converted(x) if found is None else found


def _reader(read: Callable[..., Any]) -> Any:
    """Return a function that reads with NumPy's."""

    @functools.wraps(read)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = answered_like(call, args, kwargs)
        if made is not NotImplemented:
            return made
        count(read.__name__, ())  # a file is not looked at
        return _taken(from_user_line(read, exported(args), exported(kwargs)))

    return call


fromfile = _reader(np.fromfile)
fromregex = _reader(np.fromregex)
fromstring = _reader(np.fromstring)
genfromtxt = _reader(np.genfromtxt)
load = _reader(np.load)
loadtxt = _reader(np.loadtxt)
