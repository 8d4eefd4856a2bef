"""Every function of JAX's NumPy-like modules, traced with arguments that it takes."""

from __future__ import annotations

import inspect
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
from jax import lax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

MODULES = (jnp, jnp.linalg, jnp.fft, jax.random, jax.nn, jax.scipy.special)
DTYPES = ("float64", "int64", "complex128")

NOT_TRACED = {
    # they load and save files, print, or give what is no array
    *("load", "save", "savez", "fromfile", "frombuffer", "from_dlpack", "set_printoptions"),
    *("printoptions", "get_printoptions", "array_repr", "array_str"),
}


def _arguments(dtype: str) -> list[tuple[Any, ...]]:
    """Return argument tuples, the simple ones first."""
    a = (np.eye(4) * 2 + np.arange(16).reshape(4, 4) % 3).astype(dtype)
    v = np.arange(1, 5).astype(dtype)
    places = np.array([0, 2, 1, 3])
    return [
        *[(a,), (v,), (a, a), (v, v), (a, v), ([v, v],), (v, v, v), (a, a, a), (v, v, v, v)],
        *[(a, 1), (v, 3), (2, v), (a, 0, 1), (a, (2, 8)), (a, places), (a, places, 0)],
        *[(a, places[:, None], 1), (v, places, v), (a, np.asarray(a, bool)), (v, places, 5)],
        *[(np.asarray(v, bool), v, v), (np.asarray(v, bool), [v, v], [v, v])],
        *[("ij,jk->ik", a, a), (3,), (3, 4), ((2, 3),), (0.0, 1.0, 5), ((2, 3), 1), (a, 2.0)],
        *[([np.asarray(v, bool)], [v]), (places, (2, 2)), (places, [v, v, v, v]), (2, 2, v, v)],
        *[(lambda x: x + 1, 0, a), (lambda i, j: i + j, (2, 3)), (v, [v > v], [lambda x: x])],
        *[(places, 3), (v, 2, 1.0), (a, (1, 2), 3.0), (lambda x: x.sum(), v)],
    ]


def _random_arguments() -> list[tuple[Any, ...]]:
    key = jax.random.key(0)
    v = np.full(3, 0.4)
    return [
        *[(key,), (key, (3,)), (key, v), (key, 3), (key, v, v), (key, 2.0, (3,))],
        *[(key, (3,), 0, 9), (key, 5, 0.5, (3,)), (key, v, np.eye(3)), (key, -1.0, 1.0, (3,))],
        *[(0,), (key, 5, 4, 3), (key, 2, (3,)), (key, v, (3,)), (5,), (key, key)],
    ]


def _by_hand() -> list[Callable[[], Trace]]:
    """Return calls that need functions or static sizes: each is traced when it is called."""
    x = jnp.arange(4.0)
    places = jnp.array([0, 1, 1, 0])

    calls: dict[str, tuple[Any, ...]] = {
        "cond": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), x[0] > 9, x),
        "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos], x), places[1], x),
        "while_loop": (lambda x: lax.while_loop(lambda c: c[0] < 9, lambda c: c + 1, x), x),
        "fori_loop": (lambda n, x: lax.fori_loop(0, n, lambda i, c: c * i, x), places.sum(), x),
        "scan": (lambda x: lax.scan(lambda c, y: (c + y, c), 0.0, x), x),
        "map": (lambda x: lax.map(jnp.sin, x), x),
        "associative_scan": (lambda x: lax.associative_scan(jnp.add, x), x),
        "custom_root": (
            lambda x: lax.custom_root(
                lambda y: y - x, x, lambda f, y: y - f(y), lambda g, y: y / g(jnp.ones_like(y))
            ),
            x,
        ),
        "custom_linear_solve": (
            lambda x: lax.custom_linear_solve(lambda y: 2 * y, x, lambda f, y: y / 2),
            x,
        ),
        "checkpoint": (jax.checkpoint(jnp.sin), x),
        "grad": (jax.grad(lambda x: (jnp.tanh(x) ** 3).sum()), x),
        **{
            name: (partial(getattr(lax, name), reverse=True), x)
            for name in ("cummax", "cummin", "cumlogsumexp")
        },
        **{
            name: (lambda x, f=name: getattr(x.at[1:3], f)(x[:2]), x)
            for name in ("set", "add", "multiply", "min", "max")
        },
        **{
            name: (partial(getattr(jnp, name), size=2), x)
            for name in ("nonzero", "argwhere", "flatnonzero", "unique", "unique_values")
        },
        **{
            name: (partial(getattr(jnp, name), size=4), x, x + 1)
            for name in ("setdiff1d", "setxor1d", "union1d", "intersect1d")
        },
        "bincount": (lambda i: jnp.bincount(i, length=4), places),
        "choose": (lambda i, x: jnp.choose(i, [x, x], mode="clip"), places, x),
        "compress": (lambda x: jnp.compress(x > 1, x, size=2), x),
        "put_along_axis": (lambda x, i: jnp.put_along_axis(x, i, x, 0, inplace=False), x, places),
        "fill_diagonal": (lambda x: jnp.fill_diagonal(x, 1.0, inplace=False), jnp.eye(3)),
        "place": (lambda x: jnp.place(x, x > 1, x, inplace=False), x),
        "cross": (jnp.cross, x[:3], x[1:]),
        "unpackbits": (jnp.unpackbits, jnp.arange(3, dtype=np.uint8)),
        "bessel_jn": (lambda x: jax.scipy.special.bessel_jn(x, v=3), x),
        "sph_harm_y": (lambda n, x: jax.scipy.special.sph_harm_y(n, n, x, x, n_max=3), places, x),
        "clz": (lax.clz, places),
        "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 2), x),
        "reduce_xor": (lambda x: lax.reduce_xor(x, (0,)), places),
        "reduce_window_sum": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID"), x),
        "optimization_barrier": (lax.optimization_barrier, x),
        "raw keys": (lambda k: jax.random.normal(k, (3,)), jax.random.PRNGKey(0)),
        "raw qr": (lambda x: jnp.linalg.qr(x, mode="raw"), jnp.eye(3)),
        "pivoted qr": (lambda x: jax.scipy.linalg.qr(x, pivoting=True), jnp.eye(3)),
        "custom_vjp": (jax.grad(lambda x: jax.nn.gelu(x).sum()), x),
        "gradients": (jax.grad(lambda x: (jnp.sort(x) * jnp.cumsum(x)).sum()), x),
        "gradient of gamma": (jax.grad(lambda a: jax.random.gamma(jax.random.key(0), a)), x[2]),
        "reduce": (lambda x: lax.reduce(x, 0.0, lambda a, b: a + b + a * b, (0,)), x),
        "reduce_window": (
            lambda x: lax.reduce_window(x, 0.0, lambda a, b: a + b + a * b, (2,), (1,), "VALID"),
            x,
        ),
    }
    return [partial(_traced, f"by hand: {name}", *call) for name, call in calls.items()]


