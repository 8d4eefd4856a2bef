"""Derivatives against differences that NumPy computes, and against each other."""

from __future__ import annotations

import ast
import functools
import math
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STEP = 1e-3
_WEIGHTS = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))
"""Of the differences: their error is STEP ** 4, for functions that change by about themselves."""


def operands() -> dict[str, Any]:
    """Return operands by letters that say what they are like; no two elements are close."""
    rng = np.random.default_rng(3)

    def spread(*shape: int) -> Any:
        count = math.prod(shape)
        sizes = 0.3 + 1.4 * (np.arange(count) + rng.uniform(0.2, 0.8, count)) / count
        return rng.permutation(sizes * rng.choice([-1.0, 1.0], count)).reshape(shape)

    def turned(*shape: int) -> Any:
        return spread(*shape) + 1j * spread(*shape)

    return {
        **{"a": spread(5), "b": spread(5), "c": spread(4), "s": np.float64(0.7)},
        **{"p": abs(spread(5)), "q": abs(spread(5)) + 0.05, "w": abs(spread(5)) + 1},
        **{"g": spread(3), "u": spread(5) / 2, "t": np.sort(spread(6)), "h": spread(3)},
        **{"A": spread(3, 4), "B": spread(3, 4), "C": spread(4, 2), "V": spread(2, 3, 4)},
        **{"S": spread(3, 3) + 2 * np.eye(3), "T": spread(3, 3), "R": spread(2, 3, 3) + np.eye(3)},
        **{"z": turned(5), "v": turned(5), "Z": turned(3, 3) + 2 * np.eye(3), "Y": turned(3, 4)},
    }


_OPERANDS = operands()


class Case:
    """A line of code: statements, and an expression that is the result.

    What it reads of `operands()` are its arguments, in the order of the alphabet. A comment is the
    tolerance, if it is not the usual one.
    """

    def __init__(self, line: str) -> None:
        code, _, rtol = line.partition("  # ")
        *statements, result = code.split("; ")
        names = {x.id for x in ast.walk(ast.parse(code)) if isinstance(x, ast.Name)}
        self.letters = sorted(names & set(_OPERANDS))
        self.code = code
        self.rtol = float(rtol or 1e-8)
        lines = [*statements, f"return {result}"]
        space: dict[str, Any] = {}
        source = f"def of(np, {', '.join(self.letters)}):\n " + "\n ".join(lines)
        exec(compile(source, code, "exec"), space)
        self.of = space["of"]
        self.operands = [_OPERANDS[letter] for letter in self.letters]

    def with_namespace(self, namespace: Any) -> Callable[..., Any]:
        """Return the function of its operands, with a library in the place of NumPy."""
        return functools.partial(self.of, namespace)


def arrays_in(tree: Any) -> list[Any]:
    """Return the arrays of a tree that have derivatives, as NumPy's."""
    return [x for x in map(np.asarray, jax.tree.leaves(tree)) if x.dtype.kind in "fc"]


def direction(like: Sequence[Any], seed: int) -> list[Any]:
    """Return an array of random numbers for each array, of its dtype."""
    rng = np.random.default_rng(seed)

    def one(x: Any) -> Any:
        found = rng.normal(size=np.shape(x))
        if np.asarray(x).dtype.kind == "c":
            found = found + 1j * rng.normal(size=np.shape(x))
        return found.astype(np.asarray(x).dtype)

    return [one(x) for x in like]


def slope(function: Callable[..., Any], at: Sequence[Any], along: Sequence[Any]) -> list[Any]:
    """Return by differences how the arrays of a result change."""
    found = []
    with np.errstate(all="ignore"):
        for steps, weight in _WEIGHTS:
            moved = [x + t * steps * STEP for x, t in zip(at, along, strict=True)]
            found.append([x * weight / STEP for x in arrays_in(function(*moved))])
    return [functools.reduce(np.add, parts) for parts in zip(*found, strict=True)]


def inner(left: Sequence[Any], right: Sequence[Any]) -> float:
    """Return the real part of the sum of products, by which cotangents are defined."""
    return sum(float(np.real(np.sum(x * y))) for x, y in zip(left, right, strict=True))


def gradients(function: Callable[..., Any], at: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Return by differences the gradients of a weighted sum, as JAX has them of complex numbers."""
    found = []
    for place, x in enumerate(at):
        gradient = np.zeros(x.shape, x.dtype)
        for k in np.ndindex(x.shape):
            for factor, part in ((1, 1), (1j, -1j)) if x.dtype.kind == "c" else ((1, 1),):
                along = [np.zeros_like(y) for y in at]
                along[place] = np.array(along[place])
                along[place][k] = factor
                gradient[k] += part * inner(weights, slope(function, at, along))
        found.append(gradient)
    return found


def close(found: Any, wanted: Any, rtol: float, scale: float = 1.0) -> None:
    """Assert that two arrays are alike, within what the larger elements allow."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    largest = max(scale, float(np.max(np.abs(wanted), initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * largest)


def weighted(namespace: Any, found: Any, weights: Sequence[Any]) -> Any:
    """Return the real part of the weighted sum of all arrays with derivatives in a result."""
    leaves = [x for x in jax.tree.leaves(found) if np.dtype(x.dtype).kind in "fc"]
    parts = [namespace.sum(namespace.real(x * w)) for x, w in zip(leaves, weights, strict=True)]
    return functools.reduce(lambda x, y: x + y, parts)


def check_derivatives(case: Case) -> None:
    """Check values, `jvp`, `grad` and `vjp` of a case against NumPy and each other."""
    ours, theirs = case.with_namespace(jujunp), case.with_namespace(np)
    at = case.operands
    with np.errstate(all="ignore"):
        wanted = arrays_in(theirs(*at))
    assert wanted, "a case must give floats"
    along, weights = direction(at, 1), direction(wanted, 2)
    primals = [jujunp.asarray(x) for x in at]
    value, change = jujunp.jvp(ours, primals, [jujunp.asarray(x) for x in along])
    for x, y in zip(arrays_in(value), wanted, strict=True):
        close(x, y, 1e-11)
    changes = arrays_in(change)
    expected = slope(theirs, at, along)
    for x, y in zip(changes, expected, strict=True):
        close(x, y, case.rtol)
    found = jujunp.grad(
        lambda *given: weighted(jujunp, ours(*given), weights), tuple(range(len(at)))
    )(*primals)
    pulled = arrays_in(found)
    by_differences = gradients(theirs, at, weights)
    for x, y in zip(pulled, by_differences, strict=True):
        close(x, y, case.rtol)
    one, other = inner(pulled, along), inner(weights, changes)
    assert abs(one - other) <= 1e-11 * max(1.0, abs(one), size_of(pulled, along))


def size_of(left: Sequence[Any], right: Sequence[Any]) -> float:
    """Return the sum of sizes of products: what rounding is measured by."""
    return sum(float(np.sum(np.abs(x) * np.abs(y))) for x, y in zip(left, right, strict=True))


def check_second_derivatives(case: Case) -> None:
    """Check `jvp` of `grad` against differences of `grad`."""
    ours = case.with_namespace(jujunp)
    at = case.operands
    with np.errstate(all="ignore"):
        weights = direction(arrays_in(case.with_namespace(np)(*at)), 2)
    along = direction(at, 1)
    gradient = jujunp.grad(
        lambda *given: weighted(jujunp, ours(*given), weights), tuple(range(len(at)))
    )
    _, change = jujunp.jvp(gradient, at, along)
    for x, y in zip(arrays_in(change), slope(gradient, at, along), strict=True):
        close(x, y, 100 * case.rtol)
