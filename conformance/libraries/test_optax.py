"""optax: its optimisers on trees of our arrays, compiled by `jit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy
import pytest

import jujunp

optax = pytest.importorskip("optax")

OPTIMISERS: dict[str, Callable[[], Any]] = {
    "adagrad": lambda: optax.adagrad(0.05),
    "adam": lambda: optax.adam(0.05),
    "adamw": lambda: optax.adamw(0.05),
    "clipped": lambda: optax.chain(optax.clip_by_global_norm(0.1), optax.adam(0.05)),
    "lamb": lambda: optax.lamb(0.05),
    "lion": lambda: optax.lion(0.01),
    "momentum": lambda: optax.sgd(0.1, momentum=0.9, nesterov=True),
    "rmsprop": lambda: optax.rmsprop(0.05),
    "schedule": lambda: optax.adam(optax.cosine_decay_schedule(0.1, 20)),
    "sgd": lambda: optax.sgd(0.1),
}
"""For 64-bit numbers, unlike those that JAX makes by default."""


def loss(np: Any, params: Any, x: Any, y: Any) -> Any:
    """Return the mean square error of one layer."""
    return np.mean((np.tanh(x @ params["w"] + params["b"]) - y) ** 2)


def trained(np: Any, transforms: Any, optimiser: Any) -> Any:
    """Return parameters and losses of ten steps; all else is the namespace's."""
    rng = numpy.random.default_rng(0)
    x, y = (np.asarray(rng.standard_normal((20, n))) for n in (3, 2))
    params = {"w": np.asarray(rng.standard_normal((3, 2))), "b": np.zeros(2)}
    state = transforms.jit(optimiser.init)(params)
    update = transforms.jit(optimiser.update)
    losses = []
    for _ in range(10):
        value, slopes = transforms.value_and_grad(lambda p: loss(np, p, x, y))(params)
        changes, state = update(slopes, state, params)
        params = jax.tree.map(lambda p, change: p + change, params, changes)
        losses.append(value)
    return params, losses


@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers(name: str) -> None:
    """Ten steps are those of the same program in jax.numpy."""
    with jax.enable_x64(True):
        wanted, theirs = trained(jax.numpy, jax, OPTIMISERS[name]())
    params, losses = trained(jujunp, jujunp, OPTIMISERS[name]())
    numpy.testing.assert_allclose([float(x) for x in losses], theirs, rtol=1e-9)
    for x, y in zip(jax.tree.leaves(params), jax.tree.leaves(wanted), strict=True):
        assert type(x) is jujunp.ndarray
        assert x.dtype == "float64"
        numpy.testing.assert_allclose(x, y, rtol=1e-7)


def test_a_whole_step_is_compiled() -> None:
    """Gradient, update and application are one function."""
    optimiser = optax.adam(0.05)

    @jujunp.jit
    def step(params: Any, state: Any, x: Any) -> Any:
        value, slopes = jujunp.value_and_grad(lambda p: jujunp.sum((p - x) ** 2))(params)
        changes, state = optimiser.update(slopes, state, params)
        return optax.apply_updates(params, changes), state, value

    params, x = jujunp.zeros(3), jujunp.arange(3.0)
    state = jujunp.jit(optimiser.init)(params)
    for _ in range(500):
        params, state, value = step(params, state, x)
    assert float(value) < 1e-12
    numpy.testing.assert_allclose(params, x, atol=1e-5)
