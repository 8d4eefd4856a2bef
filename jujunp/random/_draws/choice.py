"""Samples: `choice` of both generators."""

from __future__ import annotations

import math
import operator
from bisect import bisect_right
from itertools import accumulate
from typing import Any

import numpy as np

from jujunp.lazy.run.sites import package
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import is_ours

from ..._array.array_likes import as_handle, numpy_array
from ..._array.handle import Array, Handle, ndarray
from ..._functions.creation.arrays import zeros
from ..._functions.indexing.taking import take
from ..._functions.reductions.scans import cumsum
from ..._functions.searching.sets import unique
from ..._functions.searching.sorting import searchsorted, sort
from .arguments import array_of, exported, refuse, shape_of
from .state import Source

_ARRAYS = ndarray, np.ndarray
_FEW = 256
"""Probabilities of which a sum in Python takes less time than recording one."""
_TOLERANCE = math.sqrt(np.finfo(np.float64).eps)
"""How far the sum of probabilities may be from 1."""
_SURELY = 0.99 * _TOLERANCE
"""The same, where the sum is rounded."""


def chosen_at_once(generator: Any, a: Any, size: Any, p: Any, *, older: bool) -> Any:
    """Return a sample with replacement in the usual cases, along the first axis; else None.

    It is one of the integers below a number, or of the rows of an array. The older generator takes
    arrays with one axis only.
    """
    a = _population(a)
    count = a if type(a) is int else len(a) if type(a) in _ARRAYS and a.ndim else 0
    if count <= 0 or WATCHES or (older and type(a) is not int and a.ndim != 1):
        return None
    if p is None:
        places = generator._below(count, None, size)
    elif (shape := _usual_shape(size)) is not None and (chances := _usual_chances(p, count)):
        places = _places(chances, generator, None if size is None else shape)
    else:
        return None
    if type(a) is int:
        return places
    if type(a) is ndarray:
        return a[places]
    found = a[exported(places)]
    return found if size is None or np.ndim(found) else np.asarray(found, a.dtype)


def _usual_shape(size: Any) -> tuple[int, ...] | None:
    """Return the shape that is given by positive integers, else None."""
    shape = () if size is None else (size,) if type(size) is int else size
    if type(shape) is not tuple or not all(type(length) is int for length in shape):
        return None
    return shape if all(length > 0 for length in shape) else None


def _places(chances: list[float], generator: Any, shape: tuple[int, ...] | None) -> Any:
    """Return places by their probabilities: those of numbers from 0 to 1 among the sums."""
    if shape is None:
        return _place(list(accumulate(chances)), generator.random())
    calls = package()  # which are learnt
    ends = calls.cumsum(calls.asarray(chances))
    return calls.searchsorted(ends / ends[-1], generator._units(shape), side="right")


def _place(ends: list[float], unit: float) -> int:
    """Return where a number from 0 to 1 falls among the sums of probabilities, made to end at 1."""
    return bisect_right(ends, unit, key=ends[-1].__rtruediv__)


def _population(a: Any) -> Any:
    """Return a sequence or NumPy's array as an array; as one of NumPy's if it has no numbers.

    All else is given back.
    """
    if type(a) not in (list, tuple, range) and not (type(a) is np.ndarray and a.ndim):
        return a
    if len(a) and isinstance(a[0], (str, bytes)):
        return numpy_array(a)
    try:
        return package().asarray(a)
    except TypeError:  # other dtypes, in strict mode
        return numpy_array(exported(a))


def _usual_chances(p: Any, count: int) -> list[float]:
    """Return probabilities, none unless they are float64 and surely allowed."""
    if count > _FEW:
        return []
    found = p.tolist() if isinstance(p, (Array, np.ndarray)) and p.dtype == np.float64 else p
    if type(found) is not list:
        return []
    if len(found) != count or set(map(type, found)) != {float} or min(found) < 0.0:
        return []
    return found if abs(sum(found) - 1.0) <= _SURELY else []


