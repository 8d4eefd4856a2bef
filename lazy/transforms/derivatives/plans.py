"""Plans: what derivatives need of steps that were seen together, and how those are recorded.

The steps that a transformation sees together are found again by their words. So what is derived of
them is worked out once, and recorded again by a table. A `Part` holds what is needed of one run;
other steps can take over the memory of what is not, as ever.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ...rules.operand import Operand
from ...run import machine
from ...run.machine import COPIES
from ...values.dtypes import DTYPES
from ...values.value import LOG, Value, record
from ..following import MANY, Follower, is_inexact, mark
from ..steps import PROJECT, kept
from .table import Table, apart, fresh_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ..steps import Step
    from ..templates import Template

KEPT = 1 << 16
"""Steps of plans remembered, least recently used out."""


class Entry:
    """A step: its own place and those of its operands among the values of a part.

    Places count the values from outside, the numbers, and the steps. `followed` says which operands
    are followed.
    """

    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        self.place = place
        self.operands = operands
        self.followed = [k for k, follows in enumerate(followed) if follows]
        """Which operands are followed."""
        self.step = step._replace(inputs=())
        self.needs: set[int] = set()
        """Places of the values that the derivative needs."""

    def derive(self, part: Part, changes: Any) -> None:
        """Record the derivative: of what is followed, in tangents or cotangents by number."""

    def add_result(self, index: int, place: int) -> None:
        """Tell the place of a further result."""

    def results(self) -> list[int]:
        """Return the places of the results."""
        return [self.place]

    def places(self, inputs: Collection[int], changes: int) -> set[int]:
        """Return the places of a template's inputs, but for the changes, of which it has so many.

        The inputs are the operands, the changes, and the first result.
        """
        count = len(self.operands)
        found = {self.operands[k] for k in range(count) if k in inputs}
        return found | {self.place} if count + changes in inputs else found

    def read(self, part: Part, k: int) -> Operand:
        """Return an operand as the step reads it."""
        source = self.step.sources[k]
        return Operand(part.values[self.operands[k]], source.layout, source.shape, source.code)

    def base(self, part: Part, k: int) -> Any:
        """Return the value of an operand, None for one that is not needed."""
        x = part.values[self.operands[k]]
        if x is None or isinstance(x, Value):
            return x
        return record(COPIES[self.step.sources[k].code], (), (x,))


class Elementwise(Entry):
    """A step on elements: what is derived for one element is recorded for all.

    Args:
        derived: The template: of the operands, changes, and the result.
        changes: How many changes that takes: tangents of operands, or one cotangent.
    """

    def __init__(
        self,
        place: int,
        operands: tuple[int, ...],
        followed: tuple[bool, ...],
        step: Step,
        derived: Template,
        changes: int,
    ) -> None:
        super().__init__(place, operands, followed, step)
        self.template = derived
        self.needs = self.places(derived.needs, changes)

    def spread(self, part: Part, changes: Sequence[Operand]) -> Any:
        """Record what is derived, given the changes."""
        step, needs, count = self.step, self.template.needs, len(self.operands)
        inputs = [self.read(part, k) if k in needs else None for k in range(count)]
        known = None
        if count + len(changes) in needs:
            known = Operand(part.values[self.place], None, step.shape, step.code >> 24)
        return self.template.spread([*inputs, *changes, known], step.shape)


class Kernel(Entry):
    """Another step, derived for its shapes; it may have several results."""

    def __init__(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> None:
        super().__init__(place, operands, followed, step)
        self.follows = followed
        self.by_index: dict[int, int] = {0: place}
        """Places of the results, by their index."""
        many = step.code & 0xFFFF in MANY
        self.needs = {place, *operands} if many else self.needed()

    def needed(self) -> set[int]:
        """Return the places of what is needed where there is one result."""
        raise NotImplementedError

    def add_result(self, index: int, place: int) -> None:
        """Tell the place of a further result."""
        self.by_index[index] = place
        self.needs.add(place)

    def results(self) -> list[int]:
        """Return the places of the results."""
        return list(self.by_index.values())

    def known(self) -> list[int]:
        """Return the indices of the results that are known."""
        return sorted(self.by_index)

    def inputs(self, part: Part, changes: Sequence[Any]) -> list[Any]:
        """Return what a template takes: the operands, the changes, and the known results."""
        values = [self.base(part, k) for k in range(len(self.operands))]
        return [*values, *changes, *(part.values[self.by_index[k]] for k in self.known())]


class Underivable(Entry):
    """A step for which JAX has no derivative: an error only if that is asked for."""

    def __init__(
        self,
        place: int,
        operands: tuple[int, ...],
        followed: tuple[bool, ...],
        step: Step,
        error: Exception,
    ) -> None:
        super().__init__(place, operands, followed, step)
        self._error = error
        self._places = [place]

    def add_result(self, index: int, place: int) -> None:
        """Tell the place of a further result."""
        self._places.append(place)

    def results(self) -> list[int]:
        """Return the places of the results."""
        return self._places

    def derive(self, part: Part, changes: Any) -> None:
        """Tell of the error, which is raised if the derivative is asked for."""
        asked = self._places if part.backwards else [self.operands[k] for k in self.followed]
        if changes.asks([part.number(place) for place in asked]):
            part.interprets = True
            changes.fail([part.number(place) for place in self._places], self._error)


class Plan:
    """What is known of steps that were seen together, whatever their values.

    Args:
        kind_of: Returns the class of a step's entry, given which operands are followed.
        recorded: The steps.
        others: The values from outside that they use.
        follows: Which of these are followed.
        numbers: The numbers that they use.
    """

    def __init__(
        self,
        kind_of: Callable[[Step, tuple[bool, ...]], Callable[..., Entry]],
        recorded: Sequence[Value],
        others: Sequence[Value],
        follows: Sequence[bool],
        numbers: Sequence[Any],
    ) -> None:
        self.first = len(others) + len(numbers)
        self.size = self.first + len(recorded)
        self.entries: list[Entry] = []
        self.tables: dict[tuple[int, ...], Table] = {}
        """How the derivative is recorded again, by the places that have changes to begin with."""
        self.repeats = True
        """Whether the derivative's steps are the same for other numbers."""
        self._kind_of = kind_of
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
        if value.code & 0xFFFF == PROJECT:
            kernel = self._by_place[operands[0]]
            kernel.add_result((value.params or (0,))[0], place)
            return
        entry = self._entry(place, operands, followed, kept(value))
        self.entries.append(entry)
        self._by_place[place] = entry

    def _entry(
        self, place: int, operands: tuple[int, ...], followed: tuple[bool, ...], step: Step
    ) -> Entry:
        pairs = zip(step.inputs, step.sources, strict=True)
        self.repeats &= all(
            isinstance(x, Value) or DTYPES[source.code].kind in "fc" for x, source in pairs
        )
        try:
            return self._kind_of(step, followed)(place, operands, followed, step)
        except Exception as error:  # where it was recorded, nobody expects it
            return Underivable(place, operands, followed, step, error)


