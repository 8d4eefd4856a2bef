"""General transcripts: of calls of uniform functions, for arrays of any extents.

Such a call is made three times: with its arguments, and with two sets of arrays of other extents
in their places, of which nothing is computed, and other numbers, where these may be any. What
differs between the three must be extents in a shape or a parameter, a number of elements, or such a
number. Replays find these in their arguments (BUILD in kernels/vm/calls/transcript.mojo).
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from jujunp.lazy.run import machine
from jujunp.lazy.values.value import LIMIT, LOG

from .._array.handle import Handle, scalar
from .._array.making import filled, wrap
from .writer import BUILD, INTS, MOST, NUMBER, SHAPE, SIZE, Unsuitable, Writer, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jujunp.lazy.values.types import Shape

_SAMPLES = (
    (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61),
    (67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139),
)
"""Extents to call a function with."""
_INTS = tuple(start + 7 * k for start in (3, 129, 258, 32769, 65539) for k in range(17))
_FLOATS = tuple(0.1 + 1.3 * k for k in range(17))
"""Numbers to call it with."""
_LARGEST_RANK = 4
"""Numbers of elements are those of some axes of an array with so many, at most."""


def stand_ins(leaves: Sequence[Any], loose: Sequence[int], sample: int) -> list[Any]:
    """Return the leaves of a call with pending arrays of other extents in place of the arrays.

    Equal extents become equal ones; 0 and 1 stay. The loose ones are other numbers.
    """
    if len(LOG) > LIMIT // 2:
        raise Unsuitable  # they would be computed
    extents = {n: n for n in (0, 1)}
    unused = iter(_SAMPLES[sample])
    found = []
    for k, leaf in enumerate(leaves):
        if not isinstance(leaf, Handle):
            found.append(_other_number(leaf, 2 * k + sample) if k in loose else leaf)
            continue
        for n in leaf._shape:
            if n not in extents:
                extents[n] = next(unused, 0)
        found.append(_stand_in(leaf, tuple(extents[n] for n in leaf._shape)))
    if 0 in list(extents.values())[2:]:
        raise Unsuitable
    return found


def _other_number(x: float, choice: int) -> float:
    """Return another number that a function treats alike."""
    among = _INTS if type(x) is int else _FLOATS
    kind = machine.class_of(x)
    alike = [one for one in among if one != x and machine.class_of(one) == kind]
    if choice >= len(alike):
        raise Unsuitable
    return alike[choice]


def _stand_in(x: Handle, shape: Shape) -> Handle:
    if isinstance(x, scalar):
        return wrap(filled((), 0, x._code)._value, (), x._code)  # type: ignore[arg-type, no-any-return]
    if x._layout is None:
        return filled(shape, 0, x._code)
    if not shape:
        return filled((2,), 0, x._code)[1, ...]  # type: ignore[no-any-return]
    owner = filled(tuple(n + 1 for n in shape), 0, x._code)
    return owner[(slice(1, None),) * len(shape)]  # type: ignore[no-any-return]


def replaced(argument: Any, stand_ins: Iterator[Handle]) -> Any:
    """Return an argument with the next of these in place of each handle in it."""
    if isinstance(argument, Handle):
        return next(stand_ins)
    if type(argument) in (tuple, list):
        return type(argument)(replaced(one, stand_ins) for one in argument)
    return argument


def shapes_of(leaves: Sequence[Any]) -> dict[int, Shape]:
    """Return the shapes of the arrays among leaves, by their numbers."""
    return {k: x._shape for k, x in enumerate(leaves) if isinstance(x, Handle)}


def is_aliased(leaves: Sequence[Any]) -> bool:
    """Whether any two arrays among leaves have a value in common."""
    owners = [x if x._base is None else x._base for x in leaves if isinstance(x, Handle)]
    return len({id(owner._value) for owner in owners}) < len(owners)


class General:
    """The general words of calls that differ in the extents of arrays, and in loose numbers."""

    def __init__(self, calls: Sequence[tuple[Writer, Sequence[Any]]], loose: Sequence[int]) -> None:
        self._shapes = [shapes_of(leaves) for _, leaves in calls]
        self._numbers = [{k: leaves[k] for k in loose} for _, leaves in calls]
        self._built: dict[tuple[int, ...], int] = {}
        """The numbers of what is built, by the words that say how, from 1 on."""
        writers = [writer for writer, _ in calls]
        texts = [writer.parts[0] for writer in writers]
        if len(writers[0].parts) > 1 or len({len(words) for words in texts}) > 1:
            raise Unsuitable
        known = [{id(one): one for one in writer.kept} for writer in writers]
        words = []
        for several in zip(*texts, strict=True):
            if all(word in objects for word, objects in zip(several, known, strict=True)):
                found = [objects[word] for word, objects in zip(several, known, strict=True)]
                words.append(self._object(several[0], found))
            elif len(set(several)) > 1:
                raise Unsuitable
            else:
                words.append(several[0])
        if len(self._built) > MOST:
            raise Unsuitable
        self.words = [word for built in self._built for word in (BUILD, *built)] + words

    def _object(self, word: int, found: Sequence[Any]) -> int:
        """Return the word for an object, which may be another one in each call."""
        if len({text_of(one) for one in found}) == 1:
            return word
        kinds = {type(one) for one in found}
        if kinds == {tuple} and len({len(one) for one in found}) == 1:
            if {type(part) for one in found for part in one} != {int}:
                raise Unsuitable
            return self._number(self._tuple(found))
        if kinds <= {int, float} and len(kinds) == 1:
            return self._number(self._of_number(found) or self._size(found))
        raise Unsuitable

    def _of_number(self, found: Sequence[Any]) -> tuple[int, ...] | None:
        """Return the loose number that numbers are, if any."""
        for leaf in self._numbers[0]:
            given = [numbers[leaf] for numbers in self._numbers]
            if list(found) == given and type(found[0]) in (float, type(given[0])):
                return NUMBER, int(type(found[0]) is float), leaf
        return None

    def _number(self, built: tuple[int, ...]) -> int:
        return self._built.setdefault(built, len(self._built) + 1)

    def _tuple(self, found: Sequence[tuple[Any, ...]]) -> tuple[int, ...]:
        for leaf in self._shapes[0]:
            if all(one == shapes[leaf] for one, shapes in zip(found, self._shapes, strict=True)):
                return SHAPE, leaf
        pairs = [self._extent(numbers) for numbers in zip(*found, strict=True)]
        return INTS, len(pairs), *(word for pair in pairs for word in pair)

    def _extent(self, numbers: Sequence[Any]) -> tuple[int, int]:
        """Return the leaf and axis whose extent a number is; -1 and itself if it never changes.

        The axis of a loose number is -1.
        """
        if len(set(numbers)) == 1:
            return -1, numbers[0]
        for leaf in self._numbers[0]:
            if list(numbers) == [given[leaf] for given in self._numbers]:
                return leaf, -1
        for leaf, shape in self._shapes[0].items():
            for axis in range(len(shape)):
                if self._is_product(numbers, leaf, (axis,)):
                    return leaf, axis
        raise Unsuitable

    def _is_product(self, numbers: Sequence[Any], leaf: int, axes: Sequence[int]) -> bool:
        return all(
            number == math.prod(shapes[leaf][axis] for axis in axes)
            for number, shapes in zip(numbers, self._shapes, strict=True)
        )

    def _size(self, numbers: Sequence[Any]) -> tuple[int, ...]:
        """Return the axes of a leaf whose extents, multiplied, are a number."""
        is_float = int(type(numbers[0]) is float)
        for leaf, shape in self._shapes[0].items():
            axes = range(len(shape))
            counts = axes if len(shape) <= _LARGEST_RANK else ()
            for some in itertools.chain(
                (axes,), *(itertools.combinations(axes, count) for count in counts)
            ):
                if self._is_product(numbers, leaf, some):
                    return SIZE, is_float, leaf, len(some), *some
        raise Unsuitable
