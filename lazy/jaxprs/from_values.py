"""Pending values as a Jaxpr: what is inspected, hashed, compiled and differentiated."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.random import threefry2x32_p, threefry_prng_impl

from ..functions.table import function_of
from ..run.machine import OPERATIONS
from ..values.dtypes import DTYPES, is_complex, is_integer
from ..values.value import Value, dtype_code, opcode, operand_dtype
from . import derivatives, primitives, strided, within_jax
from . import linear as jaxpr_linear
from .complex import COMPLEX
from .lax import LAX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jax import Array
    from jax.extend.core import ClosedJaxpr

    from ..values.types import Scalar

derivatives.add_rules()
within_jax.add_lowerings()


def _params(value: Value) -> tuple[int, ...]:
    return value.params or ()


def _reduce(function: Callable[..., Array]) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        (x,) = operands
        target = DTYPES[dtype_code(value)]
        return function(_converted(x, target), _params(value))

    return rule


def _reduce_without_nan(function: Callable[..., Array], worst: float) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        (x,) = operands
        axes, nans = _params(value), lax.ne(x, x)
        found = function(lax.select(nans, lax.full_like(x, worst), x), axes)
        empty = lax.reduce_and(nans, axes)
        return lax.select(empty, lax.full_like(found, np.nan), found)

    return rule


def _arg_reduce(function: Callable[..., Array]) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        (axis,) = _params(value)
        (x,) = operands
        if axis < 0:
            x, axis = lax.reshape(x, (x.size,)), 0
        return lax.reshape(function(x, axis, np.int64), value.shape)

    return rule


def _scan(function: Callable[..., Array]) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        axis, reverse = _params(value)
        return function(operands[0], axis=axis, reverse=bool(reverse))

    return rule


def _sort(operands: list[Array], value: Value) -> Any:
    axis, _, keys, *_places = _params(value)
    return lax.sort(tuple(operands), dimension=axis, is_stable=True, num_keys=keys)


def _wrapped(index: Array, extent: int) -> Array:
    """Return indices with negative ones counted from the end, as NumPy does.

    Those below `-extent` stay, so that they are out of bounds for the kernels as well.
    """
    from_end = lax.bitwise_and(
        lax.lt(index, lax.full_like(index, 0)), lax.ge(index, lax.full_like(index, -extent))
    )
    return lax.select_n(from_end, index, lax.add(index, lax.full_like(index, extent)))


def _start_indices(x: Array, indices: Sequence[Array]) -> Array:
    parts = [
        lax.expand_dims(_wrapped(index, x.shape[k]), (index.ndim,))
        for k, index in enumerate(indices)
    ]
    return lax.concatenate(parts, parts[0].ndim - 1)


def _gather(operands: list[Array], value: Value) -> Array:
    x, *indices = operands
    count, rank = len(indices), indices[0].ndim
    numbers = lax.GatherDimensionNumbers(
        offset_dims=tuple(range(rank, rank + x.ndim - count)),
        collapsed_slice_dims=tuple(range(count)),
        start_index_map=tuple(range(count)),
    )
    sizes = (1,) * count + x.shape[count:]
    return lax.gather(x, _start_indices(x, indices), numbers, sizes, mode="promise_in_bounds")


def _scatter(function: Callable[..., Array]) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        x, updates, *indices = operands
        count, rank = len(indices), indices[0].ndim
        numbers = lax.ScatterDimensionNumbers(
            update_window_dims=tuple(range(rank, rank + x.ndim - count)),
            inserted_window_dims=tuple(range(count)),
            scatter_dims_to_operand_dims=tuple(range(count)),
        )
        return function(x, _start_indices(x, indices), updates, numbers, mode="promise_in_bounds")

    return rule


class _Windows:
    """The params of kernels of windows (kernels/structured/index/windows.mojo), as JAX's."""

    def __init__(self, params: tuple[int, ...], rank: int) -> None:
        self.drops = params[0] == 1
        axes = [params[1 + 4 * axis : 5 + 4 * axis] for axis in range(rank)]
        self.sizes = tuple(size for size, _, _, _ in axes)
        self.window = tuple(along for _, along, _, _ in axes if along >= 0)
        batched = [(axis, batch) for axis, (_, _, _, batch) in enumerate(axes) if batch >= 0]
        self.batching = tuple(axis for axis, _ in batched), tuple(batch for _, batch in batched)
        self.dropped = tuple(
            axis for axis, (_, along, _, batch) in enumerate(axes) if along < 0 and batch < 0
        )
        components = [(part, axis) for axis, (_, _, part, _) in enumerate(axes) if part >= 0]
        self.starts = tuple(axis for _, axis in sorted(components))

    def gather(self, x: Array, indices: Array, **mode: Any) -> Array:
        numbers = lax.GatherDimensionNumbers(self.window, self.dropped, self.starts, *self.batching)
        return lax.gather(x, indices, numbers, self.sizes, **mode)


