"""Fetching: strided elements of one dtype as adjacent elements of another."""
from elementwise.numbers.dtypes import dtype_code
from std.memory import stack_allocation
from std.sys import simd_width_of, size_of

from structured.operands.operand import (
    item_size,
    load,
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
comptime _CONVERSIONS: Array[Tuple[DType, DType], 24] = [
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
    (DType.bool, DType.uint64),
    (DType.bool, DType.float64),
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
"""The kind of uint8 whose 64-bit numbers are wanted."""
comptime TRUTHS = _conversion(DType.bool, DType.uint64)
"""The same of booleans."""


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
            if source == dtype_code(frm) and wrapping(target) == dtype_code(to):
                return index
    return UNKNOWN


@always_inline
def _loaded[
    source: DType, target: DType, width: Int
](address: Int) -> SIMD[target, width]:
    """Adjacent elements, converted. Each byte of a boolean but 0 is true."""
    comptime if source == DType.bool:
        return min(load[DType.uint8, width](address), 1).cast[target]()
    else:
        return load[source, width](address).cast[target]()


def _convert[
    source: DType, target: DType
](buffer: Int, address: Int, stride: Int, count: Int):
    """Writes `count` elements that are `stride` bytes apart to a buffer, converted."""
    comptime item = size_of[Scalar[source]]()
    comptime to = size_of[Scalar[target]]()
    comptime width = simd_width_of[target]()
    comptime if source == DType.bool:
        if stride != item:  # vectors convert faster than what gathers
            var bytes = Int(stack_allocation[BLOCK, DType.uint8]())
            for start in range(0, count, BLOCK):
                var some = min(BLOCK, count - start)
                var first = address + start * stride
                _convert[DType.uint8, DType.uint8](bytes, first, stride, some)
                _convert[source, target](buffer + start * to, bytes, item, some)
            return
    var i = 0
    if stride == item:
        while i + width <= count:
            store(
                buffer + i * to,
                _loaded[source, target, width](address + i * item),
            )
            i += width
    while i < count:
        store(buffer + i * to, _loaded[source, target, 1](address + i * stride))
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
