"""Our arrays as arguments of JAX's functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.machine import is_pinned
from jujunp.lazy.run.watching import WATCHES

from ..._array.handle import NATIVE, Array, Handle, to_numpy, value_of, whole_value
from ..copies import Unmarked
from .numpys import numpys
from .telling import when_imported


def as_jax(x: Handle) -> Any:
    """Return an array of JAX with the elements, in the dtype that JAX has for them.

    It is what JAX traces, if `x` stands for that. No copy is made where JAX takes the memory as it
    is; an array of ours that is written into later has other memory then.
    """
    import jax

    traced = _traced(x)
    if traced is not None:
        return traced
    array = to_numpy(x)
    dtype = jax.dtypes.canonicalize_dtype(array.dtype)
    held = is_pinned(value_of(x))  # and may change
    if dtype == array.dtype and array.flags.c_contiguous and array.size and not held:
        return jax.dlpack.from_dlpack(_Memory(array))
    return jax.numpy.array(array, dtype)


def _traced(x: Handle) -> Any:
    """Return what JAX traces if `x` stands for that; None for what is computed."""
    for watch in reversed(WATCHES):
        traced = watch.for_jax(whole_value(x))
        if traced is not None:
            return traced
    for watch in WATCHES:
        watch.leave(whole_value(x), "what JAX computes at once")
    return None


class _Memory:
    """Elements that JAX does not write to, as DLPack hands them over."""

    def __init__(self, array: np.ndarray) -> None:

        self._array = np.asarray(Unmarked(array))

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


def __jax_array__(self: Any) -> Any:
    """Return the elements as an array of JAX's; computes them."""
    return as_jax(self)


METHODS = {"__jax_array__": __jax_array__}


# -- telling JAX of our types, once it is there


def _tell_jax() -> None:
    """Tell JAX what our arrays are as arguments: it takes no others than those it knows.

    JAX has no public way to say so. Without these two tables it raises errors of its own.
    """
    from jax._src import core, dtypes
    from jax._src.numpy import indexing

    for kind in NATIVE:
        dtypes.register_canonicalize_value_handler(kind, as_jax)
        core.pytype_aval_mappings[kind] = _aval
    indexer = getattr(indexing, "NDIndexer", None)
    if hasattr(indexer, "from_raw_indices"):
        _take_indices(indexer)


def _take_indices(indexer: Any) -> None:
    """Let `x[i]` and `x.at[i]` of JAX's arrays know index arrays and masks: JAX asks for NumPy's.

    JAX wants to know the elements of a mask, which NumPy's arrays have while it traces, too.
    """
    made = indexer.from_raw_indices

    def from_raw_indices(indices: Any, shape: Any) -> Any:
        if isinstance(indices, tuple):
            indices = tuple(map(_as_index, indices))
        return made(_as_index(indices), shape)

    indexer.from_raw_indices = staticmethod(from_raw_indices)


def _as_index(x: Any) -> Any:
    if not isinstance(x, Array):
        return x
    traced = _traced(x)
    return numpys(x) if traced is None else traced


def _aval(x: Handle) -> Any:
    from jax.core import ShapedArray
    from jax.dtypes import canonicalize_dtype

    return ShapedArray(x._shape, canonicalize_dtype(x.dtype))


when_imported("jax", _tell_jax)
