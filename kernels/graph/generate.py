"""Writes `elementwise.mojo`: one registered op for each elementwise operation.

MAX fuses an op only if its struct is registered under a literal name and implements one of the
elementwise traits, so the rows of the table cannot be registered in a loop. Run this file after
the table has changed: `python kernels/graph/generate.py`.
"""

from __future__ import annotations

from pathlib import Path

from jujunp.lazy.compiled.operations import Operation, operations

OUTPUT = Path(__file__).with_name("elementwise.mojo")

_HEAD = '''"""The elementwise operations as fusable ops, written by `generate.py`."""

from elementwise.convert import converted
from elementwise.operations import opcode
from elementwise.table import apply1, apply2
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
'''

_OP = '''

@register("jj.{name}")
struct {struct}({trait}):
    """Operation `{name}`."""

    @staticmethod
    def elementwise[
        {parameters}
    ](
        {arguments}
    ) -> SIMD[{result}, width]:
        return rebind[SIMD[{result}, width]](
            {apply}[opcode("{name}")]({operands})
        )
'''

_RESULTS = {
    "ElementwiseBinaryComparisonOp": "DType.bool",
    "ElementwiseBinaryOp": "dtype",
    "ElementwiseUnaryMixedOp": "out_dtype",
    "ElementwiseUnaryOp": "dtype",
}


def text() -> str:
    """Return what `elementwise.mojo` holds for the table as it is now."""
    return _HEAD + "".join(_op(op) for op in operations().values() if op.trait)


def _op(op: Operation) -> str:
    operands = ["x"] if op.arity == 1 else ["lhs", "rhs"]
    dtypes = ["dtype", "out_dtype"] if op.trait == "ElementwiseUnaryMixedOp" else ["dtype"]
    parameters = [*(f"{dtype}: DType" for dtype in dtypes), "width: SIMDLength"]
    return _OP.format(
        name=op.name,
        struct="".join(part.capitalize() for part in op.name.split("_")),
        trait=op.trait,
        parameters=", ".join(parameters),
        arguments=", ".join(f"{operand}: SIMD[dtype, width]" for operand in operands),
        result=_RESULTS[op.trait],
        apply=f"apply{op.arity}",
        operands=", ".join(operands),
    )


if __name__ == "__main__":
    OUTPUT.write_text(text(), encoding="utf-8")
