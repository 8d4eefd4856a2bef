"""The command that runs autograd's tests, on a suite that is made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.gradients.__main__ import VARIABLE, find_suite, main
from conformance.gradients.page import reason_of
from conformance.results import Result

GOOD = """
import autograd.numpy as np
import autograd.numpy.random as npr
import numpy as onp
from autograd import deriv, elementwise_grad, grad, hessian, isinstance, jacobian, make_hvp, tuple
from autograd.core import make_jvp, make_vjp, vspace
from autograd.extend import defvjp, primitive
from autograd.misc import flatten
from autograd.of_the_checkout import NAME

def test_stand_ins():
    assert np.__name__ == "jujunp"
    assert NAME == "a file of the suite"
    x = npr.RandomState(0).randn(3)
    assert onp.allclose(grad(lambda x, y: np.sum(x * y * y), 1)(x, x), 2 * x * x)
    assert onp.allclose(grad(lambda x: np.sum(x * x, keepdims=True))(x), 2 * x)
    assert onp.allclose(elementwise_grad(np.sin)(x), np.cos(x))
    assert onp.allclose(jacobian(np.sin)(x), np.diag(np.cos(x)))
    assert onp.allclose(hessian(lambda x: (x**3).sum())(x), np.diag(6 * x))
    assert onp.allclose(make_hvp(lambda x: (x**3).sum())(x)[0](x), 6 * x * x)
    assert deriv(lambda x: x**3)(2.0) == 12.0
    back, value = make_vjp(lambda pair: pair[0] * pair[1], tuple((2.0, 3.0)))
    assert (value, back(1.0)) == (6.0, (3.0, 2.0))
    assert make_jvp(lambda x: x * x, 3.0)(1.0)[1] == 6.0
    assert vspace([1.0, x]) == vspace([2.0, x + 1])
    assert vspace(1.0) != vspace(x)
    flat, back = flatten({"a": x, "b": 1.0})
    assert flat.shape == (4,)
    assert back(flat)["b"] == 1.0

def test_primitives():
    @primitive
    def square(x):
        return x * x

    defvjp(square, lambda result, x: lambda g: 10 * x * g)
    assert grad(lambda x: square(x) * 2)(3.0) == 60.0
"""
BAD = """
def test_dtypes():
    raise AssertionError

def test_other():
    raise OSError("nothing there")
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with a file that passes and one that fails, which the variable names."""
    folder = tmp_path / "suite"
    for name, files in (
        ("tests", {"test_good.py": GOOD, "test_wrappers.py": BAD, "test_scipy.py": "import no_"}),
        ("autograd", {"of_the_checkout.py": 'NAME = "a file of the suite"'}),
    ):
        (folder / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / name / file).write_text(text, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def test_page(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "new" / "page.md"
    assert main([f"--markdown={page}"]) == 1
    text = page.read_text("utf-8")
    assert "| good | 2 | 0 | 0 | 0 |\n| wrappers | 0 | 2 | 0 | 0 |\n| all | 2 | 2 | 0 | 0 |" in text
    assert "| `test_wrappers.py::test_dtypes` | 1 | no long double here |" in text
    assert "| `test_wrappers.py::test_other` | 1 | unexplained |" in text
    said = capsys.readouterr().out
    assert "tests/test_wrappers.py::test_other\n    OSError: nothing there" in said
    assert "2 passed, 2 failed, 1 of these unexplained" in said


def test_files_without_unexplained_failures(suite: Path) -> None:
    assert main(["good"]) == 0


def test_suites_that_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert main([]) == 2
    assert "must name a checkout" in capsys.readouterr().err
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert main([]) == 2
    assert "no folders tests and autograd" in capsys.readouterr().err


def test_what_keeps_pytest_from_running_is_told(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert find_suite() == suite
    assert main(["nonesuch"]) == 2
    assert "did not run the tests" in capsys.readouterr().err


def test_reasons_are_by_the_test_without_its_values() -> None:
    name = "tests/test_wrappers.py::test_custom_where_dtypes"
    assert reason_of(Result(f"{name}[int-True-1-2]", "failed")) == reason_of(Result(name, "failed"))
    assert reason_of(Result("tests/test_wrappers.py::test_new", "failed")) is None
