"""Complex arrays against NumPy: parts, conversions, functions that treat them in a special way."""

from __future__ import annotations

import warnings

import jax
import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.compiled import Graph
from tests.support.differential import check, compare

A = np.array([1 + 2j, 3 - 4j, -0.5j, 2])
COMPLEX = ("complex64", "complex128")


@pytest.fixture(params=COMPLEX)
def z(request):
    return A.astype(request.param)


def test_parts_are_views(z):
    def program(xp):
        x = xp.asarray(z.copy()).reshape(2, 2)
        real, imag = x.real, x.imag
        x[0] += 10 + 1j
        real[1] = 7
        x.T.imag[0] = -1
        return x, real, imag, x.real.T, x[0, 0].real, x[0, 1].imag, xp.real(x), xp.imag(x)

    check(program)


def test_parts_are_assigned(z):
    def program(xp, values=(3, 2.5)):
        x = xp.asarray(z).copy()
        x.real, x.imag = values
        x.imag[1:] = xp.arange(3)
        return x

    check(program)

    def refused(xp):
        xp.ones(3).imag = 2

    check(refused)

    def of_real(xp):
        x = xp.ones(3)
        x.real = 4
        return x, x.imag

    check(of_real)


SETS = {
    "number": lambda xp, x: x.__setitem__(0, 3j),
    "int": lambda xp, x: x.__setitem__(0, 3),
    "slice": lambda xp, x: x.__setitem__(slice(1, 3), 2.5 - 1j),
    "array": lambda xp, x: x.__setitem__(slice(None), xp.arange(4) * 1j),
    "mask": lambda xp, x: x.__setitem__(x.real > 1, 1j),
    "indices": lambda xp, x: x.__setitem__([0, 2], [1j, 2]),
    "at": lambda xp, x: xp.add.at(x, [0, 0, 1], 1j),
    "fill": lambda xp, x: x.fill(2 - 1j),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("dtype", [*COMPLEX, "float64", "int32", "bool"])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_writing(name, dtype):
    def program(xp):
        x = xp.zeros(4, dtype)
        SETS[name](xp, x)
        return x

    check(program)


def test_operators_in_place(z):
    def program(xp):
        x = xp.asarray(z).copy()
        x += 1j
        x *= x
        x -= xp.arange(4)
        x /= 2
        x **= 2
        return x, -x, +x, x == x, x != 1j, 2 - x, 1j * x, x @ x

    check(program)
    for dtype in ("float64", "int64"):

        def refused(xp, dtype=dtype):
            x = xp.ones(4, dtype)
            x += xp.asarray(z)

        check(refused)


CASTS = {
    "float": lambda xp, z: xp.asarray(z).astype(float),
    "int": lambda xp, z: xp.asarray(z).astype("int16"),
    "assigned": lambda xp, z: xp.zeros(4).__setitem__(slice(None), xp.asarray(z)),
    "scalar": lambda xp, z: float(xp.asarray(z)[0]),
    "bool": lambda xp, z: xp.asarray(z).astype(bool),
    "back": lambda xp, z: xp.asarray(z.real).astype(complex),
}


@pytest.mark.parametrize("name", CASTS)
def test_a_lost_imaginary_part_is_warned_of(name, z):
    given = []
    for xp in (np, jj):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            CASTS[name](xp, z)
        assert all(warning.filename == __file__ for warning in seen)
        given.append([(warning.category, str(warning.message)) for warning in seen])
    assert given[0] == given[1]


def test_conversions_to_python(z):
    check(lambda xp: (complex(xp.asarray(z)[0]), xp.asarray(z).tolist(), xp.asarray(z).item(1)))
    check(lambda xp: (bool(xp.asarray(z)[2]), hash(xp.asarray(z)[0]) == hash(z[0])))
    check(lambda xp: float(xp.asarray(1j)))
    check(lambda xp: int(xp.asarray(1j)))
    for text in (str, repr):
        assert text(jj.asarray(z)) == text(z)
        assert text(jj.asarray(z)[0]) == text(z[0])


FUNCTIONS = {
    "angle": lambda xp, x: (xp.angle(x), xp.angle(x, deg=True)),
    "conj": lambda xp, x: (xp.conj(x), x.conj(), x.conjugate(), x.real.conj()),
    "abs": lambda xp, x: (xp.abs(x), abs(x)),
    "isreal": lambda xp, x: (xp.isreal(x), xp.iscomplex(x), xp.iscomplexobj(x), xp.isrealobj(x)),
    "real_if_close": lambda xp, x: (xp.real_if_close(x), xp.real_if_close(x.real + 1e-18j)),
    "nan_to_num": lambda xp, x: xp.nan_to_num(xp.asarray([complex(np.nan, np.inf), 1j]), posinf=9),
    "round": lambda xp, x: (xp.round(x * 1.2345, 2), xp.rint(x * 1.5), x.round()),
    "clip": lambda xp, x: (xp.clip(x, 0, 2), xp.clip(x, None, 2), xp.clip(x, 1j, 2)),
    "dots": lambda xp, x: (
        xp.vdot(x, x[::-1]),
        xp.vecdot(x, x[::-1]),
        xp.dot(x, x),
        xp.inner(x, x),
    ),
    "vecmat": lambda xp, x: (xp.vecmat(x[:2], x.reshape(2, 2)), xp.matvec(x.reshape(2, 2), x[:2])),
    "correlate": lambda xp, x: (xp.correlate(x, x[:2]), xp.convolve(x, x[:2])),
    "var": lambda xp, x: (xp.var(x), xp.std(x, ddof=1), xp.nanvar(x), xp.mean(x)),
    "cov": lambda xp, x: (xp.cov(x.reshape(2, 2)), xp.corrcoef(x, x[::-1])),
    "order": lambda xp, x: (xp.sort(x), xp.argsort(x), xp.max(x), xp.argmin(x), xp.unique(x)),
    "median": lambda xp, x: (xp.median(x), xp.nanmedian(x), xp.average(x, weights=[1, 2, 3, 4])),
    "ranges": lambda xp, x: (
        xp.arange(3, dtype=x.dtype),
        xp.linspace(0, 1j, 5),
        xp.linspace(x[0], x[1], 3),
        xp.logspace(0, 1j, 3),
        xp.geomspace(1, 1j, 3),
        xp.arange(0, 3, 1j),
        xp.arange(0, np.complex64(3 + 2j)),
        xp.arange(np.complex64(1j), np.complex128(3 + 3j), 1 + 1j),
    ),
    "interp": lambda xp, x: (xp.interp([1.5, 9], [1, 2], x[:2]), xp.gradient(x), xp.trapezoid(x)),
    "reductions": lambda xp, x: (x.sum(), x.prod(), x.any(), x.all(), x.cumsum(), x.cumprod()),
    "initial": lambda xp, x: (xp.sum(x, initial=1j), xp.max(x, initial=9j), xp.add.reduce(x)),
    "where": lambda xp, x: (xp.where(x.real > 0, x, 1j), xp.select([x.real > 0], [x], 1j)),
    "pad": lambda xp, x: (
        xp.pad(x, 1, constant_values=2j),
        xp.full(3, 1j),
        xp.eye(2, dtype=x.dtype),
    ),
    "views": lambda xp, x: (x.view(x.real.dtype), x.real.copy().view(x.dtype)),
    "finfo": lambda xp, x: (float(xp.finfo(x.dtype).eps), xp.result_type(x, 1.0, 1j)),
    "equal": lambda xp, x: (
        xp.array_equal(xp.asarray([1j, np.nan]), xp.asarray([1j, np.nan]), equal_nan=True),
        xp.isclose(x, x + 1e-9j),
        xp.allclose(x, x + 1),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_function(name, z):
    check(lambda xp: FUNCTIONS[name](xp, xp.asarray(z)))


REFUSED = {
    "floor": lambda xp, x: xp.floor(x),
    "floor_divide": lambda xp, x: x // 2,
    "remainder": lambda xp, x: x % 2,
    "divmod": lambda xp, x: divmod(x, 2),
    "bitwise": lambda xp, x: x & 1,
    "invert": lambda xp, x: ~x,
    "cbrt": lambda xp, x: xp.cbrt(x),
    "arctan2": lambda xp, x: xp.arctan2(x, 1),
    "hypot": lambda xp, x: xp.hypot(x, 1),
    "isposinf": lambda xp, x: xp.isposinf(x),
    "isneginf": lambda xp, x: xp.isneginf(x),
    "signbit": lambda xp, x: xp.signbit(x),
    "i0": lambda xp, x: xp.i0(x),
    "quantile": lambda xp, x: xp.quantile(x, 0.5),
    "digitize": lambda xp, x: xp.digitize(x, [1, 2]),
    "bincount": lambda xp, x: xp.bincount([0, 1, 2, 3], x),
    "too large": lambda xp, x: x * 10**400,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, z):
    with pytest.raises((TypeError, OverflowError)):
        REFUSED[name](np, z)
    check(lambda xp: REFUSED[name](xp, xp.asarray(z)))


def test_values_of_special_numbers_are_the_standards():
    """Where the Array API differs from NumPy and C."""
    inf, nan = np.inf, np.nan
    found = jj.tanh(jj.asarray([complex(inf, 2), complex(-inf, 2), complex(inf, -2), 1j * nan]))
    compare(found.to_numpy()[:3], np.array([1 + 0j, complex(-1, 0.0), complex(1, -0.0)]))
    assert np.signbit(found.to_numpy().imag[:3]).tolist() == [False, False, True]
    for x, y in ((inf, 2.0), (-inf, 2.0), (inf, -2.0), (2.0, -inf), (-2.0, inf), (-2.0, -inf)):
        compare((jj.asarray(x) // y).to_numpy()[()], np.floor(np.float64(x) / y))


def test_graphs_of_complex_numbers_and_half_precision_can_be_compiled():
    for dtype in (*COMPLEX, "float16"):
        graph = jj.jaxpr(jj.asarray(np.ones(3, dtype)) * 2 + 1)
        assert Graph(graph).reason == ""


@pytest.mark.parametrize(
    "name", ["less", "less_equal", "greater", "greater_equal", "isfinite", "rint", "real", "imag"]
)
def test_jax_computes_the_same_from_what_is_pending(name):
    x = np.array([1 + 2j, 1 + 3j, complex(np.nan, 1), 0, 2.5 - 1.5j])
    y = np.array([1 + 2.5j, 0, 1, complex(1, np.nan), 2.5 - 1.5j])
    operands = [x] if name in ("isfinite", "rint", "real", "imag") else [x, y]
    found = getattr(jj, name)(*map(jj.array, operands))
    # a part alone is a view, of which nothing is pending
    graph = jj.jaxpr(found * 1 if name in ("real", "imag") else found)
    numbers = [1.0] * (len(graph.jaxpr.invars) - len(operands))
    with jax.enable_x64(True):
        (jaxs,) = jax.core.eval_jaxpr(graph.jaxpr, graph.consts, *operands, *numbers)
    compare(np.asarray(jaxs), found.to_numpy())


def test_half_precision_sums_are_rounded_once():
    ones = jj.full(10_000, 0.1, dtype="float16")
    exact = 10_000 * float(np.float16(0.1))
    assert float(ones.sum()) == float(np.float16(exact))
    assert float(jj.full(100_000, 3.5, dtype="float16").mean()) == 3.5
    with pytest.warns(RuntimeWarning) as given:
        jj.zeros(0, "float16").mean()
    wanted = ["Mean of empty slice", "invalid value encountered in divide"]
    assert [str(one.message) for one in given] == wanted
    assert jj.sqrt(jj.asarray([4], dtype="int8")).dtype == np.float16
