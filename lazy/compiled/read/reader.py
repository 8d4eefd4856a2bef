"""A Jaxpr as an IR.

Calls (`jit`, `custom_jvp_call`, ...) are inlined, identities dropped, literals and closed-over
arrays made constants; equal steps are merged, and those that no output needs left out. Nothing here
depends on JAX once an IR exists, so that the worker does not import JAX.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ...rules import RULES, Unrecordable
from ...rules.calls import IDENTITIES
from ...rules.shape_code import is_key, keys_as_words
from ...run.sites import line_of
from ...values.dtypes import constant_array, name_of
from .. import lower as lowering
from ..ir.graph_ir import Step, TensorSpec, Unsupported, UnsupportedAt
from ..ir.writer import Writer
from ..lower.rules import custom
from . import control
from . import from_rules as recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

    from ..ir.graph_ir import GraphIR, Plain

IGNORED_PARAMS = frozenset(
    {"weak_type", "sharding", "out_sharding", "accuracy", "precision", "indices_are_sorted"}
)
"""Parameters that do not change the result here: hints, and layouts of several devices."""


def from_jaxpr(closed: ClosedJaxpr) -> GraphIR:
    """Return the Jaxpr as an IR; raises Unsupported where a part has no plain form."""
    jaxpr = closed.jaxpr
    inputs = [spec_of(var.aval) for var in jaxpr.invars]
    reader = Reader(Writer(inputs))
    outputs = reader.read(jaxpr, closed.consts, range(len(inputs)))
    return reader.writer.ir(outputs)


class Reader:
    """Writes the equations of Jaxprs."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def read(self, jaxpr: Jaxpr, consts: Sequence[Any], inputs: Iterable[int]) -> list[int]:
        """Write the equations of a Jaxpr; returns its outputs."""
        pairs = zip(jaxpr.constvars, consts, strict=True)
        return self.write(jaxpr, [self._constant(value, var.aval) for var, value in pairs], inputs)

    def write(self, jaxpr: Jaxpr, consts: Iterable[int], inputs: Iterable[int]) -> list[int]:
        """Write the equations of a Jaxpr whose constants are values; returns its outputs."""
        if jaxpr.effects:
            raise Unsupported(f"effects {sorted(map(str, jaxpr.effects))}")
        names: dict[Any, int] = dict(zip(jaxpr.invars, inputs, strict=True))
        names.update(zip(jaxpr.constvars, consts, strict=True))

        def number(atom: Any) -> int:
            return self._constant(atom.val, atom.aval) if hasattr(atom, "val") else names[atom]

        for eqn in jaxpr.eqns:
            operands = [number(atom) for atom in eqn.invars]
            try:
                made = self._equation(eqn, operands)
            except UnsupportedAt:
                raise
            except Unsupported as error:
                if not (line := line_of(eqn)):
                    raise
                raise UnsupportedAt(f"{error}, used at {line}") from error.__cause__
            names.update(zip(eqn.outvars, made, strict=True))
        return [number(atom) for atom in jaxpr.outvars]

    def _equation(self, eqn: JaxprEqn, operands: list[int]) -> list[int]:
        name = eqn.primitive.name
        results = [spec_of(var.aval) for var in eqn.outvars]
        same = name == "convert_element_type" and results[0] == self.writer.spec(operands[0])
        if same or name in IDENTITIES:
            return operands
        if name in control.RULES:
            made: list[int] = control.RULES[name](self, eqn.params, operands, results)
            return made
        if eqn.primitive in custom.USER_RULES:
            return self._by_users_rule(eqn, operands, results)
        if name in _OWN_KERNELS:
            kind, params = _OWN_KERNELS[name](eqn.params)
            return self.writer.steps(kind, operands, results, params)
        if name in _OTHER_OPERATIONS:
            return recorded.write(self, eqn, operands, results)
        specs = [self.writer.spec(value) for value in operands]
        try:
            params = plain_params(name, eqn.params)
            step = Step(name, tuple(operands), tuple(params.items()), ())
            why = lowering.check(step, specs, results)
        except Unsupported as error:
            why = str(error)
        if not why:
            return self.writer.steps(name, operands, results, params)
        if name in RULES:
            return recorded.write(self, eqn, operands, results)
        raise Unsupported(why)

    def _by_users_rule(
        self, eqn: JaxprEqn, operands: Sequence[int], results: Sequence[TensorSpec]
    ) -> list[int]:
        specs = [self.writer.spec(operand) for operand in operands]
        params = custom.USER_RULES[eqn.primitive].params(specs, results, eqn.params)
        return self.writer.steps(custom.STEP, operands, results, params)

    def ir(self, jaxpr: Any, inputs: Sequence[TensorSpec]) -> GraphIR:
        """Return a closed Jaxpr, the body of a loop or a branch, as an IR of its own."""
        inner = self._inside(inputs)
        return inner.writer.ir(inner.read(jaxpr.jaxpr, jaxpr.consts, range(len(inputs))))

    def _inside(self, inputs: Sequence[TensorSpec]) -> Reader:
        """Return a reader of a Jaxpr that a step holds."""
        return Reader(Writer(inputs))

    def _constant(self, value: Any, aval: Any) -> int:
        if _is_key(aval.dtype):
            return self.writer.constant(keys_as_words(value))
        return self.writer.constant(constant_array(value, aval.dtype))


