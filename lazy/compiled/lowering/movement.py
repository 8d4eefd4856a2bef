"""Primitives that put elements together in new memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..program import Spec
from .calls import Argument, Call, Caller, Move, out, read
from .values import Placed, whole
from .views import box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..program import Step
    from ..writer import Writer
    from .types import Check, Expansion, KernelRule, Specs


def _split(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    parts = []
    start = 0
    for size in step.param("sizes"):
        parts.append(writer.along(operands[0], step.param("axis"), start, start + size))
        start += size
    return parts


def _unstack(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    axis = step.param("axis")
    layers = (writer.along(operands[0], axis, at, at + 1) for at in range(len(results)))
    return [writer.reshape(layer, spec.shape) for layer, spec in zip(layers, results, strict=True)]


def _stack(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    axis = step.param("axis")
    shape = list(results[0].shape)
    shape[axis] = 1
    layers = [writer.reshape(operand, shape) for operand in operands]
    return [writer.kernel("concatenate", layers, results[0], [axis])]


def _concatenate(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    axis = step.param("dimension")
    return [writer.kernel("concatenate", operands, results[0], [axis])]


def _tile(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    shape = writer.spec(operands[0]).shape
    pairs = list(zip(step.param("reps"), shape, strict=True))
    repeated = [length for pair in pairs for length in pair]
    axes = [2 * axis + 1 for axis in range(len(shape))]
    return [writer.reshape(writer.broadcast(operands[0], repeated, axes), results[0].shape)]


def _check_tile(step: Step, operands: Specs, results: Specs) -> str:
    return "tile of too many dimensions" if 2 * len(operands[0].shape) > 8 else ""


def _pad(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    words = [word for triple in step.param("padding_config") for word in triple]
    return [writer.kernel("pad", operands, results[0], words)]


def _iota(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    axis = step.param("dimension")
    shape = results[0].shape
    return [writer.broadcast(writer.count(shape[axis], results[0].dtype), shape, (axis,))]


def _check_iota(step: Step, operands: Specs, results: Specs) -> str:
    return "iota of a shape known only at run time" if operands else ""


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


def _dynamic_slice(
    writer: Writer, step: Step, operands: Sequence[int], results: Specs
) -> list[int]:
    x, *starts = operands
    shape = results[0].shape
    fixed = _fixed(writer, starts, _rooms(writer.spec(x).shape, shape))
    if fixed is None:
        return [writer.step("jj_slice", [x, *writer.together(starts)], results[0])]
    stops = [start + size for start, size in zip(fixed, shape, strict=True)]
    return [writer.slice(x, fixed, stops)]


def _dynamic_update_slice(
    writer: Writer, step: Step, operands: Sequence[int], results: Specs
) -> list[int]:
    x, update, *starts = operands
    fixed = _fixed(writer, starts, _rooms(results[0].shape, writer.spec(update).shape))
    moving = [] if fixed is not None else writer.together(starts)
    corner = (0,) * len(results[0].shape) if fixed is None else tuple(fixed)
    return [writer.step("jj_update", [x, update, *moving], results[0], corner=corner)]


def _part(layout: np.ndarray, corner: Sequence[int], shape: Sequence[int]) -> np.ndarray:
    return box(layout, corner, [start + size for start, size in zip(corner, shape, strict=True)])


def _moves(starts: Sequence[Placed], layout: np.ndarray, part: Spec) -> tuple[Move, ...]:
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
    origin = _part(x.layout, (0,) * x.layout.ndim, results[0].shape)
    source = Argument(x, origin, _moves(starts, x.layout, results[0]))
    return call(results, [Call("copy", [out(0, results[0]), source])])


def _copy_to_moved(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    x, update, *starts = operands
    layout = whole(results[0])
    part = _part(layout, step.param("corner"), update.spec.shape)
    target = Argument(0, part, _moves(starts, layout, update.spec))
    everything = Call("copy", [out(0, results[0]), read(x)])
    return call(results, [everything, Call("copy", [target, read(update)])])


def _count(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    return call(results, [Call("iota", [out(0, results[0])], [0])], anchored=True)


def _bitcast(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    (x,) = operands
    if not x.layout.flags.c_contiguous:
        x = call.copied(x)
    # An axis of length 1 is what lax adds or takes away where the sizes of the dtypes differ.
    flat = np.reshape(x.layout, -1, copy=False).view(results[0].dtype)
    source = Argument(x, np.reshape(flat, results[0].shape, copy=False))
    return call(results, [Call("copy", [out(0, results[0]), source])])


EXPANSIONS: dict[str, Expansion] = {
    "split": _split,
    "unstack": _unstack,
    "stack": _stack,
    "concatenate": _concatenate,
    "tile": _tile,
    "pad": _pad,
    "iota": _iota,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
CHECKS: dict[str, Check] = {"tile": _check_tile, "iota": _check_iota}

KERNELS: dict[str, KernelRule] = {
    "bitcast_convert_type": _bitcast,
    "jj_count": _count,
    "jj_slice": _copy_from_moved,
    "jj_update": _copy_to_moved,
}
