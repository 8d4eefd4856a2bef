"""What NumPy warns of in calls that are made for the user names the user's line."""

from __future__ import annotations

import io
import re
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import jujunp as jj

FILE = "users.py"
LINES = [
    "x[:] = [1e300, 1]",
    "x[[1, 0]] = [1e300, 1]",
    "x[:] = ['1e300', '1']",
    "x[:] = numpy.array([1e300, 1], 'g')",
    "w[:] = numpy.array([numpy.nan, 1], 'g')",
    "np.loadtxt(io.StringIO(''))",
    "np.genfromtxt(io.StringIO(''))",
    "np.genfromtxt(io.StringIO('1 2\\n3\\n4 5'), invalid_raise=False)",
    "np.random.RandomState(np.random.PCG64(3)).get_state()",
    "np.random.default_rng(1).shuffle({1: 2})",
    "np.random.shuffle({1: 2})",
    "np.isclose([3, 1], numpy.array([1, 2], 'g'), rtol=numpy.inf)",
    "np.sqrt(numpy.array([-1], 'g'))",
    "np.sqrt(numpy.array([-1, 2], 'g'), out=numpy.zeros(2, 'g'))",
    "np.add.reduce(numpy.array([numpy.inf, -numpy.inf], 'g'))",
    "numpy.array([0, 1], 'g') / np.zeros(1)",
    "np.nanmean(numpy.array([numpy.nan], 'g'))",
]


@pytest.fixture(autouse=True)
def _numpy_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", "0")


def _run(line: str, namespace: Any) -> dict[str, Any]:
    """Run a line as the third one of a user's file; return the names there."""
    names = {"np": namespace, "numpy": np, "io": io, "__name__": "users"}
    names |= {"x": namespace.zeros(2, "f4"), "w": namespace.zeros(2, "i4")}
    exec(compile(f"\n\n{line}", FILE, "exec"), names)
    return names


def _said(line: str, namespace: Any) -> list[tuple[Any, ...]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        _run(line, namespace)
    return [(w.category, re.sub(r"0x\w+", "", str(w.message)), w.filename, w.lineno) for w in found]


@pytest.mark.parametrize("line", LINES)
def test_the_users_line_is_named(line: str) -> None:
    theirs = _said(line, np)
    assert theirs
    assert _said(line, jj) == theirs


@pytest.mark.parametrize("line", LINES)
def test_a_filter_makes_an_error_of_it(line: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", module="users")
        for namespace in (np, jj):
            with pytest.raises(Warning):
                _run(line, namespace)


def test_a_line_is_warned_of_once() -> None:
    line = "for _ in range(5): np.sqrt(numpy.array([-1], 'g'))"
    with warnings.catch_warnings(record=True) as found:
        warnings.resetwarnings()
        names = _run(line, jj)
    assert len(found) == 1
    assert names["__warningregistry__"]


def test_a_method_called_by_its_name_warns_each_time() -> None:
    x = jj.zeros(2, "f4")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(50):
            x.__setitem__(slice(None), [1e300, 1])
    assert len(found) == 50


def test_threads_name_their_own_lines() -> None:
    def work(number: int) -> None:
        code = compile("\n" * number + "np.sqrt(x)", f"{number}.py", "exec")
        for _ in range(50):
            exec(code, {"np": jj, "x": np.array([-1], "g")})

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    places = [(w.filename, w.lineno) for w in found]
    assert sorted(places) == sorted((f"{n}.py", n + 1) for n in range(4) for _ in range(50))
