"""Runs a function of whole vectors on any number of elements.

Every element goes through a vector of the same size, so that its result does not depend on its
position: the last vector overlaps the one before it, or is padded if there is none.
"""

from std.sys import size_of

from elementwise.numbers.memory import VECTOR_BYTES, copy_bytes, load, store

comptime Vectors = def(
    dst: Int, a: Int, b: Int, c: Int, count: Int
) thin -> None
"""Computes `count` vectors of results from those of up to three operands, all at addresses."""
comptime ROOM = 2 * VECTOR_BYTES
"""Bytes of the widest vector: of complex numbers."""


@always_inline
def in_vectors[
    run: Vectors,
    lanes: Int,
    *,
    arity: Int,
    out_size: Int,
    a_size: Int,
    b_size: Int,
](dst: Int, a: Int, b: Int, c: Int, n: Int):
    """Runs a function on `n` elements.

    Parameters:
        run: The function.
        lanes: Elements of a vector.
        arity: How many operands there are.
        out_size: Bytes of an element of the result.
        a_size: Bytes of an element of the first operand.
        b_size: Bytes of an element of the other operands.

    Args:
        dst: Where the results go. It may be where an operand is.
        a: Where the first operand is.
        b: Where the second operand is, if there is one.
        c: Where the third operand is, if there is one.
        n: The number of elements, at least 0.
    """
    if n % lanes == 0:
        run(dst, a, b, c, n // lanes)
    elif n < lanes:
        _padded[run, arity, out_size, a_size, b_size](dst, a, b, c, n)
    else:
        # Before the others, whose results may lie where its operands are.
        var last = Array[UInt8, ROOM](uninitialized=True)
        var to = Int(last.unsafe_ptr())
        var at = n - lanes
        run(to, a + at * a_size, b + at * b_size, c + at * b_size, 1)
        run(dst, a, b, c, n // lanes)
        comptime bytes = lanes * out_size
        store(dst + at * out_size, 0, load[DType.uint8, bytes](to, 0))
        _ = last^


@always_inline
def _fill[size: Int](to: Int, source: Int, n: Int):
    """Fills a vector with the first element, then with `n` of them."""
    comptime if size == 1:
        _spread[DType.uint8](to, source)
    elif size == 2:
        _spread[DType.uint16](to, source)
    elif size == 4:
        _spread[DType.uint32](to, source)
    elif size == 8:
        _spread[DType.uint64](to, source)
    else:
        comptime for k in range(ROOM // 16):
            store(to + 16 * k, 0, load[DType.uint64, 2](source, 0))
    if n > 1:
        copy_bytes(to, source, n * size)


@always_inline
def _spread[dtype: DType](to: Int, source: Int):
    comptime lanes = VECTOR_BYTES // size_of[dtype]()
    var vector = SIMD[dtype, lanes](load[dtype, 1](source, 0)[0])
    store(to, 0, vector)
    store(to + VECTOR_BYTES, 0, vector)


@always_inline
def _padded[
    run: Vectors, arity: Int, out_size: Int, a_size: Int, b_size: Int
](dst: Int, a: Int, b: Int, c: Int, n: Int):
    """Computes a part of a vector.

    The rest of it has the first element: what no element asks for must raise no flag.
    """
    var scratch = Array[UInt8, 4 * ROOM](uninitialized=True)
    var to = Int(scratch.unsafe_ptr())
    var x = to + ROOM
    var y = x + ROOM
    var z = y + ROOM
    _fill[a_size](x, a, n)
    comptime if arity >= 2:
        _fill[b_size](y, b, n)
    comptime if arity >= 3:
        _fill[b_size](z, c, n)
    run(to, x, y, z, 1)
    copy_bytes(dst, to, n * out_size)
    _ = scratch^
