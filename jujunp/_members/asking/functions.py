"""Functions and ufuncs that are called with arrays of classes derived from ours.

They ask `__array_function__` and `__array_ufunc__` if the class has its own, or the class's method
of a function's name, and `__array_wrap__` for what they give. All else is computed of plain arrays.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.machine import set_finishing
from jujunp.lazy.values.dtypes import Foreign

from ..._array.array_likes import converted, wraps_results
from ..._array.handle import NATIVE, is_derived
from ..._array.making import reshape
from ..._calls.functions import MAKERS, MEMBERS
from ..._functions.host import in_front_of
from ..._ufuncs.ufunc import ufunc
from ..derived import (
    OF_ARRAYS,
    answers_functions,
    each,
    finished,
    is_asked,
    is_inherited,
    plain,
    priority,
)
from . import by_ufuncs
from .finishing import Finishing
from .overriding import answered, answered_by_one, normal, operands
from .results import (
    CALLED,
    EACH_ITS_OWN,
    JOINING,
    PLAIN,
    PLAIN_OF_MATRICES,
    SEEN,
    SHAPED_BY,
    SOURCES,
)
from .wrapping import wrapped, wrapped_by_one, wrapping

if TYPE_CHECKING:
    from collections.abc import Iterator

_WRAP = OF_ARRAYS["__array_wrap__"]
_OF_SEQUENCES = {*JOINING, "multi_dot"}
"""Functions of arrays in a sequence; in other functions sequences become plain arrays."""


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
        if method == "__call__" and not kwargs and len(given) == ufunc_.nin == ufunc_.nargs - 1:
            for one in (answered_by_one, wrapped_by_one):
                made = one(ufunc_, given)
                if made is not NotImplemented:
                    return made
        return _made_by_ufunc(function, ufunc_, method, *normal(ufunc_, method, given, kwargs))
    found = list(_derived_among((args, kwargs)))
    if not found:
        return NotImplemented
    for x in found:
        if answers_functions(x):
            kinds = tuple({type(y) for y in found})
            return x.__array_function__(in_front_of(function), kinds, args, kwargs)
    try:
        return _made_by_class(function, args, kwargs, found)
    except Foreign:  # NumPy makes calls with other dtypes
        return NotImplemented


def left_to_us(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call whose answer a class leaves to ours, by `super().__array_function__`."""
    return _made_by_class(function, args, kwargs, list(_derived_among((args, kwargs))))


def _made_by_class(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Any]
) -> Any:
    """Make a call by the method of a class, or of plain arrays, and give arrays of the class."""
    own = NotImplemented if function in MEMBERS else _by_own_method(function, args, kwargs)
    if own is not NotImplemented:
        return own
    bound = getattr(function, "__self__", None)
    call = function if bound is None or not is_derived(bound) else function.__func__
    result = call(*plain(args), **plain(kwargs))
    return _of_class(result, function, args, kwargs, found) if found else result


def _of_class(
    result: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], among: list[Any]
) -> Any:
    """Return what a function has made of plain arrays, as it is given for those of a class."""
    name, out = function.__name__, kwargs.get("out")
    if out is not None and out is not ...:
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out
    source = _source(name, among, args, kwargs)
    seen = name in SEEN and not kwargs.get("subok")
    if seen or kwargs.get("subok") is False or ".fft" in (function.__module__ or ""):
        return result
    if source is None or (name in PLAIN_OF_MATRICES and getattr(source, "_gives_plain", False)):
        return result
    if name in EACH_ITS_OWN:
        results = result if isinstance(result, tuple) else (result,)
        own = tuple(
            finished(x, y, "") if is_derived(y) else x for x, y in zip(results, args, strict=False)
        )
        return own if result is results else own[0]
    first = _argument(0, "a", args, kwargs)
    if name in SHAPED_BY and is_derived(first):
        return _shaped(result, first, SHAPED_BY[name], _argument(1, "axis", args, kwargs))
    return _wrapped(result, source, None, name)


