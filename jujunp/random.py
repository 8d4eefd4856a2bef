"""`numpy.random` for arguments that are arrays of this module: results are such arrays, too.

All other results are NumPy's, as libraries that are given a generator write to them. Generators are
subclasses of NumPy's.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import random as _numpy

from ._handle import Handle, to_numpy
from ._ndarray import _holds_handles, as_handle, ndarray
from ._protocols import exported, imported

if TYPE_CHECKING:
    from collections.abc import Callable

_KEPT = frozenset(("get_state", "set_state", "get_bit_generator", "set_bit_generator", "seed"))
"""What gives or takes no elements."""


def _drawing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's that gives arrays of this module if it is given some."""

    @functools.wraps(function)
    def draw(*args: Any, **kwargs: Any) -> Any:
        if not _holds_handles((*args, *kwargs.values())):
            return function(*args, **kwargs)
        out = kwargs.get("out")
        if isinstance(out, ndarray):
            kwargs["out"] = np.array(to_numpy(out))
            out[...] = function(*exported(args), **exported(kwargs))  # type: ignore[index]
            return out
        return imported(function(*exported(args), **exported(kwargs)))

    return draw


def _shuffling(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's that changes its argument, for arrays of this module too."""

    @functools.wraps(function)
    def shuffle(*args: Any, **kwargs: Any) -> None:
        place = len(args) - 1 if len(args) < 3 else 1
        x = kwargs.get("x", args[place] if args else None)
        if not isinstance(x, Handle):
            function(*args, **kwargs)
            return
        copied = np.array(to_numpy(x))
        taken = [copied if value is x else value for value in args]
        function(*taken, **{k: copied if v is x else v for k, v in kwargs.items()})
        x[...] = copied  # type: ignore[index]

    return shuffle


def _adapted(name: str, function: Any) -> Any:
    """Return a public function of NumPy's for arrays of this module, other things as they are."""
    if name.startswith("_") or name in _KEPT or not callable(function):
        return function
    return _shuffling(function) if name == "shuffle" else _drawing(function)


def _methods(kind: type) -> dict[str, Any]:
    """Return the methods of a generator of NumPy's for arrays of this module."""
    names = (name for name in vars(kind) if not name.startswith("_") and name != "spawn")
    return {name: _adapted(name, getattr(kind, name)) for name in names}


class Generator(_numpy.Generator):
    """NumPy's generator, which takes arrays of this module."""

    locals().update(_methods(_numpy.Generator))

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return a copy of an array with its elements shuffled, along an axis if one is given."""
        found = _numpy.Generator.permuted(self, exported(x), axis=axis)
        if out is None:
            return as_handle(found) if isinstance(x, Handle) else found
        out[...] = found
        return out

    def __reduce__(self) -> Any:
        return Generator, (self.bit_generator,)


class RandomState(_numpy.RandomState):
    """NumPy's older generator, which takes arrays of this module."""

    locals().update(_methods(_numpy.RandomState))


def default_rng(seed: Any = None) -> Generator:
    """Return a generator, as `numpy.random.default_rng` seeds it."""
    if isinstance(seed, Generator):
        return seed
    return Generator(_numpy.default_rng(exported(seed)).bit_generator)


def __getattr__(name: str) -> Any:
    """Return what NumPy has: functions for arrays of this module, other things as they are."""
    found = getattr(_numpy, name)
    if isinstance(found, type):
        return found
    adapted = globals()[name] = _adapted(name, found)
    return adapted


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
