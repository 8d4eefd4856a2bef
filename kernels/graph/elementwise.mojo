"""The elementwise operations as fusable ops, written by `generate.py`."""

from elementwise.numbers.convert import converted
from elementwise.dispatch.operations import opcode
from elementwise.dispatch.table import apply1, apply2
from extensibility import (
    ElementwiseBinaryComparisonOp,
    ElementwiseBinaryOp,
    ElementwiseUnaryMixedOp,
    ElementwiseUnaryOp,
    register,
)


@register("jj.convert_element_type")
struct ConvertElementType(ElementwiseUnaryMixedOp):
    """Conversion to another dtype."""

    @staticmethod
    def elementwise[
        dtype: DType, out_dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[out_dtype, width]:
        return converted[out_dtype](x)


@register("jj.neg")
struct Neg(ElementwiseUnaryOp):
    """Operation `neg`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("neg")](x))


@register("jj.abs")
struct Abs(ElementwiseUnaryOp):
    """Operation `abs`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("abs")](x))


@register("jj.sign")
struct Sign(ElementwiseUnaryOp):
    """Operation `sign`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("sign")](x))


@register("jj.floor")
struct Floor(ElementwiseUnaryOp):
    """Operation `floor`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("floor")](x))


@register("jj.ceil")
struct Ceil(ElementwiseUnaryOp):
    """Operation `ceil`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("ceil")](x))


@register("jj.round")
struct Round(ElementwiseUnaryOp):
    """Operation `round`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("round")](x))


@register("jj.trunc")
struct Trunc(ElementwiseUnaryOp):
    """Operation `trunc`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("trunc")](x))


@register("jj.not")
struct Not(ElementwiseUnaryOp):
    """Operation `not`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("not")](x))


@register("jj.sqrt")
struct Sqrt(ElementwiseUnaryOp):
    """Operation `sqrt`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("sqrt")](x))


@register("jj.rsqrt")
struct Rsqrt(ElementwiseUnaryOp):
    """Operation `rsqrt`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("rsqrt")](x))


@register("jj.square")
struct Square(ElementwiseUnaryOp):
    """Operation `square`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("square")](x))


@register("jj.reciprocal")
struct Reciprocal(ElementwiseUnaryOp):
    """Operation `reciprocal`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("reciprocal")](x))


@register("jj.is_finite")
struct IsFinite(ElementwiseUnaryMixedOp):
    """Operation `is_finite`."""

    @staticmethod
    def elementwise[
        dtype: DType, out_dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[out_dtype, width]:
        return rebind[SIMD[out_dtype, width]](apply1[opcode("is_finite")](x))


@register("jj.isnan")
struct Isnan(ElementwiseUnaryMixedOp):
    """Operation `isnan`."""

    @staticmethod
    def elementwise[
        dtype: DType, out_dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[out_dtype, width]:
        return rebind[SIMD[out_dtype, width]](apply1[opcode("isnan")](x))


@register("jj.isinf")
struct Isinf(ElementwiseUnaryMixedOp):
    """Operation `isinf`."""

    @staticmethod
    def elementwise[
        dtype: DType, out_dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[out_dtype, width]:
        return rebind[SIMD[out_dtype, width]](apply1[opcode("isinf")](x))


@register("jj.signbit")
struct Signbit(ElementwiseUnaryMixedOp):
    """Operation `signbit`."""

    @staticmethod
    def elementwise[
        dtype: DType, out_dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[out_dtype, width]:
        return rebind[SIMD[out_dtype, width]](apply1[opcode("signbit")](x))


@register("jj.population_count")
struct PopulationCount(ElementwiseUnaryOp):
    """Operation `population_count`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("population_count")](x))


@register("jj.clz")
struct Clz(ElementwiseUnaryOp):
    """Operation `clz`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("clz")](x))


@register("jj.deg2rad")
struct Deg2rad(ElementwiseUnaryOp):
    """Operation `deg2rad`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("deg2rad")](x))


@register("jj.rad2deg")
struct Rad2deg(ElementwiseUnaryOp):
    """Operation `rad2deg`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("rad2deg")](x))


@register("jj.spacing")
struct Spacing(ElementwiseUnaryOp):
    """Operation `spacing`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("spacing")](x))


@register("jj.copy")
struct Copy(ElementwiseUnaryOp):
    """Operation `copy`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("copy")](x))


@register("jj.add")
struct Add(ElementwiseBinaryOp):
    """Operation `add`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("add")](lhs, rhs))


@register("jj.sub")
struct Sub(ElementwiseBinaryOp):
    """Operation `sub`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("sub")](lhs, rhs))


@register("jj.mul")
struct Mul(ElementwiseBinaryOp):
    """Operation `mul`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("mul")](lhs, rhs))


@register("jj.div")
struct Div(ElementwiseBinaryOp):
    """Operation `div`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("div")](lhs, rhs))


@register("jj.floor_divide")
struct FloorDivide(ElementwiseBinaryOp):
    """Operation `floor_divide`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("floor_divide")](lhs, rhs)
        )


@register("jj.remainder")
struct Remainder(ElementwiseBinaryOp):
    """Operation `remainder`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("remainder")](lhs, rhs))


