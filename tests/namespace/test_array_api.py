"""Properties of the Array API's functions by chapter: shapes, dtypes, values and special cases.

The oracle is NumPy where it conforms; the values of special cases are the standard's own. With
these `make test` protects what `make conformance` finds.
"""

from __future__ import annotations

import math

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import jujunp as jj
from tests.support.differential import INTEGERS, check, floor_divide

INF, NAN = math.inf, math.nan
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
REAL = (*INTEGERS, *FLOATS)
NUMERIC = (*REAL, *COMPLEX)
ALL = ("bool", *NUMERIC)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.0, 7.25, 1e-3, INF, -INF, NAN)
RTOL = {"float32": 1e-5, "complex64": 1e-4, "float64": 1e-12, "complex128": 1e-11}
EXAMPLES = settings(max_examples=25, suppress_health_check=list(HealthCheck))


def elements(dtype):
    """Return numbers of a dtype: special floats, small integers, finite complex numbers."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind in "iu":
        return st.integers(0 if kind == "u" else -9, 9)
    if kind == "f":
        return st.sampled_from(SPECIAL)
    parts = st.sampled_from((-2.5, -1.0, 0.5, 3.0))
    return st.builds(complex, parts, parts)


def arrays(dtypes, shapes=None):
    """Return arrays of any of some dtypes, with up to three axes, some of length 0 or 1."""
    shapes = (
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
        if shapes is None
        else shapes
    )
    return st.sampled_from(dtypes).flatmap(
        lambda dtype: hnp.arrays(dtype, shapes, elements=elements(dtype))
    )


def rtol_of(*operands):
    """Return how far inexact results may be from NumPy's."""
    return RTOL.get(np.result_type(*operands).name, 1e-12)


# -- elementwise functions

UNARY = {
    **dict.fromkeys(("abs", "negative", "positive", "sign", "square"), NUMERIC),
    **dict.fromkeys(("ceil", "floor", "trunc", "round"), REAL),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), NUMERIC),
    **dict.fromkeys(
        (
            *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1"),
            *("log", "log1p", "log2", "log10", "reciprocal", "sin", "sinh", "sqrt", "tan", "tanh"),
        ),
        (*FLOATS, *COMPLEX),
    ),
    **dict.fromkeys(("conj", "real", "imag"), COMPLEX),
    "signbit": FLOATS,
    "logical_not": ("bool",),
    "bitwise_invert": ("bool", *INTEGERS),
}
BINARY = {
    **dict.fromkeys(("add", "subtract", "multiply", "equal", "not_equal"), NUMERIC),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), REAL),
    **dict.fromkeys(("maximum", "minimum"), INTEGERS),
    **dict.fromkeys(("divide", "pow"), FLOATS),
    **dict.fromkeys(("atan2", "copysign", "hypot", "logaddexp", "nextafter"), FLOATS),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ("bool", *INTEGERS)),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ("bool",)),
}


@pytest.mark.parametrize("name", UNARY)
@given(st.data())
@EXAMPLES
def test_unary(name, data):
    x = data.draw(arrays(UNARY[name]))
    check(lambda xp: getattr(xp, name)(xp.asarray(x)), rtol=rtol_of(x))


@pytest.mark.parametrize("name", BINARY)
@given(st.data())
@EXAMPLES
def test_binary(name, data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4))
    x, y = (data.draw(arrays(BINARY[name], shape)) for shape in shapes.input_shapes)

    def function(xp):
        if xp is np and name == "pow":
            return power(x, y)
        return getattr(xp, name)(xp.asarray(x), xp.asarray(y))

    check(function, rtol=rtol_of(x, y))


def power(x, y):
    """Return NumPy's power, but of exponents side by side.

    Of one that it repeats, however that came about, NumPy takes the root if it is 0.5: that of
    -infinity is nan, where the standard has infinity.
    """
    pair = (np.append(operand, operand.dtype.type(1)) for operand in np.broadcast_arrays(x, y))
    return np.power(*pair)[:-1].reshape(np.broadcast_shapes(x.shape, y.shape))[()]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (4,)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_power_of_minus_infinity_by_one_half(shape, dtype):
    x, y = np.full(4, -math.inf, dtype), np.full(shape, 0.5, dtype)
    for base in (x, x[:1], x[0]):
        wanted = power(np.asarray(base), y)
        assert (wanted == math.inf).all()
        found = jj.pow(jj.asarray(base), jj.asarray(y))
        np.testing.assert_array_equal(np.asarray(found), wanted, strict=True)


