"""IRs for the compiled tier that no function of JAX's modules contains.

Branches and loops in each other, modes of indexing, dtypes that JAX computes with rarely, arrays
without elements and without axes. Each is a JAX function and its arguments.

MAX needs about a second for each run of elementwise steps that it fuses, so that cases with many
are `long`: not compiled in every run of the tests.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

if TYPE_CHECKING:
    from collections.abc import Callable

CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {}
LONG: set[str] = set()
RNG = np.random.default_rng(3)
FLOATS = ("float16", ml_dtypes.bfloat16, "float32", "complex64")

X = RNG.standard_normal((5, 7))
Z = X[:, :5] + 1j * X[:, 2:]
ROW = np.arange(1.0, 6.0)
KEY = np.array([3, 7], np.uint32)


def case(
    name: str, *arguments: Any, long: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a case."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        assert name not in CASES
        CASES[name] = function, tuple(np.asarray(x) for x in arguments)
        if long:
            LONG.add(name)
        return function

    return add


def with_numbers(name: str, numbers: Any, *arguments: Any, long: bool = False) -> Any:
    """Make a function a case for each of some integers, its first argument."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for number in numbers:
            case(f"{name} {number}", np.int64(number), *arguments, long=long)(function)
        return function

    return add


# Branches.


@with_numbers("switch", (-3, 0, 1, 3, 9), X, long=True)
def _switch(k: Any, x: Any) -> Any:
    """Numbers beyond the branches are the first and the last."""
    branches = [jnp.sin, lambda x: x[::-1] * 2, lambda x: x.T.reshape(x.shape), lambda x: x]
    return lax.switch(k, branches, x), lax.cond(k > 0, lambda: (x[0], 1), lambda: (x[1], 2))


@with_numbers("branches in branches", (0, 1, 2, 3), X, Z)
def _branches(k: Any, x: Any, z: Any) -> Any:
    def inner(x: Any, z: Any) -> Any:
        return lax.cond(k % 2 == 0, lambda: (x.T @ x, z), lambda: (x.T @ x + 1, -z.conj()))

    return lax.cond(k < 2, inner, lambda x, z: (jnp.zeros((7, 7)), z * 1j), x, z)


@with_numbers("a loop in a branch", (0, 1), X)
def _loop_in_branch(k: Any, x: Any) -> Any:
    def loop(x: Any) -> Any:
        return lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2 + x[0]), (0, x))

    return lax.cond(k > 0, loop, lambda x: (9, x), x)


@case("branches of a batch", np.array([0, 2, 1, 7, -1]), X, long=True)
def _batch_of_branches(ks: Any, x: Any) -> Any:
    branches = [jnp.sin, jnp.cos, lambda row: row * 2]
    return jax.vmap(lambda k, row: lax.switch(k, branches, row))(ks, x)


@with_numbers("a branch without operands", (0, 5))
def _no_operands(k: Any) -> Any:
    return lax.cond(k > 3, lambda: jnp.arange(4.0), lambda: jnp.ones(4)), k + 1


# Loops.


@with_numbers("loops in loops", (0, 1, 3), X, long=True)
def _loops(n: Any, x: Any) -> Any:
    def row(i: Any, x: Any) -> Any:
        def column(j: Any, x: Any) -> Any:
            return x.at[i, j].add(x[j, i] * 0.5)

        return lax.fori_loop(0, n + 1, column, x)

    return lax.fori_loop(0, n, row, x)


@with_numbers("a branch in a loop", (0, 4), X)
def _branch_in_loop(n: Any, x: Any) -> Any:
    def turn(i: Any, x: Any) -> Any:
        return lax.switch(i % 3, [lambda x: x + 1, lambda x: x[::-1], lambda x: x * x[:1]], x)

    return lax.fori_loop(0, n, turn, x)


@with_numbers("parts at places of a loop", (0, 3), X, Z)
def _parts(n: Any, x: Any, z: Any) -> Any:
    """Starts beyond the bounds are moved in, negative ones count from the end."""

    def turn(i: Any, carry: Any) -> Any:
        x, z = carry
        part = lax.dynamic_slice(x, (i, 2 * i - 1), (2, 3))
        x = lax.dynamic_update_slice(x, part * 2, (3 * i, i + 5))
        return x, z.at[i].set(z[4 - i] * 1j).at[:, i].add(1)

    return lax.fori_loop(0, n, turn, (x, z))


