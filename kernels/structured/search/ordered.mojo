"""Rows whose elements are in order already: looked for before they are sorted, up to the first that is not."""

from std.sys import simd_width_of, size_of

from elementwise.numbers.dtypes import COMPLEX64, COMPLEX128
from structured.operands.operand import BOOL, DTYPES, load, plain

comptime NEITHER = 0
comptime ASCENDING = 1
"""None is larger than the next."""
comptime DESCENDING = 2
"""Each is larger than the next: reversed, equal elements would not be in their order."""
comptime _STEPS = 4
"""Vectors after which a row is given up."""


@always_inline
def _in_order[
    dtype: DType, width: SIMDLength, descending: Bool
](here: SIMD[dtype, width], next: SIMD[dtype, width]) -> SIMD[
    DType.bool, width
]:
    """Where elements are followed by those that may follow; nan by nothing."""
    comptime if descending:
        return here.gt(next)
    else:
        return here.le(next)


def _keeps[
    dtype: DType, descending: Bool
](source: Int, stride: Int, count: Int) -> Bool:
    """Whether a strided row is in order."""
    comptime item = size_of[Scalar[dtype]]()
    comptime width = simd_width_of[dtype]()
    var i = 0
    if stride == item:
        while i + _STEPS * width < count:
            var fine = SIMD[DType.bool, width](fill=True)
            comptime for step in range(_STEPS):
                var at = source + (i + step * width) * item
                fine &= _in_order[dtype, width, descending](
                    load[dtype, width](at), load[dtype, width](at + item)
                )
            if not fine.reduce_and():
                return False
            i += _STEPS * width
    while i + 1 < count:
        var at = source + i * stride
        if not _in_order[dtype, 1, descending](
            load[dtype](at), load[dtype](at + stride)
        ):
            return False
        i += 1
    return True


def _keeps_complex[
    part: DType, descending: Bool
](source: Int, stride: Int, count: Int) -> Bool:
    """The same of complex numbers, by their real parts first."""
    for i in range(count - 1):
        var here = load[part, 2](source + i * stride)
        var next = load[part, 2](source + (i + 1) * stride)
        var is_number = here[1] == here[1] and next[1] == next[1]
        var tie = here[0] == next[0]
        var first = here[0] > next[0] if descending else here[0] < next[0]
        var second = _in_order[part, 1, descending](here[1], next[1])
        if not is_number or not (first or (tie and Bool(second))):
            return False
    return True


def _order[dtype: DType](source: Int, stride: Int, count: Int) -> Int:
    if _keeps[dtype, False](source, stride, count):
        return ASCENDING
    return DESCENDING if _keeps[dtype, True](source, stride, count) else NEITHER


def _order_complex[part: DType](source: Int, stride: Int, count: Int) -> Int:
    if _keeps_complex[part, False](source, stride, count):
        return ASCENDING
    if _keeps_complex[part, True](source, stride, count):
        return DESCENDING
    return NEITHER


def order_of(code: Int, source: Int, stride: Int, count: Int) -> Int:
    """In which order the elements of a row are, of a dtype code; with a nan in NEITHER."""
    if code == COMPLEX64:
        return _order_complex[DType.float32](source, stride, count)
    if code == COMPLEX128:
        return _order_complex[DType.float64](source, stride, count)
    comptime for index in range(len(DTYPES)):
        comptime if index != BOOL:
            if plain(code) == index:
                return _order[DTYPES[index]](source, stride, count)
    return NEITHER
