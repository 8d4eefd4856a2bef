"""Rules of primitives that only look at the same elements in another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .calls import IDENTITIES
from .operand import Operand, Rule, in_memory, node, seen_through
from .shape_code import ShapeCode

View = Callable[[np.ndarray, Any], np.ndarray]


def _broadcast_in_dim(x: np.ndarray, params: Any) -> np.ndarray:
    shape = params["shape"]
    places = params["broadcast_dimensions"]
    expanded = x[tuple(slice(None) if k in places else None for k in range(len(shape)))]
    return np.broadcast_to(expanded, shape)


def _slice(x: np.ndarray, params: Any) -> np.ndarray:
    starts, limits = params["start_indices"], params["limit_indices"]
    strides = params["strides"] or (1,) * x.ndim
    return x[tuple(slice(*bounds) for bounds in zip(starts, limits, strides, strict=True))]


def view(x: Operand, function: View, params: Any = None) -> Operand:
    """Return an operand through the layout that a function makes of its own."""
    x = in_memory(x)
    try:
        layout = function(x.header(), params)
    except ValueError:  # a reshape that NumPy would copy for
        x = node("copy", [x], x.shape, x.code)
        layout = function(x.header(), params)
    return seen_through(x, layout)


def _rule(function: View) -> Rule:
    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        return [view(operands[0], function, params)]

    return rule


def _reshape(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """The elements in C order of the axes, or of these in the order `dimensions`."""
    (x,) = operands
    if params["dimensions"] is not None:
        x = view(x, lambda x, _: x.transpose(params["dimensions"]))
    return [view(x, lambda x, _: np.reshape(x, params["new_sizes"], copy=False))]


def _same(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return operands


def _split(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    x = in_memory(operands[0])
    bounds = np.cumsum(params["sizes"])[:-1]
    return [seen_through(x, part) for part in np.split(x.header(), bounds, params["axis"])]


def _unstack(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    x = in_memory(operands[0])
    first = np.moveaxis(x.header(), params["axis"], 0)
    return [seen_through(x, first[k, ...]) for k in range(len(first))]


_VIEWS: dict[str, View] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "slice": _slice,
    "transpose": lambda x, params: x.transpose(params["permutation"]),
    "squeeze": lambda x, params: x.squeeze(tuple(params["dimensions"])),
    "expand_dims": lambda x, params: np.expand_dims(x, tuple(params["dimensions"])),
    "rev": lambda x, params: np.flip(x, tuple(params["dimensions"])),
}

RULES: dict[str, Rule] = {
    **{name: _rule(function) for name, function in _VIEWS.items()},
    **dict.fromkeys(IDENTITIES, _same),
    "reshape": _reshape,
    "split": _split,
    "unstack": _unstack,
}
