"""Reducing axes with a kernel, with the arguments, dtypes and errors of NumPy's `ufunc.reduce`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT32, FLOAT64, INT64, code_of, is_integer
from jujunp.lazy.values.layout import MAX_RANK
from jujunp.lazy.values.value import pack, record

from ..._array.array_likes import as_array, as_handle
from ..._array.broadcasting import broadcast, in_c_order, memory_order
from ..._array.elementwise import pick
from ..._array.handle import Handle, header, new_handle, scalar, value_of
from ..._array.indexing import where_mask
from ..._array.making import as_code, convert, filled, scalar_if_0d, view, wrap, write
from ..._array.outputs import output_of
from ..._ufuncs.ufunc import UFUNCS, ufunc
from .stepwise import reduce_stepwise

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Scalar, Shape

NO_VALUE: Final = np._NoValue
"""NumPy's mark of an argument that was not given."""

UINT64 = 8
_NO_IDENTITY = (
    "reduction operation '{}' does not have an identity, "
    "so to use a where mask one has to specify 'initial'"
)
_KERNELS = {
    "add": "reduce_sum",
    "multiply": "reduce_prod",
    "maximum": "reduce_max",
    "minimum": "reduce_min",
    "fmax": "reduce_fmax",
    "fmin": "reduce_fmin",
    "logical_and": "reduce_and",
    "logical_or": "reduce_or",
    "logical_xor": "reduce_xor",
    "bitwise_and": "reduce_and",
    "bitwise_or": "reduce_or",
    "bitwise_xor": "reduce_xor",
}
"""The kernel that reduces with a ufunc."""
_IGNORING = {"fmax": "reduce_max", "fmin": "reduce_min"}
"""What ufuncs that ignore nan are where there is none."""
_BOOLEAN = {"add": "reduce_or", "multiply": "reduce_and"}
"""The same where the elements are bool."""


class Fold(NamedTuple):
    """How a reduction runs: the packed code, the dtypes it reads and gives, and what is neutral."""

    code: int
    operand: int
    result: int
    identity: Scalar | None


_folds: dict[Any, Fold] = {}


def fold_of(name: str, code: int, dtype: Any = None, out: int | None = None) -> Fold:
    """Return how a ufunc reduces elements of a dtype code, optionally in a dtype or for an output.

    TypeError as NumPy's where the ufunc has no loop for the dtypes.
    """
    key = (name, code, dtype, out)
    found = _folds.get(key)
    if found is None:
        found = _folds[key] = _resolve(name, code, dtype, out)
    return found


def dtypes_of(function: np.ufunc, code: int, dtype: Any, out: int | None) -> tuple[int, int]:
    """Return the dtype codes that a ufunc's reduction reads and gives."""
    start = None if out is None or dtype is not None else DTYPES[out]
    given = {} if dtype is None else {"signature": (dtype, None, None)}
    resolved = function.resolve_dtypes(
        (start, DTYPES[code], None),
        casting="unsafe",
        reduction=True,
        **given,
    )
    return code_of(resolved[1]), code_of(resolved[2])


def _resolve(name: str, code: int, dtype: Any, out: int | None) -> Fold:
    function = UFUNCS[name].numpy
    operand, result = dtypes_of(function, code, dtype, out)
    kernel = _kernel_of(name, operand)
    assert kernel is not None
    reads = code if kernel in ("reduce_sum", "reduce_prod") and widens(code, operand) else operand
    return Fold(pack(OPCODES[kernel], reads, result), reads, result, _identity(function, operand))


def _kernel_of(name: str, operand: int) -> str | None:
    """Return the kernel that reduces elements of a dtype code with a ufunc, None if none does."""
    if operand == BOOL and name in _BOOLEAN:
        return _BOOLEAN[name]
    if name in _IGNORING and operand not in (FLOAT32, FLOAT64):
        return _IGNORING[name] if operand == BOOL or is_integer(operand) else None
    return _KERNELS.get(name)


def _identity(function: np.ufunc, code: int) -> Scalar | None:
    """Return the neutral element of a ufunc as a number of the dtype code."""
    identity: Scalar | None = function.identity
    if identity == -1 and is_integer(code):
        return int(np.bitwise_not(DTYPES[code].type(0)))
    return bool(identity) if identity is not None and code == BOOL else identity


def widens(source: int, target: int) -> bool:
    """Whether sums and products read one dtype code and give another in one pass."""
    if target in (INT64, UINT64):
        return source == BOOL or (is_integer(source) and source not in (INT64, UINT64))
    return target == FLOAT64 and (is_integer(source) or source in (BOOL, FLOAT32))


# -- arguments


