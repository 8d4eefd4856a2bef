"""Classes derived from ours, as NumPy's `ndarray` is derived from.

What arrays of such a class give is of their class: operators, methods and attributes compute with
plain arrays over the same memory, and their results are seen as the class and finished by
`__array_finalize__`. What functions make of such arrays is in asking/functions.py.
"""

from __future__ import annotations

import functools
import operator
import weakref
from types import EllipsisType, FunctionType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._array.array_likes import converted
from .._array.handle import (
    NATIVE,
    WHEN_CHANGED,
    Array,
    header,
    is_derived,
    ndarray,
    new_handle,
    scalar,
)
from .._array.making import view as seen_through
from .._array.native import Operator
from .._calls.traits import said_as
from .asking import by_ufuncs
from .asking.overriding import overriding

if TYPE_CHECKING:
    from collections.abc import Callable

_OWN = frozenset(
    (
        *("__new__", "__init__", "__init_subclass__", "__class_getitem__", "__class__", "__doc__"),
        *("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__repr__", "__str__"),
        *("__array_finalize__", "__array_wrap__", "__array_ufunc__", "__array_function__"),
        *("__array__", "__reduce__", "__reduce_ex__", "__setstate__", "__subclasshook__"),
        *("__sizeof__", "view", "resize"),
        *("__len__", "__iter__", "__contains__", "__hash__", "__format__", "base"),
        *("__bool__", "__float__", "__int__", "__complex__", "__index__"),
        "__setitem__",
    )
)
"""What a class has that needs no treatment, or has one here."""


def plain(x: Any) -> Any:
    """Return arguments with arrays of derived classes as plain ones over the same memory."""
    if is_derived(x):
        return seen_through(x, header(x))
    if type(x) in (list, tuple):
        return type(x)(map(plain, x))
    if type(x) is dict:
        return {key: plain(value) for key, value in x.items()}
    return x


def as_class(x: ndarray, kind: type[ndarray], source: Any) -> Any:
    """Return an array as one of a class, finished as NumPy does, given what it was made from."""
    if type(x) is kind:
        return x
    owner = x if x._base is None else x._base
    layout = x._layout if x._layout is not None else header(x)
    found: Any = new_handle(kind, None, owner, layout, x._shape, x._code)
    found._readonly = x._readonly
    if isinstance(source, Array) and owner is (source if source._base is None else source._base):
        _remember(found, source)
    finalize: Any = kind.__array_finalize__  # type: ignore[attr-defined]
    if finalize is not __array_finalize__:
        finalize(found, source)
    return found


_ORIGINS: dict[int, tuple[Any, ndarray]] = {}
"""By an array's identity, with a reference that does not keep it: what it was seen from."""


def origin(x: Any) -> Any:
    """Return the array that one is a view of, `base` in NumPy; None for an owner.

    A plain array is a view of the owner. One of a derived class is a view of the array that it was
    seen from, or of the first of its own class that this is a view of.
    """
    found = _ORIGINS.get(id(x)) if is_derived(x) else None
    return x._base if found is None else found[1]


def _remember(x: ndarray, source: ndarray) -> None:
    """Remember what an array of a derived class was seen from, unless that is the owner."""
    while type(before := origin(source)) is type(x):
        source = before
    if source is not x._base:
        key = id(x)
        _ORIGINS[key] = weakref.ref(x, lambda _: _ORIGINS.pop(key)), source