def _gather_windows(operands: list[Array], value: Value) -> Array:
    x, indices, fill = operands
    windows = _Windows(_params(value), x.ndim)
    found = windows.gather(x, indices, mode="clip")
    if not windows.drops:
        return found
    everywhere = lax.full(x.shape, True)
    inside = windows.gather(everywhere, indices, mode="fill", fill_value=False)
    return lax.select_n(inside, lax.broadcast(fill, found.shape), found)


def _scatter_windows(function: Callable[..., Array]) -> Any:
    def rule(operands: list[Array], value: Value) -> Array:
        x, updates, indices = operands
        windows = _Windows(_params(value), x.ndim)
        numbers = lax.ScatterDimensionNumbers(
            windows.window, windows.dropped, windows.starts, *windows.batching
        )
        mode = "drop" if windows.drops else "clip"
        return function(x, indices, updates, numbers, mode=mode)

    return rule


def _convolution(operands: list[Array], value: Value) -> Array:
    x, kernel = operands
    spatial, features, batches, last, *rest = _params(value)
    like = tuple(range(spatial + 2))
    out = (0, spatial + 1, *like[1:-1]) if last else like
    strides, low, high, spread, gaps = (rest[k::5] for k in range(5))
    return lax.conv_general_dilated(
        x,
        kernel,
        window_strides=strides,
        padding=tuple(zip(low, high, strict=True)),
        lhs_dilation=spread,
        rhs_dilation=gaps,
        dimension_numbers=lax.ConvDimensionNumbers(like, like, out),
        feature_group_count=features,
        batch_group_count=batches,
    )


def _top_k(operands: list[Array], value: Value) -> Any:
    values, places = lax.top_k(operands[0], value.shape[-1])
    return values, places


def _random_bits(operands: list[Array], value: Value) -> Array:
    width = 8 * DTYPES[dtype_code(value)].itemsize
    with jax.threefry_partitionable(True):
        found: Array = threefry_prng_impl.random_bits(operands[0], width, value.shape)
    return found


def _dot_general(operands: list[Array], value: Value) -> Array:
    a, b = operands
    batch, contract, *axes = _params(value)
    parts = [axes[:batch], axes[batch : 2 * batch]]
    rest = axes[2 * batch :]
    numbers = ((tuple(rest[:contract]), tuple(rest[contract:])), (tuple(parts[0]), tuple(parts[1])))
    return lax.dot_general(a, b, numbers, preferred_element_type=a.dtype)


def _pad(operands: list[Array], value: Value) -> Array:
    x, fill = operands
    flat = _params(value)
    triples = [(flat[k], flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 3)]
    return lax.pad(x, fill, triples)


def _bincount(operands: list[Array], value: Value) -> Array:
    x, *weights = operands
    dtype = DTYPES[dtype_code(value)]
    added = weights[0] if weights else lax.full(x.shape, 1, dtype)
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    counts = lax.full(value.shape, 0, dtype)
    places = lax.expand_dims(x, (1,))
    return lax.scatter_add(counts, places, added, numbers, mode="promise_in_bounds")


def _reduceat(operands: list[Array], value: Value) -> Any:
    x, starts = operands
    axis, operation = _params(value)
    return primitives.reduceat(x, starts, axis, operation, DTYPES[dtype_code(value)])


