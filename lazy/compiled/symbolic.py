"""A Jaxpr whose sizes are symbols (`jax.export.symbolic_shape`) as a program.

Sizes are written as text (see `sizes`). Equations without symbolic sizes are written as in any
other program. The rules of the others are: those here; the expansions that do not reckon with
sizes; and those of the immediate tier (lazy/rules) that need no layout, as a layout has sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jax.errors import InconclusiveDimensionOperation
from jax.export import is_symbolic_dim

from ..calls import CALLS, IDENTITIES
from ..dtypes import FLOAT32, NAMED, is_float
from ..rules import RULES, Operand
from ..rules import Spec as RuleSpec
from ..rules.operand import Unrecordable, aside
from ..sites import line_of
from ..value import Value, dtype_code, leaf
from . import control, recorded, userrules
from .lowering import elementwise, expand
from .lowering import symbolic as lowering
from .program import Spec, Step, Unsupported
from .reader import Reader, _plain_params
from .reader import _spec as _static_spec
from .sizes import is_symbolic as has_symbols
from .sizes import symbols_of
from .writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jax.extend.core import ClosedJaxpr, JaxprEqn

    from .program import Plain, Program

    Rule = Callable[["SymbolicReader", Any, Sequence[int], Sequence[Spec]], list[int]]

_MOST_INPUTS = 8
"""Operands of a kernel that reads its shapes at run time."""

_EXPANDED = frozenset(
    [
        *(f"reduce_{name}" for name in ("sum", "prod", "max", "min", "and", "or", "xor")),
        *("argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin", "sort", "searchsorted"),
        *("dot_general", "concatenate", "stack", "tile", "pad"),
        *("clamp", "select_n"),
    ]
)
"""Primitives whose expansions do not reckon with sizes."""


def is_symbolic(closed: ClosedJaxpr) -> bool:
    """Whether an argument has an axis whose length is a symbol."""
    return any(
        is_symbolic_dim(length) for aval in closed.in_avals for length in getattr(aval, "shape", ())
    )


def from_jaxpr(closed: ClosedJaxpr) -> Program:
    """Return the Jaxpr as a program; raises Unsupported for what has no symbolic form."""
    inputs = [_spec(aval) for aval in closed.in_avals]
    known = symbols_of(spec.shape for spec in inputs)
    reader = SymbolicReader(_DenseWriter(inputs))
    outputs = reader.read(closed.jaxpr, closed.consts, range(len(inputs)))
    program = reader.writer.program(outputs)
    assert known or not program.symbolic, "sizes that are expressions of no input"
    return program


def _spec(aval: Any) -> Spec:
    shape = _texts(getattr(aval, "shape", ()))
    if not has_symbols(shape):
        return _static_spec(aval)
    if not isinstance(aval.dtype, np.dtype):
        raise Unsupported(f"{aval.dtype} with symbolic sizes")
    return Spec(shape, aval.dtype.name)


def _texts(value: Any) -> Any:
    """Return symbolic sizes, alone or in tuples, as text."""
    if is_symbolic_dim(value):
        return str(value)
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return tuple(map(_texts, value))
    return value


class _DenseWriter(Writer):
    """Writes kernels as steps that read the shapes of their operands when they run.

    Elementwise steps that MAX cannot fuse are refused: they are evaluated with known sizes.
    """

    def steps(
        self,
        name: str,
        operands: Sequence[int],
        results: Sequence[Spec],
        params: Mapping[str, Plain],
    ) -> list[int]:
        """Add a step, or find the equal one that is there; returns its results."""
        if name in ("jj_kernel", "jj_in_place"):
            if len(operands) > _MOST_INPUTS or len(results) > lowering.MOST_DENSE_RESULTS:
                raise Unsupported(f"{params['kernel']} of {len(operands)} arrays")
            seen = lowering.AS_THEY_ARE if name == "jj_kernel" else lowering.IN_PLACE
            name, params = "jj_dense", {**params, "seen": seen}
        elif elementwise.is_elementwise(name) and has_symbols(results[0].shape):
            dtypes = [spec.dtype for spec in (*map(self.spec, operands), *results)]
            if not elementwise.is_fused_on(name, dtypes):
                raise Unsupported(f"{name} of {dtypes[0]} with symbolic sizes")
        return super().steps(name, operands, results, params)


class SymbolicReader(Reader):
    """Writes the equations of Jaxprs with symbolic sizes."""

    def _equation(self, eqn: JaxprEqn, operands: list[int]) -> list[int]:
        name = eqn.primitive.name
        if name in CALLS:
            results = [_spec(var.aval) for var in eqn.outvars]
            made: list[int] = control.RULES[name](self, eqn.params, operands, results)
            return made
        if name != "dim_as_value" and not self._has_symbols(eqn, operands):
            return super()._equation(eqn, operands)
        try:
            return self._symbolic(eqn, operands, [_spec(var.aval) for var in eqn.outvars])
        except Unsupported as error:
            raise Unsupported(f"{error}, used at {line_of(eqn)}") from error.__cause__

    def _has_symbols(self, eqn: JaxprEqn, operands: Sequence[int]) -> bool:
        shapes = [self.writer.spec(value).shape for value in operands]
        shapes += [_texts(getattr(var.aval, "shape", ())) for var in eqn.outvars]
        return any(map(has_symbols, shapes))

    def _symbolic(self, eqn: JaxprEqn, operands: list[int], results: Sequence[Spec]) -> list[int]:
        name = eqn.primitive.name
        same = name == "convert_element_type" and results[0] == self.writer.spec(operands[0])
        if same or name in IDENTITIES:
            return operands
        if name in _SYMBOLIC:
            return _SYMBOLIC[name](self, eqn.params, operands, results)
        if name in _EXPANDED:
            return self._expanded(eqn, operands, results)
        if elementwise.is_elementwise(name):
            return self._elementwise(eqn, operands, results)
        if name in RULES and eqn.primitive not in userrules.RULES:
            return self._recorded(eqn, operands)
        raise Unsupported(f"primitive {name} has no form for symbolic sizes")

    def _step_of(self, eqn: JaxprEqn, operands: Sequence[int]) -> Step:
        params = {key: _texts(value) for key, value in eqn.params.items()}
        plain = _plain_params(eqn.primitive.name, params)
        return Step(eqn.primitive.name, tuple(operands), tuple(plain.items()), ())

    def _expanded(
        self, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[Spec]
    ) -> list[int]:
        step = self._step_of(eqn, operands)
        name = step.name
        if name in ("argmax", "argmin"):
            several = len(step.param("axes")) != 1
            why = f"{name} along several axes" if several else ""
        else:
            why = expand.check(step, [self.writer.spec(value) for value in operands], results)
        if why:
            raise Unsupported(why)
        return list(expand.EXPANSIONS[name](self.writer, step, operands, results))

    def _elementwise(
        self, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[Spec]
    ) -> list[int]:
        step = self._step_of(eqn, operands)
        specs = [self.writer.spec(value) for value in operands]
        if why := elementwise.check(step, specs, results):
            if step.name in RULES:
                return self._recorded(eqn, operands)
            raise Unsupported(why)
        return self.writer.steps(step.name, operands, results, dict(step.params))

    def _recorded(self, eqn: JaxprEqn, operands: Sequence[int]) -> list[int]:
        """Write the steps that the immediate tier's rule of a primitive records."""
        leaves = [_leaf(var.aval) for var in eqn.invars]
        given = [Operand(x, None, x.shape, dtype_code(x)) for x in leaves]
        avals: list[Any] = [var.aval for var in eqn.outvars]
        wanted = [RuleSpec(tuple(aval.shape), _code(aval)) for aval in avals]
        name = eqn.primitive.name
        try:
            with aside() as made:
                found = RULES[name](given, eqn.params, wanted)
        except Unrecordable as error:
            raise Unsupported(str(error)) from None
        except (TypeError, ValueError, InconclusiveDimensionOperation) as error:
            raise Unsupported(f"primitive {name} has no form for symbolic sizes") from error
        steps = _Steps(self, dict(zip(map(id, leaves), operands, strict=True)), made)
        return [steps.operand(x.value, x.layout, x.code, x.shape) for x in found]

    def size(self, length: Any) -> int:
        """Return a size as a value."""
        if not is_symbolic_dim(length):
            return self.writer.constant(np.array(length, np.int64))
        return self.writer.step("jj_size", [], Spec((), "int64"), size=str(length))


