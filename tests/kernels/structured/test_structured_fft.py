"""The Fourier kernel against numpy.fft, and against transforms in long double."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.structured import (
    OK,
    THREADS,
    UNSUPPORTED,
    Array,
    Guarded,
    Kernels,
    layouts,
    same,
    structured_kernels,
)

FORWARD, INVERSE, REAL, INVERSE_REAL = KINDS = range(4)
# numpy.fft computes in the precision of its argument, except that of float32.
FUNCTIONS: list[Any] = [
    lambda x, n: np.fft.fft(x, n),
    lambda x, n: np.fft.ifft(x, n),
    lambda x, n: np.fft.rfft(x, n),
    lambda x, n: np.fft.irfft(x, n),
]
LENGTHS = [
    *range(1, 131),
    *[144, 169, 210, 243, 251, 256, 257, 343, 360, 401, 500, 509, 512, 521, 640, 1000, 1009],
    *[1024, 2187, 2197, 3125, 3721, 4096, 4099, 8192, 9973],
]


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


def sides(kind: int, n: int) -> tuple[int, int]:
    """Return the numbers of a row of the input and of the output."""
    half = n // 2 + 1
    return (half if kind == INVERSE_REAL else n), (half if kind == REAL else n)


def sample(kind: int, shape: tuple[int, ...], n: int, dtype: Any) -> Array:
    """Return random rows for a transform of length n; dtype is the complex one."""
    rng = np.random.default_rng([kind, n, *shape])
    x = rng.standard_normal((*shape, sides(kind, n)[0], 2)) @ [1, 1j]
    return np.asarray(x.real if kind == REAL else x).astype(real(dtype) if kind == REAL else dtype)


def real(dtype: Any) -> Any:
    return np.zeros(1, dtype).real.dtype


def run(kernels: Kernels, kind: int, x: Array, n: int, threads: int = 1) -> Array:
    dtype = np.result_type(x.dtype, np.complex64)
    shape = (*x.shape[:-1], sides(kind, n)[1])
    wanted = real(dtype) if kind == INVERSE_REAL else dtype
    return kernels("fft", [(shape, wanted)], [x], [kind, n], threads)[0]


def by_definition(x: Array, kind: int, n: int) -> Array:
    """Return the transform as a sum, in long double."""
    turn = np.arange(n)[:, None] * np.arange(n) % n
    angle = np.arctan(np.longdouble(1)) * 8 * turn / n
    if kind == INVERSE_REAL:
        x = np.concatenate([x, x[..., (n - 1) // 2 : 0 : -1].conj()], -1)
        x[..., 0] = x[..., 0].real
        if n % 2 == 0:
            x[..., n // 2] = x[..., n // 2].real
    if kind in (INVERSE, INVERSE_REAL):
        result = x @ np.exp(1j * angle) / n
    else:
        result = x @ np.exp(-1j * angle)
    return np.asarray(result.real if kind == INVERSE_REAL else result[..., : sides(kind, n)[1]])


def error(found: Array, exact: Array) -> float:
    """Return the error of all numbers together, relative to their size."""
    distance = np.sqrt(np.sum(np.abs(found - exact) ** 2))
    return float(distance / np.sqrt(np.sum(np.abs(exact) ** 2)))


@pytest.mark.parametrize("kind", KINDS)
def test_by_definition(kernels, kind):
    for n in [*range(1, 68), 81, 97, 100, 121, 127, 128]:
        for shape in [(), (11,)]:
            x = sample(kind, shape, n, "complex128")
            long = x.astype(np.result_type(x.dtype, np.longdouble))
            assert error(run(kernels, kind, x, n), by_definition(long, kind, n)) < 1e-15


def test_roots(kernels):
    """The transform of a one at place 1, for a prime length, is the roots: good to half an ulp."""
    for n in (2, 3, 5, 7, 11, 13, 31, 43, 59, 61):
        x = np.zeros(n, np.complex128)
        x[1] = 1
        exact = by_definition(x.astype(np.clongdouble), FORWARD, n)
        found = run(kernels, FORWARD, x, n)
        for a, b in [(found.real, exact.real), (found.imag, exact.imag)]:
            assert (np.abs(a - b) <= 0.55 * np.spacing(np.abs(a)) + 1e-19).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_lengths(kernels, kind, dtype):
    """Errors are at most four times those of NumPy."""
    for n in LENGTHS:
        for shape in [(), (3,), (17,)] if n < 600 else [(), (2,)]:
            x = sample(kind, shape, n, dtype)
            exact = FUNCTIONS[kind](x.astype(np.result_type(x.dtype, np.longdouble)), n)
            wanted = FUNCTIONS[kind](x, n)
            found = run(kernels, kind, x, n)
            assert found.dtype == wanted.dtype
            assert error(found, exact) <= 4 * error(wanted, exact) + np.finfo(dtype).eps / 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_strides(kernels, kind, dtype):
    for shape in [(), (3,), (2, 3), (2, 1, 19)]:
        for n in (1, 6, 7, 24, 67, 200):
            x = sample(kind, shape, n, dtype)
            wanted = run(kernels, kind, x, n)
            for view in layouts(x):
                assert same(run(kernels, kind, view, n), wanted)
            for out in layouts(np.zeros_like(wanted)):
                assert kernels.status("fft", [out, x], [kind, n]) == OK
                assert same(np.ascontiguousarray(out).reshape(wanted.shape), wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shape", "n"), [((64,), 2048), ((20000,), 12), ((300,), 257), ((), 1 << 19), ((), 3 << 18)]
)
def test_threads(kernels, kind, shape, n):
    """Threads change no bit, and both the rows and one long row are shared right."""
    x = sample(kind, shape, n, "complex128")
    one, two = (run(kernels, kind, x, n, threads) for threads in THREADS)
    assert same(one, two)
    assert error(two, FUNCTIONS[kind](x, n)) < 2e-15
    assert same(run(kernels, kind, x, n, 3), one)


def test_kept_plans(kernels):
    """More lengths than plans are kept, in both kinds of use, change nothing."""
    lengths = [*range(40, 80)]
    for kind in KINDS:
        first = [run(kernels, kind, sample(kind, (2,), n, "complex128"), n) for n in lengths]
        for n, wanted in zip(lengths, first, strict=True):
            x = sample(kind, (2,), n, "complex128")
            assert same(run(kernels, kind, x, n), wanted)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 16, 35, 202])
def test_imaginary_parts_that_do_not_count(kernels, n):
    x = sample(INVERSE_REAL, (4,), n, "complex128")
    y = x.copy()
    y[:, 0] += 3j
    if n % 2 == 0:
        y.imag[:, -1] = np.inf
    assert same(run(kernels, INVERSE_REAL, x, n), run(kernels, INVERSE_REAL, y, n))


@pytest.mark.parametrize("threads", THREADS)
def test_subnormals(kernels, threads):
    x = np.zeros((4000, 64), np.complex128)
    x[:, 0] = 5e-324
    assert (run(kernels, FORWARD, x, 64, threads) == 5e-324).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite(kernels, value):
    for n in (8, 30, 67):
        x = np.ones(n, np.complex128)
        x[n // 2] = value
        for kind in (FORWARD, INVERSE):
            assert not np.isfinite(run(kernels, kind, x, n)).any()


def test_empty(kernels):
    for kind in KINDS:
        for shape in [(0,), (3, 0), (0, 2)]:
            x = sample(kind, shape, 12, "complex128")
            assert run(kernels, kind, x, 12).shape == (*shape, sides(kind, 12)[1])


def test_refused(kernels):
    def status(out: Array, x: Array, *params: int) -> int:
        return kernels.status("fft", [out, x], params)

    z8, z5, d8, f8 = np.ones(8, "D"), np.ones(5, "D"), np.ones(8), np.ones(8, "f")
    out = Guarded((8,), "D")
    before = out.array.tobytes()
    for call in [
        lambda: status(out.array, z8, 4, 8),
        lambda: status(out.array, z8, -1, 8),
        lambda: status(out.array, z8, 0, 9),
        lambda: status(out.array, z8, 0, 0),
        lambda: status(out.array[:0], z8[:0], 0, 0),
        lambda: status(out.array, z8, 0),
        lambda: status(out.array, d8, 0, 8),
        lambda: status(out.array, z8.astype("F"), 0, 8),
        lambda: status(out.array[:5], f8, 2, 8),
        lambda: status(out.array, d8, 2, 8),
        lambda: status(out.array[:5], z8, 2, 8),
        lambda: status(out.array, z5, 3, 8),
        lambda: status(d8, z8, 3, 8),
        lambda: status(out.array.reshape(2, 4), np.ones((3, 4), "D"), 0, 4),
        lambda: status(out.array.reshape(2, 4), z8, 0, 8),
        lambda: status(out.array[:1].reshape(()), z8[:1].reshape(()), 0, 1),
        lambda: kernels.status("fft", [out.array], [0, 8]),
    ]:
        assert call() == UNSUPPORTED
    assert out.array.tobytes() == before
