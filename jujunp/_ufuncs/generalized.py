"""Generalized ufuncs, whose operands have core axes: NumPy's arguments around a product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.values.dtypes import DTYPES

from .._array.array_likes import as_handle
from .._array.handle import Handle, header
from .._array.making import view, write
from .._array.outputs import broadcasts_to, output_of
from .._calls.functions import function
from .._calls.traits import uniform
from .arguments import check_arguments, check_count, signature_from
from .kind import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Product = Callable[..., Any]

NO_VALUE = np._NoValue


def generalized(compute: Product) -> Any:
    """Return a generalized ufunc of two operands, given what computes it over the last axes.

    That takes two handles, and optionally a signature of dtypes and a rule of casting.
    """
    theirs: np.ufunc = getattr(np, compute.__name__)

    def call(*args: Any, **named: Any) -> Any:
        room()
        if len(args) == 2 and not named:
            return compute(as_handle(args[0]), as_handle(args[1]))
        check_count(theirs, args)
        x, y = as_handle(args[0]), as_handle(args[1])
        return _full_call(theirs, compute, x, y, *args[2:], **named)

    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(call, name, getattr(compute, name))
    made = function(uniform(call), free=True)
    describe(made, theirs)
    for name in _METHODS:
        setattr(made, name, getattr(theirs, name))
    return made


_METHODS = (
    *("reduce", "accumulate", "reduceat", "outer", "at"),  # they raise
    *("resolve_dtypes", "_resolve_dtypes_and_context", "_get_strided_loop"),
)


def _full_call(
    theirs: np.ufunc,
    compute: Product,
    x: Handle,
    y: Handle,
    out: Any = None,
    *,
    axes: Any = NO_VALUE,
    axis: Any = NO_VALUE,
    keepdims: Any = False,
    casting: str = "same_kind",
    order: Any = "K",
    dtype: Any = None,
    subok: Any = True,
    signature: Any = None,
    sig: Any = None,
) -> Any:
    check_arguments(casting, order, subok)
    wanted = signature_from(theirs, dtype, signature, sig)
    target = output_of(out)
    given = {"axes": axes, "axis": axis, "keepdims": keepdims}
    moved = [name for name, value in given.items() if value is not NO_VALUE and value is not False]
    if not moved:
        found = compute(x, y, wanted, casting)
    else:
        _check_axes(theirs, x, y, {name: given[name] for name in moved})
        places = _places(theirs, x, y, axes, axis, bool(keepdims))
        x, y = (_last(one, place) for one, place in zip((x, y), places, strict=False))
        found = _placed(compute(x, y, wanted, casting), places[2], bool(keepdims))
    if target is None:
        return found
    core = 0 if moved else _core_counts(theirs, x, y)[2]
    return write_product(theirs, found, target, [x, y], casting, core)


def _check_axes(theirs: np.ufunc, x: Handle, y: Handle, given: dict[str, Any]) -> None:
    """Raise what NumPy raises for such axes, of operands with so many of them."""
    theirs(*(np.ones((1,) * len(one._shape)) for one in (x, y)), **given)


def _core_counts(theirs: np.ufunc, x: Handle, y: Handle) -> list[int]:
    """Return how many core axes the operands and the result have."""
    parts = [part.strip("()").split(",") for part in _operands_of(theirs.signature or "")]
    missing = {
        name
        for part, one in zip(parts, (x, y), strict=False)
        for name in part
        if name.endswith("?") and len(one._shape) < len(part)
    }
    return [len([name for name in part if name and name not in missing]) for part in parts]


def _operands_of(signature: str) -> Iterator[str]:
    inputs, output = signature.split("->")
    yield from (part if part.endswith(")") else f"{part})" for part in inputs.split("),"))
    yield output


def _places(
    theirs: np.ufunc, x: Handle, y: Handle, axes: Any, axis: Any, keepdims: bool
) -> list[tuple[int, ...]]:
    """Return where the core axes of the operands and of the result are."""
    counts = _core_counts(theirs, x, y)
    if axes is NO_VALUE:
        usual = [tuple(range(-count, 0)) for count in counts]
        places = usual if axis is NO_VALUE else [(int(axis),) * bool(n) for n in counts]
        return [*places[:2], places[0]] if keepdims else places
    listed = [item if isinstance(item, tuple) else (item,) for item in axes]
    if len(listed) == 2:
        listed.append((-1,) if keepdims else ())
    return [tuple(int(one) for one in item) for item in listed]


def _last(x: Handle, places: tuple[int, ...]) -> Handle:
    last = tuple(range(-len(places), 0))
    return x if places == last else view(x, np.moveaxis(header(x), places, last))


def _placed(found: Handle, places: tuple[int, ...], keepdims: bool) -> Any:
    """Return a result whose core axes, which are the last, are moved to their places."""
    if keepdims:
        return view(found, np.expand_dims(header(found), places))
    last = tuple(range(-len(places), 0))
    return found if places == last else view(found, np.moveaxis(header(found), last, places))


def write_product(
    theirs: np.ufunc,
    found: Handle,
    out: Any,
    operands: list[Handle],
    casting: str,
    core: int = 0,
) -> Any:
    """Write a product to `out`, with the errors of NumPy's generalized ufuncs.

    The last `core` axes of the product are not broadcast.
    """
    same = not core or found._shape[-core:] == out._shape[-core:]
    if not (same and broadcasts_to(found._shape, out._shape)):
        stand_ins = [np.broadcast_to(np.zeros((), DTYPES[x._code]), x._shape) for x in operands]
        theirs(*stand_ins, out=np.empty(out._shape, DTYPES[found._code]))
        raise ValueError(f"a result of shape {found._shape} does not fit {out._shape}")
    if not np.can_cast(DTYPES[found._code], DTYPES[out._code], casting):  # type: ignore[arg-type]
        raise np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
            theirs, casting, DTYPES[found._code], DTYPES[out._code], 0
        )
    write(out, found)
    return out
