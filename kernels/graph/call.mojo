"""The ops that run structured kernels.

They are run by a library that the process has loaded with its symbols global (`door`), so that both
tiers execute the same machine code, and no graph need be compiled with the kernels in it. The
operand `plan` says what to run, in the words that `door` describes; the numbers of its tensors count
outputs first, then inputs without the plan.
"""

from extensibility import (
    InputTensor,
    InputVariadicTensors,
    OutputTensor,
    register,
)
from max.gpu.host import DeviceContext
from max.runtime.asyncrt import parallelism_level
from structured.operand import OK, OUT_OF_BOUNDS

from .library import plan_entry

comptime Plan = InputTensor[dtype=DType.int64, rank=1, ...]


@no_inline
def run_plan(plan: Int, tensors: List[Int]) raises:
    """Runs a plan on the tensors at these addresses."""
    var run = plan_entry()
    # In memory from the heap: see `fold`.
    var fault = List[Int64](length=4, fill=0)
    var status = run(
        plan,
        Int(tensors.unsafe_ptr()),
        parallelism_level(None),
        Int(fault.unsafe_ptr()),
    )
    if status == OUT_OF_BOUNDS:
        raise Error(
            "jujunp: index ",
            fault[2],
            " is out of bounds for axis ",
            fault[1],
            " with size ",
            fault[3],
        )
    if status != OK:
        raise Error("jujunp: kernel ", fault[0], " failed: ", status)


@register("jj.call1_1")
struct Call1From1:
    """One output, one input."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_2")
struct Call1From2:
    """One output, two inputs."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_3")
struct Call1From3:
    """One output, three inputs."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_4")
struct Call1From4:
    """One output, four inputs."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_1")
struct Call2From1:
    """Two outputs, one input."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_2")
struct Call2From2:
    """Two outputs, two inputs."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_3")
struct Call3From3:
    """Three outputs, three inputs."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_n")
struct Call1FromN:
    """One output, any number of inputs of one dtype, flattened."""

    @staticmethod
    def execute[
        dtype: DType, count: Int, target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        inputs: InputVariadicTensors[dtype=dtype, rank=1, size=count, ...],
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [Int(out0.unsafe_ptr())]
        comptime for index in range(count):
            tensors.append(Int(inputs[index].unsafe_ptr()))
        run_plan(Int(plan.unsafe_ptr()), tensors)
