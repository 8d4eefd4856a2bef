"""Tangents: how values change, by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...rules.operand import Operand
from ..templates import whole_operand, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..steps import Source


class Tangents:
    """Tangents of values by their numbers, whole. Those that are not here are zero."""

    def __init__(self) -> None:
        self._found: dict[int, Operand] = {}
        self._failed: dict[int, Exception] = {}
        """Why values have no tangents: steps without a derivative."""

    def __contains__(self, number: int) -> bool:
        """Whether a value has a tangent that is not zero."""
        return number in self._found

    def asks(self, numbers: Sequence[int]) -> bool:
        """Whether one of some values has a tangent."""
        return any(number in self._found for number in numbers)

    def fail(self, numbers: Sequence[int], error: Exception) -> None:
        """Keep why values have no tangents, which is an error where one is asked for."""
        self._failed.update(dict.fromkeys(numbers, error))

    def failure(self, numbers: Sequence[int]) -> Exception | None:
        """Return why one of some values has no tangent; None if all have one, or zero."""
        return next((self._failed[x] for x in numbers if x in self._failed), None)

    def get(self, number: int) -> Operand | None:
        """Return the tangent of a value; raises the error if there is none."""
        error = self._failed.get(number)
        if error is not None:
            raise type(error)(*error.args)
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
