"""Stable sorting of 64-bit words, alone or each with a 32-bit companion."""
from std.bit import bit_width, count_trailing_zeros
from std.math import ceildiv, iota
from std.memory import stack_allocation
from std.sys import simd_width_of

from structured.operands.operand import load, store
from structured.search.quick import (
    HAS_QUICKSORT,
    NETWORK,
    Places,
    quicksort,
)

comptime _RUN = 16
"""Elements that are sorted by counting those before each; longer rows start from such runs."""
comptime _SHORT = 64
"""Rows up to this long are compared, whatever their words."""
comptime _DIGIT = 11
"""Most bits of a digit: its counts should stay in the first cache."""
# Costs, in quarter nanoseconds as measured: of a digit for each value it can take and for each
# element, of one level of merging for each element, of a network for each element, and of one level
# of partitions.
comptime _COST_VALUE = 2
comptime _COST_MOVE = 5
comptime _COST_MERGE = 8
comptime _COST_NETWORK = 12
comptime _COST_PARTITION = 2


struct Sortable(TrivialRegisterPassable):
    """Words to be sorted, their companions, and room for as many of both, by address.

    Sorting may leave the result in the room: `words` and `companions` then point there. Up to
    `_RUN` words after the words may be read.
    """

    var words: Int
    var spare_words: Int
    var companions: Int
    """32-bit companions that move with the words, 0 where there are none."""
    var spare_companions: Int
    var count: Int

    def __init__(
        out self,
        words: Int,
        spare_words: Int,
        companions: Int,
        spare_companions: Int,
        count: Int,
    ):
        self.words = words
        self.spare_words = spare_words
        self.companions = companions
        self.spare_companions = spare_companions
        self.count = count

    @always_inline
    def flip(mut self):
        """Makes the spare areas the current ones."""
        self.words, self.spare_words = self.spare_words, self.words
        self.companions, self.spare_companions = (
            self.spare_companions,
            self.companions,
        )

    def leave_companions(mut self):
        """Makes the words be sorted alone."""
        self.companions = 0
        self.spare_companions = 0

    @always_inline
    def word(self, i: Int) -> UInt64:
        """Word number i."""
        return load[DType.uint64](self.words + i * 8)

    @always_inline
    def move[paired: Bool](self, place: Int, i: Int):
        """Copies element i to a place in the spare areas."""
        store(self.spare_words + place * 8, self.word(i))
        comptime if paired:
            var companion = load[DType.uint32](self.companions + i * 4)
            store(self.spare_companions + place * 4, companion)


struct Span(TrivialRegisterPassable):
    """What the words of a row have in common."""

    var least: UInt64
    var first_bit: Int
    """Lowest bit, not below a given one, in which any two words differ."""
    var bits: Int
    """Bits from there on that tell all words apart once the least is taken off; 0 if equal."""
    var ascending: Bool
    var descending: Bool
    """Each is smaller than the one before it."""

    def __init__(out self, rows: Sortable, low: Int):
        comptime width = simd_width_of[DType.uint64]()
        var first = SIMD[DType.uint64, width](rows.word(0))
        var least = first
        var most = first
        var differing = SIMD[DType.uint64, width](0)
        var descends = SIMD[DType.bool, width](fill=False)
        var always_descends = SIMD[DType.bool, width](fill=True)
        var i = 0
        while i + width < rows.count:
            var here = load[DType.uint64, width](rows.words + i * 8)
            var next = load[DType.uint64, width](rows.words + i * 8 + 8)
            least = min(least, here)
            most = max(most, here)
            differing |= here ^ first
            descends |= here.gt(next)
            always_descends &= here.gt(next)
            i += width
        self.least = least.reduce_min()
        var largest = most.reduce_max()
        var all_differing = differing.reduce_or()
        self.ascending = not descends.reduce_or()
        self.descending = always_descends.reduce_and()
        while i < rows.count:
            var here = rows.word(i)
            self.least = min(self.least, here)
            largest = max(largest, here)
            all_differing |= here ^ first[0]
            if i + 1 < rows.count:
                var descends_here = here > rows.word(i + 1)
                self.ascending = self.ascending and not descends_here
                self.descending = self.descending and descends_here
            i += 1
        self.first_bit = low
        self.bits = 0
        all_differing = all_differing >> UInt64(low)
        if all_differing != 0:
            self.first_bit += Int(count_trailing_zeros(all_differing))
            var shift = UInt64(self.first_bit)
            self.bits = Int(
                bit_width((largest >> shift) - (self.least >> shift))
            )


