"""Reading and writing elements: `x[key]`, `x[key] = v`, and `where=`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import COPIES, OPCODES, STORES, bind, holds_handles
from jujunp.lazy.run.sites import user_line
from jujunp.lazy.values.dtypes import BOOL, DTYPES, is_ours
from jujunp.lazy.values.value import pack, record

from .array_likes import (
    Traced,
    as_handle,
    check_scalars,
    converted,
    element_of,
    numpy_array,
    of_numbers,
)
from .broadcasting import broadcast, in_c_order, memory_order, shown
from .handle import (
    NUMBERS,
    Array,
    Handle,
    assign,
    header,
    ndarray,
    new_handle,
    rebind,
    scalar,
    store_code,
    value_of,
    whole_value,
)
from .index_keys import BASIC, Advanced, compute, known_places, simple
from .making import convert, copy, filled, new_array, unturned, view, wrap, write
from .native import Recorder
from .outputs import check_output, check_writeable, misfit
from .promotion import as_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.values.types import Shape


_GATHER = OPCODES["gather"]
_SCATTER = OPCODES["scatter"]
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
                if kind not in BASIC:
                    return _advanced(x, key)
                element = False
        if element and len(key) == len(x._shape):
            return _element(x, seen[(*key, ...)])
        layout = seen[key]
    elif kind is int:
        layout = seen[key, ...]
        if len(x._shape) == 1:
            return _element(x, layout)
    elif kind in BASIC:
        layout = seen[key]
    else:  # a class derived from tuple is one
        return _advanced(x, tuple(key) if isinstance(key, tuple) else (key,))
    base = x._base
    if base is None:
        if isinstance(x, scalar):
            whole = not layout.shape and _has_dots(key)
            return new_array(whole_value(x), (), x._code) if whole else view(x, layout)
        result = new_handle(ndarray, None, x, layout, layout.shape, x._code)
        result._key = key
    else:
        result = new_handle(ndarray, None, base, layout, layout.shape, x._code)
    result._readonly = x._readonly
    return result


def _has_dots(key: Any) -> bool:
    """Whether a key is an ellipsis, or has one: then even what has no axes is an array."""
    return key is ... or (type(key) is tuple and any(part is ... for part in key))


def _element(x: Handle, layout: np.ndarray) -> scalar:
    """Return one element: a copy, since later writes do not change it."""
    room()
    base = x._base
    code = x._code
    value = x._value if base is None else base._value
    return new_handle(scalar, record(COPIES[code], (), (value,), (layout,)), None, None, (), code)  # type: ignore[arg-type]


def setitem(x: Any, key: Any, item: Any) -> None:  # noqa: C901 (hot: no calls)
    """`x[key] = item`, recorded."""
    room()
    if x._readonly:
        check_writeable(x, "assignment destination is read-only")
        if x._readonly:
            _set_spread(x, key, item)
            return
    seen = x._header
    if seen is None:
        seen = header(x)
    kind = type(key)
    if kind is tuple:
        for part in key:
            if type(part) not in BASIC:
                _set_advanced(x, key, item)
                return
        layout = seen[key]
        if type(layout) is not np.ndarray:
            layout = seen[(*key, ...)]
            if not isinstance(item, scalar):
                item = _single(item, x._code)
    elif kind is int:
        layout = seen[key, ...]
        if not isinstance(item, scalar) and len(x._shape) == 1:
            item = _single(item, x._code)
    elif kind in BASIC:
        layout = seen[key]
    else:
        _set_advanced(x, tuple(key) if isinstance(key, tuple) else (key,), item)
        return
    base = x._base
    if base is None:
        if type(item) is ndarray and item._base is x and item._key is key is not None:
            return  # `x[key] += v` has written through the view already
        base = x
    code = x._code
    source: Any
    if isinstance(item, scalar) and item._code == code:
        source, source_layout = item._value, None
    else:
        source, source_layout = _source(item, layout.shape, code)
    operation = STORES[code] if base._code == code else store_code(x, base)
    while True:
        old: Any = base._value
        value = record(operation, base._shape, (old, source), (layout, source_layout))
        if base._value is old:  # as `rebind`, without the call
            bind(base, value)
            return


def _set_spread(x: Any, key: Any, item: Any) -> None:
    """Write to a part of an array that shows elements at several places."""
    parts = tuple(simple(part) for part in (key if isinstance(key, tuple) else (key,)))
    if not all(type(part) in BASIC for part in parts):
        raise ValueError(_SEVERAL)
    part = getitem(x, parts if ... in parts else (*parts, ...))
    code = x._code
    source, layout = _source(item, part._shape, code)
    if type(source) in NUMBERS:
        write(part, filled((), source, code))
    else:
        value = record(COPIES[code], part._shape, (source,), None if layout is None else (layout,))
        assign(part, value)


_SEVERAL = "an array that shows elements at several places is written by slices only"


def _single(item: Any, code: int) -> Any:
    """Return what one element is set to; raises as NumPy does for something with axes."""
    if code == BOOL and getattr(item, "size", 0) == 1:
        return item  # NumPy takes its truth value
    if getattr(item, "shape", ()):
        raise ValueError("setting an array element with a sequence.")
    if type(item) in (list, tuple):
        return element_of(item, code)  # its truth, or an error that the dtype decides
    if isinstance(item, np.ndarray) and type(item) is not np.ndarray:
        return element_of(item, code)  # a masked one refuses to be a number
    return item


def _source(item: Any, shape: tuple[int, ...], code: int) -> tuple[Any, np.ndarray | None]:
    """Return what is written as a value (or number) of the dtype, with its layout."""
    kind = type(item)
    if kind in NUMBERS:
        return as_number(item, code), None
    if isinstance(item, scalar) or ((kind is list or kind is tuple) and holds_handles(item)):
        check_scalars(item, code)
    if not shape and (kind is list or kind is tuple):
        raise ValueError("setting an array element with a sequence.")
    source = as_source(item, code)
    if source._shape != shape:
        source = _trimmed(source, shape)
    if source._code != code:
        return value_of(convert(source, code)), None
    base = source._base
    return (source._value if base is None else base._value), source._layout


def as_source(item: Any, code: int) -> Handle:
    """Return what is written as a handle; what is no array is made one of the dtype by NumPy."""
    if isinstance(item, (list, tuple)) and not holds_handles(item):
        return converted(of_numbers(lambda dtype: numpy_array(item, dtype), DTYPES[code]))
    if not isinstance(item, Handle) and isinstance(item, np.generic):
        return converted(item if _is_cast(item, code) else element_of(item, code))
    try:
        return converted(item)
    except Traced:
        raise
    except TypeError:  # text, None and the like: NumPy converts them, or says why not
        return converted(numpy_array(item, DTYPES[code]))


def _is_cast(item: np.generic, code: int) -> bool:
    """Whether a scalar of NumPy's is cast by a step, which may warn.

    Integers with a sign refuse some numbers.
    """
    return item.dtype.kind in "fc" and DTYPES[code].kind in "ufc" and is_ours(item.dtype)


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
        f"could not broadcast input array from shape {shown(source._shape)} "
        f"into shape {shown(shape)}"
    )


def _advanced(x: Handle, key: tuple[Any, ...]) -> Any:
    room()
    parts = tuple(simple(part) for part in key)
    if all(type(part) in BASIC for part in parts):
        found = x[parts]
        if type(found) is ndarray and any(isinstance(part, (Array, np.ndarray)) for part in key):
            return found.copy()  # an integer in an array without axes gives a copy
        return found
    if len(parts) == 1 and _is_mask(parts[0], x):
        if compute(x, parts[0]):
            return x[parts[0]]
        line = _line(x)
        if line is not None:
            return line[known_places(parts[0])]
    order = _order(x, parts)
    if order is not None:
        parts = tuple(_turned(part, *order) for part in parts)
    taken = Advanced(x, parts)
    taken.check()
    found = _gathered(x, taken)
    return found if order is None else unturned(found, order[1])


def _order(x: Handle, parts: tuple[Any, ...]) -> tuple[Shape, tuple[int, ...]] | None:
    """Return the shape of index arrays, and its axes as they lie in memory; None for C order.

    What they select lies as they do, as in NumPy, if there is an index for each axis.
    """
    arrays = [part for part in parts if isinstance(part, Handle)]
    if all(in_c_order(part._layout) for part in arrays) or len(parts) != len(x._shape):
        return None
    if len(arrays) < sum(type(part) is not int for part in parts):
        return None
    if any(part._code == BOOL for part in arrays):
        return None
    shape = np.broadcast_shapes(*(part._shape for part in arrays))
    axes = memory_order(arrays, shape)
    return None if axes is None else (shape, axes)


def _turned(part: Any, shape: Shape, axes: tuple[int, ...]) -> Any:
    if not isinstance(part, Handle):
        return part
    return view(part, np.broadcast_to(header(part), shape).transpose(axes))


def _line(x: Handle) -> Handle | None:
    """Return an array as a view with one axis, if there is such a view."""
    if len(x._shape) < 2:
        return x if x._shape else None
    try:
        return view(x, header(x).reshape(-1, copy=False))
    except ValueError:
        return None


def picked(x: Handle, *key: Any) -> Any:
    """Return `x[key]` for index arrays that are known to be in bounds."""
    return _gathered(x, Advanced(x, key))


def _gathered(x: Handle, taken: Advanced) -> Any:
    """Record what a key with arrays selects."""
    values, layouts = taken.indices()
    value = record(
        pack(_GATHER, x._code, x._code),
        taken.result_shape,
        (value_of(x), *values),
        (taken.layout, *layouts),
        (len(values),),
    )
    value.site = user_line(taken.axes)
    return taken.placed(wrap(value, taken.result_shape, x._code))


def _set_advanced(x: Any, key: tuple[Any, ...], item: Any) -> None:
    key = tuple(simple(part) for part in key)
    if all(type(part) in BASIC for part in key):
        setitem(x, key, item)
        return
    if len(key) == 1 and _is_mask(key[0], x):
        if _set_masked(x, key[0], item):
            return
        if compute(x, key[0]):
            x[key[0]] = item
            return
        line = _line(x)
        if line is not None:
            scatter(line, (known_places(key[0]),), item, _SCATTER, inside=True)
            return
    scatter(x, key, item, _SCATTER)


def _is_mask(part: Any, x: Handle) -> bool:
    return isinstance(part, Handle) and part._code == BOOL and part._shape == x._shape


def _set_masked(x: Any, mask: Handle, item: Any) -> bool:
    """Write a number where a mask is true: needs no count of the places."""
    known = isinstance(item, (Handle, np.ndarray, np.generic))
    source: Any = converted(item) if known else item
    if not known and type(item) not in NUMBERS:
        source = as_source(item, x._code)
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
    if x._readonly:
        raise ValueError(_SEVERAL)
    if isinstance(source, Handle):
        new = source if source._code == code else convert(source, code)
        case: Any = value_of(new)
        layout = new._layout
    else:
        case, layout = as_number(source, code), None
    layouts = (mask._layout, x._layout, layout)
    value = record(
        pack(_SELECT, code, code), x._shape, (value_of(mask), value_of(x), case), layouts
    )
    write(x, new_array(value, x._shape, code))


def recast(x: Any, change: Callable[[ndarray], None]) -> bool:
    """Change a copy of an array, and write that to it, if it views memory of another dtype.

    No kernel scatters into such a view.
    """
    if x._base is None or x._base._code == x._code:
        return False
    copied = copy(x)
    change(copied)
    write(x, copied)
    return True


def scatter(x: Any, key: tuple[Any, ...], item: Any, kernel: int, *, inside: bool = False) -> None:
    """Record `x[key] = item` (or an accumulating form of it) for a key with arrays.

    `inside` says that the index arrays are known to be in bounds.
    """
    if recast(x, lambda copied: scatter(copied, key, item, kernel, inside=inside)):
        return
    taken = Advanced(x, key)
    code = x._code
    public = taken.placed(_Shaped(taken.result_shape)).shape
    source = (
        as_source(item, code)
        if type(item) not in NUMBERS
        else converted(as_number(item, code), code)
    )
    if source._shape != public:
        source = _trimmed_to(source, public)
    if not inside:
        taken.check()
    if source._code != code:
        source = convert(source, code)
    spread = np.broadcast_to(header(source), public).transpose(taken.fronted(public))
    values, layouts = taken.indices()
    owner = x if x._base is None else x._base
    site = user_line(taken.axes)
    while True:
        old: Any = owner._value
        value = record(
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
            f"shape mismatch: value array of shape {shown(source._shape)} could not be broadcast "
            f"to indexing result of shape {shown(shape)}"
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
            f"Cannot cast array data from {mask.dtype!r} to dtype('bool') "
            "according to the rule 'safe'"
        )
    return mask


def masked(function: Any, result: Any, out: Any, where: Any, casting: str) -> Any:
    """Return a ufunc's result written to `out` where the mask is true."""
    mask = where_mask(where)
    if out is None:
        out = filled(broadcast(result._shape, mask._shape), 0, result._code)
    check_output(function, result, out, casting)
    shape = broadcast(broadcast(result._shape, mask._shape), out._shape)
    if shape != out._shape:
        raise misfit(out._shape, shape)
    select_into(out, mask, result)
    return out


def _delete(x: Handle, key: Any) -> None:
    raise ValueError("cannot delete array elements")


def _part(x: Handle, key: Any) -> Any:
    try:
        return getitem(x, key)
    except IndexError:
        if isinstance(x, scalar):
            raise IndexError("invalid index to scalar variable.") from None
        raise


METHODS = {"__getitem__": Recorder().operator(_part)}
OF_ARRAYS = {"__setitem__": Recorder().operator(setitem, _delete)}
