"""Rules of gather, scatter and dynamic slices."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.lax import GatherDimensionNumbers, ScatterDimensionNumbers

from ..values.dtypes import DTYPES, INT64
from .operand import Operand, Rule, converted, elementwise, in_memory, node, number, seen_through
from .shape_code import ShapeCode
from .template import call

_CLIP, _DROP = 0, 1


def _words(
    rank: int,
    sizes: tuple[int, ...],
    window: tuple[int, ...],
    dropped: tuple[int, ...],
    starts: tuple[int, ...],
    batching: tuple[tuple[int, ...], tuple[int, ...]],
    mode: Any,
    other_rank: int,
) -> list[int]:
    """Return the params of the kernels of windows (kernels/structured/index/windows.mojo)."""
    along = [axis for axis in range(rank) if axis not in dropped and axis not in batching[0]]
    words = [_DROP if mode.name == "FILL_OR_DROP" else _CLIP]
    for axis in range(rank):
        words.append(sizes[axis])
        words.append(window[along.index(axis)] if axis in along else -1)
        words.append(starts.index(axis) if axis in starts else -1)
        words.append(batching[1][batching[0].index(axis)] if axis in batching[0] else -1)
    return words + [axis for axis in range(other_rank) if axis not in window]


def _gather(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    x, indices = operands
    numbers = params["dimension_numbers"]
    shape, code = results[0]
    if 0 in shape:  # the kernel takes no window of nothing
        return [node("copy", [number(0, code)], shape, code)]
    words = _words(
        len(x.shape),
        params["slice_sizes"],
        numbers.offset_dims,
        numbers.collapsed_slice_dims,
        numbers.start_index_map,
        (numbers.operand_batching_dims, numbers.start_indices_batching_dims),
        params["mode"],
        len(shape),
    )
    fill = number(_fill_value(params["fill_value"], code), code)
    return [node("gather_windows", [in_memory(x), in_memory(indices), fill], shape, code, words)]


def _fill_value(given: Any, code: int) -> bool | int | float:
    """Return what windows that are not inside read: nan, the least or largest integer, True."""
    dtype = DTYPES[code]
    if given is not None:
        return np.asarray(given, dtype).item()  # type: ignore[no-any-return]
    if dtype.kind == "b":
        return True
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return int(info.min if dtype.kind == "i" else info.max)
    return float("nan")


def _scatter(name: str) -> Rule:
    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        x, indices, updates = operands
        if 0 in (*x.shape, *updates.shape):
            return [x]
        if name == "scatter_windows" and params["update_jaxpr"] is not None:
            return _scatter_apply(operands, params)
        numbers = params["dimension_numbers"]
        sizes = iter(updates.shape[axis] for axis in numbers.update_window_dims)
        gone = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
        words = _words(
            len(x.shape),
            tuple(1 if axis in gone else next(sizes) for axis in range(len(x.shape))),
            numbers.update_window_dims,
            numbers.inserted_window_dims,
            numbers.scatter_dims_to_operand_dims,
            (numbers.operand_batching_dims, numbers.scatter_indices_batching_dims),
            params["mode"],
            len(updates.shape),
        )
        target = x
        if x.layout is not None or not x.shape:
            target = node("copy", [x], x.shape, x.code)
        inputs = [in_memory(y) for y in (target, updates, indices)]
        return [node(name, inputs, *results[0], words, operand=x.code)]

    return rule


def _scatter_apply(operands: list[Operand], params: Any) -> list[Operand]:
    """Apply a function to windows, one after the other, as some may be the same."""
    numbers, mode, jaxpr = params["dimension_numbers"], params["mode"], params["update_jaxpr"]
    batching = dict(
        zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims, strict=True)
    )
    window = len(numbers.update_window_dims)
    # An axis of a batch is one more place of a window that has one element along it.
    dropped = tuple(sorted((*numbers.inserted_window_dims, *batching)))
    starts = (*numbers.scatter_dims_to_operand_dims, *batching)
    source = GatherDimensionNumbers(tuple(range(window)), dropped, starts)
    target = ScatterDimensionNumbers(tuple(range(window)), dropped, starts)
    # JAX takes no function that closes over arrays.
    apply: Any = functools.partial(jax.core.eval_jaxpr, jaxpr, ())
    for _ in range(window):
        apply = jax.vmap(apply)

    def function(x: Any, indices: Any, updates: Any) -> Any:
        sizes = [updates.shape[axis] for axis in numbers.update_window_dims]
        for axis in dropped:
            sizes.insert(axis, 1)

        def one(x: Any, places: tuple[Any, Any]) -> tuple[Any, None]:
            index, update = places
            (new,) = apply(lax.gather(x, index, source, tuple(sizes), mode=mode), update)
            return lax.scatter(x, index, new, target, mode=mode), None

        counted = (*indices.shape[:-1], 1)
        places = [lax.broadcasted_iota(indices.dtype, counted, k) for k in batching.values()]
        indices = jnp.concatenate([indices, *places], axis=-1)
        moved = jnp.moveaxis(updates, numbers.update_window_dims, range(-window, 0))
        flat = moved.reshape(-1, *moved.shape[moved.ndim - window :])
        return lax.scan(one, x, (indices.reshape(-1, indices.shape[-1]), flat))[0]

    static = (str(jaxpr), numbers, mode)
    return call("scatter_apply", function, [in_memory(x) for x in operands], static)


def _scatter_sub(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    x, indices, updates = operands
    return RULES["scatter-add"]([x, indices, elementwise("neg", updates)], params, results)


def _starts(operands: list[Operand]) -> Operand:
    """Return the starts of one window as an array."""
    parts = [in_memory(converted(start, INT64)) for start in operands]
    parts = [seen_through(start, start.header().reshape(1)) for start in parts]
    return node("concatenate", parts, (len(parts),), INT64, [0])


def _window(sizes: tuple[int, ...]) -> list[int]:
    """Return the params of one window at a start that is moved into bounds."""
    words = [_CLIP]
    for axis, size in enumerate(sizes):
        words += [size, axis, axis, -1]
    return words


def _dynamic_slice(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    x, *starts = operands
    if not x.shape:
        return [x]
    sizes = params["slice_sizes"]
    shape, code = results[0]
    inputs = [in_memory(x), _starts(starts), number(0, code)]
    return [node("gather_windows", inputs, shape, code, _window(sizes))]


def _dynamic_update_slice(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    x, update, *starts = operands
    if not x.shape:
        return [update]
    target = node("copy", [x], x.shape, x.code) if x.layout is not None else in_memory(x)
    inputs = [target, in_memory(update), _starts(starts)]
    words = _window(update.shape)
    return [node("scatter_windows", inputs, *results[0], words, operand=x.code)]


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter("scatter_windows"),
    "scatter-add": _scatter("scatter_windows_add"),
    "scatter-sub": _scatter_sub,
    "scatter-mul": _scatter("scatter_windows_mul"),
    "scatter-min": _scatter("scatter_windows_min"),
    "scatter-max": _scatter("scatter_windows_max"),
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
