"""The command that runs NPBench's kernels, on a checkout of a few kernels that is made here."""

from __future__ import annotations

import json

import numpy
import pytest

import jujunp
from benchmarks.npbench.__main__ import NPBENCH, main
from benchmarks.npbench.kernels import arguments_of, kernels, load
from benchmarks.npbench.report import Times, median, report
from benchmarks.npbench.running import DifferentResults, Runner, compare

INITIALIZE = """
import numpy as np

def initialize(N):
    return np.float32(2.0), np.arange(N, dtype=np.float64), np.random.rand(N)
"""
GOOD = """
import numpy as np
import numpy
from numpy import sqrt as root

def kernel(alpha, N, x, y):
    y[1:] += alpha * np.sqrt(x[1:])
    return root(x), numpy.sum(y)
"""
BAD = """
import numpy as np

def kernel(alpha, N, x, y):
    y[:] = len(np.__name__)
"""
TOLERANCES = {"rtol": 1e-5, "atol": 1e-8, "norm_error": 1e-5}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout that the variable names, with kernels that are right and wrong."""
    root = tmp_path / "npbench"
    (root / "bench_info").mkdir(parents=True)
    for name, code in {"good": GOOD, "bad": BAD}.items():
        folder = root / "npbench" / "benchmarks" / "group" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(INITIALIZE, encoding="utf-8")
        (folder / f"{name}_numpy.py").write_text(code, encoding="utf-8")
        facts = {
            "relative_path": f"group/{name}",
            "module_name": name,
            "func_name": "kernel",
            "parameters": {"S": {"N": 5}},
            "init": {
                "func_name": "initialize",
                "input_args": ["N"],
                "output_args": ["alpha", "x", "y"],
            },
            "input_args": ["alpha", "N", "x", "y"],
            "array_args": ["x", "y"],
            "output_args": ["y"],
            "rtol": 1e-3,
        }
        text = json.dumps({"benchmark": facts})
        (root / "bench_info" / f"{name}.json").write_text(text, encoding="utf-8")
    monkeypatch.setenv(NPBENCH.variable, str(root))
    return root


def test_imports_of_numpy_become_ours(checkout):
    path = checkout / "npbench" / "benchmarks" / "group" / "good" / "good_numpy.py"
    ours, theirs = (load(path, library) for library in ("jujunp", "numpy"))
    assert ours.np is ours.numpy is jujunp
    assert ours.root is jujunp.sqrt
    assert theirs.np is theirs.numpy is numpy
    assert ours.__file__ == str(path)
    assert ours.kernel.__code__.co_filename == str(path)


def test_facts_and_arguments(checkout):
    found = kernels(checkout)
    assert list(found) == ["bad", "good"]
    assert found["good"].tolerances == {**TOLERANCES, "rtol": 1e-3}
    given = arguments_of(found["good"], "S")
    assert list(given) == ["alpha", "N", "x", "y"]
    assert type(given["x"]) is numpy.ndarray
    numpy.testing.assert_array_equal(arguments_of(found["good"], "S")["y"], given["y"])
    with pytest.raises(KeyError):
        arguments_of(found["good"], "M")


def test_every_run_has_new_arguments_and_reads_all(checkout):
    kernel = kernels(checkout)["good"]
    ours, theirs = (Runner(kernel, "S", library) for library in (jujunp, numpy))
    ours.run()
    seconds, results = ours.run()
    assert seconds > 0
    assert [array.shape for array in results] == [(5,), (), (5,), (5,)]
    compare(results, theirs.run().results, TOLERANCES)


def test_what_a_kernel_changes_in_secret_is_compared(checkout):
    kernel = kernels(checkout)["bad"]
    ours, theirs = (Runner(kernel, "S", library).run().results for library in (jujunp, numpy))
    with pytest.raises(DifferentResults, match="result 1 has a relative error"):
        compare(ours, theirs, TOLERANCES)


@pytest.mark.parametrize(
    ("ours", "text"),
    [
        ([], "0 results, NumPy 1"),
        ([numpy.ones(3, numpy.float32)], r"result 0 is float32\[3\], NumPy's float64\[3\]"),
        ([numpy.ones(4)], r"result 0 is float64\[4\], NumPy's float64\[3\]"),
        ([numpy.full(3, 1.1)], "result 0 has a relative error of 0.1"),
        ([numpy.full(3, numpy.nan)], "result 0 has a relative error of nan"),
    ],
)
def test_comparison_tells_what_differs(ours, text):
    with pytest.raises(DifferentResults, match=text):
        compare(ours, [numpy.ones(3)], TOLERANCES)


def test_comparison_has_npbenchs_tolerances():
    theirs = [numpy.array([1.0, 1e-3, numpy.nan])]
    compare([theirs[0] * (1 + 1e-6)], theirs, TOLERANCES)
    theirs = [numpy.array([1.0, 1e-6])]
    compare([theirs[0] + 1e-7], theirs, TOLERANCES)  # small against the norm of the whole
    strict = {**TOLERANCES, "norm_error": 1e-9}
    with pytest.raises(DifferentResults):
        compare([theirs[0] + 1e-7], theirs, strict)


def test_report_has_means_and_the_worst():
    assert median([(1.0, 2.0), (3.0, 1.0), (8.0, 4.0)]) == Times(3.0, 2.0, 2.0)
    found = {"first": Times(1.0, 2.0, 0.5), "repeated": Times(1.0, 0.5, 2.0)}
    better = {"first": Times(4.0, 2.0, 2.0), "repeated": Times(8.0, 1.0, 8.0)}
    table, first, repeated = report({"a": found, "b": better}, ["a", "b", "c"]).split("\n\n")
    lines = [line.split() for line in table.splitlines()]
    assert lines[1] == ["a", "1", "s", "2", "s", "0.50", "1", "s", "500", "ms", "2.00"]
    assert lines[3:] == [["c", "failed"], ["geometric", "mean", "1.00", "4.00"]]
    assert [line.split()[1] for line in first.splitlines()[1:]] == ["a", "b"]
    assert repeated.startswith("the worst of repeated runs:")


def test_command_measures_and_tells_what_failed(checkout, capsys, tmp_path):
    out = tmp_path / "numbers.json"
    options = ["--rounds=1", "--seconds=0", f"--json={out}"]
    assert main(["oo", "ba", *options]) == 1
    printed = capsys.readouterr()
    numbers = json.loads(out.read_text(encoding="utf-8"))
    assert list(numbers["results"]) == ["good"]
    assert all(times["ratio"] > 0 for times in numbers["results"]["good"].values())
    assert "bad, jujunp: " in printed.err
    assert "DifferentResults: result 1 has a relative error" in numbers["failures"]["bad"]
    assert ["bad", "failed"] in [line.split() for line in printed.out.splitlines()]


def test_without_checkout(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(NPBENCH.variable, str(tmp_path))
    assert main([]) == 2
    assert "NPBENCH_DIR names " in capsys.readouterr().err
