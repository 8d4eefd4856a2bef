"""What derivatives keep."""

from __future__ import annotations

from typing import Any

import numpy as np

import jujunp
from jujunp.lazy.run import machine
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.value import LOG

SIZE = 64
ARRAY = 8 * SIZE * SIZE


def sweep(u: Any) -> None:
    inner = u[1:-1, 1:-1]
    inner += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] - 2 * inner)
    u *= 1 - 1e-3 * u * u


class Meter:
    """The most memory that arrays have taken, in arrays, when it was looked at."""

    def __init__(self) -> None:
        self.most = 0.0

    def look(self) -> None:
        jujunp.flush()
        self.most = max(self.most, machine.memory_in_use() / ARRAY)


def test_checkpoints_bound_memory() -> None:
    meter = Meter()

    def block(u: Any) -> Any:
        u = u.copy()
        for _ in range(10):
            sweep(u)
        meter.look()
        return u

    def run(u: Any, block: Any) -> Any:
        for _ in range(100):
            u = block(u)
        return jujunp.sum(u**2)

    start = jujunp.asarray(np.random.default_rng(0).normal(size=(SIZE, SIZE)))
    found = np.array(jujunp.grad(lambda u: run(u, jujunp.checkpoint(block)))(start))
    checkpointed, meter.most = meter.most, 0.0
    kept = np.array(jujunp.grad(lambda u: run(u, block))(start))
    np.testing.assert_allclose(found, kept, rtol=1e-12)
    # a hundred arrays between the blocks, and what one block of ten sweeps needs
    assert checkpointed < 100 + 10 * 10
    assert meter.most > 1000


def test_linear_steps_keep_nothing() -> None:
    meter = Meter()

    def run(u: Any) -> Any:
        u = u.copy()
        for k in range(50):
            u[1:-1] += 0.1 * (u[:-2] + u[2:])
            if k % 10 == 9:
                meter.look()
        return u.sum()

    jujunp.grad(run)(jujunp.ones((SIZE, SIZE)))
    assert meter.most < 8


def test_nothing_is_kept_where_nobody_asks() -> None:
    gradient = jujunp.grad(lambda x: (x**3).sum())
    x = jujunp.ones((SIZE, SIZE))
    jujunp.flush()
    before = machine.memory_in_use()
    for _ in range(20):
        x = x - 0.01 * gradient(x)
        jujunp.flush()
    assert machine.memory_in_use() <= before + 2 * ARRAY
    assert not WATCHES
    y = jujunp.sin(x) + 1
    assert all(value.mark == 0 for value in LOG)
    del y
