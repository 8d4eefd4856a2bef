"""The cases of `make bench-steps` compute what NumPy computes, and name every public function."""

from __future__ import annotations

import functools
import json
import re

import numpy
import pytest

import jujunp
from benchmarks.steps import __main__ as steps
from benchmarks.steps import measure
from benchmarks.steps.__main__ import main
from benchmarks.steps.case import Case
from benchmarks.steps.cases import CASES, OTHERS
from benchmarks.steps.measure import Times
from benchmarks.steps.report import report
from benchmarks.steps.ways import WAYS, kind_of, prepared, source
from jujunp._ufuncs.ufunc import UFUNCS
from jujunp.lazy.policy import policy

SIZE, ROWS, TURNS = 8, 4, 3

TAKE_NO_ARRAYS = {
    *("__array_namespace_info__", "broadcast_shapes", "iinfo", "isdtype", "isscalar", "issubdtype"),
    "promote_types",
    *("get_printoptions", "set_printoptions", "printoptions", "geterr", "seterr", "stats"),
    *("fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt"),
    *("save", "savetxt", "savez", "savez_compressed"),
    *("cpu_engine", "gpu_engine", "kernel_library", "like", "load_program", "export", "flush"),
    *("jaxpr", "jit", "lower", "make_max_graph", "max_execute", "mojo_call", "vectorize_mojo"),
    *("wait_for_compiles", "row_stack", "geterrcall", "seterrcall"),
    *("matrix", "asmatrix", "bmat"),
}
"""And what reads and writes files, compiles, or is about the engine; NumPy advises against some."""
ALIKE = {"np.linalg.eig(A)": numpy.abs, "np.unique_values(I)": numpy.sort}
"""What is compared where NumPy promises no sign or no order."""


def outcome(case, way, namespace):
    with numpy.errstate(all="ignore"):
        return prepared(case, way, namespace, TURNS, SIZE, ROWS)()


def check(ours, theirs, alike):
    """Compare results: types, dtypes and shapes, and what `alike` gives of the elements."""
    if isinstance(theirs, (list, tuple)):
        for one, other in zip(ours, theirs, strict=True):
            check(one, other, alike)
    elif isinstance(theirs, (numpy.ndarray, numpy.generic)):
        array = numpy.asarray(ours)
        assert (array.dtype, array.shape) == (theirs.dtype, theirs.shape)
        numpy.testing.assert_allclose(alike(array), alike(theirs), rtol=1e-10, atol=1e-14)
    else:
        assert type(ours) is type(theirs)
        assert ours == (pytest.approx(theirs) if isinstance(theirs, float) else theirs)


@pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
def test_case_gives_what_numpy_gives(case):
    for way in WAYS:
        ours, theirs = (outcome(case, way, namespace) for namespace in (jujunp, numpy))
        check(ours, theirs, numpy.shape if case.unset and way != "loop" else numpy.asarray)


@pytest.mark.parametrize("case", OTHERS, ids=[case.code for case in OTHERS])
def test_other_case_gives_what_numpy_gives(case):
    ours, theirs = (outcome(case, "read", namespace) for namespace in (jujunp, numpy))
    check(ours, theirs, ALIKE.get(case.code, numpy.asarray))


def function(path):
    """Return what a name below jujunp means."""
    return functools.reduce(getattr, path.split("."), jujunp)


def test_every_public_function_has_a_case():
    codes = [case.code for case in CASES + OTHERS]
    assert len(set(codes)) == len(codes)
    called = {id(function(name)) for name in re.findall(r"np\.((?:\w+\.)*\w+)", "\n".join(codes))}
    public = {
        name: item
        for module in (jujunp, jujunp.linalg, jujunp.fft)
        for name, item in vars(module).items()
        if name in module.__all__ and callable(item) and not isinstance(item, type)
    }
    missing = {name for name, item in public.items() if id(item) not in called}
    assert missing == TAKE_NO_ARRAYS & set(public)


def test_every_ufunc_is_measured():
    codes = "\n".join(case.code for case in CASES)
    assert {name for name in UFUNCS if f"np.{name}(" not in codes} == set()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (numpy.ones(2), "array"),
        (numpy.ones(2, bool), "flags"),
        (numpy.float64(1), "scalar"),
        (1.5, "number"),
        ((numpy.ones(2), numpy.ones(3)), "parts"),
        ([1.0, 2.0], "other"),
    ],
)
def test_kinds_of_results(value, kind):
    assert kind_of(value) == kind


def test_functions_of_the_ways():
    words = {way: source(Case("x + y"), way, "array", "xy").splitlines()[4:] for way in WAYS}
    assert [line.strip() for line in words["bulk"]] == [
        "kept.append(x + y)",
        "finish()",
        "return kept",
    ]
    assert words["read"][0].strip() == "result = numpy.asarray(x + y)"
    assert [line.strip() for line in words["loop"]] == [
        "total += x + y",
        "return numpy.asarray(total)",
    ]
    written = source(Case("x[i] = 1.5", "x"), "loop", "array", "x").splitlines()[4:]
    assert [line.strip() for line in written] == ["x[i] = 1.5", "return numpy.asarray(x)"]


def test_report_has_means_and_the_worst():
    columns = [(64, "bulk"), (64, "read")]
    results = {
        "a": {columns[0]: Times(4e-6, 1e-6, 4.0), columns[1]: Times(2e-6, 1e-6, 2.0)},
        "b": {columns[0]: Times(9e-6, 1e-6, 9.0)},
    }
    table, bulk, read = report(results, columns).split("\n\n")
    lines = [line.split() for line in table.splitlines()]
    assert lines[1:] == [
        ["a", "4.00", "2.00"],
        ["b", "9.00"],
        ["geometric", "mean", "6.00", "2.00"],
    ]
    assert bulk.splitlines()[1].strip() == "9.00  b, size 64: 9 us, NumPy 1 us"
    assert len(read.splitlines()) == 2


@pytest.mark.parametrize("arguments", [["x[i] = 1.5"], ["np.cov", "--others"]])
def test_command_prints_and_keeps_ratios(monkeypatch, capsys, tmp_path, arguments):
    monkeypatch.setattr(measure, "CALLS", 10)
    out, mode = tmp_path / "numbers.json", policy.mode
    options = ["--rounds", "1", "--size", "64", "--json", str(out)]
    monkeypatch.setattr("sys.argv", ["steps", *arguments, *options])
    assert main() == 0
    assert policy.mode == mode
    (name, found), *more = json.loads(out.read_text(encoding="utf-8"))["results"].items()
    assert not more
    assert name in capsys.readouterr().out
    assert all(times["ratio"] > 0 for times in found.values())
    assert set(found) == {"read 64"} if "--others" in arguments else {f"{way} 64" for way in WAYS}


def test_command_tells_what_failed(monkeypatch, capsys):
    monkeypatch.setattr(steps, "CASES", [Case("np.nonesuch_(x)")])
    monkeypatch.setattr("sys.argv", ["steps", "--size", "64"])
    assert main() == 1
    assert "np.nonesuch_(x), bulk 64: AttributeError" in capsys.readouterr().err