@with_numbers("a loop of a batch", (0, 7), ROW, X[:, :3])
def _batch_of_loops(n: Any, row: Any, x: Any) -> Any:
    """Each loop ends by a condition of its own, some at once."""

    def one(start: Any, x: Any) -> Any:
        return lax.while_loop(
            lambda c: (c[0] < n) & (x[0] > -9),
            lambda c: (c[0] * 2, c[1] + x, ~c[2]),
            (start, x, n > 1),
        )

    return jax.vmap(one)(row, x)


@case("a loop of a batch of batches", X, np.array([0, 3, 1, 8, 2]), long=True)
def _batch_of_counts(x: Any, counts: Any) -> Any:
    def one(n: Any, x: Any) -> Any:
        return lax.fori_loop(0, n, lambda i, c: c + x * i, x)

    return jax.vmap(jax.vmap(one, (None, 0)))(counts, x)


@with_numbers("keys in a loop", (0, 3), KEY)
def _keys(n: Any, words: Any) -> Any:
    key = jax.random.wrap_key_data(words)

    def turn(i: Any, carry: Any) -> Any:
        key, total = carry
        key, used = jax.random.split(key)
        return key, total + jax.random.normal(jax.random.fold_in(used, i), (3,))

    key, total = lax.fori_loop(0, n, turn, (key, jnp.zeros(3)))
    return jax.random.key_data(key), total


@with_numbers("keys in scans and branches", (0, 3), KEY, long=True)
def _other_keys(n: Any, words: Any) -> Any:
    key = jax.random.wrap_key_data(words)
    _, drawn = lax.scan(lambda k, _: (jax.random.split(k)[0], jax.random.uniform(k)), key, None, 70)
    chosen = lax.cond(n > 1, lambda: key, lambda: jax.random.split(key, 3)[2])
    return drawn, jax.random.key_data(chosen)


@case("random bits", KEY, long=True)
def _bits(words: Any) -> Any:
    key = jax.random.wrap_key_data(words)
    kinds = (np.uint8, np.uint16, np.uint32, np.uint64)
    floats = ("float16", "float32", ml_dtypes.bfloat16)
    return (
        [jax.random.bits(key, (3, 5), kind) for kind in kinds],
        [jax.random.uniform(key, (4,), kind) for kind in floats],
        jax.random.permutation(key, 9),
        jax.random.randint(key, (5,), -3, 9, np.int8),
        jax.vmap(jax.random.normal)(jax.random.split(key, 4)),
        jax.random.choice(key, 9, (4,), replace=False),
    )


def scanned(carry: Any, xs: Any, **how: Any) -> Any:
    """Scan with results of several dtypes; one is what goes in, one a constant."""

    def turn(carry: Any, row: Any) -> Any:
        total, count = carry
        total = total * 0.5 + row
        stacked = (total, count, total.real.astype(np.float16), row, 7, count % 2 == 0)
        return (total, count + 1), stacked

    return lax.scan(turn, (carry, 0), xs, **how)


@case("a scan of complex numbers, backwards", np.stack([Z] * 20))
def _complex_scan(zs: Any) -> Any:
    return scanned(zs[0], zs, reverse=True)


@case("scans of no row and of one", ROW)
def _short_scans(row: Any) -> Any:
    """Both are written turn by turn."""
    add: Any = partial(lax.scan, lambda c, x: (c + x, c - x))
    return (
        add(row[0], row[:0]),
        add(row[0], row[:1], reverse=True),
        add(row[0], row[:2], reverse=True),
    )


@case("other scans", np.stack([Z] * 20), ROW[0], long=True)
def _scans(zs: Any, start: Any) -> Any:
    """Rows without axes, rows without elements, and nothing that is carried or stacked."""
    long = jnp.arange(100) * start
    halves = long.astype(ml_dtypes.bfloat16)
    return (
        scanned(zs[0], zs),
        scanned(start, long, reverse=True),
        scanned(start, long, unroll=7),
        scanned(jnp.zeros((0, 3)), jnp.zeros((40, 0, 3))),
        lax.scan(lambda c, _: (c * 1.5, None), zs[0], None, length=30),
        lax.scan(lambda c, x: (None, x[::-1]), None, zs),
        lax.scan(lambda c, x: (x, c), halves[0], halves),
    )


