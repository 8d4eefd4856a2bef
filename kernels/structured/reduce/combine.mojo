"""The binary operations of reductions, scans and updates."""
from std.utils.numerics import isnan, nan

from structured.operands.operand import BOOL, plain, wrapping

comptime SUM = 0
comptime PROD = 1
comptime MAX = 2
comptime MIN = 3
comptime AND = 4
comptime OR = 5
comptime XOR = 6
comptime ANY = 7
"""`OR` of bool: one true element decides."""
comptime FMAX = 8
"""`MAX` of floats without those that are nan, unless all are."""
comptime FMIN = 9
comptime ALL = 10
"""`AND` of bool, where any byte but 0 is true: the smaller one, and at most 1."""


struct Operation[op: Int, dtype: DType](TrivialRegisterPassable):
    """Names an operation and a dtype, to choose compiled loops."""

    def __init__(out self):
        pass


struct Elements[op: Int, dtype: DType, lanes: Int](TrivialRegisterPassable):
    """As `Operation`, on elements of some lanes of a dtype: two for complex numbers."""

    def __init__(out self):
        pass


def computed_as[op: Int](code: Int) -> Int:
    """The dtype code whose loops serve a dtype code; -1 for sums and products of bool."""
    comptime if op == MAX or op == MIN or ignores_nan[op]:
        return plain(code)
    elif op == SUM or op == PROD:
        return -1 if code == BOOL else wrapping(code)
    else:
        return wrapping(code)


comptime ignores_nan[op: Int] = op == FMAX or op == FMIN
comptime has_loops[op: Int, dtype: DType] = (
    op == MAX
    or op == MIN
    or (op < ANY and dtype.is_unsigned())
    or ((op == ANY or op == ALL) and dtype == DType.uint8)
    or (dtype.is_floating_point() and (op < AND or ignores_nan[op]))
)
"""Whether loops of a dtype are ever chosen: the signed integers share the unsigned ones' where
both give the same bits, and floats have no bitwise operations."""


@always_inline
def combine[
    op: Int, dtype: DType, width: SIMDLength
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The binary operation of a reduction, lane by lane; max and min propagate nan."""
    comptime if op == SUM:
        return a + b
    elif op == PROD:
        return a * b
    elif op == AND:
        return a & b
    elif op == OR or op == ANY:
        return a | b
    elif op == XOR:
        return a ^ b
    elif op == ALL:
        return min(a, b)
    elif ignores_nan[op]:
        var second = b.gt(a) if op == FMAX else b.lt(a)
        return (second | isnan(a)).select(b, a)
    else:
        var first = a.gt(b) if op == MAX else a.lt(b)
        comptime if dtype.is_floating_point():
            first = first | isnan(a)
        return first.select(a, b)


def identity[op: Int, dtype: DType]() -> Scalar[dtype]:
    """What an empty reduction gives."""
    comptime if op == PROD or op == ALL:
        return 1
    elif op == MAX:
        return Scalar[dtype].MIN
    elif op == MIN:
        return Scalar[dtype].MAX
    elif op == AND:
        return ~Scalar[dtype](0)
    elif ignores_nan[op]:
        return nan[dtype]()
    else:
        return 0


comptime in_order[
    op: Int, dtype: DType
] = dtype.is_floating_point() and op == PROD
"""Whether the elements of a row must be folded one after the other to give NumPy's bits."""
comptime pairwise[
    op: Int, dtype: DType
] = dtype.is_floating_point() and op == SUM
"""Whether the elements of a row are added in NumPy's pairwise order."""

comptime can_stop[op: Int] = op == AND or op == ANY or op == ALL
"""Whether there is a result, `last`, that no further element changes."""


def last[op: Int, dtype: DType]() -> Scalar[dtype]:
    """The result that no further element changes."""
    return 1 if op == ANY else 0


comptime ordered[op: Int, dtype: DType] = dtype.is_floating_point() and (
    op == MAX or op == MIN
)
"""Whether nan needs care."""
