"""Threads for the operations of compiled graphs: the workers of the library."""
from structured.workers import Shared

from .library import share_entry


def parallel_for[F: def(Int) -> None](task: F, count: Int) raises:
    """Runs `task(0) .. task(count - 1)` as `structured.threads` does, where `count` > 1."""
    if count <= 1:
        if count == 1:
            task(0)
        return

    def run(shared: Shared, index: Int) abi("C"):
        shared.unsafe_bitcast[F]()[](index)

    var shared = Pointer(to=task).unsafe_bitcast[NoneType]()
    share_entry()(run, shared.as_unsafe_any_origin(), count)
