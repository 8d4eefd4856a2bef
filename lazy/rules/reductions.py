"""Rules of reductions with a function of one's own, and of reductions over sliding windows."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy as np
from jax.core import eval_jaxpr

from ..dtypes import BOOL, DTYPES, is_float
from .operand import Operand, Rule, Spec, in_memory, node, number, seen_through


def _fold(
    jaxpr: Any, constants: Any, carry: list[Operand], arrays: list[Operand], axes: int
) -> list[Operand]:
    """Fold arrays over their first axes, by a function of numbers applied to whole rows."""
    from ..template import call

    def function(*rows: Any) -> Any:
        apply: Any = partial(eval_jaxpr, jaxpr, constants)
        for _ in rows[0].shape:
            apply = jax.vmap(apply)
        return apply(*rows)

    headers = [x.header() for x in arrays]
    for place in np.ndindex(headers[0].shape[:axes]):
        rows = [
            seen_through(x, seen[(*place, ...)]) for x, seen in zip(arrays, headers, strict=True)
        ]
        carry = call("fold", function, [*carry, *rows], str(jaxpr))
    return carry


def _spread(start: Operand, shape: tuple[int, ...]) -> Operand:
    return node("copy", [start], shape, start.code)


def _reduce(operands: list[Operand], params: Any, results: list[Spec]) -> list[Operand]:
    count = len(operands) // 2
    axes = params["dimensions"]
    arrays = [in_memory(x) for x in operands[:count]]
    arrays = [seen_through(x, np.moveaxis(x.header(), axes, range(len(axes)))) for x in arrays]
    carry = [_spread(x, results[0].shape) for x in operands[count:]]
    return _fold(params["jaxpr"], params.get("consts", ()), carry, arrays, len(axes))


def _windows(x: Operand, start: Operand, params: Any) -> Operand:
    """Return the windows of an array along new last axes: one layout, in which they overlap."""
    edges = [
        (low, high, gap - 1)
        for (low, high), gap in zip(params["padding"], params["base_dilation"], strict=True)
    ]
    if any(any(edge) for edge in edges):
        shape = tuple(
            low + high + max(n - 1, 0) * (gap + 1) + min(n, 1)
            for n, (low, high, gap) in zip(x.shape, edges, strict=True)
        )
        x = node("pad", [x, start], shape, x.code, [n for edge in edges for n in edge])
    seen = in_memory(x).header()
    sizes, gaps = params["window_dimensions"], params["window_dilation"]
    steps = params["window_strides"]
    counts = [
        max((n - (size - 1) * gap - 1) // step + 1, 0)
        for n, size, gap, step in zip(seen.shape, sizes, gaps, steps, strict=True)
    ]
    strides = [stride * step for stride, step in zip(seen.strides, steps, strict=True)]
    inner = [stride * gap for stride, gap in zip(seen.strides, gaps, strict=True)]
    layout = np.lib.stride_tricks.as_strided(
        seen, (*counts, *sizes), (*strides, *inner), writeable=False
    )
    return seen_through(in_memory(x), layout)


def _window_reduction(name: str, start: Any) -> Rule:
    """A reduction over windows; `start(code)` is what pads an array of a dtype."""

    def rule(operands: list[Operand], params: Any, results: list[Spec]) -> list[Operand]:
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


def _reduce_window(operands: list[Operand], params: Any, results: list[Spec]) -> list[Operand]:
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


RULES: dict[str, Rule] = {
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "reduce_window_sum": _window_reduction("sum", lambda code: 0),
    "reduce_window_max": _window_reduction("max", _lowest),
    "reduce_window_min": _window_reduction("min", _highest),
}
