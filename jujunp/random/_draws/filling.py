"""Standard distributions, which have dtypes and fill arrays that are given (`out=`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import CODES, FLOAT32, FLOAT64

from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header
from ..._array.making import as_code, write
from .arguments import Given, exported, is_spread, shape_of
from .state import Source, batch_sizes, element_of_batches, spread

if TYPE_CHECKING:
    from jujunp.lazy.values.types import Shape

_CODES = {np.float64: FLOAT64, np.float32: FLOAT32, float: FLOAT64}
_NONE = Given((), (), ())


def code_of_floats(dtype: Any, name: str) -> int:
    """Return the code of a dtype in which there are floats; TypeError for others."""
    found = _CODES.get(dtype)
    if found is not None:
        return found
    wanted = np.dtype(dtype)
    if CODES.get(wanted) not in (FLOAT32, FLOAT64):
        raise TypeError(f"Unsupported dtype {wanted!r} for {name}")
    return CODES[wanted]


def fill(source: Source, kind: int, code: int, size: Any, out: Any, found: Given = _NONE) -> Any:
    """Return numbers of a distribution in a dtype: a Python float without a size and `out`."""
    if size is None and out is None and code == FLOAT64 and found is _NONE and not WATCHES:
        return source.one_float(kind)
    sizes = batch_sizes()
    if out is not None:
        return _fill_array(source, kind, code, size, out, found)
    if found.numbers is None:
        whole = (*sizes, *found.shape)
        given = [spread(as_code(x, code), whole) for x in found.arrays]
        drawn = source.numbers_of(kind, code, whole, given)
        return element_of_batches(drawn) if sizes else drawn
    if size is None and not sizes:
        if code == FLOAT64:
            return source.one_float(kind, *found.numbers)
        return float(source.numbers(kind, code, (), *found.numbers))
    shape: Shape = () if size is None else shape_of(size)
    drawn = source.numbers(kind, code, (*sizes, *shape), *found.numbers)
    return element_of_batches(drawn) if sizes else drawn


def _fill_array(source: Source, kind: int, code: int, size: Any, out: Any, found: Given) -> Any:
    """Fill an array, ours or NumPy's, in the order of its memory; it is returned."""
    needs_c = bool(found.numbers is None or found.numbers)
    turned = check_out(out, code, size, needs_c=needs_c)
    if found.numbers is None:
        if not is_spread(found.shape, out.shape):
            raise ValueError(
                f"Output size {out.shape} is not compatible with broadcast "
                f"dimensions of inputs {found.shape}."
            )
        found = found._replace(shape=out.shape)
    shape = out.shape[::-1] if turned else out.shape
    drawn = fill(source, kind, code, shape, None, found)
    put_into(out.T if turned else out, drawn)
    return out


def put_into(target: Any, found: Any) -> None:
    """Write an array to another one, ours or NumPy's."""
    if isinstance(target, Handle):
        write(target, as_handle(found))  # type: ignore[arg-type]
    else:
        target[...] = exported(found)


def is_writeable(x: Any) -> bool:
    """Whether an array, ours or NumPy's, can be written to."""
    return bool(not x._readonly if isinstance(x, Handle) else x.flags.writeable)


def check_out(out: Any, code: int, size: Any, *, needs_c: bool) -> bool:
    """Check an array that is to be filled, as NumPy does; returns whether it lies in F order."""
    if not isinstance(out, (Handle, np.ndarray)):
        raise TypeError(f"Cannot convert {type(out).__name__} to numpy.ndarray")
    flags = (header(out) if isinstance(out, Handle) else out).flags
    fine = flags.c_contiguous or (flags.f_contiguous and not needs_c)
    if not fine or not is_writeable(out) or not flags.aligned or not out.dtype.isnative:
        how = "C-" if needs_c else ""
        raise ValueError(
            f"Supplied output array must be {how}contiguous, writable, "
            "aligned, and in machine byte-order."
        )
    if CODES.get(out.dtype) != code:
        expected = np.dtype(np.float32 if code == FLOAT32 else np.float64)
        raise TypeError(
            f"Supplied output array has the wrong type. Expected {expected}, got {out.dtype}"
        )
    if size is not None and (tuple(size) if np.iterable(size) else (size,)) != out.shape:
        raise ValueError("size must match out.shape when used together")
    return not flags.c_contiguous
