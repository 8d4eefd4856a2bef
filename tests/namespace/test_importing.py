"""What `import jujunp` waits for: nothing that programs can do without."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import jujunp

LATE = (
    *("importlib.metadata", "importlib.resources", "unittest", "logging", "subprocess", "zipfile"),
    *("concurrent.futures", "argparse", "email", "numpy.random", "numpy.testing", "jax", "max"),
    *("scipy_openblas32", "jujunp.random", "jujunp.testing", "jujunp.ma", "jujunp.polynomial"),
)
"""Modules that take milliseconds; NumPy imports none of them, either."""


def modules_after(code: str) -> set[str]:
    """Return what a new process has imported then."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_slow_modules_are_imported_when_they_are_used() -> None:
    assert modules_after("import jujunp").isdisjoint(LATE)


def test_late_modules_are_there() -> None:
    code = "import jujunp as np\nassert float(np.random.default_rng(3).random()) == {}"
    expected = np.random.default_rng(3).random()
    assert "jujunp.random" in modules_after(code.format(float(expected)))
    assert "jujunp.testing" in modules_after("from jujunp.testing import assert_allclose")
    assert "jujunp.testing" in modules_after("import jujunp\njujunp.testing.assert_equal(1, 1)")


@pytest.mark.parametrize("name", ["__all__", "__wrapped__", "__path__", "nonesuch"])
def test_names_that_only_python_asks_for_are_none_of_numpys(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'jujunp' has no attribute '{name}'"):
        jujunp.__getattr__(name)


@pytest.mark.parametrize("name", ["float_", "NaN", "alltrue", "bool8", "int"])
def test_names_that_numpy_has_no_more_are_told_of(name: str) -> None:
    texts = []
    for module in (np, jujunp):
        with pytest.raises(AttributeError) as error:
            getattr(module, name)
        texts.append(str(error.value).replace("module 'numpy'", "module 'jujunp'"))
    assert texts[0] == texts[1]


def test_all_names_are_listed() -> None:
    public = {name for name in dir(np) if not name.startswith("_")}
    assert public < set(dir(jujunp))
    assert {"jaxpr", "stats", "__all__"} & set(vars(jujunp)) <= set(dir(jujunp))
    assert all(hasattr(jujunp, name) for name in dir(jujunp))
