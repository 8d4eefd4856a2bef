"""Loops that read and write parts of arrays, which stay where they are, against NumPy's loops."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jujunp
from jujunp.lazy.compiled import Graph
from jujunp.lazy.compiled.lower.rules.loops import LARGEST

TURNS = 40
SIZES = (60, 2 * LARGEST - 2)
Array = np.ndarray


def turns(body: Any, start: Any) -> Any:
    return lax.fori_loop(1, TURNS, body, start)


def scan(x: Any) -> Any:
    return lax.scan(lambda x, i: (x.at[i].set(x[i - 1] + 1), x[i]), x, jnp.arange(1, TURNS))


def before_and_after(x: Any) -> Any:
    def turn(x: Any, i: Any) -> Any:
        old = x[1]
        new = x.at[i].add(2)
        return new, new[i] + old

    return lax.scan(turn, x, jnp.arange(1, TURNS))


def until(x: Any) -> Any:
    def body(state: Any) -> Any:
        i, x = state
        return i + 1, x.at[i].set(x[i - 1] + 1).at[i + 1].min(x[i])

    return lax.while_loop(lambda state: state[0] < TURNS, body, (1, x))


def inside(x: Any) -> Any:
    def row(i: Any, x: Any) -> Any:
        return lax.fori_loop(0, 10, lambda j, x: x.at[i, j].add(x[i - 1, j]), x)

    return lax.fori_loop(1, 6, row, x.reshape(-1, 10))


FUNCTIONS = {
    "reads": lambda x: turns(lambda i, total: total * 0.5 + x[i], 0.0),
    "writes": lambda x: turns(lambda i, x: x.at[i].set(x[i - 1] * 0.5 + 1), x),
    "adds": lambda x: turns(lambda i, x: x.at[i].add(2).at[i - 1].multiply(x[1] + x[i]), x),
    "exchanges": lambda x: turns(lambda i, x: x.at[i].set(x[i - 1]).at[i - 1].set(x[i]), x),
    "needs all": lambda x: turns(lambda i, x: x.at[i].set(x[:70].sum()), x),
    "keeps what was": lambda x: turns(lambda i, s: (s[0].at[i].set(s[1][i] + 1), s[0]), (x, -x)),
    "drops": lambda x: turns(lambda i, x: x.at[x.size - 20 + i].max(3, mode="drop"), x),
    "clips": lambda x: turns(lambda i, x: x.at[x.size - 20 + i].add(3, mode="clip"), x),
    "rows": lambda x: turns(
        lambda i, x: lax.dynamic_update_slice(x, x[None, i % 2] + 1, (i % 3, 0)), x.reshape(3, -1)
    ),
    "scans": scan,
    "before and after": before_and_after,
    "until": until,
    "inside": inside,
}


def _exchange(i: int, x: Array, was: Array) -> None:
    x[i], x[i - 1] = was[i - 1], was[i]


def _adds(i: int, x: Array, was: Array) -> None:
    x[i] += 2
    x[i - 1] *= was[1] + was[i]


def _drops(i: int, x: Array, was: Array) -> None:
    x[x.size - 20 + i : x.size - 19 + i] = np.maximum(x[x.size - 20 + i : x.size - 19 + i], 3)


def _clips(i: int, x: Array, was: Array) -> None:
    x[min(x.size - 20 + i, x.size - 1)] += 3


def _rows(i: int, x: Array, was: Array) -> None:
    x.reshape(3, -1)[i % 3] = was.reshape(3, -1)[i % 2] + 1


def _until(i: int, x: Array, was: Array) -> None:
    x[i] = was[i - 1] + 1
    x[i + 1] = min(was[i + 1], was[i])


TURN: dict[str, Callable[[int, Array, Array], Any]] = {
    "writes": lambda i, x, was: x.__setitem__(i, was[i - 1] * 0.5 + 1),
    "adds": _adds,
    "exchanges": _exchange,
    "needs all": lambda i, x, was: x.__setitem__(i, was[:70].sum()),
    "drops": _drops,
    "clips": _clips,
    "rows": _rows,
    "scans": lambda i, x, was: x.__setitem__(i, was[i - 1] + 1),
    "until": _until,
}
"""A turn by NumPy, which writes an array, given what it was before."""


def wanted(name: str, x: Array) -> Any:
    """Do by NumPy, turn by turn, what a function does."""
    if name in TURN:
        x, seen = x.copy(), []
        for i in range(1, TURNS):
            seen.append(x[i])
            TURN[name](i, x, x.copy())
        rows = x.reshape(3, -1) if name == "rows" else x
        return {"scans": (x, np.array(seen)), "until": (TURNS, x)}.get(name, rows)
    if name == "reads":
        return functools.reduce(lambda total, number: total * 0.5 + number, x[1:TURNS], 0.0)
    if name == "before and after":
        new = np.concatenate([x[:1], x[1:TURNS] + 2, x[TURNS:]])
        return new, new[1:TURNS] + np.where(np.arange(1, TURNS) == 1, x[1], new[1])
    if name == "inside":
        table = x.copy().reshape(-1, 10)
        table[:6] = np.cumsum(table[:6], 0)
        return table
    x, old = x.copy(), -x
    for i in range(1, TURNS):
        x, old = np.concatenate([x[:i], old[i : i + 1] + 1, x[i + 1 :]]), x
    return x, old


def values(size: int) -> Array:
    return np.random.default_rng(size).standard_normal(size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_loops(name: str, size: int) -> None:
    x = values(size)
    with jujunp.compile_policy("never"):
        found = jujunp.jit(FUNCTIONS[name], wait=False)(x)
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(wanted(name, x)), strict=True)
    for result, exact in pairs:
        np.testing.assert_allclose(np.asarray(result), exact, rtol=1e-14, atol=1e-14)


IN_PLACE = ("reads", "writes", "drops", "clips", "until")
"""Functions that make nothing large but by updates of what needs no copy."""


@pytest.mark.parametrize("name", IN_PLACE)
def test_large_arrays_stay_where_they_are(name: str) -> None:
    """And the loop needs no graph of MAX."""
    closed = jujunp.lower(FUNCTIONS[name], values(SIZES[1])).jaxpr
    assert Graph(closed).at_once() is not None
