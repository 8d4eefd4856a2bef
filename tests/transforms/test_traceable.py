"""JAX's own transformations of functions written with this module, and JAX's functions on ours."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from jujunp.lazy.run import machine


@pytest.fixture(autouse=True)
def wide() -> Any:
    with jax.enable_x64(True):
        yield


X = np.linspace(0.3, 1.5, 4)


def smooth(x: Any) -> Any:
    return jujunp.sum(jujunp.sin(x) ** 2) * jujunp.max(x)


def writing(x: Any) -> Any:
    y = jujunp.zeros(4)
    y[0] = x[1]
    y[1:] += x[:-1] * 2
    x[2] = 7.0
    return jujunp.sum(y**2) + x[2] * x[0]


def written_gradient(x: np.ndarray) -> np.ndarray:
    return np.array([8 * x[0] + 7, 2 * x[1] + 8 * x[1], 8 * x[2], 0])


def test_gradients_without_a_wrapper() -> None:
    wanted = jujunp.grad(smooth)(X)
    np.testing.assert_allclose(jax.grad(smooth)(X), wanted, rtol=1e-14)
    np.testing.assert_allclose(jax.jit(jax.grad(smooth))(X), wanted, rtol=1e-14)
    np.testing.assert_allclose(jax.hessian(smooth)(X), jujunp.hessian(smooth)(X), rtol=1e-12)


def test_constants_may_be_ours() -> None:
    weights = jujunp.arange(4.0)
    found = jax.grad(lambda x: jujunp.sum(weights * x * jnp.cos(weights)))(X)
    np.testing.assert_allclose(found, np.arange(4) * np.cos(np.arange(4)))


def test_writes_need_the_wrapper() -> None:
    np.testing.assert_allclose(jax.grad(jujunp.traceable(writing))(X), written_gradient(X))
    with pytest.raises(TypeError, match="traceable"):
        jax.grad(writing)(X)
    y = jujunp.zeros(4)
    with pytest.raises(TypeError, match="traceable"):
        jax.jit(lambda x: y.__setitem__(0, x[0]))(X)
    assert y.tolist() == [0, 0, 0, 0]


def test_all_of_jaxs() -> None:
    batch = np.stack([X, 2 * X])
    rows = [float(writing(jujunp.array(row))) for row in batch]
    function = jujunp.traceable(writing)
    np.testing.assert_allclose(jax.vmap(function)(batch), rows)
    np.testing.assert_allclose(jax.jit(function)(X), rows[0])
    np.testing.assert_allclose(jax.lax.map(function, batch), rows)
    change = jax.jvp(function, (X,), (np.ones(4),))[1]
    np.testing.assert_allclose(change, written_gradient(X).sum())
    names = {equation.primitive.name for equation in jax.make_jaxpr(function)(X).eqns}
    assert "dynamic_update_slice" in names


def test_reads_are_errors() -> None:
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(jujunp.traceable(lambda x: jujunp.sin(x) if x[0] > 0 else x))(X)
    assert float(jujunp.sum(jujunp.ones(2))) == 2


def test_rules_stay() -> None:
    @jujunp.custom_vjp
    def double(x: Any) -> Any:
        return 2 * x

    double.defvjp(lambda x: (double(x), x), lambda x, ct: (ct * 100 * x,))

    @jujunp.custom_jvp
    def triple(x: Any) -> Any:
        return 3 * x

    triple.defjvp(lambda primals, tangents: (triple(*primals), 50 * tangents[0]))
    for function, wanted in (
        (lambda x: jujunp.sum(double(x)), 100 * X),
        (lambda x: jujunp.sum(triple(x)), np.full(4, 50)),
        (lambda x: jujunp.sum(jujunp.stop_gradient(x) * x), X),
        (lambda x: jujunp.sum(jujunp.checkpoint(jujunp.sin)(x)), np.cos(X)),
    ):
        np.testing.assert_allclose(jax.grad(jujunp.traceable(function))(X), wanted)
        np.testing.assert_allclose(jujunp.grad(function)(X), wanted)


def test_transformations_of_ours_inside_of_jaxs() -> None:
    inner = jujunp.grad(lambda x: jujunp.sum(x**3))
    np.testing.assert_allclose(jax.jit(inner)(X), 3 * X**2)
    np.testing.assert_allclose(jax.jacfwd(inner)(X), np.diag(6 * X))
    np.testing.assert_allclose(jax.jit(jujunp.vmap(jujunp.sin))(X), np.sin(X))


CALLS = {
    "sin": lambda x: jnp.sin(x),
    "jit": lambda x: jax.jit(lambda y: y + 1)(x),
    "grad": lambda x: jax.grad(lambda y: jnp.sum(y**2))(x),
    "plus": lambda x: jnp.ones(3) + x,
    "lax": lambda x: jax.lax.sin(x),
    "vmap": lambda x: jax.vmap(jnp.sin)(x),
    "scan": lambda x: jax.lax.scan(lambda c, e: (c + e, c), x[0], x)[1],
    "put": lambda x: jax.device_put(x),
    "stack": lambda x: jnp.stack([x, x]),
}


@pytest.mark.parametrize("name", CALLS)
def test_jax_takes_our_arrays(name: str) -> None:
    x = np.arange(3.0)
    np.testing.assert_allclose(CALLS[name](jujunp.asarray(x) + 0), CALLS[name](x))


@pytest.mark.parametrize("order", ["import jax, jujunp", "import jujunp, jax"])
def test_jax_is_told_whenever_it_comes(order: str) -> None:
    code = f"{order}; print(jax.grad(lambda y: (y * y).sum())(jujunp.arange(3.0)).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[0.0, 2.0, 4.0]"


def test_no_copies() -> None:
    ours = jujunp.arange(100_000.0) + 1
    theirs = jnp.asarray(ours)
    assert theirs.unsafe_buffer_pointer() == machine.address_of(ours._value.buffer)
    ours[0] = 5
    assert (float(ours[0]), float(theirs[0])) == (5, 1)
    back = jujunp.asarray(theirs)
    assert machine.address_of(back._value.buffer) == theirs.unsafe_buffer_pointer()
    seen: Any = np.asarray(back)
    seen[2] = 7.0
    assert (float(back[2]), float(theirs[2])) == (7, 3)
    seen = np.asarray(ours)
    assert jnp.asarray(ours).unsafe_buffer_pointer() != seen.ctypes.data  # others may write to it
    back += 1
    back[1] = 9
    assert (float(back[1]), float(back[2]), float(theirs[1])) == (9, 8, 2)


UNARY = [
    "log10",
    "log2",
    "reciprocal",
    "deg2rad",
    "rad2deg",
    "i0",
    "trunc",
    "isnan",
    "isinf",
    "signbit",
    "spacing",
]
BINARY = [
    "hypot",
    "fmax",
    "fmin",
    "logaddexp",
    "logaddexp2",
    "remainder",
    "floor_divide",
    "copysign",
    "heaviside",
]


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_what_jax_has_no_primitive_for(name: str) -> None:
    operands = [X, X[::-1] + 0.1][: 2 if name in BINARY else 1]
    function, wanted = getattr(jujunp, name), getattr(np, name)(*operands)
    arrays = [jnp.asarray(x) for x in operands]
    for made in (function(*arrays), jax.jit(function)(*arrays), jax.vmap(function)(*arrays)):
        np.testing.assert_allclose(np.asarray(made), wanted, rtol=1e-12)
    if wanted.dtype == float:
        gradient = jax.jit(jax.grad(lambda x, *rest: jujunp.sum(function(x, *rest))))(*arrays)
        found = jujunp.grad(lambda x: jujunp.sum(function(x, *operands[1:])))(operands[0])
        np.testing.assert_allclose(gradient, found, rtol=1e-12, atol=1e-14)


def test_what_jax_computes_at_once_has_no_derivative_here() -> None:
    with pytest.raises(TypeError, match="no derivative here"):
        jujunp.grad(lambda x: jnp.sum(jnp.sin(x)))(X)