def _is_key(dtype: Any) -> bool:
    try:
        return is_key(dtype)
    except Unrecordable as error:
        raise Unsupported(str(error)) from None


def spec_of(aval: Any) -> TensorSpec:
    """Return the spec of a value of a Jaxpr; raises Unsupported for what has none."""
    shape = getattr(aval, "shape", None)
    dtype = _dtype_name(getattr(aval, "dtype", None))
    if not dtype or shape is None:
        raise Unsupported(f"a value of type {aval}")
    if not all(isinstance(length, (int, np.integer)) for length in shape):
        raise Unsupported(f"a value of symbolic shape {aval}")
    return TensorSpec(tuple(map(int, shape)), dtype)


def _dtype_name(dtype: Any) -> str:
    """Return the name of the dtype of a value, "" if it is none of NumPy's."""
    if isinstance(dtype, np.dtype):
        return name_of(dtype)
    # The two words of a key, as they lie in memory.
    return "uint64" if dtype is not None and _is_key(dtype) else ""


def plain_params(name: str, params: dict[str, Any]) -> dict[str, Plain]:
    """Return the parameters of a primitive as plain data; raises Unsupported for others."""
    ignored = set(IGNORED_PARAMS)
    if name.startswith("scatter-"):
        # The name of the primitive says what these would: how an update is combined.
        ignored |= {"update_jaxpr", "update_consts"}
    try:
        return {key: _plain(value) for key, value in params.items() if key not in ignored}
    except Unsupported as part:
        raise Unsupported(f"primitive {name} with {part}") from None


def _plain(value: Any) -> Plain:
    for kinds, convert in _PLAIN_FORMS:
        if isinstance(value, kinds):
            return convert(value)
    inner = getattr(value, "jaxpr", value)
    if hasattr(inner, "eqns"):
        return _plain_jaxpr(inner, getattr(value, "consts", ()))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple((f.name, _plain(getattr(value, f.name))) for f in dataclasses.fields(value))
    raise Unsupported(f"a parameter of type {type(value).__module__}.{type(value).__qualname__}")


def _plain_jaxpr(jaxpr: Jaxpr, consts: Sequence[Any]) -> GraphIR:
    """Return a Jaxpr in a parameter as an IR."""
    reader = Reader(Writer([spec_of(var.aval) for var in jaxpr.invars]))
    return reader.writer.ir(reader.read(jaxpr, consts, range(len(jaxpr.invars))))


def _plain_tuple(value: Iterable[Any]) -> Plain:
    fields = getattr(value, "_fields", None)
    if fields is not None:
        return tuple((name, _plain(getattr(value, name))) for name in fields)
    return tuple(_plain(entry) for entry in value)


def _plain_dtype(value: Any) -> str:
    return name_of(np.dtype(value))


_OTHER_OPERATIONS = frozenset({"population_count"})
"""Primitives that are not the operation of their name, and have rules that say so."""

_OWN_KERNELS: dict[str, Callable[[Any], tuple[str, dict[str, Plain]]]] = {
    "factorization": lambda params: (
        "jj_kernel",
        {"kernel": params["kernel"], "words": params["words"]},
    ),
    "require": lambda params: ("jj_in_place", {"kernel": "require", "words": (0,)}),
}
"""Primitives of ours (lazy/jaxprs/primitives.py) that are kernels: their steps and params."""

_PLAIN_FORMS: tuple[tuple[Any, Callable[[Any], Plain]], ...] = (
    ((bool, np.bool_), bool),
    (enum.Enum, lambda value: value.name),
    ((int, np.integer), int),
    ((str, type(None)), lambda value: value),
    ((float, np.floating), lambda value: float(value).hex()),
    (np.dtype, _plain_dtype),
    ((tuple, list), _plain_tuple),
    (type, _plain_dtype),
)
