"""The operations: names, arity and dtypes, in opcode order.

The table grows only at its end. What is the identity or a constant for
integers (floor, is_finite ...) takes floats only. Complex operands go their own
way (complex_loops), under the same opcodes.
"""

from elementwise.numbers.dtypes import (
    ALL,
    BOOL,
    CODE_COUNT,
    COMPLEX,
    COMPLEX64,
    DOUBLE,
    FLOATS,
    INTS,
    NUMBERS,
    SINGLE,
    complex_of,
    dtype_code,
    part_of,
)

# How a result depends on the bits of the operands. Operations that agree on
# several dtypes are compiled for one of them (see loops).
comptime TYPED = 0
comptime MODULAR = 1  # signed and unsigned integers have the same result bits
comptime RAW = 2  # the bits are only moved
comptime FORMAT = 3  # the result depends on the float format of the operands


struct Facts(TrivialRegisterPassable):
    """What is known of an operation beside its name, packed: the compiler asks for some fact
    thousands of times, and takes it far more quickly from a table of numbers."""

    var packed: Int

    def __init__(out self, packed: Int):
        self.packed = packed

    def __init__(
        out self,
        arity: Int,
        dtypes: Int,
        bits: Int,
        predicate: Bool,
        part: Bool,
        joins: Bool,
    ):
        """Packs them; `dtypes` is a bit mask over the codes of those supported."""
        self.packed = (
            dtypes
            | arity << 16
            | bits << 18
            | Int(predicate) << 20
            | Int(part) << 21
            | Int(joins) << 22
        )

    @always_inline
    def supports(self, code: Int) -> Bool:
        """True if the operation takes operands of the dtype with this code."""
        return 0 <= code < CODE_COUNT and self.packed >> code & 1 == 1

    @always_inline
    def arity(self) -> Int:
        """The number of operands."""
        return self.packed >> 16 & 3

    @always_inline
    def bits(self) -> Int:
        """TYPED, MODULAR, RAW or FORMAT."""
        return self.packed >> 18 & 3

    @always_inline
    def predicate(self) -> Bool:
        """True if the result is bool, whatever the operands are."""
        return self.packed >> 20 & 1 == 1

    @always_inline
    def part(self) -> Bool:
        """True if the result for complex operands is real."""
        return self.packed >> 21 & 1 == 1

    @always_inline
    def joins(self) -> Bool:
        """True if the result is complex, of real operands."""
        return self.packed >> 22 & 1 == 1


struct Operation(ImplicitlyCopyable, Movable):
    """One row of the table."""

    var name: StaticString
    var facts: Facts

    def __init__(
        out self,
        name: StaticString,
        arity: Int,
        dtypes: Int,
        *,
        bits: Int = TYPED,
        predicate: Bool = False,
        part: Bool = False,
        joins: Bool = False,
    ):
        """A row whose last facts have their usual values."""
        self.name = name
        self.facts = Facts(arity, dtypes, bits, predicate, part, joins)


