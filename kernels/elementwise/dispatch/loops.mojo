"""Operations over contiguous memory at run time: dispatch and loops.

Nothing is shared or kept: threads may call at will.
"""

from std.sys import size_of

from elementwise.compare import select
from .complex_loops import convert_complex, join, run_complex
from elementwise.numbers.convert import converted
from elementwise.numbers.dtypes import (
    DTYPE_COUNT,
    DTYPES,
    SIGNED,
    dtype_code,
    unsigned_of,
)
from elementwise.numbers.memory import VECTOR_BYTES, load, store
from .facts import MODULAR, RAW
from .operations import (
    OPERATION_COUNT,
    SELECT_N,
    apply1,
    apply2,
    apply3,
    facts,
    out_dtype,
    supports,
)
from elementwise.numbers.vectors import in_vectors


def run(op: Int, dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int) -> Bool:
    """Writes `n` results of an operation to `dst`; false if unsupported.

    Args:
        op: The opcode.
        dtype: The dtype code of the operands (for select_n: of the cases).
        dst: The address of `n` elements of the result's dtype. It may be the
            address of an operand.
        a: The address of the first operand, `n` elements.
        b: The address of the second operand; ignored for arity 1.
        c: The address of the third operand; ignored for arity below 3.
        n: The number of elements, at least 0.
    """
    if dtype >= DTYPE_COUNT:
        return run_complex(op, dtype, dst, a, b, c, n)
    comptime for code in range(OPERATION_COUNT):
        if op == code:
            return _run_operation[code](dtype, dst, a, b, c, n)
    return False


def _representative[op: Int](dtype: Int) -> Int:
    """The code of the dtype whose code serves `dtype` too."""
    comptime bits = facts[op].bits()
    comptime if bits == RAW:
        comptime for code in range(DTYPE_COUNT):
            comptime same = dtype_code(unsigned_of[DTYPES[code]]())
            if dtype == code:
                return same
    elif bits == MODULAR:
        comptime for code in range(DTYPE_COUNT):
            comptime signed = SIGNED >> code & 1 == 1
            comptime if signed:
                comptime same = dtype_code(unsigned_of[DTYPES[code]]())
                if dtype == code:
                    return same
    return dtype


@no_inline
def _run_operation[
    op: Int
](dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int) -> Bool:
    comptime row = facts[op]
    if dtype >= DTYPE_COUNT or not row.supports(dtype):
        return False
    comptime if row.joins():
        return join[op](dtype, dst, a, b, n)
    else:
        return _run_supported[op](dtype, dst, a, b, c, n)


@always_inline
def _run_supported[
    op: Int
](dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int) -> Bool:
    var served = _representative[op](dtype)
    comptime for code in range(DTYPE_COUNT):
        comptime instance = DTYPES[code]
        comptime if _representative[op](code) == code:
            comptime if supports[op, instance]():
                if served == code:
                    _run_typed[op, instance](dst, a, b, c, n)
    return True


@no_inline
def _run_typed[op: Int, dtype: DType](dst: Int, a: Int, b: Int, c: Int, n: Int):
    comptime size = size_of[dtype]()
    in_vectors[
        _run_vectors[op, dtype],
        VECTOR_BYTES // size,
        arity=facts[op].arity(),
        out_size=size_of[out_dtype[op, dtype]()](),
        a_size=1 if op == SELECT_N else size,
        b_size=size,
    ](dst, a, b, c, n)


@no_inline
def _run_vectors[
    op: Int, dtype: DType
](dst: Int, a: Int, b: Int, c: Int, count: Int):
    comptime lanes = VECTOR_BYTES // size_of[dtype]()
    comptime arity = facts[op].arity()
    for i in range(count):
        var at = i * lanes
        comptime if op == SELECT_N:
            var mask = load[DType.bool, lanes](a, at)
            var on_false = load[dtype, lanes](b, at)
            store(dst, at, select(mask, on_false, load[dtype, lanes](c, at)))
        elif arity == 1:
            store(dst, at, apply1[op](load[dtype, lanes](a, at)))
        elif arity == 2:
            var x = load[dtype, lanes](a, at)
            store(dst, at, apply2[op](x, load[dtype, lanes](b, at)))
        else:
            var x = load[dtype, lanes](a, at)
            var y = load[dtype, lanes](b, at)
            store(dst, at, apply3[op](x, y, load[dtype, lanes](c, at)))


def convert(src_dtype: Int, dst_dtype: Int, dst: Int, src: Int, n: Int) -> Bool:
    """Writes `n` elements converted to another dtype; false if unsupported.

    Args:
        src_dtype: The dtype code of the source.
        dst_dtype: The dtype code of the destination.
        dst: The address of `n` elements. It may be `src` if the destination's
            dtype is no wider than the source's.
        src: The address of `n` elements.
        n: The number of elements, at least 0.
    """
    if src_dtype >= DTYPE_COUNT or dst_dtype >= DTYPE_COUNT:
        return convert_complex(src_dtype, dst_dtype, dst, src, n)
    comptime for code in range(DTYPE_COUNT):
        if src_dtype == code:
            return _convert_from[DTYPES[code]](dst_dtype, dst, src, n)
    return False


@no_inline
def _convert_from[
    source: DType
](dst_dtype: Int, dst: Int, src: Int, n: Int) -> Bool:
    comptime for code in range(DTYPE_COUNT):
        comptime to = DTYPES[code]
        # Integers of both signs get the same bits from a bool or an integer.
        comptime modular = SIGNED >> code & 1 == 1 and source.is_integral()
        if dst_dtype == code:
            _convert_typed[source, unsigned_of[to]() if modular else to](
                dst, src, n
            )
            return True
    return False


@no_inline
def _convert_typed[source: DType, to: DType](dst: Int, src: Int, n: Int):
    in_vectors[
        _convert_vectors[source, to],
        VECTOR_BYTES // max(size_of[source](), size_of[to]()),
        arity=1,
        out_size=size_of[to](),
        a_size=size_of[source](),
        b_size=0,
    ](dst, src, 0, 0, n)


@no_inline
def _convert_vectors[
    source: DType, to: DType
](dst: Int, src: Int, b: Int, c: Int, count: Int):
    comptime lanes = VECTOR_BYTES // max(size_of[source](), size_of[to]())
    for i in range(count):
        var at = i * lanes
        store(dst, at, converted[to](load[source, lanes](src, at)))
