"""The parts of complex numbers, and their angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jujunp.lazy.values.dtypes import DTYPES, is_complex

from ..._array.array_likes import as_array, as_handle
from ..._array.handle import NUMBERS
from ..._array.outputs import put_out
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS, conjugated

__all__ = ["angle", "imag", "real", "real_if_close"]


def real(val: Any) -> Any:
    """Return the real part, a view; of a real array, of the array; of a number, Python's own."""
    return val.real if type(val) in NUMBERS else as_handle(val).real


def imag(val: Any) -> Any:
    """Return the imaginary part; of a real array, read-only zeros; of a number, Python's own."""
    return val.imag if type(val) in NUMBERS else as_handle(val).imag


def real_if_close(a: Any, tol: float = 100) -> Any:
    """Return an array of complex numbers that are nearly real as real ones; others as they are.

    Nearly real are those whose imaginary parts are below `tol` times the dtype's precision, or
    below `tol` if that is 1 or less; computes whether they are.
    """
    x = as_array(a)
    if not is_complex(x._code):
        return x
    if tol > 1:
        tol *= float(np.finfo(DTYPES[x._code]).eps)
    return x.real if bool((UFUNCS["absolute"](x.imag) < tol).all()) else x


@uniform
def angle(z: Any, deg: bool = False) -> Any:
    """Return the angle of complex numbers: of real ones 0 or pi, in degrees if wanted."""
    z = as_handle(z)
    imaginary, real = (z.imag, z.real) if is_complex(z._code) else (0, z)
    found: Any = UFUNCS["arctan2"](imaginary, real)
    return found * (180 / math.pi) if deg else found


def _conjugate(x: Any, out: Any = None) -> Any:
    """Return the complex conjugate: of a real array, the array itself."""
    return put_out(conjugated(x), out)


METHODS = {"conj": _conjugate, "conjugate": _conjugate}
