"""JAX primitives of our own, for what NumPy computes in one step and JAX does not.

They are named after NumPy's function or our kernel, and appear in Jaxprs like JAX's own. Each
elementwise operation for which JAX has no function is one.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.dtypes import canonicalize_dtype, float0
from jax.extend.core import Primitive
from jax.interpreters import ad, batching

from jujunp.kernels.operations import operations

from ..rules import constant, node
from ..run.flush import ensure
from ..run.transfer import export
from ..values.dtypes import CODES, DTYPES
from ..values.value import Value
from .lax import LAX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax import Array

    from ..functions.table import Function
    from ..values.types import Shape

_WRITTEN_OUT = frozenset({"copy", "round"})
"""Operations that need no primitive (from_values.py)."""


def _elementwise(name: str, predicate: bool) -> Primitive:
    primitive = Primitive(name)

    def rule(x: ShapedArray, *others: ShapedArray) -> ShapedArray:
        return ShapedArray(x.shape, np.dtype(bool) if predicate else x.dtype)

    primitive.def_abstract_eval(rule)
    return primitive


ELEMENTWISE: dict[str, Primitive] = {
    name: _elementwise(name, operation.predicate)
    for name, operation in operations().items()
    if name not in LAX and name not in _WRITTEN_OUT
}
"""Own elementwise primitives; operands have one shape and dtype."""

integer_power_p = Primitive("pow")
"""JAX's own takes no integer bases."""
integer_power_p.def_abstract_eval(lambda x, y: ShapedArray(x.shape, x.dtype))

nonzero_p = Primitive("nonzero")
require_p = Primitive("require")
"""Its first operand, if the status that is the second says success."""
require_p.def_abstract_eval(lambda x, status: ShapedArray(x.shape, x.dtype))
factorization_p = Primitive("factorization")
"""A kernel of linear algebra whose last result is a status for each matrix, unlike JAX's own."""
factorization_p.multiple_results = True
factorization_p.def_abstract_eval(
    lambda *operands, kernel, words, results: [ShapedArray(*spec) for spec in results]
)
draw_p = Primitive("draw")
"""The kernel of that name: random numbers, and the words of the generator afterwards."""
draw_p.multiple_results = True
draw_p.def_abstract_eval(
    lambda state, *given, words, shape, dtype: [ShapedArray(shape, dtype), state]
)
searchsorted_p = Primitive("searchsorted")
reduceat_p = Primitive("reduceat")
geqp3_p = Primitive("geqp3")


def _nonzero_rule(mask: ShapedArray, *, size: int) -> ShapedArray:
    return ShapedArray((size,), np.dtype(np.int64))


def _searchsorted_rule(a: ShapedArray, v: ShapedArray, *, side: int) -> ShapedArray:
    return ShapedArray(v.shape, np.dtype(np.int64))


def _reduceat_rule(
    x: ShapedArray, starts: ShapedArray, *, axis: int, operation: int, dtype: np.dtype
) -> ShapedArray:
    return ShapedArray((*x.shape[:axis], *starts.shape, *x.shape[axis + 1 :]), dtype)


def _geqp3_rule(a: ShapedArray, fixed: ShapedArray) -> list[ShapedArray]:
    taus = (*a.shape[:-2], min(a.shape[-2:]))
    return [a, fixed, ShapedArray(taus, a.dtype)]


geqp3_p.multiple_results = True
geqp3_p.def_abstract_eval(_geqp3_rule)
nonzero_p.def_abstract_eval(_nonzero_rule)
searchsorted_p.def_abstract_eval(_searchsorted_rule)
reduceat_p.def_abstract_eval(_reduceat_rule)


def nonzero(mask: Array, size: int) -> Any:
    """Return the flat indices of the `size` true elements of a mask, in order."""
    return nonzero_p.bind(mask, size=size)


def draw(
    state: Array, given: Sequence[Any], words: tuple[int, ...], shape: Shape, dtype: np.dtype
) -> Any:
    """Return random numbers, of parameters, and the words of the generator afterwards."""
    return draw_p.bind(state, *given, words=words, shape=shape, dtype=dtype)


def searchsorted(a: Array, v: Array, side: int) -> Any:
    """Return where `v` would be inserted into sorted `a`: before equal elements, or behind (1)."""
    return searchsorted_p.bind(a, v, side=side)


def reduceat(x: Array, starts: Array, axis: int, operation: int, dtype: np.dtype) -> Any:
    """Return the segments of an axis, each reduced: a row of the kernel of that name."""
    return reduceat_p.bind(x, starts, axis=axis, operation=operation, dtype=dtype)


def geqp3(a: Array, fixed: Array) -> Any:
    """Return the pivoted QR factorization of LAPACK's routine of that name, packed."""
    return geqp3_p.bind(a, fixed)


# -- functions of users


def apply_function(function: Function, operands: Sequence[Any], dtype: np.dtype) -> Any:
    """Apply a function of the user's to array_likes of which JAX traces some, in a dtype."""
    dtype = canonicalize_dtype(dtype)  # 64 bits only where the user has enabled them in JAX
    arrays = jnp.broadcast_arrays(*(jnp.asarray(x, dtype) for x in operands))
    return bind_function(function, arrays)


def bind_function(function: Function, operands: Sequence[Array]) -> Any:
    """Apply a function of the user's to operands of one shape and of a dtype that it is for."""
    return _primitive_of(function).bind(*operands, library=function.package)


def _computed(function: Function, operands: Sequence[Array]) -> Array:
    """Return what a function of the user's gives for arrays of JAX; our kernels compute it."""
    given = [constant(np.asarray(x), CODES[x.dtype]) for x in operands]
    found = node(function.key, given, given[0].shape, function.result(given[0].code))
    assert isinstance(found.value, Value)
    ensure(found.value)
    return jnp.array(export(found.value, found.code))


@functools.cache
def _primitive_of(function: Function) -> Primitive:
    """Return a function's primitive, which says in `library` where the graph package is."""
    primitive = Primitive(function.key)

    def spec(x: ShapedArray, *others: ShapedArray, library: str) -> ShapedArray:
        code = CODES.get(x.dtype)
        if code not in function.codes or any(y.dtype != x.dtype for y in others):
            raise TypeError(f"{function.key} is not for operands of dtype {x.dtype}")
        return ShapedArray(x.shape, DTYPES[function.result(code)])

    def batch(operands: Sequence[Array], axes: Sequence[Any], library: str) -> tuple[Any, int]:
        size = next(x.shape[at] for x, at in zip(operands, axes, strict=True) if at is not None)
        moved = [
            jnp.broadcast_to(x, (size, *x.shape)) if at is None else jnp.moveaxis(x, at, 0)
            for x, at in zip(operands, axes, strict=True)
        ]
        return primitive.bind(*moved, library=library), 0

    def jvp(primals: Sequence[Array], tangents: Sequence[Any], library: str) -> tuple[Any, Any]:
        found = primitive.bind(*primals, library=library)
        if function.predicate:
            return found, ad.Zero(ShapedArray(found.shape, float0))
        parts = [
            (by(*primals) * tangent).astype(found.dtype)
            for by, tangent in zip(function.derivatives or (), tangents, strict=True)
            if not isinstance(tangent, ad.Zero)
        ]
        return found, functools.reduce(jnp.add, parts)

    primitive.def_abstract_eval(spec)
    primitive.def_impl(lambda *operands, library: _computed(function, operands))
    batching.primitive_batchers[primitive] = batch
    if function.predicate or function.derivatives is not None:
        ad.primitive_jvps[primitive] = jvp
    return primitive
