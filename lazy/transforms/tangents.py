"""Tangents: how values change, by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rules.operand import Operand
from .cotangents import zeros
from .templates import whole_operand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .steps import Source


class Tangents:
    """Tangents of values by their numbers, whole. Those that are not here are zero."""

    def __init__(self) -> None:
        self._found: dict[int, Operand] = {}

    def __contains__(self, number: int) -> bool:
        """Whether a value has a tangent that is not zero."""
        return number in self._found

    def asks(self, numbers: Sequence[int]) -> bool:
        """Whether one of some values has a tangent."""
        return any(number in self._found for number in numbers)

    def get(self, number: int) -> Operand | None:
        """Return the tangent of a value."""
        return self._found.get(number)

    def put(self, number: int, x: Operand | None) -> None:
        """Set the tangent of a value."""
        if x is not None:
            self._found[number] = whole_operand(x)

    add = put
    """Each value has its tangent from one step."""

    def take_whole(self, number: int) -> Operand | None:
        """Return the tangent of a value, and forget it."""
        return self._found.pop(number, None)

    def of(self, number: int, source: Source) -> Operand:
        """Return the tangent of what a step reads."""
        x = self._found.get(number) or zeros(source.base, source.code)
        return Operand(x.value, source.layout, source.shape, source.code)
