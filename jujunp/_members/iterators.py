"""Arrays as iterators: elements in a row, with their indices, or of several arrays together."""

from __future__ import annotations

import inspect
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.library import TYPES
from jujunp.lazy.run import machine
from jujunp.lazy.run.settling import deferring, first_outside
from jujunp.lazy.values.dtypes import Foreign, is_integer

from .._array.arguments import check_few_axes
from .._array.array_likes import check_scalars
from .._array.handle import (
    NUMBERS,
    Array,
    Handle,
    header,
    is_derived,
    ndarray,
    scalar,
    value_of,
)
from .._array.index_keys import flat_key
from .._array.indexing import as_source, picked
from .._array.promotion import as_number
from .._functions.creation.arrays import asarray
from .._functions.creation.ranges import iota
from .._functions.host import on_host
from .._functions.indexing.taking import unravel_index
from .._functions.manipulation.rearranging import resize as resized
from .._functions.manipulation.shapes import broadcast_shapes, broadcast_to
from .derived import as_class, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jujunp.lazy.values.types import Shape

__all__ = ["broadcast", "flatiter", "ndenumerate"]


if TYPE_CHECKING:

    class Flat:
        """Elements in C order: a type of the library."""

        _seen: Any
        _row: Any
        _of: Any
        _index: int
        _size: int

        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __next__(self) -> Any: ...
        def __getitem__(self, key: Any) -> Any: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...

else:
    Flat = TYPES["flat type"]


