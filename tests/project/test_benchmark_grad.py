"""The gradients of `make bench-grad` are the same for all contenders."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from benchmarks.grad import __main__ as program
from benchmarks.grad import cases, contenders
from benchmarks.grad import measure as measuring


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """One turn, and no loops compiled."""
    monkeypatch.setattr(measuring, "SECONDS", 0.0)
    monkeypatch.setattr(program, "set_fusing", lambda *seconds: None)


@pytest.mark.parametrize("name", cases.cases())
def test_contenders_agree(name: str) -> None:
    case = cases.cases()[name]
    with jax.enable_x64(True):
        results = {
            contender: contenders.arrays_of(maker(case)())
            for contender, maker in contenders.CONTENDERS.items()
        }
    for found in results.values():
        for x, wanted in zip(found, results["jax.jit"], strict=True):
            assert x.dtype == np.float64
            np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_a_table(hurried: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["ten steps", "32 x 32, loss"]) == 0
    _, head, loss, gradient, mean = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["jujunp", "/", "jax.jit"]
    assert loss.startswith("MLP, 32 x 32, loss")
    others = len(contenders.CONTENDERS) - 1
    assert len(loss.rpartition("s ")[2].split()) == others
    assert len(gradient.rpartition("s ")[2].split()) == others + 3
    assert mean.startswith("geometric mean")


def test_a_wrong_gradient_is_found(hurried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    right = contenders.CONTENDERS["jax.jit"]

    def wrong(case: cases.Case) -> contenders.Call:
        call = right(case)
        return lambda: call() * (1 + 1e-8)

    monkeypatch.setitem(contenders.CONTENDERS, "jax.jit", wrong)
    name = "ten steps, 64 elements"
    with pytest.raises(RuntimeError, match=r"jujunp and jax\.jit differ"):
        measuring.measure(name, cases.cases()[name])