@register("jj.rem")
struct Rem(ElementwiseBinaryOp):
    """Operation `rem`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("rem")](lhs, rhs))


@register("jj.max")
struct Max(ElementwiseBinaryOp):
    """Operation `max`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("max")](lhs, rhs))


@register("jj.min")
struct Min(ElementwiseBinaryOp):
    """Operation `min`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("min")](lhs, rhs))


@register("jj.fmax")
struct Fmax(ElementwiseBinaryOp):
    """Operation `fmax`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("fmax")](lhs, rhs))


@register("jj.fmin")
struct Fmin(ElementwiseBinaryOp):
    """Operation `fmin`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("fmin")](lhs, rhs))


@register("jj.copysign")
struct Copysign(ElementwiseBinaryOp):
    """Operation `copysign`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("copysign")](lhs, rhs))


@register("jj.nextafter")
struct Nextafter(ElementwiseBinaryOp):
    """Operation `nextafter`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("nextafter")](lhs, rhs))


@register("jj.heaviside")
struct Heaviside(ElementwiseBinaryOp):
    """Operation `heaviside`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("heaviside")](lhs, rhs))


@register("jj.ldexp")
struct Ldexp(ElementwiseBinaryOp):
    """Operation `ldexp`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("ldexp")](lhs, rhs))


@register("jj.and")
struct And(ElementwiseBinaryOp):
    """Operation `and`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("and")](lhs, rhs))


@register("jj.or")
struct Or(ElementwiseBinaryOp):
    """Operation `or`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("or")](lhs, rhs))


@register("jj.xor")
struct Xor(ElementwiseBinaryOp):
    """Operation `xor`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("xor")](lhs, rhs))


@register("jj.shift_left")
struct ShiftLeft(ElementwiseBinaryOp):
    """Operation `shift_left`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("shift_left")](lhs, rhs)
        )


@register("jj.shift_right_arithmetic")
struct ShiftRightArithmetic(ElementwiseBinaryOp):
    """Operation `shift_right_arithmetic`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("shift_right_arithmetic")](lhs, rhs)
        )


@register("jj.shift_right_logical")
struct ShiftRightLogical(ElementwiseBinaryOp):
    """Operation `shift_right_logical`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("shift_right_logical")](lhs, rhs)
        )


@register("jj.gcd")
struct Gcd(ElementwiseBinaryOp):
    """Operation `gcd`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("gcd")](lhs, rhs))


@register("jj.lcm")
struct Lcm(ElementwiseBinaryOp):
    """Operation `lcm`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("lcm")](lhs, rhs))


@register("jj.eq")
struct Eq(ElementwiseBinaryComparisonOp):
    """Operation `eq`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](apply2[opcode("eq")](lhs, rhs))


@register("jj.ne")
struct Ne(ElementwiseBinaryComparisonOp):
    """Operation `ne`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](apply2[opcode("ne")](lhs, rhs))


@register("jj.lt")
struct Lt(ElementwiseBinaryComparisonOp):
    """Operation `lt`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](apply2[opcode("lt")](lhs, rhs))


@register("jj.le")
struct Le(ElementwiseBinaryComparisonOp):
    """Operation `le`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](apply2[opcode("le")](lhs, rhs))


@register("jj.gt")
struct Gt(ElementwiseBinaryComparisonOp):
    """Operation `gt`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](apply2[opcode("gt")](lhs, rhs))


@register("jj.ge")
struct Ge(ElementwiseBinaryComparisonOp):
    """Operation `ge`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](apply2[opcode("ge")](lhs, rhs))


@register("jj.logical_and")
struct LogicalAnd(ElementwiseBinaryComparisonOp):
    """Operation `logical_and`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](
            apply2[opcode("logical_and")](lhs, rhs)
        )


@register("jj.logical_or")
struct LogicalOr(ElementwiseBinaryComparisonOp):
    """Operation `logical_or`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](
            apply2[opcode("logical_or")](lhs, rhs)
        )


@register("jj.logical_xor")
struct LogicalXor(ElementwiseBinaryComparisonOp):
    """Operation `logical_xor`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[
        DType.bool, width
    ]:
        return rebind[SIMD[DType.bool, width]](
            apply2[opcode("logical_xor")](lhs, rhs)
        )


@register("jj.exp")
struct Exp(ElementwiseUnaryOp):
    """Operation `exp`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("exp")](x))


@register("jj.exp2")
struct Exp2(ElementwiseUnaryOp):
    """Operation `exp2`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("exp2")](x))


@register("jj.expm1")
struct Expm1(ElementwiseUnaryOp):
    """Operation `expm1`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("expm1")](x))


@register("jj.log")
struct Log(ElementwiseUnaryOp):
    """Operation `log`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("log")](x))


@register("jj.log2")
struct Log2(ElementwiseUnaryOp):
    """Operation `log2`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("log2")](x))


@register("jj.log10")
struct Log10(ElementwiseUnaryOp):
    """Operation `log10`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("log10")](x))


