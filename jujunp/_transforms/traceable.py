"""Functions written with this module, where JAX traces: `traceable`."""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING, Any

import jax

from jujunp.lazy.run.settling import unchecked
from jujunp.lazy.run.watching import watched
from jujunp.lazy.transforms.traced import Traced as Trace
from jujunp.lazy.values.dtypes import CODES
from jujunp.lazy.values.value import dtype_code

from .._array.array_likes import Traced
from .._array.handle import Array, Handle, whole_value
from .._array.making import new_array, wrap
from .trees import flatten, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["traceable"]

_WHY = (
    "the elements of an array that is traced have no value yet: the function runs once for all"
    " values, so that they cannot be read or branched by; say it by where(), cond() or while_loop()"
)


def traceable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that JAX can transform and trace, given one written with this module.

    `jax.grad(traceable(f))`, `jax.jit(traceable(f))` and all others call it with tracers. The
    function sees arrays of this module: it may write into them and take views. Its results are
    JAX's. Reading an element raises `jax.errors.ConcretizationTypeError`, a TypeError. Called with
    no tracer among its arguments, it is the function as it is.
    """

    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten((args, kwargs))
        if not any(map(is_tracer, leaves)):
            return function(*args, **kwargs)
        return traced(function, leaves, tree)[0]

    return of


def for_tracers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is made traceable where it finds that its arguments are tracers."""

    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Traced:
            return traceable(function)(*args, **kwargs)

    return of


def traced(
    function: Callable[..., Any], leaves: Sequence[Any], tree: Any
) -> tuple[Any, list[int], list[Any]]:
    """Call a function with arrays of ours that stand for tracers of JAX.

    Args:
        function: The function.
        leaves: Its arguments, flat.
        tree: The tree of its positional and keyword arguments.

    Returns its results, which leaves it has written into, and what these are then; as JAX has them.
    """
    places = [k for k, x in enumerate(leaves) if is_tracer(x)]
    tracers = [leaves[k] for k in places]
    with unchecked(), watched(lambda: Trace(tracers, _WHY)) as trace:
        given = list(leaves)
        for place, start in zip(places, trace.starts, strict=True):
            given[place] = _handle(start)
        before = {k: given[k]._value for k in places if isinstance(given[k], Array)}
        args, kwargs = unflatten(tree, given)
        outputs, out_tree = flatten(function(*args, **kwargs))
        written = [k for k, value in before.items() if given[k]._value is not value]
        results = [_result(trace, x) for x in outputs]
        updates = [_result(trace, given[k]) for k in written]
    del given, args, kwargs, before
    trace.close()
    return unflatten(out_tree, results), written, updates


def _handle(value: Any) -> Handle:
    make: Any = new_array if value.shape else wrap
    found: Handle = make(value, value.shape, dtype_code(value))
    return found


class WrittenHere(BaseException):
    """Raised in `jit`'s trace where a function of this module meets what is traced.

    The function is written with this module, and traced again, on arrays of ours. It is no
    Exception: what the traced function catches is not meant.
    """


class _Thread(threading.local):
    jits = 0
    """How many functions `jit` traces now as functions of JAX."""


_thread = _Thread()


@contextlib.contextmanager
def as_jaxs() -> Iterator[None]:
    """Say that `jit` traces a function that may be one of JAX."""
    _thread.jits += 1
    try:
        yield
    finally:
        _thread.jits -= 1


def for_jax(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make one call of this module's with tracers; returns what JAX has for the results.

    TypeError where it writes into an array of ours: the elements would be JAX's.
    """
    if _thread.jits:
        raise WrittenHere
    leaves, tree = flatten((args, kwargs))
    if not any(map(is_tracer, leaves)):
        kinds = ", ".join(str(x.dtype) for x in leaves if isinstance(x, jax.core.Tracer))
        raise TypeError(f"arguments that JAX traces have no dtype of ours: {kinds}")
    owners = [x._base or x for x in leaves if isinstance(x, Handle)]
    before = [x._value for x in owners]
    results, _, _ = traced(function, leaves, tree)
    for owner, value in zip(owners, before, strict=True):
        if owner._value is not value:
            owner._value = value
            raise TypeError(
                "what JAX traces is written into an array: make the function one of JAX by"
                " jujunp.traceable(function)"
            )
    return results


traceable.of_call = for_jax  # type: ignore[attr-defined]
"""What functions find that stand below this module."""


def is_tracer(x: Any) -> bool:
    """Whether JAX traces a value that this module has a dtype for."""
    return isinstance(x, jax.core.Tracer) and x.dtype in CODES


def _result(trace: Trace, x: Any) -> Any:
    """Return a result as JAX has it."""
    if not isinstance(x, Handle):
        return x
    (found,) = trace.arrays([whole_value(x)])
    dtype = jax.dtypes.canonicalize_dtype(found.dtype)
    return found if found.dtype == dtype else found.astype(dtype)
