"""Derivatives that are recorded again, of structures that were seen before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp
from jujunp.lazy.transforms.derivatives import plans

from .test_programs import LEFT, RIGHT, program


@pytest.mark.parametrize("seed", range(60))
def test_other_values_of_the_same_structure(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps: list[Any] = [tuple(map(int, rng.integers([8, 10, 10, 14]))) for _ in range(12)]

    def gradient(scale: float) -> list[np.ndarray]:
        def function(x: Any, y: Any) -> Any:
            return program(jujunp, steps, x * scale, y - scale) * scale**2

        found = jujunp.grad(function, (0, 1))(LEFT + scale / 8, RIGHT * scale)
        return [np.array(x) for x in found]

    scales = 1.0, 0.75, -0.5
    again = [gradient(scale) for scale in scales]
    for scale, found in zip(scales, again, strict=True):
        plans.forget_plans()
        for x, y in zip(found, gradient(scale), strict=True):
            np.testing.assert_array_equal(x, y)


def test_it_is_recorded_again() -> None:
    def function(x: Any, factor: float) -> Any:
        x[1:] *= factor
        return np.sin(x).sum()

    gradient = jujunp.grad(function)
    plans.forget_plans()
    assert gradient(np.ones(3), 2.0).tolist() == pytest.approx([np.cos(1), *[2 * np.cos(2)] * 2])
    known = plans.plans()
    pulls = [pull for plan in known for pull in plan.tables.values()]
    assert pulls
    assert gradient(np.zeros(3), 5.0).tolist() == [1.0, 5.0, 5.0]
    assert plans.plans() == known
    assert [pull for plan in known for pull in plan.tables.values()] == pulls


def test_a_value_used_twice_in_one_context_and_once_in_another() -> None:
    def late(x: Any) -> Any:
        y, z = jujunp.sin(x), jujunp.cos(x)
        float(y[0])  # what comes now is seen apart
        return y, z

    def same(x: Any) -> Any:
        y, z = late(x)
        return jujunp.sum(y + z)

    def different(x: Any) -> Any:
        y, z = late(x)
        return jujunp.sum(2 * y + 3 * z)

    at = np.arange(1.0, 4.0)
    plans.forget_plans()
    for _ in range(2):
        np.testing.assert_allclose(jujunp.grad(same)(at), np.cos(at) - np.sin(at))
        np.testing.assert_allclose(jujunp.grad(different)(at), 2 * np.cos(at) - 3 * np.sin(at))


def test_plans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "KEPT", 8)
    for count in range(1, 6):
        jujunp.grad(lambda x, count=count: sum(x * k for k in range(count)))(1.0)
    assert sum(plan.size - plan.first for plan in plans.plans()) <= 16
    assert jujunp.grad(lambda x: x * x)(3.0) == 6