@given(st.data())
@EXAMPLES
def test_floor_divide_and_remainder(data):
    dtype = data.draw(st.sampled_from(REAL))
    x = data.draw(arrays([dtype]))
    y = data.draw(arrays([dtype], x.shape))
    with np.errstate(all="ignore"):
        wanted = floor_divide(x, y), np.remainder(x, y)
    found = (
        jj.floor_divide(jj.asarray(x), jj.asarray(y)),
        jj.remainder(jj.asarray(x), jj.asarray(y)),
    )
    for one, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(np.asarray(one), expected, strict=True)


# -- the special cases that the standard lists

SPECIAL_CASES = [
    *(("abs", (x,), abs(x)) for x in (-0.0, -INF)),
    *(("acos", (x,), NAN) for x in (1.5, -1.5)),
    *(("acosh", (x,), y) for x, y in ((0.5, NAN), (1.0, 0.0), (INF, INF))),
    *(("asin", (x,), y) for x, y in ((-0.0, -0.0), (2.0, NAN))),
    *(("asinh", (x,), x) for x in (-0.0, INF, -INF)),
    *(("atan", (x,), y) for x, y in ((-0.0, -0.0), (INF, math.pi / 2), (-INF, -math.pi / 2))),
    *(
        ("atan2", (y, x), math.atan2(y, x))
        for y in (0.0, -0.0, INF, -INF)
        for x in (0.0, -0.0, INF, -INF)
    ),
    *(("atanh", (x,), y) for x, y in ((1.0, INF), (-1.0, -INF), (2.0, NAN), (-0.0, -0.0))),
    *(("ceil", (x,), y) for x, y in ((-0.5, -0.0), (-0.0, -0.0), (INF, INF))),
    *(("cos", (x,), y) for x, y in ((0.0, 1.0), (INF, NAN))),
    *(("cosh", (x,), INF) for x in (INF, -INF)),
    *(("divide", (x, y), z) for x, y, z in ((1.0, 0.0, INF), (1.0, -0.0, -INF), (-0.0, 5.0, -0.0))),
    *(("divide", (x, y), NAN) for x, y in ((0.0, -0.0), (INF, -INF))),
    *(("exp", (x,), y) for x, y in ((INF, INF), (-INF, 0.0), (-0.0, 1.0))),
    *(("expm1", (x,), y) for x, y in ((-0.0, -0.0), (-INF, -1.0), (INF, INF))),
    *(("floor", (x,), x) for x in (-0.0, INF, -INF)),
    *(
        ("floor_divide", (x, y), z)
        for x, y, z in ((INF, 2.0, INF), (INF, -2.0, -INF), (-INF, 2.0, -INF))
    ),
    *(
        ("floor_divide", (x, y), z)
        for x, y, z in ((2.0, INF, 0.0), (2.0, -INF, -0.0), (-2.0, INF, -0.0))
    ),
    *(("floor_divide", (x, y), NAN) for x, y in ((INF, INF), (0.0, 0.0), (NAN, 1.0))),
    *(("hypot", (x, y), INF) for x, y in ((INF, NAN), (NAN, -INF), (1.0, INF))),
    *(("log", (x,), y) for x, y in ((0.0, -INF), (-0.0, -INF), (-1.0, NAN), (1.0, 0.0))),
    *(("log1p", (x,), y) for x, y in ((-1.0, -INF), (-2.0, NAN), (-0.0, -0.0))),
    *(
        ("logaddexp", (x, y), z)
        for x, y, z in ((INF, 1.0, INF), (NAN, INF, NAN), (-INF, -INF, -INF))
    ),
    *((name, (NAN, 1.0), NAN) for name in ("maximum", "minimum")),
    *(
        ("pow", (x, y), 1.0)
        for x, y in ((NAN, 0.0), (INF, -0.0), (1.0, NAN), (1.0, INF), (-1.0, INF))
    ),
    *(("pow", (x, y), z) for x, y, z in ((-INF, 3.0, -INF), (-INF, 2.0, INF), (-0.0, -3.0, -INF))),
    *(("pow", (x, y), z) for x, y, z in ((-0.0, 3.0, -0.0), (0.0, -2.0, INF), (-INF, -3.0, -0.0))),
    *(("pow", (x, y), NAN) for x, y in ((-2.0, 0.5), (NAN, 1.0))),
    *(
        ("remainder", (x, y), z)
        for x, y, z in ((-0.0, 5.0, 0.0), (0.0, -5.0, -0.0), (5.0, -INF, -INF))
    ),
    *(("remainder", (x, y), NAN) for x, y in ((INF, 2.0), (1.0, 0.0))),
    *(("round", (x,), y) for x, y in ((2.5, 2.0), (3.5, 4.0), (-0.5, -0.0))),
    *(("sign", (x,), y) for x, y in ((NAN, NAN), (-0.0, 0.0), (-INF, -1.0))),
    *(("sin", (x,), y) for x, y in ((-0.0, -0.0), (INF, NAN))),
    *(("sqrt", (x,), y) for x, y in ((-0.0, -0.0), (-1.0, NAN), (INF, INF))),
    *(("tanh", (x,), y) for x, y in ((INF, 1.0), (-INF, -1.0), (-0.0, -0.0))),
    *(("trunc", (x,), y) for x, y in ((-0.5, -0.0), (INF, INF))),
    *(
        ("expm1", (complex(x, 0.0),), complex(y, 0.0))
        for x, y in ((INF, INF), (-INF, -1.0), (0.0, 0.0))
    ),
    ("tanh", (complex(INF, 2.0),), complex(1.0, 0.0)),
    ("exp", (complex(-INF, NAN),), complex(0.0, 0.0)),
    ("sqrt", (complex(1.0, INF),), complex(INF, INF)),
    ("log", (complex(-0.0, 0.0),), complex(-INF, math.pi)),
    ("acosh", (complex(1.0, INF),), complex(INF, math.pi / 2)),
]


