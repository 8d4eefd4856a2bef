"""Reading and writing elements: `x[key]`, `x[key] = v`, and `where=`."""

from __future__ import annotations

from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.dtypes import BOOL, DTYPES, INT64, is_complex, is_integer
from jujunp.lazy.flush import flush
from jujunp.lazy.machine import OPCODES
from jujunp.lazy.sites import user_line
from jujunp.lazy.value import LIMIT, LOG, Value

from ._broadcast import broadcast
from ._handle import COPIES, COPY, NUMBERS, STORES, Handle, header, rebind, store_code, value_of
from ._ndarray import (
    _Array,
    _holds_handles,
    as_handle,
    convert,
    copy,
    ndarray,
    new_array,
    scalar,
    view,
    wrap,
)
from ._promotion import pack
from ._recording import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.types import Scalar

_BASIC = frozenset((int, slice, NoneType, EllipsisType))
_GATHER = OPCODES.get("gather", -1)
_SCATTER = OPCODES.get("scatter", -1)
_NONZERO = OPCODES.get("nonzero", -1)
_SELECT = OPCODES["select_n"]


def getitem(x: Handle, key: Any) -> Any:
    """`x[key]`: a view, an element, or with arrays in the key a copy."""
    seen = x._header
    if seen is None:
        seen = header(x)
    kind = type(key)
    if kind is tuple:
        element = True
        for part in key:
            kind = type(part)
            if kind is not int:
                if kind not in _BASIC:
                    return _advanced(x, key)
                element = False
        if element and len(key) == len(x._shape):
            return _element(x, seen[(*key, ...)])
        layout = seen[key]
    elif kind is int:
        layout = seen[key, ...]
        if len(x._shape) == 1:
            return _element(x, layout)
    elif kind in _BASIC:
        layout = seen[key]
    else:
        return _advanced(x, (key,))
    base = x._base
    if base is None:
        if type(x) is scalar:
            return view(x, layout)
        result = ndarray(None, x, layout, layout.shape, x._code)
        result._key = key
    else:
        result = ndarray(None, base, layout, layout.shape, x._code)
    result._readonly = x._readonly
    return result


def _element(x: Handle, layout: np.ndarray) -> scalar:
    """Return one element: a copy, since later writes do not change it."""
    if len(LOG) > LIMIT:
        flush()
    base = x._base
    code = x._code
    value = x._value if base is None else base._value
    return scalar(Value(COPIES[code], (), (value,), (layout,)), None, None, (), code)  # type: ignore[arg-type]


def setitem(x: Any, key: Any, item: Any) -> None:  # noqa: C901 (hot: no calls)
    """`x[key] = item`, recorded."""
    if len(LOG) > LIMIT:
        flush()
    if x._readonly:
        raise ValueError("assignment destination is read-only")
    seen = x._header
    if seen is None:
        seen = header(x)
    kind = type(key)
    if kind is tuple:
        for part in key:
            if type(part) not in _BASIC:
                _set_advanced(x, key, item)
                return
        layout = seen[key]
        if type(layout) is not np.ndarray:
            layout = seen[(*key, ...)]
            if type(item) is not scalar:
                _check_single(item, x._code)
    elif kind is int:
        layout = seen[key, ...]
        if type(item) is not scalar and len(x._shape) == 1:
            _check_single(item, x._code)
    elif kind in _BASIC:
        layout = seen[key]
    else:
        _set_advanced(x, (key,), item)
        return
    base = x._base
    if base is None:
        if type(item) is ndarray and item._base is x and item._key is key is not None:
            return  # `x[key] += v` has written through the view already
        base = x
    code = x._code
    source: Any
    if type(item) is scalar and item._code == code:
        source, source_layout = item._value, None
    else:
        source, source_layout = _source(item, layout.shape, code)
    operation = STORES[code] if base._code == code else store_code(x, base)
    while True:
        old: Any = base._value
        value = Value(operation, base._shape, (old, source), (layout, source_layout))
        if base._value is old:  # as `rebind`, without the call
            base._value = value
            return


