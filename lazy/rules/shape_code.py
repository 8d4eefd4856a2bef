"""Shape and dtype code of what a Jaxpr names; a random key of JAX's is one uint64.

A key of threefry is two uint32 words. An array of keys is recorded as an array of uint64 with the
same shape, whose elements are these words as they lie in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax import dtypes
from jax.extend.random import threefry_prng_impl as threefry

from ..values.dtypes import UINT64, kernel_code

if TYPE_CHECKING:
    from ..values.types import Shape


class ShapeCode(NamedTuple):
    """Shape and dtype code of an operand or a result."""

    shape: Shape
    code: int


class Unrecordable(NotImplementedError):
    """The traced function uses a primitive, or a form of one, that has no kernel."""

    line = ""
    """The user's line that used it, once it is known."""

    def __str__(self) -> str:
        return f"{super().__str__()}, used at {self.line}" if self.line else super().__str__()


def is_key(dtype: Any) -> bool:
    """Whether a dtype is that of random keys; Unrecordable for others than those of threefry."""
    if not jax.numpy.issubdtype(dtype, dtypes.prng_key):
        return False
    if dtype._impl != threefry:
        raise Unrecordable(f"random keys of {dtype} have no kernels")
    return True


def keys_as_words(keys: jax.Array) -> np.ndarray:
    """Return an array of JAX's keys as its words: an array of uint64 of the same shape."""
    words = np.asarray(jax.random.key_data(keys))
    return np.ascontiguousarray(words).view(np.uint64)[..., 0]


def code_of_dtype(dtype: Any) -> int:
    """Return the code of a dtype of JAX's; keys are their words."""
    return UINT64 if is_key(dtype) else kernel_code(np.dtype(dtype))


def shape_code(atom: Any) -> ShapeCode:
    """Return the shape and dtype code of a variable or literal of a Jaxpr."""
    return ShapeCode(atom.aval.shape, code_of_dtype(atom.aval.dtype))
