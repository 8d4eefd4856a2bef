"""The elementwise kernels on complex numbers: exactly NumPy, or within ulps of mpmath.

Special values follow Annex G of C99, as NumPy's functions mostly do; where they do not, the cases
are listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import pytest
from numpy._core._multiarray_umath import __cpu_features__

from tests.support.complex import (
    C64,
    C128,
    DTYPES,
    INF,
    NAN,
    Array,
    assert_alike,
    errors,
    ordinary,
    part,
    specials,
)
from tests.support.elementwise import ElementwiseKernels

COMPLEX = [C64, C128]
TAILS = (0, 1, 3, 7, 8, 9, 15, 16, 17, 33, 201)


@pytest.fixture(scope="module")
def kernels() -> ElementwiseKernels:
    return ElementwiseKernels()


pytestmark = pytest.mark.usefixtures("quiet")


EXACT: dict[str, tuple[Callable[..., Any], int]] = {
    "neg": (numpy.negative, 1),
    "conj": (numpy.conj, 1),
    "round": (numpy.rint, 1),
    "real": (numpy.real, 1),
    "imag": (numpy.imag, 1),
    "copy": (numpy.positive, 1),
    "is_finite": (numpy.isfinite, 1),
    "isnan": (numpy.isnan, 1),
    "isinf": (numpy.isinf, 1),
    "add": (numpy.add, 2),
    "sub": (numpy.subtract, 2),
    "max": (numpy.maximum, 2),
    "min": (numpy.minimum, 2),
    "fmax": (numpy.fmax, 2),
    "fmin": (numpy.fmin, 2),
    "eq": (numpy.equal, 2),
    "ne": (numpy.not_equal, 2),
    "lt": (numpy.less, 2),
    "le": (numpy.less_equal, 2),
    "gt": (numpy.greater, 2),
    "ge": (numpy.greater_equal, 2),
    "clamp": (lambda low, x, high: numpy.minimum(numpy.maximum(x, low), high), 3),
}


class Inexact(NamedTuple):
    """An oracle by name in mpmath, and bounds in ulps for complex128.

    `parts` bounds the error of each part in its own ulps, None where cancellation allows no bound;
    `whole` bounds it in ulps of the larger part. For complex64 both are about half an ulp.
    """

    oracle: str | Callable[..., Any]
    parts: float | None
    whole: float
    arity: int = 1
    grows: bool = False


def _mp() -> Any:
    return pytest.importorskip("mpmath")


INEXACT = {
    "abs": Inexact(abs, 1.0, 1.0),
    "sign": Inexact(lambda z: z / abs(z), 1.5, 1.5),
    "sqrt": Inexact("sqrt", 2.0, 2.0),
    "exp": Inexact("exp", 2.5, 2.0, grows=True),
    "exp2": Inexact(lambda z: _mp().exp(z * _mp().log(2)), 2.5, 2.5, grows=True),
    "expm1": Inexact(lambda z: _mp().exp(z) - 1, None, 2.5, grows=True),
    "log": Inexact("log", 2.5, 1.5),
    "log1p": Inexact(lambda z: _mp().log(1 + z), 3.0, 1.5),
    "log2": Inexact(lambda z: _mp().log(z) / _mp().log(2), 4.0, 2.0),
    "log10": Inexact(lambda z: _mp().log(z) / _mp().log(10), 4.0, 2.0),
    "sin": Inexact("sin", 3.5, 3.0, grows=True),
    "cos": Inexact("cos", 3.5, 3.0, grows=True),
    "tan": Inexact("tan", 5.0, 4.0, grows=True),
    "sinh": Inexact("sinh", 3.5, 3.0, grows=True),
    "cosh": Inexact("cosh", 3.5, 3.0, grows=True),
    "tanh": Inexact("tanh", 5.0, 4.0, grows=True),
    "asin": Inexact("asin", 3.0, 3.0),
    "acos": Inexact("acos", 3.0, 3.0),
    "atan": Inexact("atan", 4.0, 3.0),
    "asinh": Inexact("asinh", 3.0, 3.0),
    "acosh": Inexact("acosh", 3.0, 3.0),
    "atanh": Inexact("atanh", 4.0, 3.0),
    "logistic": Inexact(lambda z: 1 / (1 + _mp().exp(-z)), None, 3.0, grows=True),
}
OTHERS = {"select_n", "complex", "pow"}


def test_every_complex_operation_has_an_oracle(kernels: ElementwiseKernels) -> None:
    taken = {n for n in kernels.names if kernels.result(n, C64) or n == "complex"}
    assert taken == EXACT.keys() | INEXACT.keys() | OF_NUMPY.keys() | OTHERS


def test_result_dtypes(kernels: ElementwiseKernels) -> None:
    for name in kernels.names:
        for dtype in COMPLEX:
            assert kernels.runs(name, dtype) == (kernels.result(name, dtype) is not None)
            if kernels.runs(name, dtype):
                kind = numpy.dtype(bool) if name in {"eq", "isnan", "lt"} else dtype
                kind = part(dtype) if name in {"abs", "real", "imag"} else kind
                if name in {"eq", "isnan", "lt", "abs", "real", "imag", "add", "exp", "conj"}:
                    assert kernels.result(name, dtype) == kind
    assert kernels.result("complex", DTYPES[11]) == C64
    assert kernels.result("complex", DTYPES[12]) == C128
    assert kernels.result("abs", DTYPES[1]) == DTYPES[1]
    for name, code in [("complex", 9), ("complex", 13), ("conj", 12), ("floor", 13), ("and", 14)]:
        assert kernels.result(name, DTYPES[code]) is None
        assert not kernels.runs(name, DTYPES[code])


def grid(dtype: numpy.dtype, arity: int) -> list[Array]:
    values = specials(dtype)
    if arity == 3:
        values = values[:: values.size // 40]
    return [g.ravel() for g in numpy.meshgrid(*[values] * arity)]


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_exact(kernels: ElementwiseKernels, name: str, dtype: numpy.dtype) -> None:
    oracle, arity = EXACT[name]
    operands = grid(dtype, arity)
    expected = numpy.ascontiguousarray(oracle(*operands))
    assert_alike(kernels(name, *operands), expected, *operands)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("name", INEXACT)
def test_errors(kernels: ElementwiseKernels, name: str, dtype: numpy.dtype) -> None:
    row = INEXACT[name]
    oracle = getattr(_mp(), row.oracle) if isinstance(row.oracle, str) else row.oracle
    operands = [ordinary(dtype, 400, 7 + i) for i in range(row.arity)]
    if row.grows:
        z = operands[0]
        operands = [z[(abs(z.real) < 1000) & (abs(z.imag) < 1000)].copy()]
    parts, whole, where = errors(kernels(name, *operands), oracle, operands, 300)
    print(f"{name} {dtype}: {parts:.2f} {whole:.2f} ulp at {where}")
    half = 1.5 if name == "abs" else 0.51
    assert whole <= (row.whole if dtype == C128 else half), where
    if row.parts is not None:
        assert parts <= (row.parts if dtype == C128 else half), where


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_ends_of_the_range(kernels: ElementwiseKernels, dtype: numpy.dtype) -> None:
    """Nothing over- or underflows on the way to a result in range."""
    info = numpy.finfo(part(dtype))
    top, tiny = float(info.max) / 2, float(info.tiny)
    large = numpy.array([complex(top, top), complex(tiny, -tiny), complex(top, 1)], dtype)
    size = numpy.log(abs(large[:2] / 4)) + 2 * numpy.log(2)
    assert numpy.allclose(kernels("log", large).real[:2], size, rtol=1e-6)
    assert numpy.allclose(abs(kernels("sign", large)), 1, rtol=1e-6)


def test_exponentials_overflow_late(kernels: ElementwiseKernels) -> None:
    z = numpy.array([complex(720, 1e-10), complex(-720, 3), complex(1000, 1e-300)])
    mp = _mp()
    with mp.workprec(200):
        for name, function in [("exp", mp.exp), ("sinh", mp.sinh), ("cosh", mp.cosh)]:
            for got, v in zip(kernels(name, z), z, strict=True):
                exact = complex(function(mp.mpc(v)))
                for g, e in [(got.real, exact.real), (got.imag, exact.imag)]:
                    assert g == e or abs(g - e) <= 1e-15 * abs(e) + 5e-324, (name, v)


# -- special values


def special_points() -> Array:
    """Where a part is not finite or 0, and each combination with ordinary numbers."""
    values = [0.0, -0.0, 0.5, -0.5, 1, -1, 2, -2, 100, -100, INF, -INF, NAN]
    return numpy.array([complex(x, y) for x in values for y in values])


FUNCTIONS = {
    **{n: getattr(numpy, n) for n in ["exp", "exp2", "log", "log1p", "log2", "log10", "sqrt"]},
    **{n: getattr(numpy, n) for n in ["sin", "cos", "tan", "sinh", "cosh", "tanh"]},
    **{f"a{n[3:]}": getattr(numpy, n) for n in ["arcsin", "arccos", "arctan"]},
    **{f"a{n[3:]}": getattr(numpy, n) for n in ["arcsinh", "arccosh", "arctanh"]},
}


def close_part(got: Array, expected: Array, *, signs: Array) -> Array:
    """Where parts are nearly equal, or both NaN; their signs count where told."""
    near: Array = numpy.isclose(got, expected, rtol=1e-13, atol=0)
    near &= numpy.signbit(got) == numpy.signbit(expected)
    loose = numpy.isclose(abs(got), abs(expected), rtol=1e-13, atol=0)
    return near | (loose & ~signs) | (numpy.isnan(got) & numpy.isnan(expected))


def signed_zeros(zeros: Array, grows: Array, other: Array) -> Array:
    """Return numbers, where `grows` is infinite and `other` finite with the sign of that."""
    return numpy.where(
        numpy.isinf(grows) & numpy.isfinite(other), numpy.copysign(zeros, other), zeros
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(kernels: ElementwiseKernels, name: str) -> None:
    z = special_points()
    got, expected = kernels(name, z), FUNCTIONS[name](z)
    if name == "tanh":  # the Array API gives these zeros the sign of the imaginary part
        expected.imag = signed_zeros(expected.imag, z.real, z.imag)
    if name == "tan":
        expected.real = signed_zeros(expected.real, z.imag, z.real)
    # C leaves signs open beside a NaN, and where the angle is infinite.
    signs = ~numpy.isnan(expected) & numpy.isfinite(z)
    signs |= ~numpy.isnan(expected) & ~numpy.isin(name, ["exp", "exp2"])
    good = close_part(got.real, expected.real, signs=signs)
    good &= close_part(got.imag, expected.imag, signs=signs)
    assert good.all(), [(z[i], got[i], expected[i]) for i in numpy.flatnonzero(~good)[:5]]
    narrow = kernels(name, z.astype(C64))
    same = (numpy.isnan(narrow.real) == numpy.isnan(got.real)) & (
        numpy.isnan(narrow.imag) == numpy.isnan(got.imag)
    )
    assert same.all()


# NumPy misses these; None stands for a sign that is left open.
EXPM1 = [
    (complex(0.0, 0.0), complex(0.0, 0.0)),
    (complex(-0.0, 0.0), complex(0.0, 0.0)),
    (complex(1.0, INF), complex(NAN, NAN)),
    (complex(1.0, NAN), complex(NAN, NAN)),
    (complex(INF, 0.0), complex(INF, 0.0)),
    (complex(-INF, 1.0), complex(-1.0, 0.0)),
    (complex(INF, 1.0), complex(INF, INF)),
    (complex(-INF, INF), complex(-1.0, 0.0)),
    (complex(INF, INF), complex(INF, NAN)),
    (complex(-INF, NAN), complex(-1.0, 0.0)),
    (complex(INF, NAN), complex(INF, NAN)),
    (complex(NAN, 0.0), complex(NAN, 0.0)),
    (complex(NAN, 1.0), complex(NAN, NAN)),
    (complex(NAN, NAN), complex(NAN, NAN)),
]


def test_expm1_of_special_values(kernels: ElementwiseKernels) -> None:
    z = numpy.array([a for a, _ in EXPM1])
    got = kernels("expm1", z)
    assert_alike(got, numpy.array([b for _, b in EXPM1]), z)
    assert_alike(kernels("expm1", z.conj()), got.conj())


OF_NUMPY = {
    "mul": (numpy.multiply, 2),
    "square": (numpy.square, 1),
    "div": (numpy.divide, 2),
    "reciprocal": (numpy.reciprocal, 1),
}
"""What has NumPy's bits: products where the CPU can add to a product."""


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("name", OF_NUMPY)
def test_products_and_quotients_are_numpys(
    kernels: ElementwiseKernels, name: str, dtype: numpy.dtype
) -> None:
    function, arity = OF_NUMPY[name]
    if name in {"mul", "square"} and not __cpu_features__["FMA3"]:
        pytest.skip("NumPy rounds products twice here")
    for operands in (grid(dtype, arity), [ordinary(dtype, 4000, 7 + i) for i in range(arity)]):
        with numpy.errstate(all="ignore"):
            expected = function(*operands)
        assert_alike(kernels(name, *operands), expected, *operands)


