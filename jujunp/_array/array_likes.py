"""array_likes as handles: numbers, nested sequences, NumPy's arrays."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from jujunp.lazy.run import transfer
from jujunp.lazy.run.findings import tell
from jujunp.lazy.run.flush import ensure
from jujunp.lazy.run.machine import OPCODES, Buffer, holds_handles, stacked
from jujunp.lazy.run.sites import from_user_line, warn_user
from jujunp.lazy.run.watching import is_followed, is_made_once, is_sampling
from jujunp.lazy.values.dtypes import (
    BOOL,
    CODES,
    COMPLEX128,
    DTYPES,
    FLOAT64,
    INT64,
    Foreign,
    code_of,
    native,
)
from jujunp.lazy.values.value import pack, record

from .handle import (
    COPY,
    NATIVE,
    NUMBERS,
    Array,
    Handle,
    element,
    header,
    ndarray,
    new_handle,
    scalar,
    to_numpy,
    value_of,
    whole_value,
)
from .making import as_code, convert, new_array, reshape, unturned, view
from .promotion import result_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from jujunp.lazy.values.types import Shape

_CONCATENATE = OPCODES["concatenate"]
_NUMBER_CODES: dict[type, int] = {
    bool: BOOL,
    int: INT64,
    float: FLOAT64,
    complex: COMPLEX128,
}


def as_handle(x: Any, code: int | None = None) -> Handle:
    """Return an operand as a handle: a copy of the elements, unless it is one already.

    Overridden for what answers NumPy's functions itself.
    """
    check_own((x,))
    return converted(x, code)


def check_own(operands: Iterable[Any]) -> None:
    """Raise Overridden if any operand answers NumPy's functions itself.

    Arrays of classes derived from ours do, too.
    """
    for x in operands:
        kind = type(x)
        if kind in NATIVE:
            continue
        if isinstance(x, Array) or answers_itself(kind):
            raise Overridden(f"{type(x).__qualname__} answers NumPy's functions itself")


def check_asked(operands: Iterable[Any]) -> None:
    """Raise Overridden if a ufunc asks any operand: to answer the call, or to wrap its result."""
    for x in operands:
        check_own((x,))
        if wraps_results(type(x)):
            raise Overridden(f"{type(x).__qualname__} wraps the results of ufuncs")


def asked_operand(x: Any) -> Handle:
    """Return an operand of a ufunc as a handle; Overridden for one that is asked."""
    if type(x) in NATIVE:
        return x  # type: ignore[no-any-return]
    check_asked((x,))
    return converted(x)


def check_like(like: Any) -> None:
    """Raise Overridden for a `like` that makes arrays itself, TypeError if it is none (or None)."""
    if like is None:
        return
    kind = type(like)
    if kind in NATIVE or kind in (np.ndarray, np.memmap) or isinstance(like, np.generic):
        return
    if getattr(kind, "__array_function__", None) is None:
        raise TypeError(
            "The `like` argument must be an array-like that implements the `__array_function__` "
            "protocol."
        )
    raise Overridden(f"{kind.__qualname__} makes arrays itself")


class Overridden(Foreign):
    """Raised for an operand of a type with its own answers to NumPy's functions and ufuncs.

    The call is then made by NumPy, which asks the type.
    """


class OfNumpy(Foreign):
    """Raised where an array of NumPy's is to be written.

    The call is then made with an array of ours over its memory.
    """


_ANSWERS: dict[type, bool] = {}


def answers_itself(kind: type) -> bool:
    """Whether NumPy's functions and ufuncs ask a type what they give for its objects."""
    found = _ANSWERS.get(kind)
    if found is None:
        found = _ANSWERS[kind] = _has_answers(kind)
    return found


def _has_answers(kind: type) -> bool:
    if issubclass(kind, np.ndarray):
        return kind not in (np.ndarray, np.memmap)
    if issubclass(kind, np.generic):
        return False
    if issubclass(kind, np.poly1d):  # NumPy's functions of polynomials know them
        return True
    names = "__array_ufunc__", "__array_function__"
    return any(getattr(kind, name, None) is not None for name in names)


_WRAPS: dict[type, bool] = {}


def wraps_results(kind: type) -> bool:
    """Whether objects of a type that are no arrays are asked to wrap the results of ufuncs."""
    found = _WRAPS.get(kind)
    if found is None:
        found = _WRAPS[kind] = (
            getattr(kind, "__array_wrap__", None) is not None
            and not issubclass(kind, (Handle, np.ndarray, np.generic))
            and not answers_itself(kind)
        )
    return found


