"""Classes derived from ours, as NumPy's `ndarray` is derived from.

What arrays of such a class give is of their class: operators, methods and attributes compute with
plain arrays over the same memory, and their results are seen as the class and finished by
`__array_finalize__`. Functions and ufuncs ask `__array_function__` and `__array_ufunc__` if the
class has its own, and `__array_wrap__` for what they give.
"""

from __future__ import annotations

import functools
import itertools
from types import FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.machine import function_type

from .._array.array_likes import as_array, converted, wraps_results
from .._array.handle import Handle, header, is_derived, ndarray, new_handle, scalar
from .._array.making import view as seen_through
from .._calls.functions import MAKERS
from .._functions.host import in_front_of
from .._ufuncs.ufunc import ufunc
from .asking import by_ufuncs
from .asking.overriding import answered, normal, operands, overriding
from .asking.wrapping import wrapped, wrapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OWN = frozenset(
    (
        *("__new__", "__init__", "__init_subclass__", "__class_getitem__", "__class__", "__doc__"),
        *("__getattribute__", "__setattr__", "__delattr__", "__dir__", "__repr__", "__str__"),
        *("__array_finalize__", "__array_wrap__", "__array_ufunc__", "__array_function__"),
        *("__array__", "__reduce__", "__reduce_ex__", "__setstate__", "__subclasshook__"),
        *("__sizeof__", "view", "resize"),
        *("__len__", "__iter__", "__contains__", "__hash__", "__format__", "base"),
    )
)
"""What a class has that needs no treatment, or has one here."""
_METHODS = (FunctionType, function_type, MethodDescriptorType, WrapperDescriptorType)
"""Types of what is called with an array."""


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
    kind.__array_finalize__(found, source)  # type: ignore[attr-defined]
    return found


_REDUCTIONS = frozenset(
    (
        *("sum", "prod", "mean", "std", "var", "min", "max", "amin", "amax", "any", "all", "ptp"),
        *("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "average", "median"),
        *("reduce", "matmul", "__matmul__", "__rmatmul__"),
    )
)
"""What gives an array of the class even where no axes are left."""
_PLAIN = frozenset(
    (
        *("concatenate", "concat", "stack", "hstack", "vstack", "dstack", "column_stack", "block"),
        *("where", "select", "choose", "einsum", "tensordot", "meshgrid", "tolist", "item"),
        *("digitize", "searchsorted", "nonzero", "flatnonzero", "bincount"),
    )
)
"""What gives plain arrays whatever it is given."""
_SEEN = ("broadcast_to", "broadcast_arrays", "as_strided", "sliding_window_view", "copy")
"""Functions that give arrays of the class only if they are asked to."""


def _finished(found: Any, source: Any, name: str) -> Any:
    """Return the results of something, in which plain arrays are of the class of its operand."""
    if name in _PLAIN:
        return found
    if type(found) is scalar and name in _REDUCTIONS:
        found = found[...]
    if type(found) is ndarray:
        return as_class(found, type(source), source)
    if type(found) in (list, tuple):
        return type(found)(_finished(x, source, name) for x in found)
    return found


def _method(name: str, of_plain: Any) -> Callable[..., Any]:
    """Return a method of derived classes."""
    by_ufunc = by_ufuncs.METHODS.get(name)

    @functools.wraps(of_plain, assigned=("__name__", "__doc__"))
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if by_ufunc is not None and _is_asked(self):
            return by_ufunc(self, *args, **kwargs)
        others = [x for x in args if is_derived(x) and type(x) is not type(self)]
        if name in _OPERATORS and any(issubclass(type(x), type(self)) for x in others):
            return NotImplemented  # a class that is derived further has its say
        array = plain(self)
        found = getattr(ndarray, name)(array, *plain(args), **plain(kwargs))
        if found is array:
            return self
        source = max((self, *others), key=_priority) if others and name in _SHARED else self
        return _finished(found, source, name)

    return method


def _is_asked(x: Any) -> bool:
    """Whether the class of an array answers ufuncs itself, or wraps their results."""
    return overriding(x) or type(x).__array_wrap__ is not __array_wrap__


_OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"),
        *("lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge"),
    )
)