def test_sign_of_special_values(kernels: ElementwiseKernels) -> None:
    z = special_points()
    got, expected = kernels("sign", z), numpy.sign(z)
    # NumPy ignores a NaN beside an infinity, the Array API does not.
    listed = ~(numpy.isnan(z) & numpy.isinf(abs(z)))
    assert_alike(numpy.round(got[listed], 12), numpy.round(expected[listed], 12), z[listed])
    assert numpy.isnan(got[~listed]).all()


def test_absolute_values_of_infinities(kernels: ElementwiseKernels) -> None:
    z = special_points()
    got = kernels("abs", z)
    infinite = numpy.isinf(z.real) | numpy.isinf(z.imag)
    assert (got[infinite] == INF).all()
    assert (numpy.isnan(got) == (numpy.isnan(z) & ~infinite)).all()


# -- powers


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_powers(kernels: ElementwiseKernels, dtype: numpy.dtype) -> None:
    mp = _mp()
    z, w = ordinary(dtype, 300, 1, 8), ordinary(dtype, 300, 2, 3)
    _, whole, where = errors(kernels("pow", z, w), mp.power, [z, w], 300)
    # The error grows as the exponent times the logarithm.
    assert whole <= (0.51 if dtype == C64 else 40), where
    for n, bound in [(2, 1.5), (3, 3), (-1, 3), (-2, 5), (7, 7), (30, 30), (0.5, 3)]:
        wn = numpy.full(z.size, n, dtype)
        _, whole, where = errors(kernels("pow", z, wn), mp.power, [z, wn], 300)
        assert whole <= (0.51 if dtype == C64 else bound), (n, where)


