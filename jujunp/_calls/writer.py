"""The writer of transcripts: what was recorded, as words (kernels/vm/calls/transcript.mojo)."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.kernels.facts import TRANSCRIPT, numbers
from jujunp.lazy.run import machine, transfer
from jujunp.lazy.run.watching import Check, Flush, Read
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import DTYPES
from jujunp.lazy.values.value import Value, dtype_code

from .._array.handle import NATIVE, Handle, header, value_of
from .._array.steps import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jujunp.lazy.run.watching import Event, Step, Watch

_WORDS = numbers(TRANSCRIPT)
OBJECT, LEAF, VALUE, STEP, LAYOUT = (
    _WORDS[name] for name in ("OBJECT", "LEAF", "VALUE", "STEP", "LAYOUT")
)
MADE, OWNER, HANDLE, TUPLE, LIST, NAMED_TUPLE = (
    _WORDS[name] for name in ("MADE", "OWNER", "HANDLE", "TUPLE", "LIST", "NAMED_TUPLE")
)
"""What a reference refers to, and what a result is."""
CHECK, MAKE, RECORD, FLUSH, READ, FINISH, BUILD = (
    _WORDS[name] for name in ("CHECK", "MAKE", "RECORD", "FLUSH", "READ", "FINISH", "BUILD")
)
"""The instructions."""
SHAPE, INTS, SIZE, NUMBER, ITEMS, SEEN = (
    _WORDS[name] for name in ("SHAPE", "INTS", "SIZE", "NUMBER", "ITEMS", "SEEN")
)
"""What is built."""
ITSELF, FIRST_STRIDE = _WORDS["ITSELF"], _WORDS["FIRST_STRIDE"]
"""What a form takes of a leaf, besides extents."""
FLOAT, NEGATIVE = _WORDS["FLOAT"], _WORDS["NEGATIVE"]
"""What an integer is built as."""
MOST = _WORDS["MAX_MADE"]
_LARGEST_CONSTANT = 1 << 12
"""Bytes of a constant array that a transcript may keep."""
_CONSTANT_RESULTS = frozenset((type(None), bool, int, float, str))
_WRITES = frozenset(machine.OPCODES[name] for name in (*machine.WRITES, "require"))

Reference = tuple[int, int]


class Unsuitable(Exception):
    """A call that has no transcript."""


class Within(NamedTuple):
    """A layout of the memory of an argument, of which a general transcript makes another one."""

    leaf: int
    layout: np.ndarray
    offset: int
    """The bytes from where the argument begins."""


class Before:
    """How things were before a call: its arrays and their values."""

    def __init__(self, leaves: Sequence[Any]) -> None:
        self.handles = {k: leaf for k, leaf in enumerate(leaves) if isinstance(leaf, Handle)}
        self.owners = {k: x if x._base is None else x._base for k, x in self.handles.items()}
        self.values = {k: owner._value for k, owner in self.owners.items()}


class Writer:
    """Writes the words of a transcript.

    Those of a general one have no headers of arrays.
    """

    def __init__(self, before: Before, watch: Watch, general: bool = False) -> None:
        self.before = before
        self.watch = watch
        self.general = general
        self.parts: list[list[int]] = [[]]
        """The words, which go on in another list when an element was read."""
        self.elements: list[int] = []
        """The bits of these elements."""
        self.kept: list[Any] = []
        self.steps: dict[int, Step] = {}
        """The steps that are needed, by the identity of their values."""
        self.places: dict[int, int] = {}
        """The numbers of those that are written."""
        self.layouts = 0
        self.handles: list[list[int]] = []
        self.known: dict[int, int] = {}
        """The places of handles, by their identity."""

    def write(self, result: Any) -> None:
        """Write all words, given the result of the call."""
        wanted = [value_of(x) for x in _handles_in(result)]
        wanted += [owner._value for owner in self.before.owners.values()]  # type: ignore[misc]
        wanted += [event.value for _, event in self.watch.events if not isinstance(event, Flush)]
        # what another element is followed by may need any step before it, as a number of its own
        reads = [place for place, event in self.watch.events if isinstance(event, Read)]
        wanted += [step.value for step in self.watch.steps[: max(reads, default=0)]]
        self.steps = _needed(self.watch.steps, wanted)
        events = iter(self.watch.events)
        due = next(events, None)
        for k, step in enumerate(self.watch.steps):
            while due is not None and due[0] <= k:
                self._event(due[1])
                due = next(events, None)
            if id(step.value) in self.steps:
                self._step(step)
        while due is not None:
            self._event(due[1])
            due = next(events, None)
        self._finish(result)
        if max(len(self.places), self.layouts, len(self.handles)) > MOST:
            raise Unsuitable

    def fingerprints(self) -> list[int]:
        """Return a number for each part: equal parts of two calls have the same.

        What follows a part counts on its steps and layouts. So another call may only go on behind
        one that is the same.
        """
        if not self.elements:
            return [0]
        return [_fingerprint(said(part, self.kept)) for part in self.parts]

    def _add(self, *words: int) -> None:
        self.parts[-1] += words

    def _finish(self, result: Any) -> None:
        answer = self._result(result)
        rebound = self._rebound()
        if self.general and rebound:
            raise Unsuitable
        if not (self.handles or rebound or self.elements or answer[0] in (LEAF, OWNER)):
            raise Unsuitable
        self._add(FINISH, *_counted(rebound), *_counted(self.handles), *answer)

    def _object(self, kept: Any) -> int:
        """Return the address of an object, which is kept."""
        self.kept.append(kept)
        return id(kept)

    # -- references

    def _value(self, value: Any) -> Reference:
        """Return a reference to a value or number that a step reads."""
        if not isinstance(value, Value):
            return OBJECT, self._object(value)
        place = self.places.get(id(value))
        if place is not None:
            return STEP, place
        for k, known in self.before.values.items():
            if known is value:
                return VALUE, k
        return OBJECT, self._object(self._constant(value))

    def _constant(self, value: Value) -> Value:
        """Return a value that no argument has: it must be a small constant."""
        if type(value.buffer) is not machine.Buffer:
            raise Unsuitable
        if math.prod(value.shape) * DTYPES[dtype_code(value)].itemsize > _LARGEST_CONSTANT:
            raise Unsuitable
        return value

    def _root(self, value: Any) -> Any:
        """Return the value whose memory a value has: that of what it was written to."""
        while (step := self.steps.get(id(value))) is not None and step.code & 0xFFFF in _WRITES:
            value = step.inputs[0]
        return value

    def _layout(self, layout: Any, value: Any) -> Reference:
        """Return a reference to a layout, through which a value is read."""
        if layout is None:
            return OBJECT, self._object(None)
        if type(layout) is not np.ndarray:
            raise Unsuitable
        value = self._root(value)
        owners = {
            id(owner): owner
            for k, owner in self.before.owners.items()
            if self.before.values[k] is value
        }
        return self._layout_of(layout, list(owners.values()))

    def _layout_of(self, layout: np.ndarray, owners: list[Handle]) -> Reference:
        """Return a reference to a layout of the memory of an owner, if it is that of one."""
        views = [
            k
            for k, owner in self.before.owners.items()
            if any(owner is one for one in owners) and self.before.handles[k]._layout is not None
        ]
        for k in views:
            if self.before.handles[k]._layout is layout:
                return LAYOUT, k
        if not views:
            return OBJECT, self._object(layout)
        if len(owners) > 1:
            raise Unsuitable
        first = next(k for k, owner in self.before.owners.items() if owner is owners[0])
        seen = self.before.handles[first]._layout
        start = 0 if seen is None else layouts.offset(seen)
        delta = layouts.offset(layout) - start
        if self.general:
            return OBJECT, self._object(Within(first, layout, delta))
        words = [first, delta, layout.ndim, self._object(layout.dtype)]
        self._add(MAKE, *words, *layout.shape, *layout.strides)
        self.layouts += 1
        return MADE, self.layouts - 1

    # -- parts

    def _event(self, event: Event) -> None:
        if isinstance(event, Flush):
            self._add(FLUSH)
            return
        seen = self._value(event.value)
        layout = self._layout(event.layout, event.value)
        if isinstance(event, Check):
            limits = self._object(event.low), self._object(event.high)
            self._add(CHECK, *seen, *layout, event.code, *limits)
        else:
            self._add(READ, *seen, *layout, event.code)
            self.elements.append(event.bits)
            self.parts.append([])

    def _step(self, step: Step) -> None:
        inputs = [self._value(operand) for operand in step.inputs]
        seen = step.layouts or ()
        read = [self._layout(a, b) for a, b in zip(seen, step.inputs, strict=bool(seen))]
        self._add(
            RECORD,
            self._object(step.code),
            self._object(step.shape),
            self._object(step.params),
            0 if step.within is None else self._object(step.within),
            *self._several(inputs, step.inputs),
            *self._several(read, step.layouts),
        )
        self.places[id(step.value)] = len(self.places)

    def _several(self, references: list[Reference], found: Any) -> list[int]:
        """Return references to the items of a tuple; to the tuple itself if it never changes.

        One that has values is made anew: the planner counts who refers to a value. So is one with
        numbers that may be others, or layouts.
        """
        changing = (Value, int, float, np.ndarray) if self.general else Value
        if all(kind == OBJECT for kind, _ in references) and not any(
            isinstance(one, changing) for one in found or ()
        ):
            return [self._object(found)]
        return [0, len(references), *(word for reference in references for word in reference)]

    def _rebound(self) -> list[list[int]]:
        found = []
        seen = set()
        for k, owner in self.before.owners.items():
            now: Any = owner._value
            if now is not self.before.values[k] and id(owner) not in seen:
                seen.add(id(owner))
                value = self._value(now)
                if value[0] == OBJECT:
                    raise Unsuitable
                found.append([k, *value])
        return found

    def _handle(self, x: Handle) -> Reference:
        """Return a reference to a handle: an argument, or one that is made."""
        for k, leaf in self.before.handles.items():
            if leaf is x:
                return LEAF, k
        for k, one in self.before.owners.items():
            if one is x:
                return OWNER, k
        if id(x) in self.known:
            return HANDLE, self.known[id(x)]
        if type(x) not in NATIVE or x._key is not None:
            raise Unsuitable
        base = x._base
        if base is None:
            value, owner = self._value(x._value), (OBJECT, self._object(None))
            layout = (OBJECT, self._object(None))
            if x._layout is not None:
                raise Unsuitable
        else:
            value, owner = (OBJECT, self._object(None)), self._handle(base)
            owners = [base] if owner[0] in (LEAF, OWNER) else []
            if type(x._layout) is not np.ndarray:
                raise Unsuitable
            layout = self._layout_of(x._layout, owners)
        seen = self._object(header(x)) if base is None and not self.general else 0
        words = [self._object(type(x)), *value, *owner, *layout]
        words += [self._object(x._shape), self._object(x._code), self._object(x._readonly), seen]
        self.handles.append(words)
        self.known[id(x)] = len(self.handles) - 1
        return HANDLE, len(self.handles) - 1

    def _result(self, result: Any) -> list[int]:
        if isinstance(result, Handle):
            return list(self._handle(result))
        if type(result) in _CONSTANT_RESULTS:
            return [OBJECT, self._object(result)]
        if _is_named(result):
            return [NAMED_TUPLE, self._object(type(result)), *self._result(tuple(result))]
        if type(result) in (tuple, list):
            parts = [word for part in result for word in self._result(part)]
            return [TUPLE if type(result) is tuple else LIST, len(result), *parts]
        raise Unsuitable


def _fingerprint(part: Sequence[int | str]) -> int:
    """Return a number that another process finds for the same part, too."""
    return int.from_bytes(hashlib.blake2b(repr(part).encode(), digest_size=7).digest())


def said(words: Sequence[int], kept: Sequence[Any]) -> list[int | str]:
    """Return words with a text in place of each address of what they refer to."""
    objects = {id(one): one for one in kept}
    return [text_of(objects[word]) if word in objects else word for word in words]


def text_of(kept: Any) -> str:
    """Return what tells a thing in a transcript from others."""
    if isinstance(kept, Within):
        return f"{kept.leaf} {kept.offset} {kept.layout.shape} {kept.layout.strides}"
    if type(kept) is np.ndarray:
        return f"{layouts.offset(kept)} {kept.shape} {kept.strides} {kept.dtype}"
    if isinstance(kept, Value):
        elements = transfer.export(kept, dtype_code(kept))
        return f"{kept.shape} {elements.dtype} {elements.tobytes().hex()}"
    if type(kept) is tuple:
        return f"({', '.join(map(text_of, kept))})"
    return repr(kept)


def _handles_in(result: Any) -> Iterator[Handle]:
    """Yield the handles of a result."""
    if isinstance(result, Handle):
        yield result
    elif type(result) in (tuple, list) or _is_named(result):
        for part in result:
            yield from _handles_in(part)


def _is_named(result: Any) -> bool:
    """Whether a result is a tuple of a class that `collections.namedtuple` has made."""
    return isinstance(result, tuple) and hasattr(type(result), "_fields")


def _needed(steps: Sequence[Step], wanted: Sequence[Value]) -> dict[int, Step]:
    """Return the steps that some values need; all results of a kernel, if one."""
    found = {id(value) for value in wanted}
    for step in reversed(steps):
        if id(step.value) in found:
            found.update(id(operand) for operand in step.inputs)
    for step in steps:
        if step.code & 0xFFFF == PROJECT and id(step.inputs[0]) in found:
            found.add(id(step.value))
    return {id(step.value): step for step in steps if id(step.value) in found}


def _counted(part: Sequence[Sequence[int]]) -> list[int]:
    """Return the words of a list, its length in front."""
    return [len(part), *(word for one in part for word in one)]
