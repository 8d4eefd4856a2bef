"""The rule of Fourier transforms: a kernel for each axis that is transformed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .operand import Operand, Rule, Spec, in_memory, node, seen_through

FORWARD, INVERSE, REAL, REAL_INVERSE = range(4)
"""Kinds of transforms, numbered as in jax.lax.FftType."""


def _along(x: Operand, axis: int, kind: int, length: int, result: Spec) -> Operand:
    """Transform along one axis; `result` has the extent of that axis and the dtype."""
    x = in_memory(x)
    last = seen_through(x, np.moveaxis(x.header(), axis, -1))
    extents = (*last.shape[:-1], result.shape[axis])
    found = node("fft", [last], extents, result.code, [kind, length], operand=x.code)
    return seen_through(found, np.moveaxis(found.header(), -1, axis))


def _fft(operands: list[Operand], params: Any, results: list[Spec]) -> list[Operand]:
    """Transform the last axes: of a real array the last one first, to a real array last."""
    (x,) = operands
    (spec,) = results
    kind, lengths = int(params["fft_type"]), params["fft_lengths"]
    if 0 in spec.shape:
        return [node("copy", [Operand(0, None, (), spec.code)], *spec)]
    rank = len(x.shape)
    axes = list(range(rank - len(lengths), rank))
    inner = INVERSE if kind in (INVERSE, REAL_INVERSE) else FORWARD
    code = x.code if kind == REAL_INVERSE else spec.code
    if kind == REAL:
        x = _along(x, axes.pop(), REAL, lengths[-1], spec)
    elif kind == REAL_INVERSE:
        axes.pop()
    for axis in reversed(axes):
        x = _along(x, axis, inner, x.shape[axis], Spec(x.shape, code))
    if kind == REAL_INVERSE:
        x = _along(x, rank - 1, kind, lengths[-1], spec)
    return [x]


RULES: dict[str, Rule] = {"fft": _fft}