class Trace(NamedTuple):
    """A function of a module, arguments that it takes, and what it does with those."""

    name: str
    arguments: tuple[Any, ...]
    closed: ClosedJaxpr
    arrays: list[Any]
    """Those of the arguments that the Jaxpr takes."""


def _is_key(x: Any) -> bool:
    return isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)


def _traced(name: str, function: Callable[..., Any], *arguments: Any) -> Trace:
    """Trace a function. What is no array is part of it; keys are given as words."""
    arrays = [x for x in arguments if isinstance(x, (np.ndarray, jax.Array))]

    def of_arrays(*given: Any) -> Any:
        left = iter(given)
        every = [next(left) if isinstance(x, (np.ndarray, jax.Array)) else x for x in arguments]
        pairs = zip(every, arguments, strict=True)
        found = function(*(jax.random.wrap_key_data(x) if _is_key(was) else x for x, was in pairs))
        return [_plain(x) for x in jax.tree.leaves(found) if isinstance(x, (jax.Array, np.ndarray))]

    given = [np.asarray(_plain(x)) for x in arrays]
    return Trace(name, arguments, jax.make_jaxpr(of_arrays)(*given), given)


def _plain(x: Any) -> Any:
    """Return an array, or the words of keys."""
    return jax.random.key_data(x) if _is_key(x) else x


def _functions(module: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in dir(module):
        function = getattr(module, name)
        plain = callable(function) and not isinstance(function, type) and name[0] != "_"
        if plain and name not in NOT_TRACED and not inspect.ismodule(function):
            yield name, function


def traces() -> Iterator[Trace]:
    """Trace every function, once for each dtype it takes."""
    filtering = jax.config.jax_traceback_filtering
    # Filtering takes most of the time of an attempt that fails.
    jax.config.update("jax_traceback_filtering", "off")
    try:
        with jax.enable_x64(True), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from _of_modules()
            for trace in _by_hand():
                yield trace()
    finally:
        jax.config.update("jax_traceback_filtering", filtering)


def _of_modules() -> Iterator[Trace]:
    for module in MODULES:
        lists = [_arguments(dtype) for dtype in DTYPES]
        lists = [_random_arguments()] if module is jax.random else lists
        for name, function in _functions(module):
            for candidates in lists:
                found = _first(f"{module.__name__}.{name}", function, candidates)
                if found is not None:
                    yield found


def _first(
    name: str, function: Callable[..., Any], candidates: list[tuple[Any, ...]]
) -> Trace | None:
    for arguments in candidates:
        try:
            inspect.signature(function).bind(*arguments)
            return _traced(name, function, *arguments)
        except Exception:  # not arguments that it takes
            continue
    return None


def equations(jaxpr: Jaxpr) -> Iterator[JaxprEqn]:
    """Return all equations of a Jaxpr, those of Jaxprs in their params included."""
    for equation in jaxpr.eqns:
        yield equation
        for param in equation.params.values():
            parts = param if isinstance(param, (tuple, list)) else [param]
            for part in parts:
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    yield from equations(inner)
