"""MLIR's default context, which MAX enters for the thread that imports it, until the process ends.

So this is imported on a thread of the user's before what takes longer is imported in the background
(maxapi.py), which does so within `in_context`: MAX leaves the context at the end, on the main
thread, and complains if another has entered it.
"""

from max._mlir_context import (  # type: ignore[import-untyped]
    ensure_default_mlir_context as in_context,
)

__all__ = ["in_context"]
