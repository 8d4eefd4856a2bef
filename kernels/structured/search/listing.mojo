"""Listing where some elements are not zero."""

from std.bit import count_trailing_zeros, pop_count
from std.memory import pack_bits
from std.sys import size_of

from structured.operands.operand import load, store

comptime WORD = 64
"""Bytes that are looked at together, the elements of which have a bit each in a word."""
comptime _STEPS = 4
"""Indices that are written without asking whether there are so many."""
comptime _INDEX = 8
"""Bytes of an index."""


def count_nonzero[dtype: DType](address: Int, size: Int) -> Int:
    """How many of some adjacent elements are not zero."""
    comptime width = WORD // size_of[dtype]()
    var found = 0
    var k = 0
    while k + width <= size:
        var some = load[dtype, width](address + k * size_of[dtype]())
        found += Int((~some.eq(0)).cast[DType.uint8]().reduce_add())
        k += width
    while k < size:
        found += Int(~load[dtype, 1](address + k * size_of[dtype]()).eq(0))
        k += 1
    return found


struct Listing(TrivialRegisterPassable):
    """Where the indices of elements that are not zero go, in order."""

    var target: Int
    """Where the next one goes."""
    var end: Int
    """Where there is no room any more."""

    def __init__(out self, target: Int, count: Int):
        self.target = target
        self.end = target + _INDEX * count

    def add[
        dtype: DType
    ](mut self, address: Int, count: Int, flat: Int) -> Bool:
        """Adds those of adjacent elements, the first of which has the index `flat`; False when there is no
        room."""
        comptime width = WORD // size_of[dtype]()
        for start in range(0, count, width):
            var at = address + start * size_of[dtype]()
            var mask = nonzero_bits[dtype](at, count - start)
            if mask != 0 and not self._add_bits[width](mask, flat + start):
                return False
        return True

    @always_inline
    def _add_bits[width: Int](mut self, bits: UInt64, flat: Int) -> Bool:
        var mask = bits
        var after = self.target + _INDEX * Int(pop_count(mask))
        if after > self.end:
            return False
        if self.target + _INDEX * width <= self.end:
            # what is written beyond the last one is written over by the next ones
            for place in range(self.target, after, _INDEX * _STEPS):
                comptime for step in range(_STEPS):
                    store(
                        place + _INDEX * step,
                        Int64(flat) + Int64(count_trailing_zeros(mask)),
                    )
                    mask &= mask - 1
            self.target = after
            return True
        while mask != 0:
            store(self.target, Int64(flat) + Int64(count_trailing_zeros(mask)))
            mask &= mask - 1
            self.target += _INDEX
        return True


@always_inline
def nonzero_bits[dtype: DType](address: Int, count: Int) -> UInt64:
    """A bit for each of the next elements, up to `WORD` bytes of them: whether it is not zero."""
    comptime width = WORD // size_of[dtype]()
    if count >= width:
        var some = ~load[dtype, width](address).eq(0)
        comptime if width == 64:
            return pack_bits[dtype=DType.uint64](some)
        else:
            return UInt64(pack_bits[dtype=DType.uint8](some))
    var bits = UInt64(0)
    for k in range(count):
        var one = load[dtype, 1](address + k * size_of[dtype]())
        bits |= UInt64(Int(~one.eq(0))) << UInt64(k)
    return bits
