"""packbits and unpackbits, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.differential import INTEGERS, check

SHAPES = [(), (0,), (1,), (8,), (13,), (200,), (3, 0), (0, 3), (5, 70), (70, 5), (3, 17, 9)]
COUNTS = [None, 0, 1, 5, 8, 19, 200, -1, -8, -9, -2000, np.int8(3), True, 1.5]
VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[..., ::-1],
    "strided": lambda x: x.repeat(2, -1)[..., ::2] if x.shape else x,
}


def axes(shape):
    return [None, *range(-len(shape), len(shape) + 1)]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_packbits(view, shape, order):
    data = np.random.default_rng(1).random(shape) < 0.4
    for axis in axes(shape):
        check(lambda xp, k=axis: xp.packbits(VIEWS[view](xp.asarray(data)), k, order))


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_unpackbits(view, shape, order):
    data = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    for axis in axes(shape):
        check(lambda xp, k=axis: xp.unpackbits(VIEWS[view](xp.asarray(data)), k, None, order))


@pytest.mark.parametrize("count", COUNTS, ids=str)
@pytest.mark.parametrize("order", ["big", "little"])
def test_unpackbits_of_some(order, count):
    data = np.random.default_rng(1).integers(0, 256, (4, 21), np.uint8)
    for axis in (None, 0, 1):
        check(lambda xp, k=axis: xp.unpackbits(xp.asarray(data), k, count, order))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float64", "complex64"])
def test_dtypes(dtype):
    data = np.array([0, 1, 2, 0, 0, 0, 77, 0, 0, 5]).astype(dtype)
    check(lambda xp: xp.packbits(xp.asarray(data)))
    check(lambda xp: xp.unpackbits(xp.asarray(data)))


def test_arguments():
    check(lambda xp: xp.packbits([0, 1, 5]))
    check(lambda xp: xp.packbits(True))
    check(lambda xp: xp.packbits([]))
    check(lambda xp: xp.packbits([1], bitorder="middle"))
    check(lambda xp: xp.unpackbits(xp.asarray([1], "uint8"), bitorder="middle"))
    check(lambda xp: xp.unpackbits([1]))
    check(lambda xp: xp.packbits(xp.unpackbits(xp.arange(256).astype("uint8"))))
