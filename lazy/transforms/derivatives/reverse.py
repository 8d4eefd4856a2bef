"""The derivative from results back to arguments: what each step hands to its operands.

Of additions and writes it needs no values, of a product one factor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ...rules.operand import Operand, seen_through
from ...run.machine import OPCODES
from ...values.dtypes import CODES
from ...values.value import Value
from ..following import is_inexact, mark
from ..steps import STORE, Source, Step, function_of, is_elementwise, of_some
from ..templates import Interpreted, remembered, template
from .cotangents import Cotangents, repeated
from .plans import Deriving, Elementwise, Entry, Kernel, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..templates import Template

_FLOAT0 = jax.dtypes.float0
_REQUIRE, _SUM = OPCODES["require"], OPCODES["reduce_sum"]


class _Elementwise(Elementwise):
    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        derived = _of_elements(step.code, followed, step.sources)
        super().__init__(place, operands, followed, step, derived, 1)

    def derive(self, part: Part, changes: Cotangents) -> None:
        cotangent = changes.take(part.number(self.place))
        if cotangent is None or self.template.is_zero:
            return
        for k, x in zip(self.followed, self.spread(part, [cotangent]), strict=True):
            if x is not None:
                changes.add_through(part.number(self.operands[k]), x, self.step.sources[k])


class _Store(Entry):
    """A write: the new elements have the cotangents of where they are, and the old ones none."""

    def derive(self, part: Part, changes: Cotangents) -> None:
        cotangent = changes.take_whole(part.number(self.place))
        if cotangent is None:
            return
        (old, new), (to, source) = self.operands, self.step.sources
        assert to.layout is not None
        if 1 in self.followed:
            x = seen_through(cotangent, to.layout)
            changes.add_through(part.number(new), x, source)
        if 0 in self.followed:
            changes.add_cleared(part.number(old), cotangent, to.layout)


class _Sum(Entry):
    """A sum: each element has the cotangent of the sum that it is part of."""

    def derive(self, part: Part, changes: Cotangents) -> None:
        cotangent = changes.take_whole(part.number(self.place))
        if cotangent is not None:
            (source,) = self.step.sources
            x = repeated(cotangent, source.shape, self.step.params or ())
            changes.add_through(part.number(self.operands[0]), x, source)


class _Passed(Entry):
    """A step that gives its first operand."""

    def derive(self, part: Part, changes: Cotangents) -> None:
        cotangent = changes.take(part.number(self.place))
        if cotangent is not None and 0 in self.followed:
            changes.add(part.number(self.operands[0]), cotangent)


class _Kernel(Kernel):
    def needed(self) -> set[int]:
        return self.places(self._template((0,)).needs, 1)

    def derive(self, part: Part, changes: Cotangents) -> None:
        given = {
            index: x
            for index, place in self.by_index.items()
            if (x := changes.take_whole(part.number(place))) is not None
        }
        if not given:
            return
        derived = self._template(tuple(sorted(given)))
        part.interprets |= isinstance(derived, Interpreted)
        inputs = self.inputs(part, [given[index].value for index in sorted(given)])
        for k, x in zip(self.followed, derived(inputs), strict=True):
            if x is not None:
                changes.add_through(part.number(self.operands[k]), x, self.step.sources[k])

    def _template(self, given: tuple[int, ...]) -> Any:
        step, followed, known = self.step, self.follows, tuple(self.known())
        key = (
            "reverse", step.code, step.shape, step.params, followed, given, known,
            tuple([source.key() for source in step.sources]),
        )  # fmt: skip

        def make() -> Any:
            function = function_of(step, step.sources)
            structs = [jax.ShapeDtypeStruct(*source.given) for source in step.sources]
            specs = jax.eval_shape(function, *structs)
            results = [_spec(specs[index]) for index in known]
            cotangents = [Source(*_spec(specs[index]), None, True) for index in given]
            derived = _derivative(function, followed, given, known)
            return template(derived, [*step.sources, *cotangents], results)

        with jax.enable_x64(True):
            return remembered(key, make)


def _spec(struct: Any) -> tuple[tuple[int, ...], int]:
    return struct.shape, CODES[np.dtype(struct.dtype)]


def _of_elements(code: int, followed: tuple[bool, ...], sources: Sequence[Source]) -> Template:
    """Return what hands the cotangent of one element to the operands that are followed."""
    codes = tuple([source.code for source in sources])

    def make() -> Any:
        inputs = [Source((), code, None, True) for code in codes]
        step = Step(code, (), (), (), None, tuple(inputs))
        derived = _derivative(function_of(step, inputs), followed, (0,), (0,))
        result = code >> 24
        return template(derived, [*inputs, Source((), result, None, True)], [((), result)])

    found: Template = remembered(("reverse", code, followed, codes), make)
    return found


def _derivative(
    function: Callable[..., Any],
    followed: Sequence[bool],
    given: Sequence[int],
    known: Sequence[int],
) -> Callable[..., Any]:
    """Return what hands cotangents back through a function of JAX.

    Args:
        function: Returns a list.
        followed: Which operands are to have cotangents.
        given: Which results have any.
        known: Which results are known.

    It takes operands and cotangents, and returns the cotangents of operands, and known results.
    """
    count = len(followed)

    def derived(*arrays: Any) -> tuple[list[Any], list[Any]]:
        cotangents = iter(arrays[count:])
        of_followed, chosen = of_some(function, arrays[:count], followed)
        results, pull = jax.vjp(of_followed, *chosen)
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


def _kind_of(step: Step, followed: tuple[bool, ...]) -> Callable[..., Entry]:
    operation = step.code & 0xFFFF
    keeps = all(source.code == step.code >> 24 for source in step.sources)
    if operation == STORE and step.sources[0].outside and keeps:
        return _Store
    if operation == _SUM and keeps:
        return _Sum
    if operation == _REQUIRE:
        return _Passed
    if is_elementwise(step) and _of_elements(step.code, followed, step.sources).is_plain:
        return _Elementwise
    return _Kernel


class _Part(Part):
    backwards = True


class Call(NamedTuple):
    """A call with rules of its own: its results' numbers, and what hands their cotangents back."""

    numbers: list[int]
    hand_back: Callable[[list[Operand | None]], Sequence[tuple[int, Operand]]]

    def derive(self, changes: Cotangents) -> None:
        """Hand the cotangents of the results to the arguments."""
        given = [changes.take(number) for number in self.numbers]
        if any(x is not None for x in given):
            for number, x in self.hand_back(given):
                changes.add(number, x)


class Tape(Deriving):
    """The steps between some values and what is computed from them."""

    kind_of = staticmethod(_kind_of)
    part = _Part

    def call(self, results: Sequence[Value], hand_back: Callable[..., Any]) -> None:
        """Keep a call with rules of its own, which has these results."""
        numbers = [mark(x) for x in results]
        pairs = zip(numbers, results, strict=True)
        self.followed.update(number for number, x in pairs if is_inexact(x))
        self.parts.append(Call(numbers, hand_back))

    def pull(self, seeds: Sequence[tuple[Value, Operand]], wanted: Sequence[Value]) -> list[Any]:
        """Record the derivative: of values, given cotangents of what is computed from them.

        Returns a whole operand for each value, or None where the derivative is zero.
        """
        cotangents = Cotangents()
        for value, x in seeds:
            if value.mark in self.followed:
                cotangents.add(value.mark, x)
        for part in reversed(self.parts):
            part.derive(cotangents)
        return [cotangents.take(value.mark) for value in wanted]
