"""Transformations of transformations, of functions of every kind with a treatment of its own.

The oracle is the same function written as plain products, which no rule of its own concerns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from jujunp.lazy.policy import policy

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[[Any], Any]

X = np.array([0.5, -1.25, 2.0])
ONE = np.array([1.0, -2.0, 0.5])


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing: what is recorded is what is tested."""
    monkeypatch.setattr(policy, "mode", "never")


def plain(x: Any) -> Any:
    return x * x * x


def of_custom_jvp() -> Function:
    """A cube whose derivative is told by itself."""
    cube = jujunp.custom_jvp(plain)
    cube.defjvp(lambda at, by: (cube(at[0]), 3 * at[0] * at[0] * by[0]))
    return cube


def of_custom_vjp() -> Function:
    cube = jujunp.custom_vjp(plain)
    cube.defvjp(lambda x: (plain(x), x), lambda x, by: (3 * x * x * by,))
    return cube


def of_writes(x: Any) -> Any:
    y = jujunp.zeros(3)
    y[:] = x
    y *= x
    y[1:] *= x[1:]
    y[:1] *= x[:1]
    return y


KINDS: dict[str, Callable[[], Function]] = {
    "custom_jvp": of_custom_jvp,
    "custom_vjp": of_custom_vjp,
    "checkpoint": lambda: jujunp.checkpoint(plain),
    "fori_loop": lambda: lambda x: jujunp.fori_loop(0, 2, lambda _, c: c * x, x),
    "scan": lambda: lambda x: jujunp.scan(lambda c, _: (c * x, None), x, None, length=2)[0],
    "writes": lambda: of_writes,
    "jit": lambda: jujunp.jit(lambda x: jujunp.multiply(x * x, x)),
    "jit of JAX's": lambda: jujunp.jit(lambda x: jnp.multiply(x * x, x)),
}

NESTED: dict[str, Callable[[Function], Function]] = {
    "grad of grad": lambda f: jujunp.grad(lambda x: jujunp.sum(jujunp.grad(f)(x) * x)),
    "jvp of grad": lambda f: lambda x: jujunp.jvp(jujunp.grad(f), (x,), (ONE,))[1],
    "jvp of jvp": lambda f: (
        lambda x: jujunp.jvp(lambda x: jujunp.jvp(f, (x,), (ONE,))[1], (x,), (ONE,))[1]
    ),
    "grad of jvp": lambda f: jujunp.grad(lambda x: jujunp.jvp(f, (x,), (ONE,))[1]),
    "jacfwd of jacrev": jujunp.hessian,
    "jacrev of jacfwd": lambda f: jujunp.jacrev(jujunp.jacfwd(f)),
    "grad of vmap": lambda f: jujunp.grad(
        lambda x: jujunp.sum(jujunp.vmap(lambda s: f(s * x))(np.stack([ONE, 2 * ONE])))
    ),
    "jvp of vmap": lambda f: (
        lambda x: jujunp.jvp(
            lambda x: jujunp.vmap(lambda s: f(s * x) * x)(np.stack([ONE, 2 * ONE])), (x,), (ONE,)
        )[1]
    ),
    "vmap of grad of grad": lambda f: (
        lambda x: jujunp.vmap(jujunp.grad(lambda x: jujunp.sum(jujunp.grad(f)(x) ** 2)))(
            np.stack([x, 2 * x])
        )
    ),
}

FORWARD = {"jvp of jvp", "grad of jvp", "jacrev of jacfwd", "jvp of vmap"}
"""Those that push through the function itself, as `custom_vjp` does not let them."""


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("kind", KINDS)
def test_nested(kind: str, name: str) -> None:
    function = KINDS[kind]()
    found = NESTED[name](lambda x: jujunp.sum(function(x) * jujunp.sin(x)))
    if kind == "custom_vjp" and name in FORWARD:
        with pytest.raises(TypeError, match="custom_vjp"):
            found(X)
        return
    wanted = NESTED[name](lambda x: jujunp.sum(plain(x) * jujunp.sin(x)))
    np.testing.assert_allclose(found(X), wanted(X), rtol=1e-13)
