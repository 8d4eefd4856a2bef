"""Watching a call: the steps that it records, also those that are computed, and what it asks.

Whoever makes a call in order to record it again (jujunp/_calls/learning.py) must know that.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from ..values.dtypes import DTYPES
from ..values.value import LOG, Value
from . import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..values.types import Scalar, Shape

    Layout = np.ndarray | None


class Step(NamedTuple):
    """A step as it was recorded: one that is computed forgets."""

    value: Value
    code: int
    shape: Shape
    inputs: tuple[Value | Scalar, ...]
    layouts: tuple[Layout, ...] | None
    params: tuple[int, ...] | None
    within: tuple[int, int] | None


class Check(NamedTuple):
    """That the integers of a value, seen through a layout in a dtype, were within limits."""

    value: Value
    layout: Layout
    code: int
    low: int
    high: int


class Read(NamedTuple):
    """The element of a value, seen through a layout in a dtype, by its bits."""

    value: Value
    layout: Layout
    code: int
    bits: int


class Flush(NamedTuple):
    """That all that was pending was computed, since a step may raise."""


Event = Check | Read | Flush


class Watcher:
    """Sees what is recorded from now on, before it is computed."""

    size = 0
    """How many elements a batch has, of which arrays stand for one."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        # before the log is looked at: steps of other threads would be taken for this one's
        self._strange = machine.strange_steps()
        self._end = len(LOG)
        """Where the log goes on, which was seen up to there."""

    def add(self, event: Event) -> None:
        """Note what is asked now."""
        self.take()

    def take(self) -> None:
        """See what was recorded since the last time.

        Inner watchers see it before, as they may take steps out of the log.
        """
        for watch in self.inner():
            watch.take_own()
        self.take_own()

    def inner(self) -> list[Watcher]:
        """Return the watchers inside of this one, the innermost first."""
        watches = WATCHES[::-1]
        return watches[: watches.index(self)] if self in watches else watches

    def take_own(self) -> None:
        """The same, once all inner ones have."""
        recorded = LOG[self._end :]
        self._end = len(LOG)
        if recorded:
            self.see(recorded)

    def see(self, recorded: list[Value]) -> None:
        """See steps that are at the end of the log."""
        raise NotImplementedError

    def for_jax(self, value: Value) -> Any:
        """Return what JAX has in the place of a value that stands for it, else None."""
        return None

    def element_of(self, batch: Value) -> Value:
        """Return what stands for one element of a batch, given all of them."""
        raise NotImplementedError

    def leave(self, value: Value, what: str) -> None:
        """See that a value's elements are handed to what nobody can look into."""

    def go_on(self, at: int | None = None) -> None:
        """Go on at the end of a log that has changed, or, after a flush, with all that is left."""
        self._end = len(LOG) if at is None else at


class Watch(Watcher):
    """What a call does from now on."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Step] = []
        self.events: list[tuple[int, Event]] = []
        """What was asked, with the number of steps before."""
        self._flushed = False
        """Whether another thread has computed what was pending, perhaps before it was seen."""

    def add(self, event: Event) -> None:
        """Note what is asked now."""
        super().add(event)
        self.events.append((len(self.steps), event))

    def see(self, recorded: list[Value]) -> None:
        """Take over what was recorded."""
        for value in recorded:
            within = getattr(value, "within", None)
            fields = value.code, value.shape, value.inputs, value.layouts, value.params
            self.steps.append(Step(value, *fields, within))

    def go_on(self, at: int | None = None) -> None:
        """Go on in a log that a flush, perhaps of another thread, has changed."""
        self._flushed |= self.thread != threading.get_ident()
        super().go_on(at)

    def is_disturbed(self) -> bool:
        """Whether other threads have recorded or computed meanwhile."""
        return self._flushed or bool(machine.strange_steps() != self._strange)


Kind = TypeVar("Kind", bound=Watcher)
WATCHES: list[Watcher] = []
"""Those under way, the innermost last."""


def is_followed() -> bool:
    """Whether a transformation follows what is recorded: an array may stand for others there.

    If so, what the call under way goes on to do is not what it does elsewhere.
    """
    if all(isinstance(watch, Watch) for watch in WATCHES):
        return False
    is_made_once()
    return True


class _Excused:
    reads = 0
    """Reads of elements that watches know of, minus looks at what is computed."""


_excused = _Excused()


_lock = threading.RLock()
"""Held while watches come and go; reentrant for what finalizers and signal handlers call."""


def _announce(*threads: int) -> None:
    """Tell the library how many watches there are, and whose steps are not strange to them."""
    every = {*threads, *(watch.thread for watch in WATCHES)}
    machine.set_learning(len(WATCHES) + len(threads), every.pop() if len(every) == 1 else 0)


class watched(Generic[Kind]):
    """Watch a block by a watcher, which is made for it."""

    __slots__ = ("_make", "_watch")

    def __init__(self, make: Callable[[], Kind]) -> None:
        self._make = make

    def __enter__(self) -> Kind:
        with _lock:
            _announce(threading.get_ident())
            try:
                self._watch = self._make()
            except BaseException:
                _announce()
                raise
            WATCHES.append(self._watch)
        return self._watch

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None:
                self._watch.take()
        finally:
            with _lock:
                WATCHES.remove(self._watch)
                _announce()


def note(event: Event, reads: int = 0) -> None:
    """Tell all watches of an event, which has read elements so often."""
    _excused.reads += reads
    watches = tuple(reversed(WATCHES))
    for watch in watches:
        watch.add(event)
    for watch in watches:
        watch.go_on()


def note_element(value: Value, layout: Layout, code: int, number: Scalar) -> None:
    """Tell all watches of an element that was read once."""
    if type(number) is not complex:
        bits = int.from_bytes(np.asarray(number, DTYPES[code]).tobytes(), "little")
        note(Read(value, layout, code, bits - (bits >> 63 << 64)), 1)


def looks() -> int:
    """Return how often something has looked at elements, or whether they are computed."""
    return int(machine.reads()) - _excused.reads


def is_computed(value: Value) -> bool:
    """Whether a value has its elements. What follows is decided by more than a call's arguments."""
    is_made_once()
    return value.buffer is not None


def is_made_once() -> None:
    """Say that the call under way is not worth to be recorded again, or must not be."""
    _excused.reads -= 1


class _Thread(threading.local):
    samples = 0
    """How many calls are under way that are made as samples."""


_thread = _Thread()


@contextmanager
def sampling() -> Iterator[None]:
    """Say that a call is made to see what it records: its arrays are too large to be computed."""
    _thread.samples += 1
    try:
        yield
    finally:
        _thread.samples -= 1


def is_sampling() -> bool:
    """Whether this thread makes such a call."""
    return _thread.samples > 0
