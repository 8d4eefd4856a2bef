"""Derivatives from results back to arguments: `grad`, `value_and_grad`, `vjp`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jujunp.lazy.rules.operand import Operand
from jujunp.lazy.run import transfer
from jujunp.lazy.transforms.derivatives.reverse import Tape
from jujunp.lazy.transforms.templates import whole_operand, zeros
from jujunp.lazy.values.dtypes import DTYPES, is_complex
from jujunp.lazy.values.value import Value

from .._array.handle import Handle, whole_value
from .derivatives import (
    Run,
    check_input,
    chosen_arguments,
    is_inexact,
    numbers_of,
    operand_like,
    value_in,
)
from .traceable import for_tracers
from .trees import flatten, handle_like, is_float0, of_arguments, own, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["grad", "value_and_grad", "vjp"]


class Pullback(Run[Tape]):
    """Hands cotangents of a function's results back to its arguments."""

    def __init__(self, function: Callable[..., Any], primals: Sequence[Any], has_aux: bool) -> None:
        super().__init__(Tape, function, primals, has_aux)

    def __call__(self, cotangents: Any) -> tuple[Any, ...]:
        """Return the cotangents of the arguments, a tuple of trees like theirs."""
        given, tree = flatten(cotangents)
        if tree != self.out_tree:
            raise ValueError(
                f"the cotangents' tree is {tree}, that of the function's results {self.out_tree}"
            )
        seeds = [
            (end, operand_like(own(x), out, "a cotangent", "its result"))
            for x, out, end in zip(given, self.outputs, self.ends, strict=True)
            if not is_float0(x)
        ]
        return self.pull(seeds)

    def pull(self, seeds: Sequence[tuple[Value, Operand]]) -> tuple[Any, ...]:
        """Return the same, given cotangents of the values of results."""
        found = self.steps.pull(seeds, self.starts)
        leaves = [_result(x, y) for x, y in zip(found, self.inputs, strict=True)]
        trees: tuple[Any, ...] = unflatten(self.in_tree, leaves)
        return trees


def _result(x: Operand | None, like: Handle) -> Any:
    """Return the cotangent of an argument as a handle of the argument's kind."""
    if not is_inexact(whole_value(like)):
        return np.zeros(like._shape, jax.dtypes.float0)
    x = zeros(like._shape, like._code) if x is None else whole_operand(x)
    return handle_like(value_in(x), like)


@functools.cache
def _one(code: int) -> Operand:
    """Return the cotangent of a number by itself."""
    value = transfer.import_array(np.ones((), DTYPES[code]), code)
    return Operand(value, None, (), code)


def vjp(function: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return a function's results, and the function that hands cotangents back to its arguments.

    The function runs once, on real values, as it is written: it may write into arrays, look at
    elements, branch by them. What it reads, by `float(x)`, `if x[0] > 0` or NumPy's own functions,
    is a constant. The arguments of the call stay as they are: it is given arrays of its own.

    Args:
        function: Takes and returns trees of arrays and numbers.
        *primals: Its arguments. Integers and flags have cotangents of JAX's dtype float0.
        has_aux: Whether it returns a pair, of which the second is not differentiated.

    Returns a pair, or with `has_aux` a triple that ends with what is not differentiated. The
    second takes a tree like the results, and returns a tuple of trees like the arguments.
    """
    pullback = Pullback(function, primals, has_aux)
    found = pullback.result, pullback.__call__
    return (*found, pullback.aux) if has_aux else found


def value_and_grad(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """Return a function that gives a function's value, and its gradient.

    Args:
        function: Returns a number or an array without axes; see `vjp` for what it may do.
        argnums: Which positional arguments the gradient is by, one or several.
        has_aux: Whether the function returns a pair, of which the second is not differentiated.
        holomorphic: Whether it is a holomorphic function of complex numbers. Else gradients of
            real functions by complex arguments are JAX's: conjugates of the steepest ascent.
        allow_int: Whether arguments may be integers, whose gradients are of JAX's dtype float0.

    The function returned gives `(value, gradient)`, or `((value, aux), gradient)`. The gradient is
    like the argument, or a tuple of such.

    TypeError for arguments that cannot be differentiated by, and for results with axes.
    """
    numbers, single = numbers_of(argnums)

    @for_tracers
    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        chosen = chosen_arguments(numbers, len(args))
        given = [args[k] for k in chosen]
        for x in flatten(given)[0]:
            check_input(own(x), "grad", holomorphic, allow_int)
        some = of_arguments(function, args, kwargs, chosen)
        pullback = Pullback(some, given, has_aux)
        value = _scalar_output(pullback, holomorphic)
        found: Any = pullback.pull([(pullback.ends[0], _one(value._code))])
        result = pullback.result
        return ((result, pullback.aux) if has_aux else result), found[0] if single else found

    return of


def grad(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """Return a function that gives a function's gradient, with `has_aux` `(gradient, aux)`.

    The arguments are those of `value_and_grad`.
    """
    both = value_and_grad(function, argnums, has_aux, holomorphic, allow_int)

    @for_tracers
    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return of


def _scalar_output(pullback: Pullback, holomorphic: bool) -> Handle:
    outputs = pullback.outputs
    if len(outputs) != 1 or outputs[0]._shape:
        shapes = ", ".join(str(x._shape) for x in outputs)
        raise TypeError(
            "grad is of functions that return a number; the shapes of the results are: " + shapes
        )
    (value,) = outputs
    if is_complex(value._code) != holomorphic or DTYPES[value._code].kind not in "fc":
        wanted = "complex (holomorphic=True)" if holomorphic else "real"
        raise TypeError(f"grad requires {wanted} outputs, not {value.dtype}")
    return value
