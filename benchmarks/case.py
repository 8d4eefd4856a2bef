"""What a benchmark is: a function in any namespace, how it is measured, and what is promised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.contenders import Contender

NUMPY, JAX, JIT, JUJUNP = "NumPy", "jax.numpy", "jax.jit", "jujunp"

Work = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments; a call of one on the other is measured."""

Prepare = Callable[[Any, int], Work]
"""Makes the work in a namespace (numpy, jax.numpy, jujunp), for a size."""


@dataclass(frozen=True)
class Bound:
    """A promise: at most `most` seconds or bytes, or `most` times what another contender takes."""

    most: float
    of: str | None = None


@dataclass(frozen=True)
class Case:
    """One line of the table.

    `size` goes to `prepare`, and `small` in the tests, which only compare results. What `measure`
    gives is in `unit`, "s" or "B". The compile policy of jujunp is `policy`. A case with `once` is
    not repeated: it leaves something behind, such as an entry of the store, that changes the next.
    """

    name: str
    prepare: Prepare
    measure: Callable[[Case, Contender], float]
    size: int
    small: int
    bounds: tuple[Bound, ...] = ()
    contenders: tuple[str, ...] = (NUMPY, JAX, JUJUNP)
    policy: str = "auto"
    unit: str = "s"
    once: bool = False