def _draw(operands: list[Array], value: Value) -> Any:
    state, *given = operands
    return primitives.draw(state, given, _params(value), value.shape, DTYPES[dtype_code(value)])


def _interp(operands: list[Array], value: Value) -> Array:
    x, places, values, left, right = operands
    last = places.size - 1
    found = values[0]
    if last:
        k = jnp.clip(primitives.searchsorted(places, x, 1) - 1, 0, last - 1)
        samples = places[k], values[k], places[k + 1], values[k + 1]
        if np.issubdtype(values.dtype, np.complexfloating):
            x0, y0, x1, y1 = samples
            parts = (_line(x, x0, part(y0), x1, part(y1)) for part in (jnp.real, jnp.imag))
            found = lax.complex(*parts)
        else:
            found = _line(x, *samples)
    found = jnp.where(x < places[0], left, found)
    found = jnp.where(x > places[last], right, found)
    found = jnp.where(jnp.isnan(x), x, found) if last else found
    return found.astype(values.dtype)


def _line(x: Array, x0: Array, y0: Array, x1: Array, y1: Array) -> Array:
    """Return values between two samples each, as NumPy's `interp` calculates."""
    slope = (y1 - y0) / (x1 - x0)
    found = slope * (x - x0) + y0
    found = jnp.where(jnp.isnan(found), slope * (x - x1) + y1, found)
    found = jnp.where(jnp.isnan(found) & (y0 == y1), y0, found)
    return jnp.where(x == x1, y1, jnp.where(x == x0, y0, found))


def _packbits(operands: list[Array], value: Value) -> Array:
    axis, big = _params(value)
    x = lax.convert_element_type(operands[0], np.uint8)
    more = 8 * value.shape[axis] - x.shape[axis]
    x = lax.pad(x, np.uint8(0), [(0, more if k == axis else 0, 0) for k in range(x.ndim)])
    bits = [lax.slice_in_dim(x, bit, None, 8, axis) for bit in range(8)]
    return functools.reduce(
        lax.bitwise_or, (x << (7 - bit if big else bit) for bit, x in enumerate(bits))
    )


