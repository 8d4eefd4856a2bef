"""The op that makes a constant depend on the anchor, an input of the graph.

MAX evaluates what depends on constants alone while it compiles, and keeps the result.
"""

from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext


@register("jj.anchor")
struct Anchor:
    """`output[i] = x[i]`, whatever the anchor is."""

    @staticmethod
    def execute[
        dtype: DType, target: StaticString
    ](
        output: OutputTensor[dtype=dtype, rank=1, ...],
        x: InputTensor[dtype=dtype, rank=1, ...],
        anchor: InputTensor[dtype=DType.int64, rank=1, ...],
        ctx: DeviceContext,
    ) raises:
        var target_ = output.unsafe_ptr()
        var source = x.unsafe_ptr()
        for index in range(output.size()):
            target_[unsafe_offset=index] = source[unsafe_offset=index]