@with_numbers("scans in loops", (0, 2), X)
def _scans_in_loops(n: Any, x: Any) -> Any:
    def inner(carry: Any, row: Any) -> Any:
        _, found = lax.scan(lambda c, y: (c + y, c * y), carry, jnp.tile(row, 10))
        total = lax.while_loop(lambda c: c < carry + 1, lambda c: c + found[0] ** 2 + 0.3, carry)
        return total, found[::10]

    def turn(i: Any, x: Any) -> Any:
        total, rows = lax.scan(inner, x[0, 0], jnp.tile(x, (8, 1)))
        return x / 9 + jnp.tanh(total) + jnp.tanh(rows[:5])

    return lax.fori_loop(0, n, turn, x), lax.map(lambda row: jnp.sort(row) @ x.T, x)


@with_numbers("what loops carry changes places", (0, 5), X)
def _changing_places(n: Any, x: Any) -> Any:
    def turn(i: Any, carry: Any) -> Any:
        a, b, count, flags, half, z = carry
        swapped = lax.cond(a[0, 0] > b[0, 0], lambda: (b, a.T), lambda: (b.T.T * 2, (a + 1).T))
        chosen = lax.switch(i % 3, [jnp.sin, lambda h: h[::-1], lambda h: h], half)
        return swapped[0], swapped[1].T, count + flags.sum(), ~flags, chosen, z.conj() * z[::-1]

    start = (x, x * 2, 0, x[0] > 0, x[1].astype(np.float16), x[2] + 1j * x[3])
    looped = lax.fori_loop(0, n, turn, start)
    a, b, *others = lax.scan(lambda c, _: (turn(0, c), (c[1], c[0].T, c[2])), start, None, 30)[0]
    turned = lax.fori_loop(0, n, lambda i, c: (c[1], c[2], c[0], c[2][::-1]), (x, x + 1, x + 2, x))
    return looped, a, b, others, turned


@case("loops over large arrays", np.arange(70_000.0), long=True)
def _large_loops(x: Any) -> Any:
    scanned = lax.scan(lambda c, r: (c * 0.5 + r, c[::7000]), x, np.arange(70.0))
    return scanned, lax.while_loop(lambda c: c[0][-1] < 1e9, lambda c: (c[0] * 3, c[1] + 1), (x, 0))


@case("a scan of a batch", np.stack([X] * 3), ROW)
def _batch_of_scans(xs: Any, row: Any) -> Any:
    many = jnp.tile(xs, (1, 10, 1))
    found = jax.vmap(lambda x: lax.scan(lambda c, r: (c + r, c.sum()), x[0], x))(many)
    return found, jax.jvp(
        lambda r: lax.scan(lambda c, x: (c * r[0], c), r, many[0])[1], (row,), (row,)
    )


@case("gradients of loops", X, ROW, long=True)
def _gradients(x: Any, row: Any) -> Any:
    def total(x: Any) -> Any:
        carry, stacked = lax.scan(lambda c, r: (jnp.sin(c) + r, c * r), row[0], jnp.tile(x[0], 12))
        return (carry + stacked.sum()) ** 2

    def powers(x: Any) -> Any:
        return lax.fori_loop(0, 5, lambda i, c: c * x, x).sum()

    return jax.grad(total)(x), jax.grad(powers)(row), jax.jacfwd(powers)(row)


# Calls.


@jax.custom_jvp
def _own(x: Any) -> Any:
    return x * 2


@_own.defjvp
def _own_jvp(primals: Any, tangents: Any) -> Any:
    return _own(primals[0]), tangents[0] * jnp.sin(primals[0])


@jax.custom_vjp
def _other(x: Any, y: Any) -> Any:
    return x @ y


_other.defvjp(lambda x, y: (_other(x, y), (x, y)), lambda saved, g: (saved[1] * g, saved[0] + g))