@register("jj.log1p")
struct Log1p(ElementwiseUnaryOp):
    """Operation `log1p`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("log1p")](x))


@register("jj.cbrt")
struct Cbrt(ElementwiseUnaryOp):
    """Operation `cbrt`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("cbrt")](x))


@register("jj.sin")
struct Sin(ElementwiseUnaryOp):
    """Operation `sin`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("sin")](x))


@register("jj.cos")
struct Cos(ElementwiseUnaryOp):
    """Operation `cos`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("cos")](x))


@register("jj.tan")
struct Tan(ElementwiseUnaryOp):
    """Operation `tan`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("tan")](x))


@register("jj.asin")
struct Asin(ElementwiseUnaryOp):
    """Operation `asin`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("asin")](x))


@register("jj.acos")
struct Acos(ElementwiseUnaryOp):
    """Operation `acos`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("acos")](x))


@register("jj.atan")
struct Atan(ElementwiseUnaryOp):
    """Operation `atan`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("atan")](x))


@register("jj.sinh")
struct Sinh(ElementwiseUnaryOp):
    """Operation `sinh`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("sinh")](x))


@register("jj.cosh")
struct Cosh(ElementwiseUnaryOp):
    """Operation `cosh`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("cosh")](x))


@register("jj.tanh")
struct Tanh(ElementwiseUnaryOp):
    """Operation `tanh`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("tanh")](x))


@register("jj.asinh")
struct Asinh(ElementwiseUnaryOp):
    """Operation `asinh`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("asinh")](x))


@register("jj.acosh")
struct Acosh(ElementwiseUnaryOp):
    """Operation `acosh`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("acosh")](x))


@register("jj.atanh")
struct Atanh(ElementwiseUnaryOp):
    """Operation `atanh`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("atanh")](x))


@register("jj.logistic")
struct Logistic(ElementwiseUnaryOp):
    """Operation `logistic`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("logistic")](x))


@register("jj.erf")
struct Erf(ElementwiseUnaryOp):
    """Operation `erf`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("erf")](x))


@register("jj.erfc")
struct Erfc(ElementwiseUnaryOp):
    """Operation `erfc`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("erfc")](x))


@register("jj.atan2")
struct Atan2(ElementwiseBinaryOp):
    """Operation `atan2`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("atan2")](lhs, rhs))


@register("jj.hypot")
struct Hypot(ElementwiseBinaryOp):
    """Operation `hypot`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("hypot")](lhs, rhs))


@register("jj.logaddexp")
struct Logaddexp(ElementwiseBinaryOp):
    """Operation `logaddexp`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("logaddexp")](lhs, rhs))


@register("jj.logaddexp2")
struct Logaddexp2(ElementwiseBinaryOp):
    """Operation `logaddexp2`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("logaddexp2")](lhs, rhs)
        )


@register("jj.pow")
struct Pow(ElementwiseBinaryOp):
    """Operation `pow`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("pow")](lhs, rhs))


@register("jj.erf_inv")
struct ErfInv(ElementwiseUnaryOp):
    """Operation `erf_inv`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("erf_inv")](x))


@register("jj.lgamma")
struct Lgamma(ElementwiseUnaryOp):
    """Operation `lgamma`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("lgamma")](x))


@register("jj.digamma")
struct Digamma(ElementwiseUnaryOp):
    """Operation `digamma`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("digamma")](x))


@register("jj.bessel_i0e")
struct BesselI0e(ElementwiseUnaryOp):
    """Operation `bessel_i0e`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("bessel_i0e")](x))


@register("jj.bessel_i1e")
struct BesselI1e(ElementwiseUnaryOp):
    """Operation `bessel_i1e`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("bessel_i1e")](x))


@register("jj.i0")
struct I0(ElementwiseUnaryOp):
    """Operation `i0`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply1[opcode("i0")](x))


@register("jj.zeta")
struct Zeta(ElementwiseBinaryOp):
    """Operation `zeta`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("zeta")](lhs, rhs))


@register("jj.polygamma")
struct Polygamma(ElementwiseBinaryOp):
    """Operation `polygamma`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("polygamma")](lhs, rhs))


@register("jj.igamma")
struct Igamma(ElementwiseBinaryOp):
    """Operation `igamma`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("igamma")](lhs, rhs))


@register("jj.igammac")
struct Igammac(ElementwiseBinaryOp):
    """Operation `igammac`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](apply2[opcode("igammac")](lhs, rhs))


@register("jj.igamma_grad_a")
struct IgammaGradA(ElementwiseBinaryOp):
    """Operation `igamma_grad_a`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("igamma_grad_a")](lhs, rhs)
        )


@register("jj.random_gamma_grad")
struct RandomGammaGrad(ElementwiseBinaryOp):
    """Operation `random_gamma_grad`."""

    @staticmethod
    def elementwise[
        dtype: DType, width: SIMDLength
    ](lhs: SIMD[dtype, width], rhs: SIMD[dtype, width]) -> SIMD[dtype, width]:
        return rebind[SIMD[dtype, width]](
            apply2[opcode("random_gamma_grad")](lhs, rhs)
        )
