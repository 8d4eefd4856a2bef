"""`numpy.random`, whose functions for the order of elements take arrays of this module.

Random numbers are NumPy's arrays: libraries that are given a generator write to them. Of an array
of this module NumPy orders the places, and our kernels move the elements. Generators are subclasses
of NumPy's. Under `vmap` they draw for each element of the batch.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import random as _numpy

from jujunp.lazy.run.watching import WATCHES

from ._array.array_likes import as_handle
from ._array.handle import Handle, whole_value
from ._array.making import wrap
from ._functions.host import exported
from ._functions.indexing.taking import take

if TYPE_CHECKING:
    from collections.abc import Callable


def _drawn(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return random numbers; under `vmap`, those of the elements of the batch, one by one."""
    batches = [watch for watch in WATCHES if watch.size]
    if not batches:
        return function(*args, **kwargs)
    sizes = [batch.size for batch in batches]
    draws = np.array([function(*args, **kwargs) for _ in range(math.prod(sizes))])
    found = as_handle(draws.reshape((*sizes, *draws.shape[1:])))
    for batch in batches:
        found = wrap(batch.element_of(whole_value(found)), found._shape[1:], found._code)
    return found


def _drawing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function or method of NumPy's that draws random numbers."""

    @functools.wraps(function)
    def draw(*args: Any, **kwargs: Any) -> Any:
        return _drawn(function, *args, **kwargs)

    return draw


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


_ORDERING = frozenset(("shuffle", "permutation", "permuted"))
_DRAWING = frozenset(
    name
    for name in (*dir(_numpy.Generator), *dir(_numpy.RandomState), "ranf", "sample")
    if name[0] != "_" and name not in _ORDERING
) - {"bit_generator", "spawn", "seed", "get_state", "set_state"}
"""What draws random numbers: of generators, and of the module."""
for _kind in (Generator, RandomState):
    for _name in _DRAWING & frozenset(dir(_kind)):
        setattr(_kind, _name, _drawing(getattr(_kind, _name)))


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
    found = getattr(_numpy, name)
    return _drawing(found) if name in _DRAWING else found


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_numpy)})
