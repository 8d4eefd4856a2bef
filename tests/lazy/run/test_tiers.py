"""The two tiers against each other: what compiled graphs compute is what the kernels compute."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.compiled import comparison
from jujunp.lazy.policy import policy
from jujunp.lazy.run import machine
from tests.support.tree.places import ROOT

pytestmark = pytest.mark.compile

RNG = np.random.default_rng(11)
SPECIAL = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e30, 1e-30, 3.0])
INPUTS = {
    "floats": np.where(
        RNG.random((40, 60)) < 0.1, RNG.choice(SPECIAL, (40, 60)), RNG.random((40, 60)) * 4 - 2
    ),
    "singles": (RNG.random((40, 60)) * 9).astype("float32"),
    "integers": RNG.integers(-100, 100, (40, 60)),
    "bytes": RNG.integers(0, 255, (40, 60)).astype("uint8"),
    "rows": RNG.integers(-40, 40, 25),
    "columns": RNG.integers(0, 60, 25),
}


def _store(x):
    y = x["floats"] * 1
    y[1:-1, 2:5] = x["floats"][:38, :3]
    y[::2, ::-3] = 7
    y.T[0] += y.T[1]
    return y


def _scatter(x):
    y = x["integers"] + 0
    y[x["rows"], x["columns"]] = -1
    y[:, [0, 7]] += 3
    return y


def _masked(x):
    y = x["floats"] + 0
    y[y > 1] = -1
    return y


def _stencil(x):
    y = x["singles"] + 0
    y[1:-1, 1:-1] = 0.25 * (y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:])
    return y


EXACT = {
    "sums": lambda x: x["floats"] + x["floats"][0],
    "products": lambda x: x["floats"] * x["singles"],
    "quotients": lambda x: x["floats"] / x["floats"].T.reshape(40, 60),
    "self": lambda x: x["floats"] - x["floats"],
    "integer arithmetic": lambda x: (x["integers"] * 3 - 7) // 5 % 4,
    "division by zero": lambda x: x["integers"] // (x["integers"] % 3),
    "powers": lambda x: (x["integers"] % 7) ** (x["bytes"] % 5) + x["bytes"] ** 3,
    "wrap": lambda x: x["bytes"] * x["bytes"] + 200,
    "shifts": lambda x: (x["integers"] << 3) >> 1 ^ 5,
    "comparison": lambda x: (x["floats"] > 0) & (x["floats"] <= x["singles"]) | ~(x["floats"] == 1),
    "nan": lambda x: jj.isnan(x["floats"]) | jj.signbit(x["floats"]),
    "maximum": lambda x: jj.maximum(x["floats"], 0) + jj.fmin(x["floats"], 1),
    "rounding": lambda x: jj.floor(x["singles"]) - jj.rint(x["singles"]) + jj.trunc(x["singles"]),
    "where": lambda x: jj.where(x["floats"] > 0, x["floats"], -1.0),
    "casts": lambda x: x["singles"].astype("int8").astype("float64") + x["bytes"],
    "views": lambda x: x["floats"][1:30, ::-2].T + 1,
    "transposed": lambda x: x["floats"].T * 2,
    "reshaped": lambda x: x["integers"].reshape(80, 30)[::3, 5:] + 1,
    "diagonal": lambda x: x["integers"].diagonal() + 1,
    "broadcast": lambda x: x["integers"][:, :1] + x["integers"][0],
    "store": _store,
    "scatter": _scatter,
    "masked": _masked,
    "gather": lambda x: x["floats"][x["rows"]] + 1,
    "gather of points": lambda x: x["integers"][x["rows"], x["columns"]] * 2,
    "gather of a view": lambda x: x["integers"].T[::-1][x["columns"]] + 1,
    "maxima": lambda x: x["integers"].max(0) - x["integers"].min(0),
    "a long row": lambda x: (x["integers"].reshape(-1, 1) * x["integers"][0]).sum(),
    "integer sums": lambda x: x["integers"].sum(1) + x["bytes"].sum(),
    "truth": lambda x: (x["floats"] > 1.9).any(0) | (x["integers"] > -99).all(0),
    "argmax": lambda x: x["integers"].argmax(1) + x["integers"].argmin(),
    "scans": lambda x: x["integers"].cumsum(1) + 1,
    "sort": lambda x: jj.sort(x["integers"], axis=0) + 0,
    "argsort": lambda x: jj.argsort(x["integers"], axis=1, stable=True) + 0,
    "concatenate": lambda x: jj.concatenate([x["floats"], x["floats"][:2]]) + 0,
    "pad": lambda x: jj.pad(x["integers"], ((1, 2), (0, 3)), constant_values=4) + 0,
    "iota": lambda x: jj.arange(60) + x["integers"],
    "bincount": lambda x: jj.bincount(x["bytes"].ravel(), minlength=256) + 0,
    "several": lambda x: (x["floats"] + 1, x["integers"].sum(0), x["bytes"] > 7),
}
CLOSE = {
    "multiply and add": lambda x: x["floats"] * 2.5 + x["singles"],
    "polynomial": lambda x: ((x["singles"] * 0.3 + 1.7) * x["singles"] - 2) * x["singles"],
    "functions": lambda x: jj.exp(x["singles"] / 9) + jj.sin(x["singles"]) * jj.sqrt(x["singles"]),
    "powers of singles": lambda x: x["singles"] ** 1.5 + jj.log1p(x["singles"]),
    "stencil": _stencil,
    "means": lambda x: x["singles"].mean(0) + x["singles"].std(0),
    "sums of floats": lambda x: x["singles"].astype("float64").sum(1),
    "matmul": lambda x: x["singles"] @ x["singles"].T,
}


GOOD = np.eye(4) * 9 + RNG.random((3, 4, 4)) + 1j * RNG.random((3, 4, 4))
GOOD = GOOD @ GOOD.conj().mT
BAD = GOOD.copy()
BAD[1, 2:] = -1  # two rows are equal
FACTORED = {
    "inv": ("Singular matrix", lambda a: jj.linalg.inv(a) + a),
    "inv of real numbers": ("Singular matrix", lambda a: jj.linalg.inv(a.real)),
    "solve": ("Singular matrix", lambda a: jj.linalg.solve(a, a[..., :2] + 1)),
    "cholesky": ("Matrix is not positive definite", lambda a: jj.linalg.cholesky(a * 2)),
    "two": ("Singular matrix", lambda a: (a * 3, jj.linalg.inv(a))),
}


def _factored(name, matrices):
    return lambda x: FACTORED[name][1](jj.array(matrices))


def _run(program):
    """Return the results of a program on new arrays, computed by one flush."""
    x = {name: jj.array(values) for name, values in INPUTS.items()}
    with jj.deferred_errors():
        results = program(x)
        results = results if isinstance(results, tuple) else (results,)
        jj.flush(*results)
    return [result.to_numpy() for result in results]


def _compiled_runs():
    return jj.stats()["compiled runs"]


LONG = {
    *("quotients", "self", "division by zero", "wrap", "shifts", "nan", "rounding", "transposed"),
    *("reshaped", "diagonal", "broadcast", "gather of points", "gather of a view", "maxima"),
    *("truth", "argsort", "pad", "iota", "bincount", "inv of real numbers", "polynomial"),
    *(
        "functions",
        "sums of floats",
        "products",
        "powers",
        "comparison",
        "views",
        "casts",
        "stencil",
    ),
    *("integer sums", "scans", "sort", "concatenate", "gather", "means", "two", "solve"),
    *("sums", "integer arithmetic", "maximum", "where", "argmax", "powers of singles", "cholesky"),
}
"""Programs whose rules test_compiled_lowering.py has, too: MAX is not given them every time."""


@pytest.fixture(scope="module")
def compiled():
    """Return for every program its immediate results, its compiled ones, and the compiled runs."""
    rows = INPUTS["rows"]
    given = {**_programs(long=False), "bounds": _picked(rows), "writes": _written(rows)}
    yield from _compiled(given)


@pytest.fixture(scope="module")
def seldom_compiled():
    """Return the same for the long programs."""
    yield from _compiled(_programs(long=True))


@pytest.fixture
def found(name, request):
    """Return the same for one program."""
    return request.getfixturevalue("seldom_compiled" if name in LONG else "compiled")[name]


def _names(table):
    return [pytest.param(k, marks=pytest.mark.long) if k in LONG else k for k in table]


def _programs(*, long):
    programs = {**EXACT, **CLOSE} | {name: _factored(name, GOOD) for name in FACTORED}
    return {name: program for name, program in programs.items() if (name in LONG) is long}


def _compiled(programs):
    patch = pytest.MonkeyPatch()
    patch.setattr(policy, "WORTH_COUNTING", 0)
    patch.setattr(policy, "WORTH_A_STEP", 0)
    patch.setattr(policy, "LARGE", 0)
    patch.setattr(comparison, "ROUNDS", sys.maxsize)  # whichever tier is faster
    with jj.compile_policy("never"):
        immediate = {name: _run(program) for name, program in programs.items()}
    found = {}
    with jj.compile_policy("auto", after=0):
        for program in programs.values():
            _run(program)
            _run(program)
        jj.wait_for_compiles()
        for name, program in programs.items():
            before = _compiled_runs()
            results = _run(program)
            found[name] = immediate[name], results, _compiled_runs() - before
        yield found
    patch.undo()
    policy.set_mode(policy.mode)  # from how much work on it is asked was set by the patched numbers


@pytest.mark.parametrize("name", _names(EXACT))
def test_exact_programs_agree_to_the_last_bit(found, name):
    immediate, results, runs = found
    assert runs >= 1  # bincount also computes the length of its result
    for result, wanted in zip(results, immediate, strict=True):
        np.testing.assert_array_equal(result, wanted, strict=True)
        if wanted.dtype.kind == "f":
            number = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(result)[number], np.signbit(wanted)[number])


@pytest.mark.parametrize("name", _names(CLOSE))
def test_contraction_explains_the_rest(found, name):
    immediate, results, runs = found
    assert runs == 1
    for result, wanted in zip(results, immediate, strict=True):
        eps = np.finfo(wanted.dtype).eps
        scale = np.abs(wanted[np.isfinite(wanted)]).max()
        np.testing.assert_allclose(result, wanted, 4 * eps, 2 * eps * scale, strict=True)


# -- errors of compiled graphs


def _picked(rows):
    def program(x):
        return x["floats"][jj.array(rows)] * 2

    return program


def _written(rows):
    def program(x):
        y = x["integers"] + 1
        y[jj.array(rows)] = 0
        return y

    return program


@pytest.mark.parametrize("bad", [40, -41, 2**40])
@pytest.mark.parametrize("make", [_picked, _written])
def test_indices_out_of_bounds_raise(compiled, make, bad):
    name = "bounds" if make is _picked else "writes"
    assert compiled[name][2] == 1
    rows = INPUTS["rows"].copy()
    rows[7] = bad
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 40"):
        _run(make(rows))
    before = _compiled_runs()
    np.testing.assert_array_equal(_run(make(INPUTS["rows"]))[0], compiled[name][0][0])
    assert _compiled_runs() == before + 1


@pytest.mark.parametrize("name", _names(FACTORED))
def test_matrices_that_cannot_be_factored_raise(found, name):
    immediate, results, runs = found
    assert runs == 1
    for x, y in zip(results, immediate, strict=True):
        np.testing.assert_array_equal(x, y, strict=True)
    with pytest.raises(np.linalg.LinAlgError, match=f"^{FACTORED[name][0]} .*test_tiers.py, line"):
        _run(_factored(name, BAD))
    before = _compiled_runs()
    again = _run(_factored(name, GOOD))
    assert _compiled_runs() == before + 1
    for x, y in zip(again, immediate, strict=True):
        np.testing.assert_array_equal(x, y, strict=True)


def test_other_numbers_use_the_same_graph(compiled):
    def scaled(factor):
        return lambda x: x["floats"] * factor + 0.0

    with jj.compile_policy("never"):
        wanted = [_run(scaled(factor))[0] for factor in (1.5, 4.0)]
    for expected, factor in zip(wanted, (1.5, 4.0), strict=True):
        np.testing.assert_array_equal(_run(scaled(factor))[0], expected)


def test_never_runs_nothing_compiled(compiled):
    with jj.compile_policy("never"):
        before = _compiled_runs()
        _run(EXACT["sums"])
        assert _compiled_runs() == before


WORKERS = """
from pathlib import Path
from tests.lazy.run import test_tiers as tests
tests.policy.WORTH_COUNTING = tests.policy.WORTH_A_STEP = 0
with tests.jj.compile_policy("auto", after=0):
    tests._run(tests.EXACT["a long row"])
    tests.jj.wait_for_compiles()  # it is loaded from the store
    tests._run(tests.EXACT["a long row"])
