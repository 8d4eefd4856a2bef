"""pad, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check

SHAPES = [(5,), (1,), (2, 3), (3, 1, 2), (0,), (2, 0)]
WIDTHS = [0, 1, 2, 7, (1, 2), (0, 3), [[1, 2]], [(1, 0), (3, 4)], [[2], [1]], 23]
MODES = {
    "constant": [{}, *({"constant_values": n} for n in (7, -2.5, (1, 2), [(1, 2), (3, 4)]))],
    "edge": [{}],
    "reflect": [{}, {"reflect_type": "odd"}],
    "symmetric": [{}, {"reflect_type": "odd"}],
    "wrap": [{}],
    "linear_ramp": [{}, {"end_values": (3, -4)}],
    "maximum": [{}, {"stat_length": 2}],
    "minimum": [{}, {"stat_length": ((1, 2),)}],
    "mean": [{}, {"stat_length": 3}],
    "median": [{}, {"stat_length": 2}],
}


def grid(xp, *shape):
    return (xp.arange(int(np.prod(shape))).reshape(shape) * 7) % 11


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", WIDTHS, ids=repr)
@pytest.mark.parametrize("shape", SHAPES)
def test_pad(mode, width, shape):
    for options in MODES[mode]:
        for dtype in ("int64", "float64", "uint8"):
            if dtype == "uint8" and (
                options.get("constant_values") == -2.5 or "end_values" in options
            ):
                continue  # what NumPy makes of such numbers depends on the machine
            check(
                lambda xp, d=dtype, o=options: xp.pad(grid(xp, *shape).astype(d), width, mode, **o),
                rtol=1e-14 if mode in ("mean", "linear_ramp") else 0,
            )
    check(lambda xp: xp.pad(grid(xp, *shape).T, width, mode))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_pad_keeps_the_dtype(dtype, mode):
    check(lambda xp: xp.pad(grid(xp, 3, 4).astype(dtype)[::-1, ::2], 3, mode))


def test_empty_has_the_right_shape():
    check(lambda xp: xp.pad(grid(xp, 2, 3), ((1, 2), (0, 4)), "empty").shape)
    check(lambda xp: xp.pad(grid(xp, 2, 3), {0: (1, 2), -1: 3}))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((-1,), {}),
        ((1.5,), {}),
        (([1, 2, 3],), {}),
        (((1, -2),), {}),
        ((1, "nonsense"), {}),
        ((1, "edge"), {"constant_values": 1}),
        ((1,), {"stat_length": 1}),
        ((1, "maximum"), {"stat_length": 0}),
        ((1, "mean"), {"stat_length": -1}),
    ],
)
def test_pad_checks_its_arguments(arguments, options):
    check(lambda xp: xp.pad(grid(xp, 2, 3), *arguments, **options))


def test_pad_with_numbers_of_an_array():
    x = jujunp.arange(3)
    assert jujunp.pad(x, 1, constant_values=x[2]).tolist() == [2, 0, 1, 2, 2]


def test_odd_reflections_of_bools():
    for mode in ("reflect", "symmetric"):
        check(lambda xp, m=mode: xp.pad(xp.asarray([True, False]), 3, mode=m, reflect_type="odd"))


@pytest.mark.parametrize("mode", MODES)
def test_fortran_order(mode):
    for order in "CF":
        x = jujunp.pad(jujunp.ones((2, 3), order=order), 2, mode)
        assert (x.flags.c_contiguous, x.flags.f_contiguous) == (order == "C", order == "F")
    check(lambda xp: xp.pad(xp.array(grid(xp, 2, 3), order="F"), ((1, 2), (3, 0)), mode))


def test_functions_write_the_border():
    def ends(line, width, axis, options):
        line[: width[0]] = options.get("before", 10) + axis
        line[-width[1] :] = line[width[0]] * 2

    check(lambda xp: xp.pad(grid(xp, 2, 3), 2, ends))
    check(lambda xp: xp.pad(grid(xp, 2, 3), ((1, 2), (3, 1)), ends, before=4))


@pytest.mark.parametrize("mode", ["maximum", "minimum"])
def test_statistics_of_nothing(mode):
    for width, length in ((0, 0), (0, (1, 0)), (1, 0)):
        check(lambda xp, w=width, n=length: xp.pad(xp.array([1.0, 2]), w, mode, stat_length=n))


def test_trim_zeros_of_a_sequence():
    check(lambda xp: xp.trim_zeros([0, 0, 1, 2, 0]))
    check(lambda xp: xp.trim_zeros((0, 1, 0), "b"))