_SHARED = _OPERATORS | frozenset(name.replace("__", "__r", 1) for name in _OPERATORS)
"""Operators, whose results are of the class of the operand with the highest priority."""


def _priority(x: Any) -> Any:
    return getattr(x, "__array_priority__", 0.0)


def _attribute(name: str, of_plain: Any) -> property:
    def get(self: Any) -> Any:
        return _finished(getattr(plain(self), name), self, name)

    def put(self: Any, value: Any) -> None:
        of_plain.__set__(self, value)

    writable = isinstance(of_plain, property) and of_plain.fset is not None
    return property(get, put if writable else None, doc=of_plain.__doc__)


def derive(cls: Any, /, **named: Any) -> None:
    """Give a class that is derived from ours the members that give arrays of the class."""
    super(ndarray, cls).__init_subclass__(**named)
    if cls.__base__ is not ndarray:
        return  # it has them from the class that it is derived from
    for kind in (Handle, ndarray):
        for name, member in vars(kind).items():
            if name in _OWN or name.startswith("_") != name.startswith("__") or name in vars(cls):
                continue
            if isinstance(member, _METHODS):
                setattr(cls, name, _method(name, member))
            elif name in _VIEWS:
                setattr(cls, name, _attribute(name, member))


_VIEWS = ("T", "mT", "real", "imag")


# -- functions and ufuncs


def _derived_among(x: Any) -> Iterator[Any]:
    if is_derived(x):
        yield x
    elif isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _derived_among(item)


