"""The ops that run structured kernels.

They are run by the library of the kernels (vm/jjvm.mojo), whose symbols are global, so that both
tiers execute the same machine code, and no graph need be compiled with the kernels in it. The
operand `routine` says what to run, in the words that `vm/routines/routines.mojo` describes; the
numbers of its tensors count outputs first, then inputs without the routine.
"""

from std.sys import size_of

from extensibility import (
    InputTensor,
    InputVariadicTensors,
    OutputTensor,
    register,
)
from max.gpu.host import DeviceContext
from max.runtime.asyncrt import parallelism_level
from structured.operands.memory import move_bytes
from structured.operands.operand import OK, OUT_OF_BOUNDS

from .library import routine_entry

comptime Words = InputTensor[dtype=DType.int64, rank=1, ...]


@no_inline
def run_routine(routine: Int, tensors: List[Int]) raises:
    """Runs a routine on the tensors at these addresses."""
    var run = routine_entry()
    # In memory from the heap: see `fold`.
    var fault = List[Int64](length=4, fill=0)
    var status = run(
        routine,
        Int(tensors.unsafe_ptr()),
        parallelism_level(None),
        Int(fault.unsafe_ptr()),
    )
    raise_fault(status, fault)


def raise_fault(status: Int, fault: List[Int64]) raises:
    """Raises what a status says; `fault` has the kernel, then axis, index and size."""
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


@register("jj.call1_n")
struct Call1FromN:
    """One output, any number of inputs of one dtype, flattened."""

    @staticmethod
    def execute[
        dtype: DType, count: Int, target: StaticString
    ](
        out0: OutputTensor,
        routine: Words,
        inputs: InputVariadicTensors[dtype=dtype, rank=1, size=count, ...],
        ctx: DeviceContext,
    ) raises:
        var tensors: List[Int] = [Int(out0.unsafe_ptr())]
        comptime for index in range(count):
            tensors.append(Int(inputs[index].unsafe_ptr()))
        run_routine(Int(routine.unsafe_ptr()), tensors)


@register("jj.room")
struct Room:
    """New memory, not initialised, and its address: a loop fills it part by part.

    A loop of MAX carries tensors only, and would copy them at every turn. So it carries the
    address; the memory is in use until `jj.filled` reads it. It depends on the anchor, or on the
    count of the loop around it, as MAX evaluates what depends on constants alone.
    """

    @staticmethod
    def execute[
        target: StaticString
    ](
        memory: OutputTensor,
        address: OutputTensor[dtype=DType.int64, rank=1, ...],
        number: InputTensor[dtype=DType.int64, rank=1, ...],
        anchor: InputTensor[dtype=DType.int64, rank=1, ...],
        ctx: DeviceContext,
    ) raises:
        address.unsafe_ptr()[unsafe_offset=0] = Int64(Int(memory.unsafe_ptr()))


@register("jj.put")
struct Put:
    """Runs a routine whose first tensor is such memory; returns its address again."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        after: OutputTensor[dtype=DType.int64, rank=1, ...],
        routine: Words,
        address: InputTensor[dtype=DType.int64, rank=1, ...],
        row: InputTensor,
        place: InputTensor,
        ctx: DeviceContext,
    ) raises:
        var memory = address.unsafe_ptr()[unsafe_offset=0]
        var tensors: List[Int] = [
            Int(memory),
            Int(row.unsafe_ptr()),
            Int(place.unsafe_ptr()),
        ]
        run_routine(Int(routine.unsafe_ptr()), tensors)
        after.unsafe_ptr()[unsafe_offset=0] = memory


@register("jj.filled")
struct Filled:
    """What such memory holds when the loop has given its address back."""

    @staticmethod
    def execute[
        dtype: DType, target: StaticString
    ](
        output: OutputTensor[dtype=dtype, rank=1, ...],
        memory: InputTensor[dtype=dtype, rank=1, ...],
        address: InputTensor[dtype=DType.int64, rank=1, ...],
        ctx: DeviceContext,
    ) raises:
        move_bytes(
            Int(output.unsafe_ptr()),
            Int(memory.unsafe_ptr()),
            output.size() * size_of[Scalar[dtype]](),
        )
