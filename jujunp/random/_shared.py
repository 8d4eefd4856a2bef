"""What both generators do in the same way: orders, samples, and what NumPy does for us."""

from __future__ import annotations

import functools
import math
from collections.abc import MutableSequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.values.dtypes import FLOAT64, INT64, is_ours

from .._array.array_likes import as_handle
from .._array.handle import Handle
from .._functions.creation.ranges import arange
from .._functions.host import on_host
from .._functions.indexing.taking import take
from .._members.derived import plain
from ._distributions import Distributions
from ._draws import state as states
from ._draws.arguments import array_of, exported, shape_of
from ._draws.few import few
from ._draws.filling import is_writeable
from ._draws.library import KINDS
from ._draws.ordering import places, shuffle_array, shuffle_sequence

if TYPE_CHECKING:
    from collections.abc import Callable


def for_each(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that `vmap` calls for each element of a batch, one after another."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **names: Any) -> Any:
        sizes = states.batch_sizes()
        if not sizes:
            return method(self, *args, **names)
        with states.alone():
            draws = np.array(
                [exported(method(self, *args, **names)) for _ in range(math.prod(sizes))]
            )
        return states.element_of_batches(as_handle(draws.reshape((*sizes, *draws.shape[1:]))))

    return call


class Kind(type):
    """The type of a generator's class. NumPy's own count as instances: programs are given some."""

    def __instancecheck__(cls, x: Any) -> bool:
        numpys = vars(cls).get("_numpys", ())
        return super().__instancecheck__(x) or isinstance(x, numpys)


class Shared(Distributions, metaclass=Kind):
    """Methods of both generators."""

    def _by_numpy(self, name: str, *args: Any, **names: Any) -> Any:
        """Have NumPy's method draw, of the same state."""
        self._source.state.settle()
        return on_host(f"random.{name}", getattr(super(Distributions, self), name), args, names)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffle an array, or a sequence, in place along an axis."""
        if type(x) is list and axis == 0:
            shuffle_sequence(self._order, x)
        elif isinstance(x, (Handle, np.ndarray)) and x.ndim:
            if not is_writeable(x):
                raise ValueError("array is read-only")
            at = int(np.lib.array_utils.normalize_axis_index(axis, x.ndim))
            shuffle_array(self._order, plain(x), at)
        elif isinstance(x, MutableSequence) and axis == 0:
            shuffle_sequence(self._order, x)
        else:
            self._by_numpy("shuffle", x, **({"axis": axis} if axis else {}))

    @few("shuffled", "order")
    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return an array shuffled along an axis, or the integers below a number, shuffled."""
        if isinstance(x, (int, np.integer)):
            if x < 0:
                return arange(x)
            return self._order(int(x))
        array = array_of(x)
        if self._older and not array.ndim:
            raise IndexError("x must be an integer or at least 1-dimensional")
        at = int(np.lib.array_utils.normalize_axis_index(axis, array.ndim))
        order = self._order(array.shape[at])
        if isinstance(array, np.ndarray) and not is_ours(array.dtype):
            return array.take(exported(order), at)
        return take(array, order, at) if at else as_handle(array)[order]

    @few("shuffled", "order")
    def _order(self, count: int) -> Any:
        """Return the integers below a number in a random order."""
        return places(self._source, count)

    def bytes(self, length: int) -> bytes:
        """Return so many random bytes."""
        if not hasattr(length, "__int__"):
            raise TypeError("an integer is required")
        length = int(length)
        words = self._words(max((length - 1) // 4 + 1, 1))  # of none NumPy draws one, too
        return np.asarray(words).astype("<u4").tobytes()[:length]

    def _words(self, count: int) -> Any:
        """Return integers of 32 bits."""
        raise NotImplementedError

    def _units(self, shape: tuple[int, ...]) -> Any:
        """Return numbers between 0 and 1."""
        return self._source.numbers(KINDS["random"], FLOAT64, shape)

    @few("integers", "integers")
    def _below(self, low: int, high: None = None, size: Any = None, dtype: Any = int) -> Any:
        """Return integers below a number: a Python int without a size."""
        found = self._places_below(low, () if size is None else shape_of(size))
        return int(found) if size is None else found

    def _places_below(self, population: int, shape: tuple[int, ...]) -> Any:
        """Return integers below a number."""
        kind = KINDS["older_integers" if self._older else "integers"]
        found = self._source.integers(kind, INT64, shape, 0, max(population - 1, 0))
        if found._value is not None:
            found._value.within = (0, max(population, 1))
        return found