@case("calls", ROW, X, long=True)
def _calls(row: Any, x: Any) -> Any:
    nested = jax.jit(lambda x: jax.jit(lambda y: jax.jit(jnp.tanh)(y) + y[0])(x) * 2)
    return (
        nested(row),
        _own(row),
        jax.grad(lambda r: _own(r).sum())(row),
        jax.vmap(_own)(x),
        _other(row, row),
        jax.grad(_other, (0, 1))(row, row * 2),
        jax.checkpoint(lambda r: jnp.exp(r).sum())(row),
        jax.grad(jax.checkpoint(lambda r: jnp.exp(-r).sum()))(row),
        jax.nn.relu(x),
        jax.grad(lambda r: jax.nn.gelu(r).sum() + jax.nn.softplus(r).sum())(row),
        lax.stop_gradient(row) + 1,
    )


# Indexing.

MODES = ("clip", "fill", "promise_in_bounds")
BEYOND = np.array([0, 4, 9, -2, -8, 4, 2])
INSIDE = np.array([0, 4, 1, 1, 3, 0, 4])
HOWS = ("set", "add", "multiply", "min", "max", "subtract")


def _indexed(x: Any, beyond: Any, inside: Any) -> Any:
    """Every mode of a gather, and every scatter in every mode."""
    found = []
    for mode in MODES:
        places = inside if mode == "promise_in_bounds" else beyond
        for how in HOWS:
            if how == "set":  # which of equal places is written last is not defined
                places = (
                    jnp.array([0, 9, 1, -4, 3, 8, 2])[:5] if mode != MODES[2] else jnp.arange(5)
                )
                values = x[: len(places), :2]
            else:
                places, values = (inside if mode == MODES[2] else beyond), x[:1, :2]
            if x.dtype.kind == "b" and how in ("subtract", "multiply", "add"):
                continue
            found.append(getattr(x.at[places, 1:3], how)(values, mode=mode))
        found.append(x.at[places].get(mode=mode))
        found.append(x.at[places, places].get(mode=mode))
        found.append(
            jax.vmap(lambda row, k, mode=mode: row.at[k].get(mode=mode))(x, beyond[:5] % 7)
        )
    found.append(x.at[beyond].get(mode="fill", fill_value=1))
    found.append(jnp.take_along_axis(x, inside[None, :] % 7, 1, mode="clip"))
    found.append(jax.vmap(lambda row, k: row.at[k].max(row[0]))(x, inside[:5]))
    found.append(x.at[()].set(1))
    return found


case("indexing in every mode", X * 9, BEYOND, INSIDE, long=True)(_indexed)


def _scattered(x: Any, places: Any) -> Any:
    hows = ("max", "min") if x.dtype == bool else HOWS[1:]
    return (
        [getattr(x.at[places, 1:3], how)(x[:1, :2], mode="drop") for how in hows],
        x.at[places].get(mode="fill"),
        x.at[places, places].get(mode="clip"),
    )


for _dtype in ("bool", "int8", ml_dtypes.bfloat16, "complex64"):
    _values = (X * 9).astype(_dtype) if _dtype != "bool" else X > 0
    case(f"indexing of {np.dtype(_dtype).name}", _values, abs(BEYOND).astype(np.uint32), long=True)(
        _scattered
    )


@case(
    "windows", X, np.array([[0, 1], [3, 5], [-1, 2]]), np.arange(24.0).reshape(2, 3, 4), long=True
)
def _windows(x: Any, places: Any, batch: Any) -> Any:
    numbers = lax.GatherDimensionNumbers((1, 2), (), (0, 1))
    back = lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
    ones = jnp.ones((3, 2, 3))
    return (
        [lax.gather(x, places, numbers, (2, 3), mode=mode) for mode in ("clip", "fill")],
        [lax.scatter_add(x, places, ones, back, mode=mode) for mode in ("clip", "drop")],
        lax.scatter_mul(x, places, ones * 3, back, mode="clip"),
        jax.vmap(lambda b, k: lax.dynamic_slice(b, (k, k), (2, 2)))(batch, places[:2, 1]),
        jax.vmap(lambda b, k: lax.dynamic_update_slice(b, b[:1], (k, k)))(batch, places[:2, 0]),
        lax.dynamic_index_in_dim(batch, places[0, 1], 2),
        batch.at[places[:2, 0] % 2, :, places[:2, 1]].set(0),
    )


