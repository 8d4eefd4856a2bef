"""Values while a graph is built: memory, and where in it the elements of a value lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....values import layout as layouts
from ...ir.graph_ir import TensorSpec
from ...ir.sizes import is_symbolic, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graphs.maxapi import GraphBuilder, Tensor


def whole(spec: TensorSpec) -> np.ndarray:
    """Return the layout of a value in C order: an array that has no data, only a place."""
    return layouts.whole(lengths(spec.shape), np.dtype(spec.dtype))


def lengths(shape: Sequence[int | str]) -> tuple[int, ...]:
    """Return lengths, of which some may be expressions, as numbers to reckon with."""
    return tuple(map(size_of, shape)) if is_symbolic(shape) else shape  # type: ignore[return-value,arg-type]


@dataclass(eq=False)
class Memory:
    """The elements of a value in C order, in a tensor of `spec.stored`, or one as large.

    `owned` says that they were made by an op that allocates: no input or constant of the graph, and
    no view of one, shares them.
    """

    tensor: Tensor
    spec: TensorSpec
    owned: bool


@dataclass(eq=False)
class Placed:
    """A value whose elements lie in memory where `layout` says.

    `build` makes its tensor by view ops that MAX can fuse into the ops that read it.
    """

    spec: TensorSpec
    memory: Memory
    layout: np.ndarray
    build: Callable[[GraphBuilder], Tensor]
    _tensor: Tensor | None = None

    def tensor(self, graph: GraphBuilder) -> Tensor:
        """Return the value's tensor, of its shape."""
        if self._tensor is None:
            self._tensor = self.build(graph)
        return self._tensor

    def broadcast(self, shape: tuple[int, ...]) -> Placed:
        """Return the value repeated along axes of length 1; a value without axes fits any shape."""
        if shape == self.spec.shape:
            return self
        unit = self.spec.shape or (1,) * len(shape)

        def build(graph: GraphBuilder) -> Tensor:
            return graph.broadcast(graph.reshape(self.tensor(graph), unit), shape)

        layout = layouts.broadcast_to(self.layout, lengths(shape))
        return Placed(TensorSpec(shape, self.spec.dtype), self.memory, layout, build)

    @property
    def in_order(self) -> bool:
        """Whether the value's elements are all those of its memory, in C order."""
        same = (self.spec.size, self.spec.dtype) == (self.memory.spec.size, self.memory.spec.dtype)
        return same and layouts.offset(self.layout) == 0 and self.layout.flags.c_contiguous

    @property
    def single(self) -> bool:
        """Whether every element is the same element of memory."""
        if self.spec.dtype != self.memory.spec.dtype:
            return False
        extents = zip(self.layout.shape, self.layout.strides, strict=True)
        return all(length == 1 or stride == 0 for length, stride in extents)


def in_memory(tensor: Tensor, spec: TensorSpec, *, owned: bool) -> Placed:
    """Return the value that is a whole tensor of its stored shape."""
    return Placed(spec, Memory(tensor, spec, owned), whole(spec), lambda graph: tensor)


def in_flat_memory(tensor: Tensor, spec: TensorSpec) -> Placed:
    """Return the value whose elements are an owned tensor of one axis."""
    memory = Memory(tensor, TensorSpec((spec.size,), spec.dtype), owned=True)
    return Placed(spec, memory, whole(spec), lambda graph: graph.reshape(tensor, spec.stored.shape))
