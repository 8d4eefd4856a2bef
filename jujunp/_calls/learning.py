"""Learning: makes a call, and writes down what it has recorded.

A call has a transcript only if its signature decides what it records, and elements that it reads
one by one. So a call that has looked at elements in another way, has warned, or was answered by
NumPy, has none, nor has one that changes or returns what a transcript cannot say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.run import sites, statistics
from jujunp.lazy.run.watching import looks, watched

from .._array.handle import Handle
from .writer import Before, Unsuitable, Writer, said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def learn(
    otherwise: Callable[..., Any],
    leaves: tuple[Any, ...],
    args: tuple[Any, ...],
    names: tuple[str, ...] | None,
    known: tuple[Sequence[int], Sequence[Any]] | None,
) -> tuple[Any, ...]:
    """Make a call and write its transcript.

    Args:
        otherwise: The Python function.
        leaves: The arrays and numbers among its arguments, also those in sequences.
        args: The arguments.
        names: Names of the last of them.
        known: The first words of the transcript and what they refer to, to be compared with.

    Returns the result; the words of the transcript, in parts, the elements that were read between
    these, what the words refer to, and fingerprints of the parts, or None for all of them.
    """
    count = len(args) - len(names or ())
    named = dict(zip(names or (), args[count:], strict=True))
    with watched() as watch:
        before = _Observed(leaves)
        result = otherwise(*args[:count], **named)
    try:
        if watch.is_disturbed():
            raise Unsuitable
        before.compare()
        writer = Writer(before, watch)
        writer.write(result)
    except Unsuitable:
        return result, None, None, None, None
    if known is not None:
        _compare(otherwise, known, (writer.parts[0], writer.kept))
    return result, writer.parts, writer.elements, tuple(writer.kept), writer.fingerprints()


def _compare(
    otherwise: Callable[..., Any], *transcripts: tuple[Sequence[int], Sequence[Any]]
) -> None:
    """Raise AssertionError for two transcripts of one signature that say different things."""
    first, second = (said(words, kept) for words, kept in transcripts)
    if first != second:
        raise AssertionError(f"{otherwise} is recorded in two ways: {first} and {second}")


def _marks() -> tuple[int, ...]:
    """Return what changes when a call does more than record and ask."""
    return looks(), sites.warned(), sum(statistics.FALLBACKS.values())


class _Observed(Before):
    """Sees whether a call does more."""

    def __init__(self, leaves: tuple[Any, ...]) -> None:
        super().__init__(leaves)
        self.states = [_state(x) for x in self.handles.values()]
        self.marks = _marks()

    def compare(self) -> None:
        """Raise Unsuitable if the call has done more, or changed an argument."""
        if _marks() != self.marks or any(
            now is not then
            for x, state in zip(self.handles.values(), self.states, strict=True)
            for now, then in zip(_state(x), state, strict=True)
        ):
            raise Unsuitable


def _state(x: Handle) -> tuple[Any, ...]:
    """Return what a call must leave as it is in an array."""
    return x._base, x._layout, x._shape, x._code, x._readonly
