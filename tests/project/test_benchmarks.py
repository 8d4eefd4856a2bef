"""The benchmarks compute what NumPy computes, and the table says what was measured.

No time is checked here.
"""

from __future__ import annotations

import json
import re

import numpy
import pytest

import jujunp
from benchmarks import kernels
from benchmarks.__main__ import main
from benchmarks.case import JIT, JUJUNP, NUMPY, Bound, Case
from benchmarks.cases import CASES
from benchmarks.contenders import CONTENDERS
from benchmarks.measures import first, peak_memory
from benchmarks.processes import output_of
from benchmarks.table import promise, quantity, table
from jujunp.lazy.policy import policy
from jujunp.lazy.run import machine


def result(namespace, case):
    work, arguments = case.prepare(namespace, case.small)
    return work(*arguments)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_case_gives_what_numpy_gives(case):
    ours, expected = result(jujunp, case), result(numpy, case)
    if expected is None:
        return
    assert numpy.asarray(ours).dtype == numpy.asarray(expected).dtype
    rtol = 1e-4 if numpy.asarray(expected).dtype == numpy.float32 else 1e-12
    numpy.testing.assert_allclose(numpy.asarray(ours), expected, rtol=rtol)


def test_every_case_has_a_name_of_its_own_and_known_contenders():
    assert len(CASES) == 17
    for case in CASES.values():
        assert JUJUNP in case.contenders
        assert set(case.contenders) <= set(CONTENDERS)
        assert {bound.of for bound in case.bounds} - {None} <= set(case.contenders)


def test_measures_give_numbers():
    case = Case("sum", lambda np, size: (np.ones(size).sum, ()), first, 1_000_000, 1)
    assert first(case, CONTENDERS[NUMPY]) > 0


def test_memory_of_a_large_array_is_seen():
    def prepare(np, size):
        return (lambda: np.ones(size)), ()

    size = 40_000_000
    case = Case("ones", prepare, peak_memory, size, 1)
    assert 0.9 * 8 * size < peak_memory(case, CONTENDERS[NUMPY]) < 1.5 * 8 * size


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.5, "s", "2.5 s"),
        (0.0025, "s", "2.5 ms"),
        (2.5e-8, "s", "0.025 us"),
        (2**21, "B", "2 MiB"),
    ],
)
def test_quantity(value, unit, text):
    assert quantity(value, unit) == text


@pytest.mark.parametrize(
    ("bound", "measured", "text"),
    [
        (Bound(1e-3), {JUJUNP: 1e-3}, "at most 1 ms: kept"),
        (Bound(1e-3), {JUJUNP: 2e-3}, "at most 1 ms: NOT KEPT"),
        (Bound(1.2, JIT), {JUJUNP: 1.1, JIT: 1.0}, "at most 1.2 x jax.jit: kept"),
        (Bound(1.2, JIT), {JUJUNP: 1.3, JIT: 1.0}, "at most 1.2 x jax.jit: NOT KEPT"),
        (Bound(1.2, JIT), {JUJUNP: 1.3}, "at most 1.2 x jax.jit: NOT KEPT"),
        (Bound(1.2), {}, "at most 1.2 s: NOT KEPT"),
    ],
)
def test_promise(bound, measured, text):
    assert promise(bound, CASES["10,000 rows += 1"], measured) == text


def test_table_has_ratios_and_failures():
    case = Case("work", None, None, 1, 1, (Bound(2.0),), (NUMPY, JUJUNP))
    other = Case("other", None, None, 1, 1, (), (NUMPY, JUJUNP))
    lines = table([case, other], {"work": {NUMPY: 3.0, JUJUNP: 1.5}, "other": {NUMPY: 1.0}})
    head, work, failed = (line.split("  ") for line in lines.splitlines())
    assert head[-1] == "promise"
    assert [cell.strip() for cell in work if cell.strip()] == [
        "work",
        "1.5 s",
        "3 s (2.00x)",
        "at most 2 s: kept",
    ]
    assert [cell.strip() for cell in failed if cell.strip()] == ["other", "failed", "1 s"]


def test_command_measures_in_fresh_processes(monkeypatch, capsys, tmp_path):
    out = tmp_path / "numbers.json"
    argv = ["benchmarks", "never read", "--rounds", "1", "--json", str(out)]
    monkeypatch.setattr("sys.argv", argv)
    assert main() == 0
    assert "a + b, never read, 8 elements" in capsys.readouterr().out
    measured = json.loads(out.read_text(encoding="utf-8"))["results"]
    assert all(seconds > 0 for seconds in measured["a + b, never read, 8 elements"].values())


def test_process_that_takes_too_long_or_fails(tmp_path):
    with pytest.raises(RuntimeError, match=r"took longer than 0\.5 s"):
        output_of(["timeit", "while True: pass"], tmp_path, "never", 0.5)
    with pytest.raises(RuntimeError, match="NameError"):
        output_of(["timeit", "nonesuch_"], tmp_path, "never", 60)


def test_kernels_are_measured_one_by_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernels, "TURN", 0.0)
    monkeypatch.setattr(kernels, "SIZE", 1000)
    monkeypatch.setattr(kernels, "FAMILIES", (kernels.elementwise,))
    monkeypatch.setattr("sys.argv", ["kernels", "sqrt", "float64"])
    mode, threads = policy.mode, machine.threads
    try:
        kernels.main()
    finally:
        policy.set_mode(mode)
        machine.set_threads(threads)
    header, line, mean = capsys.readouterr().out.splitlines()
    assert "promised" in header
    number = r" +\d+\.\d\d"
    row = f"sqrt float64{number}\\d ms{number}x{number}x  0.5 (NOT )?kept"
    assert re.fullmatch(row, line, re.IGNORECASE)
    assert mean.startswith("elementwise, geometric mean")


@pytest.mark.slow
def test_matrices_are_measured_in_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "TURNS", 1)
    prepared = kernels.matrices()
    assert {kernel.family for kernel in prepared} == {"matrices"}
    numpys, *ratios = kernels.measure(prepared[0], 2)
    assert 0 < numpys < 10
    assert all(0 < ratio < 1000 for ratio in ratios)
