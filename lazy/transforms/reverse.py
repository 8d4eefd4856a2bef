"""The derivative from results back to arguments: what each step hands to its operands.

A `Tape` follows values and keeps, of each step that uses them, what its derivative needs: nothing
of additions and writes, one factor of a product. `pull` goes back through it and records the
derivative's steps. So other steps can take over the memory of what is not kept, as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from ..rules.operand import Operand, seen_through
from ..run.machine import COPIES, OPCODES
from ..values.dtypes import CODES, DTYPES
from ..values.value import Value, dtype_code, record
from .cotangents import Cotangents, repeated, written
from .following import MANY, Follower, is_inexact, mark
from .steps import PROJECT, STORE, Source, Step, function_of, is_elementwise, kept
from .templates import remembered, template, whole_operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .templates import Template

_FLOAT0 = jax.dtypes.float0
_REQUIRE, _SUM, _COPY = OPCODES["require"], OPCODES["reduce_sum"], OPCODES["copy"]


class Entry:
    """A step, with what its derivative needs; `marks` are the numbers of its operands."""

    def __init__(self, number: int, marks: tuple[int, ...]) -> None:
        self.number = number
        self.marks = marks

    def pull(self, cotangents: Cotangents) -> None:
        """Hand the cotangent of the result to the operands."""
        raise NotImplementedError


class _Elementwise(Entry):
    """A step on elements: what is derived for one element is recorded for all."""

    def __init__(self, number: int, marks: tuple[int, ...], step: Step, value: Value) -> None:
        super().__init__(number, marks)
        found = _of_elements(step.code, tuple(map(bool, marks)), step.sources)
        self._template, self._count = found, len(marks)
        self._shape, self._sources = step.shape, step.sources
        self._inputs = [
            Operand(x, source.layout, source.shape, source.code) if k in found.needs else None
            for k, (x, source) in enumerate(zip(step.inputs, step.sources, strict=True))
        ]
        code = dtype_code(value)
        known = Operand(value, None, step.shape, code) if self._count + 1 in found.needs else None
        self._known = known

    def pull(self, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(self.number)
        if cotangent is None or self._template.is_zero:
            return
        found = self._template.spread([*self._inputs, cotangent, self._known], self._shape)
        for x, (place, number) in zip(found, _followed(self.marks), strict=True):
            if x is not None:
                cotangents.add_through(number, x, self._sources[place])


class _Store(Entry):
    """A write: the new elements have the cotangents of where they are, and the old ones none."""

    def __init__(self, number: int, marks: tuple[int, ...], step: Step) -> None:
        super().__init__(number, marks)
        self._to, self._new = step.sources

    def pull(self, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(self.number)
        if cotangent is None:
            return
        cotangent = whole_operand(cotangent)
        old, new = self.marks
        layout = self._to.layout
        assert layout is not None
        if new:
            cotangents.add_through(new, seen_through(cotangent, layout), self._new)
        if old:
            nothing = Operand(DTYPES[cotangent.code].type(0).item(), None, (), cotangent.code)
            cotangents.add(old, written(cotangent, nothing, layout))


class _Sum(Entry):
    """A sum: each element has the cotangent of the sum that it is part of."""

    def __init__(self, number: int, marks: tuple[int, ...], step: Step) -> None:
        super().__init__(number, marks)
        self._source = step.sources[0]
        self._axes = step.params or ()

    def pull(self, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(self.number)
        if cotangent is None:
            return
        source = self._source
        x = repeated(whole_operand(cotangent), source.shape, self._axes)
        cotangents.add_through(self.marks[0], x, source)


class _Passed(Entry):
    """A step that gives its first operand."""

    def pull(self, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(self.number)
        if cotangent is not None and self.marks[0]:
            cotangents.add(self.marks[0], cotangent)


class _Kernel(Entry):
    """Another step, derived for its shapes; it may have several results."""

    def __init__(self, number: int, marks: tuple[int, ...], step: Step, value: Value) -> None:
        super().__init__(number, marks)
        self._step = step
        self.results: dict[int, Value] = {0: value}
        self.numbers = {0: number}
        if step.code & 0xFFFF not in MANY:
            self._forget()

    def _forget(self) -> None:
        """Keep only what is needed of a step whose one result has the cotangent."""
        needs, count = self._template((0,)).needs, len(self.marks)
        inputs = [x if k in needs else None for k, x in enumerate(self._step.inputs)]
        self._step = self._step._replace(inputs=tuple(inputs))
        if count + 1 not in needs:
            self.results[0] = None  # type: ignore[assignment]

    def pull(self, cotangents: Cotangents) -> None:
        given = {
            index: whole_operand(x)
            for index, number in self.numbers.items()
            if (x := cotangents.take(number)) is not None
        }
        if not given:
            return
        step = self._step
        derived = self._template(tuple(sorted(given)))
        values: list[Any] = [
            x if x is None or isinstance(x, Value) else record(COPIES[source.code], (), (x,))
            for x, source in zip(step.inputs, step.sources, strict=True)
        ]
        values += [given[index].value for index in sorted(given)]
        values += [self.results[index] for index in sorted(self.results)]
        for x, (place, number) in zip(derived(values), _followed(self.marks), strict=True):
            if x is not None:
                cotangents.add_through(number, x, step.sources[place])

    def _template(self, given: tuple[int, ...]) -> Any:
        step, wanted = self._step, tuple(map(bool, self.marks))
        known = tuple(sorted(self.results))
        key = (
            "reverse", step.code, step.shape, step.params, wanted, given, known,
            tuple([source.key() for source in step.sources]),
        )  # fmt: skip

        def make() -> Any:
            function = function_of(step, step.sources)
            specs = jax.eval_shape(
                function, *(jax.ShapeDtypeStruct(*source.given) for source in step.sources)
            )
            results = [_spec(specs[index]) for index in known]
            cotangents = [_plain(*_spec(specs[index])) for index in given]
            derived = _derivative(function, wanted, given, known)
            return template(derived, [*step.sources, *cotangents], results)

        with jax.enable_x64(True):
            return remembered(key, make)


def _spec(struct: Any) -> tuple[tuple[int, ...], int]:
    return struct.shape, CODES[np.dtype(struct.dtype)]


def _plain(shape: tuple[int, ...], code: int) -> Source:
    return Source(shape, code, None, True)


def _followed(marks: Sequence[int]) -> list[tuple[int, int]]:
    return [(place, number) for place, number in enumerate(marks) if number]


def _of_elements(code: int, wanted: tuple[bool, ...], sources: Sequence[Source]) -> Template:
    """Return what hands the cotangent of one element to the operands that are followed."""
    codes = tuple([source.code for source in sources])

    def make() -> Any:
        inputs = [_plain((), code) for code in codes]
        step = Step(code, (), (), (), None, tuple(inputs))
        derived = _derivative(function_of(step, inputs), wanted, (0,), (0,))
        result = code >> 24
        return template(derived, [*inputs, _plain((), result)], [((), result)])

    found: Template = remembered(("reverse", code, wanted, codes), make)
    return found


def _derivative(
    function: Callable[..., Any],
    wanted: Sequence[bool],
    given: Sequence[int],
    known: Sequence[int],
) -> Callable[..., Any]:
    """Return what hands cotangents back through a function of JAX.

    Args:
        function: Returns a list.
        wanted: Which operands are to have cotangents.
        given: Which results have any.
        known: Which results are known.

    It takes operands and cotangents, and returns the cotangents of operands, and known results.
    """
    count = len(wanted)

    def derived(*arrays: Any) -> tuple[list[Any], list[Any]]:
        operands, cotangents = list(arrays[:count]), iter(arrays[count:])

        def of_wanted(*some: Any) -> list[Any]:
            rest = iter(some)
            pairs = zip(operands, wanted, strict=True)
            found: list[Any] = function(*(next(rest) if follows else x for x, follows in pairs))
            return found

        chosen = [x for x, follows in zip(operands, wanted, strict=True) if follows]
        results, pull = jax.vjp(of_wanted, *chosen)
        every = [
            next(cotangents).astype(x.dtype) if index in given else _zero(x)
            for index, x in enumerate(results)
        ]
        return list(pull(every)), [results[index] for index in known]

    return derived


def _zero(x: Any) -> Any:
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.zeros(x.shape, x.dtype)
    return np.zeros(x.shape, _FLOAT0)


class _Underivable(Entry):
    """A step for which JAX has no derivative: an error only if that is asked for."""

    def __init__(self, number: int, marks: tuple[int, ...], error: Exception) -> None:
        super().__init__(number, marks)
        self._error = error

    def pull(self, cotangents: Cotangents) -> None:
        if cotangents.take(self.number) is not None:
            raise type(self._error)(*self._error.args)


class Tape(Follower):
    """The steps between some values and what is computed from them."""

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__(values)
        self.entries: dict[int, Entry] = {}
        """By the numbers of results, in the order of recording."""

    def follow(self, step: Value, marks: tuple[int, ...]) -> None:
        """Keep what the derivative of a step needs."""
        if not is_inexact(step):
            return
        number = mark(step)
        self.followed.add(number)
        self.entries[number] = self._entry(number, step, marks)

    def _entry(self, number: int, value: Value, marks: tuple[int, ...]) -> Entry:
        operation = value.code & 0xFFFF
        if operation == PROJECT:
            kernel = self.entries[marks[0]]
            (index,) = value.params or (0,)
            assert isinstance(kernel, _Kernel)
            kernel.results[index], kernel.numbers[index] = value, number
            return Entry(number, marks)
        step = kept(value)
        if operation == STORE and step.sources[0].outside and _keeps_dtype(step):
            return _Store(number, marks, step)
        if operation == _SUM and _keeps_dtype(step):
            return _Sum(number, marks, step)
        if operation == _REQUIRE:
            return _Passed(number, marks)
        kind = _Elementwise if is_elementwise(step) else _Kernel
        try:
            return kind(number, marks, step, value)
        except Exception as error:  # where it was recorded, nobody expects it
            return _Underivable(number, marks, error)

    def call(self, results: Sequence[Value], entry: Callable[[list[int]], Entry]) -> None:
        """Keep a call with rules of its own, whose entry is made of the numbers of its results."""
        numbers = [mark(x) for x in results]
        pairs = zip(numbers, results, strict=True)
        self.followed.update(number for number, x in pairs if is_inexact(x))
        self.entries[numbers[0]] = entry(numbers)

    def pull(self, seeds: Sequence[tuple[Value, Operand]], wanted: Sequence[Value]) -> list[Any]:
        """Record the derivative: of values, given cotangents of what is computed from them.

        Returns a whole operand for each value, or None where the derivative is zero.
        """
        cotangents = Cotangents()
        for value, x in seeds:
            if value.mark in self.followed:
                cotangents.add(value.mark, x)
        for entry in reversed(self.entries.values()):
            if type(entry) is not Entry:
                entry.pull(cotangents)
        return [cotangents.take(value.mark) for value in wanted]


def _keeps_dtype(step: Step) -> bool:
    return all(source.code == step.code >> 24 for source in step.sources)
