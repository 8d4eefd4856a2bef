"""The convolution kernel against loops in Python."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.support.structured import (
    OK,
    THREADS,
    UNSUPPORTED,
    Array,
    Kernels,
    layouts,
    numbers,
    same,
    structured_kernels,
)


class Case(NamedTuple):
    """Shapes of operands, and parameters in the words of jax.lax.conv_general_dilated."""

    x: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    x_dilation: tuple[int, ...]
    kernel_dilation: tuple[int, ...]
    features: int = 1
    batches: int = 1

    @property
    def spatial(self) -> int:
        return len(self.strides)

    def sizes(self) -> tuple[int, ...]:
        """Return the spatial shape of the output."""
        found = []
        for at in range(self.spatial):
            low, high = self.padding[at]
            width = (self.x[at + 2] - 1) * self.x_dilation[at] + 1 if self.x[at + 2] else 0
            reach = (self.kernel[at + 2] - 1) * self.kernel_dilation[at] + 1
            steps = (max(width + low + high, 0) - reach) // self.strides[at] + 1
            found.append(max(steps, 0))
        return tuple(found)

    def params(self, *, last: bool = False) -> list[int]:
        """Return the kernel's parameters; `last` says that the features are its last axis."""
        each = zip(self.strides, self.padding, self.x_dilation, self.kernel_dilation, strict=True)
        axes = [[stride, *padding, gap, step] for stride, padding, gap, step in each]
        groups = [self.features, self.batches]
        return [self.spatial, *groups, int(last), *itertools.chain(*axes)]


