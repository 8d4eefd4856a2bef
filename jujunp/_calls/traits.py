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


def converting(function: Function) -> Function:
    """Say that a call with one argument, no array of ours, gives an array with a copy of it.

    Mojo reads small NumPy arrays, and lists of numbers (kernels/vm/record/exchange.mojo).
    """
    return _say(function, "converting")


def sharing_memory(function: Function) -> Function:
    """Say the same, but that the memory of a NumPy array is shared."""
    return _say(function, "sharing")


def filling(trait: str) -> Callable[[Function], Function]:
    """Say that a call with a shape, and maybe a dtype, gives zeros or ones; or with ints a range.

    Mojo makes small ones (kernels/vm/calls/creating.mojo).
    """
    return lambda function: _say(function, trait)


def listing(trait: str) -> Callable[[Function], Function]:
    """Say that a call with one array gives what is as long as its elements tell.

    Mojo lists the places of what is not zero (kernels/vm/calls/places.mojo), distinct elements and
    counts (distinct.mojo) of arrays that are not large.
    """
    return lambda function: _say(function, trait)


def joining(trait: str) -> Callable[[Function], Function]:
    """Say that a call with a list of arrays gives them as one.

    Mojo copies small ones of one dtype, if they are computed (kernels/vm/calls/joining.mojo).
    """
    return lambda function: _say(function, trait)


def said_as(function: Function, other: Function) -> Function:
    """Say of another function what one has said; return it."""
    if function in _TRAITS:
        _TRAITS[other] = _TRAITS[function]
    return other


def is_ordered(function: Any) -> bool:
    """Whether a function is uniform for extents in one order."""
    return bool(traits_of(function) & CONSTANTS["ordered"])


def traits_of(function: Any) -> int:
    """Return what a function has said, as a sum of constants of the library's."""
    function = getattr(function, "__func__", function)
    return _TRAITS.get(function, 0) | _by_name(function)