_plans: OrderedDict[Any, Plan] = OrderedDict()


def plans() -> list[Plan]:
    """Return the plans that are remembered."""
    return list(_plans.values())


def forget_plans() -> None:
    """Forget all plans. For tests."""
    _plans.clear()


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

    backwards = False
    """Whether changes go from results to operands."""

    def __init__(self, plan: Plan, values: list[Any], numbers: list[int]) -> None:
        self.plan = plan
        self.values = values
        self._numbers = numbers
        self.interprets = False
        """Whether the derivative looks at values."""

    def number(self, place: int) -> int:
        """Return the mark of a value by its place."""
        return self._numbers[place]

    def derive(self, changes: Any) -> None:
        """Record the derivative, in tangents or cotangents by number."""
        plan, numbers = self.plan, self._numbers
        places = tuple([x for x in plan.followed if numbers[x] in changes])
        if not places or (self.backwards and places[-1] < plan.first):
            return
        if not plan.repeats:
            self._derive_entries(changes)
            return
        given = [changes.take_whole(numbers[place]) for place in places]
        known = plan.tables.get(places)
        if known is None:
            self._learn(changes, places, given)
            return
        for place, x in known(self.values, given):
            changes.add(numbers[place], x)

    def _derive_entries(self, changes: Any) -> None:
        entries: Iterable[Entry] = self.plan.entries
        for entry in reversed(self.plan.entries) if self.backwards else entries:
            entry.derive(self, changes)

    def _learn(self, changes: Any, places: tuple[int, ...], given: list[Operand]) -> None:
        """Derive step by step, and remember how that is recorded again, if it can be."""
        given = apart(given)
        for place, x in zip(places, given, strict=True):
            changes.add(self.number(place), x)
        first, flushes = len(LOG), machine.flushes()
        self.values = [x if isinstance(x, Value) else fresh_number(x) for x in self.values]
        self._derive_entries(changes)
        if self.interprets or machine.flushes() != flushes:
            return
        plan = self.plan
        wanted = [k for k in plan.followed if not self.backwards or k < plan.first]
        results = [(k, x) for k in wanted if (x := changes.take_whole(self.number(k))) is not None]
        plan.tables[places] = Table(self.values, given, LOG[first:], results)
        for place, x in results:
            changes.add(self.number(place), x)


class Deriving(Follower):
    """Follows values, and keeps in parts what the derivatives of steps need."""

    kind_of: Callable[[Step, tuple[bool, ...]], Callable[..., Entry]]
    part: type[Part]

    def __init__(self, values: Sequence[Value]) -> None:
        super().__init__(values)
        self.parts: list[Any] = []
        """Parts, and calls with rules of their own."""

    def leave(self, value: Value, what: str) -> None:
        """Raise TypeError for what a derivative would have to go through, and cannot."""
        if self.is_about(value):
            raise TypeError(f"{what} has no derivative here: its operands leave this module")

    def see(self, recorded: list[Value]) -> None:
        """Keep what the derivative of steps needs."""
        if self._paused:
            return
        words, others, numbers = machine.described(len(LOG) - len(recorded))
        marks = [x.mark for x in others]
        follows = tuple([number in self.followed for number in marks])
        if not any(follows):
            return
        key = self.part, words, follows
        plan = _plans.get(key)
        if plan is None:
            plan = _plans[key] = Plan(type(self).kind_of, recorded, others, follows, numbers)
            _drop_old_plans()
        else:
            _plans.move_to_end(key)
        marks += [0] * (plan.size - len(marks))
        for place in plan.steps:
            marks[place] = mark(recorded[place - plan.first])
        self.followed.update([marks[place] for place in plan.steps])
        everything = (*others, *numbers, *recorded)
        values: list[Any] = [None] * plan.size
        for place in plan.needs:
            values[place] = everything[place]
        self.parts.append(self.part(plan, values, marks))
