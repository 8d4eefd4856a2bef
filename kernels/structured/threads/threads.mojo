"""Threads: running independent tasks on the cores with IEEE arithmetic intact."""
from structured.threads.workers import Share, Shared, share_out

comptime PARALLEL_WORK = 1 << 16
"""Element operations below which threads do not pay."""
comptime ALL = Int.MAX
"""As many threads as there are tasks."""


def deal[F: def(Int) -> None](task: F, count: Int, threads: Int, share: Share):
    """Has `share` run `task(0) .. task(count - 1)` in any order."""

    def run(shared: Shared, index: Int) abi("C"):
        shared.unsafe_bitcast[F]()[](index)

    var shared = Pointer(to=task).unsafe_bitcast[NoneType]()
    share(run, shared.as_unsafe_any_origin(), count, threads)


def parallel_for[F: def(Int) -> None](task: F, count: Int, threads: Int = ALL):
    """Runs `task(0) .. task(count - 1)` in any order, on this thread and others when count > 1.

    Args:
        task: What to run, with IEEE arithmetic whatever the state of this thread.
        count: How often.
        threads: How many threads may take part.
    """
    deal(task, count, threads, share_out)


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
