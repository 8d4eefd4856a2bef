"""The derivative from arguments on to results: how each step's result changes with its operands.

A `Line` follows values like a tape, and keeps of each step what this needs. `push` goes along it
and records the derivative's steps, as often as is wished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from ..rules.operand import Operand
from ..run.machine import COPIES, OPCODES
from ..values.dtypes import CODES, DTYPES
from ..values.value import Value, dtype_code, record
from .cotangents import written, zeros
from .following import MANY, Follower, is_inexact, mark
from .steps import PROJECT, STORE, Source, Step, function_of, is_elementwise, kept
from .templates import remembered, template, whole_operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .templates import Template

_REQUIRE = OPCODES["require"]


class Tangents:
    """Tangents of values by their numbers, whole. Those that are not here are zero."""

    def __init__(self) -> None:
        self.found: dict[int, Operand] = {}
        self.missing: dict[int, Exception] = {}
        """Those that JAX cannot derive, by numbers: errors only if they are asked for."""

    def put(self, number: int, x: Operand | None) -> None:
        """Set the tangent of a value."""
        if x is not None:
            self.found[number] = whole_operand(x)

    def of(self, number: int, source: Source) -> Operand:
        """Return the tangent of what a step reads."""
        x = self.found.get(number) or zeros(source.base, source.code)
        return Operand(x.value, source.layout, source.shape, source.code)


class Entry:
    """A step, with what its derivative needs; `marks` are the numbers of its operands."""

    def __init__(self, number: int, marks: tuple[int, ...]) -> None:
        self.number = number
        self.marks = marks
        self.numbers: dict[int, int] = {0: number}
        """Those of the results, by their places."""

    def push(self, tangents: Tangents) -> None:
        """Find the tangent of the result from those of the operands."""
        raise NotImplementedError


class _Elementwise(Entry):
    def __init__(self, number: int, marks: tuple[int, ...], step: Step, value: Value) -> None:
        super().__init__(number, marks)
        found = _of_elements(step.code, tuple(map(bool, marks)), step.sources)
        self._template, self._shape, self._sources = found, step.shape, step.sources
        self._inputs = [
            Operand(x, source.layout, source.shape, source.code) if k in found.needs else None
            for k, (x, source) in enumerate(zip(step.inputs, step.sources, strict=True))
        ]
        place = len(marks) + sum(map(bool, marks))
        code = dtype_code(value)
        self._known = Operand(value, None, step.shape, code) if place in found.needs else None

    def push(self, tangents: Tangents) -> None:
        if self._template.is_zero or not any(number in tangents.found for number in self.marks):
            return
        given = [
            tangents.of(number, source)
            for number, source in zip(self.marks, self._sources, strict=True)
            if number
        ]
        (found,) = self._template.spread([*self._inputs, *given, self._known], self._shape)
        tangents.put(self.number, found)


class _Store(Entry):
    """A write: the tangent of what is written is written into that of the array."""

    def __init__(self, number: int, marks: tuple[int, ...], step: Step) -> None:
        super().__init__(number, marks)
        self._to, self._new = step.sources

    def push(self, tangents: Tangents) -> None:
        old, new = self.marks
        layout: Any = self._to.layout
        x = whole_operand(tangents.found.get(old) or zeros(self._to.base, self._to.code))
        nothing = Operand(DTYPES[x.code].type(0).item(), None, (), x.code)
        given = tangents.of(new, self._new) if new in tangents.found else nothing
        tangents.put(self.number, written(x, given, layout))


class _Kernel(Entry):
    def __init__(self, number: int, marks: tuple[int, ...], step: Step, value: Value) -> None:
        super().__init__(number, marks)
        self._step = step
        self.results: dict[int, Value | None] = {0: value}
        if step.code & 0xFFFF not in MANY:
            needs = self._template().needs
            inputs = tuple([x if k in needs else None for k, x in enumerate(step.inputs)])
            self._step = step._replace(inputs=inputs)
            if len(marks) + sum(map(bool, marks)) not in needs:
                self.results[0] = None

    def push(self, tangents: Tangents) -> None:
        if not any(number in tangents.found for number in self.marks):
            return
        step = self._step
        pairs = list(zip(self.marks, step.sources, strict=True))
        values: list[Any] = [
            x if x is None or isinstance(x, Value) else record(COPIES[source.code], (), (x,))
            for x, source in zip(step.inputs, step.sources, strict=True)
        ]
        values += [tangents.of(number, source).value for number, source in pairs if number]
        values += [self.results[index] for index in sorted(self.results)]
        for index, x in zip(sorted(self.numbers), self._template()(values), strict=True):
            tangents.put(self.numbers[index], x)

    def _template(self) -> Any:
        step, followed = self._step, tuple(map(bool, self.marks))
        known = tuple(sorted(self.results))
        key = (
            "forward", step.code, step.shape, step.params, followed, known,
            tuple([source.key() for source in step.sources]),
        )  # fmt: skip

        def make() -> Any:
            function = function_of(step, step.sources)
            structs = [jax.ShapeDtypeStruct(*source.given) for source in step.sources]
            specs = jax.eval_shape(function, *structs)
            results = [(specs[k].shape, CODES[specs[k].dtype]) for k in known]
            moved = [
                source for source, follows in zip(step.sources, followed, strict=True) if follows
            ]
            derived = _derivative(function, followed, known)
            return template(derived, [*step.sources, *moved], results)

        with jax.enable_x64(True):
            return remembered(key, make)


class _Underivable(Entry):
    """A step for which JAX has no derivative: an error only if that is asked for."""

    def __init__(self, number: int, marks: tuple[int, ...], error: Exception) -> None:
        super().__init__(number, marks)
        self._error = error

    def push(self, tangents: Tangents) -> None:
        if any(number in tangents.found for number in self.marks):
            tangents.missing[self.number] = self._error


def _of_elements(code: int, followed: tuple[bool, ...], sources: Sequence[Source]) -> Template:
    """Return how the result of one element changes with the operands that are followed."""
    codes = tuple([source.code for source in sources])

    def make() -> Any:
        inputs = [Source((), code, None, True) for code in codes]
        moved = [source for source, follows in zip(inputs, followed, strict=True) if follows]
        step = Step(code, (), (), (), None, tuple(inputs))
        derived = _derivative(function_of(step, inputs), followed, (0,))
        return template(derived, [*inputs, *moved], [((), code >> 24)])

    found: Template = remembered(("forward", code, followed, codes), make)
    return found


def _derivative(
    function: Callable[..., Any], followed: Sequence[bool], known: Sequence[int]
) -> Callable[..., Any]:
    """Return what finds tangents of known results: of operands, and the tangents of some."""
    count = len(followed)

    def derived(*arrays: Any) -> tuple[list[Any], list[Any]]:
        operands, tangents = list(arrays[:count]), list(arrays[count:])

        def of_followed(*some: Any) -> list[Any]:
            rest = iter(some)
            pairs = zip(operands, followed, strict=True)
            found: list[Any] = function(*(next(rest) if follows else x for x, follows in pairs))
            return found

        chosen = [x for x, follows in zip(operands, followed, strict=True) if follows]
        results, changes = jax.jvp(of_followed, chosen, tangents)
        return (
            [_real(changes[index], results[index]) for index in known],
            [results[index] for index in known],
        )

    return derived


def _real(tangent: Any, result: Any) -> Any:
    """Return a tangent; for integers, which have none, zeros."""
    return tangent if tangent.dtype == result.dtype else jax.numpy.zeros_like(result)


class Line(Follower):
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
        entry = self._entry(number, step, marks)
        if entry is not None:
            self.entries[number] = entry

    def _entry(self, number: int, value: Value, marks: tuple[int, ...]) -> Entry | None:
        operation = value.code & 0xFFFF
        if operation == PROJECT:
            kernel = self.entries[marks[0]]
            (index,) = value.params or (0,)
            assert isinstance(kernel, _Kernel)
            kernel.results[index], kernel.numbers[index] = value, number
            return None
        step = kept(value)
        if operation == STORE and step.sources[0].outside and _keeps_dtype(step):
            return _Store(number, marks, step)
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

    def push(self, seeds: Sequence[tuple[Value, Operand]], wanted: Sequence[Value]) -> list[Any]:
        """Record the derivative: of results, given tangents of the values.

        Returns a whole operand for each result, or None where it does not change.
        """
        tangents = Tangents()
        for value, x in seeds:
            tangents.put(value.mark, x)
        missing = tangents.missing
        for entry in self.entries.values():
            errors = [missing[x] for x in entry.marks if x in missing] if missing else []
            if errors:
                missing.update(dict.fromkeys(entry.numbers.values(), errors[0]))
            else:
                entry.push(tangents)
        for value in wanted:
            if value.mark in missing:
                failure = missing[value.mark]
                raise type(failure)(*failure.args)
        return [tangents.found.get(value.mark) for value in wanted]


def _keeps_dtype(step: Step) -> bool:
    return all(source.code == step.code >> 24 for source in step.sources)
