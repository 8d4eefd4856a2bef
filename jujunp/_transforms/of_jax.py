"""Functions of JAX where transformations of ours follow their arguments."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun

from jujunp.lazy.rules.operand import Operand
from jujunp.lazy.rules.template import closed_constants, replay
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.transforms.following import Follower
from jujunp.lazy.transforms.templates import KEPT, remembered
from jujunp.lazy.values.dtypes import CODES, DTYPES

from .._array.handle import Handle, whole_value
from .rules import Rule, call, handle_of
from .trees import flatten, is_float0, is_wide, own, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from jax.extend.core import ClosedJaxpr, Primitive

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
        self._computed = run(function)
        self._mapped: dict[int, OfJax] = {}

    def run(self, arrays: list[Handle]) -> list[Handle]:
        return [own(x) for x in self._computed(*arrays)]

    def specs(self, arrays: list[Handle]) -> list[tuple[Shape, int]]:
        structs = [jax.ShapeDtypeStruct(x._shape, x.dtype) for x in arrays]
        config: Any = jax.config
        with jax.enable_x64(config.jax_enable_x64 or any(map(is_wide, arrays))):
            found = jax.eval_shape(self._function, *structs)
        return [(x.shape, CODES[np.dtype(x.dtype)]) for x in found]

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        found: list[Handle | None] = self._pulled(kept, cotangents)
        return found

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        found: list[Handle | None] = self._pushed(kept, tangents)
        return found

    def mapped(self, size: int) -> Rule:
        if size not in self._mapped:
            self._mapped[size] = OfJax(jax.vmap(self._function, axis_size=size), self._run)
        return self._mapped[size]

    @functools.cached_property
    def _pulled(self) -> Callable[..., Any]:
        def derived(arrays: Any, given: Any) -> Any:
            results, pull = jax.vjp(self._function, *arrays)
            filled = [
                _no_change(x) if y is None else y.astype(x.dtype)
                for x, y in zip(results, given, strict=True)
            ]
            return list(map(_or_none, pull(type(results)(filled))))

        made: Callable[..., Any] = self._run(derived)
        return made

    @functools.cached_property
    def _pushed(self) -> Callable[..., Any]:
        def derived(arrays: Any, given: Any) -> Any:
            pairs = zip(arrays, given, strict=True)
            filled = [_no_change(x) if y is None else y for x, y in pairs]
            return list(map(_or_none, jax.jvp(self._function, arrays, filled)[1]))

        made: Callable[..., Any] = self._run(derived)
        return made

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        return self._function


def _no_change(x: Any) -> Any:
    """Return a tangent or cotangent that is zero."""
    if jax.numpy.issubdtype(x.dtype, jax.numpy.inexact):
        return jax.numpy.zeros(x.shape, x.dtype)
    return np.zeros(x.shape, jax.dtypes.float0)


def _or_none(x: Any) -> Any:
    """Return a tangent or cotangent, None for that of integers."""
    return None if is_float0(x) else x


class _Trace(NamedTuple):
    closed: ClosedJaxpr
    rule: OfJax
    """What is called where another transformation follows an argument."""
    out_tree: Any


class _Recorded:
    """A function of JAX of trees of arrays, recorded on the kernels that run at once.

    Primitives that users have made are computed on the way.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *trees: Any) -> Any:
        """Return the results, a tree of arrays of ours."""
        leaves, tree = flatten(trees)
        arrays = [own(x) for x in leaves]
        key = self._function, tree, tuple([(x._shape, x._code) for x in arrays])
        trace: _Trace = remembered(key, lambda: self._traced(tree, arrays))
        if is_followed(arrays):
            return unflatten(trace.out_tree, call(trace.rule, arrays))
        closed = trace.closed
        operands = [Operand(whole_value(x), None, x._shape, x._code) for x in arrays]
        found = replay(closed.jaxpr, closed_constants(closed), operands)
        return unflatten(trace.out_tree, list(map(handle_of, found)))

    def _traced(self, tree: Any, arrays: Sequence[Handle]) -> _Trace:
        structs = [jax.ShapeDtypeStruct(x._shape, DTYPES[x._code]) for x in arrays]
        make = jax.make_jaxpr(self._function, return_shape=True)
        with jax.enable_x64(True):
            closed, found = make(*unflatten(tree, structs))
        rule = OfJax(jaxpr_as_fun(closed), _Recorded)
        return _Trace(closed, rule, jax.tree.structure(found))


@functools.lru_cache(KEPT)
def _rule_of(primitive: Primitive, params: tuple[tuple[str, Hashable, str], ...]) -> OfJax:
    given = {name: value for name, value, _ in params}

    def function(*arrays: Any) -> list[Any]:
        found = primitive.bind(*arrays, **given)
        return list(found) if primitive.multiple_results else [found]

    return OfJax(function, _Recorded)


def bound(primitive: Primitive, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """Apply a primitive where a transformation follows an operand: by the rules that it has."""
    # The text tells 1 from True and 1.0, which are equal.
    named = tuple((name, value, repr(value)) for name, value in sorted(params.items()))
    found = call(_rule_of(primitive, named), [own(x) for x in args])
    return found if primitive.multiple_results else found[0]
