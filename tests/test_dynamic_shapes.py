"""`jit(..., dynamic_shapes=True)`: one graph for all sizes, compared with NumPy.

The graphs of all cases are compiled into one module beforehand.
"""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compiled_support import module_of

import jujunp
from jujunp._dynamic_shapes import _symbolic, pattern_of
from jujunp._traced import jaxpr_of
from jujunp.lazy.compiled import digests, sizes, symbolic, tier
from jujunp.lazy.compiled.program import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jujunp.lazy.compiled.program import Program

pytestmark = pytest.mark.compile

RNG = np.random.default_rng(11)


class Case(NamedTuple):
    """A function, what NumPy makes of it, and its arguments for sizes n and m."""

    function: Callable[..., Any]
    oracle: Callable[..., Any]
    arguments: Callable[[int, int], Sequence[np.ndarray]]
    exact: bool = False


def normal(*shape: int, dtype: str = "float32") -> np.ndarray:
    """Return an array of random numbers."""
    return RNG.normal(size=shape).astype(dtype)


def matrix(n: int, m: int) -> list[np.ndarray]:
    return [normal(n, m)]


def matrix64(n: int, m: int) -> list[np.ndarray]:
    return [normal(n, m, dtype="float64")]


def softmax(x: Any, xp: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def attention(q: Any, k: Any, v: Any, xp: Any = np) -> Any:
    return softmax(q @ xp.swapaxes(k, -1, -2) / 2, xp) @ v


def mlp(w: Any, b: Any, x: Any, xp: Any = np) -> Any:
    return xp.maximum(x @ w + b, 0) @ w.T


def loss(w: Any, b: Any, x: Any) -> Any:
    return jnp.mean(jnp.tanh(x @ w + b) ** 2)


def gradient(w: np.ndarray, b: np.ndarray, x: np.ndarray) -> Any:
    y = np.tanh(x @ w + b)
    back = 2 * y * (1 - y * y) / y.size
    return x.T @ back, back.sum(0)


def weights(n: int, m: int) -> list[np.ndarray]:
    return [normal(13, 11), normal(11), normal(n, 13)]


def by_both(function: Callable[..., Any], **more: Any) -> Case:
    """Return the case of a function of arrays and of a namespace."""
    arguments = more.pop("arguments", matrix)
    return Case(lambda *x: function(*x, jnp), lambda *x: function(*x, np), arguments, **more)


def moved(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x[1:] - x[:-1], x[:1]])


