"""Takes snapshots of pending values, and makes values of them in the process that traces them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...functions import table
from ...values.layout import offset, seen
from ...values.value import Value, dtype_code, leaf, opcode
from .snapshot import SentFunction, SentLayout, SentStep, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np


def take(nodes: Sequence[Value], outputs: Sequence[Value]) -> Snapshot:
    """Return pending values in recording order, and those of them that are results, as data."""
    places = {id(value): place for place, value in enumerate(nodes)}
    leaves = []

    def place_of(value: Value) -> int:
        place = places.get(id(value))
        if place is None:
            place = places[id(value)] = len(places)
            leaves.append((dtype_code(value), value.shape))
        return place

    def sent(value: Value) -> SentStep:
        operands = tuple(place_of(x) if isinstance(x, Value) else None for x in value.inputs)
        layouts = None if value.layouts is None else tuple(map(_sent_layout, value.layouts))
        return SentStep(value.code, value.shape, operands, layouts, value.params)

    steps = tuple(map(sent, nodes))
    results = tuple(map(place_of, outputs))
    return Snapshot(steps, tuple(leaves), results, tuple(_functions(nodes)))


def _sent_layout(layout: np.ndarray | None) -> SentLayout | None:
    if layout is None:
        return None
    return SentLayout(layout.shape, layout.dtype, offset(layout), layout.strides)


def _functions(nodes: Iterable[Value]) -> Iterable[SentFunction]:
    for code in dict.fromkeys(map(opcode, nodes)):
        if function := table.function_of(code):
            yield SentFunction(code, *function[:-1])


def restore(snapshot: Snapshot) -> tuple[list[Value], list[Value]]:
    """Return the pending values of a snapshot, and those that are results.

    Numbers of the user's are 0 there: a Jaxpr has them as inputs.
    """
    for function in snapshot.functions:
        table.name(*function)
    nodes = [leaf(step.code >> 24, step.shape, None) for step in snapshot.steps]
    values = [*nodes, *(leaf(code, shape, None) for code, shape in snapshot.leaves)]
    for value, step in zip(nodes, snapshot.steps, strict=True):
        value.code, value.params = step.code, step.params
        value.inputs = tuple(0 if place is None else values[place] for place in step.operands)
        if step.layouts is not None:
            value.layouts = tuple(x and seen(*x) for x in step.layouts)
    return nodes, [values[place] for place in snapshot.outputs]
