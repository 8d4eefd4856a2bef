"""How the kernels of linear algebra and the Fourier transform are written with JAX primitives."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.lax import linalg

from . import primitives

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array

    from ..values.value import Value


def _plain(function: Callable[..., Any]) -> Any:
    """A function of the operands alone."""
    return lambda operands, value: function(*operands)


def with_status(function: Callable[..., Any], axes: int = 2) -> Any:
    """A function of the operands and params; JAX tells by nan what a status tells."""

    def rule(operands: list[Array], value: Value) -> Any:
        found = function(*operands, *(value.params or ()))
        results = found if isinstance(found, (tuple, list)) else (found,)
        batch = operands[-1].shape[: operands[-1].ndim - axes]
        return (*results, lax.full(batch, 0, np.int32))

    return rule


def _fft(operands: list[Array], value: Value) -> Any:
    kind, length = value.params or ()
    return lax.fft(operands[0], lax.FftType(kind), (length,))


def _cholesky(a: Array, lower: int) -> Any:
    if lower:
        return linalg.cholesky(a, symmetrize_input=False)
    return _adjoint(linalg.cholesky(_adjoint(a), symmetrize_input=False))


def _adjoint(a: Array) -> Array:
    return jnp.conj(jnp.matrix_transpose(a))


def _geqrf(a: Array) -> tuple[Array, Array]:
    packed, taus = jnp.linalg.qr(a, mode="raw")
    return jnp.matrix_transpose(packed), taus


def _det(a: Array) -> Any:
    sign, logarithm = jnp.linalg.slogdet(a)
    return sign * jnp.exp(logarithm)


def _permutation(operands: list[Array], value: Value) -> Array:
    return linalg.lu_pivots_to_permutation(operands[0], value.shape[-1])


def _triangular_solve(operands: list[Array], value: Value) -> Array:
    left, lower, transposed, conjugated, unit = (bool(flag) for flag in value.params or ())
    return linalg.triangular_solve(
        *operands,
        left_side=left,
        lower=lower,
        transpose_a=transposed,
        conjugate_a=conjugated,
        unit_diagonal=unit,
    )


def _eigh(a: Array, lower: int, vectors: int) -> tuple[Array, ...]:
    basis, values = linalg.eigh(a, lower=bool(lower), symmetrize_input=False)
    return (values, basis) if vectors else (values,)


def _svd(a: Array, full: int, vectors: int) -> Any:
    if not vectors:
        return linalg.svd(a, compute_uv=False)
    u, values, vt = linalg.svd(a, full_matrices=bool(full))
    return values, u, vt


def _eig(a: Array, left: int, right: int) -> Any:
    return linalg.eig(
        a, compute_left_eigenvectors=bool(left), compute_right_eigenvectors=bool(right)
    )


def _schur(a: Array, vectors: int) -> Any:
    return linalg.schur(a, compute_schur_vectors=bool(vectors))


def _ormqr(operands: list[Array], value: Value) -> Array:
    left, adjoint = (bool(flag) for flag in value.params or ())
    return linalg.ormqr(*operands, left=left, transpose=adjoint)


def _least_squares(a: Array, b: Array, bits: int) -> tuple[Array, ...]:
    (cut,) = struct.unpack("<d", struct.pack("<q", bits))
    u, values, vt = linalg.svd(a, full_matrices=False)
    kept = values > values[..., :1] * cut
    parts = (_adjoint(u) @ b) / values[..., None]
    x = _adjoint(vt) @ jnp.where(kept[..., None], parts, 0)
    sums = jnp.sum(jnp.abs(b - a @ x) ** 2, axis=-2)
    return x, values, jnp.sum(kept, axis=-1, dtype=np.int32), sums


WITH_STATUS: dict[str, Any] = {
    "cholesky": with_status(_cholesky),
    "solve": with_status(jnp.linalg.solve),
    "tridiagonal_solve": with_status(linalg.tridiagonal_solve),
    "least_squares": with_status(_least_squares),
    "eigh": with_status(_eigh),
    "svd": with_status(_svd),
    "eig": with_status(_eig),
    "schur": with_status(_schur),
}

KERNELS: dict[str, Any] = {
    **WITH_STATUS,
    "fft": _fft,
    "lu": _plain(linalg.lu),
    "lu_pivots_to_permutation": _permutation,
    "slogdet": _plain(jnp.linalg.slogdet),
    "det": _plain(_det),
    "geqrf": _plain(_geqrf),
    "geqp3": _plain(primitives.geqp3),
    "householder_product": _plain(linalg.householder_product),
    "ormqr": _ormqr,
    "hessenberg": _plain(linalg.hessenberg),
    "tridiagonal": lambda operands, value: linalg.tridiagonal(
        operands[0], lower=bool((value.params or (1,))[0])
    ),
    "triangular_solve": _triangular_solve,
}
