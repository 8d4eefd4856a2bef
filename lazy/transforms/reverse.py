"""The derivative from results back to arguments: what each step hands to its operands.

A `Tape` follows values. The steps that it sees together have a `Plan`, which is found again by
their words: what each of them needs for its derivative (nothing of additions and writes, one factor
of a product), and the derivative's steps. A `Part` of the tape holds what is needed of one run. So
other steps can take over the memory of what is not, as ever, and JAX is asked once for each kind of
step.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..rules.operand import Operand, seen_through
from ..run import machine
from ..run.machine import COPIES, OPCODES
from ..values.dtypes import CODES, DTYPES
from ..values.value import LOG, Value, record
from .cotangents import Cotangents, repeated
from .following import MANY, Follower, is_inexact, mark
from .pulling import Pull, apart, fresh_number
from .steps import PROJECT, STORE, Source, Step, function_of, is_elementwise, kept
from .templates import Interpreted, remembered, template, whole_operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .templates import Template

_FLOAT0 = jax.dtypes.float0
_REQUIRE, _SUM = OPCODES["require"], OPCODES["reduce_sum"]
KEPT = 1 << 16
"""Steps of plans remembered, least recently used out."""


class Entry:
    """A step: its own place and those of its operands among the values of a part.

    Places count the values from outside, the numbers, and the steps.
    """

    def __init__(self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...]) -> None:
        self.place = place
        self.operands = operands
        self.followed = followed
        self.needs: set[int] = set()
        """Places of the values that the derivative needs."""

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        """Hand the cotangent of the result to the operands."""

    def _followed(self) -> list[int]:
        """Return the numbers of the operands that are followed."""
        return [k for k, follows in enumerate(self.followed) if follows]


class _Elementwise(Entry):
    """A step on elements: what is derived for one element is recorded for all."""

    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        super().__init__(place, operands, followed)
        self._template = _of_elements(step.code, followed, step.sources)
        self._step = step._replace(inputs=())
        count, needs = len(operands), self._template.needs
        self._read = [k if k in needs else None for k in range(count)]
        self._knows = count + 1 in needs
        self.needs = {operands[k] for k in range(count) if k in needs}
        if self._knows:
            self.needs.add(place)

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(part.number(self.place))
        if cotangent is None or self._template.is_zero:
            return
        step, values = self._step, part.values
        inputs: list[Operand | None] = [
            None if k is None else Operand(values[place], source.layout, source.shape, source.code)
            for k, place, source in zip(self._read, self.operands, step.sources, strict=True)
        ]
        code = step.code >> 24
        known = Operand(values[self.place], None, step.shape, code) if self._knows else None
        found = self._template.spread([*inputs, cotangent, known], step.shape)
        for k, x in zip(self._followed(), found, strict=True):
            if x is not None:
                cotangents.add_through(part.number(self.operands[k]), x, step.sources[k])


class _Store(Entry):
    """A write: the new elements have the cotangents of where they are, and the old ones none."""

    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        super().__init__(place, operands, followed)
        self._to, self._new = step.sources

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(part.number(self.place))
        if cotangent is None:
            return
        cotangent = whole_operand(cotangent)
        (old, new), layout = self.operands, self._to.layout
        assert layout is not None
        if self.followed[1]:
            x = seen_through(cotangent, layout)
            cotangents.add_through(part.number(new), x, self._new)
        if self.followed[0]:
            cotangents.add_cleared(part.number(old), cotangent, layout)


class _Sum(Entry):
    """A sum: each element has the cotangent of the sum that it is part of."""

    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        super().__init__(place, operands, followed)
        self._source = step.sources[0]
        self._axes = step.params or ()

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(part.number(self.place))
        if cotangent is None:
            return
        x = repeated(whole_operand(cotangent), self._source.shape, self._axes)
        cotangents.add_through(part.number(self.operands[0]), x, self._source)


class _Passed(Entry):
    """A step that gives its first operand."""

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        cotangent = cotangents.take(part.number(self.place))
        if cotangent is not None and self.followed[0]:
            cotangents.add(part.number(self.operands[0]), cotangent)


class _Kernel(Entry):
    """Another step, derived for its shapes; it may have several results."""

    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        super().__init__(place, operands, followed)
        self._step = step._replace(inputs=())
        self.results: dict[int, int] = {0: place}
        """Places of the results, by their index."""
        if step.code & 0xFFFF in MANY:
            self.needs = {place, *operands}
            return
        needs = self._template((0,)).needs
        self.needs = {operands[k] for k in range(len(operands)) if k in needs}
        if len(operands) + 1 in needs:
            self.needs.add(place)

    def add_result(self, index: int, place: int) -> None:
        """Tell the place of a further result."""
        self.results[index] = place
        self.needs.add(place)

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        given = {
            index: whole_operand(x)
            for index, place in self.results.items()
            if (x := cotangents.take(part.number(place))) is not None
        }
        if not given:
            return
        derived = self._template(tuple(sorted(given)))
        part.interprets |= isinstance(derived, Interpreted)
        values: list[Any] = [
            self._operand(part.values[place], source)
            for place, source in zip(self.operands, self._step.sources, strict=True)
        ]
        values += [given[index].value for index in sorted(given)]
        values += [part.values[self.results[index]] for index in sorted(self.results)]
        for k, x in zip(self._followed(), derived(values), strict=True):
            if x is not None:
                number = part.number(self.operands[k])
                cotangents.add_through(number, x, self._step.sources[k])

    @staticmethod
    def _operand(x: Any, source: Source) -> Any:
        is_number = x is not None and not isinstance(x, Value)
        return record(COPIES[source.code], (), (x,)) if is_number else x

    def _template(self, given: tuple[int, ...]) -> Any:
        step, followed, known = self._step, self.followed, tuple(sorted(self.results))
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


class _Underivable(Entry):
    """A step for which JAX has no derivative: an error only if that is asked for."""

    def __init__(
        self,
        place: int,
        operands: tuple[int, ...],
        followed: tuple[bool, ...],
        error: Exception,
    ) -> None:
        super().__init__(place, operands, followed)
        self._error = error

    def pull(self, part: Part, cotangents: Cotangents) -> None:
        if cotangents.take(part.number(self.place)) is not None:
            raise type(self._error)(*self._error.args)


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
        operands, cotangents = list(arrays[:count]), iter(arrays[count:])

        def of_followed(*some: Any) -> list[Any]:
            rest = iter(some)
            pairs = zip(operands, followed, strict=True)
            found: list[Any] = function(*(next(rest) if follows else x for x, follows in pairs))
            return found

        chosen = [x for x, follows in zip(operands, followed, strict=True) if follows]
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


class Plan:
    """What is known of steps that were seen together, whatever their values.

    Args:
        recorded: The steps.
        others: The values from outside that they use.
        follows: Which of these are followed.
        numbers: The numbers that they use.
    """

    def __init__(
        self,
        recorded: Sequence[Value],
        others: Sequence[Value],
        follows: Sequence[bool],
        numbers: Sequence[Any],
    ) -> None:
        self.first = len(others) + len(numbers)
        self.size = self.first + len(recorded)
        self.entries: list[Entry] = []
        self.pulls: dict[Any, Pull] = {}
        self.repeats = True
        """Whether the derivative's steps are the same for other numbers."""
        self._by_place: dict[int, Entry] = {}
        self._followed = {place for place, follow in enumerate(follows) if follow}
        places = {id(x): k for k, x in enumerate(others)}
        number = len(others)
        for place, step in enumerate(recorded, self.first):
            operands = []
            for x in step.inputs:
                if isinstance(x, Value):
                    operands.append(places[id(x)])
                else:
                    operands.append(number)
                    number += 1
            places[id(step)] = place
            self._add(place, step, tuple(operands))
        self.followed = tuple(sorted(self._followed))
        """Places of what is followed."""
        self.steps = tuple([place for place in self.followed if place >= self.first])
        """The steps among them."""
        self.needs = tuple(sorted(set().union(*(entry.needs for entry in self.entries))))

    def _add(self, place: int, value: Value, operands: tuple[int, ...]) -> None:
        followed = tuple([x in self._followed for x in operands])
        if not any(followed) or not is_inexact(value):
            return
        self._followed.add(place)
        entry = self._entry(place, value, operands, followed)
        self.entries.append(entry)
        self._by_place[place] = entry

    def _entry(
        self, place: int, value: Value, operands: tuple[int, ...], followed: tuple[bool, ...]
    ) -> Entry:
        operation = value.code & 0xFFFF
        if operation == PROJECT:
            kernel = self._by_place[operands[0]]
            if isinstance(kernel, _Kernel):
                kernel.add_result((value.params or (0,))[0], place)
            return Entry(place, operands, followed)
        step = kept(value)
        pairs = zip(step.inputs, step.sources, strict=True)
        self.repeats &= all(
            isinstance(x, Value) or DTYPES[source.code].kind in "fc" for x, source in pairs
        )
        if operation == STORE and step.sources[0].outside and _keeps_dtype(step):
            return _Store(place, operands, followed, step)
        if operation == _SUM and _keeps_dtype(step):
            return _Sum(place, operands, followed, step)
        if operation == _REQUIRE:
            return _Passed(place, operands, followed)
        kind = _Elementwise if is_elementwise(step) else _Kernel
        try:
            return kind(place, operands, followed, step)
        except Exception as error:  # where it was recorded, nobody expects it
            return _Underivable(place, operands, followed, error)


