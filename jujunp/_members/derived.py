"""Classes derived from ours, as NumPy's `ndarray` is derived from.

What arrays of such a class give is of their class: operators, methods and attributes compute with
plain arrays over the same memory, and their results are seen as the class and finished by
`__array_finalize__`. What functions make of such arrays is in asking/functions.py.
"""

from __future__ import annotations

import functools
import operator
from types import EllipsisType, FunctionType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.library import TYPES
from jujunp.lazy.run.machine import set_classes

from .._array.array_likes import converted
from .._array.handle import WHEN_CHANGED, Handle, is_derived, ndarray, scalar
from .._array.native import Operator
from .._calls.traits import said_as
from .asking import by_ufuncs
from .asking.overriding import overriding
from .asking.results import CALLED, JOINING, PLAIN, PLAIN_PARTS, REDUCTIONS
from .asking.wrapping import plain_view

if TYPE_CHECKING:
    from collections.abc import Callable

OWN = frozenset(
    (
        *("__new__", "__init__", "__init_subclass__", "__class_getitem__", "__class__", "__doc__"),
        *("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__repr__", "__str__"),
        *("__array_finalize__", "__array_wrap__", "__array_ufunc__", "__array_function__"),
        *("__array__", "__reduce__", "__reduce_ex__", "__setstate__", "__subclasshook__"),
        *("__sizeof__", "view", "resize"),
        *("__len__", "__iter__", "__contains__", "__hash__", "__format__", "base"),
        *("__bool__", "__float__", "__int__", "__complex__", "__index__", "__setitem__"),
    )
)
"""What a class has that needs no treatment, or has one here."""


def plain(x: Any) -> Any:
    """Return arguments with arrays of derived classes as plain ones over the same memory."""
    if is_derived(x):
        return plain_view(x)
    if type(x) in (list, tuple):
        return type(x)(map(plain, x))
    if type(x) is dict:
        return {key: plain(value) for key, value in x.items()}
    return x


if TYPE_CHECKING:

    def as_class(x: ndarray, kind: type[ndarray], source: Any, /) -> Any:
        """Return an array as one of a class, finished as NumPy does, given what it was made from.

        This and the next are Mojo's: kernels/vm/record/derived.mojo.
        """

    def origin(x: Handle, /) -> Any:
        """Return the array that one is a view of, `base` in NumPy; None for an owner."""

else:
    as_class, origin = map(TYPES.get, ("as_class", "origin"))


def finished(found: Any, source: Any, name: str) -> Any:
    """Return the results of something, in which plain arrays are of the class of its operand."""
    joined = name in JOINING
    plain_alone = name in PLAIN or (joined and priority(source) <= 0)
    if plain_alone and not isinstance(found, tuple):
        return found
    if isinstance(found, (list, tuple)):
        return each(found, name, lambda x, name: finished(x, source, name))
    if isinstance(found, scalar) and name in REDUCTIONS:
        found = found[...]
    if type(found) is ndarray:
        return as_class(found, type(source), None if joined else source)
    return found


def each(found: Any, name: str, finish: Callable[[Any, str], Any]) -> Any:
    """Return several results of a function, each finished, but for those that are plain."""
    named = hasattr(found, "_fields")
    but = PLAIN_PARTS.get(type(found).__name__ if named else name, ())
    parts = (x if k in but else finish(x, "" if but else name) for k, x in enumerate(found))
    return type(found)(*parts) if named else type(found)(parts)


