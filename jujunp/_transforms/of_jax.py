"""Functions of JAX where transformations of ours follow their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.transforms.following import Follower
from jujunp.lazy.values.dtypes import CODES

from .._array.handle import Handle, whole_value
from .._members.for_jax import as_jax
from .rules import Rule, call
from .trees import is_float0, is_wide, own, tree_map

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jujunp.lazy.values.types import Shape


def is_followed(leaves: Sequence[Any]) -> bool:
    """Whether a transformation of ours follows one of the arguments."""
    values = [whole_value(x) for x in leaves if isinstance(x, Handle)]
    return any(
        watch.is_about(value)
        for watch in WATCHES
        if isinstance(watch, Follower)
        for value in values
    )


class OfJax(Rule):
    """A function of JAX where a transformation of ours follows its arguments: JAX transforms it.

    Args:
        function: Takes and returns flat arrays.
        run: Compiles functions.
    """

    def __init__(self, function: Callable[..., Any], run: Callable[..., Any]) -> None:
        self._function = function
        self._run = run

    def run(self, arrays: list[Handle]) -> list[Handle]:
        return [own(x) for x in self._run(self._function)(*arrays)]

    def specs(self, arrays: list[Handle]) -> list[tuple[Shape, int]]:
        structs = [jax.ShapeDtypeStruct(x._shape, x.dtype) for x in arrays]
        config: Any = jax.config
        with jax.enable_x64(config.jax_enable_x64 or any(map(is_wide, arrays))):
            found = jax.eval_shape(self._function, *structs)
        return [(x.shape, CODES[np.dtype(x.dtype)]) for x in found]

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        def derived(arrays: Any, given: Any) -> Any:
            results, pull = jax.vjp(self._function, *arrays)
            filled = [
                _no_cotangent(x) if y is None else y.astype(x.dtype)
                for x, y in zip(results, given, strict=True)
            ]
            return pull(type(results)(filled))

        found = self._run(derived)(kept, cotangents)
        return [None if is_float0(x) else own(x) for x in found]

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        def derived(arrays: Any, given: Any) -> Any:
            filled = [
                _no_cotangent(x) if y is None else y for x, y in zip(arrays, given, strict=True)
            ]
            return jax.jvp(self._function, arrays, filled)[1]

        found = self._run(derived)(kept, tangents)
        return [None if is_float0(x) else own(x) for x in found]

    def mapped(self, size: int) -> Rule:
        return OfJax(jax.vmap(self._function, axis_size=size), self._run)

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        return self._function


def _no_cotangent(x: Any) -> Any:
    if jax.numpy.issubdtype(x.dtype, jax.numpy.inexact):
        return jax.numpy.zeros(x.shape, x.dtype)
    return np.zeros(x.shape, jax.dtypes.float0)


def at_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of trees of our arrays that JAX computes."""

    def of(*trees: Any) -> Any:
        given = tree_map(lambda x: as_jax(x) if isinstance(x, Handle) else x, trees)
        with jax.enable_x64(True):
            return function(*given)

    return of


def bound(primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """Apply a primitive where a transformation follows an operand: by the rules that it has."""

    def function(*arrays: Any) -> list[Any]:
        found = primitive.bind(*arrays, **params)
        return list(found) if primitive.multiple_results else [found]

    found = call(OfJax(function, at_once), [own(x) for x in args])
    return found if primitive.multiple_results else found[0]
