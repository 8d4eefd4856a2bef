"""The README's tour runs as it stands, and every file the pages name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "docs/design.md", "docs/differences.md"]


def test_tour(run_python):
    (tour,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    printed = run_python(tour).stdout.splitlines()
    # sin(1e6 points) * 2 + 1, halved at even places, cleared above 1.5
    assert float(printed[1]) > 0
    error = "index 7 is out of bounds for axis 0 with size 3 (recorded at <string>, line"
    assert error in printed[2]


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^):#]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target
