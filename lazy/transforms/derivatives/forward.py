"""The derivative from arguments on to results: how each step's result changes with its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from ...rules.operand import Operand
from ...values.dtypes import CODES, DTYPES
from ..following import is_inexact, mark
from ..steps import STORE, Source, Step, function_of, is_elementwise, of_some
from ..templates import Interpreted, remembered, template, zeros
from .cotangents import written
from .plans import Deriving, Elementwise, Entry, Kernel, Part
from .tangents import Tangents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...values.value import Value
    from ..templates import Template


class _Elementwise(Elementwise):
    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        derived = _of_elements(step.code, followed, step.sources)
        super().__init__(place, operands, followed, step, derived, sum(followed))

    def derive(self, part: Part, changes: Tangents) -> None:
        numbers = [part.number(self.operands[k]) for k in self.followed]
        if self.template.is_zero or not changes.asks(numbers):
            return
        pairs = zip(self.followed, numbers, strict=True)
        tangents = [changes.of(number, self.step.sources[k]) for k, number in pairs]
        (found,) = self.spread(part, tangents)
        changes.put(part.number(self.place), found)


class _Store(Entry):
    """A write: the tangent of what is written is written into that of the array."""

    def derive(self, part: Part, changes: Tangents) -> None:
        old, new = (part.number(place) for place in self.operands)
        to, source = self.step.sources
        if not changes.asks([old, new]):
            return
        x = changes.get(old) or zeros(to.base, to.code)
        nothing = Operand(DTYPES[x.code].type(0).item(), None, (), x.code)
        given = changes.of(new, source) if changes.asks([new]) else nothing
        assert to.layout is not None
        changes.put(part.number(self.place), written(x, given, to.layout))


class _Kernel(Kernel):
    def needed(self) -> set[int]:
        return self.places(self._template().needs, len(self.followed))

    def derive(self, part: Part, changes: Tangents) -> None:
        numbers = [part.number(self.operands[k]) for k in self.followed]
        if not changes.asks(numbers):
            return
        derived = self._template()
        part.interprets |= isinstance(derived, Interpreted)
        pairs = zip(self.followed, numbers, strict=True)
        tangents = [changes.of(number, self.step.sources[k]).value for k, number in pairs]
        found = derived(self.inputs(part, tangents))
        for index, x in zip(self.known(), found, strict=True):
            changes.put(part.number(self.by_index[index]), x)

    def _template(self) -> Any:
        step, followed, known = self.step, self.follows, tuple(self.known())
        key = (
            "forward", step.code, step.shape, step.params, followed, known,
            tuple([source.key() for source in step.sources]),
        )  # fmt: skip

        def make() -> Any:
            function = function_of(step, step.sources)
            structs = [jax.ShapeDtypeStruct(*source.given) for source in step.sources]
            specs = jax.eval_shape(function, *structs)
            results = [(specs[k].shape, CODES[specs[k].dtype]) for k in known]
            moved = [step.sources[k] for k in self.followed]
            derived = _derivative(function, followed, known)
            return template(derived, [*step.sources, *moved], results)

        with jax.enable_x64(True):
            return remembered(key, make)


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
        of_followed, chosen = of_some(function, arrays[:count], followed)
        results, changes = jax.jvp(of_followed, chosen, list(arrays[count:]))
        return (
            [_real(changes[index], results[index]) for index in known],
            [results[index] for index in known],
        )

    return derived


def _real(tangent: Any, result: Any) -> Any:
    """Return a tangent; for integers, which have none, zeros."""
    return tangent if tangent.dtype == result.dtype else jax.numpy.zeros_like(result)


def _kind_of(step: Step, followed: tuple[bool, ...]) -> Callable[..., Entry]:
    keeps = all(source.code == step.code >> 24 for source in step.sources)
    if step.code & 0xFFFF == STORE and step.sources[0].outside and keeps:
        return _Store
    if is_elementwise(step) and _of_elements(step.code, followed, step.sources).is_plain:
        return _Elementwise
    return _Kernel


class _Part(Part):
    def derive(self, changes: Tangents) -> None:
        numbers = [self.number(place) for place in self.plan.followed]
        if changes.failure(numbers) is None:
            super().derive(changes)
        else:
            self._derive_entries(changes)

    def _derive_entries(self, changes: Tangents) -> None:
        for entry in self.plan.entries:
            operands = [self.number(entry.operands[k]) for k in entry.followed]
            error = changes.failure(operands)
            if error is None:
                entry.derive(self, changes)
            else:
                self.interprets = True
                changes.fail([self.number(place) for place in entry.results()], error)


class Call(NamedTuple):
    """A call with rules of its own: numbers of its arguments and results, and their tangents."""

    arguments: tuple[int, ...]
    results: list[int]
    hand_on: Callable[[list[Operand | None]], Sequence[Operand | None]]

    def derive(self, changes: Tangents) -> None:
        """Find the tangents of the results from those of the arguments."""
        error = changes.failure(self.arguments)
        if error is not None:
            changes.fail(self.results, error)
        elif changes.asks(self.arguments):
            found = self.hand_on([changes.get(number) for number in self.arguments])
            for number, x in zip(self.results, found, strict=True):
                changes.put(number, x)


class Line(Deriving):
    """The steps between some values and what is computed from them."""

    kind_of = staticmethod(_kind_of)
    part = _Part

    def call(
        self, arguments: tuple[int, ...], results: Sequence[Value], hand_on: Callable[..., Any]
    ) -> None:
        """Keep a call with rules of its own, of arguments with these numbers."""
        numbers = [mark(x) for x in results]
        pairs = zip(numbers, results, strict=True)
        self.followed.update(number for number, x in pairs if is_inexact(x))
        self.parts.append(Call(arguments, numbers, hand_on))

    def push(self, seeds: Sequence[tuple[Value, Operand]], wanted: Sequence[Value]) -> list[Any]:
        """Record the derivative: of results, given tangents of the values.

        Returns a whole operand for each result, or None where it does not change.
        """
        tangents = Tangents()
        for value, x in seeds:
            tangents.put(value.mark, x)
        for part in self.parts:
            part.derive(tangents)
        return [tangents.get(value.mark) for value in wanted]
