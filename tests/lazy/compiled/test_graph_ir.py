"""Jaxprs as IRs: what is inlined, merged, dropped, and told apart by the digest."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jujunp.lazy.compiled import Graph
from jujunp.lazy.compiled.ir.graph_ir import GraphIR, Unsupported
from jujunp.lazy.compiled.read.reader import from_jaxpr

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

F8 = jax.ShapeDtypeStruct((3, 4), np.float64)
F4 = jax.ShapeDtypeStruct((3, 4), np.float32)


def trace(function: Callable[..., Any], *specs: Any) -> Any:
    with jax.enable_x64(True):
        return jax.make_jaxpr(function)(*specs)


def ir(function: Callable[..., Any], *specs: Any) -> GraphIR:
    return from_jaxpr(trace(function, *specs))


def names(function: Callable[..., Any], *specs: Any) -> list[str]:
    return [step.name for step in ir(function, *specs).steps]


def test_calls_are_inlined() -> None:
    @jax.jit
    def inner(x: Any) -> Any:
        return jax.nn.relu(x) + 1.0

    assert names(lambda x: inner(inner(x)), F8) == ["max", "add", "max", "add"]


def test_custom_derivatives_are_inlined() -> None:
    @jax.custom_vjp
    def f(x: Any) -> Any:
        return x * 2.0

    f.defvjp(lambda x: (f(x), None), lambda _, g: (g,))
    assert names(lambda x: f(x), F8) == ["mul"]


def test_identities_are_dropped() -> None:
    def f(x: Any) -> Any:
        return lax.stop_gradient(jnp.copy(lax.convert_element_type(x, np.float64)))

    found = ir(f, F8)
    assert found.steps == ()
    assert found.outputs == (0,)


def test_equal_steps_are_merged() -> None:
    assert names(lambda x: (x * 2.0) + (x * 2.0), F8) == ["mul", "add"]


def test_steps_and_constants_that_no_output_needs_are_dropped() -> None:
    def f(x: Any) -> Any:
        lax.dot(x, jnp.ones((4, 5)))
        return -x

    found = ir(f, F8)
    assert [step.name for step in found.steps] == ["neg"]
    assert found.constants == ()


def test_values_are_numbered_inputs_first_then_constants_then_results() -> None:
    found = ir(lambda x, y: (x + 1.0) * y - 1.0, F8, F8)
    assert found.inputs == 2
    assert [c.item() for c in found.constants] == [1.0]
    assert [step.results for step in found.steps] == [(3,), (4,), (5,)]
    assert found.outputs == (5,)
    assert len(found.specs) == 6


def test_closed_over_arrays_are_constants() -> None:
    weights = np.arange(4.0)
    found = ir(lambda x: x * weights, F8)
    assert any(np.array_equal(constant, weights) for constant in found.constants)


def test_a_program_survives_pickling() -> None:
    found = ir(lambda x: jnp.sort(x[::2], axis=0) @ x.T, F8)
    assert pickle.loads(pickle.dumps(found)).canonical() == found.canonical()


NAN = np.array(0x7FF8000000000001, np.uint64).view(np.float64)
DIFFERENT: dict[str, tuple[Callable[..., Any], Any]] = {
    "plain": (lambda x: x + 1.0, F8),
    "dtype": (lambda x: x + 1.0, F4),
    "constant": (lambda x: x + 2.0, F8),
    "zero": (lambda x: x + 0.0, F8),
    "sign of zero": (lambda x: x + -0.0, F8),
    "nan": (lambda x: x + np.nan, F8),
    "payload of nan": (lambda x: x + NAN, F8),
    "shape": (lambda x: x + 1.0, jax.ShapeDtypeStruct((4, 3), np.float64)),
    "primitive": (lambda x: x - 1.0, F8),
    "axis": (lambda x: x.sum(0), F8),
    "other axis": (lambda x: x.sum(1), F8),
    "output twice": (lambda x: (x + 1.0, x + 1.0), F8),
    "array": (lambda x: x + np.arange(4.0), F8),
    "other array": (lambda x: x + np.arange(1.0, 5.0), F8),
    "inner constant": (lambda x: jax.jit(lambda y: y + np.full(4, 3.0))(x), F8),
}


def test_different_graphs_have_different_digests() -> None:
    digests = {name: Graph(trace(*case)).name for name, case in DIFFERENT.items()}
    assert len(set(digests.values())) == len(digests)


def test_names_of_functions_and_weak_types_do_not_matter() -> None:
    @jax.jit
    def one(x: Any) -> Any:
        return x * 2.0

    @jax.jit
    def other(x: Any) -> Any:
        return x * np.float64(2.0)

    assert Graph(trace(one, F8)).name == Graph(trace(other, F8)).name


DIGESTS = """
import jax, numpy as np
from jujunp.lazy.compiled import Graph
jax.config.update("jax_enable_x64", True)
x = jax.ShapeDtypeStruct((3, 4), np.float64)
rows = np.array([0, 2])
for f in (lambda x: x.sum(0) * np.nan, lambda x: jax.numpy.sort(x) @ x.T, lambda x: x[rows]):
    print(Graph(jax.make_jaxpr(f)(x)).name)
"""


def test_digests_are_the_same_in_every_process(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    first, second = (run_python(DIGESTS, PYTHONHASHSEED=seed).stdout for seed in ("1", "2"))
    assert first == second
    assert len(set(first.split())) == 3


def test_a_callback_has_no_digest() -> None:
    def f(x: Any) -> Any:
        return jax.pure_callback(np.sin, F8, x)

    closed = trace(f, F8)
    with pytest.raises(Unsupported):
        _ = Graph(closed).name
    assert "callback" in Graph(closed).reason


def test_a_loop_fills_only_memory_that_is_read() -> None:
    def function(x: Any) -> Any:
        total, (rows, _, twice) = lax.scan(
            lambda c, a: (c + a.sum(), (a + c, jnp.exp(a), a * 2)), 0.0, x
        )
        return total, rows, twice[0]

    def long(x: Any) -> Any:
        return function(jnp.tile(x, (40, 1)))

    (scan,) = [step for step in ir(long, F8).steps if step.name == "jj_scan"]
    body = scan.param("body")
    assert len(scan.results) == len(body.outputs) == 3
    assert "exp" not in [step.name for step in body.steps]
    total_only = ir(lambda x: long(x)[0], F8)
    (scan,) = [step for step in total_only.steps if step.name == "jj_scan"]
    assert len(scan.results) == 1


UNSUPPORTED: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "rank": (lambda x: x.reshape((1,) * 9), jax.ShapeDtypeStruct((1,), np.float64), "9 dimensions"),
    "form": (
        lambda x: lax.linalg.schur(x @ x.T, sort_eig_vals=True),
        F8,
        "sorted eigenvalues",
    ),
    "constant": (lambda x: x + np.ones((3_000_000, 1)), F8.update(shape=(1,)), "constant"),
    "in a loop": (
        lambda x: lax.fori_loop(0, 99, lambda _, y: jax.pure_callback(np.sin, F8, y), x),
        F8,
        "pure_callback",
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_cannot_be_compiled_says_why(name: str) -> None:
    function, spec, text = UNSUPPORTED[name]
    assert text in Graph(trace(function, spec)).reason


def test_a_graph_that_can_be_compiled_has_no_reason_against_it() -> None:
    closed = trace(lambda x: jnp.cumsum(x[::-1], axis=1) > 0.5, F8)
    assert Graph(closed).reason == ""
