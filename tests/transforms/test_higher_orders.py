"""Derivatives of derivatives, and matrices of them, against JAX's of the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from tests.support.derivatives import close

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

X = np.array([0.4, -0.9, 1.3])
A = np.array([[1.5, 0.2, -0.3], [0.4, 2.0, 0.1], [-0.2, 0.6, 1.1]])


@pytest.fixture(autouse=True)
def all_bits_in_jax() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def smooth(xp: Any, x: Any) -> Any:
    return xp.sum(xp.sin(x) * xp.exp(x[::-1])) + xp.prod(x) ** 2


def matrices(xp: Any, x: Any) -> Any:
    m = xp.outer(x, x) + A
    return xp.linalg.slogdet(m)[1] + xp.sum(xp.linalg.inv(m)[0] ** 2)


def sorting(xp: Any, x: Any) -> Any:
    return xp.sum(xp.sort(x) ** 3 * X) + xp.max(x) * xp.min(x) + xp.var(x)


def fourier(xp: Any, x: Any) -> Any:
    return xp.sum(xp.abs(xp.fft.fft(x)) ** 3)


def indices(xp: Any, x: Any) -> Any:
    return xp.sum(x[np.array([0, 2, 2, 1])] ** 2 * x[1]) + xp.cumsum(x)[-1] ** 3


FUNCTIONS = (smooth, matrices, sorting, fourier, indices)


def both(function: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return lambda *args: function(jujunp, *args), lambda *args: function(jnp, *args)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_hessians(function: Callable[..., Any]) -> None:
    ours, theirs = both(function)
    wanted = np.asarray(jax.jit(jax.hessian(theirs))(X))
    close(jujunp.hessian(ours)(X), wanted, 1e-11)
    close(jujunp.jacrev(jujunp.grad(ours))(X), wanted, 1e-11)
    close(jujunp.jacrev(jujunp.jacfwd(ours))(X), wanted, 1e-11)
    close(jujunp.jacfwd(jujunp.jacfwd(ours))(X), wanted, 1e-11)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_three_gradients(function: Callable[..., Any]) -> None:
    ours, theirs = both(function)

    def third(grad: Callable[..., Any], f: Callable[..., Any]) -> Callable[..., Any]:
        once = grad(f)
        twice = grad(lambda x: (once(x) * X).sum())
        return grad(lambda x: (twice(x) * X[::-1]).sum())

    close(third(jujunp.grad, ours)(X), jax.jit(third(jax.grad, theirs))(X), 1e-10)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_changes_of_changes(function: Callable[..., Any]) -> None:
    ours, theirs = both(function)

    def twice(jvp: Callable[..., Any], f: Callable[..., Any]) -> Any:
        return jvp(lambda x: jvp(f, (x,), (X,))[1], (X,), (X[::-1],))[1]

    close(twice(jujunp.jvp, ours), jax.jit(lambda: twice(jax.jvp, theirs))(), 1e-11)


@pytest.mark.parametrize("name", ["jacrev", "jacfwd"])
def test_jacobians(name: str) -> None:
    def function(xp: Any, x: Any, pair: Any) -> Any:
        m, n = pair["m"], pair["n"]
        return {"a": xp.sin(m @ x) * n, "b": (xp.outer(x, x) * n, xp.sum(m))}

    ours, theirs = both(function)
    given = X, {"m": A, "n": 1.5}
    found = getattr(jujunp, name)(ours, (0, 1))(*given)
    wanted = jax.jit(getattr(jax, name)(theirs, (0, 1)))(*given)
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        close(x, y, 1e-12)


def test_hessian_of_two_arguments_with_more() -> None:
    def function(xp: Any, x: Any, y: Any) -> Any:
        return xp.sum(x * y) ** 2 + xp.sum(xp.sin(x)), {"n": 3}

    ours, theirs = both(function)
    found, more = jujunp.hessian(ours, (0, 1), has_aux=True)(X, A[0])
    wanted, _ = jax.jit(jax.hessian(theirs, (0, 1), has_aux=True))(X, A[0])
    assert more == {"n": 3}
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        close(x, y, 1e-12)


def test_jacobians_of_holomorphic_functions() -> None:
    ours, theirs = both(lambda xp, z: xp.sin(z) * z[::-1] ** 2)
    z = X + 0.5j * X[::-1]
    wanted = jax.jit(jax.jacrev(theirs, holomorphic=True))(z)
    close(jujunp.jacrev(ours, holomorphic=True)(z), wanted, 1e-12)
    close(jujunp.jacfwd(ours, holomorphic=True)(z), wanted, 1e-12)


def test_gradients_of_complex_arguments_are_jaxs() -> None:
    ours, theirs = both(
        lambda xp, z, w: xp.sum(xp.abs(z) ** 3) + xp.real(xp.vdot(z, w * w)) + xp.imag(z[0])
    )
    z, w = X + 0.5j * X[::-1], X * (1 - 2j)
    for x, y in zip(
        jujunp.grad(ours, (0, 1))(z, w), jax.jit(jax.grad(theirs, (0, 1)))(z, w), strict=True
    ):
        close(x, y, 1e-12)


def test_hessian_of_a_function_with_writes() -> None:
    def written(x: Any) -> Any:
        y = x * x
        y[1:] *= x[:-1]
        y[y > 1] = x[0] ** 3
        return y.sum() * x[2]

    def functional(x: Any) -> Any:
        y = x * x
        y = y.at[1:].multiply(x[:-1])
        y = jnp.where(y > 1, x[0] ** 3, y)
        return y.sum() * x[2]

    wanted = jax.jit(jax.hessian(functional))
    close(jujunp.hessian(written)(X), wanted(X), 1e-12)
    close(
        jujunp.vmap(jujunp.hessian(written))(A),
        jax.jit(jax.vmap(jax.hessian(functional)))(A),
        1e-12,
    )


def test_linearize_once_for_many_tangents() -> None:
    runs = []

    def function(x: Any) -> Any:
        runs.append(1)
        x[0] *= x[1]
        return jujunp.sin(x)

    value, change = jujunp.linearize(function, X)
    for t in A:
        close(change(t), jujunp.jvp(lambda x: function(x), (X,), (t,))[1], 1e-15)
    assert len(runs) == 4
    np.testing.assert_array_equal(value, np.sin([X[0] * X[1], X[1], X[2]]))
    rows = jujunp.vmap(change)(np.eye(3))
    close(np.asarray(rows).T, jujunp.jacfwd(function)(X), 1e-15)


def test_vjp_can_be_called_again() -> None:
    _, pull = jujunp.vjp(lambda x, y: x * x * y, X, A[0])
    for t in A:
        found = pull(t)
        close(found[0], 2 * X * A[0] * t, 1e-15)
        close(found[1], X * X * t, 1e-15)
