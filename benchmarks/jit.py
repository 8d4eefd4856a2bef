"""`jujunp.jit` against `jax.jit` on this CPU: `python -m benchmarks.jit [WORDS]`.

Ten functions are compiled by both, checked against each other, and timed by turns in one process.
A ratio says how many times as long jujunp takes; `ready` is the time from a Jaxpr to its executable
in a second process, which has imported jujunp and MAX and opened a session of MAX. Then come the
time to open that session, and the time of a call that does next to nothing.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import jujunp
from jujunp.kernels.cache import user_cache
from jujunp.lazy.compiled import Graph

jax.config.update("jax_enable_x64", True)  # one of the functions is of float64
SECONDS = 1.0
"""How long the two are called by turns; the fastest call of each counts."""


class Case(NamedTuple):
    """A function and its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def _mlp(weights: Any, x: Any, wanted: Any) -> Any:
    for matrix, offset in weights[:-1]:
        x = jax.nn.relu(x @ matrix + offset)
    matrix, offset = weights[-1]
    return ((x @ matrix + offset - wanted) ** 2).mean()


def _attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("hid,hjd->hij", q, k) / math.sqrt(q.shape[-1])
    return jnp.einsum("hij,hjd->hid", jax.nn.softmax(scores), v)


def _conv_net(filters: Any, dense: Any, x: Any) -> Any:
    for kernel in filters:
        x = lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = jax.nn.relu(x)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ dense


def _rnn(w: Any, u: Any, xs: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(h @ w + x @ u)
        return h, h.sum(-1)

    return lax.scan(step, jnp.zeros((xs.shape[1], w.shape[0]), w.dtype), xs)


def _black_scholes(spot: Any, strike: Any, years: Any) -> Any:
    rate, volatility = 0.02, 0.3
    root = volatility * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + volatility**2 / 2) * years) / root
    cdf = jax.scipy.special.ndtr
    return spot * cdf(d1) - strike * jnp.exp(-rate * years) * cdf(d1 - root)


def _price_and_delta(spot: Any, strike: Any, years: Any) -> Any:
    price = _black_scholes(spot, strike, years)
    return price, jax.grad(lambda s: _black_scholes(s, strike, years).sum())(spot)


def _n_body(positions: Any, speeds: Any, masses: Any) -> Any:
    between = positions[None] - positions[:, None]
    squares = (between**2).sum(-1) + 1e-3
    pull = (between * (masses / squares**1.5)[..., None]).sum(1)
    speeds = speeds + 0.01 * pull
    return positions + 0.01 * speeds, speeds


def _k_means(points: Any, centres: Any) -> Any:
    distances = ((points[:, None] - centres[None]) ** 2).sum(-1)
    nearest = distances.argmin(1)
    sums = jnp.zeros_like(centres).at[nearest].add(points)
    counts = jnp.zeros(len(centres), points.dtype).at[nearest].add(1)
    return sums / jnp.maximum(counts, 1)[:, None]


def _fft_filter(signal: Any, response: Any) -> Any:
    return jnp.fft.irfft(jnp.fft.rfft(signal) * response, signal.shape[-1])


def _cholesky_solve(a: Any, b: Any) -> Any:
    return jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a), True), b)


