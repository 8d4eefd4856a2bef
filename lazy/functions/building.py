"""Builds the elementwise functions of users: a library for the machine, a package for graphs."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from jujunp.kernels.build import EXACT, Step, build_sources

from .sources import signature_of, sources_of
from .table import Function, add

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LIBRARY = "loop.so"
_libraries: dict[str, ctypes.CDLL] = {}
"""Those in use, by path; the machine knows addresses in them."""


def build(
    source: str,
    name: str,
    codes: Sequence[int],
    derivatives: tuple[Callable[..., Any], ...] | None,
) -> Function:
    """Build a function of a Mojo source for operands of some dtype codes, and make it known.

    Raises ValueError where the source has no such function, KernelBuildError where it does not
    compile. One that was built before, in whatever process, is found in the user's cache.
    """
    signature = signature_of(source, name)
    if derivatives is not None and len(derivatives) != signature.arity:
        raise ValueError(f"{name} has {signature.arity} operands, each with a derivative")
    made = sources_of(source, name, signature, codes)
    package = f"{made.package}.mojoc"
    steps = [
        Step(("build", *EXACT, "--emit", "shared-lib"), "loop.mojo", _LIBRARY),
        Step(("precompile",), made.package, package),
    ]
    folder = build_sources(name, f"function-{name}", made.files, steps)
    function = Function(
        made.key,
        signature.arity,
        frozenset(codes),
        signature.predicate,
        str(folder / package),
        derivatives,
    )
    add(function, _address(str(folder / _LIBRARY)))
    return function


def _address(path: str) -> int:
    """Return where the loop of a library lies."""
    library = _libraries.setdefault(path, ctypes.CDLL(path))
    return ctypes.cast(library.jujunp_loop, ctypes.c_void_p).value or 0
