"""Writes the graph ops that MAX needs one by one, when the graph package is built.

MAX fuses an op only if its struct is registered under a literal name and implements one of the
elementwise traits, so the rows of the table cannot be registered in a loop: `elementwise.mojo` has
an op for each elementwise operation. Nor can an op take any number of tensors of different dtypes:
`arities.mojo` and `dense_arities.mojo` have one for each number of results and inputs.

`python -m jujunp.kernels.generate FOLDER` writes them into a folder, to be read.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .operations import OPERATIONS, Operation, operations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_RESULTS, MOST_INPUTS = 4, 8
"""Results, and inputs of different dtypes, of an op that runs a routine."""
MOST_DENSE_RESULTS, MOST_DENSE_INPUTS = 3, 16
"""Results and inputs of an op that runs a kernel on whole tensors."""

_HEAD = '''"""The elementwise operations as fusable ops, written by `generate.py`."""

from elementwise.numbers.convert import converted
from elementwise.dispatch.operations import apply1, apply2, opcode
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


_ARITIES_HEAD = '''"""Ops that run routines, one for each arity; written by `generate.py`."""

from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext

from .call import Words, run_routine
'''

_ARITY = '''

@register("jj.call{results}_{inputs}")
struct Call{results}From{inputs}:
    """Results: {results}; inputs: {inputs}."""

    @staticmethod
    def execute[
        target: StaticString
    ](
{parameters}
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
{tensors}
        ]
        run_routine(Int(routine.unsafe_ptr()), tensors)
'''


def arities_text() -> str:
    """Return what `arities.mojo` holds."""
    pairs = itertools.product(range(1, MOST_RESULTS + 1), range(MOST_INPUTS + 1))
    line = "            Int({name}.unsafe_ptr()),"
    return _ARITIES_HEAD + "".join(_of_arity(_ARITY, *pair, ("routine",), line) for pair in pairs)


def _of_arity(template: str, results: int, inputs: int, words: Sequence[str], line: str) -> str:
    """Return an op, which takes `words` between results and inputs; `line` is for each tensor."""
    outs = [f"out{k}" for k in range(results)]
    ins = [f"in{k}" for k in range(inputs)]
    parameters = [
        *(f"        {name}: OutputTensor," for name in outs),
        *(f"        {name}: Words," for name in words),
        *(f"        {name}: InputTensor," for name in ins),
    ]
    return template.format(
        results=results,
        inputs=inputs,
        parameters="\n".join(parameters),
        tensors="\n".join(line.format(name=name) for name in (*outs, *ins)),
    )


_DENSE_HEAD = '''"""Ops that run a kernel on whole tensors, by arity; written by `generate.py`."""

from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext

from .call import Words
from .dense import Tensors, run_dense
'''

_DENSE = '''

@register("jj.dense{results}_{inputs}")
struct Dense{results}From{inputs}:
    """Results: {results}; inputs: {inputs}."""

    @staticmethod
    def execute[
        target: StaticString
    ](
{parameters}
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
{tensors}
        run_dense(Int(words.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)
'''


def dense_arities_text() -> str:
    """Return what `dense_arities.mojo` holds."""
    pairs = itertools.product(range(1, MOST_DENSE_RESULTS + 1), range(MOST_DENSE_INPUTS + 1))
    line = "        tensors.add[{name}.rank](Int({name}.unsafe_ptr()), {name}.shape())"
    return _DENSE_HEAD + "".join(
        _of_arity(_DENSE, *pair, ("words", "sizes"), line) for pair in pairs
    )


def elementwise_text(sources: Path) -> str:
    """Return what `elementwise.mojo` holds for the table of operations in a folder of sources."""
    return _HEAD + "".join(_op(op) for op in operations_of(sources).values() if op.trait)


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


def graph_ops(sources: Path) -> dict[str, str]:
    """Return the generated sources by their paths; none where there are no operations."""
    if not (sources / OPERATIONS).exists():
        return {}
    return {
        "graph/elementwise.mojo": elementwise_text(sources),
        "graph/arities.mojo": arities_text(),
        "graph/dense_arities.mojo": dense_arities_text(),
    }


if __name__ == "__main__":
    for name, text in graph_ops(Path(__file__).parent).items():
        (Path(sys.argv[1]) / Path(name).name).write_text(text, encoding="utf-8")
