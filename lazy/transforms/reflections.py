"""QR by Householder's reflections, written out: JAX has no derivatives of LAPACK's routines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

if TYPE_CHECKING:
    from jax import Array


def geqrf(a: Array) -> tuple[Array, Array]:
    """Return what LAPACK's routine of that name does: r over the reflections, and their taus."""
    taus = []
    for k in range(min(a.shape[-2:])):
        x = a[..., k:, k]
        first, rest = x[..., 0], x[..., 1:]
        squares = jnp.sum(jnp.real(rest * jnp.conj(rest)), -1)
        still = (squares == 0) & (jnp.imag(first) == 0)
        length = jnp.sqrt(jnp.where(still, 1.0, squares + jnp.real(first * jnp.conj(first))))
        beta = jnp.where(jnp.real(first) < 0, length, -length)
        tau = jnp.where(still, jnp.zeros_like(first), (beta - first) / beta)
        scale = jnp.where(still, jnp.ones_like(first), first - beta)
        tail = jnp.where(still[..., None], jnp.zeros_like(rest), rest / scale[..., None])
        reflection = jnp.concatenate([jnp.ones_like(x[..., :1]), tail], -1)
        right = _reflected(a[..., k:, k + 1 :], reflection, jnp.conj(tau))
        column = jnp.where(still, first, beta.astype(first.dtype))[..., None]
        column = jnp.concatenate([column, tail], -1)
        block = jnp.concatenate([column[..., None], right], -1)
        a = a.at[..., k:, k:].set(block)
        taus.append(tau)
    return a, jnp.stack(taus, -1)


def householder_product(a: Array, taus: Array) -> Array:
    """Return the first columns of the product of reflections, as many as `a` has."""
    rows, columns = a.shape[-2:]
    found = jnp.broadcast_to(jnp.eye(rows, columns, dtype=a.dtype), a.shape)
    for k in reversed(range(taus.shape[-1])):
        reflection = jnp.concatenate([jnp.ones_like(a[..., :1, k]), a[..., k + 1 :, k]], -1)
        part = _reflected(found[..., k:, :], reflection, taus[..., k])
        found = found.at[..., k:, :].set(part)
    return found


def _reflected(x: Array, reflection: Array, tau: Array) -> Array:
    """Return (1 - tau v v*) x."""
    along = jnp.einsum("...i,...ij->...j", jnp.conj(reflection), x)
    return x - tau[..., None, None] * reflection[..., :, None] * along[..., None, :]
