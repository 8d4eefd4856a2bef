"""Ops that run plans, one for each arity; written by `generate.py`."""

from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext

from .call import Plan, run_plan


@register("jj.call1_0")
struct Call1From0:
    """Results: 1; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](out0: OutputTensor, plan: Plan, ctx: DeviceContext,) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_1")
struct Call1From1:
    """Results: 1; inputs: 1."""

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
    """Results: 1; inputs: 2."""

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
    """Results: 1; inputs: 3."""

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
    """Results: 1; inputs: 4."""

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


@register("jj.call1_5")
struct Call1From5:
    """Results: 1; inputs: 5."""

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
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_6")
struct Call1From6:
    """Results: 1; inputs: 6."""

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
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_7")
struct Call1From7:
    """Results: 1; inputs: 7."""

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
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call1_8")
struct Call1From8:
    """Results: 1; inputs: 8."""

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
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
            Int(in7.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_0")
struct Call2From0:
    """Results: 2; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_1")
struct Call2From1:
    """Results: 2; inputs: 1."""

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
    """Results: 2; inputs: 2."""

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


@register("jj.call2_3")
struct Call2From3:
    """Results: 2; inputs: 3."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_4")
struct Call2From4:
    """Results: 2; inputs: 4."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_5")
struct Call2From5:
    """Results: 2; inputs: 5."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_6")
struct Call2From6:
    """Results: 2; inputs: 6."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_7")
struct Call2From7:
    """Results: 2; inputs: 7."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call2_8")
struct Call2From8:
    """Results: 2; inputs: 8."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
            Int(in7.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_0")
struct Call3From0:
    """Results: 3; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_1")
struct Call3From1:
    """Results: 3; inputs: 1."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_2")
struct Call3From2:
    """Results: 3; inputs: 2."""

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
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_3")
struct Call3From3:
    """Results: 3; inputs: 3."""

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


@register("jj.call3_4")
struct Call3From4:
    """Results: 3; inputs: 4."""

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
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_5")
struct Call3From5:
    """Results: 3; inputs: 5."""

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
        in3: InputTensor,
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_6")
struct Call3From6:
    """Results: 3; inputs: 6."""

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
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_7")
struct Call3From7:
    """Results: 3; inputs: 7."""

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
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call3_8")
struct Call3From8:
    """Results: 3; inputs: 8."""

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
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
            Int(in7.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_0")
struct Call4From0:
    """Results: 4; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_1")
struct Call4From1:
    """Results: 4; inputs: 1."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_2")
struct Call4From2:
    """Results: 4; inputs: 2."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_3")
struct Call4From3:
    """Results: 4; inputs: 3."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
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
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_4")
struct Call4From4:
    """Results: 4; inputs: 4."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_5")
struct Call4From5:
    """Results: 4; inputs: 5."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_6")
struct Call4From6:
    """Results: 4; inputs: 6."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_7")
struct Call4From7:
    """Results: 4; inputs: 7."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)


@register("jj.call4_8")
struct Call4From8:
    """Results: 4; inputs: 8."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        out3: OutputTensor,
        plan: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [
            Int(out0.unsafe_ptr()),
            Int(out1.unsafe_ptr()),
            Int(out2.unsafe_ptr()),
            Int(out3.unsafe_ptr()),
            Int(in0.unsafe_ptr()),
            Int(in1.unsafe_ptr()),
            Int(in2.unsafe_ptr()),
            Int(in3.unsafe_ptr()),
            Int(in4.unsafe_ptr()),
            Int(in5.unsafe_ptr()),
            Int(in6.unsafe_ptr()),
            Int(in7.unsafe_ptr()),
        ]
        run_plan(Int(plan.unsafe_ptr()), tensors)