@pytest.mark.parametrize(("name", "operands", "wanted"), SPECIAL_CASES, ids=str)
def test_special_case(name, operands, wanted):
    for narrow in (False, True):
        dtype = (
            ("complex64" if narrow else "complex128")
            if isinstance(wanted, complex)
            else ("float32" if narrow else "float64")
        )
        found = getattr(jj, name)(*(jj.asarray(x, dtype=dtype) for x in operands)).item()
        for part in ("real", "imag"):
            one, expected = getattr(found, part), getattr(wanted, part)
            assert one == pytest.approx(expected, rel=1e-6, nan_ok=True)
            assert math.isnan(expected) or math.copysign(1, one) == math.copysign(1, expected)


# -- reductions, searching, sorting

REDUCTIONS = {
    **dict.fromkeys(("sum", "prod"), NUMERIC),
    **dict.fromkeys(("max", "min"), REAL),
    **dict.fromkeys(("mean", "var", "std"), FLOATS),
    **dict.fromkeys(("any", "all", "count_nonzero"), ALL),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REDUCTIONS)
@given(st.data())
@EXAMPLES
def test_reduction(name, data):
    x = data.draw(arrays(REDUCTIONS[name]))
    axes = st.none() if not x.ndim else st.none() | st.integers(-x.ndim, x.ndim - 1)
    axis, keepdims = data.draw(axes), data.draw(st.booleans())
    check(
        lambda xp: getattr(xp, name)(xp.asarray(x), axis=axis, keepdims=keepdims), rtol=rtol_of(x)
    )


AXIS = {
    **dict.fromkeys(("argmax", "argmin", "sort", "argsort", "flip"), REAL),
    **dict.fromkeys(("cumulative_sum", "cumulative_prod", "diff"), NUMERIC),
}


