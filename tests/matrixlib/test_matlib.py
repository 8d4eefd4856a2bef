"""`jujunp.matlib` against `numpy.matlib`."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np
import pytest

import jujunp as jj

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
LINES = """
xp.matlib.empty((2, 3)).shape
xp.matlib.zeros(2)
xp.matlib.ones((2, 3), int)
xp.matlib.identity(2, dtype=int)
xp.matlib.eye(3, 4, k=1)
xp.matlib.eye(3, order='F').flags.f_contiguous
xp.matlib.rand(2, 3).shape
xp.matlib.rand((2, 3)).shape
xp.matlib.randn(4).shape
xp.matlib.repmat(xp.array(1), 2, 3)
xp.matlib.repmat(xp.arange(3), 2, 2)
xp.matlib.repmat(xp.matrix([[1, 2]]), 2, 2)
xp.matlib.repmat(xp.ones((1, 1, 1)), 2, 2)
xp.matlib.sin(0.0)
""".strip().splitlines()


def given(xp: Any, line: str) -> Any:
    try:
        found = eval(line, {"xp": xp})
    except Exception as error:
        return type(error)
    return getattr(type(found), "__name__", ""), np.asarray(found).tolist(), np.shape(found)


@pytest.mark.parametrize("line", LINES)
def test_what_lines_give(line: str) -> None:
    ours, theirs = given(jj, line), given(np, line)
    assert ours == theirs or (ours[1:] == theirs[1:] and theirs[0] == "float64")


def test_names() -> None:
    assert set(np.matlib.__all__) - set(jj.matlib.__all__) == set(np.__all__) - set(jj.__all__)
    assert jj.matlib.array is jj.array


def test_the_import_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jujunp.matlib", raising=False)
    with pytest.warns(PendingDeprecationWarning, match="Importing from numpy.matlib"):
        importlib.import_module("jujunp.matlib")
