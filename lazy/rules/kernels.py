"""Rules of primitives that are one structured kernel: what its params are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values.dtypes import BOOL, FLOAT32, INT64, is_complex, is_float
from .operand import Operand, Rule, converted, elementwise, in_memory, node, nodes, seen_through
from .shape_code import ShapeCode, Unrecordable


def _over_mapped_axes(name: str) -> Rule:
    """A reduction over axes of `jax.vmap`, which has given them numbers."""

    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        axes = params["axes"]
        numbered = all(isinstance(axis, (int, np.integer)) for axis in axes)
        if not numbered or params["axis_index_groups"] is not None:
            raise Unrecordable("a reduction over axes that have names, or over groups of them")
        pairs = zip(operands, results, strict=True)
        return [node(name, [x], *spec, sorted(axes)) if axes else x for x, spec in pairs]

    return rule


def _axes(name: str) -> Rule:
    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        return [node(name, operands, *results[0], sorted(params["axes"]))]

    return rule


def _arg(name: str) -> Rule:
    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        shape, code = results[0]
        return [converted(node(name, operands, shape, INT64, [params["axes"][0]]), code)]

    return rule


def _scan(name: str) -> Rule:
    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        return [node(name, operands, *results[0], [params["axis"], int(params["reverse"])])]

    return rule


def _iota(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    shape, code = results[0]
    counted = INT64 if code == BOOL or is_complex(code) else code
    return [converted(node("iota", [], shape, counted, [params["dimension"]]), code)]


def _concatenate(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [node("concatenate", operands, *results[0], [params["dimension"]])]


def _stack(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    axis = params["axis"]
    parts = [in_memory(x) for x in operands]
    parts = [seen_through(x, np.expand_dims(x.header(), axis)) for x in parts]
    return [node("concatenate", parts, *results[0], [axis])]


def _tile(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """Repeat whole axes: each is read as (repeats, length), the first with stride 0."""
    x = in_memory(operands[0])
    seen = x.header()
    repeats = tuple(params["reps"])
    seen = seen.reshape((1,) * (len(repeats) - seen.ndim) + seen.shape)
    pairs = [n for pair in zip(repeats, seen.shape, strict=True) for n in pair]
    spread = np.broadcast_to(seen[tuple([None, slice(None)] * seen.ndim)], pairs)
    shape, code = results[0]
    copied = node("copy", [seen_through(x, spread)], spread.shape, code)
    return [seen_through(copied, copied.header().reshape(shape))]


def _pad(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    words = [n for axis in params["padding_config"] for n in axis]
    return [node("pad", operands, *results[0], words)]


def _sort(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    words = [params["dimension"], len(operands), params["num_keys"]]
    return nodes("sort", operands, results, words)


def _top_k(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (x,) = operands
    axis = params.get("axis", len(x.shape) - 1) % len(x.shape)
    x = in_memory(x)
    last = seen_through(x, np.moveaxis(x.header(), axis, -1))
    moved = [ShapeCode(_moved(spec.shape, axis), spec.code) for spec in results]
    found = nodes("top_k", [last], moved)
    return [seen_through(y, np.moveaxis(y.header(), -1, axis)) for y in found]


def _approx_top_k(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """Exactly: that is within any bounds of the approximation."""
    (x,) = operands
    axis = {"axis": params["reduction_dimension"]}
    if params["is_max_k"]:
        return _top_k([x], axis, results)
    least, places = _top_k([elementwise("neg", x)], axis, results)
    return [elementwise("neg", least), places]


def _moved(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :], shape[axis])


def _dot_general(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = params["dimension_numbers"]
    flat = [len(lhs_batch), len(lhs_contract), *lhs_batch, *rhs_batch, *lhs_contract, *rhs_contract]
    shape, code = results[0]
    # the kernel takes operands of the result's dtype, as preferred_element_type asks
    return [node("dot_general", [converted(x, code) for x in operands], shape, code, flat)]


def _reduce_precision(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    words = [params["exponent_bits"], params["mantissa_bits"]]
    return [node("reduce_precision", operands, *results[0], words)]


def _threefry(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    shape = results[0].shape
    spread = [in_memory(x) for x in operands]
    spread = [seen_through(x, np.broadcast_to(x.header(), shape)) for x in spread]
    return nodes("threefry2x32", spread, results)


def _convolution(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """The kernel takes (batch, features, space..), (out, in, space..).

    It gives the former, or (batch, space.., features) where the features come last.
    """
    numbers = params["dimension_numbers"]
    shape, wanted = results[0]
    code = FLOAT32 if is_float(wanted) and wanted < FLOAT32 else wanted
    specs = (numbers.lhs_spec, numbers.rhs_spec)
    pairs = zip((in_memory(x) for x in operands), specs, strict=True)
    inputs = [converted(seen_through(x, x.header().transpose(spec)), code) for x, spec in pairs]
    batch, features, *space = numbers.out_spec
    last = bool(space) and features == len(shape) - 1
    order = (batch, *space, features) if last else numbers.out_spec
    groups = params["feature_group_count"], params["batch_group_count"]
    words = [len(shape) - 2, *groups, int(last)]
    for stride, (low, high), spread, gap in zip(
        params["window_strides"],
        params["padding"],
        params["lhs_dilation"],
        params["rhs_dilation"],
        strict=True,
    ):
        words += [stride, low, high, spread, gap]
    out = tuple(shape[axis] for axis in order)
    found = node("conv_general_dilated", inputs, out, code, words)
    turned = seen_through(found, found.header().transpose(np.argsort(order)))
    return [converted(turned, wanted)]


def _cumlogsumexp(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """In float32 for half precision."""
    shape, code = results[0]
    words = [params["axis"], int(params["reverse"])]
    half = is_float(code) and code < FLOAT32
    x = converted(operands[0], FLOAT32 if half else code)
    return [converted(node("cumlogsumexp", [x], shape, x.code, words), code)]


# -- Fourier transforms: a kernel for each axis that is transformed

FORWARD, INVERSE, REAL, REAL_INVERSE = range(4)
"""Kinds of transforms, numbered as in jax.lax.FftType."""


def _along(x: Operand, axis: int, kind: int, length: int, result: ShapeCode) -> Operand:
    """Transform along one axis; `result` has the extent of that axis and the dtype."""
    x = in_memory(x)
    last = seen_through(x, np.moveaxis(x.header(), axis, -1))
    extents = (*last.shape[:-1], result.shape[axis])
    found = node("fft", [last], extents, result.code, [kind, length], operand=x.code)
    return seen_through(found, np.moveaxis(found.header(), -1, axis))


def _fft(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
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
        x = _along(x, axis, inner, x.shape[axis], ShapeCode(x.shape, code))
    if kind == REAL_INVERSE:
        x = _along(x, rank - 1, kind, lengths[-1], spec)
    return [x]


def _searchsorted(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [node("searchsorted", list(map(in_memory, operands)), *results[0], [params["side"]])]


def _reduceat(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    x, starts = map(in_memory, operands)
    words = [params["axis"], params["operation"]]
    return [node("reduceat", [x, starts], *results[0], words, operand=x.code)]


def _draw(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """Parameters are seen as they are, or all in one shape."""
    given = list(map(in_memory, operands))
    return nodes("draw", given, results, params["words"], operand=results[0].code)


RULES: dict[str, Rule] = {
    "draw": _draw,
    "fft": _fft,
    "reduceat": _reduceat,
    "searchsorted": _searchsorted,
    **{
        f"reduce_{name}": _axes(f"reduce_{name}")
        for name in ("sum", "prod", "max", "min", "and", "or", "xor")
    },
    **{f"p{name}": _over_mapped_axes(f"reduce_{name}") for name in ("sum", "max", "min")},
    **{name: _arg(name) for name in ("argmax", "argmin")},
    **{name: _scan(name) for name in ("cumsum", "cumprod", "cummax", "cummin")},
    "cumlogsumexp": _cumlogsumexp,
    "iota": _iota,
    "concatenate": _concatenate,
    "stack": _stack,
    "tile": _tile,
    "pad": _pad,
    "sort": _sort,
    "top_k": _top_k,
    "approx_top_k": _approx_top_k,
    "dot_general": _dot_general,
    "reduce_precision": _reduce_precision,
    "threefry2x32": _threefry,
    "conv_general_dilated": _convolution,
}
