"""Importing the library, in a fresh process."""

from typing import Any

from benchmarks.case import JAX, Bound, Case, Work
from benchmarks.measures import importing


def nothing(np: Any, size: int) -> Work:
    """Return work that does nothing: the import is what counts."""
    return (lambda: None), ()


CASES = [
    Case("import (JAX: jax, max.engine, max.graph)", nothing, importing, 0, 0, (Bound(1.2, JAX),))
]
