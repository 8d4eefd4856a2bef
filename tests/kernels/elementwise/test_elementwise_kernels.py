"""The elementwise kernels against NumPy: exactly, or within a number of ulps.

The oracles are those of `tests.support.operations`.
"""

import itertools
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy
import pytest

from tests.support import special_functions as special
from tests.support.elementwise import Array, ElementwiseKernels
from tests.support.operations import (
    ALL,
    BOOL,
    DOUBLE,
    DTYPES,
    EXACT,
    FLOATS,
    FORMAT_DEPENDENT,
    FULL_FLOATS,
    HALVES,
    INTS,
    LONG,
    NUMBERS,
    OF_COMPLEX,
    OTHERS,
    PREDICATES,
    SINGLE,
    ULP,
    Function,
    integer_power,
)
from tests.support.tree.places import KERNELS

TAILS = (0, 1, 3, 7, 8, 9, 63, 64, 65, 1001)


class Kernels(ElementwiseKernels):
    """The real operations of the Mojo library."""

    def result(self, name: str, dtype: numpy.dtype) -> numpy.dtype:
        """Return the dtype of an operation's result."""
        return DTYPES[0] if name in PREDICATES else dtype


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return Kernels()


pytestmark = pytest.mark.usefixtures("quiet")


def float_info(dtype: numpy.dtype) -> Any:
    return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]


