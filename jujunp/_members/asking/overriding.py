"""Types with a `__array_ufunc__` of their own among a ufunc's operands: they are asked in turn."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._array.handle import NATIVE, Handle, is_derived, ndarray
from ..._ufuncs.arguments import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMES = {
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("axis", "dtype", "out"),
}
"""Arguments of methods that follow the operands."""
_ABSENT = object()
SILENT = NATIVE | {np.ndarray, bool, int, float, complex, NoneType}
"""Types of operands that have no answer of their own, and no say in the class of a result."""


def normal(
    function: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return a call's operands and other arguments as `__array_ufunc__` is told of them."""
    named = dict(kwargs)
    if method == "__call__":
        args, given = args[: function.nin], args[function.nin :]
        if given:
            named["out"] = (*given, *(None,) * (function.nout - len(given)))
    elif method in _NAMES:
        count = 2 if method == "reduceat" else 1
        named.update(zip(_NAMES[method], args[count:], strict=False))
        args = args[:count]
    if "sig" in named:
        named["signature"] = named.pop("sig")
    named = {name: x for name, x in named.items() if x is not NO_VALUE}
    outs = named.pop("out", None)
    if outs is ...:
        return args, {**named, "out": outs}
    outs = outs if isinstance(outs, tuple) else (outs,)
    if any(out is not None for out in outs):
        named["out"] = outs
    return args, named


def overriding(kind: type) -> bool:
    """Whether a type of operands answers ufuncs itself."""
    if kind is ndarray or kind is np.ndarray:
        return False
    return getattr(kind, "__array_ufunc__", _ABSENT) not in _PLAIN


_PLAIN: list[Any] = [_ABSENT, np.ndarray.__array_ufunc__]


def of_ours(found: Any) -> None:
    """Tell which `__array_ufunc__` our arrays have."""
    _PLAIN.append(found)


def operands(args: Iterable[Any], kwargs: dict[str, Any]) -> Iterator[Any]:
    """Return all that may answer a call: operands, outputs, and the mask."""
    yield from args
    out = kwargs.get("out")
    yield from out if isinstance(out, tuple) else (out,)
    yield kwargs.get("where")


def answered(
    function: Any,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    with_ours: bool = False,
) -> Any:
    """Return the first answer of the types that answer a ufunc themselves.

    Types that are derived from others are asked before these. Types derived from ours are told of
    our ufunc, others of NumPy's, unless all are to be told of ours.
    NotImplemented where there are none, TypeError where none has an answer.
    """
    asked = _in_order(x for x in operands(args, kwargs) if overriding(type(x)))
    for x in asked:
        answer = type(x).__array_ufunc__
        if answer is None:
            raise TypeError(
                f"operand '{type(x).__name__}' does not support ufuncs (__array_ufunc__=None)"
            )
        told = function if with_ours or isinstance(x, Handle) else function.numpy
        found = answer(x, told, method, *args, **kwargs)
        if found is not NotImplemented:
            return found
    if asked:
        raise no_answer(function, method, args, kwargs)
    return NotImplemented


def the_one_asked(args: tuple[Any, ...]) -> Any:
    """Return the first operand of a class derived from ours; None where others have a say, too."""
    asked: Any = None
    for x in args:
        if type(x) is type(asked) or type(x) in SILENT:
            continue
        if asked is not None or not is_derived(x):
            return None
        asked = x
    return asked


def answered_by_one(function: Any, args: tuple[Any, ...]) -> Any:
    """Return the answer to a plain call where one class derived from ours is to be asked.

    NotImplemented where operands are of others, but for types that have no answer of their own.
    """
    asked = the_one_asked(args)
    kind: Any = type(asked)
    answer = None if asked is None else kind.__array_ufunc__
    if answer is None or not overriding(kind):
        return NotImplemented
    found = answer(asked, function, "__call__", *args)
    if found is NotImplemented:
        raise no_answer(function, "__call__", args, {})
    return found


def no_answer(
    function: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TypeError:
    """Return the error of a call that nobody who was asked has answered."""
    out = kwargs.get("out")
    named = (*args, *out) if isinstance(out, tuple) else args
    names = ", ".join(repr(type(x).__name__) for x in named)
    told = ", ".join([*map(repr, args), *(f"{name}={x!r}" for name, x in kwargs.items())])
    return TypeError(
        f"operand type(s) all returned NotImplemented from __array_ufunc__({function!r}, "
        f"{method!r}, {told}): {names}"
    )


def _in_order(found: Iterable[Any]) -> list[Any]:
    """Return one operand of each type, those of derived types before those of their bases."""
    asked: list[Any] = []
    for x in found:
        kinds = [type(y) for y in asked]
        if type(x) not in kinds:
            place = next((k for k, kind in enumerate(kinds) if issubclass(type(x), kind)), None)
            asked.insert(len(asked) if place is None else place, x)
    return asked
