"""Elementwise functions that are not ufuncs: clip, round, comparisons with a tolerance."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import BOOL, DTYPES, FLOAT64, code_of, is_complex, is_integer

from ..._array.arguments import check_device, common_code
from ..._array.array_likes import as_array, as_handle, operand
from ..._array.broadcasting import broadcast
from ..._array.elementwise import elementwise, fitting, pick
from ..._array.handle import NUMBERS, Handle, ndarray, value_of
from ..._array.indexing import masked
from ..._array.making import as_code, convert, wrap
from ..._array.outputs import check_casting, output_of, put_out, write_out
from ..._array.promotion import resolve
from ..._ufuncs.ufunc import UFUNCS, conjugated, kind_of, type_of
from ..reductions.reduce import NO_VALUE

__all__ = [
    "allclose",
    "angle",
    "around",
    "array_equal",
    "array_equiv",
    "astype",
    "clip",
    "fix",
    "imag",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "real",
    "real_if_close",
    "round",
    "sinc",
]


def _result(x: ndarray) -> Any:
    """Return an array, or a scalar of one without axes."""
    return x if x._shape else wrap(value_of(x), (), x._code)


# -- clip and round


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
        found = _result(elementwise(OPCODES["clamp"], code, (low, x, high)))
    function = UFUNCS["minimum"]
    if where is not True:
        return masked(function, found, out, where, casting)
    return found if out is None else write_out(function, found, out, casting)


_CLIP: np.ufunc = np._core.umath.clip  # type: ignore[attr-defined]


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
    if x._code == BOOL and target is None:
        check_casting(multiply, FLOAT64, BOOL)
    scale = 10.0 ** abs(decimals)
    before, after = (multiply, divide) if decimals > 0 else (divide, multiply)
    scaled = rint(before(x, scale, out=target), out=target)
    found = after(scaled, scale, out=target)
    return convert(found, x._code) if exact and target is None else found


around = round


def fix(x: Any, out: Any = None) -> Any:
    """Return the elements rounded towards zero, as `trunc`."""
    return UFUNCS["trunc"](x, out=out)


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
        return _result(result)
    if DTYPES[code].kind != "f":
        return _result(as_array(x).copy() if copy else as_array(x))
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
    if not copy and isinstance(x, ndarray):
        x[...] = result
        return x
    return _result(result)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Return an array's elements converted to a dtype. TypeError for anything but an array."""
    check_device(device)
    if not isinstance(x, Handle):
        raise TypeError(f"Input should be an array. It is a {type(x)}.")
    return x.astype(dtype, copy=copy)  # type: ignore[attr-defined]


# -- comparing with a tolerance, and whole arrays


def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> Any:
    """Return where `|a - b| <= atol + rtol * |b|`, or both are the same infinity.

    nan is close to nothing, or with `equal_nan` to nan. RuntimeWarning for tolerances that are not
    finite.
    """
    room()
    x, y, atol, rtol = (operand(number) for number in (a, b, atol, rtol))
    if type(x) in NUMBERS:
        x = x if isinstance(y, Handle) else as_handle(x)
    if isinstance(y, Handle):
        y = as_code(y, common_code((y, 1.0)))
    else:
        y = as_handle(float(y)) if not isinstance(x, Handle) else y
    _check_tolerances(atol, rtol)
    absolute, isfinite = UFUNCS["absolute"], UFUNCS["isfinite"]
    near = absolute(x - y) <= atol + rtol * absolute(y)
    found = near & isfinite(y) | (x == y)
    if equal_nan:
        found = found | (UFUNCS["isnan"](x) & UFUNCS["isnan"](y))
    return found


def _check_tolerances(atol: Any, rtol: Any) -> None:
    """Warn when a tolerance is not finite; computes those of an array."""
    finite = (
        bool(UFUNCS["isfinite"](x).all()) if isinstance(x, Handle) else math.isfinite(x)
        for x in (atol, rtol)
    )
    if not all(finite):
        message = f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False
) -> bool:
    """Return whether all elements are close, as `isclose` says; computes it."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two array_likes have one shape and equal elements; computes it."""
    room()
    if a1 is None or a2 is None:
        return a1 is a2
    x, y = as_handle(a1), as_handle(a2)
    if x._shape != y._shape:
        return False
    found: Any = UFUNCS["equal"](x, y)
    if equal_nan and all(DTYPES[z._code].kind in "fc" for z in (x, y)):
        found = found | (UFUNCS["isnan"](x) & UFUNCS["isnan"](y))
    return bool(found.all())


def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two array_likes broadcast and their elements are equal; computes it."""
    room()
    x, y = as_handle(a1), as_handle(a2)
    try:
        broadcast(x._shape, y._shape)
    except ValueError:
        return False
    return bool(UFUNCS["equal"](x, y).all())


# -- parts of numbers


def isposinf(x: Any, out: Any = None) -> Any:
    """Return where the elements are positive infinity; TypeError for complex numbers."""
    return UFUNCS["equal"](_ordered(x), math.inf, out=out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Return where the elements are negative infinity; TypeError for complex numbers."""
    return UFUNCS["equal"](_ordered(x), -math.inf, out=out)


def _ordered(x: Any) -> Handle:
    found = as_handle(x)
    if is_complex(found._code):
        name = DTYPES[found._code]
        raise TypeError(
            f"This operation is not supported for {name} values because it would be ambiguous."
        )
    return found


def real(val: Any) -> Any:
    """Return the real part, a view; of a real array, of the array."""
    return as_handle(val).real  # type: ignore[attr-defined]


def imag(val: Any) -> Any:
    """Return the imaginary part; of a real array, read-only zeros."""
    return as_handle(val).imag  # type: ignore[attr-defined]


def isreal(x: Any) -> Any:
    """Return where the imaginary part is zero: everywhere in a real array."""
    return UFUNCS["equal"](imag(x), 0)


def iscomplex(x: Any) -> Any:
    """Return where the imaginary part is not zero: nowhere in a real array."""
    return UFUNCS["not_equal"](imag(x), 0)


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


def angle(z: Any, deg: bool = False) -> Any:
    """Return the angle of complex numbers: of real ones 0 or pi, in degrees if wanted."""
    z = as_handle(z)
    imaginary, real = (z.imag, z.real) if is_complex(z._code) else (0, z)
    found: Any = UFUNCS["arctan2"](imaginary, real)
    return found * (180 / math.pi) if deg else found


def sinc(x: Any) -> Any:
    """Return sin(pi x) / (pi x), and 1 for 0."""
    room()
    angle: Any = UFUNCS["multiply"](math.pi, as_handle(x))
    tiny = float(np.finfo(angle.dtype).eps)
    angle = _result(pick(angle != 0, angle, tiny))
    return UFUNCS["sin"](angle) / angle


def _conjugate(x: Any, out: Any = None) -> Any:
    """Return the complex conjugate: of a real array, the array itself."""
    return put_out(conjugated(x), out)


def _clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """Return the elements no smaller than one bound and no larger than another, as `clip`."""
    room()
    return _clipped(self, min, max, out, **kwargs)


METHODS = {"clip": _clip, "conj": _conjugate, "conjugate": _conjugate, "round": round}
