"""Operations on complex numbers in contiguous memory: as `loops`, for codes 13
and 14."""

from std.sys import size_of

from elementwise.complex.number import (
    Complex,
    as_complex,
    as_real,
    choose,
    load_complex,
    store_complex,
)
from .complex_table import (
    apply1,
    apply2,
    apply_part,
    apply_predicate1,
    apply_predicate2,
)
from elementwise.numbers.dtypes import (
    COMPLEX128,
    COMPLEX64,
    DTYPE_COUNT,
    DTYPES,
    dtype_code,
)
from elementwise.numbers.memory import VECTOR_BYTES, load, store
from .operations import (
    OPERATION_COUNT,
    OPERATIONS,
    SELECT_N,
    facts,
)
from elementwise.numbers.vectors import in_vectors

comptime _PARTS: Array[DType, 2] = [DType.float32, DType.float64]
"""The dtype of the parts of COMPLEX64 and of COMPLEX128."""


def run_complex(
    op: Int, dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int
) -> Bool:
    """`loops.run` for operands of a complex dtype."""
    comptime for code in range(OPERATION_COUNT):
        comptime if facts[code].supports(COMPLEX64):
            if op == code:
                comptime for k in range(2):
                    comptime part = _PARTS[k]
                    if dtype == COMPLEX64 + k:
                        _run_typed[code, part](dst, a, b, c, n)
                        return True
    return False


def _operand_size[op: Int, part: DType](k: Int) -> Int:
    """Bytes of one element of operand `k`."""
    comptime if op == SELECT_N:
        return 1 if k == 0 else 2 * size_of[part]()
    elif facts[op].joins():
        return size_of[part]()
    else:
        return 2 * size_of[part]()


def _result_size[op: Int, part: DType]() -> Int:
    """Bytes of one element of the result."""
    comptime if facts[op].predicate():
        return 1
    elif facts[op].part():
        return size_of[part]()
    else:
        return 2 * size_of[part]()


@no_inline
def _run_typed[op: Int, part: DType](dst: Int, a: Int, b: Int, c: Int, n: Int):
    in_vectors[
        _run_vectors[op, part],
        VECTOR_BYTES // size_of[part](),
        arity=facts[op].arity(),
        out_size=_result_size[op, part](),
        a_size=_operand_size[op, part](0),
        b_size=_operand_size[op, part](1),
    ](dst, a, b, c, n)


@no_inline
def _run_vectors[
    op: Int, part: DType
](dst: Int, a: Int, b: Int, c: Int, count: Int):
    comptime lanes = VECTOR_BYTES // size_of[part]()
    comptime row = facts[op]
    comptime name = OPERATIONS[op].name
    for i in range(count):
        var at = i * lanes
        comptime if op == SELECT_N:
            var mask = load[DType.bool, lanes](a, at)
            var on_false = load_complex[part, lanes](b, at)
            var on_true = load_complex[part, lanes](c, at)
            store_complex(dst, at, choose(mask, on_true, on_false))
        elif name == "clamp":
            var low = load_complex[part, lanes](a, at)
            var x = load_complex[part, lanes](b, at)
            var high = load_complex[part, lanes](c, at)
            store_complex(dst, at, apply2["min"](apply2["max"](x, low), high))
        elif row.joins():
            var re = load[part, lanes](a, at)
            var im = load[part, lanes](b, at)
            store_complex(dst, at, Complex[part, lanes](re, im))
        else:
            var x = load_complex[part, lanes](a, at)
            comptime if row.arity() == 1:
                comptime if row.predicate():
                    store(dst, at, apply_predicate1[name](x))
                elif row.part():
                    store(dst, at, apply_part[name](x))
                else:
                    store_complex(dst, at, apply1[name](x))
            else:
                var y = load_complex[part, lanes](b, at)
                comptime if row.predicate():
                    store(dst, at, apply_predicate2[name](x, y))
                else:
                    store_complex(dst, at, apply2[name](x, y))


def join[op: Int](dtype: Int, dst: Int, a: Int, b: Int, n: Int) -> Bool:
    """An operation that makes complex numbers of two real operands."""
    comptime for k in range(2):
        comptime part = _PARTS[k]
        if dtype == dtype_code(part):
            _run_typed[op, part](dst, a, b, 0, n)
            return True
    return False


def convert_complex(
    src_dtype: Int, dst_dtype: Int, dst: Int, src: Int, n: Int
) -> Bool:
    """`loops.convert` where one of the dtypes is complex.

    See `as_real` and `as_complex`.
    """
    comptime for k in range(2):
        comptime part = _PARTS[k]
        if src_dtype == COMPLEX64 + k:
            return _convert_from[part](dst_dtype, dst, src, n)
    comptime for code in range(DTYPE_COUNT):
        comptime source = DTYPES[code]
        if src_dtype == code:
            comptime for k in range(2):
                comptime part = _PARTS[k]
                if dst_dtype == COMPLEX64 + k:
                    _from_real[source, part](dst, src, n)
                    return True
    return False


def _convert_from[
    part: DType
](dst_dtype: Int, dst: Int, src: Int, n: Int) -> Bool:
    comptime for k in range(2):
        comptime to = _PARTS[k]
        if dst_dtype == COMPLEX64 + k:
            _between[part, to](dst, src, n)
            return True
    comptime for code in range(DTYPE_COUNT):
        comptime to = DTYPES[code]
        if dst_dtype == code:
            _to_real[part, to](dst, src, n)
            return True
    return False


@no_inline
def _between[part: DType, to: DType](dst: Int, src: Int, n: Int):
    for i in range(2 * n):
        store(dst, i, load[part, 1](src, i).cast[to]())


@no_inline
def _to_real[part: DType, to: DType](dst: Int, src: Int, n: Int):
    """Some numbers at a time, then one at a time."""
    comptime for choice in range(2):
        comptime lanes = 8 if choice == 0 else 1
        for i in range(
            n // 8 * 8 if choice == 1 else 0, n // lanes * lanes, lanes
        ):
            var z = load_complex[part, lanes](src, i)
            store(dst, i, as_real[to](z))


@no_inline
def _from_real[source: DType, part: DType](dst: Int, src: Int, n: Int):
    """Some numbers at a time, then one at a time."""
    comptime for choice in range(2):
        comptime lanes = 8 if choice == 0 else 1
        for i in range(
            n // 8 * 8 if choice == 1 else 0, n // lanes * lanes, lanes
        ):
            var x = load[source, lanes](src, i)
            store_complex(dst, i, as_complex[part](x))
