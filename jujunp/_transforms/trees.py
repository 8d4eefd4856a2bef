"""Trees of arguments and results, as JAX has them: tuples, lists, dicts and what is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.run.machine import COPIES
from jujunp.lazy.values.value import Value, leaf, record

from .._array.array_likes import converted
from .._array.handle import Handle, ndarray, new_handle, scalar, whole_value
from .._array.making import scalar_if_0d

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WIDE = frozenset(("float64", "int64", "uint64", "complex128"))
flatten: Any = jax.tree.flatten
unflatten: Any = jax.tree.unflatten
tree_map: Any = jax.tree.map


def own(x: Any) -> Handle:
    """Return a leaf of a tree as an array of ours; TypeError for what is none."""
    if isinstance(x, Handle):
        return x
    if isinstance(x, (bool, int, float, complex, np.generic)):
        found: Handle = scalar_if_0d(converted(x))
        return found
    if isinstance(x, np.ndarray) or hasattr(x, "__dlpack__"):
        return converted(x)
    raise TypeError(f"{x!r} of type {type(x)} is neither an array nor a number")


def is_float0(x: Any) -> bool:
    """Whether a leaf is what derivatives by integers are: of JAX's dtype float0."""
    return not isinstance(x, Handle) and getattr(x, "dtype", None) == jax.dtypes.float0


def is_wide(x: Any) -> bool:
    """Whether an argument is an array of 64-bit numbers."""
    dtype = getattr(x, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.newbyteorder("=").name in _WIDE


def alias(x: Handle) -> Handle:
    """Return an array of the same elements whose value nobody else has."""
    value = whole_value(x)
    if type(value.buffer) is machine.Buffer and not value.mark:  # else others may follow it
        found = leaf(x._code, x._shape, value.buffer)
    else:
        found = record(COPIES[x._code], x._shape, (value,))
    return handle_like(found, x)


def of_arguments(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    numbers: Sequence[int],
) -> Callable[..., Any]:
    """Return a function of some of the positional arguments; the others are fixed."""

    def of_some(*given: Any) -> Any:
        every = list(args)
        for number, x in zip(numbers, given, strict=True):
            every[number] = x
        return function(*every, **kwargs)

    return of_some


def handle_like(value: Value, like: Handle) -> Handle:
    """Return a handle of a value like another: an array or a scalar."""
    kind = scalar if isinstance(like, scalar) else ndarray
    return new_handle(kind, value, None, None, like._shape, like._code)


def values_of(handles: Sequence[Handle]) -> list[Value]:
    """Return the values of handles as they are now; records copies of views."""
    return [whole_value(x) for x in handles]