def _check_single(item: Any, code: int) -> None:
    """Raise as NumPy does when one element is set to something with axes."""
    if code == BOOL and getattr(item, "size", 0) == 1:
        return  # NumPy takes its truth value
    if getattr(item, "shape", ()) or type(item) in (list, tuple):
        raise ValueError("setting an array element with a sequence.")


def _source(item: Any, shape: tuple[int, ...], code: int) -> tuple[Any, np.ndarray | None]:
    """Return what is written as a value (or number) of the dtype, with its layout."""
    kind = type(item)
    if kind in NUMBERS:
        return as_number(item, code), None
    if not shape and (kind is list or kind is tuple):
        raise ValueError("setting an array element with a sequence.")
    source = _as_source(item, code)
    if source._shape != shape:
        source = _trimmed(source, shape)
    if source._code != code:
        return value_of(convert(source, code)), None
    base = source._base
    return (source._value if base is None else base._value), source._layout


def _as_source(item: Any, code: int) -> Handle:
    """Return what is written as a handle; what is no array is made one of the dtype by NumPy."""
    if isinstance(item, (list, tuple)) and not _holds_handles(item):
        return as_handle(np.asarray(item, DTYPES[code]))
    try:
        return as_handle(item)
    except TypeError:  # text, None and the like: NumPy converts them, or says why not
        return as_handle(np.asarray(item, DTYPES[code]))


def as_number(item: Any, code: int) -> Scalar:
    """Return a Python number converted to what an array of the dtype holds."""
    if is_integer(code):
        number = int(item)
        info = np.iinfo(DTYPES[code])
        if not info.min <= number <= info.max:
            raise OverflowError(f"Python integer {item} out of bounds for {DTYPES[code]}")
        return number
    if code == BOOL:
        return bool(item)
    return complex(item) if is_complex(code) else float(item)


def _trimmed(source: Handle, shape: tuple[int, ...]) -> Handle:
    """Return the source without leading axes of length one that the destination lacks."""
    extra = len(source._shape) - len(shape)
    if extra > 0 and all(n == 1 for n in source._shape[:extra]):
        source = view(source, header(source).reshape(source._shape[extra:]))
    try:
        if broadcast(source._shape, shape) == shape:
            return source
    except ValueError:
        pass
    raise ValueError(
        f"could not broadcast input array from shape {_shown(source._shape)} "
        f"into shape {_shown(shape)}"
    )


def _shown(shape: tuple[int, ...]) -> str:
    return str(shape).replace(" ", "")


# -- keys with arrays


class Advanced:
    """A key with arrays, taken apart.

    `source` is a view of `x` after the basic parts of the key; `arrays` index its axes
    `first .. first + len(arrays)`, moved to the front. `shape` is that of the index arrays
    together, `at` where NumPy puts it in the result. `axes` are those of `x` that the arrays
    are for.
    """

    def __init__(self, x: Handle, key: tuple[Any, ...]) -> None:
        parts = _expand(x, key)
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
        seen = header(x)[tuple(basic)]
        shape: tuple[int, ...] = ()
        for array in arrays:
            try:
                shape = broadcast(shape, array._shape)
            except ValueError:
                listed = " ".join(_shown(a._shape) for a in arrays)
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


def _expand(x: Handle, key: tuple[Any, ...]) -> list[Any]:
    """Return one part for each axis of `x` (and None for new axes); masks become index arrays."""
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
            found.append(as_handle(part))
        elif isinstance(part, Handle):
            found.extend(_index_arrays(part, x._shape, axis))
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
        array = as_handle(part)
    except TypeError:
        raise IndexError(_NO_INDEX) from None
    if array._code != BOOL and not is_integer(array._code):
        if not array._shape:
            raise IndexError(_NO_INDEX)
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return array


def _width(part: Any) -> int:
    """Return how many axes a part of a key stands for."""
    if part is None or part is Ellipsis:
        return 0
    return len(part._shape) if isinstance(part, Handle) and part._code == BOOL else 1


def _plain_slice(part: slice) -> slice:
    return slice(
        *(None if n is None else int(n.__index__()) for n in (part.start, part.stop, part.step))
    )


