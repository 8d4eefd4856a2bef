"""Reductions of the segments of an axis, written out: for derivatives and maps over an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from ..values.dtypes import DTYPES
from ..values.value import dtype_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array

    from ..values.value import Value

_REDUCTIONS: dict[int, tuple[Callable[..., Any], float]] = {
    0: (jnp.sum, 0),
    1: (jnp.prod, 1),
    2: (jnp.max, -np.inf),
    3: (jnp.min, np.inf),
    7: (jnp.nanmax, -np.inf),
    8: (jnp.nanmin, np.inf),
}
"""What reduces floats, and the number that changes nothing, by the kernel's number of it."""


def reduceat(x: Array, starts: Array, axis: int, operation: int, dtype: np.dtype) -> Array:
    """Return each segment reduced: from a start to the next, or one element if that is before.

    NotImplementedError for an operation that is not of floats.
    """
    if operation not in _REDUCTIONS:
        raise NotImplementedError("segments are reduced by kernels alone by this function")
    reduction, nothing = _REDUCTIONS[operation]
    last = jnp.full((1,), x.shape[axis], starts.dtype)
    ends = jnp.concatenate([starts[1:], last])
    ends = jnp.where(ends > starts, ends, starts + 1)
    places = jnp.arange(x.shape[axis])
    inside = (places >= starts[:, None]) & (places < ends[:, None])
    rows = jnp.moveaxis(x.astype(dtype), axis, -1)[..., None, :]
    found = reduction(jnp.where(inside, rows, jnp.asarray(nothing, dtype)), axis=-1)
    return jnp.moveaxis(found, -1, axis)


def of_step(operands: list[Array], value: Value) -> Array:
    """Return what the kernel of that name gives."""
    x, starts = operands
    axis, operation = value.params or ()
    return reduceat(x, starts, axis, operation, DTYPES[dtype_code(value)])
