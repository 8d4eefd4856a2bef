"""Products of matrices on a GPU.

MAX's own kernel rounds float32 operands to 11 bits (tf32), calls cuBLAS, which need not be there, for
some dtypes and shapes, and takes minutes to compile. This one adds up products in the dtype of the
operands, one result a thread; neighbours read neighbouring columns.
"""

from std.math import ceildiv

from extensibility import InputTensor, OutputTensor, register
from max.gpu import global_idx
from max.gpu.host import DeviceContext
from max.gpu.host.info import is_gpu

comptime BLOCK = 256


def sums_in[dtype: DType]() -> DType:
    """The dtype in which products are added up."""
    comptime half = dtype == DType.float16 or dtype == DType.bfloat16
    return DType.float32 if half else dtype


def multiply[
    dtype: DType
](
    c: Pointer[Scalar[dtype], MutAnyOrigin],
    a: Pointer[Scalar[dtype], MutAnyOrigin],
    b: Pointer[Scalar[dtype], MutAnyOrigin],
    size: Int64,
    rows: Int64,
    columns: Int64,
    depth: Int64,
):
    """One element of `c`, whose `size` elements are stacks of rows and columns."""
    comptime wide = sums_in[dtype]()
    var at = Int(global_idx.x)
    if at >= Int(size):
        return
    var row = at // Int(columns)
    var stack = row // Int(rows)
    var left = row * Int(depth)
    var right = stack * Int(depth) * Int(columns) + at - row * Int(columns)
    var total = Scalar[wide](0)
    for k in range(Int(depth)):
        var x = a[unsafe_offset=left + k].cast[wide]()
        var y = b[unsafe_offset=right + k * Int(columns)].cast[wide]()
        total += x * y
    c[unsafe_offset=at] = total.cast[dtype]()


@register("jj.matmul")
struct Matmul:
    """`output[s] = a[s] @ b[s]` for each `s`; only on a GPU."""

    @staticmethod
    def execute[
        dtype: DType, target: StaticString
    ](
        output: OutputTensor[dtype=dtype, rank=3, ...],
        a: InputTensor[dtype=dtype, rank=3, ...],
        b: InputTensor[dtype=dtype, rank=3, ...],
        ctx: DeviceContext,
    ) raises:
        comptime if is_gpu[target]():
            var size = output.size()
            if size == 0:
                return
            ctx.enqueue_function[multiply[dtype]](
                output.unsafe_ptr().as_unsafe_any_origin(),
                a.unsafe_ptr().unsafe_mut_cast[True]().as_unsafe_any_origin(),
                b.unsafe_ptr().unsafe_mut_cast[True]().as_unsafe_any_origin(),
                Int64(size),
                Int64(output.dim_size(1)),
                Int64(output.dim_size(2)),
                Int64(a.dim_size(2)),
                grid_dim=ceildiv(size, BLOCK),
                block_dim=BLOCK,
            )
        else:
            raise Error("jujunp: jj.matmul is a kernel for GPUs")
