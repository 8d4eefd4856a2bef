"""Copies of pending values, from which a graph can be traced after they have been computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values.value import Value, dtype_code, leaf

if TYPE_CHECKING:
    from collections.abc import Sequence


def snapshot(nodes: Sequence[Value], outputs: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """Return copies of nodes and outputs that stay as they are; leaves are kept without buffers."""
    copies: dict[int, Value] = {}

    def copied(value: Value) -> Value:
        found = copies.get(id(value))
        if found is None:
            found = copies[id(value)] = leaf(dtype_code(value), value.shape, None)
            found.code, found.layouts, found.params = value.code, value.layouts, value.params
        return found

    made = [copied(value) for value in nodes]
    for value, copy in zip(nodes, made, strict=True):
        copy.inputs = tuple(copied(x) if isinstance(x, Value) else x for x in value.inputs)
    return made, [copied(value) for value in outputs]