def converted(x: Any, code: int | None = None) -> Handle:
    """Return any array_like as a handle: a copy of the elements, unless it is one already."""
    if isinstance(x, Handle):
        return x if code is None or x._code == code else convert(x, code)
    kind = type(x)
    if kind in _NUMBER_CODES and code is None and not (kind is int and x >> 63 == 1):  # uint64
        return _number(x, _NUMBER_CODES[kind])
    if isinstance(x, (list, tuple)) and holds_handles(x):
        found = _stacked(x)
        return found if code is None or found._code == code else convert(found, code)
    array = numpy_array(x)
    structured = array.dtype.kind == "V" and array.dtype not in CODES
    target = code_of(native(array.dtype)) if code is None or structured else code
    if array.dtype != DTYPES[target]:
        array = _cast(array, DTYPES[target])
    axes = _axes_in_memory(array)
    if axes is not None:
        array = array.transpose(axes)
    if is_jaxs(x) and array.flags.c_contiguous and array.size:
        value = transfer.shared(array, target)  # JAX's arrays do not change
    else:
        value = transfer.import_array(array, target)
    kind = scalar if isinstance(x, np.generic) else ndarray
    made: Any = new_handle(kind, value, None, None, array.shape, target)
    return unturned(made, axes)


def _axes_in_memory(array: np.ndarray) -> list[int] | None:
    """Return an array's axes from the outermost in memory to the innermost; None for C order."""
    if array.ndim < 2 or array.flags.c_contiguous or 0 in array.strides:
        return None
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    return None if order == list(range(array.ndim)) else order


def check_scalars(x: Any, code: int) -> None:
    """Raise what NumPy raises for scalars that become integers with a sign, and do not fit.

    They may be in lists. A pending float is computed, unless a transformation follows it.
    """
    if DTYPES[code].kind != "i":
        return
    if isinstance(x, (list, tuple)):
        for item in x:
            check_scalars(item, code)
    elif isinstance(x, scalar) and x._code != code and _is_known(x):
        element_of(DTYPES[x._code].type(element(x)), code)


def _is_known(x: scalar) -> bool:
    """Whether a scalar is an integer that is computed, or a float, which is computed now."""
    if is_sampling() or is_followed() or DTYPES[x._code].kind not in "iuf":
        return False
    is_made_once()
    value = value_of(x)
    if DTYPES[x._code].kind == "f":
        ensure(value)
    return type(value.buffer) is Buffer


def element_of(item: Any, code: int) -> np.ndarray:
    """Return an element of NumPy's in a dtype; raises where that has no such number."""
    found = np.empty(1, DTYPES[code])
    found[0] = item
    return found.reshape(())


def _cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return an array of NumPy's in a dtype of ours; Foreign where it is of one that has none."""
    try:
        return from_user_line(array.astype, (dtype,), {})  # type: ignore[no-any-return]
    except TypeError:
        if array.dtype.kind != "V":
            raise
        raise Foreign(f"jujunp arrays of dtype {array.dtype} are not supported") from None


def is_jaxs(x: Any) -> bool:
    """Whether this is an array of JAX, or traced; there is none unless that is imported.

    Another thread may be importing it.
    """
    kind = getattr(sys.modules.get("jax"), "Array", None)
    return kind is not None and isinstance(x, kind)


class Traced(TypeError):
    """Raised where an argument is traced by JAX: the call is then made for JAX."""


