"""Reading the words of a routine (vm/routines/routines.mojo)."""

from elementwise.numbers.dtypes import DTYPES
from structured.operands.operand import (
    Operand,
    Words,
    load,
)


struct Reader(Copyable, Movable):
    """Reads the words of a routine in order."""

    var at: Words

    def __init__(out self, at: Words):
        self.at = at

    def next(mut self) -> Int:
        """The next word."""
        return Int(self.skip(1)[unsafe_offset=0])

    def skip(mut self, count: Int) -> Words:
        """The next words, which are passed over."""
        var here = self.at
        self.at = self.at.unsafe_offset(count)
        return here

    def address(mut self, tensors: Words) -> Int:
        """The address that the next two words name: a tensor and an offset in it."""
        var tensor = Int(tensors[unsafe_offset=self.next()])
        return tensor + self.next()

    def operand(mut self, tensors: Words) -> Operand:
        """The operand that the next words describe."""
        var address = self.address(tensors)
        var dtype = self.next()
        var rank = self.next()
        var moves = self.next()
        var shape = self.skip(rank)
        var strides = self.skip(rank)
        for _ in range(moves):
            var integer = self.address(tensors)
            var index = integer_at(integer, self.next())
            var stride = self.next()
            address += stride * max(0, min(index, self.next()))
        return Operand(address, dtype, rank, shape, strides)


def integer_at(address: Int, dtype: Int) -> Int:
    """The integer at an address; of a uint64 beyond int64, the greatest int64."""
    comptime for code in range(len(DTYPES)):
        comptime kind = DTYPES[code]
        comptime if kind.is_integral():
            if dtype == code:
                var value = load[kind](address)
                comptime if kind == DType.uint64:
                    return Int(min(value, Scalar[kind](Int64.MAX)))
                else:
                    return Int(value)
    return 0
