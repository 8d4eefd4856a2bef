from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext

from .numbers import negative_or_zero


@register("users.add_const")
struct AddConst[value: Int]:
    """Adds an integer."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        output: OutputTensor,
        x: InputTensor[dtype=output.dtype, rank=output.rank, ...],
        ctx: DeviceContext,
    ) raises:
        for i in range(x.size()):
            output.unsafe_ptr()[unsafe_offset=i] = x.unsafe_ptr()[
                unsafe_offset=i
            ] + Scalar[x.dtype](Self.value)


@register("users.parameters")
struct Parameters:
    """Writes `[flag, factor * x[0], len(text)]` after a cast to `between`."""

    @staticmethod
    def execute[
        target: StaticString,
        flag: Bool,
        factor: Float32,
        text: StaticString,
        between: DType,
    ](
        output: OutputTensor[dtype=DType.float64, rank=1, ...],
        x: InputTensor[dtype=DType.float64, rank=1, ...],
        ctx: DeviceContext,
    ) raises:
        var out = output.unsafe_ptr()
        var first = x.unsafe_ptr()[unsafe_offset=0].cast[between]()
        comptime given = 1.0 if flag else 0.0
        out[unsafe_offset=0] = given
        out[unsafe_offset=1] = first.cast[DType.float64]() * Float64(factor)
        out[unsafe_offset=2] = Float64(text.byte_length())


@register("users.row_sums")
struct RowSums:
    """Sums and counts along the last axis; refuses negative numbers."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        sums: OutputTensor,
        counts: OutputTensor[dtype=DType.int32, rank=sums.rank, ...],
        x: InputTensor[dtype=sums.dtype, ...],
        ctx: DeviceContext,
    ) raises:
        var rows = sums.size()
        var columns = x.size() // max(rows, 1)
        for row in range(rows):
            var sum = Scalar[x.dtype](0)
            for column in range(columns):
                var one = x.unsafe_ptr()[unsafe_offset=row * columns + column]
                if not negative_or_zero(-one):
                    raise Error("users.row_sums: a negative number")
                sum += one
            sums.unsafe_ptr()[unsafe_offset=row] = sum
            counts.unsafe_ptr()[unsafe_offset=row] = Int32(columns)
