"""`jit` of functions written with this module: they write into arrays, and into their arguments."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from jujunp._compile.written import Kind, kind_of_code
from jujunp.lazy.policy import policy

if TYPE_CHECKING:
    pass


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing: what is recorded is what is tested."""
    monkeypatch.setattr(policy, "mode", "never")


def fall(x: Any, by: float) -> Any:
    x[1:] -= by * x[:-1]
    x[0] = 7
    y = jujunp.zeros(len(x))
    y[::2] = x[::2] ** 2
    return jujunp.sum(y), y


def fall_in_numpy(x: Any, by: float) -> Any:
    x[1:] -= by * x[:-1]
    x[0] = 7
    y = np.zeros(len(x))
    y[::2] = x[::2] ** 2
    return np.sum(y), y


def test_arguments_are_written_into() -> None:
    compiled = jujunp.jit(fall)
    ours, theirs = jujunp.arange(6.0), np.arange(6.0)
    for by in (0.5, 0.5, 2.0):
        found, wanted = compiled(ours, by), fall_in_numpy(theirs, by)
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-15)
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-15)
        np.testing.assert_allclose(ours, theirs, rtol=1e-15)


def test_views_and_arrays_of_numpy_are_written_into() -> None:
    base, array = jujunp.arange(12.0), np.arange(6.0)
    jujunp.jit(fall)(base[::2], 0.5)
    jujunp.jit(fall)(array, 0.5)
    wanted = [np.arange(0.0, 12.0, 2), np.arange(6.0)]
    for x in wanted:
        fall_in_numpy(x, 0.5)
    np.testing.assert_allclose(base[::2], wanted[0])
    np.testing.assert_array_equal(base[1::2], np.arange(1.0, 12.0, 2))
    np.testing.assert_allclose(array, wanted[1])


def test_arrays_of_jax_cannot_be_written_into() -> None:
    with pytest.raises(TypeError, match="cannot be"):
        jujunp.jit(fall)(jnp.arange(6.0), 0.5)


def test_lower() -> None:
    lowered = jujunp.lower(fall, jujunp.arange(6.0, dtype="float32"), 0.5)
    assert [aval.shape for aval in lowered.jaxpr.out_avals] == [(), (6,), (6,)]
    assert [str(aval.dtype) for aval in lowered.jaxpr.out_avals] == ["float64"] * 2 + ["float32"]
    functions = {"sine": jujunp.sin}  # only the trace shows whose the function is
    lowered = jujunp.lower(lambda x: functions["sine"](x), np.arange(3.0))
    assert [eqn.primitive.name for eqn in lowered.jaxpr.eqns] == ["sin"]
    assert lowered.cost()["steps"] == 1


@pytest.mark.compile
def test_lowered_is_compiled() -> None:
    run = jujunp.lower(fall, jujunp.arange(6.0), 0.5).compile()
    ours, theirs = jujunp.arange(6.0), np.arange(6.0)
    found, wanted = run(ours, 2.0), fall_in_numpy(theirs, 2.0)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-15)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-15)
    np.testing.assert_allclose(ours, theirs, rtol=1e-15)


def test_operators_in_place_alone() -> None:
    @jujunp.jit
    def double(x: Any) -> None:
        x *= 2

    x = jujunp.arange(3.0)
    assert double(x) is None
    assert x.tolist() == [0, 2, 4]


def test_a_read_is_an_error_at_its_line() -> None:
    @jujunp.jit
    def branch(x: Any) -> Any:
        return jujunp.sin(x) if x[0] > 0 else x

    with pytest.raises(jax.errors.ConcretizationTypeError, match="no value yet") as caught:
        branch(jujunp.ones(3))
    lines = [str(entry.statement).strip() for entry in caught.traceback]
    assert "return jujunp.sin(x) if x[0] > 0 else x" in lines
    assert float(jujunp.sum(jujunp.ones(3))) == 3  # all is in order


def test_engine_is_another_name_of_device() -> None:
    x = jujunp.arange(3.0)
    compiled = jujunp.jit(lambda x: jujunp.sin(x), engine=jujunp.cpu_engine())
    np.testing.assert_allclose(compiled(x), np.sin(np.arange(3.0)))
    with pytest.raises(TypeError, match="not both"):
        jujunp.jit(fall, engine=jujunp.cpu_engine(), device=jujunp.cpu_engine())
    with pytest.raises(TypeError, match="engine"):
        jujunp.jit(fall, engine="cpu")


