"""The kernels of random bits, of reduced precision and of cumulative sums of exponentials."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import numpy as np
import pytest
from jax.extend.random import threefry_2x32

from tests.support.structured import (
    THREADS,
    UNSUPPORTED,
    Array,
    Kernels,
    layouts,
    same,
    structured_kernels,
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


def threefry(kernels: Kernels, *words: Any, threads: int = 1) -> list[Array]:
    operands = np.broadcast_arrays(*[np.asarray(word, np.uint32) for word in words])
    shape = operands[0].shape
    return kernels("threefry2x32", [(shape, "u4")] * 2, operands, (), threads)


# The known answers of Random123: key, counter, words.
ANSWERS = [
    ("00000000 00000000", "00000000 00000000", "6b200159 99ba4efe"),
    ("ffffffff ffffffff", "ffffffff ffffffff", "1cb996fc bb002be7"),
    ("13198a2e 03707344", "243f6a88 85a308d3", "c4923a9c 483df7a0"),
]


@pytest.mark.parametrize(("key", "counter", "words"), ANSWERS)
def test_known_answers(kernels, key, counter, words):
    found = threefry(kernels, *[int(word, 16) for word in f"{key} {counter}".split()])
    assert [f"{int(word):08x}" for word in found] == words.split()


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("n", [2, 6, 62, 2000, 300_000])
def test_threefry(kernels, n, threads):
    rng = np.random.default_rng(n)
    key = rng.integers(0, 1 << 32, 2, np.uint32)
    counters = rng.integers(0, 1 << 32, n, np.uint32)
    wanted = np.asarray(threefry_2x32(key, counters))
    found = threefry(kernels, *key, *np.split(counters, 2), threads=threads)
    assert same(np.concatenate(found), wanted)


@pytest.mark.parametrize("threads", THREADS)
def test_random_bits(kernels, threads):
    """With the places of the elements as counters, what jax.random.bits gives."""
    key = jax.random.key(2026)
    words = np.asarray(jax.random.key_data(key))
    for shape in [(), (0,), (7,), (83,), (100, 300), (700, 800)]:
        places = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        first, second = threefry(kernels, *words, 0, places, threads=threads)
        assert same(first ^ second, jax.random.bits(key, shape, np.uint32))
        for dtype in ("u1", "u2", "u4", "u8"):
            with jax.enable_x64(True):
                wanted = np.asarray(jax.random.bits(key, shape, dtype))
            for seen in layouts(words):
                (found,) = kernels("random_bits", [(shape, dtype)], [seen], (), threads)
                assert same(found, wanted)


def test_random_bits_refused(kernels):
    out, words = np.zeros((4, 6), np.uint32), np.zeros(2, np.uint32)
    assert kernels.status("random_bits", [out, words]) == 0
    for wrong in (out.T, out[:, ::2], out.astype(np.int32), out.astype(np.float32)):
        assert kernels.status("random_bits", [wrong, words]) == UNSUPPORTED
    for wrong in (np.zeros(3, np.uint32), np.zeros(2, np.int32), np.zeros((2, 1), np.uint32)):
        assert kernels.status("random_bits", [out, wrong]) == UNSUPPORTED
    assert kernels.status("random_bits", [out]) == UNSUPPORTED


def test_threefry_strides(kernels):
    rng = np.random.default_rng(0)
    for shape in [(), (0,), (19,), (3, 40), (40, 3)]:
        words = [rng.integers(0, 1 << 32, shape, np.uint32) for _ in range(4)]
        wanted = threefry(kernels, *words)
        for views in zip(*[layouts(word) for word in words], strict=True):
            assert all(map(same, threefry(kernels, *views), wanted))
        for outs in zip(*[layouts(word) for word in words[:2]], strict=True):
            assert kernels.status("threefry2x32", [*outs, *words]) == 0
            for out, word in zip(outs, wanted, strict=True):
                assert same(np.ascontiguousarray(out).reshape(shape), word)


def test_threefry_refused(kernels):
    words = [np.zeros(3, np.uint32) for _ in range(6)]
    assert kernels.status("threefry2x32", words[:5]) == UNSUPPORTED
    for place, wrong in itertools.product(
        range(6), [np.zeros(3, np.int32), np.zeros(2, np.uint32)]
    ):
        operands = [*words[:place], wrong, *words[place + 1 :]]
        assert kernels.status("threefry2x32", operands) == UNSUPPORTED


def rounded(x: Array, exponent: int, mantissa: int) -> Array:
    """Return x in a smaller format, by arithmetic in a wider one."""
    info = np.finfo(x.dtype)
    wide = x.astype(np.longdouble)
    binade = np.maximum(np.frexp(wide)[1] - 1, info.minexp)
    unit = np.ldexp(np.longdouble(1), binade - min(mantissa, info.nmant))
    with np.errstate(all="ignore"):
        ratio = wide / unit
        result = np.rint(ratio)
        if mantissa == 0:  # the last bit is then that of the exponent, whose bias is odd
            result = np.where((np.abs(ratio) == 1.5) & (binade % 2 == 1), np.sign(ratio), result)
        result = np.where(np.isfinite(x), result * unit, wide)
        if exponent < info.iexp:
            reach = (1 << (exponent - 1)) - 1
            large = np.abs(result) >= np.ldexp(np.longdouble(1), reach + 1)
            small = np.abs(result) < np.ldexp(np.longdouble(1), 1 - reach)
            result = np.where(large, np.copysign(np.inf, wide), result)
            result = np.where(small, np.copysign(0, wide), result)
        return np.asarray(result.astype(x.dtype))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_reduce_precision(kernels, dtype):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 16, (8 * 2000 * np.dtype(dtype).itemsize) // 16, np.uint16)
    plain = rng.standard_normal(500) * 2.0 ** rng.integers(-30, 13, 500)
    ends = [0.0, -0.0, np.inf, -np.inf, 1, 1.5, 3, 65504, 2**-14, 2**-24, 3 * 2**-26]
    x = np.concatenate([bits.view(dtype), plain.astype(dtype), np.array(ends, dtype)])
    x[np.isnan(x)] = np.nan
    exponents, mantissas = (1, 2, 4, 5, 8, 11, 20), (0, 1, 7, 10, 11, 23, 52, 70)
    for params in itertools.product(exponents, mantissas):
        found = kernels("reduce_precision", [(x.shape, dtype)], [x], params)[0]
        assert same(found, rounded(x, *params)), params


def test_reduce_precision_strides(kernels):
    rng = np.random.default_rng(0)
    for shape in [(), (0,), (30,), (7, 40)]:
        x = np.asarray(rng.standard_normal(shape))
        for view in layouts(x):
            found = kernels("reduce_precision", [(shape, "f8")], [view], [5, 3])
            assert same(found[0], rounded(x, 5, 3))
    large = rng.standard_normal((1000, 1000)).astype("f4")
    found = kernels("reduce_precision", [(large.shape, "f4")], [large], [5, 10], threads=2)
    assert same(found[0], large.astype("f2").astype("f4") * (abs(large) > 2**-14.0))


def test_reduce_precision_refused(kernels):
    x = np.ones(3)
    for params in [(0, 5), (5, -1), (5,)]:
        assert kernels.status("reduce_precision", [x, x.copy()], params) == UNSUPPORTED
    for dtype in ("i4", "c16"):
        y = np.ones(3, dtype)
        assert kernels.status("reduce_precision", [y, y.copy()], [5, 5]) == UNSUPPORTED
    assert kernels.status("reduce_precision", [x, np.ones(4)], [5, 5]) == UNSUPPORTED
    assert kernels.status("reduce_precision", [x, np.ones(3, "f4")], [5, 5]) == UNSUPPORTED


def exponents(kind: str, shape: tuple[int, ...], axis: int) -> Array:
    """Return exponents: ordinary, wide, rising, or with infinities and nan."""
    x = np.random.default_rng([*shape, axis]).standard_normal(shape)
    if kind == "wide":
        return x * 300
    if kind == "rising":
        return np.sort(x * 30, axis)
    if kind == "constant":
        return np.full(shape, 700.0)
    if kind == "special":
        for at, value in enumerate([-np.inf, np.inf, np.nan]):
            x[np.random.default_rng([at, *shape]).random(shape) < [0.2, 0.02, 0.01][at]] = value
        x[(0,) * x.ndim] = -np.inf
    return x


@pytest.mark.parametrize("kind", ["plain", "wide", "rising", "constant", "special"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumlogsumexp(kernels, kind, dtype, reverse):
    for shape in [(1,), (64,), (1000,), (3, 200), (200, 3), (130, 40), (2, 70, 3)]:
        for axis in range(len(shape)):
            x = exponents(kind, shape, axis).astype(dtype)
            ends = np.flip(x, axis) if reverse else x
            with np.errstate(invalid="ignore"):
                exact = np.logaddexp.accumulate(ends.astype(np.longdouble), axis)
            exact = np.flip(exact, axis) if reverse else exact
            found = kernels("cumlogsumexp", [(shape, dtype)], [x], [axis, reverse])[0]
            with np.errstate(invalid="ignore"):
                wrong = np.abs(found - exact) / np.maximum(np.abs(exact), 1)
            bound = np.finfo(dtype).eps * (3 + shape[axis] / 16)
            alike = (found == exact) | (np.isnan(found) & np.isnan(exact))
            assert (alike | (wrong <= bound)).all()


def test_cumlogsumexp_strides(kernels):
    for shape in [(0,), (5,), (150,), (3, 100), (4, 0)]:
        for axis in range(len(shape)):
            x = exponents("plain", shape, axis)
            outputs = [(shape, "f8")]
            wanted = np.logaddexp.accumulate(x, axis)
            for view in layouts(x):
                found = kernels("cumlogsumexp", outputs, [view], [axis, 0])[0]
                np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)
    large = exponents("plain", (1000, 700), 0)
    for axis in (0, 1):
        one, two = (
            kernels("cumlogsumexp", [(large.shape, "f8")], [large], [axis, 0], threads)[0]
            for threads in THREADS
        )
        assert same(one, two)
        np.testing.assert_allclose(one, np.logaddexp.accumulate(large, axis), rtol=1e-12)


def test_cumlogsumexp_refused(kernels):
    x = np.ones(3)
    for arrays, params in [
        ([x, x], [1, 0]),
        ([x, x], [-1, 0]),
        ([x, x], [0]),
        ([x, np.ones(4)], [0, 0]),
        ([x, np.ones(3, "f4")], [0, 0]),
        ([np.ones(3, "i8"), np.ones(3, "i8")], [0, 0]),
    ]:
        assert kernels.status("cumlogsumexp", arrays, params) == UNSUPPORTED
