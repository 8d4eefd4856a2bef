"""What public functions say of themselves, so that their calls can do without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from jujunp.lazy.run.findings import number_of
from jujunp.lazy.run.machine import CONSTANTS

from .array_likes import ARRAY_LIKES, NUMBERS, ONE_ARGUMENT
from .loud import LOUD

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])

_TRAITS: dict[Any, int] = {}


def _say(function: Function, trait: str) -> Function:
    _TRAITS[function] = traits_of(function) | CONSTANTS[trait]
    return function


def uniform(function: Function) -> Function:
    """Say that a function is uniform.

    Its calls record the same steps for arrays of all extents but 0 and 1, if the same extents are
    equal and none has more than 2**24 elements, of whatever strides in C order, or all in its
    reverse, that leave gaps in the same way (kernels/vm/calls/signature.mojo), and whether or not
    arrays share memory. Numbers in shapes, layouts and parameters follow from extents and strides
    (jujunp/_calls/extents.py). So one transcript is for all of them (jujunp/_calls/general.py).
    """
    return _say(function, "uniform")


def uniform_in_order(function: Function) -> Function:
    """Say the same of a function for extents of which the same ones are larger than others."""
    return _say(uniform(function), "ordered")


def warning(function: Function) -> Function:
    """Say that what a function records warns as NumPy's function does.

    All other functions are silent, whatever their steps raise (lazy/run/findings.py).
    """
    return _say(function, "warning")


def warning_as(name: str) -> Callable[[Function], Function]:
    """Say the same of a function whose steps warn under one name."""

    def named(function: Function) -> Function:
        _TRAITS[warning(function)] |= number_of(name) << CONSTANTS["named"]
        return function

    return named


def _by_name(function: Any) -> int:
    """Return the traits that follow from the name of a public function."""
    name = getattr(function, "__name__", "")
    found: int = ARRAY_LIKES.get(name, 0) << CONSTANTS["array_likes"]
    for place in NUMBERS.get(name, ()):
        found |= 1 << CONSTANTS["numbers"] + place
    if name in ONE_ARGUMENT:
        found |= CONSTANTS["alone"]
    loud = LOUD.get(name)
    if loud is not None:
        found |= CONSTANTS["warning"] | number_of(loud) << CONSTANTS["named"]
    return found


def at_once(kind: str) -> Callable[[Function], Function]:
    """Say that a function makes something of a kind, at once where its arguments are usual.

    Mojo does, without a step: kernels/vm/calls/at_once.mojo has the kinds.
    """
    return lambda function: _say(function, f"at once: {kind}")


def said_as(function: Function, other: Function) -> Function:
    """Say of another function what one has said; return it."""
    if function in _TRAITS:
        _TRAITS[other] = _TRAITS[function]
    return other


def has_said(function: Any) -> bool:
    """Whether a function has said anything of itself."""
    return function in _TRAITS


def is_ordered(function: Any) -> bool:
    """Whether a function is uniform for extents in one order."""
    return bool(traits_of(function) & CONSTANTS["ordered"])


def traits_of(function: Any) -> int:
    """Return what a function has said, as a sum of constants of the library's."""
    function = getattr(function, "__func__", function)
    return _TRAITS.get(function, 0) | _by_name(function)
