"""Scans and updates of complex and of half-precision numbers: one element after the other.

Half precision is rounded after each step, as NumPy does.
"""
from elementwise.numbers.convert import converted


from structured.reduce.combine import combine
from structured.reduce.complex_folds import combine_complex
from structured.operands.operand import load, store


@always_inline
def combined_halves[
    op: Int, half: DType
](a: Scalar[half], b: Scalar[half]) -> Scalar[half]:
    """The operation in float32, rounded."""
    comptime wide = DType.float32
    return converted[half](combine[op](a.cast[wide](), b.cast[wide]()))


@always_inline
def _combined[
    op: Int, dtype: DType, lanes: Int
](a: SIMD[dtype, lanes], b: SIMD[dtype, lanes]) -> SIMD[dtype, lanes]:
    """One element: a pair of lanes if complex, one lane of half precision."""
    comptime if lanes == 2:
        return rebind[SIMD[dtype, lanes]](
            combine_complex[op](
                rebind[SIMD[dtype, 2]](a), rebind[SIMD[dtype, 2]](b)
            )
        )
    else:
        return rebind[SIMD[dtype, lanes]](
            combined_halves[op](
                rebind[Scalar[dtype]](a), rebind[Scalar[dtype]](b)
            )
        )


def scan_elements[
    op: Int, dtype: DType, lanes: Int
](
    target: Int,
    target_stride: Int,
    source: Int,
    source_stride: Int,
    count: Int,
):
    """Scans one strided line."""
    var result = load[dtype, lanes](source)
    store(target, result)
    for i in range(1, count):
        result = _combined[op](
            result, load[dtype, lanes](source + i * source_stride)
        )
        store(target + i * target_stride, result)


def combine_elements[
    op: Int, dtype: DType, lanes: Int
](target: Int, target_stride: Int, a: Int, b: Int, b_stride: Int, count: Int,):
    """Writes `a op b` to a strided row; `a` is strided as the target."""
    for i in range(count):
        var value = _combined[op](
            load[dtype, lanes](a + i * target_stride),
            load[dtype, lanes](b + i * b_stride),
        )
        store(target + i * target_stride, value)


def scatter_elements[
    op: Int, dtype: DType, lanes: Int
](array: Int, offsets: Int, source: Int, source_stride: Int, count: Int):
    """`Updates.scatter`."""
    for i in range(count):
        var place = array + Int(load[DType.int64](offsets + i * 8))
        var update = load[dtype, lanes](source + i * source_stride)
        store(place, _combined[op](load[dtype, lanes](place), update))


def update_elements[
    op: Int, dtype: DType, lanes: Int
](target: Int, target_stride: Int, source: Int, source_stride: Int, count: Int):
    """`Updates.row`."""
    combine_elements[op, dtype, lanes](
        target, target_stride, target, source, source_stride, count
    )