# Dtypes.


def _of_floats(x: Any, y: Any) -> Any:
    """What is done with numbers of any dtype."""
    row = x[0]
    real = x.dtype.kind != "c"
    found: list[Any] = [
        [x + y, x - y, x * y, x / y, -x, x**3, x**-2, abs(x), x == y, jnp.where(x == y, x, y)],
        [x.sum(), x.sum(0), x.sum(1), x.T[::2].sum(1), x.prod(0), x[:0].sum(0), x.mean()],
        [lax.cumsum(x, 1), lax.cumprod(x, 0), lax.cumsum(x.T, 0, reverse=True)],
        [x @ y.T, row @ y[0], jnp.einsum("ij,ij->i", x, y), jnp.outer(row, row)],
        [lax.dot(x, y.T, preferred_element_type=np.complex128 if not real else np.float64)],
        [jnp.concatenate([x, y[:, :1]], 1), jnp.pad(x, ((1, 0), (0, 2))), jnp.stack([x, y], 1)],
        [lax.pad(x, row[0], ((1, -1, 2), (0, 1, 1))), jnp.roll(x, 2, 1), jnp.flip(x), x[:, ::-2].T],
        [jnp.sort(x, 0), jnp.argsort(x, 1, stable=True), lax.sort((x, y), num_keys=2)],
        [x.at[1:3].set(0), jnp.tril(x), jnp.eye(3, dtype=x.dtype), jnp.linspace(row[0], row[1], 4)],
        [x.real, x.imag, jnp.isnan(x), jnp.isfinite(x), jnp.any(x, 0), jnp.all(x)],
        [lax.conv(x[None, None], y[None, None, :2, :2], (1, 2), "SAME"), jnp.convolve(row, row)],
        [lax.reduce_window(x, np.zeros((), x.dtype)[()], lax.add, (2, 3), (1, 2), "SAME")],
        [lax.reduce(x, x[0, 0], lambda a, b: a * b, (0,))],
        [jnp.full((2, 2), row[0]), jnp.zeros_like(x), x.reshape(7, 5), x[2], jnp.tile(row, 2)],
        [x.astype(t) for t in ("float64", "complex128", "bool", "float32", "float16", "complex64")],
    ]
    if real:
        found += [
            [x.max(0), x.min(), x.argmax(1), x.argmin(), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)],
            [x > y, x <= y, jnp.floor(x), jnp.round(x), jnp.sign(x), jnp.clip(x, -0.5, 0.5)],
            [lax.top_k(x, 3), jnp.median(x)],
            [lax.round(x * 4, lax.RoundingMethod.AWAY_FROM_ZERO), lax.reduce_precision(x, 4, 3)],
            [x.astype(t) for t in ("int8", "int64", ml_dtypes.bfloat16)],
            [lax.bitcast_convert_type(x, np.uint8), jnp.nextafter(x, y), jnp.arctan2(x, y)],
            [jax.nn.softmax(x)],
        ]
    else:
        found += [
            [
                x.conj(),
                lax.complex(x.real, y.imag),
                jnp.angle(x),
                jnp.exp(x),
                jnp.log(x),
                jnp.sqrt(x),
            ],
            [
                jnp.vdot(x, y),
                jnp.var(x, 0),
                x.T.conj() @ y,
                jnp.sin(x),
                jnp.tanh(x),
                x ** (0.5 + 1j),
            ],
        ]
    return found


for _dtype in FLOATS:
    _x, _y = X, np.roll(X, 3) - 0.25
    if _dtype == "complex64":
        _x, _y = _x + 1j * _x[::-1], _y + 1j
    case(f"{np.dtype(_dtype).name}", _x.astype(_dtype), _y.astype(_dtype), long=True)(_of_floats)


