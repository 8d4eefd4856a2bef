"""The README's tour runs as it stands, and every file the pages name is there."""

from __future__ import annotations

import re

import pytest

from tests.support.places import ROOT

PAGES = ["README.md", "CONTRIBUTING.md", "docs/design.md", "docs/differences.md", "docs/jit.md"]


def python_of(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def test_tour(run_python):
    printed = run_python(python_of("README.md")[0]).stdout.splitlines()
    # sin(1e6 points) * 2 + 1, halved at even places, cleared above 1.5
    assert float(printed[1]) > 0
    error = "index 7 is out of bounds for axis 0 with size 3 (recorded at <string>, line"
    assert error in printed[2]


def test_functions_for_jax(run_python):
    _, section = python_of("README.md")
    shape, cost = run_python(section).stdout.splitlines()
    assert shape == "(2,) float64"
    assert "'bytes': " in cost


def test_jit_page(run_python):
    """Each part runs as it stands, after those before it; nothing is compiled."""
    parts = python_of("docs/jit.md")
    assert len(parts) >= 5
    ended = "print(jujunp.stats()['compiled runs'])"
    assert run_python("\n".join([*parts, ended])).stdout.splitlines()[-1] == "0"


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^):#]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target


def test_functions_of_your_own(run_python):
    """What the page shows can be run."""
    parts = python_of("docs/vectorize.md")
    assert len(parts) == 2
    printed = run_python("\n".join([*parts, "print(y.tolist()[4], swish(0.0))"])).stdout
    assert printed == "1.0 0.0\n"