@pytest.mark.parametrize("name", AXIS)
@given(st.data())
@EXAMPLES
def test_along_an_axis(name, data):
    x = data.draw(arrays(AXIS[name], hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    stable = {"stable": True} if name == "argsort" else {}
    check(lambda xp: getattr(xp, name)(xp.asarray(x), axis=axis, **stable), rtol=rtol_of(x))


# -- shapes

SHAPES = {
    "permute_dims": lambda xp, x: xp.permute_dims(x, tuple(range(x.ndim))[::-1]),
    "reshape": lambda xp, x: xp.reshape(x, (-1,)) if x.size else xp.reshape(x, x.shape),
    "expand_dims": lambda xp, x: xp.expand_dims(x, axis=0),
    "squeeze": lambda xp, x: xp.squeeze(x[None], axis=0),
    "concat": lambda xp, x: xp.concat([x[None], x[None]], axis=0),
    "stack": lambda xp, x: xp.stack([x, x], axis=-1),
    "tile": lambda xp, x: xp.tile(x, (2, 1)),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "roll": lambda xp, x: xp.roll(x, 1),
    "unstack": lambda xp, x: xp.unstack(x[None], axis=0),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, *x.shape)),
    "moveaxis": lambda xp, x: xp.moveaxis(x[None], 0, -1),
    "nonzero": lambda xp, x: xp.nonzero(xp.reshape(x, (-1,))),
    # which of two equal zeros is kept is not said
    "unique_values": lambda xp, x: xp.sort(xp.unique_values(xp.astype(x, xp.float64))) + 0.0,
    "take": lambda xp, x: xp.take(x[None], xp.asarray([0, 0]), axis=0),
    "masked": lambda xp, x: x[x == x],
    "tril": lambda xp, x: xp.tril(xp.stack([x, x], axis=-1)) if x.ndim else x,
    "astype": lambda xp, x: xp.astype(x, xp.complex128),
    "like": lambda xp, x: (xp.zeros_like(x), xp.ones_like(x), xp.full_like(x, 1)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHAPES)
@given(st.data())
@EXAMPLES
def test_shape(name, data):
    x = data.draw(arrays(ALL if name != "unique_values" else REAL))
    check(lambda xp: SHAPES[name](xp, xp.asarray(x)))


# -- dtypes


@given(st.sampled_from(ALL), st.sampled_from(ALL))
@settings(max_examples=100)
def test_promotion(first, second):
    check(lambda xp: xp.result_type(getattr(xp, first), getattr(xp, second)))
    check(lambda xp: xp.can_cast(getattr(xp, first), getattr(xp, second)))
    kinds = ("bool", "signed integer", "unsigned integer", "real floating", "complex floating")
    check(lambda xp: [xp.isdtype(getattr(xp, first), kind) for kind in (*kinds, "numeric")])


def test_the_namespace_answers_for_itself():
    info = jj.__array_namespace_info__()
    wanted = {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.capabilities() == wanted
    assert info.default_device() == "cpu" == jj.ones(2).device
    assert info.devices() == ("cpu",)
    assert info.devices().__add__(["gpu"]) == ["cpu", "gpu"]
    assert info.devices().__radd__(["gpu"]) == ["gpu", "cpu"]
    assert set(info.dtypes()) == set(ALL)
    assert set(info.dtypes(kind=("integral", "bool"))) == {"bool", *INTEGERS}
    assert info.default_dtypes()["complex floating"] == np.complex128
    with pytest.raises(ValueError, match="Device"):
        info.dtypes(device="tpu")
    assert jj.ones(2).__array_namespace__(api_version="2025.12") is jj
    with pytest.raises(ValueError, match="2019"):
        jj.ones(2).__array_namespace__(api_version="2019.12")
    limits = jj.finfo(jj.complex64)
    assert (limits.dtype, type(limits.eps), limits.bits) == (np.float32, float, 32)
    assert str(limits) == str(np.finfo(np.complex64))


# -- linalg and fft


@given(st.data())
@EXAMPLES
def test_products(data):
    batch = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    m, k, n = (data.draw(st.integers(1, 4)) for _ in range(3))
    dtypes = [d for d in NUMERIC if d not in FLOATS]  # special floats give nan in other places
    dtype = data.draw(st.sampled_from(dtypes))
    x, y = (data.draw(arrays([dtype], (*batch, *shape))) for shape in ((m, k), (k, n)))
    for name in ("matmul", "matrix_transpose", "vecdot", "trace"):
        operands = {"matmul": (x, y), "vecdot": (x, x)}.get(name, (x,))
        check(lambda xp, f=name, o=operands: getattr(xp.linalg, f)(*map(xp.asarray, o)), rtol=1e-4)


@given(st.data())
@EXAMPLES
def test_transforms(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=9))
    dtype = data.draw(st.sampled_from((*FLOATS, *COMPLEX)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = (rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype in COMPLEX else 0)).astype(
        dtype
    )
    back = jj.fft.ifftn(jj.fft.fftn(jj.asarray(x)))
    assert back.dtype == np.result_type(x, np.complex64)
    np.testing.assert_allclose(np.asarray(back), x, atol=1e-5 if RTOL[dtype] > 1e-10 else 1e-12)
