"""A Jaxpr whose sizes are symbols (`jax.export.symbolic_shape`) as an IR.

Sizes are written as text (see `sizes`). Equations without symbolic sizes are written as in any
other IR. The rules of the others are: those here; the expansions that do not reckon with
sizes; and those of the immediate tier (lazy/rules).
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import eval_jaxpr
from jax.errors import InconclusiveDimensionOperation
from jax.export import is_symbolic_dim

from jujunp.kernels.generate import MOST_DENSE_INPUTS, MOST_DENSE_RESULTS

from ...rules import RULES, Operand, ShapeCode, Unrecordable
from ...rules.calls import IDENTITIES
from ...rules.operand import aside
from ...rules.shape_code import shape_code
from ...values.dtypes import NAMES
from ...values.value import dtype_code, leaf
from ..ir.graph_ir import Step, TensorSpec, Unsupported
from ..ir.sizes import is_symbolic as has_symbols
from ..ir.sizes import symbols_of
from ..ir.writer import Writer
from ..lower import expand
from ..lower import symbolic as lowering
from ..lower.rules import custom, elementwise
from ..lower.rules.loops import has_kernels_only
from . import control
from . import from_rules as recorded
from .reader import Reader, plain_params
from .reader import spec_of as _static_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jax.extend.core import ClosedJaxpr, JaxprEqn

    from ..ir.graph_ir import GraphIR, Plain

    Rule = Callable[["SymbolicReader", Any, Sequence[int], Sequence[TensorSpec]], list[int]]

_EXPANDED = frozenset(
    [
        *(f"reduce_{name}" for name in ("sum", "prod", "max", "min", "and", "or", "xor")),
        *("argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin", "sort", "searchsorted"),
        *("dot_general", "concatenate", "stack", "tile", "pad"),
        *("clamp", "select_n"),
    ]
)
"""Primitives whose expansions do not reckon with sizes."""

_SEEN = {"jj_kernel": lowering.AS_THEY_ARE, "jj_in_place": lowering.IN_PLACE}
"""How the kernels of these steps see their operands."""


def is_symbolic(closed: ClosedJaxpr) -> bool:
    """Whether an argument has an axis whose length is a symbol."""
    return any(
        is_symbolic_dim(length) for aval in closed.in_avals for length in getattr(aval, "shape", ())
    )


def from_jaxpr(closed: ClosedJaxpr) -> GraphIR:
    """Return the Jaxpr as an IR; raises Unsupported for what has no symbolic form."""
    inputs = [_spec(aval) for aval in closed.in_avals]
    known = symbols_of(spec.shape for spec in inputs)
    reader = SymbolicReader(_DenseWriter(inputs))
    outputs = reader.read(closed.jaxpr, closed.consts, range(len(inputs)))
    ir = reader.writer.ir(outputs)
    assert known or not ir.symbolic, "sizes that are expressions of no input"
    return ir


def _spec(aval: Any) -> TensorSpec:
    shape = _texts(getattr(aval, "shape", ()))
    if not has_symbols(shape):
        return _static_spec(aval)
    if not isinstance(aval.dtype, np.dtype):
        raise Unsupported(f"{aval.dtype} with symbolic sizes")
    return TensorSpec(shape, aval.dtype.name)


def _texts(value: Any) -> Any:
    """Return sizes, alone or in tuples, as an IR has them: symbolic ones as text."""
    if is_symbolic_dim(value):
        return str(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return tuple(map(_texts, value))
    return value


class _DenseWriter(Writer):
    """Writes kernels as steps that read the shapes of their operands when they run."""

    def steps(
        self,
        name: str,
        operands: Sequence[int],
        results: Sequence[TensorSpec],
        params: Mapping[str, Plain],
    ) -> list[int]:
        """Add a step, or find the equal one that is there; returns its results."""
        if len(set(operands)) > MOST_DENSE_INPUTS:
            raise Unsupported(f"{params.get('kernel', 'a loop')} of {len(set(operands))} arrays")
        if not all(map(has_kernels_only, Step(name, (), tuple(params.items()), ()).irs)):
            raise Unsupported("a user's kernel in a loop with symbolic sizes")
        if name in _SEEN and len(results) <= MOST_DENSE_RESULTS:
            name, params = "jj_dense", {**params, "seen": _SEEN[name]}
        return super().steps(name, operands, results, params)


class SymbolicReader(Reader):
    """Writes the equations of Jaxprs with symbolic sizes."""

    def _equation(self, eqn: JaxprEqn, operands: list[int]) -> list[int]:
        name = eqn.primitive.name
        results = [_spec(var.aval) for var in eqn.outvars]
        if name in control.RULES:
            made: list[int] = control.RULES[name](self, eqn.params, operands, results)
            return made
        if name != "dim_as_value" and not self._has_symbols(eqn, operands):
            return super()._equation(eqn, operands)
        return self._symbolic(eqn, operands, results)

    def _has_symbols(self, eqn: JaxprEqn, operands: Sequence[int]) -> bool:
        shapes = [self.writer.spec(value).shape for value in operands]
        shapes += [_texts(getattr(var.aval, "shape", ())) for var in eqn.outvars]
        return any(map(has_symbols, shapes))

    def _symbolic(
        self, eqn: JaxprEqn, operands: list[int], results: Sequence[TensorSpec]
    ) -> list[int]:
        name = eqn.primitive.name
        same = name == "convert_element_type" and results[0] == self.writer.spec(operands[0])
        if same or name in IDENTITIES:
            return operands
        if name == "reduce":
            return self._folded(eqn, operands)
        if name in _SYMBOLIC:
            return _SYMBOLIC[name](self, eqn.params, operands, results)
        if name in _EXPANDED:
            return self._expanded(eqn, operands, results)
        if elementwise.is_elementwise(name):
            return self._elementwise(eqn, operands, results)
        if eqn.primitive in custom.USER_RULES:
            return self._by_users_rule(eqn, operands, results)
        if custom.is_users(eqn.primitive):
            return self.writer.steps(name, operands, results, dict(self._step_of(eqn, ()).params))
        if name in RULES:
            return self._recorded(eqn, operands)
        raise Unsupported(f"primitive {name} has no form for symbolic sizes")

    def _inside(self, inputs: Sequence[TensorSpec]) -> Reader:
        return SymbolicReader(Writer(inputs))

    def _step_of(self, eqn: JaxprEqn, operands: Sequence[int]) -> Step:
        params = {key: _texts(value) for key, value in eqn.params.items()}
        plain = plain_params(eqn.primitive.name, params)
        return Step(eqn.primitive.name, tuple(operands), tuple(plain.items()), ())

    def _expanded(
        self, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[TensorSpec]
    ) -> list[int]:
        step = self._step_of(eqn, operands)
        name = step.name
        if name in ("argmax", "argmin"):
            several = len(step.param("axes")) != 1
            why = f"{name} along several axes" if several else ""
        else:
            why = expand.check(step, [self.writer.spec(value) for value in operands], results)
        if why and name in RULES:
            return self._recorded(eqn, operands)
        if why:
            raise Unsupported(why)
        return list(expand.EXPANSIONS[name](self.writer, step, operands, results))

    def _elementwise(
        self, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[TensorSpec]
    ) -> list[int]:
        step = self._step_of(eqn, operands)
        specs = [self.writer.spec(value) for value in operands]
        if why := elementwise.check(step, specs, results):
            if step.name in RULES:
                return self._recorded(eqn, operands)
            raise Unsupported(why)
        return self.writer.steps(step.name, operands, results, dict(step.params))

    def _folded(self, eqn: JaxprEqn, operands: Sequence[int]) -> list[int]:
        """Write a reduction by a function of the user's."""
        avals: list[Any] = [atom.aval for atom in eqn.invars]
        specs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
        with jax.enable_x64(True):
            closed = jax.make_jaxpr(partial(_folding_rows, eqn.params))(*specs)
        return self.read(closed.jaxpr, closed.consts, operands)

    def _recorded(self, eqn: JaxprEqn, operands: Sequence[int]) -> list[int]:
        """Write the steps that the immediate tier's rule of a primitive records."""
        leaves = [leaf(code, tuple(shape), None) for shape, code in map(shape_code, eqn.invars)]
        given = [Operand(x, None, x.shape, dtype_code(x)) for x in leaves]
        wanted = [ShapeCode(tuple(shape), code) for shape, code in map(shape_code, eqn.outvars)]
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
        return self.writer.step("jj_size", [], TensorSpec((), "int64"), size=str(length))