def special_values(dtype: numpy.dtype) -> Array:
    if dtype.kind == "b":
        return numpy.array([False, True])
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        bits = info.bits
        near = {0, 1, 2, 3, 5, 6, 7, 10, 12, bits - 1, bits, bits + 1, info.max, info.max - 1}
        near |= {-v for v in near} | {info.min, info.min + 1, info.max // 3, 100}
        return numpy.array(sorted(v for v in near if info.min <= v <= info.max), dtype)
    info = float_info(dtype)
    top, least = float(info.max), float(info.smallest_subnormal)
    sizes = [0, least, 3 * least, float(info.tiny), 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5]
    sizes += [7, 10, 100, float(1 / info.eps), float(2 / info.eps) + 2, top / 3, top]
    sizes += [1 + float(info.eps), 1 - float(info.eps) / 2, float("inf"), float("nan")]
    values = numpy.array(sizes, dtype)
    return numpy.concatenate([values, -values])


def random_values(dtype: numpy.dtype, count: int, seed: int) -> Array:
    """Values of all sizes: half random bit patterns, half of ordinary size."""
    rng = numpy.random.default_rng(seed)
    raw = rng.integers(0, 256, count * dtype.itemsize, numpy.uint8)
    if dtype.kind == "b":
        return (raw & 1).view(bool)
    patterns = raw.view(dtype)
    small = rng.normal(size=count) * rng.choice([0.01, 1, 10, 300], count)
    if dtype.kind == "u":
        small = abs(small)
    return numpy.where(rng.random(count) < 0.5, patterns, small.astype(dtype))


def operands(dtype: numpy.dtype, arity: int, points: tuple[float, ...] = ()) -> list[Array]:
    """All combinations of special values, then random ones."""
    specials = special_values(dtype)
    if points:
        near = numpy.array(points).astype(dtype)
        specials = numpy.concatenate([specials, near, -near])
    if arity == 3:
        specials = specials[:: max(1, specials.size // 20)]
    grids = numpy.meshgrid(*[specials] * arity)
    count = 20000 if dtype in FULL_FLOATS else 3000
    return [
        numpy.concatenate([grid.ravel(), random_values(dtype, count, 10 * arity + i)])
        for i, grid in enumerate(grids)
    ]


def assert_same(got: Array, expected: Array, inputs: list[Array], zero_signs: bool = True) -> None:
    """Equality in which NaN equals NaN and, unless told otherwise, -0.0 is not 0.0."""
    assert got.dtype == expected.dtype
    same = got == expected
    if got.dtype.kind not in "biu":
        if zero_signs:
            same &= numpy.signbit(got) == numpy.signbit(expected)
        same |= numpy.isnan(got) & numpy.isnan(expected)
    wrong = numpy.flatnonzero(~same)[:5]
    shown = [([x[i] for x in inputs], got[i], expected[i]) for i in wrong]
    assert not shown, f"{numpy.count_nonzero(~same)} differ: operands, got, expected: {shown}"


def ulp_errors(got: Array, exact: Array, scale: Array) -> Array:
    """Errors in units of the last place of `scale` as a number of got's dtype."""
    info = float_info(got.dtype)
    exponent = numpy.frexp(numpy.maximum(scale, LONG(float(info.tiny))))[1]
    unit = numpy.ldexp(LONG(1), exponent - 1) * LONG(float(info.eps))
    finite = got.astype(LONG)
    # An infinite result stands for the power of two that ends the range.
    end = numpy.copysign(LONG(2) ** int(info.maxexp), finite)
    errors: Array = abs(numpy.where(numpy.isinf(got), end, finite) - exact) / unit
    return errors


def check_ulps(name: str, got: Array, inputs: list[Array]) -> float:
    """The largest error in ulp, after NaN, infinities and zeros were compared."""
    row = ULP[name]
    wide = [x.astype(LONG) for x in inputs]
    exact = row.oracle(*wide)
    expected = exact.astype(got.dtype)
    special = numpy.isnan(expected) | numpy.isinf(exact) | (exact == 0)
    assert_same(got[special], expected[special], [x[special] for x in inputs])
    regular = ~special
    assert not numpy.isnan(got[regular]).any()
    assert (numpy.signbit(got) == numpy.signbit(expected))[regular].all() or row.scale
    over = numpy.isinf(got) & numpy.isinf(expected)
    regular &= ~over
    scale = abs(exact) if row.scale is None else row.scale(exact, *wide)
    errors = ulp_errors(got[regular], exact[regular], scale[regular])
    worst = int(numpy.argmax(errors))
    where = [x[regular][worst] for x in inputs]
    print(f"{name} {got.dtype}: {float(errors[worst]):.3f} ulp at {where}")
    assert errors[worst] <= row.bound, (where, got[regular][worst], expected[regular][worst])
    return float(errors[worst])


def exact_cases() -> list[Any]:
    return [
        pytest.param(name, dtype, id=f"{name}-{dtype}")
        for name, row in EXACT.items()
        for dtype in row.dtypes
    ]


@pytest.mark.parametrize(("name", "dtype"), exact_cases())
def test_exact(kernels: Kernels, name: str, dtype: numpy.dtype) -> None:
    row = EXACT[name]
    inputs = operands(dtype, row.arity)
    if dtype == ml_dtypes.bfloat16 and name not in FORMAT_DEPENDENT:
        # NumPy's rules, not those of ml_dtypes.
        expected = row.oracle(*[x.astype(SINGLE) for x in inputs])
        expected = expected.astype(bool if name in PREDICATES else dtype)
    else:
        expected = row.oracle(*inputs)
    assert_same(kernels(name, *inputs), expected, inputs, row.zero_signs)


needs_long_double = pytest.mark.skipif(
    numpy.finfo(LONG).nmant < 63, reason="the references need a long double of 80 bits"
)


@needs_long_double
@pytest.mark.parametrize("dtype", FULL_FLOATS, ids=str)
@pytest.mark.parametrize("name", ULP)
def test_ulps(kernels: Kernels, name: str, dtype: numpy.dtype) -> None:
    row = ULP[name]
    inputs = operands(dtype, row.arity, row.points)
    if "mpmath" in row.oracle.__qualname__:
        inputs = [x[:: max(1, x.size // 3000)].copy() for x in inputs]
    check_ulps(name, kernels(name, *inputs), inputs)


@pytest.mark.parametrize("dtype", FULL_FLOATS, ids=str)
def test_powers_of_the_base_are_exact(kernels: Kernels, dtype: numpy.dtype) -> None:
    info = numpy.finfo(dtype)
    powers = numpy.arange(info.minexp - info.nmant, info.maxexp).astype(dtype)
    numbers = numpy.ldexp(dtype.type(1), powers.astype(int))
    assert_same(kernels("exp2", powers), numbers, [powers])
    assert_same(kernels("log2", numbers), powers, [numbers])
    tens = numpy.arange(23 if dtype == DOUBLE else 11).astype(dtype)
    assert_same(kernels("log10", 10**tens), tens, [tens])


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", [*ULP, *special.SPECIAL])
def test_half_precision_is_single_rounded(kernels: Kernels, name: str, dtype: numpy.dtype) -> None:
    inputs = operands(dtype, arity(name))
    expected = kernels(name, *[x.astype(SINGLE) for x in inputs]).astype(dtype)
    assert_same(kernels(name, *inputs), expected, inputs)


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integer_power(kernels: Kernels, dtype: numpy.dtype) -> None:
    inputs = operands(dtype, 2)
    assert_same(kernels("pow", *inputs), integer_power(*inputs), inputs)
    positive = [inputs[0], abs(inputs[1] // 2)]
    assert_same(kernels("pow", *positive), numpy.power(*positive), positive)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_select(kernels: Kernels, dtype: numpy.dtype) -> None:
    cases = operands(dtype, 2)
    predicate = random_values(numpy.dtype(bool), cases[0].size, 3)
    expected = numpy.where(predicate, cases[1], cases[0])
    assert_same(kernels("select_n", predicate, *cases), expected, cases)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ldexp(kernels: Kernels, dtype: numpy.dtype) -> None:
    sizes = [0, 1, 2, 3, 10, 52, 53, 100, 126, 127, 128, 149, 150, 151, 300, 1022, 1023, 1024]
    sizes += [1074, 1075, 1100, 2000, 2200, 3000, 10000]
    exponents = numpy.array(sizes + [-v for v in sizes])
    exponents = exponents[exponents == exponents.astype(dtype)]
    values = numpy.concatenate([special_values(dtype), random_values(dtype, 200, 0)])
    x, e = (grid.ravel() for grid in numpy.meshgrid(values, exponents))
    # In long double nothing is rounded before the cast.
    expected = numpy.ldexp(x.astype(LONG), e.astype(numpy.int32)).astype(dtype)
    assert_same(kernels("ldexp", x, e.astype(dtype)), expected, [x, e])


def special_cases() -> list[Any]:
    return [
        pytest.param(name, function, operands, id=f"{name}-{i}")
        for name, row in special.SPECIAL.items()
        for i, (function, operands) in enumerate(row.cases)
    ]


@pytest.mark.parametrize("dtype", FULL_FLOATS, ids=str)
@pytest.mark.parametrize(("name", "function", "operands"), special_cases())
def test_special_functions(
    kernels: Kernels, name: str, function: Function, operands: Function, dtype: numpy.dtype
) -> None:
    mp = pytest.importorskip("mpmath")
    inputs = [x.astype(dtype) for x in operands(numpy.random.default_rng(7), 60)]
    # float32 is computed in float64 and rounded once
    bound = special.SPECIAL[name].bound if dtype == DOUBLE else 0.51
    info = numpy.finfo(dtype)
    got = kernels(name, *inputs)
    checked = 0
    with mp.workdps(60):
        for result, *values in zip(got, *inputs, strict=True):
            exact, scale = function(*[mp.mpf(float(v)) for v in values])
            if not float(info.tiny) < abs(exact) < float(info.max):
                continue
            checked += 1
            unit = float(numpy.spacing(dtype.type(scale)))
            error = abs(mp.mpf(float(result)) - exact) / unit
            assert error <= bound, (values, result, float(exact), float(error))
    assert checked > 30


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", special.SPECIAL)
def test_special_values(kernels: Kernels, name: str, dtype: numpy.dtype) -> None:
    rows = numpy.array(special.SPECIAL[name].values, dtype).T
    inputs = [x.copy() for x in rows[:-1]]
    assert_same(kernels(name, *inputs), rows[-1], inputs, zero_signs=False)


@pytest.mark.parametrize("dtype", FULL_FLOATS, ids=str)
@pytest.mark.parametrize("name", special.SPECIAL)
def test_special_functions_of_any_operands(kernels: Kernels, name: str, dtype: numpy.dtype) -> None:
    """Every loop ends, and probabilities are within [0, 1]."""
    count = 4000
    inputs = [random_values(dtype, count, i) for i in range(arity(name))]
    inputs = [numpy.where(numpy.arange(count) % 2, x, abs(x)) for x in inputs]
    got = kernels(name, *inputs)
    if name in ("igamma", "igammac", "regularized_incomplete_beta"):
        assert not ((got < 0) | (got > 1)).any()
    if name in ("igamma", "igammac"):
        a, x = inputs
        assert not numpy.isnan(got[(a > 0) & (x > 0)]).any()


def test_incomplete_gamma_functions_at_the_ends(kernels: Kernels) -> None:
    """Nothing over- or underflows on the way, and no step of theirs is lost."""
    info = numpy.finfo(DOUBLE)
    ends = [info.smallest_subnormal, 1e-310, info.tiny, 1e-300, 1e-20, 0.5, 1, 6.9, 7, 29.9, 30, 40]
    ends = numpy.array([*ends, 1e3, 1e8, 1e16, 1e100, 1e300, 4e307, 8.9e307, 1.5e308, info.max])
    ratios = (0.3, 0.5, 0.69, 0.71, 0.9, 1.1, 1.39, 1.41, 2, 2.1, 5)
    pairs = [*itertools.product(ends, ends), *((a, a * r) for r in ratios for a in ends)]
    a, x = numpy.array([pair for pair in pairs if 0 < pair[1] <= info.max]).T.copy()
    p, q = kernels("igamma", a, x), kernels("igammac", a, x)
    for results in (p, q, kernels("igamma_grad_a", a, x), kernels("random_gamma_grad", a, x)):
        assert not numpy.isnan(results).any(), (a[numpy.isnan(results)], x[numpy.isnan(results)])
    assert (abs(p + q - 1) < 1e-15).all()
    large = a >= 1e8
    assert (p[large & (x < 0.95 * a)] == 0).all()
    assert (q[large & (x > 1.05 * a)] == 0).all()
    assert (abs(p - 0.5)[large & (x == a)] < 1e-4).all()
    assert (p[a < 1e-300] == 1).all()
    proportional = (a == 1) & (x < 1e-20)  # P(1, x) = 1 - exp(-x)
    assert (p[proportional] == x[proportional]).all()


def expected_dtypes(name: str) -> list[numpy.dtype]:
    if name in EXACT:
        return EXACT[name].dtypes + (BOOL if name == "copy" else [])
    if name in OF_COMPLEX:
        return OF_COMPLEX[name]
    return OTHERS.get(name, NUMBERS if name == "pow" else FLOATS)


def test_every_operation_has_an_oracle(kernels: Kernels) -> None:
    known = EXACT.keys() | ULP.keys() | OTHERS.keys() | OF_COMPLEX.keys()
    assert sorted(kernels.names) == sorted(known)


def test_supported_dtypes(kernels: Kernels) -> None:
    for name, dtype in itertools.product(kernels.names, DTYPES):
        expected = dtype in expected_dtypes(name)
        assert kernels.runs(name, dtype) == expected, (name, dtype)


def test_unknown_codes_are_refused(kernels: Kernels) -> None:
    count = len(kernels.names)
    for op, dtype in [(-1, 12), (count, 12), (0, -1), (0, 15), (0, 100)]:
        assert not kernels._run(op, dtype, 0, 0, 0, 0, 0)
    for source, to in [(-1, 0), (0, -1), (15, 0), (0, 15)]:
        assert not kernels._convert(source, to, 0, 0, 0)


def arity(name: str) -> int:
    if name in OTHERS:
        return {"select_n": 3, "ldexp": 2, "regularized_incomplete_beta": 3}.get(name, 2)
    return EXACT[name].arity if name in EXACT else ULP[name].arity


def some_operands(name: str, dtype: numpy.dtype, count: int) -> list[Array]:
    inputs = [random_values(dtype, count, i) for i in range(arity(name))]
    if name == "select_n":
        inputs[0] = random_values(numpy.dtype(bool), count, 9)
    return inputs


@pytest.mark.parametrize("name", sorted(EXACT.keys() | ULP.keys() | OTHERS.keys()))
def test_tails_and_overlap(kernels: Kernels, name: str) -> None:
    """A result depends on its operands only, and goes nowhere else."""
    for dtype in expected_dtypes(name):
        inputs = some_operands(name, dtype, max(TAILS))
        full = kernels(name, *inputs)
        for count in TAILS:
            out = numpy.zeros(count + 8, full.dtype)
            kernels(name, *[x[:count].copy() for x in inputs], out=out)
            assert out[:count].tobytes() == full[:count].tobytes(), (dtype, count)
            assert not out[count:].any(), (dtype, count)
        for i, operand in enumerate(inputs):
            if operand.dtype == full.dtype:
                copies = [x.copy() for x in inputs]
                kernels(name, *copies, out=copies[i])
                assert copies[i].tobytes() == full.tobytes(), (dtype, i)


@pytest.mark.parametrize("to", DTYPES, ids=str)
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_convert(kernels: Kernels, source: numpy.dtype, to: numpy.dtype) -> None:
    values = operands(source, 1)[0]
    if source.kind not in "biu":
        bounds = 2.0 ** numpy.array([7, 8, 15, 16, 31, 32, 33, 52, 62, 63, 64])
        near = numpy.concatenate([bounds, bounds + 0.5, bounds - 0.5, bounds - 1, bounds + 1])
        values = numpy.concatenate([values, near.astype(source), -near.astype(source)])
    # Releases of ml_dtypes differ in what is out of range, and float32 holds all bfloat16.
    given = values.astype(numpy.float32) if source == ml_dtypes.bfloat16 else values
    # One element at a time: NumPy's vector loops to uint32 differ out of range.
    single = to == numpy.uint32 and source.kind not in "biu"
    if single:
        values, given = values[:2000], given[:2000]
        expected = numpy.concatenate([x.astype(to) for x in numpy.split(given, given.size)])
    else:
        expected = given.astype(to)
    assert_same(kernels.convert(values, to), expected, [values])
    for count in TAILS:
        got = kernels.convert(values[:count].copy(), to)
        assert got.tobytes() == kernels.convert(values, to)[:count].tobytes()
    if to.itemsize <= source.itemsize:
        place = values.copy()
        got = kernels.convert(place, to, out=place.view(to)[: values.size])
        assert got.tobytes() == kernels.convert(values, to).tobytes()


@pytest.mark.parametrize(
    ("script", "written"),
    [
        ("fit_coefficients.py", "numbers/coefficients.mojo"),
        ("fit_special.py", "special/coefficients.mojo"),
    ],
)
def test_coefficients_are_the_generated_ones(script: str, written: str) -> None:
    pytest.importorskip("mpmath")
    command = [sys.executable, KERNELS / "elementwise" / "fits" / script]
    output = subprocess.run(command, capture_output=True, text=True, check=True)
    assert output.stdout == (KERNELS / "elementwise" / written).read_text()
