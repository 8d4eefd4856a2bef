"""Loops and branches as functions: `fori_loop`, `while_loop`, `scan`, `cond`, `switch`.

On arrays they are Python's loops, which derivatives go through. Where JAX traces, they are JAX's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from jujunp.lazy.users.primitives import is_tracing

from .._functions.manipulation.joining import stack
from .trees import flatten, own, tree_map, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["cond", "fori_loop", "scan", "switch", "while_loop"]


def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """Return `init` after `x = body(i, x)` for i from `lower` to below `upper`.

    Args:
        lower: The first index, an integer.
        upper: The one behind the last.
        body: Takes an index and a tree of arrays, and returns a tree like it.
        init: The tree that it begins with.
    """
    if is_tracing():
        return jax.lax.fori_loop(lower, upper, body, init)
    for k in range(int(lower), int(upper)):
        init = body(k, init)
    return init


def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Return `init` after `x = body(x)` for as long as `test(x)` is true."""
    if is_tracing():
        return jax.lax.while_loop(test, body, init)
    while bool(test(init)):
        init = body(init)
    return init


def scan(
    function: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int = 1,
) -> tuple[Any, Any]:
    """Return what is carried through a loop over the first axis of arrays, and its results.

    Args:
        function: Takes what is carried and one element of `xs`; returns what is carried on and a
            result. All are trees of arrays.
        init: What is carried at first.
        xs: A tree of arrays of one length, or None.
        length: That, which must be given if there are no arrays.
        reverse: Whether the loop begins with the last element; results lie as the elements do.
        unroll: Accepted for JAX's sake.

    The results are stacked along a new first axis. ValueError for lengths that differ.
    """
    if is_tracing():
        return jax.lax.scan(function, init, xs, length, reverse, unroll)
    leaves, tree = flatten(xs)
    arrays = [own(x) for x in leaves]
    sizes = {x._shape[0] for x in arrays} | (set() if length is None else {length})
    if len(sizes) != 1:
        raise ValueError(f"scan needs arrays of one length, not of {sorted(sizes)}")
    (count,) = sizes
    results: list[Any] = [None] * count
    for k in reversed(range(count)) if reverse else range(count):
        init, results[k] = function(init, unflatten(tree, [x[k] for x in arrays]))
    if not count:
        raise ValueError("scan over no elements does not know what its results are like")
    return init, tree_map(lambda *parts: stack([own(x) for x in parts]), *results)


def cond(
    predicate: Any, true: Callable[..., Any], false: Callable[..., Any], *operands: Any
) -> Any:
    """Return `true(*operands)` or `false(*operands)`, by a flag."""
    if is_tracing():
        return jax.lax.cond(predicate, true, false, *operands)
    return (true if bool(predicate) else false)(*operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Return `branches[index](*operands)`; the nearest branch for an index out of bounds."""
    if is_tracing():
        return jax.lax.switch(index, branches, *operands)
    return branches[min(max(int(index), 0), len(branches) - 1)](*operands)
