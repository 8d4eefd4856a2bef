"""Clipping, rounding, and other functions of single elements that are not ufuncs."""

from __future__ import annotations

import inspect
import math
import operator
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT64, code_of, is_complex, is_integer

from ..._array.arguments import NUMPY, common_code
from ..._array.array_likes import as_array, as_handle, operand
from ..._array.elementwise import elementwise, fitting, pick
from ..._array.handle import Array, Handle
from ..._array.indexing import masked
from ..._array.making import convert, scalar_if_0d
from ..._array.outputs import check_casting, output_of, put_out, write_out
from ..._array.promotion import resolve
from ..._calls.traits import uniform
from ..._ufuncs.ufunc import UFUNCS, kind_of, type_of
from ..reductions.reduce import NO_VALUE

__all__ = ["around", "clip", "fix", "nan_to_num", "round", "sinc"]


@uniform
def clip(
    a: Any,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    out: Any = None,
    *,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    **kwargs: Any,
) -> Any:
    """Return the elements no smaller than one bound and no larger than another; None is no bound.

    nan in the elements or bounds gives nan; where the bounds cross, the upper one holds. The bounds
    may be named as in the Array API, `min` and `max`, or as in NumPy. Further arguments are those
    of a ufunc.
    """
    room()
    if a_min is NO_VALUE and a_max is NO_VALUE:
        low, high = (None if bound is NO_VALUE else bound for bound in (min, max))
    elif a_min is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not NO_VALUE or max is not NO_VALUE:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
    else:
        low, high = a_min, a_max
    return _clipped(as_handle(a), low, high, out, **kwargs)


# what reads it (pint) names arguments as NumPy does; calls take those of the Array API, too
clip.__signature__ = inspect.signature(np.clip)  # type: ignore[attr-defined]


def _clipped(x: Handle, low: Any, high: Any, out: Any, **kwargs: Any) -> Any:
    if is_integer(x._code):  # bounds that the dtype cannot pass are none
        info = np.iinfo(DTYPES[x._code])
        low = None if type(low) is int and low <= info.min else low
        high = None if type(high) is int and high >= info.max else high
    maximum, minimum = UFUNCS["maximum"], UFUNCS["minimum"]
    if low is None and high is None:
        return UFUNCS["positive"](x, out=out, **kwargs)
    if low is None:
        return minimum(x, high, out=out, **kwargs)
    if high is None:
        return maximum(x, low, out=out, **kwargs)
    return _clamp(x, operand(low), operand(high), out, **kwargs)


def _clamp(
    x: Handle,
    low: Any,
    high: Any,
    out: Any,
    where: Any = True,
    casting: str = "same_kind",
    dtype: Any = None,
    **_unused: Any,
) -> Any:
    """Return what NumPy's ufunc `clip` does, of an array and two bounds."""
    code = common_code((low, x, high)) if dtype is None else code_of(np.dtype(dtype))
    given = (x, low, high)
    low, high = fitting(low, code), fitting(high, code)
    if dtype is not None or casting != "same_kind":
        resolve(_CLIP, [type_of(kind_of(y), DTYPES[code]) for y in given], dtype, casting)
    if code == BOOL:
        found: Any = UFUNCS["minimum"](UFUNCS["maximum"](x, low), high)
    else:
        found = scalar_if_0d(elementwise(OPCODES["clamp"], code, (low, x, high)))
    function = UFUNCS["minimum"]
    if where is not True:
        return masked(function, found, out, where, casting)
    return found if out is None else write_out(function, found, out, casting)


_CLIP: np.ufunc = np._core.umath.clip  # type: ignore[attr-defined]


@uniform
def round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """Return the elements rounded to some decimals, halves to even; negative ones mean tens.

    As in NumPy the element is scaled, rounded and scaled back, which may be off by an ulp.
    """
    room()
    decimals = operator.index(decimals)
    x = as_handle(a)
    exact = is_integer(x._code)
    target = output_of(out)
    if target is not None and math.prod(target._shape) != math.prod(x._shape):
        raise ValueError("invalid output shape")
    if exact and decimals >= 0:
        return put_out(UFUNCS["positive"](x), target)
    rint, multiply, divide = (UFUNCS[name] for name in ("rint", "multiply", "divide"))
    if decimals == 0:
        return rint(x, out=target)
    if is_complex(x._code):
        whole = as_array(x).copy()
        for part in (whole.real, whole.imag):
            round(part, decimals, part)
        return put_out(scalar_if_0d(whole), target)
    if x._code == BOOL and target is None:
        check_casting(multiply, FLOAT64, BOOL)
    scale = 10.0 ** abs(decimals)
    before, after = (multiply, divide) if decimals > 0 else (divide, multiply)
    scaled = rint(before(x, scale, out=target), out=target)
    found = after(scaled, scale, out=target)
    return convert(found, x._code) if exact and target is None else found


around = round


def fix(x: Any, out: Any = None) -> Any:
    """Return the elements rounded towards zero, as `trunc`; deprecated in NumPy 2.5."""
    if NUMPY >= (2, 5):
        warn_user(
            "numpy.fix is deprecated. Use numpy.trunc instead, which is faster and follows the "
            "Array API standard.",
            DeprecationWarning,
        )
    return UFUNCS["trunc"](x, out=out)


@uniform
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Return the elements with nan and the infinities replaced: the latter, unless values are
    given, by the largest and smallest finite numbers. Without `copy` the array is written.
    """
    room()
    found: Any = as_handle(x)
    code = found._code
    if is_complex(code):
        result = as_array(x).copy() if copy else as_array(x)
        for part in (result.real, result.imag):
            nan_to_num(part, False, nan, posinf, neginf)
        return scalar_if_0d(result)
    if DTYPES[code].kind != "f":
        return scalar_if_0d(as_array(x).copy() if copy else as_array(x))
    info = np.finfo(DTYPES[code])
    cases = (
        (UFUNCS["isnan"](found), nan),
        (found == math.inf, float(info.max) if posinf is None else posinf),
        (found == -math.inf, float(info.min) if neginf is None else neginf),
    )
    result = found
    for mask, replacement in cases:
        new = fitting(operand(replacement), code)
        result = elementwise(OPCODES["select_n"], code, (mask, result, new))
    if not copy and isinstance(x, Array):
        x[...] = result
        return x
    return scalar_if_0d(result)


def sinc(x: Any) -> Any:
    """Return sin(pi x) / (pi x), and 1 for 0."""
    room()
    angle: Any = UFUNCS["multiply"](math.pi, as_handle(x))
    tiny = float(np.finfo(angle.dtype).eps)
    angle = scalar_if_0d(pick(angle != 0, angle, tiny))
    return UFUNCS["sin"](angle) / angle


@uniform
def _clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """Return the elements no smaller than one bound and no larger than another, as `clip`."""
    room()
    return _clipped(self, min, max, out, **kwargs)


_clip.__name__ = "clip"
METHODS = {"clip": _clip, "round": round}