def test_whole_powers_of_gaussian_integers_are_exact(kernels: ElementwiseKernels) -> None:
    z = numpy.array([1 + 2j, -3 + 1j, 2j, -1, 5])
    for n in range(10):
        exact = numpy.array([numpy.prod([v] * n) if n else 1 for v in z], complex)
        assert (kernels("pow", z, numpy.full(5, n, complex)) == exact).all()


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_whole_powers_of_what_is_not_finite(
    kernels: ElementwiseKernels, dtype: numpy.dtype
) -> None:
    numbers = (0.0, -0.0, 1.0, -2.0, numpy.inf, -numpy.inf, numpy.nan)
    given = numpy.array([complex(a, b) for a in numbers for b in numbers], dtype)
    given = given[~numpy.isfinite(given)]
    with numpy.errstate(all="ignore"):
        for n in (-99, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 99):
            power = numpy.full(given.size, n, dtype)
            expected = numpy.power(given, power)
            for part in ("real", "imag"):
                ours = getattr(kernels("pow", given, power), part)
                numpy.testing.assert_array_equal(ours, getattr(expected, part))


def test_powers_of_zero(kernels: ElementwiseKernels) -> None:
    w = numpy.array([0, 1, 2, 0.5, 1 + 1j, -1, 1j, -1 + 1j, complex(NAN, 0)], complex)
    got = kernels("pow", numpy.zeros(w.size, complex), w)
    expected = numpy.zeros(w.size, complex) ** w
    good = (got == expected) | (numpy.isnan(got) & numpy.isnan(expected))
    assert good.all(), (got, expected)


