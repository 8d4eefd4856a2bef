"""Threads of MAX's runtime: running independent tasks of a compiled graph's operations."""
from max.algorithm import parallelize

from structured.ieee import enter_ieee, leave_ieee

comptime _PARALLEL_WORK = 1 << 19
"""Element operations below which threads do not pay: starting them takes 12 to 20 us."""


def parallel_for[F: def(Int) -> None](task: F, count: Int):
    """Runs `task(0) .. task(count - 1)` in any order, on several threads when count > 1.

    Worker threads flush subnormal numbers to zero by default; tasks here see IEEE arithmetic.
    """
    if count <= 1:
        if count == 1:
            task(0)
        return

    def guarded(index: Int) {imm}:
        var saved = enter_ieee()
        task(index)
        leave_ieee(saved)

    parallelize(guarded, count)


@always_inline
def task_count(work: Int, threads: Int) -> Int:
    """Tasks to split `work` element operations into: 1 when threads do not pay."""
    if threads <= 1 or work < _PARALLEL_WORK:
        return 1
    return threads
