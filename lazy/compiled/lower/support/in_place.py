"""Loops that update arrays where they lie, instead of copying them in every turn."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.graph_ir import GraphIR, Step

IN_PLACE = "jj_update_in_place"
"""A step that updates an array of a loop where it lies; for routines alone."""


def updating_in_place(step: Step) -> Step:
    """Return a loop that updates a part of what it carries without copying the rest.

    The update is the last that is made of the array's old elements, which nothing else reads as a
    whole.
    """

    def inner(ir: GraphIR) -> GraphIR:
        return dataclasses.replace(ir, steps=tuple(map(updating_in_place, ir.steps)))

    step = step.with_irs(inner)
    if step.name not in ("jj_scan", "jj_while"):
        return step
    params = ((key, _with_updates(step, x) if key == "body" else x) for key, x in step.params)
    return step._replace(params=tuple(params))


def _with_updates(step: Step, body: GraphIR) -> GraphIR:
    """Return the body of a loop with its updates in place."""
    body = dataclasses.replace(body, steps=tuple(_with_late_updates(body.steps)))
    first, end = ends(step)
    chosen: set[int] = set()
    for value, result in zip(range(first, end), body.outputs, strict=False):
        chosen.update(_updates(body, value, result))
    steps = (
        made._replace(name=IN_PLACE) if at in chosen else made for at, made in enumerate(body.steps)
    )
    return dataclasses.replace(body, steps=tuple(steps))


def _with_late_updates(steps: Sequence[Step]) -> list[Step]:
    """Return steps in an order in which what was there is read before it is updated."""
    ordered: list[Step] = []
    for step in reversed(steps):
        place = 0
        if step.name == "jj_update":
            uses = (not set(step.results).isdisjoint(later.operands) for later in ordered)
            place = next((at for at, used in enumerate(uses) if used), len(ordered))
        ordered.insert(place, step)
    return ordered


def _updates(body: GraphIR, value: int, result: int) -> list[int]:
    """Return the places of the steps that turn what a loop carries into the next turn's.

    There are none where another step needs what was there before, or may read it later.
    """
    found = []
    while value != result:
        uses = [at for at, step in enumerate(body.steps) if value in step.operands]
        last = uses[-1] if uses else -1
        if value in body.outputs or not all(_copies(body.steps[at], value) for at in uses[:-1]):
            return []
        if last < 0 or not _replaces(body.steps[last], value):
            return []
        found.append(last)
        (value,) = body.steps[last].results
    return found


def _copies(step: Step, value: int) -> bool:
    """Whether a step reads a part of an array, when its turn has come."""
    return step.name == "jj_slice" and value not in step.operands[1:]


def _replaces(step: Step, value: int) -> bool:
    """Whether a step updates a part of an array, and reads nothing else of it."""
    return step.name == "jj_update" and value not in step.operands[1:]


def ends(step: Step) -> tuple[int, int]:
    """Return where what a loop carries begins and ends among the inputs of its body."""
    if step.name == "jj_while":
        _, constants = step.param("constants")
        return constants, step.param("body").inputs
    constants, carried = step.param("counts")
    return constants, constants + carried
