"""`numpy.random`, whose functions for the order of elements take arrays of this module.

Random numbers are NumPy's arrays: libraries that are given a generator write to them. Of an array
of this module NumPy orders the places, and our kernels move the elements. Generators are subclasses
of NumPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import random as _numpy

from ._array.handle import Handle
from ._functions.host import exported
from ._functions.indexing.taking import take

if TYPE_CHECKING:
    from collections.abc import Callable


def _places(x: Any) -> np.ndarray:
    """Return the places of an array's elements in C order."""
    return np.arange(x.size).reshape(x.shape)


def _shuffle(function: Callable[..., None], x: Any, **kwargs: Any) -> None:
    """Order an array's elements as NumPy's function, which changes its argument, orders places."""
    if not isinstance(x, Handle):
        function(x, **kwargs)
        return
    places = _places(x)
    function(places, **kwargs)
    x[...] = take(x, places)


def _permute(function: Callable[..., Any], x: Any, **kwargs: Any) -> Any:
    """Return an array's elements as NumPy's function, which returns an array, orders places."""
    if not isinstance(x, Handle) or not x._shape:
        return function(exported(x), **kwargs)
    return take(x, function(_places(x), **kwargs))


class Generator(_numpy.Generator):
    """NumPy's generator, which can order arrays of this module."""

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffle an array, or a list, in place along an axis."""
        _shuffle(super().shuffle, x, axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return an array shuffled along an axis, or the numbers below an integer."""
        return _permute(super().permutation, x, axis=axis)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return an array with all its elements shuffled, or those along each line of an axis."""
        if not isinstance(x, Handle) and not isinstance(out, Handle):
            return super().permuted(x, axis=axis, out=out)
        found = _permute(super().permuted, x, axis=axis)
        if out is None:
            return found
        out[...] = found
        return out

    def __reduce__(self) -> Any:
        return Generator, (self.bit_generator,)


class RandomState(_numpy.RandomState):
    """NumPy's older generator, which can order arrays of this module."""

    def shuffle(self, x: Any) -> None:
        """Shuffle an array, or a list, in place along its first axis."""
        _shuffle(super().shuffle, x)

    def permutation(self, x: Any) -> Any:
        """Return an array shuffled along its first axis, or the numbers below an integer."""
        return _permute(super().permutation, x)


def default_rng(seed: Any = None) -> Generator:
    """Return a generator, as `numpy.random.default_rng` seeds it."""
    if isinstance(seed, Generator):
        return seed
    return Generator(_numpy.default_rng(exported(seed)).bit_generator)


def shuffle(x: Any) -> None:
    """Shuffle an array, or a list, in place along its first axis."""
    _shuffle(_numpy.shuffle, x)


def permutation(x: Any) -> Any:
    """Return an array shuffled along its first axis, or the numbers below an integer."""
    return _permute(_numpy.permutation, x)


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
