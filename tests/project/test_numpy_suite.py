"""NumPy's own tests: how their imports are changed, what counts, and a choice of them."""

from __future__ import annotations

import ast
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from conformance.numpy_suite import __main__ as command
from conformance.numpy_suite import page, scope
from conformance.numpy_suite.rewriting import Finder, Imports, Loader, ours
from conformance.numpy_suite.running import Ended, files

if TYPE_CHECKING:
    from pathlib import Path

CHANGED = {
    "import numpy as np": "import jujunp as np",
    "import numpy": "import jujunp as numpy",
    "import numpy.linalg": "import jujunp.linalg as _loaded\nimport jujunp as numpy",
    "import numpy.fft as f, os": "import jujunp.fft as f\nimport os",
    "from numpy import array, _core": "from jujunp import array\nfrom numpy import _core",
    "from numpy.linalg import inv": "from jujunp.linalg import inv",
    "from numpy.testing import assert_": "from jujunp.testing import assert_",
    "from numpy._core import umath": "from numpy._core import umath",
    "import numpy._core.umath as u": "import numpy._core.umath as u",
    "from numpy.ma.testutils import assert_equal": "from jujunp.ma.testutils import assert_equal",
    "from . import helper": "from . import helper",
    "import os": "import os",
}


@pytest.mark.parametrize("text", CHANGED)
def test_imports(text: str) -> None:
    tree = ast.fix_missing_locations(Imports().visit(ast.parse(text)))
    assert ast.unparse(tree) == CHANGED[text]


def test_modules_that_are_not_ours_stay() -> None:
    assert ours("numpy._core.umath") == "numpy._core.umath"
    assert ours("numpy.nothing") == "numpy.nothing"
    assert ours("numpy.ma.tests.test_core") == "numpy.ma.tests.test_core"
    assert ours("scipy") == "scipy"


def test_only_numpys_test_files_are_loaded_so() -> None:
    folder = str(scope.np.__path__[0])
    spec = Finder.find_spec("test_half", [f"{folder}/_core/tests"])
    assert spec is not None
    assert isinstance(spec.loader, Loader)
    assert Finder.find_spec("test_numpy_suite", sys.path) is None
    assert Finder.find_spec("json", None) is None


def item(source: Any, path: str = "_core/tests/test_x.py", **params: Any) -> Any:
    spec = SimpleNamespace(params=params)
    return SimpleNamespace(nodeid=f"{path}::test", obj=source, callspec=spec)


def about_numbers() -> None:
    assert np.zeros(3, dtype="f8").sum() == 0


def about_objects() -> None:
    assert np.zeros(3, dtype=object).size == 3


def about_references() -> None:
    assert sys.getrefcount(np.zeros(3)) > 0


def test_what_counts() -> None:
    assert scope.left_out(item(about_numbers)) == ""
    assert scope.left_out(item(about_objects)) == "dtypes that are not ours"
    assert scope.left_out(item(about_references)) == "reference counts"
    assert scope.left_out(item(about_numbers, path="f2py/tests/test_x.py")) != ""
    assert scope.left_out(item(about_numbers, dtype=np.float32, n=3)) == ""
    for foreign in (np.longdouble, "O", np.dtype("S3"), [np.dtype("M8[s]")], np.dtype(">f8")):
        assert scope.left_out(item(about_numbers, dtype=foreign)) == "dtypes that are not ours"


def test_what_passes_with_numpy_counts() -> None:
    numpys = [
        Ended("a.py::x", "passed"),
        Ended("a.py::y[1]", "passed"),
        Ended("a.py::y[2]", "passed"),
        Ended("a.py::z", "failed"),
        Ended("a.py::o", "passed", left_out="objects"),
    ]
    mine = [Ended("a.py::x", "passed"), Ended("a.py::y[1]", "failed", "because")]
    found = page.compared(numpys, mine)
    assert [(x.name, x.passed) for x in found] == [
        ("a.py::x", True),
        ("a.py::y[1]", False),
        ("a.py::y[2]", False),
    ]
    assert [x.reason for x in found] == ["", "because", page.MISSING]
    text = page.as_markdown(found, page.Counter({"objects": 1}))
    assert "1 of the 3 tests" in text
    assert "| `a.py::y` | 1 | `because` |" in text


CHOSEN = (
    "_core/tests/test_item_selection",
    "_core/tests/test_conversion_utils",
    "_core/tests/test_function_base",
    "_core/tests/test_casting_floatingpoint_errors",
    "_core/tests/test_errstate",
    "_core/tests/test_half",
    "_core/tests/test_indexing",
    "lib/tests/test_arraysetops",
    "lib/tests/test_histograms",
    "lib/tests/test_index_tricks",
)
"""Files that pass wholly, but for what is known: a choice that takes two minutes."""


@pytest.mark.slow
def test_a_choice_of_numpys_tests_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([*CHOSEN, "--folder", str(tmp_path)]) == 0, capsys.readouterr().out
    assert len(files(CHOSEN)) >= len(CHOSEN)
