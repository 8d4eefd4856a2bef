"""The transforms of `numpy.fft`, of one axis and of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jujunp.lazy.run.flush import room

from .._array.array_likes import as_array
from .._array.outputs import put_out
from .._ufuncs.ufunc import conjugated
from ._steps import (
    FORWARD,
    INVERSE,
    INVERSE_REAL,
    REAL,
    Kind,
    Step,
    in_order,
    power_of,
    run,
    steps_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._array.handle import ndarray


# -- one axis


def _along(kind: Kind, a: Any, n: Any, axis: Any, norm: Any, out: Any) -> Any:
    """Return what a function of one axis returns."""
    room()
    power = power_of(norm)
    return put_out(run(as_array(a), [Step(kind, n, axis)], power), out)


def fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the discrete Fourier transform of an array along an axis, as complex numbers.

    Args:
        a: array_like of one axis at least.
        n: Length of the transform, that of the axis by default. A longer axis is cut, a shorter one
            continued by zeros.
        axis: The axis, which has n elements in the result.
        norm: What is divided by n: "backward" (or None) for inverse transforms, "forward" for the
            others; "ortho" for both, by the root of n.
        out: An array of the result's shape to write it to.

    Elements of float16, float32 and complex64 give complex64, others complex128. ValueError when n
    is below 1, for an unknown norm or an `out` of another shape; IndexError (with n AxisError) when
    there is no such axis; TypeError when the result cannot be cast to `out`.
    """
    return _along(FORWARD, a, n, axis, norm, out)  # type: ignore[no-any-return]


def ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `fft`, as complex numbers; arguments and errors are the same."""
    return _along(INVERSE, a, n, axis, norm, out)  # type: ignore[no-any-return]


def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the first n // 2 + 1 numbers of the transform of real numbers along an axis.

    The others are their conjugates. Arguments and errors are those of `fft`, besides TypeError for
    complex numbers.
    """
    return _along(REAL, a, n, axis, norm, out)  # type: ignore[no-any-return]


def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `rfft`: n real numbers from the first n // 2 + 1 of a transform.

    n is twice one less than the length of the axis by default, which is right for even lengths.
    The imaginary part of the first number has no effect, nor that of the last one for an even n.
    Numbers in float16 give float16, other arguments and errors are those of `fft`.
    """
    return _along(INVERSE_REAL, a, n, axis, norm, out)  # type: ignore[no-any-return]


def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the transform of a sequence that equals its reversed conjugate, as n real numbers.

    Its first n // 2 + 1 numbers are given. Arguments and errors are those of `irfft`.
    """
    room()
    power = 1 - power_of(norm)
    found = run(conjugated(as_array(a)), [Step(INVERSE_REAL, n, axis)], power)
    return put_out(found, out)  # type: ignore[no-any-return]


def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `hfft`: n // 2 + 1 complex numbers from n real ones.

    Arguments and errors are those of `rfft`.
    """
    room()
    power = 1 - power_of(norm)
    return put_out(conjugated(run(as_array(a), [Step(REAL, n, axis)], power)), out)  # type: ignore[no-any-return]


# -- several axes


def _over(kind: Kind, a: Any, s: Any, axes: Any, norm: Any, out: Any) -> Any:
    """Return what a function of several axes returns."""
    room()
    power = power_of(norm)
    x = as_array(a)
    steps = steps_of(kind, x._shape, s, axes)
    if not steps:
        return x
    ndim = len(x._shape)
    if kind.from_real:  # the real axis first
        steps = [steps[-1], *in_order(steps[-2::-1], ndim)]
    elif kind.to_real:
        steps = [*in_order(steps[:-1], ndim), steps[-1]]
    else:
        steps = in_order(steps[::-1], ndim)
    return put_out(run(x, steps, power), out)


def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> ndarray:
    """Return the discrete Fourier transform along several axes, as complex numbers.

    Args:
        a: array_like.
        s: Length of the transform along each of the axes, to which they are cut or continued by
            zeros; -1 for the axis's own.
        axes: The axes, all by default; an axis that is named twice is transformed twice. Lengths
            without axes are for the last ones, which is deprecated.
        norm: As for `fft`.
        out: An array of the result's shape to write it to.

    Dtypes are those of `fft`. Without any axes it returns the array itself. Errors are those of
    `fft`, besides ValueError when there is not one length for each axis.
    """
    return _over(FORWARD, a, s, axes, norm, out)  # type: ignore[no-any-return]


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `fftn`, as complex numbers; arguments and errors are the same."""
    return _over(INVERSE, a, s, axes, norm, out)  # type: ignore[no-any-return]


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> ndarray:
    """Return the transform of real numbers along several axes: `rfft` of the last, `fft` of others.

    Arguments and errors are those of `fftn`, besides TypeError for complex numbers and IndexError
    when there are no axes.
    """
    return _over(REAL, a, s, axes, norm, out)  # type: ignore[no-any-return]


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> ndarray:
    """Return the inverse of `rfftn`, as real numbers: `ifft` of axes but the last, then `irfft`.

    Arguments and errors are those of `fftn`, besides the default length of the last axis, which is
    that of `irfft`, and IndexError when there are no axes.
    """
    return _over(INVERSE_REAL, a, s, axes, norm, out)  # type: ignore[no-any-return]


# -- two axes

_LAST_TWO = (-2, -1)


def fft2(
    a: Any,
    s: Any = None,
    axes: Sequence[int] | None = _LAST_TWO,
    norm: Any = None,
    out: Any = None,
) -> ndarray:
    """Return `fftn` along two axes, the last ones by default."""
    return _over(FORWARD, a, s, axes, norm, out)  # type: ignore[no-any-return]


def ifft2(
    a: Any,
    s: Any = None,
    axes: Sequence[int] | None = _LAST_TWO,
    norm: Any = None,
    out: Any = None,
) -> ndarray:
    """Return `ifftn` along two axes, the last ones by default."""
    return _over(INVERSE, a, s, axes, norm, out)  # type: ignore[no-any-return]


def rfft2(
    a: Any,
    s: Any = None,
    axes: Sequence[int] | None = _LAST_TWO,
    norm: Any = None,
    out: Any = None,
) -> ndarray:
    """Return `rfftn` along two axes, the last ones by default."""
    return _over(REAL, a, s, axes, norm, out)  # type: ignore[no-any-return]


def irfft2(
    a: Any,
    s: Any = None,
    axes: Sequence[int] | None = _LAST_TWO,
    norm: Any = None,
    out: Any = None,
) -> ndarray:
    """Return `irfftn` along two axes, the last ones by default."""
    return _over(INVERSE_REAL, a, s, axes, norm, out)  # type: ignore[no-any-return]