def _check_static(index: int, shape: tuple[int, ...], axis: int) -> None:
    if not -shape[axis] <= index < shape[axis]:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {shape[axis]}")


def _index_arrays(part: Handle, shape: tuple[int, ...], axis: int) -> list[Handle | _Truth]:
    """Return the integer arrays that an index array or mask stands for."""
    if part._code != BOOL:
        return [part]
    if not part._shape:
        return [_Truth(as_handle(np.zeros(int(bool(part)), np.int64)))]
    for k, extent in enumerate(part._shape):
        if extent not in (0, shape[axis + k]):  # as in NumPy, an empty axis fits any
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + k}; size of axis "
                f"is {shape[axis + k]} but size of corresponding boolean axis is {extent}"
            )
    return [*nonzero(part)]


def flat_nonzero(mask: Handle) -> Handle:
    """Return the flat indices of the true elements of a bool handle; computes their number."""
    count = int(mask.sum())  # type: ignore[attr-defined]
    value = Value(
        pack(_NONZERO, BOOL, INT64),
        (count,),
        (value_of(mask),),
        None if mask._layout is None else (mask._layout,),
    )
    return new_array(value, (count,), INT64)


def nonzero(mask: Handle) -> list[Handle]:
    """Return the indices of the true elements along each axis."""
    flat: Any = flat_nonzero(mask)
    indices: list[Handle] = []
    for extent in reversed(mask._shape):
        if len(indices) == len(mask._shape) - 1:
            indices.append(flat)
        else:
            indices.append(flat % extent)
            flat = flat // extent
    return indices[::-1]


def _advanced(x: Handle, key: tuple[Any, ...]) -> Any:
    if len(LOG) > LIMIT:
        flush()
    simple = tuple(_simple(part) for part in key)
    if all(type(part) in _BASIC for part in simple):
        found = getitem(x, simple)
        if type(found) is ndarray and any(isinstance(part, (ndarray, np.ndarray)) for part in key):
            return found.copy()  # an integer in an array without axes gives a copy
        return found
    key = simple
    taken = Advanced(x, key)
    values, layouts = taken.indices()
    value = Value(
        pack(_GATHER, x._code, x._code),
        taken.result_shape,
        (value_of(x), *values),
        (taken.layout, *layouts),
        (len(values),),
    )
    value.site = user_line(taken.axes)
    return taken.placed(wrap(value, taken.result_shape, x._code))


def _simple(part: Any) -> Any:
    """Return NumPy integers and 0-d integer arrays as ints, other parts as they are."""
    if type(part) in _BASIC or isinstance(part, (bool, np.bool_)):
        return part
    if isinstance(part, np.integer):
        return int(part)
    if isinstance(part, np.ndarray) and part.dtype.kind in "bui":
        part = as_handle(part)
    if isinstance(part, Handle) and not part._shape and is_integer(part._code):
        return int(part)  # type: ignore[call-overload]
    if isinstance(part, slice):
        return _plain_slice(part)
    return part


def is_basic(key: tuple[Any, ...]) -> bool:
    """Whether a key has no arrays: what it selects is a view."""
    return all(type(_simple(part)) in _BASIC for part in key)


def _set_advanced(x: Any, key: tuple[Any, ...], item: Any) -> None:
    key = tuple(_simple(part) for part in key)
    if all(type(part) in _BASIC for part in key):
        setitem(x, key, item)
        return
    if len(key) == 1 and _is_mask(key[0], x) and _set_masked(x, key[0], item):
        return
    scatter(x, key, item, _SCATTER)


def _is_mask(part: Any, x: Handle) -> bool:
    return isinstance(part, Handle) and part._code == BOOL and part._shape == x._shape


def _set_masked(x: Any, mask: Handle, item: Any) -> bool:
    """Write a number where a mask is true: needs no count of the places."""
    source = item if type(item) in NUMBERS else as_handle(item)
    if isinstance(source, Handle) and source._shape not in ((), (1,)):
        if len(source._shape) > 1:
            raise TypeError(
                "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                f"input has {len(source._shape)} dimensions"
            )
        return False
    select_into(x, mask, source)
    return True


