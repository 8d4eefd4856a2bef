"""Ufunc calls with `out=`: recorded by Mojo where the result is just what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.calls.support import python_frames
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: list[Callable[[Any, Any, Any, Any], Any]] = [
    lambda xp, x, y, z: xp.add(x, y, out=z),
    lambda xp, x, y, z: xp.add(x, y, z),
    lambda xp, x, y, z: xp.add(x, y, out=(z,)),
    lambda xp, x, y, z: xp.multiply(z, 2.0, z),
    lambda xp, x, y, z: xp.sin(x, out=z),
    lambda xp, x, y, z: xp.negative(z, z),
    lambda xp, x, y, z: xp.subtract(x[0], y, out=z),
    lambda xp, x, y, z: xp.add(x[:, ::-1], y, out=z[:, ::-1]),
    lambda xp, x, y, z: xp.add(z[:, :-1], 1.0, out=z[:, 1:]),
    lambda xp, x, y, z: xp.multiply(x, y.T[0][:, None], out=z.T) if x.shape == (2, 2) else None,
    lambda xp, x, y, z: xp.less(x, y, out=z),
    lambda xp, x, y, z: xp.add(x, 1, out=z, where=y > 0.5),
    lambda xp, x, y, z: xp.add(x > 0, y > 0, out=z),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", "dfl")
def test_results_are_written(call: Callable[..., Any], dtype: str) -> None:
    def program(xp: Any) -> Any:
        rng = np.random.default_rng(3)
        made = []
        for shape in ((2, 3), (2, 2)):
            x, y, z = (xp.asarray((rng.random(shape) * 9).astype(dtype)) for _ in range(3))
            base = xp.zeros((4, 3, 3), dtype)
            part = base[1::2, 0, : shape[1]]
            for _ in range(3):
                for target in (z, part):
                    try:
                        call(xp, x, y, target)
                    except TypeError:
                        made.append(xp.zeros(1))
                    made += [target + 0, base + 0]
        return made

    check(program, rtol=1e-6 if dtype == "f" else 1e-14)


def test_the_target_is_returned() -> None:
    x, z = jj.arange(3.0), jj.zeros(3)
    for _ in range(2):
        assert jj.add(x, 1.0, out=z) is z
        assert jj.add(x, 1.0, z) is z
        assert jj.exp(x, z) is z
    frames = python_frames(lambda: (jj.add(x, 1.0, out=z), jj.exp(x, z), jj.exp(x, out=z[:])))
    assert not frames


def test_what_cannot_be_written() -> None:
    for xp in (jj, np):
        x, z = xp.arange(3.0), xp.zeros(3)
        z.flags.writeable = False
        for _ in range(2):
            with pytest.raises(ValueError, match="read-only"):
                xp.add(x, 1.0, out=z)
            with pytest.raises(ValueError, match="broadcast"):
                xp.add(x, 1.0, out=xp.zeros(4))
            with pytest.raises(TypeError):
                xp.add(x, 1.0, out=xp.zeros(3, "l"))
            with pytest.raises(TypeError):
                xp.add(x, 1.0, z, out=z)
            with pytest.raises(TypeError):
                xp.add(x, out=z)
            with pytest.raises(TypeError):
                xp.add(x, 1.0, 2.0)