_REDUCTIONS = frozenset(
    (
        *("sum", "prod", "mean", "std", "var", "min", "max", "amin", "amax", "any", "all", "ptp"),
        *("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "average", "median"),
        *("reduce", "matmul", "__matmul__", "__rmatmul__"),
    )
)
"""What gives an array of the class even where no axes are left."""
PLAIN = frozenset(
    (
        *("where", "select", "einsum", "tensordot", "meshgrid", "tolist", "item", "tril", "triu"),
        *("tril_indices_from", "triu_indices_from", "outer", "cross", "vdot", "pad", "isin"),
        *("argwhere", "interp", "cov", "corrcoef", "histogram", "histogram_bin_edges", "unwrap"),
        *("sinc", "apply_over_axes"),
        *("digitize", "searchsorted", "nonzero", "flatnonzero", "bincount"),
        *("eigvals", "eigvalsh", "svdvals", "norm", "matrix_norm", "vector_norm", "cond", "det"),
        *("slogdet", "matrix_rank", "tensorinv", "svd"),
    )
)
"""What gives plain arrays whatever it is given."""
JOINING = frozenset(
    (
        *("concatenate", "concat", "stack", "hstack", "vstack", "dstack", "column_stack"),
        *("block", "append", "resize", "union1d", "intersect1d"),
    )
)
"""What gives arrays of a class whose priority is above that of plain arrays, made of nothing."""
_PLAIN_PARTS = {
    **{"EigResult": (0,), "EighResult": (0,), "SVDResult": (1,)},
    **{"lstsq": (2, 3), "qr": (1,)},
}
"""Which of several results are plain arrays: by the type that they come in, or by the function."""


def finished(found: Any, source: Any, name: str) -> Any:
    """Return the results of something, in which plain arrays are of the class of its operand."""
    joined = name in JOINING
    plain_alone = name in PLAIN or (joined and priority(source) <= 0)
    if plain_alone and not isinstance(found, tuple):
        return found
    if isinstance(found, (list, tuple)):
        return each(found, name, lambda x, name: finished(x, source, name))
    if isinstance(found, scalar) and name in _REDUCTIONS:
        found = found[...]
    if type(found) is ndarray:
        return as_class(found, type(source), None if joined else source)
    return found


def each(found: Any, name: str, finish: Callable[[Any, str], Any]) -> Any:
    """Return several results of a function, each finished, but for those that are plain."""
    named = hasattr(found, "_fields")
    but = _PLAIN_PARTS.get(type(found).__name__ if named else name, ())
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


def is_asked(x: Any) -> bool:
    """Whether the class of an array answers ufuncs itself, or wraps their results."""
    return _is_asked(type(x))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=256)
def _is_asked(kind: Any) -> bool:
    return overriding(kind) or kind.__array_wrap__ is not __array_wrap__


WHEN_CHANGED.append(_is_asked.cache_clear)


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


def _set(self: Any, key: Any, value: Any) -> None:
    """Write to a part: to the one that the class gives for the key, where that is a view."""
    if _is_view(key):
        self, key = self[key], ...
    ndarray.__setitem__(plain(self), plain(key), plain(value))


def _is_view(key: Any) -> bool:
    """Whether a key names a view, by slices, new axes and perhaps numbers."""
    parts = key if type(key) is tuple else (key,)
    named = [isinstance(part, (slice, EllipsisType, NoneType)) for part in parts]
    numbers = [type(part) is int or isinstance(part, np.integer) for part in parts]
    return any(named) and all(map(operator.or_, named, numbers))


VIEWS = frozenset(("T", "mT", "real", "imag"))
"""What is read like a field and gives views."""
_SIMPLE = _SHARED - {"__divmod__", "__rdivmod__", "__matmul__", "__rmatmul__"} | {"__getitem__"}
"""What gives one array, or a scalar that is none of the class."""
UNCLASSED = NATIVE | {bool, int, float, complex, slice, NoneType, EllipsisType}
"""Types of operands and keys that have no say in the class of a result with axes."""


def derive(cls: Any, /, **named: Any) -> None:
    """Have a class that is derived from ours, and has parts of its own, write to what it gives."""
    super(ndarray, cls).__init_subclass__(**named)
    if "__getitem__" in vars(cls) and "__setitem__" not in vars(cls):
        cls.__setitem__ = _set


def for_derived(member: Any, name: str) -> Any:
    """Return a member of arrays that gives arrays of a derived class for those of one."""
    if name in _OWN or name.startswith("_") != name.startswith("__"):
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
    asked = name in by_ufuncs.METHODS
    is_simple = name in _SIMPLE

    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_derived(self):
            return function(self, *args, **kwargs)
        kind = type(args[0]) if is_simple else None
        alone = kind in UNCLASSED or kind is type(self)
        if alone and not (asked and is_asked(self)):
            found = getattr(ndarray, name)(plain(self), *map(plain, args))
            return as_class(found, type(self), self) if type(found) is ndarray else found
        return inherited(name)(self, *args, **kwargs)

    return said_as(getattr(function, "__func__", function), method)


def _attribute(name: str, function: Any) -> Any:
    @functools.wraps(function)
    def get(self: Any) -> Any:
        if is_derived(self):
            return finished(getattr(plain(self), name), self, name)
        return function(self)

    return said_as(function, get)


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
    if isinstance(array, scalar):
        return array
    found: Any = converted(array)
    return as_class(found, type(self), self)


OF_ARRAYS = {
    "__init_subclass__": classmethod(derive),
    "__contains__": __contains__,
    "__array_finalize__": __array_finalize__,
    "__array_wrap__": __array_wrap__,
}