names = [task.read_text().strip() for task in Path("/proc/self/task").glob("*/comm")]
print(tests._compiled_runs(), names.count("jujunp"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not name threads")
def test_graphs_start_no_more_threads_than_there_are_cores(compiled):
    """In a process of its own: other tests here may have several callers, who hire more."""
    done = subprocess.run(
        [sys.executable, "-c", WORKERS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", str(machine.threads - 1)]


@pytest.mark.parametrize("faster", [comparison.IMMEDIATE, comparison.COMPILED])
def test_graphs_run_on_the_faster_tier(compiled, monkeypatch, faster):
    count = comparison.Comparison.count
    monkeypatch.setattr(comparison, "ROUNDS", 2)
    monkeypatch.setattr(
        comparison.Comparison, "count", lambda runs, tier, _: count(runs, tier, abs(tier - faster))
    )
    for candidate in policy._candidates.values():
        if candidate.graph is not None:
            monkeypatch.setattr(candidate.graph, "runs", comparison.Comparison())
    with jj.compile_policy("never"):
        expected = _run(EXACT["several"])
    ran = []
    for _ in range(8):
        before = _compiled_runs()
        for result, wanted in zip(_run(EXACT["several"]), expected, strict=True):
            np.testing.assert_array_equal(result, wanted)
        ran.append(_compiled_runs() - before)
    assert ran == [1, 1, 0, 0] + 4 * [faster]
    with jj.compile_policy("always"):
        _run(EXACT["several"])
    assert _compiled_runs() == before + ran[-1] + 1
