"""Derivatives that were recorded once, as a table from which they are recorded again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...jaxprs.recording import identity
from ...rules.operand import Operand
from ...run import machine
from ...run.machine import COPIES
from ...values.value import Value, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...values.types import Scalar


def fresh_number(x: Scalar | None) -> Scalar | None:
    """Return a number equal to one, as an object that is nowhere else: it is known by that."""
    if isinstance(x, complex):
        return complex(x.real, x.imag)
    return None if x is None else float(x) * 1.0


def apart(operands: Sequence[Operand]) -> list[Operand]:
    """Return whole operands of which no two are one value."""
    known: set[int] = set()
    found = []
    for x in operands:
        if id(x.value) in known:
            x = x._replace(value=record(COPIES[x.code], x.shape, (x.value,)))
        known.add(id(x.value))
        found.append(x)
    return found


class Table:
    """Steps of a derivative, by the places of what they use.

    Args:
        values: What the steps of the function need, as it was; numbers are objects of their own.
        given: Tangents or cotangents, whole.
        steps: What was recorded with both.
        results: Those that were found, with a place for each.
    """

    def __init__(
        self,
        values: Sequence[Any],
        given: Sequence[Operand],
        steps: Sequence[Value],
        results: Sequence[tuple[int, Operand]],
    ) -> None:
        known = [*values, *(x.value for x in given)]
        places = {id(x): place for place, x in enumerate(known) if x is not None}
        made = {id(step) for step in steps}
        constants: dict[Any, Any] = {}
        for step in steps:
            for x in step.inputs:
                if id(x) not in places and id(x) not in made:
                    constants.setdefault(identity(x), x)
        count = len(known)
        numbered = {key: count + k for k, key in enumerate(constants)}
        self._constants = tuple(constants.values())
        for place, step in enumerate(steps, count + len(constants)):
            places[id(step)] = place

        def place_of(x: Any) -> int:
            place = places.get(id(x))
            return numbered[identity(x)] if place is None else place

        operands = [tuple(map(place_of, step.inputs)) for step in steps]
        self._steps = tuple(
            [
                (step.code, step.shape, at, step.layouts, step.params)
                for step, at in zip(steps, operands, strict=True)
            ]
        )
        self._results = [
            (place, place_of(x.value), x.layout, x.shape, x.code) for place, x in results
        ]

    def __call__(
        self, values: Sequence[Any], given: Sequence[Operand]
    ) -> list[tuple[int, Operand]]:
        """Record the steps; returns what they find."""
        made = [*values, *[x.value for x in given], *self._constants]
        machine.record_steps(made, self._steps)
        return [
            (place, Operand(made[at], layout, shape, code))
            for place, at, layout, shape, code in self._results
        ]
