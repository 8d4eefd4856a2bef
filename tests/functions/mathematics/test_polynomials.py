"""Polynomials as arrays of coefficients, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import check

X = np.linspace(0, 1, 9)
Y = np.sin(3 * X)

PROGRAMS = {
    "polyval": lambda xp: xp.polyval(xp.asarray([1.0, 2, 3]), xp.asarray([0.5, 2])),
    "polyval of lists": lambda xp: xp.polyval([1, 2], [[1, 2], [3, 4]]),
    "polyval of nothing": lambda xp: xp.polyval([], [1.0]),
    "polyval complex": lambda xp: xp.polyval(xp.asarray([1j, 2]), xp.asarray([0.5, 2])),
    "roots": lambda xp: xp.sort(xp.roots(xp.asarray([1.0, 2, 0.5]))),
    "roots with zeros": lambda xp: xp.sort(xp.roots([0, 1, -3, 0, 0])),
    "roots at zero": lambda xp: xp.roots([2, 0, 0]),
    "complex roots": lambda xp: xp.sort(xp.roots([1, 0, 1])).imag,
    "no roots": lambda xp: (xp.roots([0, 0]), xp.roots([5])),
    "roots of a matrix": lambda xp: xp.roots([[1, 2], [3, 4]]),
    "poly": lambda xp: xp.poly([1, 2, 3]),
    "poly of a matrix": lambda xp: xp.poly(xp.asarray([[1.0, 2], [2, 4]])),
    "poly of pairs": lambda xp: xp.poly([1j, -1j]),
    "poly of complex roots": lambda xp: xp.poly([1j, 2]),
    "poly of singles": lambda xp: xp.poly(xp.asarray([1, 2], "float32")),
    "poly of halves": lambda xp: xp.poly(xp.asarray([1, 2], "float16")),
    "polyval without coefficients": lambda xp: xp.polyval(xp.asarray([]), xp.asarray([np.inf])),
    "poly of nothing": lambda xp: xp.poly([]),
    "poly of a row": lambda xp: xp.poly([[1, 2, 3]]),
    "polyadd": lambda xp: xp.polyadd([1, 2], [3, 4, 5]),
    "polysub": lambda xp: xp.polysub([1, 2.5], [3]),
    "polymul": lambda xp: xp.polymul([1, 2], [3, 4]),
    "polymul of nothing": lambda xp: xp.polymul([], [1.0]),
    "polymul of leading zeros": lambda xp: xp.polymul(xp.asarray([0, 0, 1, 2]), [0, 3.5]),
    "polymul of zeros": lambda xp: xp.polymul(xp.asarray([0, 0]), xp.asarray([1, 2])),
    "polymul of rows": lambda xp: xp.polymul(xp.ones((2, 2)), [1, 2]),
    "polyadd of rows": lambda xp: xp.polyadd(xp.ones((2, 2)), xp.ones((2, 3))),
    "polysub of rows": lambda xp: xp.polysub(xp.ones((2, 2)), xp.ones((2, 2))),
    "polyder": lambda xp: (xp.polyder([3, 2, 1.0]), xp.polyder([3, 2, 1], 2), xp.polyder([1], 3)),
    "orders as floats": lambda xp: (xp.polyder([3, 2, 1.0], 1.0), xp.polyint([3, 2], 1.5)),
    "polyder refused": lambda xp: xp.polyder([1, 2], -1),
    "polyint": lambda xp: (
        xp.polyint([3, 2, 1]),
        xp.polyint([3, 2], 2, [5, 6]),
        xp.polyint([1], 2, 3),
    ),
    "polyint refused": lambda xp: xp.polyint([3, 2, 1], 3, [1, 2]),
    "polyfit": lambda xp: xp.polyfit(xp.asarray(X), xp.asarray(Y), 3),
    "polyfit weights": lambda xp: xp.polyfit(X, Y, 2, w=X + 1),
    "polyfit cov": lambda xp: xp.polyfit(xp.asarray(X), xp.asarray(Y), 2, cov=True),
    "polyfit unscaled": lambda xp: xp.polyfit(xp.asarray(X), xp.asarray(Y), 2, cov="unscaled"),
    "polyfit columns": lambda xp: xp.polyfit(X, xp.asarray(np.stack([Y, Y + X], 1)), 2),
    "polyfit negative": lambda xp: xp.polyfit(X, Y, -1),
    "polyfit lengths": lambda xp: xp.polyfit(X, Y[:3], 1),
    "polyfit nothing": lambda xp: xp.polyfit([], [], 1),
    "polyfit few": lambda xp: xp.polyfit(xp.asarray(X[:3]), Y[:3], 2, cov=True),
    "polyfit places": lambda xp: xp.polyfit(xp.ones((2, 2)), [1, 2], 1),
    "polyfit values": lambda xp: xp.polyfit([1, 2], xp.ones((2, 2, 2)), 1),
    "polyfit row of weights": lambda xp: xp.polyfit(X, Y, 1, w=[1, 2]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_numpy(name):
    check(lambda xp: PROGRAMS[name](xp), rtol=1e-9)


@pytest.mark.parametrize("library", [np, jujunp])
def test_a_fit_that_is_not_determined_warns(library):
    x = library.asarray([1.0, 1.0, 1.0])
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned") as given:
        library.polyfit(x, x, 2)
    assert [warning.filename for warning in given] == [__file__]


def test_full_fit():
    def program(xp):
        found, residuals, rank, singular, rcond = xp.polyfit(xp.asarray(X), Y, 2, full=True)
        return found, residuals + 1, int(rank), singular, float(rcond)

    check(program, rtol=1e-9)


def test_polynomials_of_numpys_class_stay():
    p = jujunp.poly1d([1.0, 2, 3])
    assert jujunp.polyder(p) == jujunp.poly1d([2, 2])
    assert jujunp.polymul(p, [1, 0]) == jujunp.poly1d([1, 2, 3, 0])
    assert jujunp.polyval(p, jujunp.arange(3.0)).tolist() == [3, 6, 11]
    assert type(jujunp.polyval(p, jujunp.arange(3.0))) is jujunp.ndarray
    assert jujunp.asarray(p).tolist() == [1, 2, 3]
