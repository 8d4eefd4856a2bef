"""Matrices of derivatives: `jacrev`, `jacfwd`, `hessian`."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import jax

from jujunp.lazy.values.dtypes import is_complex

from .._array.handle import Handle
from .._functions.creation.arrays import zeros
from .._functions.matrices.building import eye
from .changes import Pushforward
from .derivatives import check_input, chosen_arguments, numbers_of
from .gradients import Pullback
from .mapping import vmap
from .traceable import for_tracers
from .trees import flatten, of_arguments, own, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["hessian", "jacfwd", "jacrev"]


def jacrev(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """Return a function that gives the Jacobian of a function, found from results back.

    It takes one run of the function, and goes back for all elements of the results together: for
    functions of many numbers that give few. The arguments are those of `value_and_grad`.

    For each result there is a tree like the arguments, whose arrays have the axes of the result and
    then those of the argument.
    """
    return _jacobian(function, argnums, has_aux, (holomorphic, allow_int), _rows)


def jacfwd(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return a function that gives the Jacobian of a function, found from arguments on.

    For functions of few numbers that give many; see `jacrev`.
    """
    return _jacobian(function, argnums, has_aux, (holomorphic, False), _columns)


def hessian(
    function: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return a function that gives the second derivatives of a function: see `jacrev`."""
    inner = jacrev(function, argnums, has_aux, holomorphic)
    return jacfwd(inner, argnums, has_aux, holomorphic)


def _jacobian(
    function: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool,
    kinds: tuple[bool, bool],
    derive: Callable[..., Any],
) -> Callable[..., Any]:
    numbers, single = numbers_of(argnums)
    holomorphic, allow_int = kinds

    @for_tracers
    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        places = chosen_arguments(numbers, len(args))
        given = [args[k] for k in places]
        arrays = [own(x) for x in flatten(given)[0]]
        for x in arrays:
            check_input(x, "a Jacobian", holomorphic, allow_int)
        if derive is _columns and not holomorphic:
            _check_real(arrays, "arguments of jacfwd")
        some = of_arguments(function, args, kwargs, places)
        found, aux = derive(some, given, has_aux, single, holomorphic)
        return (found, aux) if has_aux else found

    return of


def _check_real(arrays: Sequence[Handle], whose: str) -> None:
    """Raise TypeError for complex numbers, of which a Jacobian would hold a half."""
    for x in arrays:
        if is_complex(x._code):
            raise TypeError(
                f"{whose} must be real, not {x.dtype}: for holomorphic functions pass"
                " holomorphic=True"
            )


def _rows(
    function: Callable[..., Any],
    given: Sequence[Any],
    has_aux: bool,
    single: bool,
    holomorphic: bool,
) -> tuple[Any, Any]:
    pullback = Pullback(function, given, has_aux)
    if not holomorphic:
        _check_real(pullback.outputs, "results in jacrev")
    basis = _basis(pullback.outputs)
    rows = vmap(lambda *seeds: pullback(unflatten(pullback.out_tree, list(seeds))))(*basis)
    if single:
        rows = rows[0]
    leaves, tree = flatten(rows)
    split = [_split(x, pullback.outputs, 0) for x in leaves]
    trees = [unflatten(tree, [parts[k] for parts in split]) for k in range(len(pullback.outputs))]
    return unflatten(pullback.out_tree, trees), pullback.aux


def _columns(
    function: Callable[..., Any],
    given: Sequence[Any],
    has_aux: bool,
    single: bool,
    holomorphic: bool,
) -> tuple[Any, Any]:
    push = Pushforward(function, given, has_aux)
    inputs, tree = flatten(tuple(given))
    arrays = [own(x) for x in inputs]
    basis = _basis(arrays)
    columns = vmap(lambda *seeds: push(*unflatten(tree, list(seeds))), out_axes=-1)(*basis)

    def of_result(x: Any) -> Any:
        found = unflatten(tree, _split(x, arrays, -1))
        return found[0] if single else found

    return jax.tree.map(of_result, columns), push.aux


def _basis(arrays: Sequence[Handle]) -> list[Any]:
    """Return for each array a batch: of each element of all arrays, where it is 1 and else 0."""
    sizes = [math.prod(x._shape) for x in arrays]
    total, start = sum(sizes), 0
    found = []
    for x, size in zip(arrays, sizes, strict=True):
        rows = eye(total, size, -start, dtype=x.dtype) if size else zeros((total, 0), x.dtype)
        found.append(rows.reshape((total, *x._shape)))
        start += size
    return found


def _split(x: Any, arrays: Sequence[Handle], axis: int) -> list[Any]:
    """Return the parts of a Jacobian, whose axis for all elements becomes those of each array."""
    parts = []
    start = 0
    for like in arrays:
        size = math.prod(like._shape)
        if axis == 0:
            part = x[start : start + size]
            parts.append(part.reshape((*like._shape, *x.shape[1:])))
        else:
            part = x[..., start : start + size]
            parts.append(part.reshape((*x.shape[:-1], *like._shape)))
        start += size
    return parts
