"""The functions of `make bench-loops` compute the same in every namespace."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import jujunp as jj
from benchmarks import loops
from jujunp._array.handle import Handle


@pytest.mark.parametrize("name", loops.CASES)
def test_functions_agree(name: str) -> None:
    a, b = np.random.default_rng(0).random((2, 1000))
    expected = loops.CASES[name](np, a, b)
    ours = loops.CASES[name](jj, jj.asarray(a), jj.asarray(b))
    with jax.enable_x64(True):
        theirs = jax.jit(lambda a, b: loops.CASES[name](jax.numpy, a, b))(a, b)
    assert isinstance(ours, Handle)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    np.testing.assert_allclose(theirs, expected, rtol=1e-9)


def test_a_table_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(loops, "SECONDS", 0.0)
    assert loops.main(["periodic", "--size", "64"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("periodic distance, 64")
    assert lines[3].startswith("geometric mean")


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "SECONDS", 0.0)
    with pytest.raises(RuntimeError, match="not NumPy's"):
        loops.measure(lambda xp, a, b: a + (xp is jj) * 1.0, 64)
