"""Running work on several threads."""

from __future__ import annotations

import gc
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
    """Do the same on threads that take turns as often as the interpreter lets them.

    They also do so where garbage is collected, of which JAX has Python functions told.
    """
    before, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-5)
    gc.set_threshold(7)
    try:
        in_threads(work, count)
    finally:
        sys.setswitchinterval(before)
        gc.set_threshold(*threshold)