@always_inline
def _sort_run[paired: Bool](rows: Sortable, start: Int, count: Int):
    """Sorts up to `_RUN` elements into the spare areas: each goes as far as others precede it."""
    comptime width = _RUN
    var mine = load[DType.uint64, width](rows.words + start * 8)
    var index = iota[DType.uint64, width]()
    var place = SIMD[DType.uint64, width](0)
    for i in range(count):
        var other = SIMD[DType.uint64, width](rows.word(start + i))
        var precedes = other.lt(mine) | (other.eq(mine) & index.gt(UInt64(i)))
        place += precedes.cast[DType.uint64]()
    var places = stack_allocation[width, DType.uint64, alignment=64]()
    store(Int(places), place)
    for i in range(count):
        rows.move[paired](start + Int(places[unsafe_offset=i]), start + i)


@always_inline
def merge[
    paired: Bool
](rows: Sortable, start: Int, middle: Int, end: Int, last: Int, target: Int):
    """Merges the runs from start to middle and from end to last into the spare areas."""
    var a = start
    var b = end
    var place = target
    while a < middle and b < last:
        var take_b = rows.word(b) < rows.word(a)
        rows.move[paired](place, b if take_b else a)
        b += Int(take_b)
        a += 1 - Int(take_b)
        place += 1
    while a < middle:
        rows.move[paired](place, a)
        a += 1
        place += 1
    while b < last:
        rows.move[paired](place, b)
        b += 1
        place += 1


def _merge_sort[paired: Bool](mut rows: Sortable):
    """Sorts short rows: runs, then merges."""
    for start in range(0, rows.count, _RUN):
        _sort_run[paired](rows, start, min(_RUN, rows.count - start))
    rows.flip()
    var run = _RUN
    while run < rows.count:
        for start in range(0, rows.count, 2 * run):
            var middle = min(start + run, rows.count)
            var end = min(start + 2 * run, rows.count)
            merge[paired](rows, start, middle, middle, end, start)
        rows.flip()
        run *= 2


def _sort_digit[
    paired: Bool
](mut rows: Sortable, span: Span, start: Int, digit: Int):
    """Sorts stably by `digit` of the bits of a span, from number `start` on."""
    var counts = stack_allocation[1 << _DIGIT, DType.uint32, alignment=64]()
    var size = 1 << digit
    var digit_mask = UInt64(size - 1)
    var by = UInt64(span.first_bit)
    var base = span.least >> by
    var shift = UInt64(start)
    for value in range(size):
        counts[unsafe_offset=value] = 0
    for i in range(rows.count):
        counts[
            unsafe_offset=Int(
                (((rows.word(i) >> by) - base) >> shift) & digit_mask
            )
        ] += 1
    var total = UInt32(0)
    for value in range(size):
        var here = counts[unsafe_offset=value]
        counts[unsafe_offset=value] = total
        total += here
    for i in range(rows.count):
        var value = Int((((rows.word(i) >> by) - base) >> shift) & digit_mask)
        var place = counts[unsafe_offset=value]
        counts[unsafe_offset=value] = place + 1
        rows.move[paired](Int(place), i)
    rows.flip()


def _best_passes(bits: Int, count: Int) -> Tuple[Int, Int]:
    """Into how many digits to cut words of so many bits, and what sorting by them costs."""
    var best = 0
    var least = Int.MAX
    for passes in range(ceildiv(bits, _DIGIT), bits + 1):
        var values = 1 << ceildiv(bits, passes)
        var cost = passes * (_COST_VALUE * values + _COST_MOVE * count)
        if cost < least:
            least = cost
            best = passes
    return (best, least)


def _by_comparison[paired: Bool](count: Int) -> Int:
    """What sorting by comparisons costs."""
    comptime if HAS_QUICKSORT and not paired:
        var levels = Int(bit_width(UInt64(count // NETWORK)))
        return count * (_COST_NETWORK + _COST_PARTITION * levels)
    return count * _COST_MERGE * Int(bit_width(UInt64(count // _RUN)))


def _compare[paired: Bool](mut rows: Sortable):
    """Sorts by comparisons."""
    comptime if HAS_QUICKSORT and not paired:
        quicksort[DType.uint64](
            rows.words, rows.spare_words, rows.count, Places(), 1
        )
    else:
        _merge_sort[paired](rows)


def _sort[paired: Bool](mut rows: Sortable, low: Int):
    """`sort_rows` with or without companions."""
    if rows.count <= _SHORT:
        _compare[paired](rows)
        return
    var span = Span(rows, low)
    if span.ascending or span.bits == 0:
        return
    if span.descending:
        for i in range(rows.count):
            rows.move[paired](rows.count - 1 - i, i)
        rows.flip()
        return
    var passes, cost = _best_passes(span.bits, rows.count)
    if _by_comparison[paired](rows.count) < cost:
        _compare[paired](rows)
        return
    var digit = ceildiv(span.bits, passes)
    for index in range(passes):
        _sort_digit[paired](rows, span, index * digit, digit)


def sort_rows(mut rows: Sortable, low: Int):
    """Sorts words by their bits from `low` on, stably.

    The bits below `low` must ascend from element to element, as an index does: whether they take
    part in comparisons then makes no difference.
    """
    if rows.companions == 0:
        _sort[False](rows, low)
    else:
        _sort[True](rows, low)