def cases() -> dict[str, Case]:
    """Return the functions by name."""
    rng = np.random.default_rng(0)

    def array(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(np.float32)

    layers = [784, 512, 256, 10]
    weights = [
        (array(a, b) / np.float32(np.sqrt(a)), array(b)) for a, b in itertools.pairwise(layers)
    ]
    prices = [(np.abs(array(1_000_000)) + 1) * scale for scale in (100, 100, 1)]
    square = array(300, 300).astype(np.float64)
    filters = [array(3, 3, 3, 16) / 5, array(3, 3, 16, 32) / 12]
    return {
        "MLP, value and gradient": Case(
            jax.value_and_grad(_mlp), (weights, array(256, 784), array(256, 10))
        ),
        "softmax attention": Case(_attention, tuple(array(8, 256, 64) for _ in range(3))),
        "conv net": Case(_conv_net, (filters, array(2048, 10) / 45, array(8, 32, 32, 3))),
        "RNN, 100 steps": Case(_rnn, (array(128, 128) / 11, array(32, 128), array(100, 32, 32))),
        "Black-Scholes and delta": Case(_price_and_delta, tuple(prices)),
        "n-body, 512": Case(_n_body, (array(512, 3), array(512, 3), np.abs(array(512)))),
        "k-means step": Case(_k_means, (array(10_000, 16), array(32, 16))),
        "FFT filter, 2^18": Case(_fft_filter, (array(1 << 18), array((1 << 17) + 1))),
        "Cholesky solve, n = 300": Case(
            _cholesky_solve, (square @ square.T + 300 * np.eye(300), square)
        ),
        "median by sorting": Case(partial(jnp.median, axis=1), (array(1000, 1001),)),
    }


def fastest(*calls: Callable[[], Any]) -> list[float]:
    """Return the seconds of the fastest of many calls of each function; they take turns."""
    best = [math.inf] * len(calls)
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for place, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[place] = min(best[place], time.perf_counter() - start)
    return best


def compare(case: Case) -> tuple[float, float]:
    """Return the seconds of a call by jujunp and by JAX; AssertionError if they differ."""
    theirs, ours = jax.jit(case.function), jujunp.jit(case.function)
    given = jax.tree.map(jnp.asarray, case.arguments)
    own = jax.tree.map(jujunp.asarray, case.arguments)
    pairs = zip(jax.tree.leaves(theirs(*given)), jax.tree.leaves(ours(*own)), strict=True)
    for x, y in pairs:
        np.testing.assert_allclose(np.asarray(y), np.asarray(x), rtol=2e-3, atol=2e-3)

    def wait() -> None:
        jax.block_until_ready(theirs(*given))

    def compute() -> None:
        jujunp.flush(*jax.tree.leaves(ours(*own)))

    ours_best, theirs_best = fastest(compute, wait)
    return ours_best, theirs_best


def dispatch() -> tuple[float, float]:
    """Return the seconds of a call with two arrays of 4 elements, by jujunp and by JAX."""

    def function(x: Any, y: Any) -> Any:
        return x * y + x

    theirs, ours = jax.jit(function), jujunp.jit(function)
    given, own = jnp.ones(4), jujunp.ones(4, "float32")
    ours_best, theirs_best = fastest(
        lambda: ours(own, own), lambda: theirs(given, given).block_until_ready()
    )
    return ours_best, theirs_best


def ready(name: str) -> tuple[float, float]:
    """Return the seconds to open MAX and the kernels, and from a Jaxpr to what runs it."""
    from jujunp.lazy.compiled.graphs import maxapi

    case = cases()[name]
    closed = jujunp.lower(case.function, *case.arguments).jaxpr
    start = time.perf_counter()
    Graph.of_key(b"")
    maxapi.open_session()
    opened = time.perf_counter()
    graph = Graph(closed)
    found = graph.at_once() is not None or graph.find()
    end = time.perf_counter()
    assert found, "the executable is not in the store"
    return opened - start, end - opened


def in_second_process(name: str) -> tuple[float, float]:
    """Return what `ready` measures in a fresh process that has imported MAX."""
    code = (
        "import json, sys, jujunp.lazy.compiled.graphs.maxapi; from benchmarks.jit import ready;"
        "print(json.dumps(ready(sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, name],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    opened, found = json.loads(done.stdout.splitlines()[-1])
    return opened, found


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    chosen = {k: v for k, v in cases().items() if all(word in k for word in words)}
    ratios, opened = [], []
    print(f"{'':28}{'jujunp':>10}{'jax.jit':>10}{'ratio':>8}{'ready':>10}")
    for name, case in chosen.items():
        ours, theirs = compare(case)
        ratios.append(ours / theirs)
        session, start = in_second_process(name)
        opened.append(session)
        numbers = f"{ours * 1e3:8.3f}ms{theirs * 1e3:8.3f}ms{ratios[-1]:8.2f}"
        print(f"{name:28}{numbers}{start * 1e3:8.1f}ms", flush=True)
    print(f"{'geometric mean':48}{math.exp(sum(map(math.log, ratios)) / len(ratios)):8.2f}")
    print(f"{'opening MAX, once a process':56}{min(opened) * 1e3:8.1f}ms")
    ours, theirs = dispatch()
    print(f"{'a call of two small arrays':28}{ours * 1e6:8.2f}us{theirs * 1e6:8.2f}us", end="")
    print(f"{ours / theirs:8.2f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="jujunp-bench-") as folder:
        if "JUJUNP_CACHE_DIR" not in os.environ:
            Path(folder, "kernels").symlink_to(user_cache() / "kernels", target_is_directory=True)
            os.environ["JUJUNP_CACHE_DIR"] = folder
            raise SystemExit(
                subprocess.run([sys.executable, "-m", "benchmarks.jit", *sys.argv[1:]]).returncode
            )
    main()
