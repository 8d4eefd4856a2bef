"""Whatever the functions of JAX's modules are made of is recorded, and runs on the kernels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
import scipy.special

from jujunp.lazy.compiled import Graph
from jujunp.lazy.jaxprs.primitives import ELEMENTWISE
from jujunp.lazy.rules import RULES
from jujunp.lazy.run.machine import OPCODES
from tests.support.graphs.jax_modules import Trace, equations, traces
from tests.support.graphs.primitives_page import page, table
from tests.support.immediate import results
from tests.support.tree.places import ROOT

ORACLES = {
    "jax.numpy": np,
    "jax.numpy.linalg": np.linalg,
    "jax.numpy.fft": np.fft,
    "jax.scipy.special": scipy.special,
}
_SPECIAL = ("beta", "betaln", "digamma", "expi", "loggamma", "polygamma")
OTHER_ANSWERS = {
    # the parts are in another order, and what is new holds other things
    *(f"jax.numpy.{name}" for name in ("partition", "argpartition", "empty", "empty_like")),
    # nan at poles where SciPy gives infinities
    *(f"jax.scipy.special.{name}" for name in _SPECIAL),
}


@pytest.fixture(scope="module")
def traced() -> Iterator[list[Trace]]:
    yield list(traces())
    jax.clear_caches()  # what was traced takes a GB


def test_every_primitive_has_a_rule_or_an_operation(traced: list[Trace]) -> None:
    used = {
        equation.primitive.name: trace.name
        for trace in traced
        for equation in equations(trace.closed.jaxpr)
    }
    first_step = OPCODES["convert_element_type"]
    known = RULES.keys() | {name for name, code in OPCODES.items() if code < first_step}
    assert {name: where for name, where in used.items() if name not in known} == {}
    assert len(used) > 140


def test_every_function_runs(traced: list[Trace]) -> None:
    compared = 0
    for trace in traced:
        try:
            found = results(trace.closed, trace.arrays)
        except Exception as error:
            error.add_note(f"in {trace.name}{trace.arguments}")
            raise
        specs = [(x.dtype, x.shape) for x in found]
        wanted = [(x.aval.dtype, x.aval.shape) for x in trace.closed.jaxpr.outvars]
        assert specs == wanted, trace.name
        compared += agrees(trace, found)
    assert compared > 800


def agrees(trace: Trace, found: list[np.ndarray]) -> bool:
    """Whether NumPy or SciPy has the function; then the results must be the same."""
    wanted = oracle(trace)
    if wanted is None or len(wanted) != len(found) or trace.name in OTHER_ANSWERS:
        return False
    for x, y in zip(found, wanted, strict=True):
        if x.shape != y.shape or x.dtype != y.dtype:
            return False  # JAX has other rules of promotion
        single = x.dtype in (np.float32, np.complex64)
        tolerance = 1e-4 if single else 1e-10
        np.testing.assert_allclose(x, y, tolerance, tolerance, err_msg=trace.name)
    return True


def oracle(trace: Trace) -> list[np.ndarray] | None:
    """Return what the function of the same name gives, None where there is none for these."""
    module, _, name = trace.name.rpartition(".")
    function = getattr(ORACLES.get(module), name, None)
    if function is None:
        return None
    arguments = [np.asarray(x) if isinstance(x, jax.Array) else x for x in trace.arguments]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Any = function(*arguments)
    except Exception:  # arguments that NumPy does not take
        return None
    return [np.asarray(x) for x in jax.tree.leaves(found)]


def test_the_page_of_primitives_is_the_generated_one() -> None:
    written = ROOT / "docs" / "primitives.md"
    assert written.read_text(encoding="utf-8") == page()


def test_elementwise_primitives_of_our_own_have_a_table_and_no_line_on_the_page() -> None:
    row = "| `hypot` | `h` `f` | 1 | operation | fused |\n"
    assert row in table(ELEMENTWISE)
    assert row not in page()


@pytest.mark.parametrize(
    "index", [np.array([1, 1, -1, 9]), np.array([[2], [0]]), (slice(None), np.array([2, 0, 2]))]
)
def test_a_scatter_of_a_function(index: Any) -> None:
    """JAX gives it the name of the scatter that replaces elements; it is applied repeatedly."""
    x = np.arange(12.0).reshape(4, 3)
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(lambda x: x.at[index].apply(lambda y: y * 2 + 1))(x)
    wanted = x.copy()
    axis = 1 if isinstance(index, tuple) else 0
    for place in np.ravel(index[1] if axis else index):
        if place < x.shape[axis]:
            row = np.moveaxis(wanted, axis, 0)[place]
            row[...] = row * 2 + 1
    np.testing.assert_array_equal(results(closed, [x])[0], wanted)
    assert Graph(closed).reason == ""


def test_scatters_of_a_function_in_a_batch() -> None:
    x, index = np.arange(24.0).reshape(4, 3, 2), np.array([[1, 1], [0, 2], [2, 0], [1, 0]])
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(jax.vmap(lambda x, k: x.at[k].apply(lambda y: y * 2 + 1)))(x, index)
    wanted = x.copy()
    for rows, places in zip(wanted, index, strict=True):
        for place in places:
            rows[place] = rows[place] * 2 + 1
    np.testing.assert_array_equal(results(closed, [x, index])[0], wanted)
    assert Graph(closed).reason == ""


def test_a_scatter_of_a_function_to_nothing() -> None:
    x = np.arange(3.0)
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(lambda x: x.at[np.zeros(0, int)].apply(lambda y: -y))(x)
    np.testing.assert_array_equal(results(closed, [x])[0], x)


def test_a_factor_is_updated() -> None:
    rng = np.random.default_rng(4)
    factor, vector = np.triu(rng.normal(size=(6, 6))), rng.normal(size=6)
    factor[2, 2] = vector[1] = vector[2] = 0
    factor[0, 0], vector[0] = 1e200, 1e201
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(jax.lax.linalg.cholesky_update)(factor, vector)
    (found,) = results(closed, [factor, vector])
    scale = np.where(np.arange(6) == 0, 1e-200, 1)
    np.testing.assert_array_equal(np.tril(found, -1), np.zeros((6, 6)))
    own = np.vstack([factor, vector]) * scale
    new = found * scale
    np.testing.assert_allclose(new.T @ new, own.T @ own, rtol=1e-12, atol=1e-12)
