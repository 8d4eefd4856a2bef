"""Running work on several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def in_threads(work: Callable[[int], Any], count: int) -> None:
    """Call `work` with 0 to `count - 1` on a thread each; raise the first of their errors."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
