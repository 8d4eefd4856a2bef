"""General transcripts: of calls of uniform functions, for arrays of any extents.

Such a call is made five times: with its arguments, and with four sets of arrays of other extents
in their places, of which nothing is computed, and other numbers, where these may be any. What
differs between the five must follow from extents and strides, or be such a number. Replays work it
out from their arguments (BUILD in kernels/vm/calls/transcript.mojo).
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.value import LIMIT, LOG

from .._array.broadcasting import in_c_order
from .._array.handle import Handle, header, scalar
from .._array.making import filled, view, wrap
from .extents import Measures
from .writer import (
    BUILD,
    FLOAT,
    INTS,
    ITEMS,
    MOST,
    NEGATIVE,
    NUMBER,
    SEEN,
    SHAPE,
    SIZE,
    Unsuitable,
    Within,
    Writer,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jujunp.lazy.values.types import Shape

SAMPLES = (
    (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61),
    (106, 134, 142, 146, 158, 166, 178, 194, 202, 206, 214, 218, 226, 254, 262, 274),
    (163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241),
    (12, 21, 27, 33, 35, 51, 55, 69, 77, 87, 95, 99, 111, 117, 123, 129),
)
"""Extents to call a function with: odd and even ones, few elements and many."""
_GAPS = ((2, 1), (3, 4), (5, 11), (4, 7))
"""In views with gaps: how far apart elements of a row are, and what is left of a row. Of the first
array: those of the others are larger, so that no stride follows from that of another array."""
_CHOICE = random.Random(0)
_RANGES = ((2, 127), (129, 255), (258, 32767), (32769, 65535), (65539, 99999))
_INTS = [n for limits in _RANGES for n in _CHOICE.sample(range(*limits), 72)]
_FLOATS = [1.3 * n + 0.1 for n in _CHOICE.sample(range(999), 72)]
"""Numbers to call it with, none of which follows from others."""


def stand_ins(leaves: Sequence[Any], loose: Sequence[int], sample: int, ordered: bool) -> list[Any]:
    """Return the leaves of a call with pending arrays of other extents in place of the arrays.

    Equal extents become equal ones; 0 and 1 stay. The loose ones are other numbers. If it is
    ordered, larger extents become larger ones, else those that come later.
    """
    if len(LOG) > LIMIT // 2:
        raise Unsuitable  # they would be computed
    arrays = [leaf for leaf in leaves if isinstance(leaf, Handle)]
    different = dict.fromkeys(n for x in arrays for n in x._shape if n > 1)
    if len(different) > len(SAMPLES[sample]):
        raise Unsuitable
    extents = {0: 0, 1: 1}
    extents |= zip(sorted(different) if ordered else different, SAMPLES[sample], strict=False)
    found: list[Any] = []
    for k, leaf in enumerate(leaves):
        if isinstance(leaf, Handle):
            shape = tuple(extents[n] for n in leaf._shape)
            found.append(_stand_in(leaf, shape, *_gaps(sample, k)))
        else:
            found.append(_other_number(leaf, len(SAMPLES) * k + sample) if k in loose else leaf)
    return found


def _gaps(sample: int, leaf: int) -> tuple[int, int]:
    """Return the gaps of an argument in a sample."""
    step, gap = _GAPS[sample]
    more = 2 * leaf * (sample + 1)
    return step + more, gap + more


def _other_number(x: float, choice: int) -> float:
    """Return another number that a function treats alike."""
    among = _INTS if type(x) is int else _FLOATS
    kind = machine.class_of(x)
    alike = [one for one in among if one != x and machine.class_of(one) == kind]
    if choice >= len(alike):
        raise Unsuitable
    return alike[choice]


def _stand_in(x: Handle, shape: Shape, step: int, gap: int) -> Handle:
    """Return an array of a shape that lies in its memory as another one does."""
    if isinstance(x, scalar):
        return wrap(filled((), 0, x._code)._value, (), x._code)  # type: ignore[arg-type, no-any-return]
    seen = x._layout
    if seen is None:
        return filled(shape, 0, x._code)
    if not shape:
        return filled((2,), 0, x._code)[1, ...]  # type: ignore[no-any-return]
    if not in_c_order(seen):
        if _is_whole(x):
            turned: Handle = filled(shape[::-1], 0, x._code)
            return view(turned, header(turned).T)
        turned = _seen_alike(seen.T, x._code, shape[::-1], step, gap)
        return view(turned, header(turned).T)
    return _seen_alike(seen, x._code, shape, step, gap)


def _is_whole(x: Handle) -> bool:
    """Whether an array is its base with all axes in reverse."""
    base = x._base
    alike = base is not None and base._code == x._code and base._shape == x._shape[::-1]
    return alike and header(x).flags.f_contiguous


def _seen_alike(seen: np.ndarray, code: int, shape: Shape, step: int, gap: int) -> Handle:
    """Return a view of a shape that lies as a layout in C order does."""
    *rows, last = shape
    within = (slice(1, None), *(slice(None) for _ in shape[1:]))
    if seen.flags.c_contiguous:
        return filled((shape[0] + 1, *shape[1:]), 0, code)[within]  # type: ignore[no-any-return]
    if rows and _is_even(seen):
        owner = filled((rows[0] + 1, *rows[1:], last * step), 0, code)
        return owner[(*within[:-1], slice(None, None, step))]  # type: ignore[no-any-return]
    if seen.strides[-1] == seen.itemsize:
        step = 1
    owner = filled((*(n + 1 for n in rows), last * step + gap), 0, code)
    return owner[(*(slice(1, None) for _ in rows), slice(gap, None, step))]  # type: ignore[no-any-return]


def _is_even(seen: np.ndarray) -> bool:
    """Whether all elements of a layout in C order are equally far apart."""
    step = seen.strides[-1]
    for n, stride in zip(seen.shape[::-1], seen.strides[::-1], strict=True):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


def replaced(argument: Any, stand_ins: Iterator[Handle]) -> Any:
    """Return an argument with the next of these in place of each handle in it."""
    if isinstance(argument, Handle):
        return next(stand_ins)
    if type(argument) in (tuple, list):
        return type(argument)(replaced(one, stand_ins) for one in argument)
    return argument


def is_aliased(leaves: Sequence[Any]) -> bool:
    """Whether any two arrays among leaves have a value in common."""
    owners = [x if x._base is None else x._base for x in leaves if isinstance(x, Handle)]
    return len({id(owner._value) for owner in owners}) < len(owners)


class General:
    """The general words of calls that differ in the extents of arrays, and in loose numbers."""

    def __init__(self, calls: Sequence[tuple[Writer, Sequence[Any]]], loose: Sequence[int]) -> None:
        self._measures = Measures([leaves for _, leaves in calls], loose)
        self._built: dict[tuple[int, ...], int] = {}
        """The numbers of what is built, by the words that say how, from 1 on."""
        writers = [writer for writer, _ in calls]
        self._kept = writers[0].kept
        texts = [writer.parts[0] for writer in writers]
        if len(writers[0].parts) > 1 or len({len(words) for words in texts}) > 1:
            raise Unsuitable
        known = [{id(one): one for one in writer.kept} for writer in writers]
        words = []
        for several in zip(*texts, strict=True):
            if all(word in objects for word, objects in zip(several, known, strict=True)):
                found = [objects[word] for word, objects in zip(several, known, strict=True)]
                words.append(self._object(found))
            elif len(set(several)) > 1:
                raise Unsuitable
            else:
                words.append(several[0])
        if len(self._built) > MOST:
            raise Unsuitable
        self.words = [word for built in self._built for word in (BUILD, *built)] + words

    def _object(self, found: Sequence[Any]) -> int:
        """Return the word for an object, which may be another one in each call."""
        kinds = {type(one) for one in found}
        if len(kinds) > 1:
            raise Unsuitable
        kind = kinds.pop()
        if kind is not Within and len({text_of(one) for one in found}) == 1:
            return id(found[0])
        if kind is tuple and len({len(one) for one in found}) == 1:
            return self._number(self._tuple(found))
        if kind in (int, float):
            return self._number(self._of_number(found))
        if kind is np.ndarray:
            return self._number(self._layout(-1, found, [layouts.offset(one) for one in found]))
        if kind is Within and len({one.leaf for one in found}) == 1:
            seen, offsets = [one.layout for one in found], [one.offset for one in found]
            return self._number(self._layout(found[0].leaf, seen, offsets))
        raise Unsuitable

    def _number(self, built: tuple[int, ...]) -> int:
        return self._built.setdefault(built, len(self._built) + 1)

    def _of_number(self, found: Sequence[Any]) -> tuple[int, ...]:
        is_float = int(type(found[0]) is float)
        place = self._measures.loose_of(found)
        if place is not None:
            return NUMBER, is_float, place[0]
        if is_float and not all(one.is_integer() for one in found):
            raise Unsuitable
        kind = FLOAT * is_float | NEGATIVE * (found[-1] < 0)
        return SIZE, kind, *self._measures.form([int(one) for one in found])

    def _tuple(self, found: Sequence[tuple[Any, ...]]) -> tuple[int, ...]:
        for leaf, shapes in self._measures.shapes.items():
            if list(found) == shapes:
                return SHAPE, leaf
        if {type(part) for one in found for part in one} == {int}:
            return INTS, len(found[0]), *self._forms(found)
        return ITEMS, len(found[0]), *(self._object(parts) for parts in zip(*found, strict=True))

    def _layout(
        self, leaf: int, found: Sequence[np.ndarray], offsets: Sequence[int]
    ) -> tuple[int, ...]:
        """Return how layouts follow from that of a leaf, or from the begin of the memory for -1."""
        rank, dtype = found[0].ndim, found[0].dtype
        if any(one.ndim != rank or one.dtype is not dtype for one in found):
            raise Unsuitable
        shapes = self._forms([one.shape for one in found])
        strides = self._forms([one.strides for one in found], strided=True)
        start = self._measures.form(offsets, strided=True)
        self._kept.append(dtype)
        return SEEN, leaf, rank, id(dtype), *start, *shapes, *strides

    def _forms(self, found: Sequence[tuple[int, ...]], strided: bool = False) -> list[int]:
        return [
            word
            for numbers in zip(*found, strict=True)
            for word in self._measures.form(cast("tuple[int, ...]", numbers), strided)
        ]
