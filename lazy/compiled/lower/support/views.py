"""Primitives that say where elements lie, without touching them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....values import layout as layouts
from .values import lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graphs.maxapi import GraphBuilder, Tensor
    from ...ir.graph_ir import Step, TensorSpec


@dataclass(frozen=True)
class View:
    """How a primitive acts on a layout and on a tensor.

    `layout` returns the layout of the result; it raises ValueError where elements would have to be
    moved, and is then given the operand in C order. The tensor's version must not fail.
    """

    layout: Callable[[np.ndarray, Step], np.ndarray]
    tensor: Callable[[GraphBuilder, Tensor, Step, TensorSpec], Tensor]


def box(
    layout: np.ndarray,
    starts: Sequence[int],
    stops: Sequence[int],
    steps: Sequence[int] | None = None,
) -> np.ndarray:
    """Return a part of a layout."""
    bounds = zip(starts, stops, steps or (1,) * layout.ndim, strict=True)
    index: tuple[Any, ...] = tuple(slice(*bound) for bound in bounds)
    # With the dots, the part of a layout without axes is a layout too.
    return layout[(*index, ...)]


def _reshaped(layout: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    return np.reshape(layout, lengths(tuple(shape)), copy=False)


def _reshape_tensor(graph: GraphBuilder, tensor: Tensor, step: Step, result: TensorSpec) -> Tensor:
    return graph.reshape(tensor, result.shape)


def _squeeze_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    return np.squeeze(layout, step.param("dimensions"))


def _expand_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    return np.expand_dims(layout, step.param("dimensions"))


def _reshape_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    return _reshaped(layout, step.param("new_sizes"))


def _with_unit_axes(shape: Sequence[int], step: Step) -> list[int]:
    """Return the operand's shape with an axis of length 1 for every new axis."""
    unit = [1] * len(step.param("shape"))
    for length, axis in zip(shape, step.param("broadcast_dimensions"), strict=True):
        unit[axis] = length
    return unit


def _broadcast_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    unit = _reshaped(layout, _with_unit_axes(layout.shape, step))
    return layouts.broadcast_to(unit, lengths(step.param("shape")))


def _broadcast_tensor(
    graph: GraphBuilder, tensor: Tensor, step: Step, result: TensorSpec
) -> Tensor:
    shape = [int(length) for length in tensor.shape]
    return graph.broadcast(graph.reshape(tensor, _with_unit_axes(shape, step)), result.shape)


def _transpose_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    return layout.transpose(step.param("permutation"))


def _transpose_tensor(
    graph: GraphBuilder, tensor: Tensor, step: Step, result: TensorSpec
) -> Tensor:
    permutation = step.param("permutation")
    return graph.transpose(tensor, permutation) if permutation else tensor


def _steps(step: Step) -> tuple[int, ...]:
    return step.param("strides") or (1,) * len(step.param("start_indices"))


def _slice_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    starts, stops = (lengths(step.param(name)) for name in ("start_indices", "limit_indices"))
    return box(layout, starts, stops, _steps(step))


def _slice_tensor(graph: GraphBuilder, tensor: Tensor, step: Step, result: TensorSpec) -> Tensor:
    if not result.shape:
        return tensor
    return graph.slice(
        tensor, step.param("start_indices"), step.param("limit_indices"), _steps(step)
    )


def _reverse_layout(layout: np.ndarray, step: Step) -> np.ndarray:
    return np.flip(layout, step.param("dimensions"))


def _reverse_tensor(graph: GraphBuilder, tensor: Tensor, step: Step, result: TensorSpec) -> Tensor:
    return graph.reverse(tensor, step.param("dimensions"))


VIEWS: dict[str, View] = {
    "broadcast_in_dim": View(_broadcast_layout, _broadcast_tensor),
    "reshape": View(_reshape_layout, _reshape_tensor),
    "squeeze": View(_squeeze_layout, _reshape_tensor),
    "expand_dims": View(_expand_layout, _reshape_tensor),
    "transpose": View(_transpose_layout, _transpose_tensor),
    "slice": View(_slice_layout, _slice_tensor),
    "rev": View(_reverse_layout, _reverse_tensor),
}


def check_view(step: Step, operands: Sequence[TensorSpec], results: Sequence[TensorSpec]) -> str:
    """Return why a view cannot be lowered, or ""."""
    if len(operands) != 1:
        return f"{step.name} with a shape known only at run time"
    params: dict[str, Any] = dict(step.params)
    if params.get("dimensions") is not None and step.name == "reshape":
        return "reshape in another order of the axes"
    return ""
