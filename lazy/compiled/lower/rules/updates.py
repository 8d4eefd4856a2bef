"""Reading and writing parts of arrays: slices, and slices whose place is known at run time only.

NumPy code writes to the same part again and again (`x[1:-1] += ...`). What an update wrote is taken
from the update where it is read, and not written where a later update covers it, so that a chain of
updates of one part costs one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...ir.graph_ir import TensorSpec
from ..support.calls import Argument, Call, Caller, Move, out, read
from ..support.routine_writer import RoutineWriter
from ..support.values import Placed, whole
from ..support.views import box

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ...ir.graph_ir import Step
    from ...ir.writer import Writer
    from ..support.types import Check, Expansion, KernelRule, Specs


@dataclass(frozen=True)
class _Part:
    """A rectangular part of an array."""

    starts: tuple[int, ...]
    stops: tuple[int, ...]

    @classmethod
    def at(cls, corner: Sequence[int], shape: Sequence[int]) -> _Part:
        return cls(tuple(corner), tuple(a + b for a, b in zip(corner, shape, strict=True)))

    def covers(self, other: _Part) -> bool:
        """Whether the other part lies in this one."""
        low = all(a <= b for a, b in zip(self.starts, other.starts, strict=True))
        return low and all(a >= b for a, b in zip(self.stops, other.stops, strict=True))

    def misses(self, other: _Part) -> bool:
        """Whether the parts have no element in common."""
        before = any(a <= b for a, b in zip(self.stops, other.starts, strict=True))
        return before or any(a >= b for a, b in zip(self.starts, other.stops, strict=True))

    def seen_from(self, corner: Sequence[int]) -> _Part:
        """Return the same part of an array that begins at a corner of this one."""
        starts = tuple(a - b for a, b in zip(self.starts, corner, strict=True))
        return _Part(starts, tuple(a - b for a, b in zip(self.stops, corner, strict=True)))


def _update_at(writer: Writer, value: int) -> tuple[int, int, _Part] | None:
    """Return (what it was before, what was written, where) of a value that was updated in part."""
    step = writer.maker_of(value)
    if step is None or step.name != "jj_update" or len(step.operands) > 2:
        return None
    before, update = step.operands
    return before, update, _Part.at(step.param("corner"), writer.spec(update).shape)


def _slice(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    part = _Part(step.param("start_indices"), step.param("limit_indices"))
    return [_taken(writer, operands[0], part, results[0], step.param("strides"))]


def _taken(
    writer: Writer, value: int, part: _Part, result: TensorSpec, strides: Sequence[int] | None
) -> int:
    """Slice a value, or what was written to that part of it, or what it was before a write."""
    while (updated := _update_at(writer, value)) is not None:
        before, update, place = updated
        if place.covers(part):
            value, part = update, part.seen_from(place.starts)
        elif place.misses(part):
            value = before
        else:
            break
    if result == writer.spec(value):
        return value
    return writer.step(
        "slice",
        [value],
        result,
        start_indices=part.starts,
        limit_indices=part.stops,
        strides=strides,
    )


def _dynamic_slice(
    writer: Writer, step: Step, operands: Sequence[int], results: Specs
) -> list[int]:
    x, *starts = operands
    return [taken_at(writer, x, starts, results[0].shape)]


def taken_at(writer: Writer, x: int, starts: Sequence[int], shape: tuple[int, ...]) -> int:
    """Return the part of a value that begins at some values, moved into bounds."""
    result = TensorSpec(shape, writer.spec(x).dtype)
    fixed = _fixed(writer, starts, _rooms(writer.spec(x).shape, shape))
    if fixed is None:
        return writer.step("jj_slice", [x, *writer.together(starts)], result)
    return _taken(writer, x, _Part.at(fixed, shape), result, None)


def _dynamic_update_slice(
    writer: Writer, step: Step, operands: Sequence[int], results: Specs
) -> list[int]:
    x, update, *starts = operands
    return [updated_at(writer, x, update, starts)]


def updated_at(writer: Writer, x: int, update: int, starts: Sequence[int]) -> int:
    """Return a value with another one in its part that begins at some values: see `taken_at`."""
    result = writer.spec(x)
    shape = writer.spec(update).shape
    fixed = _fixed(writer, starts, _rooms(result.shape, shape))
    if fixed is None:
        moving = writer.together(starts)
        return writer.step("jj_update", [x, update, *moving], result, corner=(0,) * len(shape))
    if shape == result.shape:
        return update
    part = _Part.at(fixed, shape)
    while (updated := _update_at(writer, x)) is not None and part.covers(updated[2]):
        x = updated[0]
    return writer.step("jj_update", [x, update], result, corner=part.starts)


def _fixed(writer: Writer, starts: Sequence[int], rooms: Sequence[int]) -> list[int] | None:
    """Return the starts of a part, kept within bounds as lax does, if all are constants."""
    fixed = []
    for start, room in zip(starts, rooms, strict=True):
        known = writer.value_of(start)
        if known is None:
            return None
        fixed.append(max(0, min(int(known), room)))
    return fixed


def _rooms(shape: Sequence[int], part: Sequence[int]) -> list[int]:
    """Return the greatest start of a part along each axis."""
    return [length - size for length, size in zip(shape, part, strict=True)]


def _layout_at(layout: np.ndarray, corner: Sequence[int], shape: Sequence[int]) -> np.ndarray:
    part = _Part.at(corner, shape)
    return box(layout, part.starts, part.stops)


def _moves(starts: Sequence[Placed], layout: np.ndarray, part: TensorSpec) -> tuple[Move, ...]:
    """Return the moves of a part from the origin to its starts at run time."""
    if not starts:
        return ()
    rooms = _rooms(layout.shape, part.shape)
    axes = zip(starts, layout.strides, rooms, strict=True)
    return tuple(Move(start, stride, room) for start, stride, room in axes if room > 0)


def _copy_from_moved(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    x, *starts = operands
    origin = _layout_at(x.layout, (0,) * x.layout.ndim, results[0].shape)
    source = Argument(x, origin, _moves(starts, x.layout, results[0]))
    return call(results, [Call("copy", [out(0, results[0]), source])])


def _copy_to_moved(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    x, update, *starts = operands
    layout = whole(results[0])
    part = _layout_at(layout, step.param("corner"), update.spec.shape)
    target = Argument(0, part, _moves(starts, layout, update.spec))
    everything = Call("copy", [out(0, results[0]), read(x)])
    return call(results, [everything, Call("copy", [target, read(update)])])


def _copy_in_place(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    """The same in the memory of what is updated: see in_place.py."""
    assert isinstance(call, RoutineWriter)
    x, update, *starts = operands
    part = _layout_at(x.layout, step.param("corner"), update.spec.shape)
    target = Argument(0, part, _moves(starts, x.layout, update.spec))
    call.call([x], Call("copy", [target, read(update)]))
    return [x]


EXPANSIONS: dict[str, Expansion] = {
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
CHECKS: dict[str, Check] = {}
KERNELS: dict[str, KernelRule] = {
    "jj_slice": _copy_from_moved,
    "jj_update": _copy_to_moved,
    "jj_update_in_place": _copy_in_place,
}
