"""The functions of `make bench-loops` compute the same for all contenders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import jujunp as jj
from benchmarks.loops import __main__ as program
from benchmarks.loops import cases, contenders
from benchmarks.loops import measure as measuring
from jujunp._array.handle import Handle


@pytest.mark.parametrize("name", cases.CASES)
def test_functions_agree(name: str) -> None:
    a, b = np.random.default_rng(0).random((2, 1000))
    expected = cases.CASES[name](a, b)
    ours = contenders.cases_in(jj).CASES[name](jj.asarray(a), jj.asarray(b))
    with jax.enable_x64(True):
        theirs = jax.jit(contenders.cases_in(jax.numpy).CASES[name])(a, b)
    assert isinstance(ours, Handle)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    np.testing.assert_allclose(theirs, expected, rtol=1e-9)


def test_expressions_for_numexpr() -> None:
    """What it cannot take is left out: reductions, functions it lacks, texts that grow too long."""
    a, b = np.random.default_rng(0).random((2, 1000))
    found = {name: contenders.expression(name, a, b) for name in cases.CASES}
    for name, written in found.items():
        if written is not None:
            text, arrays = written
            value = eval(text, dict(vars(np)), arrays)  # its functions have NumPy's names
            np.testing.assert_allclose(value, cases.CASES[name](a, b), rtol=1e-12)
    taken = [name for name, written in found.items() if written is not None]
    assert taken == [
        *["chain of 12", "Black-Scholes", "haversine", "periodic distance", "Mandelbrot step"],
        *["stencil", "ocean"],
    ]


def test_a_table_and_a_picture(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(measuring, "SECONDS", 0.0)
    monkeypatch.delitem(contenders.CONTENDERS, "Numba", raising=False)  # which compiles for seconds
    picture = tmp_path / "picture.png"
    assert program.main(["periodic", "--size", "64", "--picture", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("periodic distance, 64")
    assert lines[3].startswith("geometric mean, 64")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(case: str, a: np.ndarray, b: np.ndarray) -> Any:
        return lambda: cases.CASES[case](a, b) * (1 + 1e-10)

    monkeypatch.setattr(measuring, "SECONDS", 0.0)
    monkeypatch.setattr(measuring, "CONTENDERS", {"NumPy": contenders.CONTENDERS["NumPy"]})
    monkeypatch.setitem(measuring.CONTENDERS, "jujunp", wrong)
    with pytest.raises(RuntimeError, match="jujunp is not NumPy's"):
        measuring.measure("haversine", 64)