class flatiter(Flat):
    """The elements of an array in C order, as `x.flat` gives them: an iterator, and a sequence.

    Elements that are read are copies. Values that are written are repeated as often as needed. With
    a shape, they are those of the array as it broadcasts to that. Elements that are usual are read
    and written by the type that this is derived from.
    """

    __slots__ = ()

    def __init__(self, base: Any, shape: Shape | None = None) -> None:
        check_few_axes(len(base._shape))
        self._of = base
        whole = plain(base) if is_derived(base) else base
        spread = shape not in (None, base._shape)
        self._seen = seen = broadcast_to(whole, shape) if spread else whole
        self._index = 0
        self._size = seen.size
        self._row = seen.reshape(-1) if header(seen).flags.c_contiguous else None

    @property
    def base(self) -> Any:
        """The array."""
        return self._of

    @property
    def index(self) -> int:
        """The place of the next element in C order."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices along the axes of the next element."""
        return _indices(self._index, self._seen.shape)

    def _element(self, place: int) -> Any:
        row = self._row
        return self._seen[_indices(place, self._seen.shape)] if row is None else row[place]

    def copy(self, /) -> Any:
        """Return the elements in an array of one dimension."""
        return self._finished(self._seen.flatten())

    def __array__(self, /, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        row = self._seen.reshape(-1)
        found: np.ndarray = row.__array__(dtype, copy)
        if row._base is None or not header(self._seen).flags.c_contiguous:
            found.flags.writeable = False  # what is written to it is not seen by the array
        return found

    def _delete(self, key: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def _get(self, key: Any) -> Any:
        key = flat_key(key, self._size)
        if type(key) is int:
            return self._element(key if key >= 0 else key + self._size)
        _check_places(key, self._size)
        found = self._seen.reshape(-1)[key]
        return self._finished(found.copy()) if isinstance(found, Array) else found

    def _finished(self, found: ndarray) -> Any:
        return as_class(found, type(self._of), self._of) if is_derived(self._of) else found

    def _set(self, key: Any, value: Any) -> None:
        if type(key) is tuple and key in ((), (...,)):
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        key = flat_key(key, len(self))
        if type(value) in NUMBERS or isinstance(value, scalar):
            value = _number(value, self._seen._code, alone=type(key) is int)
        new: Any = as_source(value, self._seen._code)
        if 0 not in new._shape:  # NumPy does not look at the indices either
            _check_places(key, len(self))
        row = iota(len(self))
        places: Any = picked(row, key) if isinstance(key, Handle) else row[key]
        if not places._shape and new._shape:
            raise ValueError("Error setting single item of array.")
        if not places.size or 0 in new._shape:
            return
        if new._shape:
            new = resized(new, places.size).reshape(places.shape)
        if header(self._seen).flags.c_contiguous:
            self._seen.reshape(-1)[key] = new
        else:
            self._seen[unravel_index(places, self._seen.shape)] = new


def _number(x: Any, code: int, *, alone: bool) -> Any:
    """Return a number as one of a dtype; ValueError, as in NumPy, for one element that has none."""
    try:
        if isinstance(x, scalar):
            check_scalars(x, code)
            return x
        return as_number(x, code)
    except (OverflowError, TypeError, ValueError):
        if alone:
            raise ValueError("Error setting single item of array.") from None
        raise


def _indices(place: int, shape: Shape) -> tuple[int, ...]:
    """Return the indices of a place in C order; that behind the last one has some, too."""
    found = []
    for extent in reversed(shape[1:]):
        place, index = divmod(place, extent) if extent else (0, 0)
        found.append(index)
    if shape:
        found.append(place)
    return tuple(reversed(found))


def _check_places(key: Any, size: int) -> None:
    """Raise IndexError for an index array that is out of bounds, unless errors are deferred."""
    if not isinstance(key, Handle) or not is_integer(key._code) or deferring():
        return
    bad = first_outside(value_of(key), key._layout, key._code, -size, size)
    if bad is not None:
        raise IndexError(f"index {bad} is out of bounds for size {size}")


def _comparison(name: str) -> Callable[[flatiter, Any], Any]:
    def compare(self: flatiter, other: Any) -> Any:
        return getattr(self.copy(), name)(other)

    return compare


machine.set_flat_class(flatiter)
for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(flatiter, _name, _comparison(_name))


class ndenumerate:
    """The indices along the axes, and the element, for each element of an array in C order.

    Of an array whose elements are no numbers it is NumPy's.
    """

    iter: flatiter
    _pairs: Iterator[tuple[tuple[int, ...], Any]]

    def __new__(cls, arr: Any) -> Any:
        try:
            found = asarray(arr)
        except Foreign:
            return on_host("ndenumerate", np.ndenumerate, (arr,), {})
        made = super().__new__(cls)
        made.iter = flatiter(found)
        made._pairs = zip(itertools.product(*map(range, found.shape)), made.iter, strict=True)
        return made

    def __iter__(self) -> ndenumerate:
        return self

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self._pairs)


def _set_flat(self: Any, value: Any) -> None:
    flatiter(self)[:] = value


_MOST = 64
"""Arrays at most, as in NumPy."""


class broadcast:
    """Arrays of one shape, to which they broadcast: an iterator over tuples of their elements.

    Args: array_likes; what is such an object stands for its arrays. ValueError for more than 64
    arrays, for those that do not broadcast, and for arguments with names.
    """

    __signature__ = inspect.Signature(
        [inspect.Parameter("arrays", inspect.Parameter.VAR_POSITIONAL)]
    )

    shape: Shape
    """The shape that the arrays broadcast to."""
    iters: tuple[flatiter, ...]
    """The elements of each array, which are repeated to the shape."""
    index: int
    """The place of the next elements in C order."""

    def __new__(cls, *arrays: Any, **named: Any) -> Any:
        if named:
            raise ValueError("keyword arguments not accepted.")
        try:
            found = [x for given in arrays for x in _arrays_of(given)]
        except Foreign:
            return on_host("broadcast", np.broadcast, arrays, {})
        if len(found) > _MOST:
            raise ValueError(f"Need at least 0 and at most {_MOST} array objects.")
        made = super().__new__(cls)
        made.shape = broadcast_shapes(*(x._shape for x in found))
        made.iters = tuple(flatiter(x, made.shape) for x in found)
        made.index = 0
        return made

    @property
    def size(self) -> int:
        """The number of tuples."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    nd = ndim

    @property
    def numiter(self) -> int:
        """The number of arrays."""
        return len(self.iters)

    def reset(self, /) -> None:
        """Begin again with the first elements."""
        self.index = 0
        for each in self.iters:
            each._index = 0

    def __iter__(self) -> broadcast:
        return self

    def __next__(self) -> tuple[Any, ...]:
        if self.index >= self.size:
            raise StopIteration
        self.index += 1
        return tuple(map(next, self.iters))


def _arrays_of(given: Any) -> list[Any]:
    """Return the arrays that an argument stands for."""
    if isinstance(given, (broadcast, np.broadcast)):
        return [x for each in given.iters for x in _arrays_of(each.base)]
    return [given if isinstance(given, Array) else asarray(given)]


OF_ARRAYS = {
    "flat": property(TYPES["flat"], _set_flat, doc="The elements in C order; can be assigned to."),
}