def _argument(at: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[at] if at < len(args) else kwargs.get(name)


def _source(name: str, among: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the array whose class the results of a function are of; None if they are plain."""
    if name in SOURCES:
        among = [_argument(*SOURCES[name], args, kwargs)]
    elif name not in _OF_SEQUENCES:
        among = [*args, *kwargs.values()]
    return max(filter(is_derived, among), key=priority, default=None)


def _shaped(result: Any, x: Any, name: str, axis: Any) -> Any:
    """Return results as arrays of a class, in the shape that a method of it gives them."""
    method = getattr(x, name)
    if is_inherited(x, name):
        return _wrapped(result, x, None, name)
    like = method(axis=axis)
    if not is_derived(like):
        return result
    shape = like.shape
    if isinstance(result, tuple):
        return tuple(_wrapped(reshape(one, shape), x, None, name) for one in result)
    return _wrapped(reshape(result, shape), x, None, name)


def _by_own_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a function's call by the method of a derived class; NotImplemented if that is ours."""
    name = function.__name__
    if name == "sort" and function not in MEMBERS and args and is_derived(args[0]):
        return _sorted(*args, **kwargs)
    if name == "median" and args and is_derived(args[0]):
        return _median(*args, **kwargs)
    if name not in CALLED or not args or not is_derived(args[0]):
        return NotImplemented
    method = getattr(args[0], name)
    reduces = name in by_ufuncs.METHODS
    if is_inherited(args[0], name) and not (reduces and is_asked(args[0])):
        return NotImplemented
    if reduces and len(args) < 3:  # as NumPy, which names these
        axis = args[1] if len(args) == 2 else None
        return method(**{"axis": axis, "out": None, **kwargs})
    return method(*args[1:], **{key: x for key, x in kwargs.items() if x is not None})


def _median(
    x: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """Make a median by the mean of a class; NotImplemented if that is ours."""
    if is_inherited(x, "mean") or keepdims or not isinstance(axis, (int, type(None))):
        return NotImplemented
    ordered, axis = (x.flatten(), 0) if axis is None else (x.copy(), axis)
    ordered.sort(axis)
    axis %= ordered.ndim
    lines = ordered.swapaxes(axis, 0)
    middle = lines[(len(lines) - 1) // 2 : len(lines) // 2 + 1]
    return middle.swapaxes(axis, 0).mean(axis=axis, out=out)


def _sorted(x: Any, axis: Any = -1, *more: Any, **kwargs: Any) -> Any:
    """Sort a copy of an array by the method of its class; NotImplemented if that is ours."""
    if is_inherited(x, "sort"):
        return NotImplemented
    copied, axis = (x.flatten(), -1) if axis is None else (x.copy("K"), axis)
    names = ("kind", "order", "stable")
    copied.sort(
        axis=axis, **{**dict.fromkeys(names), **dict(zip(names, more, strict=False)), **kwargs}
    )
    return copied


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
        asked = wraps and type(out).__array_wrap__ is not _WRAP
        return wrapped(out, plain(out), call) if asked else out
    return result if source is None else _wrapped(result, source, call, "reduce")


def _call_of_ufunc(function: Any, args: tuple[Any, ...]) -> tuple[Any, str, tuple[Any, ...]]:
    """Return the ufunc that a call is of, its method and operands; None for a function."""
    bound = getattr(function, "__self__", None)
    if bound is not None and isinstance(bound, ufunc):
        return bound, "__call__", args
    if args and isinstance(args[0], ufunc):
        return args[0], function.__name__, args[1:]
    public = in_front_of(function)
    return (public, "__call__", args) if isinstance(public, ufunc) else (None, "", args)


def _wrapped(result: Any, source: Any, call: Any, name: str) -> Any:
    """Return a result of a call as the class of an operand has it, given the call of a ufunc."""
    if isinstance(result, (list, tuple)):
        return each(result, name, lambda x, name: _wrapped(x, source, call, name))
    if getattr(type(source), "__array_wrap__", None) is _WRAP or name in PLAIN:
        return finished(result, source, name)
    if type(result) not in NATIVE:
        return result
    return wrapped(source, result, call)


MAKERS.insert(0, _made_of_derived)
MAKERS.append(_asked_with_ours)
set_finishing(Finishing())
