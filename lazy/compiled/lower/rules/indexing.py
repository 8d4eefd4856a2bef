"""Gather and scatter with any dimension numbers, by the kernels that index the first axes.

The kernels take one int64 array for each indexed axis. All of these have the shape S: the batch
axes of lax, then one axis for each window longer than 1 along an indexed axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.graph_ir import TensorSpec
from ..support.calls import Argument, Call, Caller, out, read
from ..support.values import Placed, whole
from ..support.views import box
from .updates import taken_at, updated_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import Plain, Step
    from ...ir.writer import Writer
    from ..support.types import Check, Expansion, KernelRule, Specs

_INDEX = "int64"
_MODES = frozenset({"CLIP", "FILL_OR_DROP", "PROMISE_IN_BOUNDS"})


@dataclass(frozen=True)
class _Axes:
    """The axes of the indexed operand, in the terms that gather and scatter share.

    `sizes` are the window's lengths along each axis. `starts[k]` is the axis whose starts are in
    column k of the indices. `batching` pairs axes with the batch axes that run along with them.
    `dropped` are the axes that the other array lacks.
    """

    sizes: tuple[int, ...]
    starts: tuple[int, ...]
    batching: tuple[tuple[int, int], ...]
    dropped: tuple[int, ...]

    @property
    def indexed(self) -> list[int]:
        """The axes that have an index array, in the order in which the kernels get them."""
        return [*self.starts, *(axis for axis, _ in self.batching)]

    @property
    def wide(self) -> list[int]:
        """The indexed axes with windows longer than 1."""
        return [axis for axis in self.starts if self.sizes[axis] != 1]

    @property
    def rest(self) -> list[int]:
        """The axes that are not indexed."""
        return [axis for axis in range(len(self.sizes)) if axis not in self.indexed]

    @property
    def window(self) -> list[int]:
        """The axes that the other array has, in its order."""
        gone = {*self.dropped, *(axis for axis, _ in self.batching)}
        return [axis for axis in range(len(self.sizes)) if axis not in gone]

    @property
    def unit(self) -> list[int]:
        """The axes of the other array along which it has one element for each index."""
        return [axis for axis in self.window if axis in self.starts and axis not in self.wide]


class _Indices:
    """The index arrays of one gather or scatter."""

    def __init__(self, writer: Writer, axes: _Axes, shape: tuple[int, ...], indices: int) -> None:
        self._writer = writer
        self._axes = axes
        self._shape = shape
        self.batch = writer.spec(indices).shape[:-1]
        wide = tuple(axes.sizes[axis] for axis in axes.wide)
        self.all = (*self.batch, *wide)
        last = len(self.batch)
        columns = writer.convert(indices, _INDEX)
        self.starts = [
            writer.reshape(writer.along(columns, last, k, k + 1), self.batch)
            for k in range(len(axes.starts))
        ]

    def room(self, axis: int) -> int:
        """Return the greatest start of a window along an axis."""
        return self._shape[axis] - self._axes.sizes[axis]

    def clip(self) -> None:
        """Move the starts into bounds."""
        w = self._writer
        for k, axis in enumerate(self._axes.starts):
            low = w.same("max", self.starts[k], w.scalar(0, _INDEX))
            self.starts[k] = w.same("min", low, w.scalar(self.room(axis), _INDEX))

    def inside(self) -> int:
        """Return which windows are in bounds, in the shape of the batch axes."""
        w = self._writer
        flags = []
        for start, axis in zip(self.starts, self._axes.starts, strict=True):
            flags.append(w.compare("ge", start, w.scalar(0, _INDEX)))
            flags.append(w.compare("le", start, w.scalar(self.room(axis), _INDEX)))
        result = flags[0]
        for flag in flags[1:]:
            result = w.same("and", result, flag)
        return result

    def arrays(self) -> list[int]:
        """Return the index arrays."""
        w = self._writer
        batch = range(len(self.batch))
        arrays = []
        for start, axis in zip(self.starts, self._axes.starts, strict=True):
            index = w.broadcast(start, self.all, batch)
            if axis in self._axes.wide:
                place = len(self.batch) + self._axes.wide.index(axis)
                index = w.same("add", index, self._count(self._axes.sizes[axis], place))
            arrays.append(index)
        for axis, along in self._axes.batching:
            arrays.append(self._count(self._shape[axis], along))
        return arrays

    def operands(self) -> list[int]:
        """Return the index arrays as a kernel's operands."""
        return self._writer.together(self.arrays())

    def _count(self, length: int, axis: int) -> int:
        return self._writer.broadcast(self._writer.count(length, _INDEX), self.all, (axis,))


