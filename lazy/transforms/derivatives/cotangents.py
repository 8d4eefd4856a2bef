"""Cotangents: what a result changes by, for each value, added up as steps are gone back through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...rules.operand import Operand, elementwise, node, seen_through
from ...run.machine import STORES
from ...values.dtypes import DTYPES
from ...values.layout import offset
from ...values.value import record
from ..templates import layout_of, whole_operand, zeros
from . import shifts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...values.types import Shape
    from ..steps import Source


class Cotangents:
    """Cotangents of values by their numbers. Those that are not here are zero."""

    def __init__(self) -> None:
        self._found: dict[int, Operand] = {}
        self._cleared: dict[int, np.ndarray] = {}
        """Parts of cotangents that are zero, which has not been recorded yet."""
        self._parts: dict[int, list[_Part]] = {}
        """What is to be added to parts of cotangents."""

    def __contains__(self, number: int) -> bool:
        """Whether a value has a cotangent that is not zero."""
        return number in self._found or number in self._parts

    def take(self, number: int) -> Operand | None:
        """Return the cotangent of a value, which is complete, and forget it."""
        self._complete(number)
        return self._found.pop(number, None)

    def take_whole(self, number: int) -> Any:
        """The same, in memory in C order."""
        found = self.take(number)
        return None if found is None else whole_operand(found)

    def asks(self, numbers: Sequence[int]) -> bool:
        """Whether one of some values has a cotangent."""
        return any(number in self for number in numbers)

    def fail(self, numbers: Sequence[int], error: Exception) -> None:
        """Raise the error of a step without a derivative, whose results have cotangents."""
        raise type(error)(*error.args)

    def add(self, number: int, x: Operand) -> None:
        """Add to the cotangent of a value."""
        self._complete(number)
        before = self._found.get(number)
        self._found[number] = x if before is None else elementwise("add", before, x)

    def add_cleared(self, number: int, x: Operand, layout: np.ndarray) -> None:
        """Add what is whole and counts as zero in the part that a layout describes."""
        if number in self:
            self.add(number, _cleared(x, layout))
        else:
            self._found[number], self._cleared[number] = x, layout

    def add_through(self, number: int, x: Operand, source: Source) -> None:
        """Add to the elements of a value that a step reads, given the cotangent of its result."""
        if not source.outside:
            self.add(number, x)
            return
        x = summed(x, source.shape)
        layout = source.layout
        if layout is None:
            self.add(number, x)
            return
        if not layout.size:
            return
        repeated = tuple(k for k, s in enumerate(layout.strides) if s == 0 and layout.shape[k] != 1)
        if repeated:
            shape = tuple(n for k, n in enumerate(layout.shape) if k not in repeated)
            x = node("reduce_sum", [x], shape, x.code, repeated)
            first = [0 if k in repeated else slice(None) for k in range(layout.ndim)]
            layout = layout[*first, ...]  # a view, of one element too
        self._add_part(number, x, layout, source.base)

    def _add_part(self, number: int, x: Operand, layout: np.ndarray, base: Shape) -> None:
        cleared = self._cleared.get(number)
        if cleared is not None and _is_same(cleared, layout):
            # what was there is what is added, where a step adds to a part in place
            del self._cleared[number]
            before = self._found[number]
            if x.value is not before.value or x.layout is None or not _is_same(x.layout, layout):
                self._found[number] = written(before, x, layout)
            return
        self._parts.setdefault(number, []).append(_Part(x, layout, base))

    def _complete(self, number: int) -> None:
        """Record that a part is zero, and what is to be added to parts."""
        layout = self._cleared.pop(number, None)
        if layout is not None:
            self._found[number] = _cleared(self._found[number], layout)
        parts = self._parts.pop(number, None)
        if parts is None:
            return
        found = self._found.get(number)
        for places, group in _alike(parts):
            if len(places) < shifts.LEAST:
                for part in group:
                    found = _added(found, part)
                continue
            total = shifts.total(group[0].x, places, group[0].base)
            found = total if found is None else elementwise("add", found, total)
        assert found is not None
        self._found[number] = found


class _Part(NamedTuple):
    """What is to be added to the part of a base that a layout describes."""

    x: Operand
    layout: np.ndarray
    base: Shape


def _alike(parts: Sequence[_Part]) -> list[tuple[list[Shape], list[_Part]]]:
    """Return groups of rectangles to which the same is added, with where these begin.

    Other parts are by themselves, and begin nowhere.
    """
    groups: dict[Any, tuple[list[Shape], list[_Part]]] = {}
    for part in parts:
        x = part.x
        start = shifts.start_of(part.base, part.layout) if x.layout is None else None
        key = id(part) if start is None else (id(x.value), x.shape)
        places, group = groups.setdefault(key, ([], []))
        group.append(part)
        if start is not None:
            places.append(start)
    return list(groups.values())


def _added(found: Operand | None, part: _Part) -> Operand:
    x = part.x
    if found is None:
        return written(zeros(part.base, x.code), x, part.layout)
    whole = whole_operand(found)
    x = elementwise("add", seen_through(whole, part.layout), x)
    return written(whole, x, part.layout)


def _cleared(x: Operand, layout: np.ndarray) -> Operand:
    nothing = Operand(DTYPES[x.code].type(0).item(), None, (), x.code)
    return written(x, nothing, layout)


def _is_same(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two layouts see the same elements of a value in the same order."""
    return x.shape == y.shape and x.strides == y.strides and offset(x) == offset(y)


def written(x: Operand, new: Operand, layout: np.ndarray) -> Operand:
    """Return a whole operand with the elements that a layout describes replaced."""
    layouts = (layout, new.layout)
    value = record(STORES[x.code], x.shape, (x.value, new.value), layouts)
    return Operand(value, None, x.shape, x.code)


def summed(x: Operand, shape: Shape) -> Operand:
    """Return the sum over the axes along which a step has repeated an operand of a shape."""
    if x.shape == shape:
        return x
    missing = len(x.shape) - len(shape)
    axes = tuple(
        k for k, n in enumerate(x.shape) if k < missing or (shape[k - missing] == 1 and n != 1)
    )
    left = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    x = node("reduce_sum", [x], left, x.code, axes)
    return x if left == shape else seen_through(x, layout_of(x).reshape(shape))


def repeated(x: Operand, shape: Shape, axes: tuple[int, ...]) -> Operand:
    """Return a reduced operand, repeated along the axes that were reduced: a view."""
    seen = np.expand_dims(layout_of(x), axes)
    return seen_through(x, np.broadcast_to(seen, shape))
