"""Ops that run a kernel on whole tensors, by arity; written by `generate.py`."""

from extensibility import InputTensor, OutputTensor, register
from max.gpu.host import DeviceContext

from .call import Plan
from .dense import Tensors, run_dense


@register("jj.dense1_0")
struct Dense1From0:
    """Results: 1; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](out0: OutputTensor, plan: Plan, sizes: Plan, ctx: DeviceContext,) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_1")
struct Dense1From1:
    """Results: 1; inputs: 1."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_2")
struct Dense1From2:
    """Results: 1; inputs: 2."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_3")
struct Dense1From3:
    """Results: 1; inputs: 3."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_4")
struct Dense1From4:
    """Results: 1; inputs: 4."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_5")
struct Dense1From5:
    """Results: 1; inputs: 5."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_6")
struct Dense1From6:
    """Results: 1; inputs: 6."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_7")
struct Dense1From7:
    """Results: 1; inputs: 7."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_8")
struct Dense1From8:
    """Results: 1; inputs: 8."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
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
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_9")
struct Dense1From9:
    """Results: 1; inputs: 9."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_10")
struct Dense1From10:
    """Results: 1; inputs: 10."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_11")
struct Dense1From11:
    """Results: 1; inputs: 11."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_12")
struct Dense1From12:
    """Results: 1; inputs: 12."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_13")
struct Dense1From13:
    """Results: 1; inputs: 13."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_14")
struct Dense1From14:
    """Results: 1; inputs: 14."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_15")
struct Dense1From15:
    """Results: 1; inputs: 15."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        in14: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        tensors.add[in14.rank](Int(in14.unsafe_ptr()), in14.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense1_16")
struct Dense1From16:
    """Results: 1; inputs: 16."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        in14: InputTensor,
        in15: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        tensors.add[in14.rank](Int(in14.unsafe_ptr()), in14.shape())
        tensors.add[in15.rank](Int(in15.unsafe_ptr()), in15.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_0")
struct Dense2From0:
    """Results: 2; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_1")
struct Dense2From1:
    """Results: 2; inputs: 1."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_2")
struct Dense2From2:
    """Results: 2; inputs: 2."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_3")
struct Dense2From3:
    """Results: 2; inputs: 3."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_4")
struct Dense2From4:
    """Results: 2; inputs: 4."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_5")
struct Dense2From5:
    """Results: 2; inputs: 5."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_6")
struct Dense2From6:
    """Results: 2; inputs: 6."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_7")
struct Dense2From7:
    """Results: 2; inputs: 7."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_8")
struct Dense2From8:
    """Results: 2; inputs: 8."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
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
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_9")
struct Dense2From9:
    """Results: 2; inputs: 9."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_10")
struct Dense2From10:
    """Results: 2; inputs: 10."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_11")
struct Dense2From11:
    """Results: 2; inputs: 11."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_12")
struct Dense2From12:
    """Results: 2; inputs: 12."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_13")
struct Dense2From13:
    """Results: 2; inputs: 13."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_14")
struct Dense2From14:
    """Results: 2; inputs: 14."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_15")
struct Dense2From15:
    """Results: 2; inputs: 15."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        in14: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        tensors.add[in14.rank](Int(in14.unsafe_ptr()), in14.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense2_16")
struct Dense2From16:
    """Results: 2; inputs: 16."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        in14: InputTensor,
        in15: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        tensors.add[in14.rank](Int(in14.unsafe_ptr()), in14.shape())
        tensors.add[in15.rank](Int(in15.unsafe_ptr()), in15.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_0")
struct Dense3From0:
    """Results: 3; inputs: 0."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_1")
struct Dense3From1:
    """Results: 3; inputs: 1."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_2")
struct Dense3From2:
    """Results: 3; inputs: 2."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_3")
struct Dense3From3:
    """Results: 3; inputs: 3."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_4")
struct Dense3From4:
    """Results: 3; inputs: 4."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_5")
struct Dense3From5:
    """Results: 3; inputs: 5."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_6")
struct Dense3From6:
    """Results: 3; inputs: 6."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_7")
struct Dense3From7:
    """Results: 3; inputs: 7."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_8")
struct Dense3From8:
    """Results: 3; inputs: 8."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
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
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_9")
struct Dense3From9:
    """Results: 3; inputs: 9."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_10")
struct Dense3From10:
    """Results: 3; inputs: 10."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_11")
struct Dense3From11:
    """Results: 3; inputs: 11."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_12")
struct Dense3From12:
    """Results: 3; inputs: 12."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_13")
struct Dense3From13:
    """Results: 3; inputs: 13."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_14")
struct Dense3From14:
    """Results: 3; inputs: 14."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_15")
struct Dense3From15:
    """Results: 3; inputs: 15."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        in14: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        tensors.add[in14.rank](Int(in14.unsafe_ptr()), in14.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)


@register("jj.dense3_16")
struct Dense3From16:
    """Results: 3; inputs: 16."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        out0: OutputTensor,
        out1: OutputTensor,
        out2: OutputTensor,
        plan: Plan,
        sizes: Plan,
        in0: InputTensor,
        in1: InputTensor,
        in2: InputTensor,
        in3: InputTensor,
        in4: InputTensor,
        in5: InputTensor,
        in6: InputTensor,
        in7: InputTensor,
        in8: InputTensor,
        in9: InputTensor,
        in10: InputTensor,
        in11: InputTensor,
        in12: InputTensor,
        in13: InputTensor,
        in14: InputTensor,
        in15: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var tensors = Tensors()
        tensors.add[out0.rank](Int(out0.unsafe_ptr()), out0.shape())
        tensors.add[out1.rank](Int(out1.unsafe_ptr()), out1.shape())
        tensors.add[out2.rank](Int(out2.unsafe_ptr()), out2.shape())
        tensors.add[in0.rank](Int(in0.unsafe_ptr()), in0.shape())
        tensors.add[in1.rank](Int(in1.unsafe_ptr()), in1.shape())
        tensors.add[in2.rank](Int(in2.unsafe_ptr()), in2.shape())
        tensors.add[in3.rank](Int(in3.unsafe_ptr()), in3.shape())
        tensors.add[in4.rank](Int(in4.unsafe_ptr()), in4.shape())
        tensors.add[in5.rank](Int(in5.unsafe_ptr()), in5.shape())
        tensors.add[in6.rank](Int(in6.unsafe_ptr()), in6.shape())
        tensors.add[in7.rank](Int(in7.unsafe_ptr()), in7.shape())
        tensors.add[in8.rank](Int(in8.unsafe_ptr()), in8.shape())
        tensors.add[in9.rank](Int(in9.unsafe_ptr()), in9.shape())
        tensors.add[in10.rank](Int(in10.unsafe_ptr()), in10.shape())
        tensors.add[in11.rank](Int(in11.unsafe_ptr()), in11.shape())
        tensors.add[in12.rank](Int(in12.unsafe_ptr()), in12.shape())
        tensors.add[in13.rank](Int(in13.unsafe_ptr()), in13.shape())
        tensors.add[in14.rank](Int(in14.unsafe_ptr()), in14.shape())
        tensors.add[in15.rank](Int(in15.unsafe_ptr()), in15.shape())
        run_dense(Int(plan.unsafe_ptr()), Int(sizes.unsafe_ptr()), tensors)
