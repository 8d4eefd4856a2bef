"""Calling the complex elementwise kernels on NumPy arrays, and measuring their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest

from tests.support.elementwise import DTYPES, Array

C64, C128 = DTYPES[13:]
INF, NAN = float("inf"), float("nan")


def part(dtype: numpy.dtype) -> numpy.dtype:
    """The dtype of the real and imaginary parts."""
    return DTYPES[DTYPES.index(dtype) - 2]


def specials(dtype: numpy.dtype) -> Array:
    """All pairs of special parts."""
    info = numpy.finfo(dtype)
    sizes = [0, float(info.smallest_subnormal), float(info.tiny), 0.5, 1, 1 + float(info.eps)]
    sizes += [2, 3, 7, 100, float(info.max), INF, NAN]
    parts = numpy.array([*sizes, *(-v for v in sizes[:-1])], part(dtype))
    pairs = numpy.empty((parts.size, parts.size), dtype)
    pairs.real, pairs.imag = parts[:, None], parts
    return pairs.ravel()


def ordinary(dtype: numpy.dtype, count: int, seed: int, powers: int = 40) -> Array:
    """Finite numbers: some of all sizes, some near the axes, some near the unit circle."""
    rng = numpy.random.default_rng(seed)
    sizes = 2.0 ** rng.uniform(-powers, powers, (2, count)) * rng.choice([-1, 1], (2, count))
    near = rng.standard_normal((2, count))
    angle = rng.uniform(-numpy.pi, numpy.pi, count)
    kind = rng.integers(0, 4, count)
    re = numpy.select([kind == 0, kind == 1, kind == 2], [sizes[0], near[0], numpy.cos(angle)], 1)
    im = numpy.select([kind == 0, kind == 1, kind == 2], [sizes[1], near[1], numpy.sin(angle)], 0)
    re = numpy.where(kind == 3, near[0], re)
    im = numpy.where(kind == 3, sizes[1], im)
    z = numpy.empty(count, dtype)
    z.real, z.imag = re, im
    return z


def bits(x: Array) -> list[bytes]:
    return [v.tobytes() for v in x]


def alike(a: Array, b: Array) -> Array:
    """Where numbers are equal, NaN being equal to NaN and -0.0 not to 0.0."""
    if a.dtype.kind == "c":
        return alike(a.real, b.real) & alike(a.imag, b.imag)
    result: Array = (a == b) | ((a != a) & (b != b))
    if a.dtype.kind == "f":
        result &= (numpy.signbit(a) == numpy.signbit(b)) | (a != a)
    return result


def assert_alike(got: Array, expected: Array, *operands: Array) -> None:
    assert got.dtype == expected.dtype
    wrong = numpy.flatnonzero(~alike(got, expected))
    shown = [([x[i] for x in operands], got[i], expected[i]) for i in wrong[:6]]
    assert not shown, f"{wrong.size} differ: operands, got, expected: {shown}"


def last_place(exact: Any, dtype: numpy.dtype) -> Any:
    """The unit of the last place of a real number as one of a float dtype."""
    mp = pytest.importorskip("mpmath")
    info = numpy.finfo(dtype)
    exponent = int(mp.frexp(exact)[1]) if exact else info.minexp
    return mp.ldexp(1, max(exponent - 1, info.minexp) - info.nmant)


def errors(
    got: Array, function: Callable[..., Any], operands: Sequence[Array], bits: int
) -> tuple[float, float, Any]:
    """The largest errors: of a part in its ulps, of the number in ulps of its larger part.

    The third is where the first is. Where the exact result has overflowed, or the function fails,
    nothing is measured.
    """
    mp = pytest.importorskip("mpmath")
    dtype = got.dtype if got.dtype.kind == "f" else part(got.dtype)
    most = mp.mpf(float(numpy.finfo(dtype).max))
    worst, norm, where = 0.0, 0.0, None
    with mp.workprec(bits):
        for i in range(got.size):
            values = [complex(x[i]) for x in operands]
            try:
                exact = function(*[mp.mpc(v.real, v.imag) for v in values])
            except (ZeroDivisionError, ValueError):
                continue
            pairs = [(float(got[i].real), mp.re(exact))]
            if got.dtype.kind == "c":
                pairs.append((float(got[i].imag), mp.im(exact)))
            if any(abs(e) > most for _, e in pairs):
                continue
            assert numpy.isfinite([g for g, _ in pairs]).all(), (values, got[i], exact)
            sizes = [abs(mp.mpf(g) - e) for g, e in pairs]
            units = [last_place(e, dtype) for _, e in pairs]
            here = max(float(s / u) for s, u in zip(sizes, units, strict=True))
            norm = max(norm, float(max(sizes) / max(units)))
            if here > worst:
                worst, where = here, (values, got[i], [mp.nstr(e, 20) for _, e in pairs])
    return worst, norm, where
