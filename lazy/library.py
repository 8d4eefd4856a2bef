"""The immediate library (kernels/vm/jjvm.mojo), loaded."""

from __future__ import annotations

import os
from typing import Any

from jujunp.kernels import build
from jujunp.kernels.facts import dtype_names

from .blas import load_blas

load_blas()  # the kernels look for its functions when they are loaded
VM: Any = build.load()
THREADS = len(os.sched_getaffinity(0))
"""Threads that large work may use, unless `machine.set_threads` says otherwise."""
STATE: int = VM.start(THREADS)
"""What the library knows, as a number that its functions take."""
TYPES: dict[str, Any] = VM.make_types(STATE, dtype_names())
"""The types of values and handles, and the functions that make these, by name."""