class Choice:
    """A call of `choice`, whose arguments NumPy's method checks where they are wrong."""

    def __init__(
        self,
        generator: Any,
        a: Any,
        size: Any,
        replace: Any,
        p: Any,
        axis: int = 0,
        shuffle: bool | None = None,
    ) -> None:
        self.generator = generator
        self.source: Source = generator._source
        self.a = array_of(_population(a))
        self.size = None if size is None else shape_of(size)
        self.replace = replace
        self.axis = axis
        self.shuffle = shuffle
        """Whether a sample without replacement is in random order; None for the older generator."""
        self.arguments = (a, size, replace, p) if shuffle is None else (a, size, replace, p, axis)
        self.population = self._population()
        self.chances = None if p is None else self._checked(exported(p))

    def _refuse(self) -> None:
        refuse(self.generator._oracle.choice, *map(exported, self.arguments))

    def _count(self) -> int:
        return 1 if self.size is None else math.prod(self.size)

    def _population(self) -> int:
        """Return of how many the sample is."""
        found = 0
        if not self.a.ndim:
            try:
                found = operator.index(exported(self.a).item())
            except TypeError:
                self._refuse()
        elif self.shuffle is None and self.a.ndim != 1:
            self._refuse()
        else:
            found = self.a.shape[self.axis]
        if found <= 0 and self._count():
            self._refuse()
        return found

    def _checked(self, p: Any) -> np.ndarray:
        """Return the probabilities."""
        tolerance = _TOLERANCE
        if isinstance(p, np.ndarray) and np.issubdtype(p.dtype, np.floating):
            tolerance = max(tolerance, math.sqrt(np.finfo(p.dtype).eps))
        try:
            found = np.asarray(p).astype(np.float64, casting="same_kind")
        except (TypeError, ValueError):
            self._refuse()
        fine = found.ndim == 1 and found.size == self.population
        if not fine or not abs(math.fsum(found) - 1.0) <= tolerance or (found < 0).any():
            self._refuse()
        return found

    def sample(self) -> Any:
        """Return the sample."""
        if self.replace:
            places = self._with_replacement()
        else:
            if self._count() > self.population:
                self._refuse()
            places = self._without_replacement()
        if self.size is None:
            places = int(np.asarray(places).item())
        if not self.a.ndim:
            return places
        if not isinstance(self.a, Handle) and not is_ours(self.a.dtype):
            return self.a.take(np.asarray(places), axis=self.axis)  # text, objects
        if isinstance(self.a, Handle) and self.axis == 0 and self.size != ():
            return self.a[places]
        return take(self.a, places, self.axis)

    def _with_replacement(self) -> Any:
        shape = () if self.size is None else self.size
        if self.chances is None:
            return self.generator._places_below(self.population, shape)
        ends = cumsum(as_handle(self.chances))
        return searchsorted(ends / ends[-1], self.generator._units(shape), side="right")

    def _without_replacement(self) -> Any:
        shape = () if self.size is None else self.size
        count = self._count()
        if self.chances is None:
            return self.generator._different(count, self.population, self.shuffle).reshape(shape)
        if np.count_nonzero(self.chances > 0) < count:
            self._refuse()
        if self.population > _FEW:
            return self._one_by_one(count).reshape(shape)
        return self._few(self.chances.tolist(), count).reshape(shape)

    def _few(self, chances: list[float], count: int) -> Any:
        """Return different places by probabilities: what was drawn before has none any more."""
        found: list[int] = []
        while len(found) < count:
            for place in found:
                chances[place] = 0.0
            ends = list(accumulate(chances))
            units = self.generator._units((count - len(found),)).tolist()
            found += dict.fromkeys(_place(ends, unit) for unit in units)
        return package().array(found) if found else zeros(0, "int64")

    def _one_by_one(self, count: int) -> Any:
        """Return the same of many."""
        chances, found = as_handle(self.chances), zeros(count, "int64")
        done = 0
        while done < count:
            units = self.generator._units((count - done,))
            chances[found[:done]] = 0
            ends = cumsum(chances)
            new = searchsorted(ends / ends[-1], units, side="right")
            new = new[sort(unique(new, return_index=True)[1])]
            found[done : done + new.size] = new
            done += new.size
        return found