def _made_of_derived(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call with arrays of derived classes among its arguments, as NumPy would."""
    if kwargs.get("like") is not None:
        return NotImplemented
    ufunc_, method, given = _call_of_ufunc(function, args)
    if ufunc_ is not None:
        return _made_by_ufunc(function, ufunc_, method, *normal(ufunc_, method, given, kwargs))
    found = list(_derived_among((args, kwargs)))
    if not found:
        return NotImplemented
    first = max(found, key=_priority)
    ours = vars(Handle)["__array_function__"]
    for x in found:
        if type(x).__array_function__ is not ours:
            kinds = tuple({type(y) for y in found})
            return x.__array_function__(in_front_of(function), kinds, args, kwargs)
    own = by_own_method(function, args, kwargs)
    if own is not NotImplemented:
        return own
    bound = getattr(function, "__self__", None)
    call = function if bound is None or not is_derived(bound) else function.__func__
    result = call(*plain(args), **plain(kwargs))
    out = kwargs.get("out")
    if out is not None and out is not ...:
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out
    seen = function.__name__ in _SEEN and not kwargs.get("subok")
    if seen or kwargs.get("subok") is False or ".fft" in (function.__module__ or ""):
        return result
    if function.__name__ == "broadcast_arrays":
        pairs = zip(result, args, strict=True)
        return tuple(_finished(x, y, "") if is_derived(y) else x for x, y in pairs)
    return _wrapped(result, first, None, function.__name__)


_OF_METHODS = frozenset(
    (
        *("sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "cumsum", "cumprod"),
        *("argmax", "argmin", "argsort", "choose", "clip", "compress", "diagonal", "dot"),
        *("nonzero", "put", "repeat", "reshape", "round", "searchsorted", "squeeze", "swapaxes"),
        *("take", "trace", "transpose"),
    )
)
"""Functions of which NumPy has the method of an array that is none of its own make the call."""


def by_own_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a function's call by the method of a derived class; NotImplemented if that is ours."""
    name = function.__name__
    if name not in _OF_METHODS or not args or not is_derived(args[0]):
        return NotImplemented
    method = getattr(args[0], name)
    reduces = name in by_ufuncs.METHODS
    if getattr(method, "__wrapped__", None) is getattr(ndarray, name) and not (
        reduces and _is_asked(args[0])
    ):
        return NotImplemented
    if reduces and len(args) < 3:  # as NumPy, which names these
        axis = args[1] if len(args) == 2 else None
        return method(**{"axis": axis, "out": None, **kwargs})
    return method(*args[1:], **{key: x for key, x in kwargs.items() if x is not None})


def _made_by_ufunc(
    function: Any, ufunc_: Any, method: str, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Make a ufunc's call, or that of a method of it, and let operands or outputs wrap results."""
    among = any(wraps_results(type(x)) for x in operands(given, named))
    if not among and not list(_derived_among((given, named))):
        return NotImplemented
    answer = answered(ufunc_, method, given, named)
    if answer is not NotImplemented:
        return answer
    args = given if method == "__call__" else (ufunc_, *given)
    result = function(*map(_plain_operand, args), **plain(named))
    if method == "at":
        return None
    calls, wraps = method in ("__call__", "outer"), named.get("subok") is not False
    source = wrapping(given if calls else given[:1]) if wraps else None
    out = named.get("out")
    outs = out if isinstance(out, tuple) else ()
    made = [
        _finished_by(source, x, to, (ufunc_, (*given, *outs), k) if calls else None, wraps=wraps)
        for k, (x, to) in enumerate(
            itertools.zip_longest(result if ufunc_.nout > 1 else (result,), outs)
        )
    ]
    return made[0] if ufunc_.nout == 1 else tuple(made)


def _asked_with_ours(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Ask types that have no answer where they are given NumPy's arrays, with arrays of ours."""
    ufunc_, method, given = _call_of_ufunc(function, args)
    if ufunc_ is None:
        return NotImplemented
    given, named = normal(ufunc_, method, given, kwargs)
    return answered(ufunc_, method, given, named, with_ours=True)


def _plain_operand(x: Any) -> Any:
    return converted(x) if wraps_results(type(x)) else plain(x)


def _finished_by(source: Any, result: Any, out: Any, call: Any, *, wraps: bool) -> Any:
    """Return one result of a ufunc as the operand that wraps it has it, or the output it is in."""
    if out is not None:
        asked = wraps and type(out).__array_wrap__ is not __array_wrap__
        return wrapped(out, plain(out), call) if asked else out
    return result if source is None else _wrapped(result, source, call, "reduce")


def _call_of_ufunc(function: Any, args: tuple[Any, ...]) -> tuple[Any, str, tuple[Any, ...]]:
    """Return the ufunc that a call is of, its method and operands; None for a function."""
    bound = getattr(function, "__self__", None)
    if isinstance(bound, ufunc):
        return bound, "__call__", args
    if args and isinstance(args[0], ufunc):
        return args[0], function.__name__, args[1:]
    public = in_front_of(function)
    return (public, "__call__", args) if isinstance(public, ufunc) else (None, "", args)


def _wrapped(result: Any, source: Any, call: Any, name: str) -> Any:
    """Return a result of a call as the class of an operand has it, given the call of a ufunc."""
    if getattr(type(source), "__array_wrap__", None) is __array_wrap__ or name in _PLAIN:
        return _finished(result, source, name)
    if type(result) in (list, tuple):
        return type(result)(_wrapped(x, source, call, name) for x in result)
    if type(result) not in (ndarray, scalar):
        return result
    return wrapped(source, result, call)


def __array_finalize__(self: Any, obj: Any, /) -> None:
    """Do nothing: what classes derived from this one have in its place finishes their arrays."""


def __array_wrap__(
    self: Any, array: Any, context: Any = None, return_scalar: bool = False, /
) -> Any:
    """Return a result as an array of the class of this one; a scalar where one was asked for."""
    if isinstance(array, scalar):
        return array
    return as_class(array if isinstance(array, ndarray) else as_array(array), type(self), self)


MAKERS.insert(0, _made_of_derived)
MAKERS.append(_asked_with_ours)
OF_ARRAYS = {
    "__init_subclass__": classmethod(derive),
    "__array_finalize__": __array_finalize__,
    "__array_wrap__": __array_wrap__,
}
