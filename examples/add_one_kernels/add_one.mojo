"""A kernel that adds one to every element."""

from extensibility import InputTensor, OutputTensor, foreach, register
from layout import Coord
from max.gpu.host import DeviceContext


@register("add_one")
struct AddOne:
    """Adds one: any dtype, any rank, on all cores."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        output: OutputTensor,
        x: InputTensor[dtype=output.dtype, rank=output.rank, ...],
        ctx: DeviceContext,
    ) raises:
        def one_more[
            width: Int
        ](index: Coord[...]) {var x} -> SIMD[x.dtype, width]:
            return x.load[width](index) + 1

        foreach[target=target](one_more, output, ctx)