@case("sorts", X, (X * 3).astype(np.int8), X > 0, np.where(X > 1, np.nan, X).astype(np.float16))
def _sorts(x: Any, small: Any, flags: Any, half: Any) -> Any:
    z = half.astype(np.complex64) + 1j * x
    return (
        lax.sort((small, x, flags), dimension=0, num_keys=2),
        lax.sort((flags, small, half, x), dimension=1, num_keys=1, is_stable=True),
        lax.sort((half, small), num_keys=1),
        lax.sort(z, dimension=0),
        lax.top_k(half, 2),
        lax.top_k(small, 7),
        lax.top_k(x.T, 0),
        jnp.lexsort((x[0], small[0])),
        lax.sort((small, flags, half, x, z, x[::-1]), num_keys=4),  # more results than an op has
    )


def _empty(x: Any) -> Any:
    """Arrays without elements."""
    square = jnp.zeros((0, 3, 3), x.dtype)
    return (
        [x + 1, x.T * 2, x.sum(0), x.sum(1), x.sum(), x.prod(), jnp.cumsum(x, 1), jnp.cumsum(x, 0)],
        [jnp.sort(x, 0), jnp.sort(x, 1), jnp.argsort(x, 0), x[:, :0], x @ x.T, x.T @ x],
        [jnp.concatenate([x, x], 0), jnp.pad(x, 1), x[jnp.zeros(0, np.int64)], jnp.tile(x, (2, 2))],
        [x.at[jnp.zeros(0, np.int64)].add(x), x[:, jnp.array([1, 2])], x.reshape(3, 0), x.ravel()],
        [jnp.where(x == 0, x, 1), x.astype(np.float16), x == x, jnp.any(x), jnp.all(x, 1)],
        [jnp.linalg.inv(square), jnp.linalg.cholesky(square)],
        [jnp.linalg.svd(square), jnp.fft.fft(x), lax.fori_loop(0, 3, lambda i, c: c + i, x)],
        [lax.map(lambda row: row * 2, x), lax.cond(x.sum() == 0, lambda: x, lambda: x * 2)],
        [lax.top_k(x.real, 2), jnp.stack([x, x]), jnp.split(x, 3, 1), jnp.eye(0)],
    )


case("no elements", np.zeros((0, 3)), long=True)(_empty)
case("no elements, complex", np.zeros((0, 3), np.complex128))(_empty)


@case(
    "no axes",
    np.float64(2.5),
    np.int32(3),
    np.complex64(1 + 2j),
    np.bool_(True),
    np.float16(0.5),
    long=True,
)
def _no_axes(x: Any, n: Any, z: Any, flag: Any, half: Any) -> Any:
    def turn(i: Any, carry: Any) -> Any:
        x, z, half = carry
        return lax.cond(flag, lambda: (x * 2, z * 1j, half + 1), lambda: (x, z, half))

    return (
        [x + 1, n * 2, z * z, ~flag, half * 3, jnp.where(flag, x, 0), x.sum(), z.reshape(1, 1)],
        [jnp.sort(x[None]), lax.cumsum(x[None]), jnp.full((2,), z), z.real, jnp.max(half)],
        [x.at[()].set(3), jnp.broadcast_to(half, (2, 2)), lax.bitcast_convert_type(n, np.float32)],
        [
            x.astype(np.int8),
            z.astype(np.complex128),
            n.astype(ml_dtypes.bfloat16),
            flag.astype(z.dtype),
        ],
        [lax.fori_loop(0, n, turn, (x, z, half)), jnp.arange(3)[n - 1], jnp.dot(x, x)],
        [lax.argsort(x[None]) if hasattr(lax, "argsort") else x, lax.clamp(0.0, x, 1.0)],
    )


