"""JAX functions recorded by the rules of their primitives, compared with JAX itself, op by op."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.ad_checkpoint import checkpoint_name

import jujunp as jj
from jujunp.lazy.jaxprs.from_values import trace
from jujunp.lazy.rules import template
from jujunp.lazy.rules.operand import Operand, Unrecordable, constant, node
from jujunp.lazy.run import transfer
from jujunp.lazy.run.flush import ensure
from jujunp.lazy.values.dtypes import DTYPES, kernel_code
from jujunp.lazy.values.value import LOG, Value, dtype_code

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 5))
V = RNG.standard_normal(7)
N = np.array([3, 90, 1])
Z = RNG.standard_normal((4, 5)) + 1j * RNG.standard_normal((4, 5))
PLACES = RNG.integers(0, 5, 3)
KEY = np.array([1, 2], np.uint32)
HALVES = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.5 - 2**-54, 1e300, np.nan, -0.2, np.inf])


def key_of(words: Any) -> Any:
    return jax.random.wrap_key_data(words)


def count_up(x: Any) -> Any:
    return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 1.5), (0, x))


def convolution(x: Any, w: Any, **options: Any) -> Any:
    return lax.conv_general_dilated(x, w, (1,), "SAME", **options)


def window(*args: Any, **kwargs: Any) -> Any:
    return lambda x: lax.reduce_window(x, *args, **kwargs)


CASES: dict[str, tuple[Any, ...]] = {
    # views
    "slice": (lambda x: x[1::2, :3], X),
    "rev": (lambda x: x[::-1, ::-2], X),
    "split": (lambda x: jnp.split(x, [1, 3], 1), X),
    "unstack": (lambda x: jnp.unstack(x, axis=1), X),
    "reshape of other axes": (lambda x: lax.reshape(x, (10, 2), dimensions=(1, 0)), X),
    "reshape in Fortran order": (lambda x: (x * 2)[:, 1:].ravel(order="F") + 1, X),
    "mapped axes": (
        jax.vmap(
            lambda x: (x / lax.psum(x, "i"), lax.pmean(x, "i"), lax.pmax(x, "i"), lax.pmin(x, "i")),
            axis_name="i",
        ),
        X,
    ),
    "names": (lambda x: checkpoint_name(x, "x") * 2, X),
    # joining
    "stack": (lambda x: jnp.stack([x, x + 1], 1), X),
    "tile": (lambda x: jnp.tile(x, (2, 1, 3)), X),
    "pad": (lambda x: lax.pad(x, 0.0, ((1, -1, 2), (0, 0, 1))), X),
    "concatenate": (lambda x: jnp.concatenate([x, x * 2, x[:1]]), X),
    # elementwise
    "bitcast": (lambda x: lax.bitcast_convert_type(x, jnp.int64), X),
    "bitcast to smaller": (lambda x: lax.bitcast_convert_type(x.T, jnp.int32), X),
    "bitcast to larger": (
        lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int32), jnp.float64),
        X,
    ),
    "round to even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), HALVES),
    "round away": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), HALVES),
    "select by integers": (
        lambda i, x: lax.select_n(i, x, x + 1, x * 2),
        np.array([0, 1, 2, 1], np.int32),
        np.arange(4.0),
    ),
    "clamp": (lambda x: lax.clamp(0.0, x, 1.0), X),
    "integer_pow": (lambda x: lax.integer_pow(x, 3), X),
    "mod": (lambda x: jnp.mod(x, 0.3), X),
    "nextafter": (lambda x: jnp.nextafter(x, x + 1), X),
    "clz": (lax.clz, PLACES),
    "population_count": (
        lambda *operands: [lax.population_count(x) for x in operands],
        *(np.array([-1, 5, -128], kind) for kind in ("int8", "int16", "int32", "int64")),
        np.array([255, 3], np.uint8),
    ),
    "gradient of a diagonal": (jax.grad(lambda x: jnp.diag(x).sum()), X),
    "gradient of a branch": (
        jax.grad(lambda x: lax.cond(x[0] > 0, jnp.sum, lambda x: x[0] * 2, x)),
        V,
    ),
    "gradients of grouped convolutions": (
        jax.grad(lambda x, w: jnp.sin(convolution(x, w, feature_group_count=2)).sum(), (0, 1)),
        RNG.standard_normal((2, 4, 5)),
        RNG.standard_normal((6, 2, 3)),
    ),
    "convolutions of a batch": (
        jax.vmap(jax.grad(lambda w, x: (convolution(x[None], w) ** 2).sum()), (None, 0)),
        RNG.standard_normal((2, 3, 3)),
        RNG.standard_normal((4, 3, 6)),
    ),
    # kernels
    "approx_max_k": (lambda x: lax.approx_max_k(x, 2), X),
    "approx_min_k": (lambda x: lax.approx_min_k(x, 2, reduction_dimension=0), X),
    "reductions": (lambda x: (x.sum(0), x.prod(1), x.max(), x.min(0), (x > 0).any()), X),
    "arg": (lambda x: (jnp.argmax(x, 1), jnp.argmin(x)), X),
    "scans": (lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1, reverse=True)), X),
    "sort": (lambda x, y: lax.sort((x, y), num_keys=1), V, np.arange(7.0)),
    "argsort": (lambda x: jnp.argsort(x, axis=0), X),
    "top_k": (lambda x: lax.top_k(x, 3), X),
    "searchsorted": (jnp.searchsorted, np.sort(V), V),
    "dot_general": (lambda x: jnp.einsum("ij,kj->ik", x, x), X),
    # indexing
    "gather": (lambda x, i: x[:, i], X, PLACES),
    "gather with fill": (lambda x, i: x.at[i].get(mode="fill"), X, np.array([1, 9, -2])),
    "gather, clipped": (lambda x, i: x.at[i].get(mode="clip"), X, np.array([1, 9, -2])),
    "gather of points": (lambda x, i: x[i, i], X, PLACES % 4),
    "scatter": (lambda x, i: x.at[i].set(1.5), X, PLACES % 4),
    "scatter, dropped": (lambda x, i: x.at[i].set(1.5), X, np.array([1, 9])),
    "scatter-add": (lambda x, i: x.at[i].add(x[i]), X, np.array([1, 1, 3])),
    "scatter-mul": (lambda x, i: x.at[:, i].mul(2.0), X, PLACES),
    "scatter-max": (lambda x, i: x.at[i].max(0.5).at[i].min(0.7), X, PLACES % 4),
    "dynamic_slice": (lambda x, s: lax.dynamic_slice(x, (s, 1), (2, 3)), X, np.int64(3)),
    "dynamic_update_slice": (
        lambda x, s: lax.dynamic_update_slice(x, jnp.ones((2, 2)), (s, 1)),
        X,
        np.int64(3),
    ),
    # control
    "cond": (lambda x: lax.cond(x[0, 0] > 0, lambda y: y + 1, lambda y: y * 2, x), X),
    "switch": (
        lambda x, k: lax.switch(k, [lambda y: y, lambda y: y + 1, lambda y: y * 3], x),
        X,
        np.int32(2),
    ),
    "while": (count_up, X),
    "fori_loop": (lambda x: lax.fori_loop(0, 5, lambda j, c: c + x * j, x), X),
    "scan": (lambda x: lax.scan(lambda c, r: (c + r, (c * 2, r.sum())), x[0], x), X),
    "scan, reversed": (lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x, reverse=True), X),
    "scan of nothing": (lambda x: lax.scan(lambda c, r: (c, r), x[0], x[:0]), X),
    "map": (lambda x: lax.map(jnp.sin, x), X),
    "associative_scan": (lambda x: lax.associative_scan(jnp.add, x), X),
    "checkpoint": (jax.checkpoint(lambda x: jnp.sin(x) * 2), X),
    "custom_jvp": (jax.nn.silu, X),
    "platform": (
        lambda x: lax.platform_dependent(x, cpu=lambda y: y + 1, default=lambda y: y * 2),
        X,
    ),
    "gradient": (jax.grad(lambda x: (jnp.tanh(x) ** 2).sum()), X),
    "hessian": (jax.hessian(lambda v: (v**3).sum()), V),
    # reductions with functions and over windows
    "reduce": (lambda x: lax.reduce(x, 0.0, lambda a, b: a + b + a * b, (0,)), X),
    "reduce pairs": (
        lambda x: lax.reduce((x, x + 1), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)),
        X,
    ),
    "window sum": (window(0.0, lax.add, (2, 2), (1, 1), "VALID"), X),
    "window max": (window(-np.inf, lax.max, (2, 3), (2, 1), "SAME", window_dilation=(1, 2)), X),
    "window min": (window(np.inf, lax.min, (1, 2), (1, 2), "VALID"), X),
    "dilated window": (
        window(0.0, lax.add, (2, 2), (1, 2), ((1, 2), (0, 1)), base_dilation=(2, 1)),
        X,
    ),
    "window of a function": (window(0.0, lambda a, b: a + b + a * b, (2, 2), (1, 1), "VALID"), X),
    # keys
    "keys are seen": (lambda k: jax.random.key_data(key_of(k.reshape(1, 2))[0]), KEY),
    "random_bits": (lambda k: jax.random.bits(key_of(k), (5,)), KEY),
    "bits of many keys": (lambda k: jax.random.bits(jax.random.split(key_of(k))[1], (3, 2)), KEY),
    "uniform": (lambda k: jax.random.uniform(key_of(k), (3, 3)), KEY),
    "normal": (lambda k: jax.random.normal(k, (50,)), KEY),
    "split of keys": (lambda k: jax.random.key_data(jax.random.split(key_of(k), 3)), KEY),
    "fold_in": (lambda k: jax.random.key_data(jax.random.fold_in(key_of(k), 7)), KEY),
    "seed": (lambda s: jax.random.key_data(jax.random.key(s)), np.int64(12345)),
    "gamma": (lambda k: jax.random.gamma(key_of(k), 2.0, (4,)), KEY),
    "permutation": (lambda k: jax.random.permutation(k, 9), KEY),
    "randint": (lambda k: jax.random.randint(k, (6,), 0, 100), KEY),
    # special functions, convolutions
    "special": (
        lambda x: (lax.lgamma(x), lax.digamma(x + 9), lax.erf_inv(x / 9), jnp.i0(x)),
        X,
    ),
    "igamma": (lambda x: (lax.igamma(x * x, x * x + 1), lax.igammac(x * x, x * x + 1)), X),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), X),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 10), X),
    "convolve": (lambda v: jnp.convolve(v, v[:3]), V),
    "conv": (
        lambda x: lax.conv_general_dilated(
            jnp.arange(120.0).reshape(2, 5, 4, 3),
            x[:, :3, None, None] * jnp.ones((1, 1, 2, 2)),
            (1, 2),
            ((1, 1), (0, 1)),
            dimension_numbers=("NHWC", "OIHW", "NHWC"),
        ),
        X,
    ),
    # functions made of many of them
    "median": (lambda x: jnp.median(x, 0), X),
    "percentile": (lambda x: jnp.percentile(x, 30, axis=1), X),
    "unique": (lambda i: jnp.unique(i, size=3), PLACES),
    "histogram": (lambda v: jnp.histogram(v, 5), V),
    "interp": (lambda v: jnp.interp(v, jnp.arange(5.0), jnp.arange(5.0) ** 2), V),
    "nonzero": (lambda x: jnp.nonzero(x > 0, size=4), X),
    "bincount": (lambda i: jnp.bincount(i, length=6), PLACES),
    "softmax": (jax.nn.softmax, X),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, axis=0), X),
    "one_hot": (lambda i: jax.nn.one_hot(i, 5), PLACES),
    # complex numbers and half precision
    "complex": (
        lambda x, y: (lax.complex(x, y), lax.complex(x, y) * 1j, jnp.abs(x + 2j * y)),
        X,
        X,
    ),
    "parts": (lambda z: (lax.real(z), lax.imag(z), lax.conj(z), jnp.angle(z)), Z),
    "complex steps": (lambda z: (jnp.exp(z) / (z + 1), z**2, lax.rsqrt(z), jnp.atan2(z, z)), Z),
    "complex kernels": (lambda z: (z.sum(0), z @ z.T, jnp.pad(z, 1), jnp.cumprod(z, 1)), Z),
    "complex gather": (lambda z, i: (z[i], jnp.take(z, i + 9, 0)), Z, PLACES),
    "half": (lambda x: (x * 2 + 1, x.sum(), jnp.sort(x, 1)), X.astype(np.float16)),
    "bfloat16": (lambda x: (x.astype(jnp.bfloat16) * 3).astype(jnp.float32), X),
    "convolve in half": (lambda x: jnp.convolve(x[0], x[1]), X.astype(np.float16)),
    "loops together": (
        jax.vmap(lambda n: lax.while_loop(lambda c: c < n, lambda c: c * 2, 1)),
        PLACES,
    ),
    # Fourier transforms
    "fft": (lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z, axis=0), jnp.fft.fft2(z)), Z),
    "rfft": (lambda x: (jnp.fft.rfft(x), jnp.fft.rfft2(x), jnp.fft.rfft(x, 8)), X),
    "irfft": (lambda z: (jnp.fft.irfft(z), jnp.fft.irfft(z, 7), jnp.fft.irfft2(z)), Z),
    # linear algebra
    "cholesky": (lambda a: lax.linalg.cholesky(a @ a.T + 9 * jnp.eye(4)), X),
    "cholesky of nothing positive": (lambda a: lax.linalg.cholesky(a @ a.T - 9 * jnp.eye(4)), X),
    "complex cholesky": (lambda a: jnp.linalg.cholesky(a @ a.conj().T + 9 * jnp.eye(4)), Z),
    "lu": (lax.linalg.lu, X),
    "solve": (lambda a: jnp.linalg.solve(a[:, :4], a), X),
    "complex solve": (lambda a: jnp.linalg.solve(a[:, :4], a), Z),
    "det": (lambda a: (jnp.linalg.det(a[:, :4]), jnp.linalg.slogdet(a[:, 1:])), X),
    "qr": (lambda a: (lax.linalg.qr(a), lax.linalg.qr(a.T, full_matrices=True)), X),
    "qr of wide": (lambda a: lax.linalg.qr(a, full_matrices=False), X),
    "raw qr": (lambda a: jnp.linalg.qr(a, mode="raw"), X),
    "pivoted qr": (lambda a: lax.linalg.qr(a, pivoting=True), X),
    "svd": (lambda a: jnp.linalg.svd(a)[1], X),
    "least squares": (lambda a: jnp.linalg.lstsq(a.T, a[0])[0], X),
    "eigh": (lambda a: jnp.abs(jnp.linalg.eigh(a @ a.T)[1]), X),
    "eigvalsh": (lambda a: jnp.linalg.eigvalsh(a @ a.conj().T), Z),
    "eigvals": (lambda a: jnp.sort(jnp.linalg.eigvals(a[:, :4])), X),
    "eig of right and left": (
        lambda a: [jnp.abs(x) for x in lax.linalg.eig(a[:, :4])],
        X,
    ),
    "schur": (lambda a: jnp.abs(lax.linalg.schur(a[:, :4])[0]), X),
    "hessenberg": (lambda a: lax.linalg.hessenberg(a[:, :4]), X),
    "tridiagonal": (lambda a: lax.linalg.tridiagonal(a @ a.T, lower=True), X),
    "ormqr": (lambda a: lax.linalg.ormqr(*jnp.linalg.qr(a, mode="raw"), a.T), X[:4, :4]),
    "triangular_solve": (
        lambda a: lax.linalg.triangular_solve(a[:, :4], a, left_side=True, lower=True),
        X,
    ),
    "symmetric_product": (
        lambda a: lax.linalg.symmetric_product(a, a[:, :4], alpha=2.0, beta=0.5),
        X,
    ),
    "tridiagonal_solve": (lambda a: lax.linalg.tridiagonal_solve(*(a[:3] + 3), a[:, :2]), X[:, :4]),
    "expm": (jax.scipy.linalg.expm, X[:4, :4]),
    "searchsorted of another length": (jnp.searchsorted, np.sort(X[1]), X[0, :2]),
}
if hasattr(lax, "polynomial"):  # from JAX 0.12 on
    CASES["polynomial"] = (lambda x, a: lax.polynomial(x, [1.5, a, x[:1], 2.0]), X[0], X[1])
    CASES["polynomial of degree 0"] = (lambda x: lax.polynomial(x, [3.0]), X[0])


def operand(x: np.ndarray) -> Operand:
    return constant(x, kernel_code(x.dtype))


def array(x: Operand) -> Value:
    copied: Any = node("copy", [x], x.shape, x.code).value
    return copied


def elements(x: Value) -> np.ndarray:
    ensure(x)
    return transfer.export(x, dtype_code(x))


def test_operands_of_other_dtypes_are_refused() -> None:
    """A step of one dtype would read the other's memory as its own."""
    wide, narrow = (operand(V.astype(kind)) for kind in ("float64", "float32"))
    with pytest.raises(Unrecordable, match="add of float32, float64 has no kernel"):
        node("add", [narrow, wide], wide.shape, wide.code)
    which = operand(V > 0)
    with pytest.raises(Unrecordable, match="select_n of bool, float32, float64"):
        node("select_n", [which, narrow, wide], wide.shape, wide.code)
    assert node("select_n", [which, wide, wide], wide.shape, wide.code).code == wide.code


