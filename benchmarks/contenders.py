"""The libraries that are compared: how each is imported, wrapped and waited for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.case import JAX, JIT, JUJUNP, NUMPY


@dataclass(frozen=True)
class Library:
    """An imported library.

    `wrap` makes of a function the one that is called; `finish` waits until a result is computed.
    """

    namespace: Any
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    finish: Callable[[Any], object]


@dataclass(frozen=True)
class Contender:
    """The modules that a program with this library imports, and what loads the library."""

    modules: tuple[str, ...]
    load: Callable[[], Library]


def _same(value: Any) -> Any:
    return value


def _numpy() -> Library:
    return Library(importlib.import_module("numpy"), _same, _same)


def _jax(*, jit: bool) -> Library:
    """Return jax.numpy with NumPy's default dtypes."""
    import jax

    def finish(result: Any) -> object:
        return result.block_until_ready() if isinstance(result, jax.Array) else None

    jax.config.update("jax_enable_x64", True)
    return Library(jax.numpy, jax.jit if jit else _same, finish)


def _jujunp() -> Library:
    import jujunp

    def finish(result: Any) -> object:
        return jujunp.flush(result) if type(result) is jujunp.ndarray else None

    return Library(jujunp, _same, finish)


# MAX is beside JAX because jujunp imports both: the price of that is not its own.
_JAX_MODULES = ("jax", "max.engine", "max.graph")

CONTENDERS = {
    NUMPY: Contender(("numpy",), _numpy),
    JAX: Contender(_JAX_MODULES, lambda: _jax(jit=False)),
    JIT: Contender(_JAX_MODULES, lambda: _jax(jit=True)),
    JUJUNP: Contender(("jujunp",), _jujunp),
}