def _folding_rows(params: Any, *operands: jax.Array) -> list[jax.Array]:
    """Reduce arrays, followed by their starts, by a loop: halves have no symbolic sizes."""
    count = len(operands) // 2
    axes = params["dimensions"]
    arrays = [jnp.moveaxis(x, axes, range(len(axes))) for x in operands[:count]]
    rest = arrays[0].shape[len(axes) :]
    rows = [x.reshape(math.prod(x.shape[: len(axes)]), *rest) for x in arrays]
    apply: Any = partial(eval_jaxpr, params["jaxpr"], params.get("consts", ()))
    for _ in rest:
        apply = jax.vmap(apply)
    starts = [jnp.broadcast_to(x, rest) for x in operands[count:]]
    made: list[jax.Array] = lax.scan(lambda x, y: (apply(*x, *y), None), starts, rows)[0]
    return made


class _Steps(recorded.Steps):
    """Recorded steps with symbolic sizes as values of an IR."""

    reader: SymbolicReader

    def plain(self, sizes: Any) -> Any:
        """Return symbolic sizes as text."""
        return _texts(sizes)

    def scalar(self, number: Any, code: int) -> int:
        """Return a number, which may be a size, as a value."""
        if not is_symbolic_dim(number):
            return super().scalar(number, code)
        return self.writer.convert(self.reader.size(number), NAMES[code])


