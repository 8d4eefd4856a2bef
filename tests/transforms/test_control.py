"""Loops and branches as functions, in transformations that `jit` or JAX traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

X = np.array([0.5, -1.0, 2.0])


def fori(x: Any) -> Any:
    return jujunp.sum(jujunp.fori_loop(0, 3, lambda k, y: jujunp.sin(y) * x, x))


def scan(x: Any) -> Any:
    total, parts = jujunp.scan(lambda c, y: (c + jujunp.sin(y), c * y), 0.0, x)
    return total + jujunp.sum(parts)


def cond(x: Any) -> Any:
    return jujunp.sum(jujunp.cond(x[1] > 0, jujunp.sin, jujunp.cos, x))


FUNCTIONS = [fori, scan, cond]
TRANSFORMED: dict[str, Callable[..., Any]] = {
    "grad": jujunp.grad,
    "jvp": lambda f: lambda x: jujunp.jvp(f, (x,), (x,)),
    "hessian": jujunp.hessian,
    "vmap": lambda f: lambda x: jujunp.vmap(f)(jujunp.stack([x, -x])),
    "gradients": lambda f: lambda x: jujunp.vmap(jujunp.grad(f))(jujunp.stack([x, -x])),
}


@pytest.mark.parametrize("name", TRANSFORMED)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_compiled(function: Callable[..., Any], name: str) -> None:
    wanted = TRANSFORMED[name](function)(X)
    found = jujunp.jit(TRANSFORMED[name](function))(X)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_by_jax(function: Callable[..., Any]) -> None:
    wanted = jujunp.grad(function)(X)
    np.testing.assert_allclose(jujunp.jit(jax.grad(function))(X), wanted, rtol=1e-12)
    theirs = jujunp.jit(jax.grad(jujunp.traceable(function)))(X)
    np.testing.assert_allclose(theirs, wanted, rtol=1e-12)


def test_what_cannot_be_leaves_no_trace() -> None:
    loop = jujunp.grad(lambda x: jujunp.while_loop(lambda y: y < 9, lambda y: 2 * y, x))
    assert float(loop(1.0)) == 16.0
    with pytest.raises(TypeError, match="have no value yet"):
        jujunp.jit(loop)(1.0)
    assert float(jujunp.sum(jujunp.asarray(X) + 1)) == 4.5


def test_stop_gradient_of_what_jax_traces() -> None:
    slope = jax.grad(lambda x: jujunp.sum(jujunp.stop_gradient(x) * x))
    np.testing.assert_array_equal(slope(jnp.asarray([2.0, 3.0])), [2.0, 3.0])
