"""Values that stand for arrays which JAX traces: what is recorded of them is done by JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from ..jaxprs.from_values import KERNELS, step_result
from ..rules.shape_code import code_of_dtype
from ..run import transfer
from ..run.flush import ensure
from ..run.watching import WATCHES
from ..values.dtypes import DTYPES
from ..values.value import Value, dtype_code, leaf
from .abstract import Abstract
from .following import mark
from .steps import PROJECT, dtype_code_of, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jax import Array

    from .steps import Step


class Traced(Abstract):
    """The steps of a function whose arguments JAX traces.

    Args:
        arrays: Those arguments.
        why: The message of the error that reading one raises.
    """

    stands_for = "traced array"

    def __init__(self, arrays: Sequence[Array], why: str) -> None:
        super().__init__([(x.shape, code_of_dtype(x.dtype)) for x in arrays], why)
        self._arrays: dict[int, Any] = {
            id(value): x for value, x in zip(self.starts, arrays, strict=True)
        }
        """Arrays of JAX by the identity of abstract values, which this keeps."""
        self._held: list[Value] = list(self.starts)
        self._outer = [watch for watch in WATCHES if isinstance(watch, Traced)]
        for trace in self._outer:  # the function may use what these trace
            trace.take()
            self.followed |= trace.followed

    def for_jax(self, value: Value) -> Any:
        """Return what JAX traces in the place of a value."""
        self.take()
        return self.arrays([value])[0] if value.mark in self.followed else None

    def arrays(self, values: Sequence[Value]) -> list[Array]:
        """Return what JAX has in the place of values; those that are not abstract are computed."""
        self._advance()
        return [self._array(x) for x in values]

    def apply(
        self, function: Callable[..., Sequence[Array]], values: Sequence[Value]
    ) -> list[Value]:
        """Apply a function of JAX to values; returns abstract ones."""
        results = []
        for x in function(*self.arrays(values)):
            value = leaf(code_of_dtype(x.dtype), x.shape, self._failure)
            self.followed.add(mark(value))
            self._keep(value, x)
            results.append(value)
        return results

    def _keep(self, value: Value, x: Any) -> None:
        self._held.append(value)
        self._arrays[id(value)] = x

    def _advance(self) -> None:
        """Have JAX do what was recorded."""
        self.take()
        steps, self.steps = self.steps, []
        several: dict[int, Any] = {}
        with jax.enable_x64(True):
            for value, step in steps:
                if step.code & 0xFFFF == PROJECT:
                    found = several[id(step.inputs[0])][(step.params or (0,))[0]]
                else:
                    found = self._result(step)
                    if isinstance(found, (tuple, list)):
                        several[id(value)] = found
                        found = found[0]
                self._keep(value, found)

    def _result(self, step: Step) -> Any:
        stub = leaf(dtype_code_of(step), step.shape, None)
        stub.code, stub.params = step.code, step.params
        operands = [
            (
                self._array(x) if isinstance(x, Value) else jnp.asarray(x, DTYPES[source.code]),
                layout,
            )
            for x, layout, source in zip(step.inputs, step.layouts, step.sources, strict=True)
        ]
        return step_result(name_of(step), stub, operands, KERNELS)

    def _array(self, value: Value) -> Any:
        found = self._arrays.get(id(value))
        if found is not None:
            return found
        for trace in self._outer:
            if value.mark in trace.followed:
                return trace.arrays([value])[0]
        ensure(value)
        with jax.enable_x64(True):
            return jnp.asarray(transfer.export(value, dtype_code(value)))
