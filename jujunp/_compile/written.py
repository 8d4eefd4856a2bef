"""Functions that `jit` is given: those of JAX, and those written with this module."""

from __future__ import annotations

import contextlib
import dis
import enum
import functools
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.sites import package

from .._array.handle import Array
from .._transforms.traceable import is_tracer, traced
from .._transforms.trees import flatten, unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


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
    named = list(_named(plain))
    if any(_package_of(x) in ("jax", "jaxlib") for x in named):
        return Kind.JAX
    ours = any(map(_is_ours, named)) or _writes(plain.__code__)
    if any(isinstance(x, ModuleType) and _package_of(x) == package().__name__ for x in named):
        ours |= any(_is_ours(getattr(package(), name, None)) for name in _names(plain.__code__))
    return Kind.OURS if ours else Kind.UNKNOWN


def _is_ours(x: Any) -> bool:
    """Whether this records: a function of this module, or one of its modules.

    What users have made by it is none, since that takes what JAX traces.
    """
    if isinstance(x, (ModuleType, type)):
        return isinstance(x, ModuleType) and x.__name__.startswith(f"{package().__name__}.")
    module = getattr(x, "__module__", None) or ""
    return _package_of(x) == package().__name__ and not module.startswith(_OF_USERS)


_OF_USERS = tuple(f"{package().__name__}.{name}" for name in ("_extend", "_compile"))


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
        if isinstance(x, Array):
            x[...] = update
        elif isinstance(x, np.ndarray):
            x[...] = np.asarray(update)
        else:
            raise TypeError(f"the function writes into an argument of {type(x)}, which cannot be")


def flat(function: Callable[..., Any], tree: Any) -> tuple[Callable[..., list[Any]], list[Any]]:
    """Return a function of flat arguments and results, and a list that gets the results' tree."""
    trees: list[Any] = []

    def of(*leaves: Any) -> list[Any]:
        args, kwargs = unflatten(tree, list(leaves))
        found, out_tree = flatten(function(*args, **kwargs))
        trees[:] = [out_tree]
        return list(found)

    return of, trees
