"""Sums, extremes, truth, counts and places, against NumPy; the bits of sums are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jujunp
from tests.support.differential import (
    DTYPES,
    FLOATS,
    INTEGERS,
    VIEWS,
    check,
    check_error,
    rounding,
    sample,
)

SUMS = ("sum", "mean", "var", "std")
REDUCTIONS = (*SUMS, "prod", "min", "max", "any", "all", "count_nonzero")
SHAPES = ((), (1,), (7,), (300,), (4, 3), (3, 1, 5), (2, 130, 3), (0,), (0, 3), (3, 0))


def axes_of(rank):
    """Return axis arguments: all, none, each, and some pairs."""
    single = [*range(-rank, rank)]
    return [None, (), *single, *([(0, rank - 1)] if rank > 1 else [])]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_axis(dtype, shape):
    data = sample(shape, dtype)
    if data.dtype.kind == "c":
        data /= 16  # products beyond the largest number are inf or nan, by the order
    for name in REDUCTIONS:
        rtol = 1e-5 if name == "prod" and dtype in FLOATS else rounding(dtype)
        for axis in axes_of(len(shape)):
            check(lambda xp, f=name, a=axis: getattr(xp, f)(xp.asarray(data), axis=a), rtol=rtol)
            check(
                lambda xp, f=name, a=axis: getattr(xp, f)(xp.asarray(data), axis=a, keepdims=True),
                rtol=rtol,
            )


@pytest.mark.parametrize("dtype", DTYPES)
def test_places(dtype):
    for shape in SHAPES:
        data = sample(shape, dtype)
        for name in ("argmax", "argmin"):
            for axis in (None, *range(-len(shape), len(shape))):
                check(lambda xp, f=name, a=axis, d=data: getattr(xp, f)(xp.asarray(d), a))
                check(
                    lambda xp, f=name, a=axis, d=data: getattr(xp.asarray(d), f)(a, keepdims=True)
                )


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
def test_views(dtype, view):
    data = sample((6, 70, 5), dtype)
    for name in (*SUMS, "max", "any", "argmin"):
        for axis in (
            (None, 0, 1, 2) if name == "argmin" else (None, 0, 1, 2, (0, 1), (0, 2), (1, 2))
        ):
            check(lambda xp, f=name, a=axis: getattr(xp, f)(VIEWS[view](xp.asarray(data)), axis=a))


def test_memory_order_of_the_result():
    for axis in (0, 1, 2):
        for keepdims in (False, True):
            check(
                lambda xp, a=axis, k=keepdims: (
                    xp.sum(xp.ones((2, 3, 4)).transpose(2, 0, 1), axis=a, keepdims=k).strides
                )
            )


@given(st.integers(0, 40_000), st.sampled_from(FLOATS), st.integers(0, 99))
def test_bits_of_sums(count, dtype, seed):
    data = sample(count, dtype, seed)
    check(lambda xp: xp.asarray(data).sum())
    check(lambda xp: xp.asarray(data)[::-1][::3].sum())


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from(FLOATS))
def test_bits_of_sums_of_matrices(rows, columns, dtype):
    data = sample((rows, columns), dtype)
    for axis in (0, 1, None):
        check(lambda xp, a=axis: xp.sum(xp.asarray(data), axis=a))
        check(lambda xp, a=axis: xp.sum(xp.asarray(data).T, axis=a))


@pytest.mark.parametrize("target", ["int8", "uint16", "int64", "float32", "float64", "bool"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype(dtype, target):
    data = sample((3, 40), dtype)
    if data.dtype.kind in "iuf":
        data = abs(data % 7)
    for name in ("sum", "prod", "mean"):
        rtol = 1e-6 if np.dtype(target).kind == "f" else 0
        if data.dtype.kind == "c":  # products overflow, and may be inf or nan then
            name = name.replace("prod", "sum")
        check(lambda xp, f=name: getattr(xp, f)(xp.asarray(data), axis=1, dtype=target), rtol=rtol)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "mean", "var", "argmax"])
def test_out(name):
    data = sample((4, 5), "float64")

    def program(xp, shape, dtype):
        out = xp.zeros(shape, dtype)
        result = getattr(xp, name)(xp.asarray(data), axis=0, out=out)
        return result is out, out

    for dtype in ("float64", "float32", "int64", "int8"):
        check(lambda xp, d=dtype: program(xp, 5, d), rtol=1e-6)
    for shape in (4, (1, 5), (5, 1), ()):
        check(lambda xp, s=shape: program(xp, s, "float64"))
    check(lambda xp: getattr(xp, name)(xp.asarray(data), axis=0, out=[0.0] * 5))


def test_out_without_axes():
    def program(xp):
        out = xp.zeros(())
        xp.sum(xp.arange(4), out=out)
        return out

    check(program)


def test_out_is_read_only():
    out = jujunp.zeros(3)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        jujunp.sum(jujunp.ones((2, 3)), axis=0, out=out)


@pytest.mark.parametrize("dtype", DTYPES)
def test_initial_and_where(dtype):
    data = sample((4, 5, 3), dtype)
    if data.dtype.kind in "fc":
        data /= 4
    mask = sample((4, 1, 3), "float64") > 3
    for name in ("sum", "prod", "max", "min"):
        for axis in (None, 1, (0, 2)):
            for initial in (1, 0):
                check(
                    lambda xp, f=name, a=axis, i=initial: getattr(xp, f)(
                        xp.asarray(data), axis=a, initial=i, where=xp.asarray(mask)
                    ),
                    rtol=1e-4 if dtype in FLOATS else rounding(dtype),
                )
    for name in ("any", "all", "mean", "var", "std"):
        check(
            lambda xp, f=name: getattr(xp, f)(xp.asarray(data), axis=1, where=xp.asarray(mask)),
            rtol=1e-5 if dtype in FLOATS else rounding(dtype),
        )


def test_initial_is_a_number_of_the_dtype():
    check(lambda xp: xp.max([1, 2], initial=3.7))
    check(lambda xp: xp.max([1, 2], initial=np.inf))
    check(lambda xp: xp.max(xp.asarray([1, 2], "int8"), initial=300))
    check(lambda xp: xp.max(xp.zeros((2, 0)), axis=1, initial=-np.inf))
    check(lambda xp: xp.min(xp.zeros((2, 0)), initial=4, keepdims=True))
    check(lambda xp: xp.sum(xp.asarray([1.5, 2.5]), initial=xp.asarray(2)))


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0]


@pytest.mark.parametrize("first", SPECIAL)
@pytest.mark.parametrize("second", SPECIAL)
@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype, first, second):
    for data in ([first, second], [1.0] * 20 + [first] + [2.0] * 20 + [second]):
        for name in ("sum", "prod", "argmax", "argmin", "any", "all", "count_nonzero", "mean"):
            check(lambda xp, f=name, d=data: getattr(xp, f)(xp.asarray(d, dtype)))
        for name in ("max", "min"):  # which zero wins is not defined
            check(lambda xp, f=name, d=data: getattr(xp, f)(xp.asarray(d, dtype)) + 0.0)


def test_integers_wrap():
    for dtype in INTEGERS:
        top = np.iinfo(dtype).max
        check(lambda xp, d=dtype, t=top: xp.asarray([t, t, 3], d).sum())
        check(lambda xp, d=dtype, t=top: xp.asarray([t, t, 3], d).prod(dtype=d))


def test_ptp():
    check(lambda xp: xp.ptp(xp.arange(6).reshape(2, 3), axis=0))
    check(lambda xp: xp.ptp([1.5, np.nan]))
    check(lambda xp: xp.ptp([[1, 5]], keepdims=True))
    check(lambda xp: xp.ptp([]))


ERRORS = [
    lambda xp: xp.max([]),
    lambda xp: xp.min(xp.zeros((0, 3)), axis=0),
    lambda xp: xp.max(xp.zeros((0, 3)), axis=1),
    lambda xp: xp.max([1], where=[True]),
    lambda xp: xp.sum([1], initial=None),
    lambda xp: xp.sum([], initial=None),
    lambda xp: xp.argmax([]),
    lambda xp: xp.argmin(xp.zeros((0, 3)), axis=0),
    lambda xp: xp.argmax(xp.zeros((0, 3, 0)), axis=1),
    lambda xp: xp.argmax([[1, 2]], axis=(0, 1)),
    lambda xp: xp.argmax([1, 2], out=xp.zeros(3, int)),
    lambda xp: xp.sum([1, 2], axis=1),
    lambda xp: xp.sum([1, 2], axis=-2),
    lambda xp: xp.sum([[1, 2]], axis=(0, 0)),
    lambda xp: xp.sum([1, 2], axis=0.0),
    lambda xp: xp.sum([1, 2], axis=[0]),
    lambda xp: xp.sum([1, 2], axis="x"),
    lambda xp: xp.sum([1, 2], dtype="no such dtype"),
    lambda xp: xp.sum(3, axis=0),
    lambda xp: xp.sum(3, axis=1),
    lambda xp: xp.sum([[1, 2]], where=[[True], [False]]),
    lambda xp: xp.sum([[1, 2]], where=[True, True, False]),
    lambda xp: xp.sum([[1, 2]], where=[[[True, True]]]),
    lambda xp: xp.count_nonzero([1, 2], axis=3),
]


@pytest.mark.parametrize("program", ERRORS, ids=range(len(ERRORS)))
def test_errors(program):
    check_error(program)


def test_reduction_of_a_view_reads_what_was_written_before():
    x = jujunp.zeros(5)
    before = x[1:4].sum()
    x[2] = 7
    assert float(before) == 0
    assert float(x[1:4].sum()) == 7


def test_extremes_of_empty_axes():
    for shape in ((0, 0), (0, 3, 0), (3, 0), (0, 3)):
        for axis in (0, 1, -1):
            check(lambda xp, s=shape, a=axis: xp.max(xp.zeros(s), axis=a))


@pytest.mark.parametrize("start", [complex(-0.0, -0.0), complex(-0.0, 0.0), 0j, 1 - 0j])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_sums_of_complex_zeros(start, count):
    def signs(xp):
        x = xp.asarray([[complex(-0.0, -0.0)] * count] * 2)
        found = xp.sum(x, axis=1, initial=start)
        return xp.stack([xp.signbit(found.real), xp.signbit(found.imag)])

    check(signs)


def test_an_ellipsis_as_output():
    for call in (
        lambda xp: xp.add.reduce(1, (), None, ...),
        lambda xp: xp.add.reduce([1], out=(...,)),
        lambda xp: xp.add.reduce(1, (), out=...),
    ):
        check(call)