def numpy_array(x: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """Return what is no handle as an array of NumPy."""
    try:
        return made_by_numpy(x, dtype)
    except ValueError as error:
        return np.asarray(to_numpy(made_by_itself(x, error)[0]), dtype)


def made_by_numpy(x: Any, dtype: np.dtype | None = None) -> np.ndarray:
    """Return the same; ValueError for an object whose `__array__` makes an array of ours."""
    try:
        check_memory(x)
        return np.asarray(x) if dtype is None else from_user_line(np.asarray, (x, dtype), {})
    except TypeError as error:
        if type(error).__name__ == "TracerArrayConversionError":
            raise Traced("the argument is traced by JAX") from error
        raise


_KNOWN = (np.ndarray, np.generic, list, tuple, int, float, complex, str, bytes)


def check_memory(x: Any) -> None:
    """Raise ValueError for an object whose `__array_interface__` leaves the buffer that it names.

    NumPy does not look. Of an address nobody knows how much memory is there.
    """
    described = None if isinstance(x, _KNOWN) else getattr(x, "__array_interface__", None)
    data = described.get("data") if isinstance(described, dict) else None
    if data is None or isinstance(data, tuple):
        return
    found = np.asarray(x)
    (low, high), (first, end) = map(byte_bounds, (found, np.frombuffer(data, np.uint8)))
    if found.size and not first <= low <= high <= end:
        raise ValueError("__array_interface__ describes elements outside of its buffer")


def gives_ours(error: ValueError) -> bool:
    """Whether NumPy has refused what `__array__` of an object gives, which may be of ours."""
    return "__array__ method" in str(error)


def made_by_itself(
    x: Any, error: ValueError, copy: bool | None = None, dtype: Any = None
) -> tuple[Handle, bool]:
    """Return the array of ours that an object's `__array__` makes, which NumPy refuses.

    And whether it has been told to copy or not. The error of NumPy's is raised again if it is
    another one.
    """
    if not gives_ours(error):
        raise error
    if isinstance(x, (list, tuple)):
        return _stacked(_made(x)), True
    told, args = copy is not None, () if dtype is None else (np.dtype(dtype),)
    try:
        made = x.__array__(*args, copy=copy) if told else x.__array__(*args)
    except TypeError as refused:
        if not told or "unexpected keyword argument 'copy'" not in str(refused):
            raise
        warn_user(_NOT_TOLD.format(copy), DeprecationWarning)
        told, made = False, x.__array__(*args)
    if not isinstance(made, Handle):
        raise error
    return made, told


_NOT_TOLD = (
    "__array__ implementation doesn't accept a copy keyword, so passing copy={} failed. __array__ "
    "must implement 'dtype' and 'copy' keyword arguments. To learn more, see the migration guide "
    "https://numpy.org/devdocs/numpy_2_0_migration_guide.html"
    "#adapting-to-changes-in-the-copy-keyword"
)


def array_given(x: Any) -> Any:
    """Return the array of ours that an object gives NumPy, which refuses it; else what is given."""
    if isinstance(x, (Handle, np.ndarray, np.generic, type)) or not hasattr(x, "__array__"):
        return x
    made = x.__array__()
    return made if isinstance(made, Handle) else x


def _made(items: list[Any] | tuple[Any, ...]) -> list[Any]:
    """Return nested sequences with the arrays that objects in them make in their place."""
    return [
        _made(x) if isinstance(x, (list, tuple)) else getattr(x, "__array__", lambda x=x: x)()
        for x in items
    ]


def _number(x: Any, code: int) -> Handle:
    if code == INT64 and not -(1 << 63) <= x < 1 << 63:
        raise OverflowError(f"Python integer {x} out of bounds for int64")
    return new_handle(scalar, record(pack(COPY, code, code), (), (x,)), None, None, (), code)


def as_array(x: Any) -> ndarray:
    """Return an array_like as an array: as it is if it is one, 0-d for a scalar or a number."""
    found = as_handle(x)
    if isinstance(found, Array):
        return found
    return new_array(whole_value(found), found._shape, found._code)


def parsed(x: Any, code: int) -> Handle:
    """Return arrays as they are, and numbers and sequences of them converted to a dtype code.

    This is what NumPy does with arguments of one dtype: it is lenient with what is no array.
    """
    if isinstance(x, (Handle, np.ndarray)) or holds_handles([x]):
        return as_handle(x)
    return as_handle(of_numbers(lambda dtype: np.array(x, dtype), DTYPES[code]))


def of_numbers(make: Callable[[np.dtype | None], np.ndarray], dtype: np.dtype | None) -> np.ndarray:
    """Return what NumPy makes of numbers in a dtype, and tell of those that are too large for it.

    NumPy would warn at its own line, and a learnt call would not warn again.
    """
    with np.errstate(over="ignore"):
        found = make(dtype)
    if dtype is not None and dtype.kind in "fc" and not np.isfinite(found).all():
        whole = make(np.dtype("c16" if dtype.kind == "c" else "f8"))
        if (np.isfinite(whole) != np.isfinite(found)).any():
            tell("over", "cast")
    return found


def operand(x: Any) -> Any:
    """Return a Python number as it is, which takes the others' dtype, else a handle."""
    return x if type(x) in NUMBERS else as_handle(x)


# -- nested sequences


def _stacked(items: list[Any] | tuple[Any, ...]) -> Handle:
    """Return nested sequences, some of whose items are handles, as one array.

    ValueError as NumPy's when the sequences are not regular.
    """
    at_once: Handle | None = stacked(items)
    if at_once is not None:
        return at_once
    leaves: list[Handle] = []
    shape = _collect(items, leaves)
    if shape is None:
        np.array(_stand_ins(items))
        raise ValueError("setting an array element with a sequence")
    code = result_code(*(leaf._code for leaf in leaves))
    joined = concatenated([reshape(as_code(leaf, code), (-1,)) for leaf in leaves], 0, code)
    return joined if shape == joined._shape else view(joined, header(joined).reshape(shape))


def _collect(item: Any, leaves: list[Handle]) -> Shape | None:
    """Append an item's handles in order; return its shape, None when it is not regular."""
    if isinstance(item, (list, tuple)) and holds_handles(item):
        shapes = [_collect(part, leaves) for part in item]
        first = shapes[0]
        regular = first is not None and all(shape == first for shape in shapes)
        return (len(item), *first) if regular else None  # type: ignore[misc]
    leaf = item if isinstance(item, Array) else as_handle(item)  # as part of it none answers
    leaves.append(leaf)
    return leaf._shape


def _stand_ins(item: Any) -> Any:
    """Return nested sequences with NumPy arrays of the same shapes in place of handles."""
    if isinstance(item, (list, tuple)):
        return [_stand_ins(part) for part in item]
    return np.broadcast_to(np.False_, item._shape) if isinstance(item, Handle) else item


def concatenated(parts: Sequence[Handle], axis: int, code: int) -> ndarray:
    """Record a concatenation of arrays of one dtype that fit, along an axis from the front."""
    shape = list(parts[0]._shape)
    shape[axis] = sum([part._shape[axis] for part in parts])
    layouts = tuple(part._layout for part in parts)
    value = record(
        pack(_CONCATENATE, code, code),
        tuple(shape),
        tuple(map(value_of, parts)),
        None if all(layout is None for layout in layouts) else layouts,
        (axis,),
    )
    return new_array(value, tuple(shape), code)
