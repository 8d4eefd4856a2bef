"""Numbers of a call in terms of the extents and strides of its arrays.

What a uniform function records has numbers that follow from its arguments: extents of results,
offsets and strides of views. Each is found from several calls as a sum of products, which a replay
works out (a form in kernels/vm/calls/transcript.mojo).
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

from .._array.handle import Handle
from .writer import FIRST_STRIDE, ITSELF, Unsuitable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Place = tuple[int, int]
"""A leaf, and which number of it: an axis, `ITSELF`, `stride_of(axis)`."""
Terms = tuple[tuple[Place, ...], ...]
"""A sum of products."""
Form = tuple[int, ...]
"""A constant; how many terms; of each: coefficient, how many factors, their places."""

_LARGEST_RANK = 4
"""Products are of some axes of an array with so many, at most."""


def stride_of(axis: int) -> int:
    """Return what stands for the stride of an axis; of that, the axis."""
    return FIRST_STRIDE - axis


class Measures:
    """The numbers by which some calls differ, by their places: one of each call."""

    def __init__(self, calls: Sequence[Sequence[Any]], loose: Sequence[int]) -> None:
        self._calls = len(calls)
        self.loose = {(k, ITSELF): tuple(leaves[k] for leaves in calls) for k in loose}
        self.shapes: dict[int, list[tuple[int, ...]]] = {}
        self.extents = {
            place: found for place, found in self.loose.items() if type(found[0]) is int
        }
        """Those of which shapes are made: extents of arrays, and integers among the numbers."""
        self.strides: dict[Place, tuple[int, ...]] = {}
        for k, several in enumerate(zip(*calls, strict=True)):
            if not isinstance(several[0], Handle):
                continue
            self.shapes[k] = [x._shape for x in several]
            for axis, extents in enumerate(zip(*self.shapes[k], strict=True)):
                if len(set(extents)) > 1:
                    self.extents[k, axis] = extents
            if several[0]._layout is not None:
                found = zip(*(x._layout.strides for x in several), strict=True)
                self.strides |= {(k, stride_of(axis)): one for axis, one in enumerate(found)}

    def form(self, found: Sequence[int], strided: bool = False) -> Form:
        """Return how a number follows from the arguments, given that of each call.

        Strides and offsets are looked for among multiples of strides first.
        """
        if len(set(found)) == 1:
            return found[0], 0
        moving = self._moving_strides if strided else {}
        if tuple(found) in moving:
            return 0, 1, 1, 1, *moving[tuple(found)]
        for strides, place in (*moving.items(), (None, None)):
            quotients = _quotients(found, strides)
            if quotients is None:
                continue
            for terms, sizes in self._sizes:
                line = _line(quotients, sizes)
                if line is not None:
                    return _scaled(*line, terms, place)
        for place, strides in self._lonely.items() if strided else ():
            if tuple(found) == strides:
                return 0, 1, 1, 1, *place
        return self._of_two(found)

    def _of_two(self, found: Sequence[int]) -> Form:
        """Return how a number follows from two extents."""
        for (one, p), (other, q) in itertools.combinations(self.extents.items(), 2):
            plane = _plane(found, p, q)
            if plane is not None:
                start, by_one, by_other = plane
                return start, 2, by_one, 1, *one, by_other, 1, *other
        raise Unsuitable

    def loose_of(self, found: Sequence[float]) -> Place | None:
        """Return the place of the loose number that numbers are, if any."""
        for place, given in self.loose.items():
            if list(found) == list(given) and type(found[0]) in (float, type(given[0])):
                return place
        return None

    @functools.cached_property
    def _moving_strides(self) -> dict[tuple[int, ...], Place]:
        """The places of strides that differ from call to call, along axes of several elements."""
        return {
            found: place
            for place, found in self.strides.items()
            if len(set(found)) > 1 and place not in self._lonely
        }

    @functools.cached_property
    def _lonely(self) -> dict[Place, tuple[int, ...]]:
        """Strides along axes of one element, which may be any."""
        return {
            (leaf, stride): found
            for (leaf, stride), found in self.strides.items()
            if self.shapes[leaf][0][stride_of(stride)] == 1
        }

    @functools.cached_property
    def _sizes(self) -> list[tuple[Terms, tuple[int, ...]]]:
        """Sums of products of extents, with what they are; the simplest first.

        The first is nothing: a number is a multiple of a stride then.
        """
        found: list[tuple[Terms, tuple[int, ...]]] = [((), (0,) * self._calls)]
        found += [((places,), self._product(places)) for places in self._products()]
        for places in self._columns():
            extents = zip(*(self.extents[one] for one in places), strict=True)
            found.append((tuple((one,) for one in places), tuple(map(sum, extents))))
        return found

    def _products(self) -> Iterator[tuple[Place, ...]]:
        """Yield the places of one extent, of several of an array, or of two."""
        for place in self.extents:
            yield (place,)
        for k in self.shapes:
            of_array = [place for place in self.extents if place[0] == k]
            if len(of_array) <= _LARGEST_RANK:
                for count in range(2, len(of_array) + 1):
                    yield from itertools.combinations(of_array, count)
        for one, other in itertools.combinations(self.extents, 2):
            if one[0] != other[0]:
                yield one, other

    def _columns(self) -> Iterator[tuple[Place, ...]]:
        """Yield the places of the extents of all arrays along an axis."""
        for axis in sorted({axis for _, axis in self.extents if axis >= 0}):
            places = tuple(place for place in self.extents if place[1] == axis)
            if len(places) > 2:
                yield places

    def _product(self, places: Sequence[Place]) -> tuple[int, ...]:
        several = zip(*(self.extents[place] for place in places), strict=True)
        return tuple(map(math.prod, several))


def _quotients(found: Sequence[int], strides: Sequence[int] | None) -> Sequence[int] | None:
    """Return numbers over strides, if these divide them."""
    if strides is None:
        return found
    if 0 in strides or any(n % stride for n, stride in zip(found, strides, strict=True)):
        return None
    return [n // stride for n, stride in zip(found, strides, strict=True)]


def _line(found: Sequence[int], sizes: Sequence[int]) -> tuple[int, int] | None:
    """Return the integers a and b for which numbers are a + b * sizes, if there are."""
    other = next((k for k, size in enumerate(sizes) if size != sizes[0]), 0)
    slope, rest = divmod(found[other] - found[0], sizes[other] - sizes[0] or 1)
    start = found[0] - slope * sizes[0]
    pairs = zip(found, sizes, strict=True)
    holds = rest == 0 and all(one == start + slope * size for one, size in pairs)
    return (start, slope) if holds else None


def _plane(found: Sequence[int], p: Sequence[int], q: Sequence[int]) -> tuple[int, ...] | None:
    """Return the integers a, b and c for which numbers are a + b * p + c * q, if there are.

    The last three calls, which differ, say what they must be.
    """
    (n0, n1, n2), (p0, p1, p2), (q0, q1, q2) = (one[-3:] for one in (found, p, q))
    scale = (p1 - p0) * (q2 - q0) - (p2 - p0) * (q1 - q0)
    if scale == 0:
        return None
    b, rest = divmod((n1 - n0) * (q2 - q0) - (n2 - n0) * (q1 - q0), scale)
    c, more = divmod((p1 - p0) * (n2 - n0) - (p2 - p0) * (n1 - n0), scale)
    a = n0 - b * p0 - c * q0
    numbers = zip(found, p, q, strict=True)
    holds = rest == more == 0 and all(n == a + b * x + c * y for n, x, y in numbers)
    return (a, b, c) if holds else None


def _scaled(start: int, slope: int, terms: Sequence[Sequence[Place]], by: Place | None) -> Form:
    """Return the form of start + slope * terms, times a stride."""
    products = [(slope, tuple(places)) for places in terms]
    if by is not None:
        products = [(slope, (*places, by)) for slope, places in [*products, (start, ())]]
        start = 0
    products = [one for one in products if one[0]]
    words = (
        (slope, len(places), *itertools.chain.from_iterable(places)) for slope, places in products
    )
    return start, len(products), *itertools.chain.from_iterable(words)