def _size(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    return [reader.writer.convert(reader.size(params["dim"]), results[0].dtype)]


def _broadcast(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    axes = params["broadcast_dimensions"]
    return [reader.writer.broadcast(operands[0], results[0].shape, axes)]


def _reshape(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    order = params["dimensions"] if "new_sizes" in params else None
    x = operands[0] if order is None else reader.writer.transpose(operands[0], order)
    return [reader.writer.reshape(x, results[0].shape)]


def _transpose(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
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
    spec = TensorSpec(_texts(tuple(shape)), writer.spec(value).dtype)
    if spec == writer.spec(value) and all(step in (None, 1) for step in steps or ()):
        return value
    params = {"start_indices": starts, "limit_indices": stops, "strides": steps}
    return writer.step("slice", [value], spec, **params)


def _slice(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    bounds = (params["start_indices"], params["limit_indices"], params["strides"])
    return [_part(reader.writer, operands[0], bounds, results[0].shape)]


def _reverse(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    return reader.writer.steps("rev", operands, results, {"dimensions": params["dimensions"]})


def _along(
    reader: SymbolicReader,
    value: int,
    axis: int,
    starts: Sequence[Any],
    results: Sequence[TensorSpec],
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
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    starts = [0]
    for size in params["sizes"]:
        starts.append(starts[-1] + size)
    return _along(reader, operands[0], params["axis"], starts, results)


def _unstack(
    reader: SymbolicReader, params: Any, operands: Sequence[int], results: Sequence[TensorSpec]
) -> list[int]:
    return _along(reader, operands[0], params["axis"], range(len(results) + 1), results)


_SYMBOLIC: dict[str, Rule] = {
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
