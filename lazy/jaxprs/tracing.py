"""Tracing functions of users by JAX, to Jaxprs that mean on every tier what XLA makes of them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax._src import dtypes, literals
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.lax import GatherScatterMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax.extend.core import JaxprEqn

_PROMISE = GatherScatterMode.PROMISE_IN_BOUNDS
_KEPT_PROMISES = {
    "gather": GatherScatterMode.CLIP,
    **dict.fromkeys(
        ("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"),
        GatherScatterMode.FILL_OR_DROP,
    ),
}
"""What XLA does where an index is promised to be in bounds and is not: here such an index would be
an error, as NumPy's indices are."""


def jaxpr_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[ClosedJaxpr, Any]:
    """Return the Jaxpr of a function for arguments (or their specs), and the specs of its results.

    64-bit types are on or off as JAX is configured now.
    """
    closed, results = jax.make_jaxpr(function, return_shape=True)(*args, **kwargs)
    return _kept(closed), results


def _kept(x: Any) -> Any:
    """Return a Jaxpr, or a parameter with Jaxprs in it, whose promises are kept."""
    if isinstance(x, ClosedJaxpr) and x.jaxpr is not x:  # from JAX 0.12 on there is one kind
        inner: Jaxpr = _kept(x.jaxpr)
        return x if inner is x.jaxpr else x.replace(jaxpr=inner)
    if isinstance(x, Jaxpr):
        equations = [_kept_equation(equation) for equation in x.eqns]
        same = all(new is old for new, old in zip(equations, x.eqns, strict=True))
        return x if same else x.replace(eqns=equations)
    if type(x) is tuple:
        parts = tuple(map(_kept, x))
        return x if all(new is old for new, old in zip(parts, x, strict=True)) else parts
    return x


def _kept_equation(equation: JaxprEqn) -> JaxprEqn:
    params = equation.params
    changed = {name: new for name, x in params.items() if (new := _kept(x)) is not x}
    mode = _KEPT_PROMISES.get(equation.primitive.name)
    if mode is not None and params["mode"] == _PROMISE:
        changed["mode"] = mode
    return equation.replace(params={**params, **changed}) if changed else equation


# -- arrays that functions close over

_canonical: dict[tuple[int, bool], tuple[weakref.ref[Any], weakref.ref[Any]]] = {}
"""NumPy arrays and what JAX takes in their place, by identity and whether 64-bit types are on."""


def _canonical_array(x: np.ndarray) -> Any:
    key = id(x), bool(jax.config.jax_enable_x64)  # type: ignore[attr-defined]
    source, found = (ref() for ref in _canonical.get(key, (_gone, _gone)))
    if source is not x or found is None:
        found = literals.TypedNdArray(np.asarray(x, dtypes.canonicalize_dtype(x.dtype)))
        _canonical[key] = weakref.ref(x, lambda _: _canonical.pop(key, None)), weakref.ref(found)
    return found


def _gone() -> None:
    """Stand for a reference to what is no more."""


def _remember_by_width() -> None:
    """Have JAX remember what it takes for a NumPy array for each setting of 64-bit types.

    It would remember the array by its identity alone: one that functions of both widths close over
    would be of the wrong width in the second (jaxlib 0.10.2; JAX itself then cannot compile it).
    """
    dtypes.register_canonicalize_value_handler(np.ndarray, _canonical_array)


_remember_by_width()
