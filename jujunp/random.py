"""`numpy.random`, whose functions for the order of elements take arrays of this module.

Random numbers are NumPy's arrays: libraries that are given a generator write to them. Generators
are subclasses of NumPy's.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import random as _numpy

from ._handle import Handle, to_numpy
from ._protocols import exported, imported

if TYPE_CHECKING:
    from collections.abc import Callable


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's that changes an argument, for arrays of this module too."""

    @functools.wraps(function)
    def change(*args: Any, **kwargs: Any) -> None:
        ours: list[Any] = [x for x in (*args, *kwargs.values()) if isinstance(x, Handle)]
        copies = {id(x): np.array(to_numpy(x)) for x in ours}
        function(
            *(copies.get(id(x), x) for x in args),
            **{name: copies.get(id(x), x) for name, x in kwargs.items()},
        )
        for x in ours:
            x[...] = copies[id(x)]

    return change


def _copying(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy's that gives an array of this module for such an array."""

    @functools.wraps(function)
    def copy(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if not any(isinstance(x, Handle) for x in given):
            return function(*args, **kwargs)
        return imported(function(*exported(args), **exported(kwargs)))

    return copy


class Generator(_numpy.Generator):
    """NumPy's generator, which can order arrays of this module."""

    shuffle = _in_place(_numpy.Generator.shuffle)
    permutation = _copying(_numpy.Generator.permutation)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return a copy of an array with its elements shuffled, along an axis if one is given."""
        found = _copying(super().permuted)(x, axis=axis)
        if out is None:
            return found
        out[...] = found
        return out

    def __reduce__(self) -> Any:
        return Generator, (self.bit_generator,)


class RandomState(_numpy.RandomState):
    """NumPy's older generator, which can order arrays of this module."""

    shuffle = _in_place(_numpy.RandomState.shuffle)
    permutation = _copying(_numpy.RandomState.permutation)


def default_rng(seed: Any = None) -> Generator:
    """Return a generator, as `numpy.random.default_rng` seeds it."""
    if isinstance(seed, Generator):
        return seed
    return Generator(_numpy.default_rng(exported(seed)).bit_generator)


shuffle = _in_place(_numpy.shuffle)
permutation = _copying(_numpy.permutation)


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
