"""What a case is."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A line of code that is measured.

    The code is an expression, or a statement that changes the operand `changed`. It knows `np`,
    the operands (`benchmarks.steps.operands`) and `i` and `j`, which change from call to call.
    `loop` is the body of the loop, where adding the result to `total` does not do.
    """

    code: str
    changed: str | None = None
    loop: str | None = None
    unset: bool = False
    """Whether the elements of the result are whatever is in memory."""


def values(*codes: str) -> list[Case]:
    """Return cases that are expressions."""
    return [Case(code) for code in codes]


def summed(*codes: str) -> list[Case]:
    """Return cases that are expressions whose shapes differ from turn to turn."""
    return [Case(code, loop=f"total += ({code}).sum()") for code in codes]


def writes(changed: str, *codes: str) -> list[Case]:
    """Return cases that change an operand."""
    return [Case(code, changed) for code in codes]