def _leaf(aval: Any) -> Value:
    return leaf(_code(aval), tuple(aval.shape), None)


def _code(aval: Any) -> int:
    return NAMED[aval.dtype.name]


class _Steps(recorded.Steps):
    """Recorded steps with symbolic sizes as values of a program."""

    def plain(self, sizes: Any) -> Any:
        """Return symbolic sizes as text."""
        return _texts(sizes)

    def view(self, number: int, layout: Any) -> int:
        """Return a value as a step sees it: few elements, as a layout has no symbolic sizes."""
        return self.writer.reshape(number, layout.shape)

    def call(self, jaxpr: Any, operands: list[int]) -> list[int]:
        """Refuse a step that holds a Jaxpr."""
        raise Unsupported("a call with symbolic sizes")


def _size(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    return [reader.writer.convert(reader.size(params["dim"]), results[0].dtype)]


def _broadcast(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    axes = params["broadcast_dimensions"]
    return [reader.writer.broadcast(operands[0], results[0].shape, axes)]


def _reshape(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    if params.get("dimensions") is not None and "new_sizes" in params:
        raise Unsupported("reshape in another order of the axes")
    return [reader.writer.reshape(operands[0], results[0].shape)]


def _transpose(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    return [reader.writer.transpose(operands[0], params["permutation"])]


def _part(
    writer: Writer,
    value: int,
    bounds: tuple[Sequence[Any], Sequence[Any], Sequence[int] | None],
    shape: Sequence[Any],
) -> int:
    """Return a slice: starts, stops and steps, which may be symbolic."""
    starts, stops, steps = (None if bound is None else _texts(tuple(bound)) for bound in bounds)
    spec = Spec(_texts(tuple(shape)), writer.spec(value).dtype)
    params = {"start_indices": starts, "limit_indices": stops, "strides": steps}
    return writer.step("slice", [value], spec, **params)


def _slice(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    bounds = (params["start_indices"], params["limit_indices"], params["strides"])
    return [_part(reader.writer, operands[0], bounds, results[0].shape)]


def _reverse(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    return reader.writer.steps("rev", operands, results, {"dimensions": params["dimensions"]})


def _along(
    reader: SymbolicReader, value: int, axis: int, starts: Sequence[Any], results: Sequence[Spec]
) -> list[int]:
    """Return parts along an axis, one from each of some starts to the next."""
    shape = list(reader.writer.spec(value).shape)
    parts = []
    for start, stop, spec in zip(starts[:-1], starts[1:], results, strict=True):
        lows, highs = [0] * len(shape), list(shape)
        lows[axis], highs[axis] = start, stop
        length = list(shape)
        length[axis] = stop - start
        part = _part(reader.writer, value, (lows, highs, None), length)
        parts.append(reader.writer.reshape(part, spec.shape))
    return parts


def _split(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    starts = [0]
    for size in params["sizes"]:
        starts.append(starts[-1] + size)
    return _along(reader, operands[0], params["axis"], starts, results)


def _unstack(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    return _along(reader, operands[0], params["axis"], range(len(results) + 1), results)


def _top_k(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    """The kernel searches along the last axis."""
    rank = len(results[0].shape)
    axis = params.get("axis", rank - 1) % rank
    there = [*(k for k in range(rank) if k != axis), axis]
    back = [there.index(k) for k in range(rank)]
    writer = reader.writer
    moved = [Spec(tuple(spec.shape[k] for k in there), spec.dtype) for spec in results]
    last = writer.transpose(operands[0], there)
    found = writer.steps("jj_kernel", [last], moved, {"kernel": "top_k", "words": ()})
    return [writer.transpose(value, back) for value in found]


def _convolution(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[Spec]
) -> list[int]:
    """The kernel takes (batch, features, space..), (out, in, space..) and gives the former."""
    writer, numbers, wanted = reader.writer, params["dimension_numbers"], results[0]
    if is_float(NAMED[wanted.dtype]) and NAMED[wanted.dtype] < FLOAT32:
        raise Unsupported(f"conv_general_dilated of {wanted.dtype} with symbolic sizes")
    inputs = [
        writer.transpose(writer.convert(value, wanted.dtype), spec)
        for value, spec in zip(operands, (numbers.lhs_spec, numbers.rhs_spec), strict=True)
    ]
    words = [len(wanted.shape) - 2, params["feature_group_count"], params["batch_group_count"]]
    names = ("window_strides", "padding", "lhs_dilation", "rhs_dilation")
    for stride, (low, high), spread, gap in zip(*(params[name] for name in names), strict=True):
        words += [stride, low, high, spread, gap]
    out = Spec(tuple(wanted.shape[axis] for axis in numbers.out_spec), wanted.dtype)
    found = writer.kernel("conv_general_dilated", inputs, out, _texts(words))
    return [writer.transpose(found, [int(k) for k in np.argsort(numbers.out_spec)])]


_SYMBOLIC: dict[str, Rule] = {
    "top_k": _top_k,
    "conv_general_dilated": _convolution,
    "dim_as_value": _size,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "squeeze": _reshape,
    "expand_dims": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "rev": _reverse,
    "split": _split,
    "unstack": _unstack,
}
