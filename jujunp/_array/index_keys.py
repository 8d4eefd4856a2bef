"""Keys of `x[key]`, taken apart: what they select, and index arrays for what is no slice."""

from __future__ import annotations

import math
import operator
from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import ensure
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.settling import check_indices
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.run.watching import WATCHES, is_sampling
from jujunp.lazy.values.dtypes import BOOL, INT64, is_integer
from jujunp.lazy.values.value import Value, pack, record

from .array_likes import converted
from .broadcasting import broadcast, shown
from .handle import Array, Handle, header, value_of
from .making import convert, new_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

BASIC = frozenset((int, slice, NoneType, EllipsisType))
"""Types of the parts of keys that select views."""
_NONZERO = OPCODES["nonzero"]


class Advanced:
    """A key with arrays, taken apart.

    `source` is a view of `x` after the basic parts of the key; `arrays` index its axes
    `first .. first + len(arrays)`, moved to the front. `shape` is that of the index arrays
    together, `at` where NumPy puts it in the result. `axes` are those of `x` that the arrays
    are for. `given` are the arrays whose elements may be out of bounds, with their axes' sizes.
    """

    def __init__(self, x: Handle, key: tuple[Any, ...]) -> None:
        self.given: list[tuple[Handle, int, int]] = []
        parts = _expand(x, key, self.given)
        basic: list[Any] = []
        arrays: list[Handle] = []
        places: list[int] = []
        axes: list[int] = []
        axis = 0
        for place, part in enumerate(parts):
            if isinstance(part, (Handle, _Truth)):
                places.append(place)
                axes.append(axis)
            if isinstance(part, Handle):
                arrays.append(part)
                part = slice(None)
            elif isinstance(part, _Truth):
                arrays.append(part.places)
                part = None
            basic.append(part)
            axis += part is not None
        _check_count(arrays)
        seen = header(x)[tuple(basic)]
        shape: tuple[int, ...] = ()
        for array in arrays:
            try:
                shape = broadcast(shape, array._shape)
            except ValueError:
                listed = " ".join(shown(a._shape) for a in arrays if a._shape)
                message = (
                    "shape mismatch: indexing arrays could not be broadcast together "
                    f"with shapes {listed} "
                )
                raise IndexError(message) from None
        rest = [k for k in range(seen.ndim) if k not in places]
        self.adjacent = places == list(range(places[0], places[0] + len(places)))
        self.at = places[0] if self.adjacent else 0
        self.arrays = arrays
        self.axes = tuple(axes)
        self.shape = shape
        self.layout = seen.transpose(*places, *rest)
        self.rest = tuple(seen.shape[k] for k in rest)

    def check(self) -> None:
        """Raise IndexError for an index out of bounds, unless there is none or errors are deferred.

        Pending index arrays are computed, but for those that cannot be out of bounds.
        """
        if 0 not in self.shape:
            for array, size, axis in self.given:
                check_bounds(array, size, axis)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape with the index arrays' axes in front."""
        return self.shape + self.rest

    def indices(self) -> tuple[list[Value], list[np.ndarray | None]]:
        """Return the index arrays as int64 values of the same shape, with their layouts."""
        values: list[Value] = []
        layouts: list[np.ndarray | None] = []
        for array in self.arrays:
            index = array if array._code == INT64 else convert(array, INT64)
            layout = index._layout
            if index._shape != self.shape:
                layout = np.broadcast_to(header(index), self.shape)
            values.append(value_of(index))
            layouts.append(layout)
        return values, layouts

    def placed(self, result: Any) -> Any:
        """Return a result with the index arrays' axes where NumPy has them."""
        count = len(self.shape)
        if not self.at or not count:
            return result
        order = (
            *range(count, count + self.at),
            *range(count),
            *range(count + self.at, len(self.result_shape)),
        )
        return result.transpose(order)

    def fronted(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the axes of the public result in the order of `result_shape`."""
        count = len(self.shape)
        return (
            *range(self.at, self.at + count),
            *range(self.at),
            *range(self.at + count, len(shape)),
        )


class _Truth(NamedTuple):
    """A truth value as a key: a new axis, indexed by [0] if it is true and by [] if not."""

    places: Handle


_NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)

_NO_INTEGERS = "arrays used as indices must be of integer (or boolean) type"


_MOST_ARRAYS = 63
"""Index arrays that NumPy takes; numbers are none."""


def _check_count(arrays: Sequence[Handle]) -> None:
    count = sum(array._shape != () for array in arrays)
    if count > _MOST_ARRAYS:
        raise IndexError(
            "when no subspace is given, the number of index arrays cannot be above "
            f"{_MOST_ARRAYS}, but {count} index arrays found"
        )


def check_bounds(index: Handle, size: int, axis: int, now: bool = False) -> None:
    """Raise IndexError for an index out of bounds: `check_indices` of a handle."""
    check_indices(value_of(index), index._layout, index._code, size, axis, now)


def _expand(x: Handle, key: tuple[Any, ...], given: list[tuple[Handle, int, int]]) -> list[Any]:
    """Return one part for each axis of `x` (and None for new axes); masks become index arrays.

    Index arrays that the key has go to `given`, each with the size and number of its axis.
    """
    parts = [_part(part) for part in key]
    dimensions = len(x._shape)
    used = sum(_width(part) for part in parts)
    if used > dimensions:
        raise IndexError(
            f"too many indices for array: array is {dimensions}-dimensional, "
            f"but {used} were indexed"
        )
    ellipses = [place for place, part in enumerate(parts) if part is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    place = ellipses[0] if ellipses else len(parts)
    parts[place : place + 1] = [slice(None)] * (dimensions - used)
    found: list[Any] = []
    axis = 0
    for part in parts:
        if type(part) is int:
            _check_static(part, x._shape, axis)
            found.append(converted(part))
        elif isinstance(part, Handle):
            found.extend(_index_arrays(part, x._shape, axis))
            if part._code != BOOL:
                given.append((part, x._shape[axis], axis))
        else:
            found.append(part)
        axis += _width(part)
    return found


def _part(part: Any) -> Any:
    """Return a part of a key as None, an ellipsis, an int, a slice or a handle."""
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if isinstance(part, slice):
        return _plain_slice(part)
    if isinstance(part, (list, tuple)) and not len(part):
        part = np.zeros(0, np.int64)
    try:
        array = converted(part)
    except TypeError:
        raise IndexError(_NO_INDEX) from None
    if array._code != BOOL and not is_integer(array._code):
        is_array = array._shape and not isinstance(part, (list, tuple))
        raise IndexError(_NO_INTEGERS if is_array else _NO_INDEX)
    return array


def _width(part: Any) -> int:
    """Return how many axes a part of a key stands for."""
    if part is None or part is Ellipsis:
        return 0
    return len(part._shape) if isinstance(part, Handle) and part._code == BOOL else 1


def _plain_slice(part: slice) -> slice:
    """Return a slice of ints; as it is if it has something else, of which NumPy complains later."""
    ends = part.start, part.stop, part.step
    try:
        return slice(*(None if n is None else operator.index(n) for n in ends))
    except TypeError:
        return part


def _check_static(index: int, shape: tuple[int, ...], axis: int) -> None:
    if not -shape[axis] <= index < shape[axis]:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {shape[axis]}")


def _index_arrays(part: Handle, shape: tuple[int, ...], axis: int) -> list[Handle | _Truth]:
    """Return the integer arrays that an index array or mask stands for."""
    if part._code != BOOL:
        return [part]
    if not part._shape:
        return [_Truth(converted(np.zeros(int(bool(part)), np.int64)))]
    for k, extent in enumerate(part._shape):
        if extent not in (0, shape[axis + k]):  # as in NumPy, an empty axis fits any
            raise IndexError(_no_mask("array", axis + k, shape[axis + k], extent))
    return [*_along_axes(known_places(part), part._shape)]


def _no_mask(what: str, axis: int, size: int, extent: int) -> str:
    return (
        f"boolean index did not match indexed {what} along axis {axis}; size of axis "
        f"is {size} but size of corresponding boolean axis is {extent}"
    )


def flat_nonzero(mask: Handle) -> Handle:
    """Return the flat indices of the true elements of a bool handle; computes their number."""
    count = int(mask.sum())
    value = record(
        pack(_NONZERO, BOOL, INT64),
        (count,),
        (value_of(mask),),
        None if mask._layout is None else (mask._layout,),
    )
    value.within = 0, math.prod(mask._shape)
    return new_array(value, (count,), INT64)


def nonzero(mask: Handle) -> list[Handle]:
    """Return the indices of the true elements along each axis."""
    return _along_axes(flat_nonzero(mask), mask._shape)


def _along_axes(flat: Any, shape: Shape) -> list[Handle]:
    """Return flat indices as indices along each axis."""
    indices: list[Handle] = []
    for extent in reversed(shape):
        if len(indices) == len(shape) - 1:
            indices.append(flat)
        else:
            indices.append(flat % extent)
            flat = flat // extent
    return indices[::-1]


_LARGEST_KNOWN = 1 << 16
"""Elements of a mask whose places are kept, at most."""
_known: tuple[Value, Handle] | None = None
"""The last mask that was a key, and its places: programs use one several times."""


def compute(*handles: Handle) -> bool:
    """Compute arrays that are pending; whether one was, and all can be read now.

    With a mask they are, as the number of its true elements must be known. Nothing is computed
    while calls are watched.
    """
    if WATCHES or is_sampling():
        return False
    pending = [value for value in map(value_of, handles) if value.buffer is None]
    for value in pending:
        ensure(value)
    return bool(pending)


def known_places(mask: Handle) -> Handle:
    """Return the flat indices of a mask's true elements: the last ones again, if it is the same."""
    global _known
    value, known = value_of(mask), _known
    if WATCHES or mask._layout is not None or math.prod(mask._shape) > _LARGEST_KNOWN:
        return flat_nonzero(mask)
    if known is None or known[0] is not value:
        known = _known = value, flat_nonzero(mask)
    return known[1]


def simple(part: Any) -> Any:
    """Return NumPy integers and 0-d integer arrays as ints, other parts as they are."""
    if type(part) in BASIC or isinstance(part, (bool, np.bool_)):
        return part
    if isinstance(part, np.integer):
        return int(part)
    if isinstance(part, np.ndarray) and part.dtype.kind in "bui":
        part = converted(part)
    if isinstance(part, Handle) and not part._shape and is_integer(part._code):
        return int(part)
    if isinstance(part, slice):
        return _plain_slice(part)
    if not isinstance(part, (Handle, list, tuple)) and hasattr(type(part), "__index__"):
        return _as_int(part)
    return part


def _as_int(part: Any) -> Any:
    """Return an object that can be an index as an int; as it is if it refuses."""
    try:
        return operator.index(part)
    except TypeError:
        return part


_NO_FLAT_INDEX = _NO_INDEX.replace(", numpy.newaxis (`None`)", "")
_NO_FLAT_MASK = (
    "boolean indices for iterators are not supported because of previous behavior that was "
    "confusing (valid boolean indices are expected to work in the future)"
)
_FLAT_TRUTH = (
    "Indexing flat iterators with a 0-dimensional boolean index is deprecated and may be removed "
    "in a future version. (Deprecated NumPy 2.4)"
)
_FLAT_FLOATS = (
    "Invalid non-array indices for iterator objects are deprecated and will be removed in a "
    "future version. (Deprecated NumPy 2.4)"
)


def flat_key(key: Any, size: int) -> Any:
    """Return an index of elements in a row as an int, a slice or an array; an int is in bounds.

    IndexError for what NumPy's flat iterators refuse.
    """
    in_tuple = type(key) is tuple
    if in_tuple:
        if not key:
            return slice(None)
        if len(key) > 1 and ... in key:
            raise IndexError(_NO_FLAT_INDEX)
        if len(key) > 1:
            raise IndexError(_too_many_in_a_row(len(key)))
        (key,) = key
    if isinstance(key, slice) or key is ...:
        return key
    if isinstance(key, (np.ndarray, Array)) or (type(key) is bool and not in_tuple):
        found = _array_in_a_row(key, size)
    else:
        found = simple(key)
        if type(found) is not int:
            found = _given_in_a_row(found)
    if type(found) is int and not -size <= found < size:
        raise IndexError(f"index {found} is out of bounds for size {size}")
    return found


def _too_many_in_a_row(count: int) -> str:
    return (
        "too many indices for flat iterator: flat iterator is 1-dimensional, "
        f"but {count} were indexed"
    )


def _array_in_a_row(key: Any, size: int) -> Any:
    """Return an array, or a truth value, as an index of elements in a row."""
    array = converted(key)
    if array._code != BOOL:
        if not is_integer(array._code):
            raise IndexError(_NO_INTEGERS)
        return array if array._shape else int(array)
    if not array._shape:
        warn_user(_FLAT_TRUTH, DeprecationWarning)
        return 0 if array else slice(0, 0)
    if len(array._shape) > 1:
        raise IndexError(_too_many_in_a_row(len(array._shape)))
    if array._shape[0] not in (0, size):
        raise IndexError(_no_mask("flat iterator", 0, size, array._shape[0]))
    return array


def _given_in_a_row(key: Any) -> Any:
    """Return a number, or what can be made an array, as an index of elements in a row."""
    if key is None:
        raise IndexError(_NO_FLAT_INDEX)
    if isinstance(key, (list, tuple)) and not len(key):
        key = np.zeros(0, np.int64)
    try:
        array = converted(key)
    except TypeError:
        raise IndexError(_NO_FLAT_INDEX) from None
    if array._code == BOOL:
        raise IndexError(_NO_FLAT_MASK)
    if not is_integer(array._code):
        warn_user(_FLAT_FLOATS, DeprecationWarning)
        array = convert(array, INT64)
    return array if array._shape else int(array)


def is_basic(key: tuple[Any, ...]) -> bool:
    """Whether a key has no arrays: what it selects is a view."""
    return all(type(simple(part)) in BASIC for part in key)
