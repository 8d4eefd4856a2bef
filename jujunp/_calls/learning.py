"""Learning: makes a call, and writes down what it has recorded.

A call has a transcript only if its signature decides what it records, and elements that it reads
one by one. So a call that has looked at elements in another way, has warned, or was answered by
NumPy, has none, nor has one that changes or returns what a transcript cannot say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.run import errors, sites, statistics
from jujunp.lazy.run.watching import Check, Watch, looks, sampling, watched

from .._array.handle import Handle
from .general import SAMPLES, General, is_aliased, replaced, stand_ins
from .traits import is_ordered
from .writer import Before, Unsuitable, Writer, said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def learn(
    otherwise: Callable[..., Any],
    leaves: tuple[Any, ...],
    args: tuple[Any, ...],
    names: tuple[str, ...] | None,
    known: tuple[Sequence[int], Sequence[Any]] | None,
    loose: tuple[int, ...] | None,
    checking: bool,
) -> tuple[Any, ...]:
    """Make a call and write its transcript.

    Args:
        otherwise: The Python function.
        leaves: The arrays and numbers among its arguments, also those in sequences.
        args: The arguments.
        names: Names of the last of them.
        known: The first words of the transcript and what they refer to, to be compared with.
        loose: For a transcript of arrays of any extents, the numbers that may be any, too: of each
            which argument it is, or in which and where there (else -1), and which leaf. None for a
            transcript of these arguments alone.
        checking: Whether transcripts are compared with calls.

    Returns the result; the words of the transcript, in parts, the elements that were read between
    these, what the words refer to, and fingerprints of the parts, or None for all of them.
    """
    count = len(args) - len(names or ())
    named = dict(zip(names or (), args[count:], strict=True))
    call = _Call(otherwise, leaves, args[:count], named)
    try:
        if loose is not None:
            places = zip(loose[::3], loose[1::3], strict=True)
            numbers = dict(zip(places, loose[2::3], strict=True))
            words, writer = _general(call, numbers, checking)
            parts = [words]
        else:
            writer = call.writer()
            parts = writer.parts
    except Unsuitable:
        return call.result, None, None, None, None
    if known is not None:
        _compare(otherwise, known, (parts[0], writer.kept))
    return call.result, parts, writer.elements, tuple(writer.kept), writer.fingerprints()


class _Call:
    """A call that is made while it is watched."""

    def __init__(
        self,
        otherwise: Callable[..., Any],
        leaves: Sequence[Any],
        args: Sequence[Any],
        named: dict[str, Any],
    ) -> None:
        self.otherwise, self.args, self.named = otherwise, args, named
        self.leaves = leaves
        with watched(Watch) as self._watch:
            self._before = _Observed(leaves)
            self.result = otherwise(*args, **named)

    def writer(self, general: bool = False) -> Writer:
        """Return the words for what it has recorded; raise Unsuitable if there are none."""
        events = (event for _, event in self._watch.events)
        if self._watch.is_disturbed() or (
            general and not all(isinstance(event, Check) for event in events)
        ):
            raise Unsuitable
        self._before.compare()
        writer = Writer(self._before, self._watch, general)
        writer.write(self.result)
        return writer

    def is_short_beside(self, other: _Call) -> bool:
        """Whether it has recorded steps of one element or none along axes where another has more.

        Replays leave such calls to Python (`extent` in kernels/vm/calls/replay.mojo).
        """
        steps = zip(self._watch.steps, other._watch.steps, strict=False)
        return any(
            n < 2 <= m
            for step, longer in steps
            for n, m in zip(step.shape, longer.shape, strict=False)
        )

    def of(self, leaves: Sequence[Any], numbers: dict[tuple[int, int], int]) -> _Call:
        """Make the same call of other arrays, and other numbers in some places."""
        arrays = iter([x for x in leaves if isinstance(x, Handle)])
        args = [replaced(one, arrays) for one in self.args]
        for (place, within), leaf in numbers.items():
            if within < 0:
                args[place] = leaves[leaf]
            else:
                args[place] = *args[place][:within], leaves[leaf], *args[place][within + 1 :]
        named = {name: replaced(one, arrays) for name, one in self.named.items()}
        return _Call(self.otherwise, leaves, args, named)


def _general(
    call: _Call, numbers: dict[tuple[int, int], int], checking: bool
) -> tuple[list[int], Writer]:
    """Return the general words for a call, and the writer of what they refer to.

    `numbers` has the leaves of the numbers that may be any, by their places.
    """
    writer = call.writer(general=True)
    loose, ordered = tuple(numbers.values()), is_ordered(call.otherwise)
    samples = []
    for sample in range(len(SAMPLES)):
        try:
            with errors.quiet(), sampling():
                other = call.of(stand_ins(call.leaves, loose, sample, ordered), numbers)
        except Exception as refused:
            raise Unsuitable from refused
        samples.append((other.writer(general=True), other.leaves))
    if is_aliased(call.leaves):
        # the words are of the first of several arrays that are one
        return General(samples, loose).words, samples[0][0]
    try:
        return General([(writer, call.leaves), *samples], loose).words, writer
    except Unsuitable:
        if checking and not call.is_short_beside(other) and _is_uniform(samples, loose):
            shapes = [x.shape for x in call.leaves if isinstance(x, Handle)]
            raise AssertionError(f"{call.otherwise} is not uniform: {shapes}") from None
        raise


def _is_uniform(samples: Sequence[tuple[Writer, Sequence[Any]]], loose: Sequence[int]) -> bool:
    try:
        General(samples, loose)
    except Unsuitable:
        return False
    return True


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

    def __init__(self, leaves: Sequence[Any]) -> None:
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