CASES = [
    Case((1, 1), (1, 1), (), (), (), ()),
    Case((3, 4), (5, 4), (), (), (), ()),
    Case((1, 1, 5), (1, 1, 2), (1,), ((0, 0),), (1,), (1,)),
    *(
        Case((1, 1, size), (1, 1, taps), (1,), (padding,), (1,), (1,))
        for size, taps in ((9, 3), (9, 1), (2, 5), (40, 12), (0, 2), (70, 11))
        for padding in ((2, 2), (-2, 1), (1, -1), (12, 9), (4, 0))
    ),
    Case((2, 3, 9), (4, 3, 3), (2,), ((1, 2),), (1,), (1,)),
    Case((2, 3, 9), (4, 3, 3), (1,), ((2, 1),), (3,), (1,)),
    Case((2, 3, 9), (4, 3, 3), (3,), ((2, 5),), (2,), (2,)),
    Case((2, 3, 9), (4, 3, 2), (1,), ((-2, -3),), (1,), (3,)),
    Case((2, 3, 9), (4, 3, 2), (2,), ((-1, 4),), (3,), (1,)),
    Case((1, 2, 3), (1, 2, 5), (1,), ((0, 0),), (1,), (1,)),
    Case((1, 2, 3), (1, 2, 5), (2,), ((9, 8),), (1,), (1,)),
    Case((1, 2, 0), (1, 2, 2), (1,), ((2, 1),), (2,), (1,)),
    Case((1, 0, 4), (3, 0, 2), (1,), ((0, 0),), (1,), (1,)),
    Case((0, 2, 4), (3, 2, 2), (1,), ((0, 0),), (1,), (1,)),
    Case((2, 2, 4, 5), (3, 2, 2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    Case((2, 2, 4, 5), (3, 2, 2, 3), (2, 1), ((1, 0), (2, 2)), (2, 1), (1, 2)),
    Case((2, 6, 4, 5), (6, 2, 2, 2), (1, 2), ((1, 1), (0, 1)), (1, 1), (1, 1), 3),
    Case((1, 4, 6, 3), (8, 1, 3, 1), (1, 1), ((1, 1), (0, 0)), (1, 1), (2, 1), 4),
    Case((6, 2, 4, 3), (6, 2, 2, 2), (1, 1), ((1, 0), (0, 1)), (1, 1), (1, 1), 1, 3),
    Case((1, 2, 3, 4, 3), (2, 2, 2, 1, 2), (1, 2, 1), ((1, 0),) * 3, (1, 2, 1), (1, 1, 2)),
]
DTYPES = ["?", "i1", "u1", "i4", "u8", "f4", "f8"]


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


def sample(case: Case, dtype: Any) -> tuple[Array, Array]:
    x, kernel = numbers(case.x, dtype), numbers(case.kernel, dtype, seed=1)
    if x.dtype.kind == "f":
        return np.rint(x), np.rint(kernel)  # so that sums are exact in any order
    return x, kernel


def convolved(case: Case, x: Array, kernel: Array) -> Array:
    """Return the convolution, term by term."""
    images = case.x[0] // case.batches
    out = np.zeros((images, case.kernel[0], *case.sizes()), x.dtype)
    channels = case.kernel[1]
    for n, o, *place in np.ndindex(out.shape):
        group = o * case.features * case.batches // case.kernel[0]
        image, first = (n, group * channels) if case.batches == 1 else (group * images + n, 0)
        total = x.dtype.type(0)
        for c, *tap in np.ndindex(case.kernel[1:]):
            at = []
            for axis in range(case.spatial):
                where = place[axis] * case.strides[axis] + tap[axis] * case.kernel_dilation[axis]
                where -= case.padding[axis][0]
                at.append(divmod(where, case.x_dilation[axis]))
            inside = zip(at, case.x[2:], strict=True)
            if all(rest == 0 and 0 <= index < size for (index, rest), size in inside):
                element = x[(image, first + c, *(index for index, _ in at))]
                total = total + element * kernel[(o, c, *tap)]
        out[(n, o, *place)] = total
    return out


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_cases(kernels, case, dtype):
    x, kernel = sample(case, dtype)
    wanted = convolved(case, x, kernel)
    found = kernels("conv_general_dilated", [(wanted.shape, dtype)], [x, kernel], case.params())
    assert same(found[0], wanted)


@pytest.mark.parametrize("case", CASES[3::4])
def test_strides(kernels, case):
    x, kernel = sample(case, "f8")
    wanted = convolved(case, x, kernel)
    name = "conv_general_dilated"
    for a, b in zip(layouts(x), layouts(kernel), strict=True):
        assert same(kernels(name, [(wanted.shape, "f8")], [a, b], case.params())[0], wanted)
    for out in layouts(np.zeros_like(wanted)):
        assert kernels.status(name, [out, x, kernel], case.params()) == OK
        assert same(np.ascontiguousarray(out), wanted)


def channels_last(x: Array) -> Array:
    """Return the array with adjacent channels: its second axis is the last one in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)


@pytest.mark.parametrize("case", [case for case in CASES if case.spatial])
@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8"])
@pytest.mark.parametrize("adjacent", [True, False])
def test_features_are_the_last_axis(kernels, case, dtype, adjacent):
    x, kernel = sample(case, dtype)
    wanted = np.moveaxis(convolved(case, x, kernel), 1, -1)
    given = [channels_last(x), kernel.copy(order="F")] if adjacent else [x, kernel]
    name, params = "conv_general_dilated", case.params(last=True)
    assert same(kernels(name, [(wanted.shape, dtype)], given, params)[0], wanted)


LARGE = [
    Case((2, 8, 40, 40), (16, 8, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1)),
    Case((400, 2, 30), (4, 2, 3), (1,), ((1, 1),), (1,), (1,)),
    Case((1, 64, 90, 90), (64, 1, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1), 64),
    Case((1, 32, 300), (32, 32, 9), (1,), ((4, 4),), (1,), (1,)),
]


@pytest.mark.parametrize("case", LARGE)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("threads", THREADS)
def test_large(kernels, case, dtype, threads):
    """Against sums of shifted arrays; whole numbers, so that sums are exact."""
    rng = np.random.default_rng(0)
    x = rng.integers(-9, 10, case.x).astype(dtype)
    kernel = rng.integers(-9, 10, case.kernel).astype(dtype)
    padded = np.pad(x, [(0, 0), (0, 0), *case.padding]).reshape(
        case.x[0], case.features, case.kernel[1], *(size + 2 * p[0] for size, p in _padded(case))
    )
    grouped = kernel.reshape(case.features, -1, *case.kernel[1:])
    wanted = np.zeros((case.x[0], case.kernel[0], *case.sizes()), dtype)
    for tap in np.ndindex(case.kernel[2:]):
        windows = tuple(
            slice(start, start + size) for start, size in zip(tap, case.sizes(), strict=True)
        )
        part = np.einsum(
            "ngc...,goc->ngo...", padded[(..., *windows)], grouped[(..., *tap)], dtype=dtype
        )
        wanted += part.reshape(wanted.shape)
    found = kernels(
        "conv_general_dilated", [(wanted.shape, dtype)], [x, kernel], case.params(), threads
    )
    assert same(found[0], wanted)
    given = [channels_last(x), kernel]
    wanted = np.moveaxis(wanted, 1, -1)
    params = case.params(last=True)
    found = kernels("conv_general_dilated", [(wanted.shape, dtype)], given, params, threads)
    assert same(found[0], wanted)


def _padded(case: Case) -> list[tuple[int, tuple[int, int]]]:
    return list(zip(case.x[2:], case.padding, strict=True))


def test_refused(kernels):
    case = Case((2, 4, 9), (4, 2, 3), (1,), ((0, 0),), (1,), (1,), 2)
    x, kernel = sample(case, "f8")
    out = np.zeros((2, 4, 7))

    def status(place: int, value: int) -> int:
        params = case.params()
        params[place] = value
        return kernels.status("conv_general_dilated", [out, x, kernel], params)

    assert status(0, 1) == OK
    out[...] = 0
    for place, value in [
        *[(0, 0), (0, 2), (0, -1), (1, 0), (1, 4), (2, 2), (2, 0)],
        *[(4, 0), (4, 2), (5, 1), (6, 1), (7, 0), (7, 2), (8, 0), (8, 2), (3, 1)],
    ]:
        assert status(place, value) == UNSUPPORTED
    wrong = [out, x.astype("f4"), kernel], [out, x, kernel.astype("f4")], [out, x[:1], kernel]
    for arrays in [*wrong, [out, x[:, :3], kernel], [out, x, kernel[:3]], [out[0], x, kernel]]:
        assert kernels.status("conv_general_dilated", arrays, case.params()) == UNSUPPORTED
    short = case.params()[:-1]
    assert kernels.status("conv_general_dilated", [out, x, kernel], short) == UNSUPPORTED
    half = [array.astype("f2") for array in (out, x, kernel)]
    assert kernels.status("conv_general_dilated", half, case.params()) == UNSUPPORTED
    assert not out.any()
