"""Integers between bounds, by Lemire's method or, for the older generator, by masking."""
from std.sys import size_of

from structured.random.bits import Bits, Source
from structured.random.discrete import mask_of


struct Pieces:
    """What is left of 32 bits that small integers are taken from."""

    var word: UInt32
    var left: Int

    def __init__(out self):
        self.word = 0
        self.left = 0

    @always_inline
    def next[B: Bits, //, bits: Int](mut self, mut source: Source[B]) -> UInt32:
        """The next 1, 8 or 16 bits, with what comes behind them; or all 32."""
        comptime if bits == 32:
            return source.next32()
        else:
            if self.left == 0:
                self.word = source.next32()
                self.left = 32 // bits - 1
            else:
                self.word >>= UInt32(bits)
                self.left -= 1
            return self.word


@always_inline
def truth[
    B: Bits, //
](
    mut source: Source[B], mut pieces: Pieces, low: UInt64, range: UInt64
) -> UInt64:
    """A bool between bounds."""
    if range == 0:
        return low
    return (pieces.next[bits=1](source) & 1).cast[DType.uint64]()


@always_inline
def small[
    B: Bits, //, dtype: DType, masked: Bool
](
    mut source: Source[B], mut pieces: Pieces, low: UInt64, range: UInt64
) -> UInt64:
    """An integer of 8, 16 or 32 bits from `low` to `low + range`, which may wrap."""
    comptime bits = 8 * size_of[Scalar[dtype]]()
    comptime most = Scalar[dtype].MAX
    var limit = range.cast[dtype]()
    if limit == 0:
        return low
    if limit == most:
        return low + pieces.next[bits=bits](source).cast[DType.uint64]()
    comptime if masked:
        var mask = mask_of(limit.cast[DType.uint64]()).cast[dtype]()
        var found = pieces.next[bits=bits](source).cast[dtype]() & mask
        while found > limit:
            found = pieces.next[bits=bits](source).cast[dtype]() & mask
        return low + found.cast[DType.uint64]()
    else:
        var count = limit + 1
        var wide = count.cast[DType.uint64]()
        var m = (
            pieces.next[bits=bits](source).cast[dtype]().cast[DType.uint64]()
            * wide
        )
        var rest = m.cast[dtype]()
        if rest < count:
            var threshold = (most - limit) % count
            while rest < threshold:
                m = (
                    pieces.next[bits=bits](source)
                    .cast[dtype]()
                    .cast[DType.uint64]()
                    * wide
                )
                rest = m.cast[dtype]()
        return low + (m >> UInt64(bits))


@always_inline
def large[
    B: Bits, //, masked: Bool
](mut source: Source[B], low: UInt64, range: UInt64) -> UInt64:
    """An integer of 64 bits from `low` to `low + range`, which may wrap."""
    if range <= 0xFFFFFFFF:
        var pieces = Pieces()
        return small[DType.uint32, masked](source, pieces, low, range)
    if range == UInt64.MAX:
        return low + source.next64()
    comptime if masked:
        var mask = mask_of(range)
        var found = source.next64() & mask
        while found > range:
            found = source.next64() & mask
        return low + found
    else:
        var count = range + 1
        var wide = count.cast[DType.uint128]()
        var m = source.next64().cast[DType.uint128]() * wide
        var rest = m.cast[DType.uint64]()
        if rest < count:
            var threshold = (UInt64.MAX - range) % count
            while rest < threshold:
                m = source.next64().cast[DType.uint128]() * wide
                rest = m.cast[DType.uint64]()
        return low + (m >> 64).cast[DType.uint64]()
