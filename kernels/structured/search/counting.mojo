"""Stable sorting by bytes: each goes behind those that are smaller, which are counted first."""
from elementwise.numbers.dtypes import dtype_code
from std.memory import stack_allocation

from structured.movement.copy import fill_row
from structured.operands.operand import BOOL, UINT8, load, store

comptime _INT8 = dtype_code(DType.int8)
comptime _VALUES = 256
comptime _TABLES = 4
"""Tables of counts, in turn: equal bytes in a row then don't wait for each other."""


@always_inline
def is_byte(dtype: Int) -> Bool:
    """Whether a dtype code is that of bytes."""
    return dtype == BOOL or dtype == _INT8 or dtype == UINT8


struct Bytes(TrivialRegisterPassable):
    """A row of bytes to sort by."""

    var address: Int
    var stride: Int
    var count: Int
    var sign: UInt8
    """The bit that makes signed bytes ascend."""

    def __init__(out self, address: Int, stride: Int, count: Int, dtype: Int):
        self.address = address
        self.stride = stride
        self.count = count
        self.sign = 0x80 if dtype == _INT8 else 0

    @always_inline
    def value(self, i: Int) -> Int:
        """Byte number i, as it ascends."""
        var byte = load[DType.uint8](self.address + i * self.stride)
        return Int(byte ^ self.sign)

    def count_values(self, counts: Int):
        """Writes how often each value occurs, 32-bit."""
        var tables = Int(
            stack_allocation[_TABLES * _VALUES, DType.uint32, alignment=64]()
        )
        fill_row(tables, UInt32(0), _TABLES * _VALUES)
        var i = 0
        while i + _TABLES <= self.count:
            comptime for table in range(_TABLES):
                _add_one(tables + table * _VALUES * 4, self.value(i + table))
            i += _TABLES
        while i < self.count:
            _add_one(tables, self.value(i))
            i += 1
        for value in range(_VALUES):
            var total = UInt32(0)
            comptime for table in range(_TABLES):
                total += load[DType.uint32](
                    tables + (table * _VALUES + value) * 4
                )
            store(counts + value * 4, total)

    def sort(self, target: Int, stride: Int):
        """Writes the bytes in ascending order."""
        var counts = Int(
            stack_allocation[_VALUES, DType.uint32, alignment=64]()
        )
        self.count_values(counts)
        var to = target
        for value in range(_VALUES):
            var count = Int(load[DType.uint32](counts + value * 4))
            var byte = UInt8(value) ^ self.sign
            if stride == 1:
                fill_row(to, byte, count)
                to += count
                continue
            for _ in range(count):
                store(to, byte)
                to += stride

    def order(self, before: Int, after: Int):
        """Writes the 32-bit indices that sort the bytes, where those of an order so far, if it is not 0, are equal."""
        var places = Int(
            stack_allocation[_VALUES, DType.uint32, alignment=64]()
        )
        self.count_values(places)
        var total = UInt32(0)
        for value in range(_VALUES):
            var here = load[DType.uint32](places + value * 4)
            store(places + value * 4, total)
            total += here
        for i in range(self.count):
            var index = UInt32(i)
            if before != 0:
                index = load[DType.uint32](before + i * 4)
            var at = places + self.value(Int(index)) * 4
            var place = load[DType.uint32](at)
            store(at, place + 1)
            store(after + Int(place) * 4, index)


@always_inline
def _add_one(table: Int, value: Int):
    var at = table + value * 4
    store(at, load[DType.uint32](at) + 1)
