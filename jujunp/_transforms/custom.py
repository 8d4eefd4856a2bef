"""Derivatives that users write: `custom_vjp`, `custom_jvp`; `stop_gradient` and `checkpoint`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax

from .._array.handle import Handle, whole_value
from .._functions.creation.arrays import zeros_like
from .changes import Pushforward
from .derivatives import is_inexact
from .gradients import Pullback
from .mapping import vmap
from .rules import Rule, call
from .traceable import for_tracers, is_tracer, traceable
from .trees import flatten, is_float0, own, tree_map, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["checkpoint", "custom_jvp", "custom_vjp", "stop_gradient"]


class _Of(Rule):
    """The rule of a function of trees: `function(*args)`, whose arguments have been flattened."""

    def __init__(self, function: Callable[..., Any], tree: Any) -> None:
        self.function = function
        self.tree = tree
        self.out_tree: Any = None

    def run(self, arrays: list[Handle]) -> list[Handle]:
        return self.flat(self.function(*unflatten(self.tree, arrays)))

    def flat(self, result: Any) -> list[Handle]:
        leaves, self.out_tree = flatten(result)
        return [own(x) for x in leaves]

    def called(self, leaves: Sequence[Any]) -> Any:
        """Return the result for flat arguments."""
        if any(map(is_tracer, leaves)):
            found = list(self.for_jax()(*leaves))
            return unflatten(self.out_tree, found)
        found = call(self, [own(x) for x in leaves])
        return unflatten(self.out_tree, found)

    def mapped(self, size: int) -> Rule:
        found = self.of_batches(lambda function: vmap(function, axis_size=size))
        found.out_tree = self.out_tree
        return found

    def of_batches(self, mapped: Callable[..., Any]) -> _Of:
        """Return the rule whose functions are mapped."""
        raise NotImplementedError

    def flat_function(self) -> Callable[..., Any]:
        """Return the function of flat arguments, which JAX may trace; results are flat, too."""
        return traceable(lambda *arrays: self.run(list(arrays)))


def _filled(changes: Sequence[Handle | None], like: Sequence[Handle]) -> list[Handle]:
    """Return tangents or cotangents with zeros for those that are None."""
    pairs = zip(changes, like, strict=True)
    return [zeros_like(array) if x is None else x for x, array in pairs]


class _Vjp(_Of):
    def __init__(
        self,
        function: Callable[..., Any],
        fwd: Callable[..., Any],
        bwd: Callable[..., Any],
        tree: Any,
    ) -> None:
        super().__init__(function, tree)
        self._fwd, self._bwd = fwd, bwd

    def keep(self, arrays: list[Handle]) -> tuple[list[Handle], Any]:
        result, residuals = self._fwd(*unflatten(self.tree, arrays))
        results = self.flat(result)
        return results, (arrays, results, residuals)

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        arrays, results, residuals = kept
        filled = _filled(cotangents, results)
        found = self._bwd(residuals, unflatten(self.out_tree, filled))
        if not isinstance(found, (tuple, list)):
            raise TypeError(f"bwd of a custom_vjp returns a tuple of cotangents, not {found!r}")
        args = unflatten(self.tree, arrays)
        if len(found) != len(args):
            raise TypeError(
                f"bwd of a custom_vjp has returned {len(found)} cotangents for {len(args)}"
                " arguments"
            )
        return [x for pair in zip(found, args, strict=True) for x in _cotangents(*pair)]

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        raise TypeError("a custom_vjp function has no derivative forward (jvp)")

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        found = jax.custom_vjp(self.flat_function())

        def fwd(*arrays: Any) -> Any:
            result, residuals = self._fwd(*unflatten(self.tree, list(arrays)))
            results = self.flat(result)
            return results, (list(arrays), results, residuals)

        def bwd(kept: Any, cotangents: Any) -> Any:
            return tuple(self.pull(kept, list(cotangents)))

        found.defvjp(traceable(fwd), traceable(bwd))
        return found

    def of_batches(self, mapped: Callable[..., Any]) -> _Of:
        return _Vjp(mapped(self.function), mapped(self._fwd), mapped(self._bwd), self.tree)


def _cotangents(found: Any, arg: Any) -> list[Handle | None]:
    """Return the cotangents of an argument's leaves; None stands for zeros."""
    like, tree = flatten(arg)
    if found is None:
        return [None] * len(like)
    leaves, given = flatten(found, is_leaf=lambda x: x is None)
    if given != tree and len(leaves) != len(like):
        raise TypeError(f"bwd of a custom_vjp has returned {given} for an argument that is {tree}")
    return [None if x is None or is_float0(x) else own(x) for x in leaves]


