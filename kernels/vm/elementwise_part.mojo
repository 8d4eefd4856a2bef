"""The elementwise operations as C functions: a part of the library, see `parts.mojo`."""

from elementwise.dispatch import loops


@export
def jujunp_run_elementwise(
    op: Int, dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int
) abi("C") -> Bool:
    """Runs an operation: see `elementwise.dispatch.loops.run`."""
    return loops.run(op, dtype, dst, a, b, c, n)


@export
def jujunp_convert(
    src_dtype: Int, dst_dtype: Int, dst: Int, src: Int, n: Int
) abi("C") -> Bool:
    """Converts to another dtype: see `elementwise.dispatch.loops.convert`."""
    return loops.convert(src_dtype, dst_dtype, dst, src, n)