def reference(function: Any, operands: tuple[Any, ...]) -> list[np.ndarray]:
    with jax.enable_x64(True):
        return [np.asarray(x) for x in jax.tree.leaves(function(*map(jnp.asarray, operands)))]


def assert_same(found: np.ndarray, wanted: np.ndarray) -> None:
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if wanted.dtype.kind in "fc":
        tolerance = 2e-3 if wanted.dtype.itemsize == 2 else 1e-11
        np.testing.assert_allclose(found, wanted, tolerance, tolerance)
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", CASES)
def test_recorded(name: str) -> None:
    function, *operands = CASES[name]
    results = [array(x) for x in template.call(name, function, [operand(x) for x in operands])]
    wanted = reference(function, tuple(operands))
    assert len(results) == len(wanted)
    for found, expected in zip(results, wanted, strict=True):
        assert_same(elements(found), expected)


OTHERS = {
    # these compute while they are recorded, so that no Jaxpr of all is left
    *("cond", "switch", "while", "fori_loop", "unique", "loops together", "expm"),
    *("gamma", "permutation", "randint", "gradient of a branch"),
    # these are recorded as primitives of our own, which JAX cannot run
    *("round away", "searchsorted", "histogram", "interp", "pivoted qr"),
    "searchsorted of another length",
}


