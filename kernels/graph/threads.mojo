"""Threads for the operations of compiled graphs: the workers of the library."""
from max.runtime.asyncrt import parallelism_level

from structured.threads.threads import deal

from .library import share_entry


def parallel_for[F: def(Int) -> None](task: F, count: Int) raises:
    """Runs `task(0) .. task(count - 1)` as `structured.threads` does, where `count` > 1."""
    if count > 1:
        deal(task, count, parallelism_level(None), share_entry())
    elif count == 1:
        task(0)
