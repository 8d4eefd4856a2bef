"""Functions that leave nan out: where nothing is left, complex numbers, and what is raised."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy
import pytest

import jujunp
from tests.support.differential import check, check_error

NAMES = ("nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian", "nansum", "nanprod")
NAN = float("nan")


def _array(np: Any, dtype: str) -> Any:
    x = np.array([[1, NAN, 3], [NAN, NAN, NAN], [4, 0, NAN]], dtype)
    return x * (2 + 1j) if "complex" in dtype else x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", [*NAMES, "nancumsum", "nancumprod"])
def test_values(name: str, dtype: str, axis: int | None) -> None:
    check(lambda np: getattr(np, name)(_array(np, dtype), axis=axis), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["median", "nanargmax", "nanargmin"])
def test_complex_nan(name: str) -> None:
    check(lambda np: getattr(np, name)(np.array([3, complex(NAN, 1), 1 + 2j, complex(2, NAN)])))
    check(lambda np: getattr(np, name)(np.array([[complex(NAN, 1)] * 2, [2, 1]]), 1))


def _warned(np: Any, program: Any) -> list[tuple[type, str]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        program(np)
    return [(x.category, str(x.message).rstrip(".")) for x in found]


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("name", NAMES)
def test_warnings(name: str, dtype: str, axis: int | None) -> None:
    for x in ([[NAN, NAN, 1], [NAN] * 3, [NAN] * 3], [[NAN] * 2] * 2, [[1.0, NAN], [NAN, 2]]):

        def program(np: Any, x: Any = x) -> Any:
            return getattr(np, name)(np.array(x, dtype), axis)

        assert _warned(jujunp, program) == _warned(numpy, program)


def test_warnings_where_no_element_has_a_value() -> None:
    found = jujunp.vmap(jujunp.nanmax)(jujunp.arange(6.0).reshape(2, 3))
    assert found.tolist() == [2, 5]


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("dtype", ["bool", "int64"])
def test_inexact_dtypes(name: str, dtype: str) -> None:
    check_error(lambda np: getattr(np, name)(np.array([1.0, NAN]), dtype=dtype))
    check_error(lambda np: getattr(np, name)(np.array([1.0, NAN]), out=np.zeros((), dtype)))


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_places_in_nothing(name: str) -> None:
    check_error(lambda np: getattr(np, name)(np.zeros((0, 3)), 0))
    check(lambda np: getattr(np, name)(np.zeros((0, 3)), 1))


@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64"])
def test_initial_and_where(name: str, dtype: str) -> None:
    check(lambda np: getattr(np, name)(np.array([1, NAN, 3], dtype), initial=2))
    mask = [True, True, False]
    check(lambda np: getattr(np, name)(np.array([1, NAN, 3], dtype), initial=2, where=mask))


METHODS = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf"),
    *("hazen", "weibull", "linear", "median_unbiased", "normal_unbiased"),
    *("lower", "higher", "midpoint", "nearest"),
)
QUANTILES = [0, 1, 0.3, [0.25, 0.5]]
SQUARE = [[0.1, 0.9], [0.5, 1.0]]
PLACES = [*itertools.product([None, 0, -1, (0, 2)], QUANTILES), (None, SQUARE), (0, SQUARE)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("axis", "q"), PLACES, ids=str)
def test_quantiles(axis: Any, q: Any, method: str) -> None:
    numbers = numpy.random.default_rng(2).normal(size=(3, 4, 5))
    numbers[numbers > 1] = NAN
    whole = numpy.arange(60).reshape(3, 4, 5)
    scaled = numpy.multiply(q, 100) if isinstance(q, list) else q * 100
    for keepdims in (False, True):
        named = {"axis": axis, "method": method, "keepdims": keepdims}
        check(lambda np, n=named: np.nanquantile(np.array(numbers), q, **n), rtol=1e-13)
        check(lambda np, n=named: np.nanpercentile(np.array(numbers), scaled, **n), rtol=1e-13)
    check(lambda np: np.nanquantile(np.array(whole), q, axis=axis, method=method), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_number_takes_the_dtype_of_the_elements(dtype: str) -> None:
    x = numpy.array([[1, NAN, 3, 9], [4, 5, NAN, NAN]], dtype)
    check(lambda np: np.nanquantile(np.array(x), 0.3, axis=1), rtol=1e-3)


def test_quantiles_of_nothing() -> None:
    nothing = numpy.full((3, 2), NAN)
    for program in (
        lambda np: np.nanquantile(np.array(nothing), [0.1, 0.2], axis=0),
        lambda np: np.nanpercentile(np.array(nothing), 50),
        lambda np: np.nanquantile(np.ones((0, 3)), 0.5, axis=0),
    ):
        assert _warned(jujunp, program) == _warned(numpy, program) != []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(program)


@pytest.mark.parametrize("name", ["nanquantile", "nanpercentile"])
def test_quantiles_write_to_arrays(name: str) -> None:
    x = jujunp.array([[1.0, NAN, 3], [4.0, 5, 6]])
    for axis, out in ((1, jujunp.zeros(2)), (None, jujunp.zeros(()))):
        assert getattr(jujunp, name)(x, 0.5, axis=axis, out=out) is out
        assert out.tolist() == getattr(numpy, name)(numpy.asarray(x), 0.5, axis=axis).tolist()
