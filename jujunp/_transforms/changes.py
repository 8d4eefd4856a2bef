"""Derivatives from arguments on to results: `jvp` and `linearize`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.transforms.derivatives.forward import Line
from jujunp.lazy.transforms.templates import zeros

from .derivatives import Run, is_inexact, operand_like, value_in
from .traceable import for_tracers
from .trees import flatten, handle_like, is_float0, own, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["jvp", "linearize"]


class Pushforward(Run[Line]):
    """Finds how a function's results change with its arguments."""

    def __init__(self, function: Callable[..., Any], primals: Sequence[Any], has_aux: bool) -> None:
        super().__init__(Line, function, primals, has_aux)

    def __call__(self, *tangents: Any) -> Any:
        """Return the tangents of the results, a tree like theirs, given those of the arguments."""
        given, tree = flatten(tangents)
        if tree != self.in_tree:
            raise TypeError(
                f"the tangents' tree is {tree}, that of the function's arguments {self.in_tree}"
            )
        seeds = [
            (start, operand_like(own(x), like, "a tangent", "its argument"))
            for x, like, start in zip(given, self.inputs, self.starts, strict=True)
            if not is_float0(x) and is_inexact(start)
        ]
        found = self.steps.push(seeds, self.ends)
        leaves = []
        for x, like in zip(found, self.outputs, strict=True):
            x = zeros(like._shape, like._code) if x is None else x
            leaves.append(handle_like(value_in(x), like))
        return unflatten(self.out_tree, leaves)


@for_tracers
def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """Return a function's results, and how they change along tangents of its arguments.

    Args:
        function: Takes and returns trees of arrays and numbers; see `vjp` for what it may do.
        primals: Its arguments, a tuple or list.
        tangents: Trees like them.
        has_aux: Whether it returns a pair, of which the second is not differentiated.

    Returns a pair, or with `has_aux` a triple that ends with what is not differentiated. TypeError
    for tangents that are not like the arguments.
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("the primals and tangents of jvp must be tuples or lists")
    push = Pushforward(function, primals, has_aux)
    found = push.result, push(*tangents)
    return (*found, push.aux) if has_aux else found


def linearize(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return a function's results, and the function of tangents that is its linear approximation.

    The function runs once; the second can be called many times. The arguments are those of `vjp`.
    """
    push = Pushforward(function, primals, has_aux)
    found = push.result, push.__call__
    return (*found, push.aux) if has_aux else found
