"""Calls of functions with derivatives of their own.

Where such a call meets a tape, that keeps the call and its rule in place of the steps. Where it
meets a batch, the call is kept and made again for all elements, so that its rule stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.rules.operand import Operand
from jujunp.lazy.run.machine import COPIES
from jujunp.lazy.run.watching import WATCHES, watched
from jujunp.lazy.transforms.derivatives.forward import Line
from jujunp.lazy.transforms.derivatives.reverse import Tape
from jujunp.lazy.transforms.following import Follower
from jujunp.lazy.transforms.mapping import Batch, Call
from jujunp.lazy.transforms.traced import Traced
from jujunp.lazy.values.value import Value, dtype_code, record

from .._array.handle import Handle, whole_value
from .._array.making import wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jujunp.lazy.values.types import Shape


class Rule:
    """What a call computes, and its derivatives; all of flat lists of arrays."""

    def run(self, arrays: list[Handle]) -> list[Handle]:
        """Return the results."""
        raise NotImplementedError

    def keep(self, arrays: list[Handle]) -> tuple[list[Handle], Any]:
        """Return the results, and what the derivative needs."""
        return self.run(arrays), arrays

    def specs(self, arrays: list[Handle]) -> list[tuple[Shape, int]]:
        """Return shapes and dtype codes of the results."""
        # run once for what they are like; the steps are of no use
        with watched(lambda: Batch([(x._shape, x._code) for x in arrays], "", 0)) as aside:
            pairs = zip(arrays, aside.starts, strict=True)
            like = self.run([wrap(start, x._shape, x._code) for x, start in pairs])
            return [(x._shape, x._code) for x in map(_own, like)]

    def pull(self, kept: Any, cotangents: list[Handle | None]) -> list[Handle | None]:
        """Return the cotangents of the arguments."""
        raise NotImplementedError

    def push(self, kept: Any, tangents: list[Handle | None]) -> list[Handle | None]:
        """Return the tangents of the results."""
        raise NotImplementedError

    def mapped(self, size: int) -> Rule:
        """Return the rule for batches."""
        raise NotImplementedError

    def for_jax(self) -> Callable[..., Sequence[Any]]:
        """Return the call as a function of JAX, which has the same rule."""
        raise NotImplementedError


def handle_of(x: Operand | None) -> Handle | None:
    """Return an operand as an array of ours."""
    if x is None:
        return None
    layouts = None if x.layout is None else (x.layout,)
    value = x.value
    if layouts is not None or not isinstance(value, Value):
        value = record(COPIES[x.code], x.shape, (x.value,), layouts)
    found: Handle = wrap(value, x.shape, x.code)
    return found


def _operand(x: Handle) -> Operand:
    return Operand(whole_value(x), None, x._shape, x._code)


def call(rule: Rule, arrays: list[Handle]) -> list[Handle]:
    """Call what has a rule; the innermost transformation that follows an argument has the rule."""
    values = [whole_value(x) for x in arrays]
    for watch in reversed(WATCHES):
        if isinstance(watch, Follower):
            marks = tuple([x.mark if watch.is_about(x) else 0 for x in values])
            if any(marks):
                return _followed(watch, rule, arrays, values, marks)
    return rule.run(arrays)


def _followed(
    watch: Follower,
    rule: Rule,
    arrays: list[Handle],
    values: list[Value],
    marks: tuple[int, ...],
) -> list[Handle]:
    if isinstance(watch, Batch):
        return _in_batch(watch, rule, arrays, values)
    if isinstance(watch, Traced):
        found = watch.apply(rule.for_jax(), values)
        return [wrap(x, x.shape, dtype_code(x)) for x in found]
    with watch.paused():
        results, kept = rule.keep(arrays)
        own = [_own(x) for x in results]
    found = [whole_value(x) for x in own]
    if isinstance(watch, Tape):
        watch.call(found, lambda given: _handed_back(rule, kept, marks, given))
    elif isinstance(watch, Line):
        watch.call(marks, found, lambda given: _handed_on(rule, kept, given))
    return own


def _handed_on(rule: Rule, kept: Any, given: list[Operand | None]) -> list[Operand | None]:
    """Return the tangents of results, given those of the arguments."""
    found = rule.push(kept, [handle_of(x) for x in given])
    return [None if x is None else _operand(x) for x in found]


def _handed_back(
    rule: Rule, kept: Any, marks: tuple[int, ...], given: list[Operand | None]
) -> list[tuple[int, Operand]]:
    """Return the cotangents of arguments, with their numbers, given those of the results."""
    found = rule.pull(kept, [handle_of(x) for x in given])
    pairs = zip(marks, found, strict=True)
    return [(number, _operand(x)) for number, x in pairs if number and x is not None]


def _own(x: Handle) -> Handle:
    """Return a result as a value that nobody else has."""
    found: Handle = wrap(record(COPIES[x._code], x._shape, (whole_value(x),)), x._shape, x._code)
    return found


def _in_batch(batch: Batch, rule: Rule, arrays: list[Handle], values: list[Value]) -> list[Handle]:
    def make(size: int, batches: list[Value]) -> list[Value]:
        given = [wrap(x, x.shape, dtype_code(x)) for x in batches]
        return [whole_value(x) for x in call(rule.mapped(size), given)]

    results = batch.call(Call(values, make), rule.specs(arrays))
    return [wrap(x, x.shape, dtype_code(x)) for x in results]