@pytest.mark.parametrize("name", [name for name in CASES if name not in OTHERS])
def test_jax_computes_the_same_from_what_is_pending(name: str) -> None:
    function, *operands = CASES[name]
    jj.flush()
    results = [array(x) for x in template.call(name, function, [operand(x) for x in operands])]
    closed, leaves = trace(list(LOG), results)
    arguments = [
        np.asarray(leaf[0], DTYPES[leaf[1]]) if isinstance(leaf, tuple) else elements(leaf)
        for leaf in leaves
    ]
    with jax.enable_x64(True):
        found = jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *arguments)
    for one, result in zip(found, results, strict=True):
        assert_same(np.asarray(one), elements(result))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    ("sizes", "steps", "padding"),
    [
        ((1, 2, 2), (1, 2, 2), ((0, 0), (0, 1), (0, 0))),
        ((2, 3, 2), (1, 1, 2), ((0, 0), (1, 1), (0, 1))),
        ((1, 3, 2), (1, 2, 1), ((0, 0), (-1, 0), (0, 3))),
    ],
)
@pytest.mark.parametrize("greatest", [True, False])
def test_gradients_of_pooling(
    dtype: str, sizes: Any, steps: Any, padding: Any, greatest: bool
) -> None:
    """The first greatest or least element of a window is selected, as by NumPy's argmax."""
    rng = np.random.default_rng(4)
    x = rng.integers(-3, 4, (3, 5, 6)).astype(dtype)
    tangents = rng.integers(1, 9, x.shape).astype(dtype)
    start, reduce, select = (
        (-np.inf, lax.max, np.argmax) if greatest else (np.inf, lax.min, np.argmin)
    )

    def pooled(x: Any) -> Any:
        return lax.reduce_window(x, np.array(start, dtype)[()], reduce, sizes, steps, padding)

    def windows(x: np.ndarray, fill: float) -> np.ndarray:
        cut = tuple(slice(max(-low, 0), n) for (low, _), n in zip(padding, x.shape, strict=True))
        edges = [(max(low, 0), max(high, 0)) for low, high in padding]
        wide = np.pad(x[cut], edges, constant_values=fill)
        seen = np.lib.stride_tricks.sliding_window_view(wide, sizes)
        seen = seen[tuple(slice(None, None, step) for step in steps)]
        return seen.reshape(*seen.shape[:3], -1)

    chosen = select(windows(x, start), -1)[..., None]
    taken = np.take_along_axis(windows(tangents, 0), chosen, -1)[..., 0]
    places = windows(np.arange(x.size).reshape(x.shape), -1)
    origin = np.take_along_axis(places, chosen, -1)[..., 0]
    cotangents = rng.integers(1, 9, taken.shape).astype(dtype)
    added = np.zeros(x.size + 1, dtype)  # what goes to the padding is the last
    np.add.at(added, origin, cotangents)

    with jj.compile_policy("never"):
        forward = jj.jit(lambda x, t: jax.jvp(pooled, (x,), (t,))[1])(x, tangents)
        backward = jj.jit(lambda x, c: jax.vjp(pooled, x)[1](c)[0])(x, cotangents)
    np.testing.assert_array_equal(np.asarray(forward), taken)
    np.testing.assert_array_equal(np.asarray(backward), added[:-1].reshape(x.shape))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 1_000, 99_999])
