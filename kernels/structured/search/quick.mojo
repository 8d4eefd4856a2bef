"""Quicksort of unsigned words in vectors, for processors that can compress vectors.

Words are partitioned around a pivot, a vector at a time; short parts are sorted by a network of
comparisons. Not stable: for words sorted alone.
"""
from std.bit import bit_width, pop_count
from std.memory import pack_bits, stack_allocation
from std.sys import CompilationTarget, llvm_intrinsic, simd_width_of, size_of
from std.utils import IndexList

from structured.operands.memory import move_bytes
from structured.operands.operand import load, store
from structured.threads.threads import parallel_for

comptime HAS_QUICKSORT = CompilationTarget.has_avx512f()
"""Whether this processor partitions vectors in a few instructions."""
comptime NETWORK = 128
"""Parts up to this long are sorted by a network."""
comptime _SAMPLE = 16
"""Words that a pivot is the median of."""


@always_inline
def _compress[
    word: DType, width: SIMDLength
](value: SIMD[word, width], chosen: SIMD[DType.bool, width]) -> SIMD[
    word, width
]:
    """The chosen lanes, moved together at the front."""
    return llvm_intrinsic[
        "llvm.experimental.vector.compress",
        SIMD[word, width],
        has_side_effect=False,
    ](value, chosen, value)


def _partners[width: Int, mask: Int]() -> IndexList[width]:
    """For each lane the one that it is compared with."""
    var places = IndexList[width]()
    for lane in range(width):
        places[lane] = lane ^ mask
    return places


def _upper[width: Int, distance: Int]() -> SIMD[DType.bool, width]:
    """The lanes that get the larger one of two."""
    var upper = SIMD[DType.bool, width](fill=False)
    for lane in range(width):
        upper[lane] = (lane & distance) != 0
    return upper


@always_inline
def _exchange[
    word: DType, width: SIMDLength, //, mask: Int, distance: Int
](words: SIMD[word, width]) -> SIMD[word, width]:
    """Puts lanes whose numbers differ by `mask` in order."""
    comptime upper = _upper[Int(width), distance]()
    var partners = words.shuffle[_partners[Int(width), mask]()]()
    return upper.select(max(words, partners), min(words, partners))


@always_inline
def _sorted[
    word: DType, width: SIMDLength, //
](words: SIMD[word, width]) -> SIMD[word, width]:
    """The lanes in ascending order (Batcher's bitonic sort)."""
    var ordered = words
    comptime levels = Int(bit_width(UInt64(Int(width)))) - 1
    comptime for level in range(levels):
        comptime run = 1 << level
        ordered = _exchange[2 * run - 1, run](ordered)
        comptime for at in reversed(range(level)):
            ordered = _exchange[1 << at, 1 << at](ordered)
    return ordered


def _sort_short[word: DType, width: SIMDLength](words: Int, count: Int):
    """Sorts at most `width` words."""
    comptime item = size_of[Scalar[word]]()
    var room = Int(stack_allocation[Int(width), word, alignment=64]())
    store(room, SIMD[word, width](Scalar[word].MAX))
    move_bytes(room, words, item * count)
    store(room, _sorted(load[word, width](room)))
    move_bytes(words, room, item * count)


def _sort_network[word: DType](words: Int, count: Int):
    """Sorts at most `NETWORK` words."""
    if count <= 16:
        _sort_short[word, 16](words, count)
    elif count <= 32:
        _sort_short[word, 32](words, count)
    elif count <= 64:
        _sort_short[word, 64](words, count)
    else:
        _sort_short[word, NETWORK](words, count)


