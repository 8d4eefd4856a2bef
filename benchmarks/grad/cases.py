"""The functions that are differentiated, and their arguments.

A function takes the namespace that it is written with, and returns a number. Its derivative is by
the first of the other arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SWEEPS = 200
"""Of the stencil."""


class Case(NamedTuple):
    """A function and its arguments: trees of NumPy's arrays, all float64."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    is_value: bool = False
    """Whether the function's value is wanted, not its gradient."""
    direction: Any = None
    """An array like the first argument: the product of the Hessian with it is wanted."""
    form_for_jax: Callable[..., Any] | None = None
    form_for_autograd: Callable[..., Any] | None = None
    """The function without writes in place."""


def _mlp(xp: Any, layers: Any, x: Any, wanted: Any) -> Any:
    for k in range(2):
        x = xp.tanh(x @ layers[k][0] + layers[k][1])
    return xp.mean((x @ layers[2][0] + layers[2][1] - wanted) ** 2)


def _energy(xp: Any, positions: Any, masses: Any) -> Any:
    between = positions[:, None] - positions[None]
    distances = xp.sqrt(xp.sum(between * between, -1) + 1e-2)
    return -xp.sum(masses[:, None] * masses / distances)


def _logistic(xp: Any, weights: Any, x: Any, signs: Any) -> Any:
    return xp.mean(xp.log1p(xp.exp(-signs * (x @ weights))))


def _average(u: Any) -> Any:
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def _stencil(xp: Any, start: Any, wanted: Any) -> Any:
    u = start * 1.0
    for _ in range(SWEEPS):
        u[1:-1, 1:-1] = _average(u)
    return xp.sum((u - wanted) ** 2)


def _stencil_of_jax(xp: Any, start: Any, wanted: Any) -> Any:
    from jax import lax

    def sweep(u: Any, _: Any) -> Any:
        return u.at[1:-1, 1:-1].set(_average(u)), None

    u, _ = lax.scan(sweep, start, length=SWEEPS)
    return xp.sum((u - wanted) ** 2)


def _stencil_of_autograd(xp: Any, start: Any, wanted: Any) -> Any:
    inner = np.pad(np.ones([n - 2 for n in start.shape]), 1)
    border = start * (1 - inner)
    u = start
    for _ in range(SWEEPS):
        u = xp.pad(_average(u), 1, "constant") + border
    return xp.sum((u - wanted) ** 2)


def _lstm(xp: Any, weights: Any, x: Any, hidden: Any, cell: Any) -> Any:
    of_input, of_hidden, offset = weights
    gates = x @ of_input + hidden @ of_hidden + offset
    width = cell.shape[1]
    into, forget, out = (1 / (1 + xp.exp(-gates[:, k * width : (k + 1) * width])) for k in range(3))
    cell = forget * cell + into * xp.tanh(gates[:, 3 * width :])
    return xp.sum((out * xp.tanh(cell)) ** 2)


def _ten_steps(xp: Any, x: Any) -> Any:
    for _ in range(3):
        x = xp.sin(x) * 1.5 + 0.1
    return xp.sum(x)


def cases() -> dict[str, Case]:
    """Return the functions by name."""
    rng = np.random.default_rng(0)

    def array(*shape: int) -> Any:
        return rng.standard_normal(shape)

    def mlp(batch: int, width: int, is_value: bool) -> Case:
        layers = [(array(width, width) / math.sqrt(width), array(width)) for _ in range(3)]
        given = (layers, array(batch, width), array(batch, width))
        return Case(_mlp, given, is_value)

    def n_body(count: int) -> Case:
        return Case(_energy, (array(count, 3), rng.random(count)))

    def stencil(side: int) -> Case:
        given = array(side, side), array(side, side)
        return Case(
            *(_stencil, given),
            form_for_jax=_stencil_of_jax,
            form_for_autograd=_stencil_of_autograd,
        )

    signs = np.sign(array(1000))
    weights = (array(64, 512) / 8, array(128, 512) / 11, array(512))
    return {
        "MLP, 32 x 32, loss": mlp(32, 32, True),
        "MLP, 32 x 32": mlp(32, 32, False),
        "MLP, 256 x 512, loss": mlp(256, 512, True),
        "MLP, 256 x 512": mlp(256, 512, False),
        "n-body energy, 64": n_body(64),
        "n-body energy, 512": n_body(512),
        "logistic regression, Hessian times vector": Case(
            _logistic, (array(50), array(1000, 50), signs), direction=array(50)
        ),
        "200 sweeps in place, 32 x 32": stencil(32),
        "200 sweeps in place, 256 x 256": stencil(256),
        "LSTM step": Case(_lstm, (weights, array(32, 64), array(32, 128), array(32, 128))),
        "ten steps, 64 elements": Case(_ten_steps, (array(64),)),
    }