comptime OPERATION_COUNT = 101
comptime OPERATIONS: Array[Operation, OPERATION_COUNT] = [
    Operation("neg", 1, NUMBERS | COMPLEX, bits=MODULAR),
    Operation("abs", 1, NUMBERS | COMPLEX, part=True),
    Operation("sign", 1, NUMBERS | COMPLEX),
    Operation("floor", 1, FLOATS),
    Operation("ceil", 1, FLOATS),
    Operation("round", 1, FLOATS | COMPLEX),
    Operation("trunc", 1, FLOATS),
    Operation("not", 1, BOOL | INTS, bits=MODULAR),
    Operation("sqrt", 1, FLOATS | COMPLEX),
    Operation("rsqrt", 1, FLOATS),
    Operation("square", 1, NUMBERS | COMPLEX, bits=MODULAR),
    Operation("reciprocal", 1, NUMBERS | COMPLEX),
    Operation("is_finite", 1, FLOATS | COMPLEX, predicate=True),
    Operation("isnan", 1, FLOATS | COMPLEX, predicate=True),
    Operation("isinf", 1, FLOATS | COMPLEX, predicate=True),
    Operation("signbit", 1, FLOATS, predicate=True),
    Operation("population_count", 1, INTS),
    Operation("clz", 1, INTS, bits=MODULAR),
    Operation("deg2rad", 1, FLOATS),
    Operation("rad2deg", 1, FLOATS),
    Operation("spacing", 1, FLOATS, bits=FORMAT),
    Operation("copy", 1, ALL | COMPLEX, bits=RAW),
    Operation("add", 2, ALL | COMPLEX, bits=MODULAR),
    Operation("sub", 2, NUMBERS | COMPLEX, bits=MODULAR),
    Operation("mul", 2, ALL | COMPLEX, bits=MODULAR),
    Operation("div", 2, NUMBERS | COMPLEX),
    Operation("floor_divide", 2, NUMBERS),
    Operation("remainder", 2, NUMBERS),
    Operation("rem", 2, NUMBERS),
    Operation("max", 2, ALL | COMPLEX),
    Operation("min", 2, ALL | COMPLEX),
    Operation("fmax", 2, ALL | COMPLEX),
    Operation("fmin", 2, ALL | COMPLEX),
    Operation("copysign", 2, FLOATS),
    Operation("nextafter", 2, FLOATS, bits=FORMAT),
    Operation("heaviside", 2, FLOATS),
    Operation("ldexp", 2, FLOATS),
    Operation("and", 2, BOOL | INTS, bits=MODULAR),
    Operation("or", 2, BOOL | INTS, bits=MODULAR),
    Operation("xor", 2, BOOL | INTS, bits=MODULAR),
    Operation("shift_left", 2, INTS, bits=MODULAR),
    Operation("shift_right_arithmetic", 2, INTS),
    Operation("shift_right_logical", 2, INTS, bits=MODULAR),
    Operation("gcd", 2, INTS),
    Operation("lcm", 2, INTS),
    Operation("eq", 2, ALL | COMPLEX, bits=MODULAR, predicate=True),
    Operation("ne", 2, ALL | COMPLEX, bits=MODULAR, predicate=True),
    Operation("lt", 2, ALL | COMPLEX, predicate=True),
    Operation("le", 2, ALL | COMPLEX, predicate=True),
    Operation("gt", 2, ALL | COMPLEX, predicate=True),
    Operation("ge", 2, ALL | COMPLEX, predicate=True),
    Operation("logical_and", 2, NUMBERS, bits=MODULAR, predicate=True),
    Operation("logical_or", 2, NUMBERS, bits=MODULAR, predicate=True),
    Operation("logical_xor", 2, NUMBERS, bits=MODULAR, predicate=True),
    Operation("select_n", 3, ALL | COMPLEX, bits=RAW),
    Operation("clamp", 3, NUMBERS | COMPLEX),
    Operation("exp", 1, FLOATS | COMPLEX),
    Operation("exp2", 1, FLOATS | COMPLEX),
    Operation("expm1", 1, FLOATS | COMPLEX),
    Operation("log", 1, FLOATS | COMPLEX),
    Operation("log2", 1, FLOATS | COMPLEX),
    Operation("log10", 1, FLOATS | COMPLEX),
    Operation("log1p", 1, FLOATS | COMPLEX),
    Operation("cbrt", 1, FLOATS),
    Operation("sin", 1, FLOATS | COMPLEX),
    Operation("cos", 1, FLOATS | COMPLEX),
    Operation("tan", 1, FLOATS | COMPLEX),
    Operation("asin", 1, FLOATS | COMPLEX),
    Operation("acos", 1, FLOATS | COMPLEX),
    Operation("atan", 1, FLOATS | COMPLEX),
    Operation("sinh", 1, FLOATS | COMPLEX),
    Operation("cosh", 1, FLOATS | COMPLEX),
    Operation("tanh", 1, FLOATS | COMPLEX),
    Operation("asinh", 1, FLOATS | COMPLEX),
    Operation("acosh", 1, FLOATS | COMPLEX),
    Operation("atanh", 1, FLOATS | COMPLEX),
    Operation("logistic", 1, FLOATS | COMPLEX),
    Operation("erf", 1, FLOATS),
    Operation("erfc", 1, FLOATS),
    Operation("atan2", 2, FLOATS),
    Operation("hypot", 2, FLOATS),
    Operation("logaddexp", 2, FLOATS),
    Operation("logaddexp2", 2, FLOATS),
    Operation("pow", 2, NUMBERS | COMPLEX),
    Operation("conj", 1, COMPLEX),
    Operation("real", 1, COMPLEX, part=True),
    Operation("imag", 1, COMPLEX, part=True),
    Operation("complex", 2, SINGLE | DOUBLE, joins=True),
    Operation("erf_inv", 1, FLOATS),
    Operation("lgamma", 1, FLOATS),
    Operation("digamma", 1, FLOATS),
    Operation("bessel_i0e", 1, FLOATS),
    Operation("bessel_i1e", 1, FLOATS),
    Operation("i0", 1, FLOATS),
    Operation("zeta", 2, FLOATS),
    Operation("polygamma", 2, FLOATS),
    Operation("igamma", 2, FLOATS),
    Operation("igammac", 2, FLOATS),
    Operation("igamma_grad_a", 2, FLOATS),
    Operation("random_gamma_grad", 2, FLOATS),
    Operation("regularized_incomplete_beta", 3, FLOATS),
]


def _packed() -> SIMD[DType.int32, 128]:
    comptime assert OPERATION_COUNT <= 128, "a wider vector of facts is needed"
    var words = SIMD[DType.int32, 128](0)
    comptime for op in range(OPERATION_COUNT):
        comptime word = OPERATIONS[op].facts.packed
        words[op] = Int32(word)
    return words


comptime _PACKED = _packed()

comptime facts[op: Int] = Facts(Int(_PACKED[op]))
"""The facts of an operation, at compile time."""


comptime SELECT_N = opcode("select_n")
"""Chooses by a mask, its first operand."""


def opcode(name: StaticString) -> Int:
    """The opcode of an operation, or -1 where there is none."""
    comptime for op in range(OPERATION_COUNT):
        comptime row = OPERATIONS[op]
        if name == row.name:
            return op
    return -1


def out_dtype[op: Int, dtype: DType]() -> DType:
    """The dtype of an operation's result for operands of `dtype`."""
    return DType.bool if facts[op].predicate() else dtype


def supports[op: Int, dtype: DType]() -> Bool:
    """True if the operation takes operands of `dtype`."""
    return facts[op].supports(dtype_code(dtype))


def facts_of(op: Int) -> Facts:
    """The facts of an operation, which supports nothing if there is none of this opcode."""
    comptime for known in range(OPERATION_COUNT):
        if op == known:
            return facts[known]
    return Facts(0)


def result_code(op: Int, code: Int) -> Int:
    """The dtype code of a result for operands of a dtype code; -1 if refused.

    This is the rule for all dtypes; `out_dtype` is the same for those of SIMD.
    """
    var known = facts_of(op)
    if not known.supports(code):
        return -1
    if known.predicate():
        return 0
    if known.joins():
        return complex_of(code)
    if known.part() and code >= COMPLEX64:
        return part_of(code)
    return code
