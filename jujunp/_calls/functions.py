"""Public functions and methods: objects that stand before Python functions.

Such an object (kernels/vm/calls/function.mojo) knows a call by its signature: the shapes, dtypes
and strides of arrays, the values of numbers, the identity of all else. When a signature comes for
the fourth time, `learn` makes the call and writes a transcript of what it has recorded, which later
calls of this signature follow (kernels/vm/calls/replay.mojo). Those of
functions that are uniform (jujunp/_calls/traits.py) are for arrays of any extents, if they can.
"""

from __future__ import annotations

import functools
import inspect
import os
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine, settling, sites
from jujunp.lazy.values.dtypes import Foreign

from .._array.array_likes import Traced, is_jaxs
from .._array.native import Operator
from . import kept
from .learning import learn
from .traits import has_said, said_as, traits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


MEMBERS: set[Any] = set()
"""Functions that are called as members of arrays, not as public functions."""


def function(
    otherwise: Callable[..., Any], ufuncs: dict[Any, Any] | None = None, *, free: bool = False
) -> Any:
    """Return a function that stands before a Python function, and looks like it.

    One that is given ufuncs, by NumPy's, is `__array_ufunc__`. A free one is no method where it is
    an attribute of a class, like Python's built-in functions.
    """
    traits = traits_of(otherwise) | (machine.CONSTANTS["free"] if free else 0)
    made = machine.function(otherwise, ufuncs, traits)
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(otherwise, name))
    made.__wrapped__ = otherwise
    kept.name(made, otherwise, member=otherwise in MEMBERS)
    return made


_PACKAGE = sites.package().__name__
_RECORDING = tuple(f"{_PACKAGE}.{name}." for name in ("_functions", "linalg", "fft", "lib"))
"""Chapters of functions that record."""
_OTHERS = tuple(f"{_PACKAGE}._functions.{name}" for name in ("host", "dtypes"))
"""Modules there whose functions do not, unless they say something of themselves."""


def functions(namespace: dict[str, Any]) -> None:
    """Put such functions before the package's Python functions that a namespace has."""
    for name, item in namespace.items():
        module = getattr(item, "__module__", None) or ""
        says = not module.startswith(_OTHERS) or has_said(item)
        records = module.startswith(_RECORDING) and says
        if type(item) is FunctionType and name[0] != "_" and records:
            built_in = isinstance(getattr(np, name, None), BuiltinFunctionType)
            made = namespace[name] = function(item, free=built_in)
            made.__module__ = namespace["__name__"]
        elif type(item) is FunctionType and module.startswith(_PACKAGE) and _tells(name):
            item.__signature__ = inspect.signature(item)  # type: ignore[attr-defined]


def _tells(name: str) -> bool:
    """Whether NumPy's function of a name has an attribute that says what its parameters are."""
    return hasattr(getattr(np, name, None), "__signature__")


def _of_members(given: FunctionType, name: str) -> FunctionType:
    """Return a function for members of a name: one that is public, too, has another as such."""
    code, names = given.__code__, given.__globals__
    made = FunctionType(code, names, given.__name__, given.__defaults__, given.__closure__)
    made.__kwdefaults__ = given.__kwdefaults__
    for attribute in functools.WRAPPER_ASSIGNMENTS:
        setattr(made, attribute, getattr(given, attribute))
    made.__name__ = name
    MEMBERS.add(said_as(given, made))
    return made


def member(given: Any, name: str) -> Any:
    """Return a member of arrays with such functions in it: of a function, property or operator."""
    if type(given) is FunctionType:
        return function(_of_members(given, name))
    if isinstance(given, property) and given.fget is not None:
        return property(function(given.fget), given.fset)
    if isinstance(given, Operator):
        reflected = given.reflected
        return given._replace(
            forward=function(given.forward), reflected=reflected and function(reflected)
        )
    return given


def _represented(self: Any) -> str:
    if isinstance(getattr(self, "numpy", None), np.ufunc):
        return repr(self.numpy)
    return f"<function {self.__module__}.{self.__qualname__}>"


def _reduced(self: Any) -> str:
    """Return the name under which pickle finds the function in its module."""
    return str(self.__qualname__)


class _Signature:
    """What is said of parameters, where NumPy's function has such an attribute; read when wanted.

    Of a member, of arrays or of ufuncs, it is what NumPy's says (`theirs`).
    """

    def __get__(self, x: Any, kind: Any) -> inspect.Signature:
        theirs = getattr(x, "theirs", None)
        if theirs is None and x is not None and _tells(x.__name__):
            return inspect.signature(x.__wrapped__)
        if theirs is None:
            raise AttributeError("__signature__")
        try:
            return inspect.signature(theirs)
        except ValueError:  # releases before 2.4 say nothing
            raise AttributeError("__signature__") from None


FUNCTION_TYPES = (machine.function_type, type(function(_represented, free=True)))
for _type in FUNCTION_TYPES:
    _type.__signature__ = _Signature()
    _type.__repr__ = _represented
    _type.__reduce__ = _reduced


MAKERS: list[Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]] = []
"""What makes a call whose arguments are not ours alone: each returns NotImplemented for others."""


def _made_otherwise(function: Any, args: tuple[Any, ...], names: tuple[str, ...] | None) -> Any:
    """Make a call with arguments that JAX traces, or of dtypes that are NumPy's alone."""
    count = len(args) - len(names or ())
    named = dict(zip(names or (), args[count:], strict=True))
    for maker in MAKERS:
        found = maker(function, args[:count], named)
        if found is not NotImplemented:
            return found
    try:
        return function(*args[:count], **named)  # the error, once more
    except Foreign as error:
        raise TypeError(*error.args) from None


def _made_for_jax(function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if not any(map(is_jaxs, _leaves((args, named)))):
        return NotImplemented
    return sites.package().traceable.of_call(function, args, named)


def _leaves(x: Any) -> Iterator[Any]:
    """Return what is in nested sequences and dictionaries."""
    if isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _leaves(item)
    else:
        yield x


MAKERS.append(_made_for_jax)
machine.set_other_calls((Traced, Foreign), _made_otherwise)
_CHECKING = bool(os.environ.get("JUJUNP_CHECK_TRANSCRIPTS"))
"""Whether every call is made by its Python function and compared with its transcript, if any."""
machine.set_learner(functools.partial(learn, checking=_CHECKING), settling.first_outside, _CHECKING)