def _keeps_dtype(step: Step) -> bool:
    return all(source.code == step.code >> 24 for source in step.sources)


_plans: OrderedDict[Any, Plan] = OrderedDict()


def plans() -> list[Plan]:
    """Return the plans that are remembered."""
    return list(_plans.values())


def forget_plans() -> None:
    """Forget all plans. For tests."""
    _plans.clear()


def _plan_of(
    recorded: Sequence[Value],
    others: Sequence[Value],
    follows: tuple[bool, ...],
    words: bytes,
    numbers: Sequence[Any],
) -> Plan:
    """Return the plan of steps with these words."""
    key = words, follows
    found = _plans.get(key)
    if found is None:
        found = _plans[key] = Plan(recorded, others, follows, numbers)
        _drop_old_plans()
    else:
        _plans.move_to_end(key)
    return found


def _drop_old_plans() -> None:
    steps = sum(plan.size - plan.first for plan in _plans.values())
    while steps > KEPT and len(_plans) > 1:
        _, dropped = _plans.popitem(last=False)
        steps -= dropped.size - dropped.first


class Part:
    """What the derivative of some steps needs of one run.

    Args:
        plan: What is known of the steps.
        values: Values and numbers by their places; None where nothing needs one.
        numbers: The marks of those that are followed, by their places.
    """

    def __init__(self, plan: Plan, values: list[Any], numbers: list[int]) -> None:
        self.plan = plan
        self.values = values
        self._numbers = numbers
        self.interprets = False
        """Whether the derivative looks at values."""

    def number(self, place: int) -> int:
        """Return the mark of a value by its place."""
        return self._numbers[place]

    def pull(self, cotangents: Cotangents) -> None:
        """Hand cotangents of the steps to what they are made of."""
        plan, numbers = self.plan, self._numbers
        places = tuple([x for x in plan.followed if numbers[x] in cotangents])
        if not places or places[-1] < plan.first:
            return
        if not plan.repeats:
            self._pull_entries(cotangents)
            return
        given = [whole_operand(x) for place in places if (x := cotangents.take(numbers[place]))]
        known = plan.pulls.get(places)
        if known is None:
            self._learn(cotangents, places, given)
            return
        for place, x in known(self.values, given):
            cotangents.add(numbers[place], x)

    def _pull_entries(self, cotangents: Cotangents) -> None:
        for entry in reversed(self.plan.entries):
            entry.pull(self, cotangents)

    def _learn(self, cotangents: Cotangents, places: tuple[int, ...], given: list[Operand]) -> None:
        """Pull step by step, and remember how that is recorded again, if it can be."""
        given = apart(given)
        for place, x in zip(places, given, strict=True):
            cotangents.add(self.number(place), x)
        first, flushes = len(LOG), machine.flushes()
        self.values = [x if isinstance(x, Value) else fresh_number(x) for x in self.values]
        self._pull_entries(cotangents)
        if self.interprets or machine.flushes() != flushes:
            return
        outside = [k for k in self.plan.followed if k < self.plan.first]
        results = [(k, y) for k in outside if (y := cotangents.take(self.number(k))) is not None]
        pull = Pull(self.values, given, LOG[first:], results)
        self.plan.pulls[places] = pull
        for place, y in results:
            cotangents.add(self.number(place), y)


