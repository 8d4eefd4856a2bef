"""The three ways in which a case is measured, each as a function made of its code."""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy

import jujunp
from benchmarks.steps.case import Case
from benchmarks.steps.operands import operands

WAYS = ("bulk", "read", "loop")
FINISH: dict[Any, Callable[[], None]] = {numpy: lambda: None, jujunp: jujunp.flush}
"""What computes all that is pending, by namespace."""
_OF_MATRICES = re.compile(r"\b[ABT]\[.*\b[ij]\b")
"""Code that indexes matrices by `i` or `j`, which must be numbers of rows."""
_NUMBERS = (bool, int, float, complex)
_ARRAYS = (numpy.ndarray, numpy.generic)


class Kind(NamedTuple):
    """What is done with results: how they are read, a turn of a loop, and how its total is read."""

    read: str
    turn: str
    read_total: str


_ASARRAY, _ITEM = "numpy.asarray({})", "({}).item()"
KINDS = {
    "array": Kind(_ASARRAY, "total += {code}", _ASARRAY),
    "flags": Kind(_ASARRAY, "total |= {code}", _ASARRAY),
    "parts": Kind("[numpy.asarray(part) for part in {}]", "total += {code}[0]", _ASARRAY),
    "scalar": Kind(_ITEM, "total += {code}", _ITEM),
    "number": Kind("{}", "total += {code}", "{}"),
    "other": Kind("{}", "total = {code}", "{}"),
}
_WAY = """
def way(np, numpy, places, finish, total, {names}):
    kept = []
    for i, j in places:
{turn}
{after}
"""
"""Code, not a function that is called for each turn: a call would take as long as `x[i]`."""


class Facts(NamedTuple):
    """What NumPy says of a case: the kind of its result, zeros to add it to, and its bytes."""

    kind: str
    total: Any
    nbytes: int


def kind_of(value: Any) -> str:
    """Return the kind of a value of NumPy's."""
    if isinstance(value, numpy.ndarray):
        return "flags" if value.dtype == bool else "array"
    if isinstance(value, numpy.generic):
        return "scalar"
    if isinstance(value, _NUMBERS):
        return "number"
    several = isinstance(value, (tuple, list)) and any(isinstance(x, _ARRAYS) for x in value)
    return "parts" if several else "other"


@functools.cache
def facts(case: Case, size: int, rows: int) -> Facts:
    """Return what a turn of NumPy tells."""
    known = {"np": numpy, "numpy": numpy, "i": 1, "j": 2, **operands(numpy, size, rows)}
    if case.changed is None:
        value = eval(case.code, known)
    else:
        exec(case.code, known)
        value = known[case.changed]
    kind = kind_of(value)
    parts = value if kind == "parts" else [value]
    first = parts[0] if case.loop is None else 0
    total = numpy.zeros_like(first) if isinstance(first, numpy.ndarray) else 0
    return Facts(kind, total, sum(x.nbytes for x in parts if isinstance(x, _ARRAYS)))


def _turns_of_value(case: Case, kind: Kind) -> dict[str, tuple[str, str]]:
    """Return, by the way, what a turn does and what comes after all turns."""
    turn, total = kind.turn.format(code=case.code), kind.read_total
    if case.loop is not None:
        turn, total = case.loop, _ITEM
    return {
        "bulk": (f"kept.append({case.code})", "finish()\nreturn kept"),
        "read": (f"result = {kind.read.format(case.code)}", "return result"),
        "loop": (turn, f"return {total.format('total')}"),
    }


def _turns_of_write(case: Case, kind: Kind) -> dict[str, tuple[str, str]]:
    """Return the same of code that changes an operand."""
    read = kind.read.format(case.changed)
    return {
        "bulk": (case.code, f"finish()\nreturn {case.changed}"),
        "read": (f"{case.code}\nresult = {read}", "return result"),
        "loop": (case.code, f"return {read}"),
    }


def source(case: Case, way: str, kind: str, names: Iterable[str]) -> str:
    """Return a function `way` that takes all turns of a case and returns what came out."""
    turns = _turns_of_value if case.changed is None else _turns_of_write
    turn, after = turns(case, KINDS[kind])[way]
    return _WAY.format(
        names=", ".join(names),
        turn=textwrap.indent(turn, " " * 8),
        after=textwrap.indent(after, " " * 4),
    )


@functools.cache
def _function(case: Case, way: str, kind: str, names: tuple[str, ...]) -> Callable[..., Any]:
    made: dict[str, Any] = {}
    exec(compile(source(case, way, kind, names), f"<{case.code}>", "exec"), made)
    function: Callable[..., Any] = made["way"]
    return function


def places(case: Case, count: int, size: int, rows: int) -> list[tuple[int, int]]:
    """Return `i` and `j` for a number of turns."""
    end = rows if _OF_MATRICES.search(case.code) else size
    return [(number % end, (7 * number + 3) % end) for number in range(count)]


def prepared(
    case: Case, way: str, namespace: Any, count: int, size: int, rows: int
) -> Callable[[], Any]:
    """Return a function without arguments that takes the turns, on operands of its own."""
    known = facts(case, size, rows)
    given = operands(namespace, size, rows)
    total = known.total
    if isinstance(total, numpy.ndarray):
        total = namespace.array(total)
    finish = FINISH[namespace]
    finish()
    function = _function(case, way, known.kind, tuple(given))
    numbers = places(case, count, size, rows)
    return functools.partial(function, namespace, numpy, numbers, finish, total, **given)