def test_narrow_arrays_stay_narrow() -> None:
    found = jujunp.jit(lambda x: jujunp.sin(x) + x)(jujunp.ones(3, jujunp.float32))
    assert found.dtype == np.float32


def test_loops_of_the_graph() -> None:
    @jujunp.jit
    def run(x: Any, count: Any) -> Any:
        scale = jujunp.sum(x)
        total = jujunp.fori_loop(0, count, lambda k, c: c + k * jnp.cos(c) / scale, x)
        total = jujunp.while_loop(lambda c: jujunp.max(c) < 50, lambda c: c * 2, total)
        last, sums = jujunp.scan(lambda c, e: (c + e, c * scale), jujunp.float64(0), total)
        return jujunp.cond(last > 0, lambda s: s + 1, lambda s: s - 1, sums)

    x = np.linspace(0.1, 1, 5)
    total = x.copy()
    for k in range(4):
        total = total + k * np.cos(total) / x.sum()
    while total.max() < 50:
        total = total * 2
    sums = (np.cumsum(total) - total) * x.sum() + 1
    np.testing.assert_allclose(run(jujunp.asarray(x), 4), sums, rtol=1e-12)


def test_transformations_inside_and_outside() -> None:
    def loss(x: Any) -> Any:
        y = x.copy()
        y[1:] *= x[:-1]
        return jujunp.sum(y**2)

    x = jujunp.linspace(0.5, 2, 4)
    wanted = jujunp.grad(loss)(x)
    np.testing.assert_allclose(jujunp.jit(jujunp.grad(loss))(x), wanted)
    np.testing.assert_allclose(jujunp.grad(jujunp.jit(loss))(x), wanted)
    np.testing.assert_allclose(jax.grad(jujunp.traceable(jujunp.jit(loss)))(np.asarray(x)), wanted)
    batch = jujunp.stack([x, 2 * x])
    rows = [float(loss(row)) for row in batch]
    np.testing.assert_allclose(jujunp.jit(jujunp.vmap(loss))(batch), rows)
    np.testing.assert_allclose(jujunp.vmap(jujunp.jit(loss))(batch), rows)


def test_functions_of_jax_where_ours_follow() -> None:
    compiled = jujunp.jit(lambda x: jnp.cumsum(jnp.sin(x)) * 2)
    x = np.linspace(0.1, 1, 4)
    with jax.enable_x64(True):
        gradient = jax.grad(lambda x: jnp.sum(jnp.cumsum(jnp.sin(x)) * 2 * x))(x)
    np.testing.assert_allclose(
        jujunp.grad(lambda x: jujunp.sum(compiled(x) * x))(x), gradient, rtol=1e-12
    )
    change = jujunp.jvp(compiled, (x,), (np.ones(4),))[1]
    np.testing.assert_allclose(change, 2 * np.cumsum(np.cos(x)), rtol=1e-12)
    np.testing.assert_allclose(
        jujunp.vmap(compiled)(np.stack([x, -x])), 2 * np.cumsum(np.sin([x, -x]), 1), rtol=1e-12
    )


def test_whom_a_function_is_written_for() -> None:
    def names_both(x: Any) -> Any:
        return jnp.sin(x) + jujunp.pi

    def nested(x: Any) -> Any:
        return (lambda y: jujunp.cos(y))(x)

    assert kind_of_code(fall) is Kind.OURS
    assert kind_of_code(nested) is Kind.OURS
    assert kind_of_code(functools.partial(fall, by=1.0)) is Kind.OURS
    assert kind_of_code(names_both) is Kind.JAX
    assert kind_of_code(lambda x: jnp.cos(x)) is Kind.JAX
    assert kind_of_code(lambda x: x @ x) is Kind.UNKNOWN
    assert kind_of_code(max) is Kind.UNKNOWN


def through(x: Any) -> Any:
    return x + x.sum()


def test_one_that_names_neither_calls_one_of_ours() -> None:
    functions = {"sine": jujunp.sin}

    def function(x: Any) -> Any:
        return functions["sine"](x) * 2

    assert kind_of_code(function) is Kind.UNKNOWN
    x = jujunp.arange(3.0)
    np.testing.assert_allclose(jujunp.jit(function)(x), 2 * np.sin(np.arange(3.0)))
    np.testing.assert_allclose(jujunp.jit(through)(x), np.arange(3.0) + 3)