@case(
    "other integers",
    np.arange(12, dtype=np.int8).reshape(3, 4),
    np.arange(4, dtype=np.uint16),
    long=True,
)
def _integers(small: Any, places: Any) -> Any:
    """Indices and products of small integers, and what they are turned into."""
    return (
        [
            small[:, places],
            small @ small.T,
            lax.dot(small, small.T, preferred_element_type=np.int32),
        ],
        [small.at[:, places].add(small), small.sum(), lax.cumsum(small, 1), small.argmax(0)],
        [lax.population_count(-small), lax.reshape(small, (small.size,), dimensions=(1, 0))],
        [lax.population_count(small), lax.clz(small), small >> 1, small // 3, small % 3, small**2],
        [lax.reduce_and(small, (0,)), lax.reduce_or(small, (1,)), lax.reduce_xor(small, (0, 1))],
        [lax.conv(small[None, None], small[None, None, :2, :2], (1, 1), "VALID")],
        [lax.bitcast_convert_type(small, np.uint32), lax.bitcast_convert_type(places, np.float16)],
        [lax.broadcasted_iota(t, (2, 3), 1) for t in ("int8", "float16", "complex64", "float64")],
        [lax.select_n(small % 3, small, -small, small * 2), lax.rev(small, (0, 1))],
        [(small > 3) @ (small > 3).T, (small > 3).sum(0), jnp.cumsum(small > 3, 1)],
    )


# Factorizations and transforms.


def _factored(x: Any) -> Any:
    """What is made of factorizations; a matrix that cannot be inverted gives nan here."""
    linalg = lax.linalg
    good = x @ x.conj().T + 9 * jnp.eye(4, dtype=x.dtype)
    both = jnp.stack([good, good + 1])
    singular = jnp.ones((2, 3, 3), x.dtype)
    return (
        [linalg.cholesky(-both), linalg.svd(x[:, :2], compute_uv=False), linalg.qr(x[:, :3])],
        [linalg.triangular_solve(good, x, left_side=True, lower=True, transpose_a=True)],
        [jnp.linalg.inv(both), jnp.linalg.inv(singular), jnp.linalg.det(singular)],
        [linalg.qr(x, pivoting=True), linalg.qr(x[:, :2], full_matrices=True)],
        [lax.map(jnp.linalg.cholesky, both)],
        [lax.cond(abs(x[0, 0]) != 9, lambda a: linalg.lu(a)[0], jnp.sin, good)],
        [lax.fori_loop(0, 3, lambda i, a: linalg.svd(a)[0] + x, good)],
    )


def _transformed(x: Any) -> Any:
    found = [jnp.fft.fft(x), jnp.fft.ifft(x, axis=0), jnp.fft.fft2(x), jnp.fft.fftn(x, (3, 4))]
    if x.dtype.kind == "c":
        return [*found, jnp.fft.irfft(x), jnp.fft.irfft(x, 5), jnp.fft.hfft(x)]
    return [*found, jnp.fft.rfft(x), jnp.fft.rfftn(x), jnp.fft.irfft(jnp.fft.rfft(x[:, :6]), 6)]


for _dtype in ("float32", "float64", "complex64", "complex128"):
    _a = RNG.standard_normal((4, 4)) + (1j * RNG.standard_normal((4, 4)) if "c" in _dtype else 0)
    if _dtype in ("float32", "complex128"):
        case(f"factorizations of {_dtype}", _a.astype(_dtype), long="c" not in _dtype)(_factored)
    _b = Z if "c" in _dtype else X
    case(f"transforms of {_dtype}", _b.astype(_dtype), long=_dtype != "complex64")(_transformed)


@case("several reductions", X, X[::-1].copy(), long=True)
def _reductions(x: Any, y: Any) -> Any:
    def both(a: Any, b: Any) -> Any:
        larger = a[0] > b[0]
        return tuple(jnp.where(larger, p, q) for p, q in zip(a, b, strict=True))

    return (
        lax.reduce((x, y), (-jnp.inf, 0.0), both, (1,)),
        lax.reduce_window((x, y), (-jnp.inf, 0.0), both, (2, 2), (1, 2), "SAME"),
        [
            lax.reduce_window(x, s, f, (2, 3), (2, 1), "SAME", window_dilation=(2, 1))
            for s, f in ((0.0, lax.add), (-jnp.inf, lax.max), (jnp.inf, lax.min), (1.0, lax.mul))
        ],
        lax.associative_scan(jnp.multiply, x, axis=1, reverse=True),
        lax.conv_general_dilated(
            x[None, None], y[None, None, :3, :2], (2, 1), ((1, 2), (0, -1)), (1, 2), (2, 1)
        ),
    )


def closed_case(name: str) -> Any:
    """Return a case as a closed Jaxpr."""
    function, arguments = CASES[name]
    with jax.enable_x64(True):
        return jax.make_jaxpr(partial(_leaves, function))(*arguments)


def _leaves(function: Callable[..., Any], *arguments: Any) -> list[Any]:
    return [jnp.asarray(x) for x in jax.tree.leaves(function(*arguments))]