def select_into(x: Any, mask: Handle, source: Any) -> None:
    """Replace the elements of `x` where the mask is true; all broadcast to the shape of `x`."""
    code = x._code
    if isinstance(source, Handle):
        new = source if source._code == code else convert(source, code)
        case: Any = value_of(new)
        layout = new._layout
    else:
        case, layout = as_number(source, code), None
    layouts = (mask._layout, x._layout, layout)
    value = Value(pack(_SELECT, code, code), x._shape, (value_of(mask), value_of(x), case), layouts)
    x._write(new_array(value, x._shape, code))


def recast(x: Any, write: Callable[[ndarray], None]) -> bool:
    """Write a copy of an array, and that to it, if it is a view of memory of another dtype.

    No kernel scatters into such a view.
    """
    if x._base is None or x._base._code == x._code:
        return False
    copied = copy(x)
    write(copied)
    x._write(copied)
    return True


def scatter(x: Any, key: tuple[Any, ...], item: Any, kernel: int) -> None:
    """Record `x[key] = item` (or an accumulating form of it) for a key with arrays."""
    if recast(x, lambda copied: scatter(copied, key, item, kernel)):
        return
    taken = Advanced(x, key)
    code = x._code
    public = taken.placed(_Shaped(taken.result_shape)).shape
    source = (
        _as_source(item, code)
        if type(item) not in NUMBERS
        else as_handle(as_number(item, code), code)
    )
    if source._shape != public:
        source = _trimmed_to(source, public)
    if source._code != code:
        source = convert(source, code)
    spread = np.broadcast_to(header(source), public).transpose(taken.fronted(public))
    values, layouts = taken.indices()
    owner = x if x._base is None else x._base
    site = user_line(taken.axes)
    while True:
        old: Any = owner._value
        value = Value(
            pack(kernel, code, code),
            owner._shape,
            (old, value_of(source), *values),
            (taken.layout, spread, *layouts),
            (len(values),),
        )
        value.site = site
        if rebind(owner, old, value):
            return


def _trimmed_to(source: Handle, shape: tuple[int, ...]) -> Handle:
    try:
        return _trimmed(source, shape)
    except ValueError:
        raise ValueError(
            f"shape mismatch: value array of shape {_shown(source._shape)} could not be broadcast "
            f"to indexing result of shape {_shown(shape)}"
        ) from None


class _Shaped:
    """A shape that can be transposed."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def transpose(self, order: tuple[int, ...]) -> _Shaped:
        return _Shaped(tuple(self.shape[axis] for axis in order))


def where_mask(where: Any) -> Handle:
    """Return a `where` argument: NumPy converts lists and numbers to bool, but not arrays."""
    mask = as_handle(where, None if isinstance(where, (Handle, np.ndarray)) else BOOL)
    if mask._code != BOOL:
        raise TypeError(
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') "  # type: ignore[attr-defined]
            "according to the rule 'safe'"
        )
    return mask


def masked(function: Any, result: Any, out: Any, where: Any, casting: str) -> Any:
    """Return a ufunc's result written to `out` where the mask is true."""
    from ._ufunc import check_output

    mask = where_mask(where)
    if out is None:
        shape = broadcast(result._shape, mask._shape)
        out = new_array(
            Value(pack(COPY, result._code, result._code), shape, (0,)), shape, result._code
        )
        if not shape:
            out = new_array(value_of(out), shape, result._code)
    check_output(function, result, out, casting)
    shape = broadcast(broadcast(result._shape, mask._shape), out._shape)
    if shape != out._shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {_shown(out._shape)} "
            f"doesn't match the broadcast shape {_shown(shape)}"
        )
    select_into(out, mask, result)
    return out


# as assignments these would be errors to mypy: the classes declare no such methods
setattr(_Array, "__getitem__", Recorder().method("get_item", getitem))  # noqa: B010
setattr(ndarray, "__setitem__", Recorder().method("set_item", setitem))  # noqa: B010