CASES = {
    "elementwise with broadcasting": by_both(
        lambda x, y, z, xp: xp.sin(x) * y + z[:, None] / 3,
        arguments=lambda n, m: [normal(n, m), normal(m), normal(n)],
    ),
    "outer": by_both(
        lambda x, y, xp: x[:, None] * y - 1, arguments=lambda n, m: [normal(n), normal(m)]
    ),
    "attention": by_both(
        attention,
        arguments=lambda n, m: [normal(n, 19, 4), normal(n, m + 40, 4), normal(n, m + 40, 4)],
    ),
    "mlp": by_both(mlp, arguments=weights),
    "gradient": Case(jax.grad(loss, (0, 1)), gradient, weights),
    "cumsum": by_both(lambda x, xp: xp.cumsum(x, axis=0), arguments=matrix64, exact=True),
    "cumprod": by_both(lambda x, xp: xp.cumprod(x, axis=1), arguments=matrix64, exact=True),
    "sort": by_both(lambda x, xp: xp.sort(x, axis=0), exact=True),
    "argsort": by_both(lambda x, xp: xp.argsort(x, axis=1), arguments=matrix64, exact=True),
    "sum 0": by_both(lambda x, xp: xp.sum(x, axis=0), exact=True),
    "sum 1": by_both(lambda x, xp: xp.sum(x, axis=1), exact=True),
    "max": by_both(lambda x, xp: (xp.max(x), xp.min(x, axis=0)), exact=True),
    "mean": by_both(lambda x, xp: (xp.mean(x), xp.var(x, axis=0)), arguments=matrix64),
    "argmax": by_both(
        lambda x, xp: (xp.argmax(x, axis=0), xp.argmin(x, axis=1)), arguments=matrix64, exact=True
    ),
    "concatenate": by_both(
        lambda x, y, xp: xp.concatenate([x, y * 2, x]),
        arguments=lambda n, m: [normal(n), normal(m)],
        exact=True,
    ),
    "stack": by_both(lambda x, xp: xp.stack([x, -x], axis=1), exact=True),
    "[1:]": by_both(lambda x, xp: x[1:], exact=True),
    "[::2]": by_both(lambda x, xp: x[::2] * 2, exact=True),
    "[:-1]": by_both(lambda x, xp: x[:, :-1], exact=True),
    "[::-1]": by_both(lambda x, xp: x[::-1].T, exact=True),
    "[3:]": by_both(lambda x, xp: x[3:], exact=True),
    "[0] and [-1]": by_both(lambda x, xp: x[0] - x[-1], exact=True),
    "half, rounded up": by_both(lambda x, xp: x[: -(-x.shape[0] // 2)] + 0, exact=True),
    "differences": Case(
        lambda x: jnp.concatenate([x[1:] - x[:-1], x[:1]]), moved, matrix, exact=True
    ),
    "pairs": by_both(
        lambda x, xp: x[: x.shape[0] // 2 * 2].reshape(-1, 2),
        arguments=lambda n, m: [normal(n)],
        exact=True,
    ),
    "matmul": by_both(lambda x, xp: x @ x.T, arguments=matrix64),
    "where": by_both(lambda x, xp: xp.where(x > 0, x, 0), exact=True),
    "iota": by_both(
        lambda x, xp: xp.arange(x.shape[0]) + x.shape[1], arguments=matrix64, exact=True
    ),
    "roll": by_both(lambda x, xp: xp.roll(x, 1, axis=0), exact=True),
    "take": by_both(
        lambda x, i, xp: x[i],
        arguments=lambda n, m: [normal(n, m), np.arange(2 * n + 1) % n],
        exact=True,
    ),
    "pad": by_both(lambda x, xp: xp.pad(x, ((1, 2), (0, 3))), exact=True),
    "tile": by_both(lambda x, xp: xp.tile(x, (2, 1)), exact=True),
    "tril": by_both(lambda x, xp: xp.tril(x), exact=True),
    "flat": by_both(lambda x, xp: x.reshape(-1) * 2, exact=True),
    "complex views": by_both(
        lambda x, xp: x.T[1:], arguments=lambda n, m: [matrix(n, m)[0] + 1j], exact=True
    ),
    "update": Case(
        lambda x: x.at[1:].add(2),
        lambda x: np.concatenate([x[:1], x[1:] + 2]),
        matrix,
        exact=True,
    ),
    "top_k": Case(
        lambda x: jax.lax.top_k(x, 2)[0],
        lambda x: -np.sort(-x, axis=1)[:, :2],
        lambda n, m: [normal(n, m + 40)],
        exact=True,
    ),
    "fixed sizes": by_both(
        lambda x, y, xp: xp.linalg.inv(y) @ x,
        arguments=lambda n, m: [normal(1, n, dtype="float64"), np.full((1, 1), 4.0)],
    ),
    "results that are arguments": by_both(lambda x, xp: (x, x), exact=True),
}
SIZES = ((300, 70), (2, 3), (7, 5), (64, 1000))


def program_of(case: Case) -> Program:
    arguments = case.arguments(*SIZES[0])
    leaves, tree = jax.tree.flatten((tuple(arguments), {}))
    closed, _ = jaxpr_of(case.function, _symbolic(leaves, pattern_of(leaves)), tree)
    return symbolic.from_jaxpr(closed)


@pytest.fixture(scope="module")
def compiled() -> None:
    """Have the graphs of all cases in memory, as if they had been compiled one by one."""
    programs = {name: program_of(case) for name, case in CASES.items()}
    names = [digests.digest(program) for program in programs.values()]
    unique = dict(zip(names, programs.values(), strict=True))
    tier._tier._deliver(module_of(unique), list(unique))


@pytest.fixture
def always() -> Iterator[None]:
    """Compile whatever is run."""
    with jujunp.compile_policy("always"):
        yield


def check(case: Case, jitted: Callable[..., Any], n: int, m: int) -> None:
    arguments = case.arguments(n, m)
    found = jax.tree.leaves(jitted(*arguments), is_leaf=lambda x: isinstance(x, jujunp.ndarray))
    wanted = jax.tree.leaves(case.oracle(*arguments))
    for x, y in zip(found, wanted, strict=True):
        array = np.asarray(x)
        assert array.dtype == y.dtype
        assert array.shape == y.shape
        if case.exact:
            np.testing.assert_array_equal(array, y)
        else:
            np.testing.assert_allclose(array, y, rtol=2e-5, atol=1e-5)


@pytest.mark.usefixtures("compiled", "always")
@pytest.mark.parametrize("name", CASES)
def test_one_graph_serves_all_sizes(name: str) -> None:
    case = CASES[name]
    jitted = jujunp.jit(case.function, dynamic_shapes=True)
    before = jujunp.stats()
    for n, m in SIZES:
        check(case, jitted, n, m)
    after = jujunp.stats()
    assert after["compiled runs"] - before["compiled runs"] == len(SIZES)
    assert after["compiles done"] == before["compiles done"]


@pytest.mark.usefixtures("compiled")
def test_a_graph_refuses_sizes_that_break_its_pattern() -> None:
    program = program_of(CASES["outer"])
    run = tier.lookup(digests.digest(program))
    assert run is not None
    assert run([normal(5), normal(3)])[0].shape == (5, 3)
    square = program_of(CASES["elementwise with broadcasting"])
    run = tier.lookup(digests.digest(square))
    assert run is not None
    with pytest.raises(ValueError, match=r"\w"):
        run([normal(5, 3), normal(4), normal(5)])


def test_one_compilation_for_all_sizes() -> None:
    jitted = jujunp.jit(lambda x, y: jnp.cos(x) * y[:, None], dynamic_shapes=True)
    before = jujunp.stats()
    for n, m in ((300, 100), (200, 151), (1000, 90)):
        x, y = normal(n, m), normal(n)
        np.testing.assert_allclose(jitted(x, y), np.cos(x) * y[:, None], rtol=1e-5, atol=1e-6)
    after = jujunp.stats()
    assert after["compiles done"] - before["compiles done"] == 1
    assert after["compiled runs"] - before["compiled runs"] == 3


SMALL = ("sum 0", "cumsum", "sort", "[::2]", "stack", "where", "iota", "flat", "mlp", "concatenate")


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("sizes_", [(1, 5), (0, 5), (3, 1), (0, 0), (1, 1), (4, 4)])
def test_small_calls_are_recorded(name: str, sizes_: tuple[int, int]) -> None:
    jitted = jujunp.jit(CASES[name].function, dynamic_shapes=True)
    before = jujunp.stats()
    check(CASES[name], jitted, *sizes_)
    check(CASES[name], jitted, 4, 3)
    after = jujunp.stats()
    assert after["compiled runs"] == before["compiled runs"]
    assert after["compiles queued"] + after["compiles running"] == 0


def test_a_function_that_needs_exact_sizes_is_warned_of_once() -> None:
    def function(x: Any) -> Any:
        return x * 2 if x.shape[0] > 3 else x * 3

    jitted = jujunp.jit(function, dynamic_shapes=True)
    with pytest.warns(RuntimeWarning, match=r"exact sizes.*'n0' > '3'.*test_dynamic_shapes.py:\d+"):
        assert jitted(np.arange(3.0)).tolist() == [0, 3, 6]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jitted(np.arange(4.0)).tolist() == [0, 2, 4, 6]


def test_a_primitive_without_symbolic_form_is_named() -> None:
    jitted = jujunp.jit(lambda x: jnp.sin(x) * 0, dynamic_shapes=True)
    with pytest.warns(RuntimeWarning, match=r"sin of float16 .*test_dynamic_shapes.py:\d+"):
        found = jitted(np.ones((4, 3), np.float16))
    assert found.tolist() == [[0, 0, 0]] * 4


def test_the_users_own_error_comes_without_a_warning() -> None:
    jitted = jujunp.jit(lambda x, y: x + y, dynamic_shapes=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="incompatible shapes"):
            jitted(np.ones(3), np.ones(4))


def test_equal_lengths_share_a_symbol_and_short_ones_have_none() -> None:
    pattern = pattern_of([np.ones((5, 3)), 2.0, np.ones((1, 5, 0)), np.ones(())])
    assert pattern.shapes == (("n0", "n1"), None, (1, "n0", 0), ())
    assert pattern.sizes == {"n0": 5, "n1": 3}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("n", 10),
        ("n - 1", 9),
        ("2*n + m - 3", 20),
        ("- floordiv(- m, 2)", 2),
        ("mod(- 1, n)", 9),
        ("m*n^2", 300),
        ("3*max(m - 5, 0) + min(n, m)", 3),
    ],
)
def test_sizes_are_evaluated(text: str, value: int) -> None:
    symbols = {"n": 10, "m": 3}
    assert sizes.evaluated(text, symbols) == value
    assert _by_terms(sizes.postfix(text, list(symbols)), list(symbols.values())) == value


def _by_terms(words: list[int], values: list[int]) -> int:
    """Evaluate a size as kernels/graph/dense.mojo does."""
    stack: list[int] = []
    assert len(words) == 1 + 2 * words[0]
    for kind, value in zip(words[1::2], words[2::2], strict=True):
        match sizes.OPERATORS[kind]:
            case "number":
                stack.append(value)
            case "symbol":
                stack.append(values[value])
            case name:
                right, left = stack.pop(), stack.pop()
                stack.append(sizes.ON_INTEGERS[name](left, right))
    return stack[0]


def test_what_is_no_size_is_refused() -> None:
    with pytest.raises(ValueError, match="is no size"):
        sizes.evaluated("n.shape", {"n": 3})


def test_half_precision_has_no_symbolic_form() -> None:
    case = by_both(lambda x, xp: x * 2, arguments=lambda n, m: [normal(n, dtype="float16")])
    with pytest.raises(Unsupported, match="mul of float16"):
        program_of(case)


def test_digests_are_the_same_in_every_process(run_python: Callable[..., Any]) -> None:
    names = ("attention", "gradient", "roll", "pairs")
    here = [digests.digest(program_of(CASES[name])) for name in names]
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_dynamic_shapes import CASES, digests, program_of
for name in {names!r}:
    print(digests.digest(program_of(CASES[name])))
"""
    assert run_python(code, PYTHONHASHSEED="5").stdout.split() == here


def test_ops_by_arity_are_the_generated_ones() -> None:
    folder = Path(jujunp.__file__).parent.parent / "kernels" / "graph"
    wanted = runpy.run_path(str(folder / "generate.py"))["dense_arities_text"]()
    written = (folder / "dense_arities.mojo").read_text(encoding="utf-8")
    registered = re.compile(r'@register\("(.*)"\)')
    assert registered.findall(written) == registered.findall(wanted), "run graph/generate.py"
