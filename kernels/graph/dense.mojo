"""Runs a kernel, or a routine, on whole tensors whose shapes are known at run time only.

The operand `words` says what to run, and `sizes` are the values of symbols: see
vm/routines/dense.mojo, which does the rest in the library of the kernels.
"""

from extensibility import OutputTensor, register
from max.gpu.host import DeviceContext
from max.runtime.asyncrt import parallelism_level
from std.utils.index import IndexList

from .call import Words, raise_fault
from .library import dense_entry, size_entry


struct Tensors:
    """The tensors of an op, its outputs first: their number, and address, rank and lengths of each."""

    var words: List[Int]

    def __init__(out self):
        self.words = List[Int]()
        self.words.append(0)

    def add[rank: Int](mut self, address: Int, shape: IndexList[rank]):
        """Adds one tensor."""
        self.words[0] += 1
        self.words.append(address)
        self.words.append(rank)
        comptime for axis in range(rank):
            self.words.append(shape[axis])


@no_inline
def run_dense(words: Int, sizes: Int, tensors: Tensors) raises:
    """Runs a kernel or a routine on tensors."""
    var run = dense_entry()
    # In memory from the heap: see `fold`.
    var fault = List[Int64](length=4, fill=0)
    var status = run(
        words,
        sizes,
        Int(tensors.words.unsafe_ptr()),
        parallelism_level(None),
        Int(fault.unsafe_ptr()),
    )
    raise_fault(status, fault)


@register("jj.size")
struct Size:
    """The value of an expression of sizes."""

    @staticmethod
    def execute[
        target: StaticString
    ](
        output: OutputTensor[dtype=DType.int64, rank=1, ...],
        words: Words,
        sizes: Words,
        ctx: DeviceContext,
    ) raises:
        var value = size_entry()
        output.unsafe_ptr()[unsafe_offset=0] = Int64(
            value(Int(words.unsafe_ptr()), Int(sizes.unsafe_ptr()))
        )
