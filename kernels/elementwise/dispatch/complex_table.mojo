"""The function of each operation for complex operands, by name.

All but the simplest operations on complex64 are computed in float64 and
rounded once.
"""

from elementwise.complex.arithmetic import (
    divide,
    equal,
    largest,
    largest_number,
    less,
    multiply,
    reciprocal,
    sign,
    smallest,
    smallest_number,
    square,
)
from elementwise.complex.exponential import (
    cos_complex,
    cosh_complex,
    exp,
    exp2,
    expm1_complex,
    logistic_complex,
    sin_complex,
    sinh_complex,
    tan_complex,
    tanh_complex,
)
from elementwise.complex.logarithm import (
    acos_complex,
    acosh_complex,
    asin_complex,
    asinh_complex,
    atan_complex,
    atanh_complex,
    log10_complex,
    log1p_complex,
    log2_complex,
    log_complex,
)
from elementwise.complex.number import Complex
from elementwise.complex.power import power_complex, sqrt
from elementwise.power import hypot


comptime _IN_FLOAT32: Array[StaticString, 14] = [
    "copy",
    "neg",
    "conj",
    "round",
    "square",
    "add",
    "sub",
    "mul",
    "div",
    "reciprocal",
    "max",
    "min",
    "fmax",
    "fmin",
]
"""What is computed in the dtype of the operands, whatever it is."""


def _widens[dtype: DType, name: StaticString]() -> Bool:
    """True if complex64 operands are computed in float64."""
    comptime for k in range(len(_IN_FLOAT32)):
        comptime known = _IN_FLOAT32[k]
        if name == known:
            return False
    return dtype == DType.float32


@always_inline
def apply_part[
    dtype: DType, width: SIMDLength, //, name: StaticString
](z: Complex[dtype, width]) -> SIMD[dtype, width]:
    """A unary operation whose result is real."""
    comptime if name == "abs":
        return hypot(z.re, z.im)
    elif name == "real":
        return z.re
    else:
        comptime assert name == "imag", "no such operation"
        return z.im


@always_inline
def apply_predicate1[
    dtype: DType, width: SIMDLength, //, name: StaticString
](z: Complex[dtype, width]) -> SIMD[DType.bool, width]:
    """A unary operation whose result is bool."""
    comptime if name == "is_finite":
        return z.finite()
    elif name == "isnan":
        return z.has_nan()
    else:
        comptime assert name == "isinf", "no such operation"
        return z.has_inf()


@always_inline
def apply_predicate2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: Complex[dtype, width], b: Complex[dtype, width]) -> SIMD[
    DType.bool, width
]:
    """A comparison."""
    comptime if name == "eq":
        return equal(a, b)
    elif name == "ne":
        return ~equal(a, b)
    elif name == "lt":
        return less[False](a, b)
    elif name == "le":
        return less[True](a, b)
    elif name == "gt":
        return less[False](b, a)
    else:
        comptime assert name == "ge", "no such operation"
        return less[True](b, a)


@always_inline
def apply1[
    dtype: DType, width: SIMDLength, //, name: StaticString
](z: Complex[dtype, width]) -> Complex[dtype, width]:
    """A unary operation whose result is complex."""
    comptime if _widens[dtype, name]():
        return apply1[name](z.cast[DType.float64]()).cast[dtype]()
    elif name == "copy":
        return z
    elif name == "neg":
        return z.negative()
    elif name == "conj":
        return z.conjugate()
    elif name == "round":
        return Complex[dtype, width](round(z.re), round(z.im))
    elif name == "sign":
        return sign(z)
    elif name == "square":
        return square(z)
    elif name == "sqrt":
        return sqrt(z)
    elif name == "reciprocal":
        return reciprocal(z)
    else:
        comptime assert dtype == DType.float64, "an elementary function"
        comptime F = Complex[DType.float64, width]
        return rebind[Complex[dtype, width]](_elementary[name](rebind[F](z)))


@always_inline
def _elementary[
    width: SIMDLength, //, name: StaticString
](z: Complex[DType.float64, width]) -> Complex[DType.float64, width]:
    comptime if name == "exp":
        return exp(z)
    elif name == "exp2":
        return exp2(z)
    elif name == "expm1":
        return expm1_complex(z)
    elif name == "logistic":
        return logistic_complex(z)
    elif name == "log":
        return log_complex(z)
    elif name == "log1p":
        return log1p_complex(z)
    elif name == "log2":
        return log2_complex(z)
    elif name == "log10":
        return log10_complex(z)
    elif name == "sin":
        return sin_complex(z)
    elif name == "cos":
        return cos_complex(z)
    elif name == "tan":
        return tan_complex(z)
    elif name == "sinh":
        return sinh_complex(z)
    elif name == "cosh":
        return cosh_complex(z)
    elif name == "tanh":
        return tanh_complex(z)
    elif name == "asin":
        return asin_complex(z)
    elif name == "acos":
        return acos_complex(z)
    elif name == "atan":
        return atan_complex(z)
    elif name == "asinh":
        return asinh_complex(z)
    elif name == "acosh":
        return acosh_complex(z)
    else:
        comptime assert name == "atanh", "no such operation"
        return atanh_complex(z)


@always_inline
def apply2[
    dtype: DType, width: SIMDLength, //, name: StaticString
](a: Complex[dtype, width], b: Complex[dtype, width]) -> Complex[dtype, width]:
    """A binary operation whose result is complex."""
    comptime if _widens[dtype, name]():
        comptime wide = DType.float64
        return apply2[name](a.cast[wide](), b.cast[wide]()).cast[dtype]()
    elif name == "add":
        return Complex[dtype, width](a.re + b.re, a.im + b.im)
    elif name == "sub":
        return Complex[dtype, width](a.re - b.re, a.im - b.im)
    elif name == "mul":
        return multiply(a, b)
    elif name == "div":
        return divide(a, b)
    elif name == "max":
        return largest(a, b)
    elif name == "min":
        return smallest(a, b)
    elif name == "fmax":
        return largest_number(a, b)
    elif name == "fmin":
        return smallest_number(a, b)
    else:
        comptime assert name == "pow", "no such operation"
        comptime F = Complex[DType.float64, width]
        return rebind[Complex[dtype, width]](
            power_complex(rebind[F](a), rebind[F](b))
        )
