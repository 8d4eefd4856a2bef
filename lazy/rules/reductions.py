"""Rules of reductions with a function of one's own, and over sliding windows."""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.core import eval_jaxpr

from ..values.dtypes import BOOL, DTYPES, INT64, is_float
from ..values.layout import offset
from ..values.layout import seen as seen_at
from .operand import Operand, Rule, elementwise, in_memory, node, number, seen_through
from .shape_code import ShapeCode
from .template import call

if TYPE_CHECKING:
    from ..values.types import Shape


def _fold(
    jaxpr: Any, constants: Any, carry: list[Operand], arrays: list[Operand], axes: int
) -> list[Operand]:
    """Fold arrays over their first axes, by a function of numbers applied to whole rows.

    The function is associative (lax.reduce): neighbours are folded together, the last axis first,
    so that there are as many steps as the length has bits, and the order of the terms is kept.
    """

    def function(*rows: Any) -> Any:
        apply: Any = partial(eval_jaxpr, jaxpr, constants)
        for _ in rows[0].shape:
            apply = jax.vmap(apply)
        return apply(*rows)

    def folded(x: list[Operand], y: list[Operand]) -> list[Operand]:
        return call("fold", function, [*x, *y], str(jaxpr))

    if 0 in arrays[0].shape[:axes]:
        return carry
    for axis in reversed(range(axes)):
        last = []
        while (length := arrays[0].shape[axis]) > 1:
            even = length - length % 2
            if even < length:
                last.append(_along(arrays, axis, even))
            halves = (slice(start, even, 2) for start in (0, 1))
            arrays = folded(*(_along(arrays, axis, half) for half in halves))
        arrays = reduce(folded, reversed(last), _along(arrays, axis, 0))
    return folded(carry, arrays)


def _along(arrays: list[Operand], axis: int, place: int | slice) -> list[Operand]:
    """Return a place of each array along an axis, or some places, where they lie."""
    index = (*[slice(None)] * axis, place, ...)
    return [seen_through(x, x.header()[index]) for x in map(in_memory, arrays)]


def _spread(start: Operand, shape: tuple[int, ...]) -> Operand:
    return node("copy", [start], shape, start.code)


