"""Running work on several threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def in_threads(work: Callable[[int], Any], count: int) -> None:
    """Call `work` with 0 to `count - 1` on a thread each; raise the first of their errors."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


def in_turns(work: Callable[[int], Any], count: int) -> None:
    """Do the same on threads that take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        in_threads(work, count)
    finally:
        sys.setswitchinterval(before)
