"""The arguments of what draws: sizes, and parameters as numbers or arrays.

What is refused, NumPy says: its own functions are asked by generators that nobody else has, either
for no numbers at all or, where they must raise anyway, with the user's arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy import random as _numpy

from jujunp.lazy.run.machine import holds_handles
from jujunp.lazy.values.dtypes import FLOAT64

from ..._array.array_likes import array_given, as_handle, numpy_array
from ..._array.handle import Handle, ndarray, to_numpy
from ..._array.making import as_code
from ..._members.derived import plain

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape

ORACLE = _numpy.Generator(_numpy.PCG64(0))
"""Says what NumPy's Generator refuses."""
OLDER_ORACLE = _numpy.RandomState(0)
"""Says what NumPy's RandomState refuses."""
_NUMBERS = frozenset((float, int))
EXACT = 1 << 53
"""From here on float64 have not all integers."""


def shape_of(size: Any) -> Shape:
    """Return a size as a shape; NumPy's errors for what is none."""
    if type(size) is int and size >= 0:
        return (size,)
    if type(size) is tuple and all(type(n) is int and n >= 0 for n in size):
        return size
    shape: Shape = np.empty(exported(size), "V0").shape
    return shape


def is_spread(own: Shape, shape: Shape) -> bool:
    """Whether what has a shape of its own can be broadcast to another one."""
    try:
        return np.broadcast_shapes(own, shape) == shape
    except ValueError:
        return False


def array_of(x: Any) -> Any:
    """Return an array of ours, plain, or what else is given as an array of NumPy's."""
    return plain(x) if isinstance(x, Handle) else numpy_array(exported(x))


def exported(x: Any) -> Any:
    """Return an argument as NumPy's functions take it; they refuse objects that make our arrays."""
    x = array_given(x)
    if isinstance(x, Handle):
        return to_numpy(x)[()]
    if isinstance(x, (list, tuple)) and holds_handles(x):
        return type(x)(map(exported, x))
    return x


class Given(NamedTuple):
    """Parameters: all numbers, or else arrays that broadcast to a shape."""

    numbers: tuple[float, ...] | None
    arrays: tuple[ndarray, ...]
    shape: Shape


class Checks(NamedTuple):
    """How parameters of a distribution are checked, and what is computed of them.

    `fine` tells of numbers whether they are surely allowed. `whole` are the places of parameters
    that NumPy takes as int64. `made` gives what the kernel takes, of numbers as of arrays. `quick`
    is the same as `fine`, by the name that kernels/vm/calls/drawing.mojo has for it.
    """

    fine: Callable[..., bool]
    whole: tuple[int, ...] = ()
    made: Callable[..., tuple[Any, ...]] | None = None
    quick: str = ""


def refuse(method: Callable[..., Any], /, *args: Any, **names: Any) -> NoReturn:
    """Raise what NumPy raises for a call."""
    method(*args, **names)
    raise ValueError(f"{method.__name__} does not take these arguments")


def given(
    method: Callable[..., Any], checks: Checks, parameters: tuple[Any, ...], size: Any
) -> Given:
    """Return parameters; raises what NumPy's method raises for them."""
    plain = not any(type(x) not in _NUMBERS for x in parameters)
    if plain and (not checks.whole or all(type(parameters[k]) is int for k in checks.whole)):
        if not checks.fine(*parameters):
            method(*parameters, size=0)
        made = parameters if checks.made is None else checks.made(*parameters)
        return Given(tuple(map(float, made)), (), ())
    read = tuple(map(exported, parameters))
    arrays = _arrays(method, checks, read, size)
    if all(x.ndim == 0 for x in arrays):
        method(*read, size=0)
        kinds = [int if place in checks.whole else float for place in range(len(parameters))]
        made = tuple(kind(x) for kind, x in zip(kinds, parameters, strict=True))
        made = made if checks.made is None else checks.made(*made)
        return Given(tuple(map(float, made)), (), ())
    return _given_arrays(method, checks, read, arrays, size)


def _arrays(
    method: Callable[..., Any], checks: Checks, read: tuple[Any, ...], size: Any
) -> tuple[np.ndarray, ...]:
    """Return parameters as arrays, converted as safely as NumPy does it."""
    found = []
    for place, x in enumerate(read):
        dtype = np.dtype(np.int64 if place in checks.whole else np.float64)
        try:
            array = np.asarray(x)
            if array.dtype.kind == "c":
                refuse(method, *read, size=size)
            if not array.size and array.dtype == np.float64:
                array = array.astype(dtype)
            found.append(array.astype(dtype, casting="same_kind" if array.ndim else "unsafe"))
        except (TypeError, ValueError, OverflowError):
            refuse(method, *read, size=size)
    return tuple(found)


def _given_arrays(
    method: Callable[..., Any],
    checks: Checks,
    read: tuple[Any, ...],
    arrays: tuple[np.ndarray, ...],
    size: Any,
) -> Given:
    try:
        shape = np.broadcast_shapes(*(x.shape for x in arrays))
        method(*read, size=(0, *shape))
        wanted = shape if size is None else shape_of(size)
        if not is_spread(shape, wanted):
            refuse(method, *read, size=size)
    except ValueError:
        refuse(method, *read, size=size)
    given = tuple(map(as_handle, arrays))
    made = given if checks.made is None else checks.made(*given)
    return Given(None, tuple(as_code(x, FLOAT64) for x in made), wanted)


def is_exact(found: Given) -> bool:
    """Whether integers among parameters are what they were as float64."""
    numbers = found.numbers
    if numbers is not None:
        return all(abs(x) < EXACT or math.isinf(x) for x in numbers)
    return not any(bool((abs(x) >= EXACT).any()) for x in found.arrays)
