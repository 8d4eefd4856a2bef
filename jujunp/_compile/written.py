"""Functions that `jit` is given: those of JAX, and those written with this module."""

from __future__ import annotations

import contextlib
import dis
import enum
import functools
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jujunp.lazy.run.sites import package
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.transforms.following import Follower
from jujunp.lazy.values.dtypes import CODES

from .._array.handle import Handle, ndarray, whole_value
from .._transforms.rules import Rule
from .._transforms.traceable import is_tracer, traced
from .._transforms.trees import flatten, is_float0, own, unflatten
from .specialization import is_wide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jujunp.lazy.values.types import Shape


class Kind(enum.Enum):
    """Whom a function is written for."""

    OURS = "it names this module or writes in place, and names nothing of JAX"
    JAX = "it names JAX, perhaps this module too"
    UNKNOWN = "it names neither"


def kind_of_code(function: Any) -> Kind:
    """Return whom a function is written for, by what its own code names."""
    plain = _plain(function)
    if not isinstance(plain, FunctionType):
        return Kind.UNKNOWN
    found = set(map(_package_of, _named(plain)))
    if found & {"jax", "jaxlib"}:
        return Kind.JAX
    ours = package().__name__ in found or _writes(plain.__code__)
    return Kind.OURS if ours else Kind.UNKNOWN


def _plain(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__func__", function)


def _writes(code: CodeType) -> bool:
    """Whether there are assignments to elements, or operators in place: JAX's arrays have none."""
    return any(
        x.opname == "STORE_SUBSCR" or (x.opname == "BINARY_OP" and x.argrepr.endswith("="))
        for x in dis.get_instructions(code)
    )


def _named(function: FunctionType) -> Iterator[Any]:
    """Return what the names in a function's code stand for."""
    variables = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name in _names(function.__code__):
        if name not in variables:
            yield function.__globals__.get(name)
            continue
        with contextlib.suppress(ValueError):  # a variable that has no value yet
            yield variables[name].cell_contents


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _package_of(x: Any) -> str:
    """Return the top package of a module, or of a function or class."""
    if isinstance(x, ModuleType):
        return x.__name__.split(".")[0]
    module = getattr(x, "__module__", None)
    return module.split(".")[0] if callable(x) and isinstance(module, str) else ""


class Writing:
    """A function written with this module, as JAX traces it; it also returns what it has written.

    `written` are the places of the arguments, flat, that the last trace has written into.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.written: list[int] = []

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """Return the results, and what the written arguments are then."""
        leaves, tree = flatten((args, kwargs))
        if not any(map(is_tracer, leaves)):
            return self._function(*args, **kwargs), []
        result, self.written, updates = traced(self._function, leaves, tree)
        return result, updates


def writes_into_tracer(error: TypeError) -> bool:
    """Whether an error is JAX's of an assignment to an element."""
    return "item assignment" in str(error)


def write_back(leaves: Sequence[Any], written: Sequence[int], updates: Sequence[Any]) -> None:
    """Write into the arguments of a call what the function has written."""
    for place, update in zip(written, updates, strict=True):
        x = leaves[place]
        if isinstance(x, ndarray):
            x[...] = update
        elif isinstance(x, np.ndarray):
            x[...] = np.asarray(update)
        else:
            raise TypeError(f"the function writes into an argument of {type(x)}, which cannot be")


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
        return list(self._run(self._function)(*arrays))

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


def flat(function: Callable[..., Any], tree: Any) -> tuple[Callable[..., list[Any]], list[Any]]:
    """Return a function of flat arguments and results, and a list that gets the results' tree."""
    trees: list[Any] = []

    def of(*leaves: Any) -> list[Any]:
        args, kwargs = unflatten(tree, list(leaves))
        found, out_tree = flatten(function(*args, **kwargs))
        trees[:] = [out_tree]
        return list(found)

    return of, trees