class Call(NamedTuple):
    """A call with rules of its own: its results' numbers, and what hands their cotangents back."""

    numbers: list[int]
    hand_back: Callable[[list[Operand | None]], Sequence[tuple[int, Operand]]]

    def pull(self, cotangents: Cotangents) -> None:
        """Hand the cotangents of the results to the arguments."""
        given = [cotangents.take(number) for number in self.numbers]
        if any(x is not None for x in given):
            for number, x in self.hand_back(given):
                cotangents.add(number, x)


class Tape(Follower):
    """The steps between some values and what is computed from them."""

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__(values)
        self._parts: list[Part | Call] = []

    def see(self, recorded: list[Value]) -> None:
        """Keep what the derivative of steps needs."""
        if self._paused:
            return
        words, others, numbers = machine.described(len(LOG) - len(recorded))
        marks = [x.mark for x in others]
        follows = tuple([number in self.followed for number in marks])
        if not any(follows):
            return
        plan = _plan_of(recorded, others, follows, words, numbers)
        first = plan.first
        marks += [0] * (plan.size - len(marks))
        for place in plan.steps:
            marks[place] = mark(recorded[place - first])
        self.followed.update([marks[place] for place in plan.steps])
        everything = (*others, *numbers, *recorded)
        values: list[Any] = [None] * plan.size
        for place in plan.needs:
            values[place] = everything[place]
        self._parts.append(Part(plan, values, marks))

    def call(self, results: Sequence[Value], hand_back: Callable[..., Any]) -> None:
        """Keep a call with rules of its own, which has these results."""
        numbers = [mark(x) for x in results]
        self.followed.update(numbers)
        self._parts.append(Call(numbers, hand_back))

    def pull(self, seeds: Sequence[tuple[Value, Operand]], wanted: Sequence[Value]) -> list[Any]:
        """Record the derivative: of values, given cotangents of what is computed from them.

        Returns a whole operand for each value, or None where the derivative is zero.
        """
        cotangents = Cotangents()
        for value, x in seeds:
            if value.mark in self.followed:
                cotangents.add(value.mark, x)
        for part in reversed(self._parts):
            part.pull(cotangents)
        return [cotangents.take(value.mark) for value in wanted]