_ALL: tuple[tuple[int, ...], ...] = tuple(tuple(range(rank)) for rank in range(65))


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Return the axes that an `axis` argument names: None, an int or a tuple of ints.

    AxisError when one is out of bounds, ValueError when one is given twice, TypeError for others.
    """
    if axis is None:
        return _ALL[rank]
    if type(axis) is int and -rank <= axis < rank:
        return (axis % rank,)
    np.logical_or.reduce(np.zeros((1,) * rank, np.bool), axis=axis)  # its errors are NumPy's
    if not rank:
        return ()
    listed = axis if isinstance(axis, tuple) else (axis,)
    return tuple(int(one) % rank for one in listed)


def number_of(initial: Any, code: int) -> Scalar:
    """Return a start value as a number of the dtype code; OverflowError when it does not fit."""
    if isinstance(initial, Handle):
        initial = initial.item()
    place = np.empty((), DTYPES[code])
    place[()] = initial
    found: Scalar = place.item()
    return found


def raise_as_numpy(function: ufunc, shape: Shape, **arguments: Any) -> NoReturn:
    """Raise the error that NumPy raises for arguments of these shapes."""
    stand_in = np.broadcast_to(np.zeros((), np.bool), shape)
    function.numpy.reduce(stand_in, **arguments)
    raise ValueError(f"{function.__name__}.reduce cannot take these shapes")


def mask_of(where: Any, function: ufunc, shape: Shape, axis: Any) -> Handle:
    """Return a `where` argument as a bool handle; ValueError unless it broadcasts to the shape."""
    mask = where_mask(where)
    try:
        fits = broadcast(mask._shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        stand_in = np.broadcast_to(np.True_, mask._shape)
        raise_as_numpy(function, shape, axis=axis, where=stand_in, initial=0)
    return mask


# -- recording


def total(x: Handle, fold: Fold) -> scalar:
    """Record a reduction of all axes of a handle whose dtype is what the fold reads."""
    layout, base = x._layout, x._base
    value = record(
        fold.code,
        (),
        (x._value if base is None else base._value,),  # type: ignore[arg-type]
        None if layout is None else (layout,),
        _ALL[len(x._shape)],
    )
    return new_handle(scalar, value, None, None, (), fold.result)


def folded(x: Handle, fold: Fold, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Record a reduction of some axes, which leave an axis of length one with `keepdims`."""
    if x._code != fold.operand:
        x = convert(x, fold.operand)
    return along(x, fold.code, axes, keepdims, fold.result)


def along(
    x: Handle,
    code: int,
    axes: tuple[int, ...],
    keepdims: bool,
    result: int,
    params: tuple[int, ...] | None = None,
) -> Any:
    """Record a kernel that takes axes away; its parameters are these axes, unless given.

    The result has the axes' order in memory that NumPy would choose.
    """
    layout, shape = x._layout, x._shape
    kept = _kept(shape, axes, False)
    if len(kept) > 1 and not in_c_order(layout):
        order = memory_order([x], shape)
        if order is not None:
            return _along_permuted(x, code, axes, keepdims, result, order)
    if keepdims and len(shape) + len(axes) <= MAX_RANK:
        ordered = sorted(axes)
        layout = np.expand_dims(header(x), [axis + k for k, axis in enumerate(ordered)])
        kept = _kept(shape, axes, True)
        axes = tuple([axis + k + 1 for k, axis in enumerate(ordered)])
    layouts = None if layout is None else (layout,)
    value = record(code, kept, (value_of(x),), layouts, axes if params is None else params)
    found = wrap(value, kept, result)
    if keepdims and len(kept) < len(shape):
        return view(found, np.expand_dims(header(found), axes))
    return found


def _along_permuted(
    x: Handle,
    code: int,
    axes: tuple[int, ...],
    keepdims: bool,
    result: int,
    order: tuple[int, ...],
) -> Any:
    """Record a reduction with the axes from outermost to innermost in memory."""
    turned = view(x, header(x).transpose(order))
    found = along(turned, code, tuple(order.index(axis) for axis in axes), keepdims, result)
    left = [axis for axis in order if keepdims or axis not in axes]
    back = sorted(range(len(left)), key=left.__getitem__)
    return view(found, header(found).transpose(back))


