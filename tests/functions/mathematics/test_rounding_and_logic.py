"""clip, round, comparisons with a tolerance, and functions with two results, against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, FLOATS, INTEGERS, check

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e300, -1e-300, 5e-324, 1e-40]
SPECIAL += [np.inf, -np.inf, np.nan, 2.0**52 + 0.5, 123456.789, 0.1, 3.75, 1 / 3]
BOUNDS = [None, 0, 1, -1.5, 200, 70000, np.float32(2), [1, 2, 3], [[0], [2]], True, np.nan]


def numbers(xp, dtype):
    return xp.asarray(np.array([0, 1, 2, 3, 100, -1]).astype(dtype).reshape(2, 3))


def special(dtype, more=()):
    with np.errstate(all="ignore"):
        return np.array([*SPECIAL, *more]).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("low", BOUNDS, ids=repr)
def test_clip(dtype, low):
    for high in BOUNDS:
        check(lambda xp, h=high: xp.clip(numbers(xp, dtype), low, h))
    check(lambda xp: xp.clip(numbers(xp, dtype).T, low, 3).strides)


def test_clip_special_values():
    for dtype in FLOATS:
        data = special(dtype)
        for bounds in ((-1, 1), (1, -1), (np.nan, 1), (-np.inf, np.inf), (None, 0)):
            check(lambda xp, d=data, b=bounds: xp.clip(xp.asarray(d), *b))


def _clipped_into(xp, out, *bounds, **options):
    out = xp.zeros(3, out)
    returned = xp.clip(xp.arange(3), *bounds, out=out, **options)
    assert returned is out
    return out


def test_clip_arguments():
    for dtype in ("int64", "float64", "int8", "uint64"):
        check(lambda xp, d=dtype: _clipped_into(xp, d, 1, 2))
        check(lambda xp, d=dtype: _clipped_into(xp, d, 1, None))
        check(lambda xp, d=dtype: _clipped_into(xp, d, None, None))
        check(lambda xp, d=dtype: _clipped_into(xp, d, 1, 2, casting="unsafe"))
        check(lambda xp, d=dtype: _clipped_into(xp, d, 1, 2, where=[True, False, True]))
    check(lambda xp: xp.clip(xp.arange(3), min=1))
    check(lambda xp: xp.clip(xp.arange(3), max=1, min=None))
    check(lambda xp: xp.clip(xp.arange(3)))
    check(lambda xp: xp.clip(xp.arange(3), a_min=1))
    check(lambda xp: xp.clip(xp.arange(3), a_max=1, max=2))
    check(lambda xp: xp.clip(xp.arange(3), a_min=1, a_max=2, min=1))
    assert jujunp.clip(jujunp.arange(3), 1).tolist() == [1, 1, 2]  # the Array API's signature
    check(lambda xp: xp.clip(xp.arange(3), 1, 2, dtype="float32"))
    check(lambda xp: xp.arange(3).clip(1, 2))
    check(lambda xp: xp.clip(5, 1, 2))
    check(lambda xp: xp.clip(xp.arange(3).sum(), 1, 2.5))
    check(lambda xp: xp.clip([1, 2, 3], [1, 2], 3))


@pytest.mark.parametrize("decimals", [0, 1, 3, -1, -2, 15])
def test_round(decimals):
    for dtype in FLOATS:
        data = special(dtype)
        check(lambda xp, d=data: xp.round(xp.asarray(d), decimals))
    for dtype in INTEGERS:
        check(lambda xp, d=dtype: xp.around(xp.asarray([0, 5, 15, 25, 14]).astype(d), decimals))
    check(lambda xp: xp.round(2.675, decimals))
    check(lambda xp: xp.round(xp.arange(3) * 12.345, decimals).round(decimals=decimals))
    check(lambda xp: xp.round(xp.ones((2, 3)) * 1.25, decimals, out=xp.zeros((2, 3))))
    check(lambda xp: xp.round(xp.arange(3), decimals, out=xp.zeros(3)))
    check(lambda xp: xp.round(xp.arange(3) * 15.0, decimals, out=xp.zeros(3, int)))


def test_round_checks_its_arguments():
    check(lambda xp: xp.round(1.5, 0.5))
    check(lambda xp: xp.fix([-1.5, 1.5, 2]))
    check(lambda xp: xp.fix(xp.asarray([-1.5, -0.0])))


def _replaced(xp, **options):
    x = xp.asarray(SPECIAL)
    made = xp.nan_to_num(x, copy=False, **options)
    assert made is x
    return x


def test_nan_to_num():
    for dtype in DTYPES:
        data = special(dtype)
        check(lambda xp, d=data: xp.nan_to_num(xp.asarray(d)))
        check(lambda xp, d=data: xp.nan_to_num(xp.asarray(d), nan=7, posinf=8.5, neginf=-9))
    check(lambda xp: xp.nan_to_num(np.nan))
    check(lambda xp: xp.nan_to_num(3))
    check(lambda xp: xp.nan_to_num([np.inf, 1]))
    check(_replaced)
    check(lambda xp: _replaced(xp, nan=1.5))


PAIRS = [
    (1.0, 1.0 + 1e-9),
    ([1.0, np.nan, np.inf, -np.inf], [1.0, np.nan, np.inf, np.inf]),
    ([1e10, 1e-7], [1.00001e10, 1e-8]),
    (np.array([1, 2], "int8"), [1, 3]),
    (np.array([250], "uint8"), np.array([1], "uint8")),
    (np.float32([1, 2]), [1.000001, 2.1]),
    ([[1], [2]], [1, 2, 3]),
    (True, 1),
    ([True, False], True),
    (True, [True, False]),
    ([], []),
    (3, np.arange(5)),
    ([1, 2], [1, 2, 3]),
]


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_closeness_and_equality(pair):
    for name in ("isclose", "allclose"):
        for options in ({}, {"equal_nan": True}, {"rtol": 0.1, "atol": 0}, {"atol": [1.0]}):
            check(lambda xp, n=name, o=options: getattr(xp, n)(*pair, **o))
    for name in ("array_equal", "array_equiv"):
        check(lambda xp, n=name: getattr(xp, n)(*pair))
    check(lambda xp: xp.array_equal(*pair, equal_nan=True))
    check(lambda xp: xp.array_equal(xp.asarray(pair[0]), xp.asarray(pair[0]), equal_nan=True))


def test_isclose_warns_of_tolerances():
    for library in (np, jujunp):
        with pytest.warns(RuntimeWarning, match="rtol or atol is not valid"):
            library.isclose(1.0, 1.0, np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jujunp.isclose(1.0, 2.0)


def test_parts_of_numbers():
    for name in ("isposinf", "isneginf", "real", "imag", "isreal", "iscomplex", "sinc"):
        check(
            lambda xp, n=name: getattr(xp, n)(xp.asarray(SPECIAL[:13] + SPECIAL[16:])), rtol=1e-12
        )
        check(lambda xp, n=name: getattr(xp, n)(xp.arange(3)), rtol=1e-15)
    for name in ("isposinf", "isneginf"):
        check(lambda xp, n=name: getattr(xp, n)(xp.asarray(SPECIAL), xp.zeros(21, bool)))
        check(lambda xp, n=name: getattr(xp, n)(np.inf))
    check(lambda xp: xp.sinc(0.0))


def test_conjugates_of_real_arrays_are_the_arrays():
    x = jujunp.arange(3)
    assert x.conj() is x
    assert x.conjugate() is x


def test_astype():
    for dtype in DTYPES:
        check(lambda xp, d=dtype: xp.astype(xp.arange(3), d))
    check(lambda xp: xp.astype([1, 2], "int8"))
    x = jujunp.arange(3)
    assert jujunp.astype(x, "int64", copy=False) is x
    assert jujunp.astype(x, "int64") is not x


# -- functions with two results


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", [*DTYPES, 3, -2, 1.5, 0])
def test_divmod(left, right):
    def program(xp):
        y = xp.asarray([1, 2, 7]).astype(right) if isinstance(right, str) else right
        return xp.divmod(xp.asarray(np.array([7, 5, 0]).astype(left)), y)

    check(program)


def _into(xp, *outs, **options):
    outs = tuple(None if dtype is None else xp.zeros(3, dtype) for dtype in outs)
    first, second = xp.divmod(xp.asarray([7, -7, 5]), 3, out=outs, **options)
    return first, second, outs


def test_outputs_of_functions_with_two_results():
    check(lambda xp: _into(xp, "int64", None))
    check(lambda xp: _into(xp, "float64", "int64"))
    check(lambda xp: _into(xp, "uint8", None))
    check(lambda xp: _into(xp, "uint8", None, casting="unsafe"))
    check(lambda xp: _into(xp, "int64", "int64", where=[True, False, True]))
    check(lambda xp: xp.divmod(7, 3))
    check(lambda xp: xp.divmod(7))
    check(lambda xp: xp.divmod([7, 8], 3, xp.zeros(2, int)))
    check(lambda xp: xp.divmod([7, 8], 3, dtype="float32"))
    check(lambda xp: divmod(xp.asarray([7, -8]), 3))
    check(lambda xp: divmod(20, xp.asarray([7, -8])))


def test_modf_and_frexp():
    powers = [2.0**n for n in range(-1074, 1024, 7)]
    near = [np.nextafter(x, 0) for x in powers]
    for dtype in FLOATS:
        data = special(dtype, powers + near + [-x for x in powers])
        check(lambda xp, d=data: xp.modf(xp.asarray(d)))
        check(lambda xp, d=data: xp.frexp(xp.asarray(d)))
    for name in ("modf", "frexp"):
        check(lambda xp, n=name: getattr(xp, n)(2.5))
        check(lambda xp, n=name: getattr(xp, n)(xp.arange(5, dtype="int32")))


def test_clip_with_a_dtype():
    for bounds in ((1, 2), (None, 1), (-1, 300), (1, np.uint8(2))):
        for dtype in ("int16", "int32", "float32"):
            check(lambda xp, b=bounds, d=dtype: xp.clip(numbers(xp, "int8"), *b, dtype=d))
    mask = [[True], [False]]
    check(lambda xp: xp.clip(numbers(xp, "int8"), 1, 2, out=numbers(xp, "int8"), where=mask))
    check(lambda xp: xp.clip(numbers(xp, "int8"), 1, 2.5, casting="no"))


def test_the_method_clip():
    check(lambda xp: numbers(xp, "int8").clip())
    check(lambda xp: numbers(xp, "int8").clip(1))
    check(lambda xp: numbers(xp, "int8").clip(max=2))
    check(lambda xp: numbers(xp, "int8").clip(1, max=2, out=numbers(xp, "int64")))


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_round_to_an_array(dtype):
    for out in ("bool", "int16", "float32", "float64"):
        for decimals in (-1, 0, 1):
            check(lambda xp, o=out, n=decimals: xp.round(numbers(xp, dtype), n, out=numbers(xp, o)))
    check(lambda xp: xp.round(numbers(xp, dtype), out=xp.zeros(5)))
    check(lambda xp: xp.round(numbers(xp, "bool"), 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_angle(dtype):
    for deg in (False, True):
        if dtype not in ("bool", "int8", "uint8"):  # which NumPy gives in float16
            check(lambda xp, d=deg: xp.angle(numbers(xp, dtype), d), rtol=1e-15)
    check(lambda xp: xp.real_if_close(numbers(xp, dtype)))
    check(lambda xp: xp.imag(xp.asarray(numbers(xp, dtype)[0, 0])))


def test_infinities_to_an_array():
    for name in ("isposinf", "isneginf"):
        for out in (lambda xp: xp.zeros((2, 3)), lambda xp: xp.zeros(2)):
            check(lambda xp, n=name, o=out: getattr(xp, n)([np.inf, -np.inf, 1], o(xp)))


@pytest.mark.parametrize("number", [3, 3.5, True, 3j, 2 + 1j])
def test_parts_of_pythons_numbers_are_pythons(number):
    for function in ("real", "imag"):
        found, wanted = getattr(jujunp, function)(number), getattr(np, function)(number)
        assert type(found) is type(wanted)
        assert found == wanted