class _Function:
    """A function with a derivative of its own."""

    def __init__(self, function: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._fixed = tuple(nondiff_argnums)

    def __call__(self, *args: Any) -> Any:
        """Return the function's result."""
        raise NotImplementedError

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def _split(self, args: tuple[Any, ...]) -> tuple[dict[int, Any], list[Any]]:
        fixed = {k: args[k] for k in self._fixed}
        return fixed, [x for k, x in enumerate(args) if k not in fixed]

    def _whole(self, fixed: dict[int, Any]) -> Callable[..., Any]:
        def function(*given: Any) -> Any:
            rest = iter(given)
            count = len(fixed) + len(given)
            return self._function(*(fixed[k] if k in fixed else next(rest) for k in range(count)))

        return function


class custom_vjp(_Function):
    """A function whose derivative back from results its user gives; also a decorator.

    `defvjp(fwd, bwd)` sets it: `fwd(*args)` returns the result and what `bwd` needs, and
    `bwd(needed, cotangent)` a tuple with the cotangent of each argument, None for zeros.

    Args:
        function: Takes and returns trees of arrays.
        nondiff_argnums: Positions of arguments that are no arrays. `fwd` takes them where they are,
            `bwd` first of all.
    """

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the derivative."""
        self._fwd, self._bwd = fwd, bwd

    def __call__(self, *args: Any) -> Any:
        """Return the function's result."""
        if not hasattr(self, "_bwd"):
            raise AttributeError("a custom_vjp function needs defvjp before it is called")
        fixed, given = self._split(args)
        leaves, tree = flatten(tuple(given))

        def fwd(*some: Any) -> Any:
            rest = iter(some)
            return self._fwd(*(fixed[k] if k in fixed else next(rest) for k in range(len(args))))

        bwd = functools.partial(self._bwd, *(fixed[k] for k in sorted(fixed)))
        return _Vjp(self._whole(fixed), fwd, bwd, tree).called(leaves)


class _Jvp(_Of):
    def __init__(self, function: Callable[..., Any], rule: Callable[..., Any], tree: Any) -> None:
        super().__init__(function, tree)
        self._rule = rule

    def keep(self, arrays: list[Handle]) -> tuple[list[Handle], Any]:
        return call(self, arrays), arrays  # for the transformations around this one, too

    def _changes(self, arrays: list[Handle], tangents: Sequence[Handle | None]) -> list[Handle]:
        filled = _filled(tangents, arrays)
        given = unflatten(self.tree, arrays), unflatten(self.tree, filled)
        found = self._rule(*given)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise TypeError("the rule of a custom_jvp returns a pair: the result and its tangent")
        return [own(x) for x in flatten(found[1])[0]]

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        return list(self._changes(kept, tangents))

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        # the rule is linear in the tangents: its derivative by them is the same everywhere
        places = [k for k, x in enumerate(kept) if is_inexact(whole_value(x))]

        def linear(*given: Handle) -> Any:
            tangents: list[Handle | None] = [None] * len(kept)
            for place, x in zip(places, given, strict=True):
                tangents[place] = x
            return tuple(self._changes(kept, tangents))

        pullback = Pullback(linear, [zeros_like(kept[k]) for k in places], False)
        seeds = _filled(cotangents, pullback.outputs)
        found: list[Handle | None] = [None] * len(kept)
        for place, x in zip(places, pullback(tuple(seeds)), strict=True):
            found[place] = x
        return found

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        found = jax.custom_jvp(self.flat_function())
        changes = traceable(lambda arrays, tangents: self._changes(list(arrays), list(tangents)))
        found.defjvp(lambda arrays, tangents: (found(*arrays), changes(arrays, tangents)))
        return found

    def of_batches(self, mapped: Callable[..., Any]) -> _Of:
        return _Jvp(mapped(self.function), mapped(self._rule), self.tree)


class custom_jvp(_Function):
    """A function whose derivative from arguments on its user gives; also a decorator.

    `defjvp(rule)` sets it: `rule(primals, tangents)` returns the result and its tangent, which must
    be linear in the tangents. With `defjvps(*rules)` each argument has a rule of its own:
    `rule(tangent, result, *args)`, or None for no derivative.

    Args:
        function: Takes and returns trees of arrays.
        nondiff_argnums: Positions of arguments that are no arrays; the rule takes them first.
    """

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the derivative; returns the rule, so that this is a decorator."""
        self._rule = rule
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """Set the derivative by each argument."""

        def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            result = self(*primals)
            total = tree_map(zeros_like, result)
            for by, tangent in zip(rules, tangents, strict=True):
                if by is not None:
                    total = tree_map(lambda x, y: x + y, total, by(tangent, result, *primals))
            return result, total

        self._rule = rule

    def __call__(self, *args: Any) -> Any:
        """Return the function's result."""
        if not hasattr(self, "_rule"):
            raise AttributeError("a custom_jvp function needs defjvp before it is called")
        fixed, given = self._split(args)
        leaves, tree = flatten(tuple(given))
        rule = functools.partial(self._rule, *(fixed[k] for k in sorted(fixed)))
        return _Jvp(self._whole(fixed), rule, tree).called(leaves)


class _Stopped(_Of):
    def keep(self, arrays: list[Handle]) -> tuple[list[Handle], Any]:
        return call(self, arrays), len(arrays)  # for the transformations around this one, too

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        return [None] * kept

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        return [None] * kept

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        return lambda *arrays: [jax.lax.stop_gradient(x) for x in arrays]

    def of_batches(self, mapped: Callable[..., Any]) -> _Of:
        return self


@for_tracers
def stop_gradient(x: Any) -> Any:
    """Return a tree of arrays that derivatives take for constants."""
    leaves, tree = flatten(x)
    rule = _Stopped(lambda *arrays: arrays, flatten(tuple(leaves))[1])
    return unflatten(tree, call(rule, [own(leaf) for leaf in leaves]))


class _Checkpoint(_Of):
    """Keeps the arguments alone, and runs again for the derivative."""

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        pullback = Pullback(self._flat(kept), kept, False)
        seeds = _filled(cotangents, pullback.outputs)
        return [
            x if is_inexact(whole_value(like)) else None
            for x, like in zip(pullback(tuple(seeds)), kept, strict=True)
        ]

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        push = Pushforward(self._flat(kept), kept, False)
        return list(push(*_filled(tangents, kept)))

    def _flat(self, kept: Sequence[Handle]) -> Callable[..., Any]:
        return lambda *arrays: tuple(self.run(list(arrays)))

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        found: Any = jax.checkpoint(self.flat_function())
        return lambda *arrays: list(found(*arrays))

    def of_batches(self, mapped: Callable[..., Any]) -> _Of:
        return _Checkpoint(mapped(self.function), self.tree)


def checkpoint(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that does not keep what its derivative needs, but runs again for it.

    Memory is then that of the arguments; the derivative costs one run more. What the function
    reads besides its arguments must be the same when it runs again; it has no derivative by that.
    """

    @for_tracers
    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten((args, kwargs))
        return _Checkpoint(lambda a, k: function(*a, **k), tree).called(leaves)

    return of
