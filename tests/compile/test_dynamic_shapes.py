"""`jit(..., dynamic_shapes=True)`: one graph for all sizes, compared with NumPy.

The graphs of all cases are computed without MAX, and those of some compiled into one module.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from jujunp._compile.dynamic_shapes import _symbolic, pattern_of
from jujunp._compile.specialization import jaxpr_of
from jujunp.lazy.compiled import TIER
from jujunp.lazy.compiled.ir import sizes
from jujunp.lazy.compiled.ir.devices import CPU
from jujunp.lazy.compiled.read import symbolic_reader as symbolic
from jujunp.lazy.compiled.store import digests
from tests.support.graphs import eager_graph
from tests.support.graphs.compiled import have_compiled
from tests.support.tree.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jujunp.lazy.compiled.ir.graph_ir import GraphIR

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


def scanned(x: Any) -> Any:
    """Five results, which share a memory."""

    def step(carry: Any, row: Any) -> Any:
        total, count = carry
        return (total + row, count + 1), (total, row.sum() + count, count)

    return jax.lax.scan(step, (jnp.zeros(x.shape[1], x.dtype), 0), x)


def scanned_by_numpy(x: np.ndarray) -> Any:
    before = np.vstack([np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)])
    places = np.arange(len(x))
    return before[-1], np.array(len(x)), before[:-1], x.sum(1) + places, places


def backwards(x: Any) -> Any:
    """The sum of what decays along the rows, from the last one."""
    step = lambda carry, row: ((carry + row) / 2, carry.sum())  # noqa: E731
    return jax.lax.scan(step, jnp.zeros(x.shape[1], x.dtype), x, reverse=True)[1].sum()


def weights_of_backwards(x: np.ndarray) -> np.ndarray:
    return np.repeat((1 - 0.5 ** np.arange(len(x)))[:, None], x.shape[1], axis=1)


def loops(x: Any) -> Any:
    return (
        jax.lax.while_loop(lambda v: v.sum() < 1e4, lambda v: v * 2, abs(x) + 1),
        jax.lax.fori_loop(0, x.shape[0], lambda k, v: v / 2 + k, x[:, ::-1]),
        jax.lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: v[::-1], x),
        jax.vmap(lambda v: jax.lax.while_loop(lambda u: u.sum() < 99, lambda u: u * 2, v))(x * x),
        jax.lax.map(lambda row: jnp.sort(row)[: x.shape[1] // 2], x),
    )


def loops_by_numpy(x: np.ndarray) -> Any:
    grown, turned, rows = abs(x) + 1, x[:, ::-1], x * x
    while grown.sum() < 1e4:
        grown = grown * 2
    for k in range(len(x)):
        turned = turned / 2 + k
    while (small := rows.sum(1) < 99).any():
        rows[small] *= 2
    chosen = x * 2 if x.sum() > 0 else x[::-1]
    return grown, turned, chosen, rows, np.sort(x, axis=1)[:, : x.shape[1] // 2]


def linear_algebra(x: Any, xp: Any) -> Any:
    positive = x @ x.T + xp.eye(x.shape[0])
    factor = xp.linalg.cholesky(positive)
    q, r = xp.linalg.qr(x)
    return factor, xp.linalg.solve(positive, x), q @ r, xp.linalg.eigh(positive)[0]


def fixed_windows(x: Any) -> Any:
    """Parts of an array whose size is known, from places that are not."""
    values, places = x.sum() * jnp.arange(6.0), jnp.arange(3) + (x.sum() > 0)
    return jax.vmap(lambda place: jax.lax.dynamic_slice(values, (place,), (2,)))(places)


def fixed_windows_by_numpy(x: np.ndarray) -> np.ndarray:
    values, places = x.sum() * np.arange(6.0), np.arange(3) + (x.sum() > 0)
    return np.stack([values[place : place + 2] for place in places])


def pictures(n: int, m: int) -> list[np.ndarray]:
    return [normal(2, n % 50 + 5, m % 50 + 6, 3), normal(3, 3, 3, 4)]


def pooled_convolution(x: Any, filters: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    found = jax.lax.conv_general_dilated(x, filters, (1, 1), "VALID", dimension_numbers=numbers)
    window = (1, 2, 2, 1)
    return jax.lax.reduce_window(found, -jnp.inf, jax.lax.max, window, window, "VALID")


def pooled_convolution_by_numpy(x: np.ndarray, filters: np.ndarray) -> np.ndarray:
    view = np.lib.stride_tricks.sliding_window_view
    found = np.einsum("bijchw,hwcf->bijf", view(x, (3, 3), axis=(1, 2)), filters)
    return view(found, (2, 2), axis=(1, 2))[:, ::2, ::2].max(axis=(-1, -2))


def of_bits(x: Any) -> Any:
    """A view of other elements, a sort with four results, random numbers."""
    ordered = jax.lax.sort((x, -x, x * 2, x + 1), num_keys=2)
    random = jax.random.uniform(jax.random.key(3), x.shape)
    return jax.lax.bitcast_convert_type(x, jnp.int8), *ordered, random


def of_bits_by_numpy(x: np.ndarray) -> Any:
    y = np.sort(x, axis=-1)
    random = np.asarray(jax.random.uniform(jax.random.key(3), x.shape))
    return x.view(np.int8).reshape(*x.shape, 4), y, -y, y * 2, y + 1, random


def larger(a: Any, b: Any) -> Any:
    """Of pairs, the one whose first number is larger, or else whose second one is smaller."""
    wins = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
    return tuple(jnp.where(wins, x, y) for x, y in zip(a, b, strict=True))


def reduced_by_functions(x: Any, y: Any) -> Any:
    places = jax.lax.broadcasted_iota(jnp.int32, x.shape, 1)
    starts = np.float32(-np.inf), np.int32(-1)
    greatest, place = jax.lax.reduce((x, places), starts, larger, (1,))
    total = jax.lax.reduce(y, np.float64(3), lambda a, b: a + b * 1, (0, 2))
    turned = jax.lax.reshape(x, (x.shape[1], x.shape[0]), (1, 0))
    return greatest, place, total, turned


def reduced_by_numpy(x: np.ndarray, y: np.ndarray) -> Any:
    return x.max(1), x.argmax(1).astype("int32"), 3 + y.sum((0, 2)), x.T


def scanned_few(x: Any) -> Any:
    return jax.lax.scan(lambda total, row: (total + row, total * row), x[0] * 2, x)


def scanned_few_by_numpy(x: np.ndarray) -> Any:
    totals = np.cumsum(np.stack([2 * x[0], *x]), 0, dtype=x.dtype)
    return totals[-1], totals[:-1] * x


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
    "fixed windows": Case(fixed_windows, fixed_windows_by_numpy, matrix64),
    "scan": Case(scanned, scanned_by_numpy, matrix64),
    "gradient of scan": Case(jax.grad(backwards), weights_of_backwards, matrix64),
    "loops": Case(loops, loops_by_numpy, matrix64),
    "complex": by_both(
        lambda x, xp: (xp.exp(x) * x.T[0, 0], xp.abs(x), x.real + x.imag, xp.sum(x, axis=0)),
        arguments=lambda n, m: [normal(n, m) + 1j * normal(n, m)],
    ),
    "half": by_both(
        lambda x, xp: (x * 2 + xp.abs(x), xp.max(x, axis=0), x[::2] > 1),
        arguments=lambda n, m: [normal(n, m, dtype="float16")],
        exact=True,
    ),
    "Fourier transforms": by_both(
        lambda x, y, xp: (xp.fft.fft2(x), xp.fft.fft(x, axis=0), xp.fft.irfft(xp.fft.rfft(y), 8)),
        arguments=lambda n, m: [
            normal(n, m, dtype="float64") + 1j,
            normal(m, 8, dtype="float64"),
        ],
    ),
    "linear algebra": by_both(linear_algebra, arguments=matrix64),
    "convolution and pooling": Case(pooled_convolution, pooled_convolution_by_numpy, pictures),
    "bits": Case(of_bits, of_bits_by_numpy, matrix, exact=True),
    "reductions by functions": Case(
        reduced_by_functions,
        reduced_by_numpy,
        lambda n, m: [normal(n, m), normal(9, n, m, dtype="float64")],
    ),
    "scan of few": Case(scanned_few, scanned_few_by_numpy, lambda n, m: [normal(3, n)]),
    "results that are arguments": by_both(lambda x, xp: (x, x), exact=True),
}
LONG = {
    *("outer", "cumprod", "argsort", "sum 1", "mean", "argmax", "stack", "[:-1]", "[3:]", "pairs"),
    *("[0] and [-1]", "half, rounded up", "differences", "roll", "tile", "tril", "flat", "update"),
    *("attention", "gradient", "iota", "take", "top_k", "pad", "fixed sizes", "fixed windows"),
    *("mlp", "gradient of scan", "sum 0", "max", "[1:]", "matmul", "where", "complex views"),
    *("half", "Fourier transforms", "linear algebra", "convolution and pooling", "bits"),
    *("reductions by functions", "scan of few", "loops", "complex", "[::2]"),
}
"""Cases that MAX is not given every time; every run has all but MAX (eager_graph.py) do them."""
SIZES = ((300, 70), (2, 3), (7, 5), (64, 1000))


def ir_of(case: Case) -> GraphIR:
    arguments = case.arguments(*SIZES[0])
    leaves, tree = jax.tree.flatten((tuple(arguments), {}))
    closed, _ = jaxpr_of(case.function, _symbolic(leaves, pattern_of(leaves)), tree)
    return symbolic.from_jaxpr(closed)


@pytest.fixture(scope="module")
def compiled() -> None:
    """Have the graphs of all short cases in memory, as if they had been compiled one by one."""
    _compile([name for name in CASES if name not in LONG])


@pytest.fixture(scope="module")
def seldom_compiled() -> None:
    """Have those of the others in memory."""
    _compile(sorted(LONG))


def _compile(cases: Sequence[str]) -> None:
    irs = map(ir_of, (CASES[name] for name in cases))
    have_compiled({digests.digest(ir): ir for ir in irs})


@pytest.fixture
def always() -> Iterator[None]:
    """Compile whatever is run."""
    with jujunp.compile_policy("always"):
        yield


def check(case: Case, jitted: Callable[..., Any], n: int, m: int) -> None:
    arguments = case.arguments(n, m)
    found = jax.tree.leaves(jitted(*arguments), is_leaf=lambda x: type(x) is jujunp.ndarray)
    wanted = jax.tree.leaves(case.oracle(*arguments))
    for x, y in zip(found, wanted, strict=True):
        array = np.asarray(x)
        assert array.dtype == y.dtype
        assert array.shape == y.shape
        if case.exact:
            np.testing.assert_array_equal(array, y)
        else:
            np.testing.assert_allclose(array, y, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_all_but_max_serves_all_sizes(name: str) -> None:
    case = CASES[name]
    ir = ir_of(case)
    for n, m in SIZES:
        check(case, lambda *x: eager_graph.run(ir, jax.tree.leaves(x)), n, m)


@pytest.mark.usefixtures("compiled", "always")
@pytest.mark.parametrize("name", [name for name in CASES if name not in LONG])
def test_one_graph_serves_all_sizes(name: str) -> None:
    check_all_sizes(CASES[name])


@pytest.mark.long
@pytest.mark.usefixtures("seldom_compiled", "always")
@pytest.mark.parametrize("name", sorted(LONG))
def test_one_long_graph_serves_all_sizes(name: str) -> None:
    check_all_sizes(CASES[name])


def check_all_sizes(case: Case) -> None:
    jitted = jujunp.jit(case.function, dynamic_shapes=True)
    before = jujunp.stats()
    for n, m in SIZES:
        check(case, jitted, n, m)
    after = jujunp.stats()
    assert after["compiled runs"] - before["compiled runs"] == len(SIZES)
    assert after["compiles done"] == before["compiles done"]


@pytest.mark.usefixtures("compiled")
def test_a_graph_refuses_sizes_that_break_its_pattern() -> None:
    ir = ir_of(CASES["concatenate"])
    run = TIER.lookup(digests.digest(ir), CPU, read=True)
    assert run is not None
    assert run([normal(5), normal(3)])[0].shape == (13,)
    square = ir_of(CASES["elementwise with broadcasting"])
    run = TIER.lookup(digests.digest(square), CPU, read=True)
    assert run is not None
    with pytest.raises(ValueError, match=r"\w"):
        run([normal(5, 3), normal(4), normal(5)])


@pytest.mark.long
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


def _compiles(stats: dict[str, Any]) -> int:
    """Return how many compiles there have been; those of other tests may still be under way."""
    states = ("queued", "running", "done", "failed")
    return sum(stats[f"compiles {state}"] for state in states)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("sizes_", [(1, 5), (0, 5), (3, 1), (0, 0), (1, 1), (4, 4)])
def test_small_calls_are_recorded(name: str, sizes_: tuple[int, int]) -> None:
    jitted = jujunp.jit(CASES[name].function, dynamic_shapes=True)
    before = jujunp.stats()
    check(CASES[name], jitted, *sizes_)
    check(CASES[name], jitted, 4, 3)
    after = jujunp.stats()
    assert after["compiled runs"] == before["compiled runs"]
    assert _compiles(after) == _compiles(before)


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
    def singular(x: Any) -> Any:
        return jnp.linalg.svdvals(x)  # as many as the shorter of two unknown axes is long

    jitted = jujunp.jit(singular, dynamic_shapes=True)
    with pytest.warns(RuntimeWarning, match=r"primitive svd .*test_dynamic_shapes.py:\d+"):
        found = jitted(np.eye(4, 3, dtype=np.float32))
    assert found.tolist() == [1] * 3


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
    words = np.array(sizes.postfix(text, list(symbols)), np.int64)
    assert eager_graph.size(words, np.array(list(symbols.values()))) == value


def test_what_is_no_size_is_refused() -> None:
    with pytest.raises(ValueError, match="is no size"):
        sizes.evaluated("n.shape", {"n": 3})


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (lambda n, m: n + m - 3, 10),
        (lambda n, m: 3 - n * 2 + m * 0, -17),
        (lambda n, m: (n - 1) // 4 * m, 6),
        (lambda n, m: -7 + (0 + n) * 1, 3),
    ],
)
def test_texts_are_reckoned_with(function: Callable[..., Any], value: int) -> None:
    text = function(sizes.Size("n"), sizes.Size("m"))
    assert isinstance(text, sizes.Size)
    assert sizes.evaluated(text, {"n": 10, "m": 3}) == function(10, 3) == value


def test_digests_are_the_same_in_every_process(run_python: Callable[..., Any]) -> None:
    names = ("attention", "gradient", "roll", "pairs")
    here = [digests.digest(ir_of(CASES[name])) for name in names]
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.compile.test_dynamic_shapes import CASES, digests, ir_of
for name in {names!r}:
    print(digests.digest(ir_of(CASES[name])))
"""
    assert run_python(code, PYTHONHASHSEED="5").stdout.split() == here
