"""Maps over an axis: steps on one element of a batch, recorded for all of them.

A `Batch` follows values that are one element of a batch each and are never computed: it takes the
steps that use them out of the log. `record` records these for the whole batch, in their order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax

from ..run.machine import COPIES
from ..values.dtypes import DTYPES
from ..values.layout import offset, seen, whole
from ..values.value import Value, dtype_code, leaf, record
from .abstract import Abstract
from .following import mark
from .steps import PROJECT, STORE, Source, Step, function_of, is_elementwise
from .templates import remembered, template, whole_operand, zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from ..rules.operand import Operand
    from ..values.types import Shape


class Call:
    """A call of a function with rules of its own, as a step: its operands, and what makes it."""

    def __init__(
        self, inputs: Sequence[Value], make: Callable[[int, list[Value]], list[Value]]
    ) -> None:
        self.inputs = list(inputs)
        self.make = make
        """Makes the call for so many, given batches of all operands."""
        self.results: list[Value] = []


class Batch(Abstract):
    """The steps of a function that is run on one element of a batch.

    Args:
        specs: Shapes and dtype codes of the arguments that are elements of batches.
        why: The message of the error that reading one raises.
        size: How many elements the batches have.
    """

    stands_for = "element of a batch"

    def __init__(self, specs: Sequence[tuple[Shape, int]], why: str, size: int) -> None:
        super().__init__(specs, why)
        self.size = size
        self._drawn: list[tuple[Value, Value]] = []

    def element_of(self, batch: Value) -> Value:
        """Return an abstract value for a batch that was made in the function."""
        self.take()
        value = leaf(dtype_code(batch), batch.shape[1:], self._failure)
        self.followed.add(mark(value))
        self._drawn.append((value, batch))
        return value

    def call(self, call: Call, specs: Sequence[tuple[Shape, int]]) -> list[Value]:
        """Keep a call, which gives results of these shapes and dtype codes; returns them."""
        self.take()
        call.results = [leaf(code, shape, self._failure) for shape, code in specs]
        self.followed.update(map(mark, call.results))
        self.steps.append((None, call))
        return call.results

    def record(self, batches: Sequence[Value], wanted: Sequence[Value]) -> list[Value | None]:
        """Record the steps for a batch.

        Args:
            batches: For each abstract value that of the batch, whose first axis is the batch's.
            wanted: Values that the function has returned.

        Returns for each of these that of the batch; None for one that is the same for all.
        """
        size = self.size
        pairs = (*zip(self.starts, batches, strict=True), *self._drawn)
        found: dict[int, list[Value]] = {id(value): [batch] for value, batch in pairs}
        for value, step in self.steps:
            if isinstance(step, Call):
                batched = [
                    found[id(x)][0] if id(x) in found else _repeated(x, size) for x in step.inputs
                ]
                for result, x in zip(step.results, step.make(size, batched), strict=True):
                    if (x.shape[1:], dtype_code(x)) != (result.shape, dtype_code(result)):
                        raise TypeError("a function gives other arrays for a batch than for one")
                    found[id(result)] = [x]
            elif step.code & 0xFFFF == PROJECT:
                (kernel,), (index,) = step.inputs, step.params or (0,)
                found[id(value)] = [found[id(kernel)][index]]
            else:
                found[id(value)] = _Mapped(size, step, found).results()
        return [found[id(value)][0] if id(value) in found else None for value in wanted]


def _repeated(x: Value, size: int) -> Value:
    """Return a batch of elements that are all the same."""
    return record(COPIES[dtype_code(x)], (size, *x.shape), (x,))


class _Mapped:
    """A step, as it is recorded for a batch."""

    def __init__(self, size: int, step: Step, found: dict[int, list[Value]]) -> None:
        self._size = size
        self._step = step
        self._shape = (size, *step.shape)
        self._batches = [
            found[id(x)][0] if isinstance(x, Value) and id(x) in found else None
            for x in step.inputs
        ]

    def results(self) -> list[Value]:
        """Record it; returns its results."""
        if self._step.code & 0xFFFF == STORE:
            return [self._store()]
        return [self._elementwise()] if is_elementwise(self._step) else self._kernel()

    def _elementwise(self) -> Value:
        step = self._step
        inputs: list[Any] = []
        layouts = []
        for x, batch, source in zip(step.inputs, self._batches, step.sources, strict=True):
            inputs.append(x if batch is None else batch)
            layouts.append(source.layout if batch is None else self._layout(source, self._shape))
        return record(step.code, self._shape, tuple(inputs), _given(layouts), step.params)

    def _layout(self, source: Source, shape: Shape) -> np.ndarray | None:
        """Return how a batch is read, along the axes of a result."""
        if source.layout is None and len(source.base) + 1 == len(shape):
            return None
        x = self._all(source)
        missing = len(shape) - x.ndim
        return x[:, *(None,) * missing] if missing else x

    def _all(self, source: Source) -> np.ndarray:
        """Return the layout of a batch, each element of which is seen as a source is."""
        if source.layout is None:
            return whole((self._size, *source.base), DTYPES[source.code])
        x = source.layout
        nbytes = math.prod(source.base) * DTYPES[source.code].itemsize
        return seen((self._size, *x.shape), x.dtype, offset(x), (nbytes, *x.strides))

    def _store(self) -> Value:
        step = self._step
        (old, new), (to, source) = step.inputs, step.sources
        batch, written = self._batches
        if batch is None:
            batch = record(COPIES[to.code], self._shape, (old,))
        layout = self._all(to)
        through = source.layout if written is None else self._layout(source, layout.shape)
        given = new if written is None else written
        return record(step.code, self._shape, (batch, given), (layout, through), step.params)

    def _kernel(self) -> list[Value]:
        step = self._step
        mapped = tuple([batch is not None for batch in self._batches])
        key = (
            "mapped", self._size, step.code, step.shape, step.params, mapped,
            tuple([source.key() for source in step.sources]),
        )  # fmt: skip

        def make() -> Any:
            axes = tuple([0 if batched else None for batched in mapped])
            one = function_of(step, step.sources, derivable=False)
            function = jax.vmap(one, in_axes=axes, axis_size=self._size)
            sources = [
                self._source(source) if batched else source
                for source, batched in zip(step.sources, mapped, strict=True)
            ]
            return template(lambda *arrays: (function(*arrays), ()), sources)

        with jax.enable_x64(True):
            found = remembered(key, make)
        values = [
            batch
            if batch is not None
            else x
            if isinstance(x, Value)
            else record(COPIES[source.code], (), (x,))
            for x, batch, source in zip(step.inputs, self._batches, step.sources, strict=True)
        ]
        return [_value(x, spec) for x, spec in zip(found(values), found.specs, strict=True)]

    def _source(self, source: Source) -> Source:
        layout = None if source.layout is None else self._all(source)
        return Source((self._size, *source.base), source.code, layout, source.outside)


def _value(x: Operand | None, spec: tuple[Shape, int]) -> Value:
    x = zeros(*spec) if x is None else whole_operand(x)
    assert isinstance(x.value, Value)
    return x.value


def _given(layouts: Sequence[np.ndarray | None]) -> tuple[np.ndarray | None, ...] | None:
    return None if all(x is None for x in layouts) else tuple(layouts)
