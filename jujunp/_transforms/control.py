"""Loops and branches as functions: `fori_loop`, `while_loop`, `scan`, `cond`, `switch`.

On arrays they are Python's loops, which derivatives go through, as they are in a transformation of
ours that is traced. Else, where JAX or `jit` traces, they are JAX's, whose functions may be written
with either namespace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.transforms.abstract import AbstractValueError
from jujunp.lazy.transforms.following import Follower
from jujunp.lazy.transforms.traced import Traced
from jujunp.lazy.users.primitives import is_tracing
from jujunp.lazy.values.value import dtype_code

from .._array.handle import whole_value
from .._array.making import wrap
from .._functions.indexing.selection import where
from .._functions.manipulation.joining import stack
from .traceable import traceable
from .trees import flatten, own, tree_map, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["cond", "fori_loop", "scan", "switch", "while_loop"]


def _is_of_jax() -> bool:
    """Whether loops are to be JAX's: it traces, and none of our transformations within that."""
    innermost = next((watch for watch in reversed(WATCHES) if isinstance(watch, Follower)), None)
    return is_tracing() and (innermost is None or isinstance(innermost, Traced))


def _lifted(operation: Callable[..., Any], *operands: Any) -> Any:
    """Return what an operation of JAX gives for trees of arrays that are traced."""
    trace = next((watch for watch in reversed(WATCHES) if isinstance(watch, Follower)), None)
    if not isinstance(trace, Traced):
        return operation(*operands)
    leaves, tree = flatten(operands)
    trees = []

    def flat(*arrays: Any) -> Any:
        found, out_tree = flatten(operation(*unflatten(tree, list(arrays))))
        trees.append(out_tree)
        return found

    values = trace.apply(flat, [whole_value(own(x)) for x in leaves])
    return unflatten(trees[0], [wrap(x, x.shape, dtype_code(x)) for x in values])


def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """Return `init` after `x = body(i, x)` for i from `lower` to below `upper`.

    Args:
        lower: The first index, an integer.
        upper: The one behind the last.
        body: Takes an index and a tree of arrays, and returns a tree like it.
        init: The tree that it begins with.
    """
    if _is_of_jax():
        step = traceable(body)
        if isinstance(lower, int) and isinstance(upper, int):  # JAX can derive such loops
            return _lifted(lambda x: jax.lax.fori_loop(lower, upper, step, x), init)
        return _lifted(
            lambda low, high, x: jax.lax.fori_loop(low, high, step, x), lower, upper, init
        )
    for k in range(int(lower), int(upper)):
        init = body(k, init)
    return init


def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Return `init` after `x = body(x)` for as long as `test(x)` is true."""
    if _is_of_jax():
        goes_on, step = traceable(test), traceable(body)
        return _lifted(lambda x: jax.lax.while_loop(goes_on, step, x), init)
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

    The results are stacked along a new first axis. ValueError for lengths that differ, or for 0,
    where nothing tells what results are like.
    """
    if _is_of_jax():
        step = traceable(function)
        found: tuple[Any, Any] = _lifted(
            lambda x, items: jax.lax.scan(step, x, items, length, reverse, unroll), init, xs
        )
        return found
    leaves, tree = flatten(xs)
    arrays = [own(x) for x in leaves]
    sizes = {x._shape[0] for x in arrays} | (set() if length is None else {length})
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"scan needs arrays of one length, not of {sorted(sizes)}")
    (count,) = sizes
    results: list[Any] = [None] * count
    for k in reversed(range(count)) if reverse else range(count):
        init, results[k] = function(init, unflatten(tree, [x[k] for x in arrays]))
    return init, tree_map(lambda *parts: stack([own(x) for x in parts]), *results)


def cond(
    predicate: Any, true: Callable[..., Any], false: Callable[..., Any], *operands: Any
) -> Any:
    """Return `true(*operands)` or `false(*operands)`, by a flag.

    Under `vmap` a flag that differs within the batch chooses between the results of both.
    """
    if _is_of_jax():
        branches = traceable(true), traceable(false)
        return _lifted(
            lambda flag, *given: jax.lax.cond(flag, *branches, *given), predicate, *operands
        )
    try:
        chosen = true if bool(predicate) else false
    except AbstractValueError:
        return tree_map(lambda x, y: where(predicate, x, y), true(*operands), false(*operands))
    return chosen(*operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Return `branches[index](*operands)`; the nearest branch for an index out of bounds."""
    if _is_of_jax():
        made = [traceable(branch) for branch in branches]
        return _lifted(lambda k, *given: jax.lax.switch(k, made, *given), index, *operands)
    return branches[min(max(int(index), 0), len(branches) - 1)](*operands)
