"""What depends on constants alone is computed before MAX sees a graph.

That no op of a graph is left to MAX is asserted for all graphs of test_lowering_rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jujunp.lazy.compiled.ir import sizes
from jujunp.lazy.compiled.lower import Lowering, expand
from jujunp.lazy.compiled.lower.constant_folding import fold_constants
from jujunp.lazy.compiled.lower.lower import LARGEST_FOLDED
from jujunp.lazy.compiled.read import symbolic_reader as symbolic
from jujunp.lazy.compiled.read.reader import from_jaxpr

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.compiled.ir.graph_ir import GraphIR

X = np.arange(3.0)


def folded(function: Callable[..., Any], *arguments: Any) -> GraphIR:
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(function)(*arguments)
    return fold_constants(expand.expand(from_jaxpr(closed)))


def names(ir: GraphIR) -> list[str]:
    return [step.name for step in ir.steps]


def test_values_are_computed_once() -> None:
    ir = folded(lambda x: x * jnp.cumsum(jnp.arange(3.0) ** 2)[::-1] + 1, X)
    assert set(names(ir)) == {"mul", "add"}
    assert any(np.array_equal(found, [5, 1, 0]) for found in ir.constants)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "bfloat16", "complex64"])
def test_values_keep_their_dtypes(dtype: str) -> None:
    wanted = jnp.arange(3).astype(dtype)
    ir = folded(lambda: lax.rev(wanted, (0,)))
    (found,) = ir.constants
    assert names(ir) == []
    assert found.dtype.name == dtype
    np.testing.assert_array_equal(found, np.asarray(wanted)[::-1])


def test_elementwise_steps_repeat_elements_themselves() -> None:
    ir = folded(lambda x: x + jnp.full((4, 3), 2.0), np.ones((4, 3)))
    assert all(constant.size == 1 for constant in ir.constants)


def test_other_steps_read_whole_constants() -> None:
    ir = folded(lambda x: jnp.concatenate([x, jnp.full(4, 2.0)]), X)
    assert names(ir) == ["jj_kernel"]
    np.testing.assert_array_equal(ir.constants[0], [2, 2, 2, 2])


def test_large_values_are_computed_when_the_graph_runs() -> None:
    ir = folded(lambda x: x + jnp.arange(LARGEST_FOLDED + 1.0).sum(), X)
    assert "jj_count" in names(ir)
    assert len(Lowering(ir).inputs) == 2


def test_an_output_that_is_a_constant_depends_on_the_anchor() -> None:
    ir = folded(lambda x: (x + 1, jnp.arange(3) * 2), X)
    assert names(ir) == ["add"]
    assert len(Lowering(ir).inputs) == 2
    assert len(Lowering(folded(lambda x: x + 1, X)).inputs) == 1


def test_loops_are_not_run() -> None:
    ir = folded(lambda x: x + lax.while_loop(lambda v: v < 9, lambda v: v + 1, 1.0), X)
    assert "jj_while" in names(ir)


def test_parts_of_loops_and_branches_are_folded() -> None:
    weights = jnp.arange(9.0).reshape(3, 3)

    def function(x: Any) -> Any:
        x = lax.fori_loop(0, 40, lambda k, x: x * jnp.cumsum(jnp.arange(3.0)) + k, x)
        return lax.cond(x[0] > 0, lambda x: x + weights[::-1, 0], lambda x: x, x)

    ir = folded(function, X)
    (loop,) = (step for step in ir.steps if step.name in ("jj_scan", "jj_while"))
    (branch,) = (step for step in ir.steps if step.name == "jj_cond")
    assert set(names(loop.param("body"))) <= {"mul", "add", "convert_element_type"}
    assert set(names(branch.param("branches")[1])) == {"add"}


def test_what_fails_is_left() -> None:
    with jax.enable_x64(True):
        x, index = jnp.arange(3.0), np.array([7])
        closed = jax.make_jaxpr(lambda y: y + x.at[index].get(mode="promise_in_bounds"))(X)
    ir = expand.expand(from_jaxpr(closed))
    assert fold_constants(ir) is ir


def test_symbolic_sizes_are_no_constants() -> None:
    n, m = jax.export.symbolic_shape("n, m")
    with jax.enable_x64(True):
        argument = jax.ShapeDtypeStruct((n, m), np.float64)
        closed = jax.make_jaxpr(lambda x: x + x.shape[0] * jnp.arange(2.0).sum())(argument)
    ir = fold_constants(symbolic.from_jaxpr(closed))
    assert names(ir).count("jj_size") == 1
    assert any(np.array_equal(found, 1) for found in ir.constants)
    assert sizes.symbols_of([ir.specs[0].shape]) == ["n", "m"]
