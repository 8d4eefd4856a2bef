"""Threads: running independent tasks on the cores with IEEE arithmetic intact."""
from max.algorithm import parallelize
from std.sys import CompilationTarget
from std.sys._assembly import inlined_assembly

comptime PARALLEL_WORK = 1 << 19
"""Element operations below which threads do not pay.

Starting them takes 12 to 20 us, ten times that when other programs need the cores, in which time
one core moves or adds some 200,000 numbers.
"""
comptime _IEEE_MXCSR = UInt32(0x1F80)
"""All exceptions masked, round to nearest, subnormals kept."""


@always_inline
def _enter_ieee() -> UInt32:
    """Turns flush-to-zero off on this thread; returns the state to restore."""
    var saved = UInt32(0)
    comptime if CompilationTarget.is_x86():
        # Both words go through memory by volatile accesses: the instructions take an address,
        # and the optimizer must not think that the words are unused.
        var word = Array[UInt32, 1](fill=0)
        var address = Pointer(to=word[0])
        inlined_assembly["stmxcsr ($0)", NoneType, constraints="r,~{memory}"](
            address
        )
        saved = address.unsafe_load[volatile=True](0)
        address.unsafe_store[volatile=True](0, _IEEE_MXCSR)
        inlined_assembly["ldmxcsr ($0)", NoneType, constraints="r,~{memory}"](
            address
        )
    return saved


@always_inline
def _leave_ieee(saved: UInt32):
    """Restores what `_enter_ieee` found."""
    comptime if CompilationTarget.is_x86():
        var word = Array[UInt32, 1](fill=0)
        var address = Pointer(to=word[0])
        address.unsafe_store[volatile=True](0, saved)
        inlined_assembly["ldmxcsr ($0)", NoneType, constraints="r,~{memory}"](
            address
        )


def parallel_for[F: def(Int) -> None](task: F, count: Int):
    """Runs `task(0) .. task(count - 1)` in any order, on several threads when count > 1.

    Worker threads flush subnormal numbers to zero by default; tasks here see IEEE arithmetic.
    """
    if count <= 1:
        if count == 1:
            task(0)
        return

    def guarded(index: Int) {imm}:
        var saved = _enter_ieee()
        task(index)
        _leave_ieee(saved)

    parallelize(guarded, count)


@always_inline
def task_count(work: Int, threads: Int) -> Int:
    """Tasks to split `work` element operations into: 1 when threads do not pay."""
    if threads <= 1 or work < PARALLEL_WORK:
        return 1
    return threads


@always_inline
def part(total: Int, index: Int, count: Int) -> Int:
    """Start of share `index` of `total` items dealt to `count` tasks; share `count` ends it."""
    return total * index // count
