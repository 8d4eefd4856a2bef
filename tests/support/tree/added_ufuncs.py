"""What a ufunc must do that has just been added: tests that run in the copy of the sources which
`tests/ufuncs/test_new_ufunc.py` makes, and not by themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

import jujunp as np
from jujunp.kernels import generate
from jujunp.kernels.facts import sources
from jujunp.kernels.operations import operations
from jujunp.lazy.compiled import Graph
from tests.support.tree.places import ROOT

NAMES = ("heaviside", "cbrt")
NUMBERS = (-numpy.inf, -8.0, -1e-3, -0.0, 0.0, 0.5, 1.0, 27.0, numpy.inf, numpy.nan)
ULP = 2

pytestmark = [pytest.mark.usefixtures("quiet"), pytest.mark.parametrize("name", NAMES)]


def given(name: str, dtype: str = "float64") -> list[numpy.ndarray]:
    """Return as many operands as the ufunc takes."""
    x = numpy.array(NUMBERS, dtype)
    return [x, numpy.roll(x, 3)][: getattr(numpy, name).nin]


def close(found: Any, wanted: Any) -> None:
    """Assert that results are NumPy's, but for some units in the last place."""
    found = numpy.asarray(found)
    bound = ULP * numpy.finfo(found.dtype).eps
    numpy.testing.assert_allclose(found, wanted, bound, 0, strict=True)


def test_it_is_the_copy_that_runs(name: str) -> None:
    assert Path(np.__file__).parents[1] == ROOT
    assert sources().resolve() == ROOT / "kernels"


def test_it_is_public_and_the_last_operation(name: str) -> None:
    assert name in np.__all__
    assert type(getattr(np, name)) is np.ufunc
    assert operations()[name].opcode >= len(operations()) - len(NAMES)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16"])
def test_values(name: str, dtype: str) -> None:
    operands = [x[:8].astype(dtype) for x in given(name)]
    close(getattr(np, name)(*map(np.asarray, operands)), getattr(numpy, name)(*operands))


def test_scalars(name: str) -> None:
    numbers = [float(x[1]) for x in given(name)]
    close(getattr(np, name)(*numbers), getattr(numpy, name)(*numbers))


def test_out_and_where(name: str) -> None:
    operands = given(name)
    mask = numpy.arange(len(NUMBERS)) % 3 > 0
    outs = [xp.full(len(NUMBERS), 5.0) for xp in (np, numpy)]
    getattr(np, name)(*map(np.asarray, operands), out=outs[0], where=np.asarray(mask))
    getattr(numpy, name)(*operands, out=outs[1], where=mask)
    close(*outs)


def test_its_primitive_and_its_graph(name: str) -> None:
    closed = np.jaxpr(getattr(np, name)(*map(np.asarray, given(name))))
    assert [equation.primitive.name for equation in closed.jaxpr.eqns] == [name]
    graph = Graph(closed)
    assert [step.name for step in graph.ir.steps] == [name]
    assert graph.reason == ""
    assert f'@register("jj.{name}")' in generate.graph_ops(sources())["graph/elementwise.mojo"]