def _made_plainly(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call with plain arrays, and return an array that was given as it was given."""
    given, named = plain(args), plain(kwargs)
    found = call(*given, **named)
    pairs = zip((*args, *kwargs.values()), (*given, *named.values()), strict=True)
    return next((x for x, y in pairs if y is found), found)


def _method(name: str, of_plain: Any) -> Callable[..., Any]:
    """Return a method of derived classes."""
    by_ufunc = by_ufuncs.METHODS.get(name)

    @functools.wraps(of_plain, assigned=("__name__", "__doc__"))
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if by_ufunc is not None and is_asked(self):
            return by_ufunc(self, *args, **kwargs)
        others = [x for x in args if is_derived(x) and type(x) is not type(self)]
        if kwargs.get("subok") is False:
            return getattr(ndarray, name)(plain(self), *args, **kwargs)
        found = _made_plainly(getattr(ndarray, name), (self, *args), kwargs)
        if any(found is x for x in (self, *args, *kwargs.values())):
            return found  # such as an output
        source = max((self, *others), key=priority) if others and name in _SHARED else self
        return finished(found, source, name)

    return method


# what a class has of its own, by the numbers of kernels/vm/record/derived.mojo
_UFUNCS, _FUNCTIONS, _METHODS, _PARTS, _FIRST, _PLAIN_NAMES = (1 << k for k in range(6))


class Classes(dict[type, tuple[int, Any, frozenset[str]]]):
    """By a derived class: what it has of its own.

    That is a sum, `__array_finalize__`, None if that is ours, and the names of methods.
    """

    def __missing__(self, kind: Any) -> tuple[int, Any, frozenset[str]]:
        finalize, answer = kind.__array_finalize__, vars(Handle)["__array_function__"]
        methods = frozenset(name for name in CALLED if _is_own(kind, name))
        found = (
            (_UFUNCS if overriding(kind) or kind.__array_wrap__ is not __array_wrap__ else 0)
            | (_FUNCTIONS if kind.__array_function__ is not answer else 0)
            | (_METHODS if methods else 0)
            | (_PARTS if _is_own(kind, "__getitem__") else 0)
            | (_FIRST if priority(kind) > 0 else 0)
            | (_PLAIN_NAMES if getattr(kind, "_gives_plain", False) else 0)
        )
        own = None if finalize is __array_finalize__ else finalize
        self[kind] = known = found, own, methods
        return known


def _is_own(kind: Any, name: str) -> bool:
    return getattr(kind, name) is not getattr(ndarray, name)


_CLASSES = Classes()
set_classes(_CLASSES)
WHEN_CHANGED.append(_CLASSES.clear)


def is_asked(x: Any) -> bool:
    """Whether the class of an array answers ufuncs itself, or wraps their results."""
    return bool(_CLASSES[type(x)][0] & _UFUNCS)


def answers_functions(x: Any) -> bool:
    """Whether the class of an array answers functions itself."""
    return bool(_CLASSES[type(x)][0] & _FUNCTIONS)


_OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"),
        *("lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge", "divmod"),
    )
)


_SHARED = _OPERATORS | frozenset(name.replace("__", "__r", 1) for name in _OPERATORS)
"""Operators, whose results are of the class of the operand with the highest priority."""


def priority(x: Any) -> Any:
    found = getattr(x, "__array_priority__", 0.0)
    return 0.0 if found == ndarray.__array_priority__ else found


def is_inherited(x: Any, name: str) -> bool:
    """Whether the method that an array has by a name is that of our class."""
    return getattr(type(x), name) is getattr(ndarray, name)


@functools.cache
def inherited(name: str) -> Callable[..., Any]:
    """Return a method as arrays of derived classes have it."""
    return _method(name, getattr(ndarray, name))


def _writing(function: Any) -> Any:
    """Return what writes to a part: to the one that the class gives for a key that names a view."""

    @functools.wraps(function)
    def set_part(self: Any, key: Any, value: Any) -> Any:
        if not is_derived(self):
            return function(self, key, value)
        if _CLASSES[type(self)][0] & _PARTS and _is_view(key):
            self, key = self[key], ...
        return function(plain(self), plain(key), plain(value))

    return _as_member("__setitem__", said_as(function, set_part))


NAMES: dict[Any, str] = {}
"""Names of members, by the functions that are called as such and have names of their own."""


def _as_member(name: str, function: Any) -> Any:
    NAMES[function] = name
    return function


def _is_view(key: Any) -> bool:
    """Whether a key names a view, by slices, new axes and perhaps numbers."""
    parts = key if type(key) is tuple else (key,)
    named = [isinstance(part, (slice, EllipsisType, NoneType)) for part in parts]
    numbers = [type(part) is int or isinstance(part, np.integer) for part in parts]
    return any(named) and all(map(operator.or_, named, numbers))


VIEWS = frozenset(("T", "mT", "real", "imag"))
"""What is read like a field and gives views."""


def for_derived(member: Any, name: str) -> Any:
    """Return a member of arrays that gives arrays of a derived class for those of one."""
    if name == "__setitem__" and isinstance(member, Operator):
        return member._replace(forward=_writing(member.forward))
    if name in OWN or name.startswith("_") != name.startswith("__"):
        return member
    if isinstance(member, property) and name in VIEWS:
        return property(_attribute(name, member.fget), member.fset, doc=member.__doc__)
    if isinstance(member, Operator) and name in VIEWS:
        return member._replace(forward=_attribute(name, member.forward))
    if isinstance(member, Operator):
        reflected = member.reflected
        return member._replace(
            forward=_for_both(name, member.forward),
            reflected=reflected and _for_both(name.replace("__", "__r", 1), reflected),
        )
    return _for_both(name, member) if type(member) is FunctionType else member


def _for_both(name: str, function: Any) -> Any:
    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_derived(self):
            return function(self, *args, **kwargs)
        return inherited(name)(self, *args, **kwargs)

    return _as_member(name, said_as(getattr(function, "__func__", function), method))


def _attribute(name: str, function: Any) -> Any:
    @functools.wraps(function)
    def get(self: Any) -> Any:
        if is_derived(self):
            return finished(getattr(plain(self), name), self, name)
        return function(self)

    return _as_member(name, said_as(function, get))


def __contains__(self: Any, item: Any) -> bool:
    x = self
    if is_derived(x) and is_inherited(x, "__eq__") and not is_asked(x):
        x = plain(x)
    found: Any = x == item
    return bool(found.any())


def __array_finalize__(self: Any, obj: Any, /) -> None:
    """Do nothing: what classes derived from this one have in its place finishes their arrays."""


def __array_wrap__(
    self: Any, array: Any, context: Any = None, return_scalar: bool = False, /
) -> Any:
    """Return a result as an array of the class of this one; a scalar where one was asked for."""
    is_ours: bool = isinstance(self, Handle)
    if not is_ours:  # of `ndarray.__array_wrap__(x, array)`
        return np.ndarray.__array_wrap__(self, array, context, return_scalar)
    if isinstance(array, scalar):
        return array
    found: Any = converted(array)
    return as_class(found, type(self), self)


OF_ARRAYS = {
    "__contains__": __contains__,
    "__array_finalize__": __array_finalize__,
    "__array_wrap__": __array_wrap__,
}