def _reduce(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    count = len(operands) // 2
    axes = params["dimensions"]
    arrays = [in_memory(x) for x in operands[:count]]
    arrays = [seen_through(x, np.moveaxis(x.header(), axes, range(len(axes)))) for x in arrays]
    carry = [_spread(x, results[0].shape) for x in operands[count:]]
    return _fold(params["jaxpr"], params.get("consts", ()), carry, arrays, len(axes))


def _padded(x: Operand, start: Operand, params: Any) -> Operand:
    """Return an array as its windows see it."""
    gaps = params.get("base_dilation", (1,) * len(x.shape))
    edges = [(low, high, gap - 1) for (low, high), gap in zip(params["padding"], gaps, strict=True)]
    if not any(any(edge) for edge in edges):
        return in_memory(x)
    shape = tuple(
        low + high + max(n - 1, 0) * (gap + 1) + min(n, 1)
        for n, (low, high, gap) in zip(x.shape, edges, strict=True)
    )
    return node("pad", [x, start], shape, x.code, [n for edge in edges for n in edge])


def _windows(x: Operand, start: Operand, params: Any) -> Operand:
    """Return the windows of an array along new last axes: one layout, in which they overlap."""
    return _overlapping(_padded(x, start, params), params)


def _overlapping(x: Operand, params: Any) -> Operand:
    """Return the windows of an array that was padded."""
    seen = x.header()
    sizes = params["window_dimensions"]
    gaps = params.get("window_dilation", (1,) * len(sizes))
    steps = params["window_strides"]
    counts = [
        max((n - (size - 1) * gap - 1) // step + 1, 0)
        for n, size, gap, step in zip(seen.shape, sizes, gaps, steps, strict=True)
    ]
    strides = [stride * step for stride, step in zip(seen.strides, steps, strict=True)]
    inner = [stride * gap for stride, gap in zip(seen.strides, gaps, strict=True)]
    layout = seen_at((*counts, *sizes), seen.dtype, offset(seen), (*strides, *inner))
    return seen_through(x, layout)


def _window_reduction(name: str, start: Any) -> Rule:
    """A reduction over windows; `start(code)` is what pads an array of a dtype."""

    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        (x,) = operands
        first = number(start(x.code), x.code)
        windows = _windows(in_memory(x), first, params)
        rank = len(x.shape)
        return [node(f"reduce_{name}", [windows], *results[0], range(rank, 2 * rank))]

    return rule


def _lowest(code: int) -> Any:
    return -np.inf if is_float(code) else code != BOOL and int(np.iinfo(DTYPES[code]).min)


def _highest(code: int) -> Any:
    return np.inf if is_float(code) else code == BOOL or int(np.iinfo(DTYPES[code]).max)


def _reduce_window(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    count = len(operands) // 2
    starts = operands[count:]
    rank = len(operands[0].shape)
    arrays = [
        _windows(in_memory(x), start, params)
        for x, start in zip(operands[:count], starts, strict=True)
    ]
    arrays = [
        seen_through(x, x.header().transpose(*range(rank, 2 * rank), *range(rank))) for x in arrays
    ]
    carry = [_spread(start, results[0].shape) for start in starts]
    return _fold(params["jaxpr"], params["consts"], carry, arrays, rank)


def _selected(x: Operand, params: Any) -> tuple[Operand, Shape]:
    """Return where in an array, padded and in C order, each window has what it selects.

    That is its first greatest or least element; nan counts as both. Also returns the shape of the
    padded array.
    """
    greatest = params["select_prim"].name == "ge"
    start = number((_lowest if greatest else _highest)(x.code), x.code)
    padded = _padded(x, start, params)
    windows = _overlapping(padded, params)
    rank = len(x.shape)
    counts, sizes = windows.shape[:rank], windows.shape[rank:]
    rows = node("copy", [windows], windows.shape, x.code)
    rows = seen_through(rows, rows.header().reshape(*counts, math.prod(sizes)))
    place = node("argmax" if greatest else "argmin", [rows], counts, INT64, [rank])
    numbered = node("iota", [], (math.prod(padded.shape),), INT64, [0])
    numbers = seen_through(numbered, numbered.header().reshape(padded.shape))
    inside = _overlapping(numbers, params).header()
    found = seen_through(numbers, inside[(slice(None),) * rank + (0,) * rank])
    for size, stride in zip(reversed(sizes), reversed(inside.strides[rank:]), strict=True):
        if size > 1:
            length = number(size, INT64)
            step = number(stride // inside.itemsize, INT64)
            steps = elementwise("mul", elementwise("rem", place, length), step)
            found = elementwise("add", found, steps)
            place = elementwise("div", place, length)
    return found, padded.shape


def _select_and_gather(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    """Take from one array where the windows of another select; the padding counts as 0."""
    x, by = operands
    places, _ = _selected(by, params)
    flat = in_memory(_padded(x, number(0, x.code), params))
    flat = seen_through(flat, _flat(flat.header()))
    return [node("gather", [flat, places], *results[0], [1], operand=x.code)]


def _select_and_scatter(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    """Add one number for each window where it selects."""
    x, by = operands
    places, padded = _selected(by, params)
    flat = node("copy", [number(0, x.code)], (math.prod(padded),), x.code)
    inputs = [flat, in_memory(x), places]
    added = node("scatter_add", inputs, flat.shape, x.code, [1], operand=x.code)
    whole = seen_through(added, added.header().reshape(padded))
    words = [n for low, high in params["padding"] for n in (-low, -high, 0)]
    if not any(words):
        return [whole]
    return [node("pad", [whole, number(0, x.code)], *results[0], words)]


def _flat(layout: np.ndarray) -> np.ndarray:
    return np.reshape(layout, -1, copy=False)


RULES: dict[str, Rule] = {
    "select_and_gather_add": _select_and_gather,
    "select_and_scatter_add": _select_and_scatter,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "reduce_window_sum": _window_reduction("sum", lambda code: 0),
    "reduce_window_max": _window_reduction("max", _lowest),
    "reduce_window_min": _window_reduction("min", _highest),
}