# -- memory


def operands_of(name: str, dtype: numpy.dtype, count: int) -> list[Array]:
    rng = numpy.random.default_rng(3)
    values = specials(dtype)
    arity = EXACT[name][1] if name in EXACT else INEXACT[name].arity if name in INEXACT else 2
    made = [
        numpy.concatenate([rng.choice(values, count // 2), ordinary(dtype, count, i, 12)])[
            rng.permutation(count + count // 2)
        ][:count]
        for i in range(arity)
    ]
    if name == "select_n":
        return [rng.random(count) < 0.5, *made]
    if name == "complex":
        return [x.real.copy() for x in made]
    return made


@pytest.mark.parametrize("name", sorted(EXACT.keys() | INEXACT.keys() | OTHERS))
def test_tails_and_overlap(kernels: ElementwiseKernels, name: str) -> None:
    """A result depends on its operands only, and goes nowhere else."""
    for dtype in COMPLEX:
        inputs = operands_of(name, dtype, max(TAILS))
        full = kernels(name, *inputs)
        if name == "select_n":
            assert_alike(full, numpy.where(inputs[0], inputs[2], inputs[1]))
        if name == "complex":
            assert_alike(full.real.copy(), inputs[0])
            assert_alike(full.imag.copy(), inputs[1])
        single = numpy.concatenate(
            [kernels(name, *[x[i : i + 1].copy() for x in inputs]) for i in range(full.size)]
        )
        assert_alike(single, full, *inputs)
        for count in TAILS:
            out = numpy.zeros(count + 8, full.dtype)
            kernels(name, *[x[:count].copy() for x in inputs], out=out)
            assert_alike(out[:count], full[:count])
            assert not out[count:].any(), (dtype, count)
        for i, operand in enumerate(inputs):
            if operand.dtype == full.dtype:
                copies = [x.copy() for x in inputs]
                kernels(name, *copies, out=copies[i])
                assert_alike(copies[i], full)


@pytest.mark.parametrize("real", DTYPES, ids=str)
def test_convert(kernels: ElementwiseKernels, real: numpy.dtype) -> None:
    rng = numpy.random.default_rng(1)
    for dtype in COMPLEX:
        z = numpy.concatenate([specials(dtype), ordinary(dtype, 100, 1, 6)])
        if real.kind in "iu":
            z = ordinary(dtype, 100, 1, 6)
            z = z[abs(z.real) < 100]
            z.real = abs(z.real)
        if real.kind == "b":
            expected = z != 0
        elif real.kind == "c":
            expected = z.astype(real)
        else:
            expected = z.real.astype(real)
        got = kernels.convert(z, real)
        if real.name == "bfloat16":
            got, expected = got.astype("f4"), expected.astype("f4")
        assert_alike(got, expected, z)
        if real.itemsize <= dtype.itemsize:
            place = z.copy()
            kernels.convert(place, real, out=place.view(real)[: z.size])
            found = place.view(real)[: z.size].astype(got.dtype)
            assert_alike(found, got)
        x = rng.integers(0, 100, 333).astype(real)
        assert_alike(
            kernels.convert(x, dtype), x.astype("f8" if real.kind != "c" else real).astype(dtype)
        )
        for count in TAILS:
            found = kernels.convert(z[:count].copy(), real)
            assert found.tobytes() == kernels.convert(z, real)[:count].tobytes()


def test_unknown_codes_are_refused(kernels: ElementwiseKernels) -> None:
    for op, dtype in [(-1, 13), (0, 15), (0, 100), (len(kernels.names), 13)]:
        assert not kernels._run(op, dtype, 0, 0, 0, 0, 0)
    for source, to in [(13, 15), (15, 13), (-1, 13), (13, -1)]:
        assert not kernels._convert(source, to, 0, 0, 0)