def _gather(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    x, indices = operands
    numbers = dict(step.param("dimension_numbers"))
    axes = _Axes(
        step.param("slice_sizes"),
        numbers["start_index_map"],
        tuple(
            zip(
                numbers["operand_batching_dims"],
                numbers["start_indices_batching_dims"],
                strict=True,
            )
        ),
        numbers["collapsed_slice_dims"],
    )
    shape = writer.spec(x).shape
    if results[0].size == 0:
        return [writer.constant(np.empty(results[0].shape, results[0].dtype))]
    arrays = _Indices(writer, axes, shape, indices)
    inside = None
    if step.param("mode") == "FILL_OR_DROP" and arrays.starts:
        inside = arrays.inside()
    if step.param("mode") != "PROMISE_IN_BOUNDS":
        arrays.clip()
    stops = [n if axis in axes.indexed else axes.sizes[axis] for axis, n in enumerate(shape)]
    source = writer.transpose(writer.slice(x, [0] * len(shape), stops), [*axes.indexed, *axes.rest])
    value = _indexed(writer, source, arrays, axes)
    value = _in_result_order(writer, value, axes, len(arrays.batch), numbers["offset_dims"])
    if inside is None:
        return [value]
    batch = [axis for axis in range(len(results[0].shape)) if axis not in numbers["offset_dims"]]
    keep = writer.broadcast(inside, results[0].shape, batch)
    fill = writer.constant(np.array(_fill_value(step.param("fill_value"), results[0].dtype)))
    return [writer.step("jj_select", [keep, fill, value], results[0])]


def _indexed(writer: Writer, source: int, arrays: _Indices, axes: _Axes) -> int:
    spec = writer.spec(source)
    rest = tuple(axes.sizes[axis] for axis in axes.rest)
    result = TensorSpec((*arrays.all, *rest), spec.dtype)
    if not axes.indexed:
        return writer.broadcast(source, result.shape, range(len(arrays.all), len(result.shape)))
    operands = [source, *arrays.operands()]
    return writer.kernel("gather", operands, result, [len(axes.indexed)])


def _in_result_order(
    writer: Writer, value: int, axes: _Axes, batch: int, offsets: Sequence[int]
) -> int:
    """Order the axes (batch, wide, rest), with those of length 1 that are missing, as lax does."""
    value = writer.reshape(value, (*writer.spec(value).shape, *[1] * len(axes.unit)))
    have = [*range(-batch, 0), *axes.wide, *axes.rest, *axes.unit]
    window = iter(axes.window)
    others = iter(range(-batch, 0))
    rank = len(have)
    wanted = [next(window) if at in offsets else next(others) for at in range(rank)]
    return writer.transpose(value, [have.index(axis) for axis in wanted])


def _fill_value(given: Plain, dtype: str) -> Any:
    kind = np.dtype(dtype)
    if given is not None:
        return kind.type(float.fromhex(given) if isinstance(given, str) else given)
    if kind.kind == "f":
        return kind.type(np.nan)
    if kind.kind == "b":
        return kind.type(True)
    return kind.type(np.iinfo(kind).min if kind.kind == "i" else np.iinfo(kind).max)


def _scatter(writer: Writer, step: Step, operands: Sequence[int], results: Specs) -> list[int]:
    x, indices, updates = operands
    numbers = dict(step.param("dimension_numbers"))
    shape = writer.spec(x).shape
    axes = _scatter_axes(numbers, shape, writer.spec(updates).shape)
    if writer.spec(updates).size == 0 or results[0].size == 0:
        return [x]
    arrays = _Indices(writer, axes, shape, indices)
    if not arrays.batch:
        drops = step.param("mode") == "FILL_OR_DROP"
        return [_updated(writer, x, updates, arrays, axes, _COMBINED[step.name], drops=drops)]
    updates = _updates_in_order(
        writer, updates, axes, len(arrays.batch), numbers["update_window_dims"]
    )
    stops = [n if axis in axes.indexed else axes.sizes[axis] for axis, n in enumerate(shape)]
    params: dict[str, Plain] = {"kernel": step.name.replace("-", "_")}
    params["permutation"] = (*axes.indexed, *axes.rest)
    if step.param("mode") == "CLIP":
        arrays.clip()
    if step.param("mode") != "FILL_OR_DROP" or not arrays.starts:
        params["stops"] = tuple(stops)
        return [writer.step("jj_scatter", [x, updates, *arrays.operands()], results[0], **params)]
    return [_dropping(writer, x, updates, arrays, axes, stops, params)]


def _updated(
    writer: Writer,
    x: int,
    updates: int,
    arrays: _Indices,
    axes: _Axes,
    combine: str,
    *,
    drops: bool,
) -> int:
    """Scatter one window: read it, combine it with the update, and write it."""
    update = writer.reshape(updates, axes.sizes)
    starts = [writer.scalar(0, _INDEX)] * len(axes.sizes)
    for axis, start in zip(axes.starts, arrays.starts, strict=True):
        starts[axis] = start
    before = taken_at(writer, x, starts, axes.sizes)
    if combine != "copy":
        update = writer.same(combine, before, update)
    if drops:
        keep = writer.broadcast(arrays.inside(), axes.sizes, ())
        update = writer.step("jj_select", [keep, before, update], writer.spec(update))
    return updated_at(writer, x, update, starts)


def _dropping(
    writer: Writer,
    x: int,
    updates: int,
    arrays: _Indices,
    axes: _Axes,
    stops: list[int],
    params: dict[str, Plain],
) -> int:
    """Scatter what is in bounds: the rest goes to an additional index of the first indexed axis."""
    axis = axes.starts[0]
    spec = writer.spec(x)
    grown = list(spec.shape)
    grown[axis] += 1
    stops[axis] += 1
    zero = writer.scalar(0, spec.dtype)
    words = [word for at in range(len(grown)) for word in (0, int(at == axis), 0)]
    large = writer.kernel("pad", [x, zero], TensorSpec(tuple(grown), spec.dtype), words)
    keep = writer.broadcast(arrays.inside(), arrays.all, range(len(arrays.batch)))
    outside = spec.shape[axis]
    indices = [
        writer.step(
            "jj_select",
            [keep, writer.scalar(outside if k == 0 else 0, _INDEX), array],
            writer.spec(array),
        )
        for k, array in enumerate(arrays.arrays())
    ]
    operands = [large, updates, *writer.together(indices)]
    done = writer.step("jj_scatter", operands, writer.spec(large), stops=tuple(stops), **params)
    return writer.slice(done, [0] * len(grown), spec.shape)


def _scatter_axes(numbers: dict[str, Any], shape: Sequence[int], updates: Sequence[int]) -> _Axes:
    batching = tuple(
        zip(numbers["operand_batching_dims"], numbers["scatter_indices_batching_dims"], strict=True)
    )
    dropped = numbers["inserted_window_dims"]
    gone = {*dropped, *(axis for axis, _ in batching)}
    lengths = iter(updates[axis] for axis in numbers["update_window_dims"])
    sizes = tuple(1 if axis in gone else next(lengths) for axis in range(len(shape)))
    return _Axes(sizes, numbers["scatter_dims_to_operand_dims"], batching, dropped)


def _updates_in_order(
    writer: Writer, updates: int, axes: _Axes, batch: int, window: Sequence[int]
) -> int:
    """Order the axes of the updates: batch, wide, rest; those of length 1 left out."""
    rank = len(writer.spec(updates).shape)
    place = dict(zip(axes.window, window, strict=True))
    others = [axis for axis in range(rank) if axis not in window]
    kept = [*others, *(place[axis] for axis in [*axes.wide, *axes.rest])]
    unit = [place[axis] for axis in axes.unit]
    value = writer.transpose(updates, [*kept, *unit])
    return writer.reshape(value, writer.spec(value).shape[: len(kept)])


def _place_scattered(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    x, *rest = operands
    target = box(whole(results[0]), (0,) * len(results[0].shape), step.param("stops"))
    array = Argument(0, target.transpose(step.param("permutation")))
    copy = Call("copy", [out(0, results[0]), read(x)])
    words = (len(rest) - 1,)
    return call(results, [copy, Call(step.param("kernel"), [array, *map(read, rest)], words)])


def _check(step: Step, operands: Specs, results: Specs) -> str:
    if step.param("mode") not in _MODES:
        return f"{step.name} with mode {step.param('mode')}"
    if dict(step.params).get("update_jaxpr") is not None:
        return "scatter with a function of one's own"
    if step.name != "gather":
        numbers = dict(step.param("dimension_numbers"))
        if not (numbers["scatter_dims_to_operand_dims"] or numbers["operand_batching_dims"]):
            return f"{step.name} without indices"
    if len(operands) and operands[1].dtype not in _INTEGERS:
        return f"indices of dtype {operands[1].dtype}"
    return ""


_INTEGERS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_COMBINED = {
    "scatter": "copy",
    "scatter-add": "add",
    "scatter-mul": "mul",
    "scatter-min": "min",
    "scatter-max": "max",
}
"""The operation that combines what is there with an update."""

EXPANSIONS: dict[str, Expansion] = {"gather": _gather, **dict.fromkeys(_COMBINED, _scatter)}
CHECKS: dict[str, Check] = dict.fromkeys(EXPANSIONS, _check)
KERNELS: dict[str, KernelRule] = {"jj_scatter": _place_scattered}
