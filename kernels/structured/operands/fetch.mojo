"""Fetching: strided elements of one dtype as adjacent elements of another."""
from elementwise.numbers.dtypes import dtype_code
from std.sys import simd_width_of, size_of

from structured.operands.operand import (
    item_size,
    load,
    plain,
    store,
    wrapping,
)

comptime BLOCK = 512
"""Most elements that are fetched at a time."""
comptime DIRECT = -1
"""The kind of elements that need no fetching: adjacent and of the right dtype."""
comptime UNKNOWN = -2
"""The kind of elements that cannot be fetched."""

comptime _SAME = 5
"""How many of the conversions, the first, are none."""
comptime _CONVERSIONS: Array[Tuple[DType, DType], 22] = [
    (DType.uint8, DType.uint8),
    (DType.uint16, DType.uint16),
    (DType.uint32, DType.uint32),
    (DType.uint64, DType.uint64),
    (DType.uint128, DType.uint128),
    (DType.int8, DType.uint64),
    (DType.int16, DType.uint64),
    (DType.int32, DType.uint64),
    (DType.uint8, DType.uint64),
    (DType.uint16, DType.uint64),
    (DType.uint32, DType.uint64),
    (DType.int8, DType.float64),
    (DType.int16, DType.float64),
    (DType.int32, DType.float64),
    (DType.int64, DType.float64),
    (DType.uint8, DType.float64),
    (DType.uint16, DType.float64),
    (DType.uint32, DType.float64),
    (DType.uint64, DType.float64),
    (DType.float32, DType.float64),
    (DType.float16, DType.float32),
    (DType.bfloat16, DType.float32),
]
"""Source and target of each kind. Equal dtypes move bits, so they serve all of their size."""


def _conversion(source: DType, target: DType) -> Int:
    """The place of a conversion in the table, `UNKNOWN` if it is not there."""
    comptime for index in range(len(_CONVERSIONS)):
        comptime frm = _CONVERSIONS[index][0]
        comptime to = _CONVERSIONS[index][1]
        if frm == source and to == target:
            return index
    return UNKNOWN


comptime BYTES = _conversion(DType.uint8, DType.uint64)
"""The kind of booleans and of uint8 whose 64-bit numbers are wanted."""


@always_inline
def converts(kind: Int) -> Bool:
    """Whether elements of a kind change their dtype when they are fetched."""
    return kind >= _SAME


def fetch_kind(source: Int, target: Int, adjacent: Bool) -> Int:
    """How elements of dtype code `source` become adjacent ones of dtype code `target`."""
    if source == target and adjacent:
        return DIRECT
    comptime for index in range(len(_CONVERSIONS)):
        comptime frm = _CONVERSIONS[index][0]
        comptime to = _CONVERSIONS[index][1]
        comptime same = frm == to
        comptime if same:
            if source == target and item_size(source) == size_of[Scalar[frm]]():
                return index
        else:
            if plain(source) == dtype_code(frm) and wrapping(
                target
            ) == dtype_code(to):
                return index
    return UNKNOWN


def _convert[
    source: DType, target: DType
](buffer: Int, address: Int, stride: Int, count: Int):
    """Writes `count` elements that are `stride` bytes apart to a buffer, converted."""
    comptime item = size_of[Scalar[source]]()
    comptime to = size_of[Scalar[target]]()
    comptime width = simd_width_of[target]()
    var i = 0
    if stride == item:
        while i + width <= count:
            var value = load[source, width](address + i * item)
            store(buffer + i * to, value.cast[target]())
            i += width
    while i < count:
        store(
            buffer + i * to, load[source](address + i * stride).cast[target]()
        )
        i += 1


def fetch(kind: Int, buffer: Int, address: Int, stride: Int, count: Int) -> Int:
    """Makes up to `BLOCK` elements adjacent; returns their address.

    Args:
        kind: A result of `fetch_kind` other than `UNKNOWN`.
        buffer: Room for `BLOCK` elements of the target dtype.
        address: Address of the first element.
        stride: Bytes from one element to the next.
        count: Number of elements.
    """
    comptime for index in range(len(_CONVERSIONS)):
        comptime source = _CONVERSIONS[index][0]
        comptime target = _CONVERSIONS[index][1]
        if kind == index:
            _convert[source, target](buffer, address, stride, count)
            return buffer
    return address
