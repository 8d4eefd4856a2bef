"""Functions that leave nan out: where nothing is left, complex numbers, and what is raised."""

from __future__ import annotations

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


def _warned(np: Any, name: str, *args: Any) -> list[tuple[type, str]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        getattr(np, name)(*args)
    return [(x.category, str(x.message).rstrip(".")) for x in found]


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("name", NAMES)
def test_warnings(name: str, dtype: str, axis: int | None) -> None:
    for x in ([[NAN, NAN, 1], [NAN] * 3, [NAN] * 3], [[NAN] * 2] * 2, [[1.0, NAN], [NAN, 2]]):
        wanted, found = (_warned(np, name, np.array(x, dtype), axis) for np in (numpy, jujunp))
        assert found == wanted


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


@pytest.mark.parametrize("name", ["nanquantile", "nanpercentile"])
def test_quantiles_write_to_arrays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT")
    x = jujunp.array([[1.0, NAN, 3], [4.0, 5, 6]])
    for axis, out in ((1, jujunp.zeros(2)), (None, jujunp.zeros(()))):
        assert getattr(jujunp, name)(x, 0.5, axis=axis, out=out) is out
        assert out.tolist() == getattr(numpy, name)(numpy.asarray(x), 0.5, axis=axis).tolist()