def apply(
    function: ufunc,
    x: Handle,
    fold: Fold,
    axis: Any,
    keepdims: bool,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Record a reduction with a start value and a mask, checked as NumPy does."""
    shape = x._shape
    axes = axes_of(axis, len(shape))
    start = None if initial is NO_VALUE or initial is None else number_of(initial, fold.result)
    neutral = fold.identity if start is None else start
    if initial is None or neutral is None:
        _check_not_empty(function, shape, axes)
    if where is not True:
        if neutral is None or initial is None:
            raise ValueError(_NO_IDENTITY.format(function.__name__))
        mask = mask_of(where, function, shape, axis)
        x = x if x._code == fold.operand else convert(x, fold.operand)
        fill = neutral if fold.identity is None or _is_negative_zero(start) else fold.identity
        x = pick(mask, x, _as_read(fill, fold.operand))
    if start is None:
        return folded(x, fold, axes, keepdims)
    if fold.identity is None and 0 in shape:
        filling = filled(_kept(shape, axes, keepdims), start, fold.result)
        return wrap(value_of(filling), filling._shape, fold.result)
    found = folded(x, fold, axes, keepdims)
    if function.key == "add" and _is_negative_zero(start):
        return _with_negative_zeros(found, x, axes, keepdims)
    if function.key == "add" and type(start) is complex and not start:
        return _with_zeros_of_parts(found, x, start, axes, keepdims)
    return function(found, start)


def _with_zeros_of_parts(
    found: Any, x: Any, start: complex, axes: tuple[int, ...], keepdims: bool
) -> Any:
    """Return sums of complex numbers that start with a zero, one of whose parts may be -0."""
    made: Any = filled(found._shape, 0, found._code)
    for name in ("real", "imag"):
        part, terms = getattr(found, name), getattr(x, name)
        if _is_negative_zero(getattr(start, name)):
            part = _with_negative_zeros(part, terms, axes, keepdims)
        getattr(made, name)[...] = part
    return scalar_if_0d(made)


def _is_negative_zero(number: Any) -> bool:
    """Whether this is the zero, of a real number, with a sign."""
    return type(number) is float and not number and math.copysign(1, number) < 0


def _with_negative_zeros(found: Handle, x: Handle, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Return sums that start with -0: so they end where all terms are that, or there are none."""
    negative = UFUNCS["logical_and"](UFUNCS["signbit"](x), UFUNCS["equal"](x, 0))
    signed = folded(negative, fold_of("logical_and", BOOL), axes, keepdims)
    return scalar_if_0d(pick(signed, -0.0, found))


def _kept(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    if keepdims:
        return tuple([1 if axis in axes else extent for axis, extent in enumerate(shape)])
    return tuple([extent for axis, extent in enumerate(shape) if axis not in axes])


def _as_read(number: Scalar, code: int) -> Scalar:
    return bool(number) if code == BOOL else number


def _check_not_empty(function: ufunc, shape: Shape, axes: tuple[int, ...]) -> None:
    if 0 in [shape[axis] for axis in axes]:
        raise ValueError(
            f"zero-size array to reduction operation {function.__name__} which has no identity"
        )


def folding(function: ufunc, code: int, dtype: Any, out: int | None) -> Fold | None:
    """Return how a ufunc reduces elements of a dtype code, as `fold_of`; None if no kernel does."""
    if _is_rare(function):
        operand, _ = dtypes_of(function.numpy, code, dtype, out)
        if _kernel_of(function.key, operand) is None:
            return None
    return fold_of(function.key, code, dtype, out)


def _is_rare(function: ufunc) -> bool:
    """Whether no kernel reduces with a ufunc, or none for some dtypes."""
    return function.key not in _KERNELS or function.key in _IGNORING


def _reduced_stepwise(
    function: ufunc,
    x: Handle,
    codes: tuple[int, int],
    axis: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    """Reduce with a ufunc that has no kernel for it, given the dtype codes it reads and gives."""
    name, (operand, result) = function.__name__, codes
    axes = axes_of(axis, len(x._shape))
    if len(axes) > 1 and not function.associative:
        raise ValueError(
            f"reduction operation '{name}' is not reorderable, so at most one axis may be specified"
        )
    start = _identity(function.numpy, result) if initial is NO_VALUE else initial
    start = None if start is None else number_of(start, result)
    if start is None:
        _check_not_empty(function, x._shape, axes)
        if where is not True:
            raise ValueError(_NO_IDENTITY.format(name))
    mask = None if where is True else mask_of(where, function, x._shape, axis)
    found = reduce_stepwise(function, as_code(x, operand), axes, result, start, mask)
    return view(found, np.expand_dims(header(found), axes)) if keepdims else found


def reduce(
    function: ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """Reduce axes of an array by applying a ufunc of two operands between its elements.

    Args:
        function: The ufunc, of two operands.
        array: array_like.
        axis: An int, a tuple of ints, or None for all axes.
        dtype: Dtype to compute in, if not that of `out` or NumPy's default for the elements.
        out: Array to write to, of the result's shape; its dtype may be any. An ellipsis stands for
            a new one, even without axes.
        keepdims: Whether reduced axes stay, with length one.
        initial: Start value; None for none, so that empty axes are an error.
        where: Mask of the elements to take; it broadcasts to the array.
    """
    room()
    if function.nin != 2:
        raise ValueError("reduce only supported for binary functions")
    if out is ...:
        return as_array(reduce(function, array, axis, dtype, None, keepdims, initial, where))
    x = as_handle(array)
    target = output_of(out)
    axes_of(axis, len(x._shape))  # raises before the dtypes are looked at
    wanted = None if dtype is None else np.dtype(dtype)
    out_code = None if target is None else target._code
    chosen = folding(function, x._code, wanted, out_code)
    if chosen is None:
        codes = dtypes_of(function.numpy, x._code, wanted, out_code)
        result = _reduced_stepwise(function, x, codes, axis, keepdims, initial, where)
    else:
        result = apply(function, x, chosen, axis, bool(keepdims), initial, where)
    if target is None:
        return result
    if target._shape != result._shape:
        stand_in = np.empty(target._shape, np.bool)
        raise_as_numpy(function, x._shape, axis=axis, out=stand_in, keepdims=keepdims)
    write(target, result)
    return target
