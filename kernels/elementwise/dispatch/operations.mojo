"""The operations: their rows, in opcode order, and the SIMD function of each.

The rows grow only at their end. What is the identity or a constant for integers (floor, is_finite
...) takes floats only. Complex operands go their own way (complex_table), under the same opcodes.

`apply1`, `apply2` and `apply3` take as many operands as the operation's arity, all of one dtype; the
result is of `out_dtype`. `select_n`, whose first operand is a mask, is the exception: its function is
`compare.select`. A dtype that an operation does not take is refused at compile time; `supports`
tells. float16 and bfloat16 are computed in float32 and rounded once.
"""

from std.math import ceil, floor, trunc

from elementwise.arithmetic import (
    absolute,
    frexp_exponent,
    frexp_mantissa,
    heaviside,
    ldexp,
    nextafter,
    reciprocal,
    reciprocal_sqrt,
    scaled,
    sign,
    spacing,
)
from elementwise.special.by_float64 import (
    is_special,
    special1,
    special2,
    special3,
)
from elementwise.compare import (
    clamp,
    equal,
    fmax,
    fmin,
    is_finite,
    is_inf,
    maximum,
    minimum,
    not_equal,
)
from elementwise.numbers.convert import converted
from elementwise.division import floor_quotient_float, fmod, remainder
from elementwise.exponential import exp, exp2, expm1, logistic
from elementwise.numbers.floats import copy_sign, is_nan, sign_bit, square_root
from elementwise.hyperbolic import (
    acosh,
    asinh,
    atanh,
    cosh,
    sinh,
    tanh,
)
from elementwise.integer import (
    bit_count,
    floor_quotient,
    floor_remainder,
    gcd,
    integer_power,
    lcm,
    leading_zeros,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
    truncated_quotient,
    truncated_remainder,
)
from elementwise.inverse_trigonometric import acos, asin, atan, atan2
from elementwise.logarithm import log, log10, log1p, log2
from elementwise.power import (
    cbrt,
    hypot,
    logaddexp,
    logaddexp2,
    power,
)
from elementwise.special.erf import erf, erfc
from elementwise.trigonometric import cos, sin, tan
from elementwise.numbers.dtypes import (
    ALL,
    BOOL,
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
from .facts import FORMAT, MODULAR, RAW, Facts, Operation

comptime OPERATION_COUNT = 103
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
    Operation("frexp_mantissa", 1, FLOATS),
    Operation("frexp_exponent", 1, FLOATS),
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


def _widens[op: Int, dtype: DType]() -> Bool:
    """True if operands of half precision are computed in float32."""
    comptime half = dtype == DType.float16 or dtype == DType.bfloat16
    comptime bits = facts[op].bits()
    return half and bits != RAW and bits != FORMAT


@always_inline
def apply1[
    dtype: DType, width: SIMDLength, //, op: Int
](x: SIMD[dtype, width]) -> SIMD[out_dtype[op, dtype](), width]:
    """The unary operation `op` on each lane."""
    comptime assert supports[op, dtype](), "operation without this dtype"
    comptime result = out_dtype[op, dtype]()
    comptime name = OPERATIONS[op].name
    comptime if _widens[op, dtype]():
        return converted[result](apply1[op](x.cast[DType.float32]()))
    elif dtype == DType.bool:
        comptime assert name == "not" or name == "copy", "no such operation"
        comptime if name == "not":
            return rebind[SIMD[result, width]](~x)
        else:
            return rebind[SIMD[result, width]](x)
    elif facts[op].predicate():
        return rebind[SIMD[result, width]](_predicate1[name](x))
    elif dtype.is_floating_point():
        return rebind[SIMD[result, width]](_float1[name](x))
    else:
        return rebind[SIMD[result, width]](_integer1[name](x))


@always_inline
def apply2[
    dtype: DType, width: SIMDLength, //, op: Int
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[
    out_dtype[op, dtype](), width
]:
    """The binary operation `op` on each lane."""
    comptime assert supports[op, dtype](), "operation without this dtype"
    comptime result = out_dtype[op, dtype]()
    comptime name = OPERATIONS[op].name
    comptime if _widens[op, dtype]():
        comptime wide = DType.float32
        return converted[result](apply2[op](a.cast[wide](), b.cast[wide]()))
    elif dtype == DType.bool:
        return rebind[SIMD[result, width]](
            _bool2[name](
                rebind[SIMD[DType.bool, width]](a),
                rebind[SIMD[DType.bool, width]](b),
            )
        )
    elif facts[op].predicate():
        return rebind[SIMD[result, width]](_predicate2[name](a, b))
    elif dtype.is_floating_point():
        return rebind[SIMD[result, width]](_float2[name](a, b))
    else:
        return rebind[SIMD[result, width]](_integer2[name](a, b))


@always_inline
def apply3[
    dtype: DType, width: SIMDLength, //, op: Int
](a: SIMD[dtype, width], b: SIMD[dtype, width], c: SIMD[dtype, width]) -> SIMD[
    out_dtype[op, dtype](), width
]:
    """The ternary operation `op` on each lane; not for select_n."""
    comptime assert supports[op, dtype](), "operation without this dtype"
    comptime result = out_dtype[op, dtype]()
    comptime name = OPERATIONS[op].name
    comptime if name == "clamp":
        return rebind[SIMD[result, width]](clamp(a, b, c))
    elif _widens[op, dtype]():
        comptime wide = DType.float32
        var value = apply3[op](a.cast[wide](), b.cast[wide](), c.cast[wide]())
        return converted[result](value)
    else:
        return rebind[SIMD[result, width]](special3[name](a, b, c))


@always_inline
def _predicate1[
    dtype: DType, width: SIMDLength, //, name: StaticString
](x: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    comptime if name == "is_finite":
        return is_finite(x)
    elif name == "isnan":
        return is_nan(x)
    elif name == "isinf":
        return is_inf(x)
    else:
        comptime assert name == "signbit", "no such operation"
        return sign_bit(x)


@always_inline
def _integer1[
    dtype: DType, width: SIMDLength, //, name: StaticString
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    comptime if name == "neg":
        return -x
    elif name == "abs":
        return absolute(x)
    elif name == "sign":
        return sign(x)
    elif name == "not":
        return ~x
    elif name == "square":
        return x * x
    elif name == "reciprocal":
        return reciprocal(x)
    elif name == "population_count":
        return bit_count(x)
    elif name == "clz":
        return leading_zeros(x)
    else:
        comptime assert name == "copy", "no such operation"
        return x


@always_inline
def _float1[
    dtype: DType, width: SIMDLength, //, name: StaticString
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    comptime degree = 0.017453292519943295
    comptime if name == "neg":
        return -x
    elif name == "abs":
        return absolute(x)
    elif name == "sign":
        return sign(x)
    elif name == "floor":
        return floor(x)
    elif name == "ceil":
        return ceil(x)
    elif name == "round":
        return round(x)
    elif name == "trunc":
        return trunc(x)
    elif name == "sqrt":
        return square_root(x)
    elif name == "rsqrt":
        return reciprocal_sqrt(x)
    elif name == "square":
        return x * x
    elif name == "reciprocal":
        return reciprocal(x)
    elif name == "deg2rad":
        return scaled[degree](x)
    elif name == "rad2deg":
        return scaled[1 / degree](x)
    elif name == "spacing":
        return spacing(x)
    elif name == "frexp_mantissa":
        return frexp_mantissa(x)
    elif name == "frexp_exponent":
        return frexp_exponent(x)
    elif name == "exp":
        return exp(x)
    elif name == "exp2":
        return exp2(x)
    elif name == "expm1":
        return expm1(x)
    elif name == "log":
        return log(x)
    elif name == "log2":
        return log2(x)
    elif name == "log10":
        return log10(x)
    elif name == "log1p":
        return log1p(x)
    elif name == "cbrt":
        return cbrt(x)
    elif name == "sin":
        return sin(x)
    elif name == "cos":
        return cos(x)
    elif name == "tan":
        return tan(x)
    elif name == "asin":
        return asin(x)
    elif name == "acos":
        return acos(x)
    elif name == "atan":
        return atan(x)
    elif name == "sinh":
        return sinh(x)
    elif name == "cosh":
        return cosh(x)
    elif name == "tanh":
        return tanh(x)
    elif name == "asinh":
        return asinh(x)
    elif name == "acosh":
        return acosh(x)
    elif name == "atanh":
        return atanh(x)
    elif name == "logistic":
        return logistic(x)
    elif name == "erf":
        return erf(x)
    elif name == "erfc":
        return erfc(x)
    elif is_special(name):
        return special1[name](x)
    else:
        comptime assert name == "copy", "no such operation"
        return x


@always_inline
def _bool2[
    width: SIMDLength, //, name: StaticString
](a: SIMD[DType.bool, width], b: SIMD[DType.bool, width]) -> SIMD[
    DType.bool, width
]:
    comptime if name == "add" or name == "or":
        return a | b
    elif name == "max" or name == "fmax":
        return a | b
    elif name == "mul" or name == "and":
        return a & b
    elif name == "min" or name == "fmin":
        return a & b
    elif name == "xor" or name == "ne":
        return a ^ b
    elif name == "eq":
        return ~(a ^ b)
    elif name == "lt":
        return ~a & b
    elif name == "le":
        return ~a | b
    elif name == "gt":
        return a & ~b
    else:
        comptime assert name == "ge", "no such operation"
        return a | ~b


@always_inline
def _predicate2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    comptime if name == "eq":
        return equal(a, b)
    elif name == "ne":
        return not_equal(a, b)
    elif name == "lt":
        return a.lt(b)
    elif name == "le":
        return a.le(b)
    elif name == "gt":
        return a.gt(b)
    elif name == "ge":
        return a.ge(b)
    elif name == "logical_and":
        return converted[DType.bool](a) & converted[DType.bool](b)
    elif name == "logical_or":
        return converted[DType.bool](a) | converted[DType.bool](b)
    else:
        comptime assert name == "logical_xor", "no such operation"
        return converted[DType.bool](a) ^ converted[DType.bool](b)


@always_inline
def _common2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """What is written alike for integers and floats."""
    comptime if name == "add":
        return a + b
    elif name == "sub":
        return a - b
    elif name == "mul":
        return a * b
    elif name == "max":
        return maximum(a, b)
    elif name == "min":
        return minimum(a, b)
    elif name == "fmax":
        return fmax(a, b)
    else:
        comptime assert name == "fmin", "no such operation"
        return fmin(a, b)


@always_inline
def _integer2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    comptime if name == "div":
        return truncated_quotient(a, b)
    elif name == "floor_divide":
        return floor_quotient(a, b)
    elif name == "remainder":
        return floor_remainder(a, b)
    elif name == "rem":
        return truncated_remainder(a, b)
    elif name == "and":
        return a & b
    elif name == "or":
        return a | b
    elif name == "xor":
        return a ^ b
    elif name == "shift_left":
        return shift_left(a, b)
    elif name == "shift_right_arithmetic":
        return shift_right_arithmetic(a, b)
    elif name == "shift_right_logical":
        return shift_right_logical(a, b)
    elif name == "pow":
        return integer_power(a, b)
    elif name == "gcd":
        return gcd(a, b)
    elif name == "lcm":
        return lcm(a, b)
    else:
        return _common2[name](a, b)


@always_inline
def _float2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    comptime if name == "div":
        return a / b
    elif name == "floor_divide":
        return floor_quotient_float(a, b)
    elif name == "remainder":
        return remainder(a, b)
    elif name == "rem":
        return fmod(a, b)
    elif name == "copysign":
        return copy_sign(a, b)
    elif name == "nextafter":
        return nextafter(a, b)
    elif name == "heaviside":
        return heaviside(a, b)
    elif name == "ldexp":
        return ldexp(a, b)
    elif name == "atan2":
        return atan2(a, b)
    elif name == "hypot":
        return hypot(a, b)
    elif name == "logaddexp":
        return logaddexp(a, b)
    elif name == "logaddexp2":
        return logaddexp2(a, b)
    elif name == "pow":
        return power(a, b)
    elif is_special(name):
        return special2[name](a, b)
    else:
        return _common2[name](a, b)
