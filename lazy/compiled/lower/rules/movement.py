"""Primitives that put elements together in new memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..support.calls import Argument, Call, Caller, out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import Step
    from ...ir.writer import Writer
    from ..support.types import Check, Expansion, KernelRule, Specs
    from ..support.values import Placed


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
    return [writer.concatenated(layers, results[0], axis)]


def _concatenate(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    axis = step.param("dimension")
    return [writer.concatenated(operands, results[0], axis)]


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
}
CHECKS: dict[str, Check] = {"tile": _check_tile, "iota": _check_iota}

KERNELS: dict[str, KernelRule] = {
    "bitcast_convert_type": _bitcast,
    "jj_count": _count,
}