def _unpackbits(operands: list[Array], value: Value) -> Array:
    axis, big = _params(value)
    (x,) = operands
    more = max(-(-value.shape[axis] // 8) - x.shape[axis], 0)
    x = lax.pad(x, np.uint8(0), [(0, more if k == axis else 0, 0) for k in range(x.ndim)])
    return jnp.unpackbits(x, axis, value.shape[axis], "big" if big else "little")


KERNELS: dict[str, Any] = {
    "iota": lambda operands, value: lax.broadcasted_iota(
        DTYPES[dtype_code(value)], value.shape, _params(value)[0]
    ),
    "concatenate": lambda operands, value: lax.concatenate(operands, _params(value)[0]),
    "pad": _pad,
    "reduce_sum": _reduce(lax.reduce_sum),
    "reduce_prod": _reduce(lax.reduce_prod),
    "reduce_max": _reduce(lax.reduce_max),
    "reduce_min": _reduce(lax.reduce_min),
    "reduce_fmax": _reduce_without_nan(lax.reduce_max, -np.inf),
    "reduce_fmin": _reduce_without_nan(lax.reduce_min, np.inf),
    "reduce_and": _reduce(lax.reduce_and),
    "reduce_or": _reduce(lax.reduce_or),
    "reduce_xor": _reduce(lax.reduce_xor),
    "argmax": _arg_reduce(lax.argmax),
    "argmin": _arg_reduce(lax.argmin),
    "cumsum": _scan(lax.cumsum),
    "cumprod": _scan(lax.cumprod),
    "cummax": _scan(lax.cummax),
    "cummin": _scan(lax.cummin),
    "sort": _sort,
    "gather": _gather,
    "scatter": _scatter(lax.scatter),
    "scatter_add": _scatter(lax.scatter_add),
    "scatter_mul": _scatter(lax.scatter_mul),
    "scatter_min": _scatter(lax.scatter_min),
    "scatter_max": _scatter(lax.scatter_max),
    "gather_windows": _gather_windows,
    "scatter_windows": _scatter_windows(lax.scatter),
    "scatter_windows_add": _scatter_windows(lax.scatter_add),
    "scatter_windows_mul": _scatter_windows(lax.scatter_mul),
    "scatter_windows_min": _scatter_windows(lax.scatter_min),
    "scatter_windows_max": _scatter_windows(lax.scatter_max),
    "top_k": _top_k,
    "cumlogsumexp": _scan(lax.cumlogsumexp),
    "reduce_precision": lambda operands, value: lax.reduce_precision(operands[0], *_params(value)),
    "threefry2x32": lambda operands, value: threefry2x32_p.bind(*operands),
    "random_bits": _random_bits,
    "require": lambda operands, value: operands[0],
    "conv_general_dilated": _convolution,
    "dot_general": _dot_general,
    "nonzero": lambda operands, value: primitives.nonzero(operands[0], value.shape[0]),
    "searchsorted": lambda operands, value: primitives.searchsorted(
        operands[0], operands[1], _params(value)[0]
    ),
    "reduceat": _reduceat,
    "bincount": _bincount,
    "draw": _draw,
    "interp": _interp,
    "packbits": _packbits,
    "unpackbits": _unpackbits,
    **jaxpr_linear.KERNELS,
}
"""How a kernel's node is written with JAX primitives."""


def _checked(name: str) -> Any:
    """The kernel itself, whose status counts."""

    def rule(operands: list[Array], value: Value) -> Any:
        results = jax.eval_shape(lambda *given: KERNELS[name](list(given), value), *operands)
        specs = tuple((spec.shape, spec.dtype) for spec in results)
        words = tuple(value.params or ())
        return primitives.factorization_p.bind(*operands, kernel=name, words=words, results=specs)

    return rule


CHECKED: dict[str, Any] = {
    **KERNELS,
    **{name: _checked(name) for name in jaxpr_linear.WITH_STATUS},
    "require": lambda operands, value: primitives.require_p.bind(*operands),
}
"""The same for a graph that is compiled: JAX's factorizations tell by nan what has failed."""


def trace(
    nodes: Sequence[Value], outputs: Sequence[Value], *, checked: bool = False
) -> tuple[ClosedJaxpr, list[Any]]:
    """Return the Jaxpr of pending values and the leaves that its inputs stand for.

    Args:
        nodes: Pending values in recording order, all that the outputs depend on.
        outputs: Those of them that are results.
        checked: Whether failures of factorizations are part of the Jaxpr, by primitives of ours.

    A leaf is a computed Value, or a pair of a Python number and the dtype code it is used with:
    numbers are inputs, so that other numbers give the same Jaxpr.
    """
    leaves: list[Any] = []
    places: dict[int, int] = {}
    computed = {id(value) for value in nodes}
    for value in nodes:
        for operand in value.inputs:
            if isinstance(operand, Value):
                if id(operand) not in computed and id(operand) not in places:
                    places[id(operand)] = len(leaves)
                    leaves.append(operand)
            else:
                leaves.append((operand, operand_dtype(value)))
    for value in outputs:
        if id(value) not in computed and id(value) not in places:
            places[id(value)] = len(leaves)
            leaves.append(value)

    def replay(*arguments: Array) -> list[Array]:
        made = {key: arguments[place] for key, place in places.items()}
        numbers = iter(
            argument
            for argument, leaf in zip(arguments, leaves, strict=True)
            if not isinstance(leaf, Value)
        )
        for value in nodes:
            _apply(value, made, numbers, CHECKED if checked else KERNELS)
        return [made[id(value)] for value in outputs]

    with jax.enable_x64(True):
        closed = jax.make_jaxpr(replay)(*(_spec(leaf) for leaf in leaves))
    return closed, leaves


def _spec(leaf: Value | tuple[Scalar, int]) -> jax.ShapeDtypeStruct:
    if isinstance(leaf, Value):
        return jax.ShapeDtypeStruct(leaf.shape, DTYPES[dtype_code(leaf)])
    return jax.ShapeDtypeStruct((), DTYPES[leaf[1]])


def _apply(value: Value, made: dict[int, Any], numbers: Any, kernels: dict[str, Any]) -> None:
    name = OPERATIONS.get(opcode(value), "")
    if name == "project":
        made[id(value)] = made[("all", id(value.inputs[0]))][value.params[0]]  # type: ignore[index]
        return
    layouts = value.layouts or (None,) * len(value.inputs)
    operands = []
    for operand, layout in zip(value.inputs, layouts, strict=True):
        x = made[id(operand)] if isinstance(operand, Value) else next(numbers)
        operands.append((x, layout))
    result = step_result(name, value, operands, kernels)
    if isinstance(result, (tuple, list)):
        made[("all", id(value))] = result  # type: ignore[index]
        result = result[0]
    made[id(value)] = result


def step_result(
    name: str, value: Value, operands: list[tuple[Array, Any]], kernels: dict[str, Any]
) -> Any:
    """Return what a step gives, a sequence for a kernel with several results.

    Args:
        name: Its operation.
        value: The step: its code, shape and parameters are looked at.
        operands: Arrays of JAX, each with the layout through which it is read, or None.
        kernels: `KERNELS` or `CHECKED`.
    """
    if name == "store":
        (x, layout), (new, seen) = operands
        new = new if seen is None else strided.read(new, seen)
        return strided.write(x, _spread(new, layout.shape), layout)
    if name.startswith("scatter"):
        return _scatter_through(name, value, operands)
    read = [x if layout is None else strided.read(x, layout) for x, layout in operands]
    if name in kernels:
        return kernels[name](read, value)
    return _elementwise(name, value, [_spread(x, value.shape) for x in read])


def _scatter_through(name: str, value: Value, operands: list[tuple[Array, Any]]) -> Array:
    """A scatter into a view: of the view's elements, which are then written back."""
    (x, layout), *others = operands
    read = [y if seen is None else strided.read(y, seen) for y, seen in others]
    part = x if layout is None else strided.read(x, layout)
    found = KERNELS[name]([part, *read], value)
    return found if layout is None else strided.write(x, found, layout)


def _spread(x: Array, shape: tuple[int, ...]) -> Array:
    if x.shape == shape:
        return x
    missing = len(shape) - x.ndim
    kept = tuple(k for k in range(x.ndim) if x.shape[k] == shape[k + missing])
    dropped = tuple(k for k in range(x.ndim) if k not in kept)
    x = lax.squeeze(x, dropped) if dropped else x
    return lax.broadcast_in_dim(x, shape, tuple(k + missing for k in kept))


def _converted(x: Array, target: np.dtype) -> Array:
    """Return an array in another dtype; the user was warned of imaginary parts that are lost."""
    if np.issubdtype(x.dtype, np.complexfloating) and target.kind not in "bc":
        x = lax.real(x)
    return lax.convert_element_type(x, target)


def _elementwise(name: str, value: Value, operands: list[Array]) -> Any:
    function = function_of(opcode(value))
    if function is not None:
        return primitives.bind_function(function, operands)
    if name == "copy":
        return operands[0]
    if name == "convert_element_type":
        return _converted(operands[0], DTYPES[dtype_code(value)])
    if is_complex(operand_dtype(value)) and name in COMPLEX:
        return COMPLEX[name](*operands)
    if name == "pow" and is_integer(operand_dtype(value)):
        return primitives.integer_power_p.bind(*operands)
    if name == "round":
        return lax.round(operands[0], lax.RoundingMethod.TO_NEAREST_EVEN)
    if (
        name == "abs"
        and is_integer(operand_dtype(value))
        and DTYPES[operand_dtype(value)].kind == "u"
    ):
        return operands[0]
    if name in ("add", "mul") and operand_dtype(value) == 0:
        return (lax.bitwise_or if name == "add" else lax.bitwise_and)(*operands)
    if name in primitives.ELEMENTWISE:
        return primitives.ELEMENTWISE[name].bind(*operands)
    return LAX[name](*operands)