@always_inline
def _pivot[
    word: DType
](words: Int, count: Int, mut seed: UInt64) -> Scalar[word]:
    """The median of words at random places, so that no order of elements is a bad one."""
    comptime item = size_of[Scalar[word]]()
    var sample = SIMD[word, _SAMPLE]()
    comptime for lane in range(_SAMPLE):
        # Knuth's linear congruential generator; its high bits are the random ones.
        seed = seed * 6364136223846793005 + 1442695040888963407
        var place = Int((seed >> 33) * UInt64(count) >> 31)
        sample[lane] = load[word](words + place * item)
    return _sorted(sample)[_SAMPLE // 2]


def _partition[
    word: DType, inclusive: Bool
](words: Int, spare: Int, count: Int, pivot: Scalar[word]) -> Int:
    """Moves the words below the pivot (or equal to it) to the front; returns how many they are.

    The others go through the spare area, which has room for all words.
    """
    comptime width = simd_width_of[word]()
    comptime item = size_of[Scalar[word]]()
    var low = words
    var high = spare
    var i = 0
    # Whole vectors are stored: what is behind their lanes has been read, or is not yet written.
    while i + width <= count:
        var here = load[word, width](words + i * item)
        var is_low = here.le(pivot) if inclusive else here.lt(pivot)
        var lows = Int(pop_count(pack_bits(is_low)))
        store(low, _compress(here, is_low))
        store(high, _compress(here, ~is_low))
        low += lows * item
        high += (width - lows) * item
        i += width
    while i < count:
        var here = load[word](words + i * item)
        if here <= pivot if inclusive else here < pivot:
            store(low, here)
            low += item
        else:
            store(high, here)
            high += item
        i += 1
    move_bytes(low, spare, high - spare)
    return (low - words) // item


struct Places(TrivialRegisterPassable):
    """Which places of a row must have their sorted elements: some, or all where none is named."""

    var named: Int
    """Address of the places, int64."""
    var count: Int

    def __init__(out self, named: Int = 0, count: Int = 0):
        self.named = named
        self.count = count

    @always_inline
    def any_in(self, start: Int, end: Int) -> Bool:
        """Whether a place from `start` to `end` is wanted."""
        for index in range(self.count):
            var place = Int(load[DType.int64](self.named + index * 8))
            if start <= place < end:
                return True
        return self.count == 0


struct _Part(TrivialRegisterPassable):
    """Words from place `start` to `end` of a row, which stay among themselves."""

    var start: Int
    var end: Int

    def __init__(out self, start: Int, end: Int):
        self.start = start
        self.end = end


struct Quicksort[word: DType](TrivialRegisterPassable):
    """A row of words, as much room, and what is wanted of it."""

    comptime item = size_of[Scalar[Self.word]]()

    var words: Int
    var spare: Int
    var places: Places

    def __init__(out self, words: Int, spare: Int, places: Places):
        self.words = words
        self.spare = spare
        self.places = places

    @always_inline
    def split(self, whole: _Part, mut seed: UInt64) -> Tuple[_Part, _Part]:
        """Partitions a part in two; where its least word is the pivot, the first is sorted."""
        var words = self.words + whole.start * Self.item
        var spare = self.spare + whole.start * Self.item
        var count = whole.end - whole.start
        var pivot = _pivot[Self.word](words, count, seed)
        var lows = _partition[Self.word, False](words, spare, count, pivot)
        if lows > 0:
            var middle = whole.start + lows
            return (_Part(whole.start, middle), _Part(middle, whole.end))
        lows = _partition[Self.word, True](words, spare, count, pivot)
        var rest = whole.start + lows
        return (_Part(rest, rest), _Part(rest, whole.end))

    def sort(self, whole: _Part):
        """Sorts a part as far as it is wanted."""
        var rest = whole
        var seed = UInt64(whole.start)
        while self.places.any_in(rest.start, rest.end):
            if rest.end - rest.start <= NETWORK:
                _sort_network[Self.word](
                    self.words + rest.start * Self.item, rest.end - rest.start
                )
                return
            var low, high = self.split(rest, seed)
            # The longer part comes last, so that calls are nested no deeper than log2(count).
            if low.end - low.start > high.end - high.start:
                self.sort(high)
                rest = low
            else:
                self.sort(low)
                rest = high


def quicksort[
    word: DType
](words: Int, spare: Int, count: Int, places: Places, threads: Int):
    """Sorts a row of words, or puts the right ones in the wanted places, on several threads.

    The words before such a place are no larger, those behind it no smaller.
    """
    var row = Quicksort[word](words, spare, places)
    var parts: List[_Part] = [_Part(0, count)]
    var seed = UInt64(0)
    while len(parts) < 2 * threads and threads > 1:
        var longest = 0
        var length = 0
        for index in range(len(parts)):
            var here = parts[index]
            if here.end - here.start > length and places.any_in(
                here.start, here.end
            ):
                longest = index
                length = here.end - here.start
        if length <= NETWORK:
            break
        var low, high = row.split(parts[longest], seed)
        parts[longest] = low
        parts.append(high)

    def share(index: Int) {imm}:
        row.sort(parts[index])

    parallel_for(share, len(parts))