def test_a_reduction_by_a_function_folds_neighbours(length: int) -> None:
    def function(x: Any) -> Any:
        return lax.reduce(x, jnp.float64(2), lambda a, b: a + b * 1, (0,))

    x = np.arange(length, dtype=np.float64)
    assert jj.lower(function, x).cost()["steps"] < 12 * (1 + length.bit_length())
    assert float(jj.jit(function, wait=False)(x)) == 2 + x.sum()


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 5), (4, 9)])
def test_a_reduction_by_a_function_keeps_the_order_of_terms(shape: tuple[int, int]) -> None:
    """Lines x -> a x + b are put one into the other: associative, but not commutative."""

    def into(f: Any, g: Any) -> Any:
        return f[0] * g[0], f[0] * g[1] + f[1]

    a, b = np.random.default_rng(5).integers(-2, 3, (2, *shape))
    found = jj.jit(lambda a, b: lax.reduce((a, b), (1, 0), into, (0, 1)), wait=False)(a, b)
    assert tuple(map(int, found)) == functools.reduce(into, zip(a.flat, b.flat, strict=True))
    rows = jj.jit(lambda a, b: lax.reduce((a, b), (1, 0), into, (1,)), wait=False)(a, b)
    for k in range(shape[0]):
        wanted = functools.reduce(into, zip(a[k], b[k], strict=True))
        assert (int(rows[0][k]), int(rows[1][k])) == wanted
